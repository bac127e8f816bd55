/* SPDX-License-Identifier: MIT */
/*
 * One figure against what is known of its series. Invariant: what is told depends on the points up
 * to the run's own and on the baseline alone, whether they come out of a kept state or are read
 * anew; a state is kept only where it holds every point of the series but the newest, so that the
 * newest can be judged again, and the next one after it.
 */
#include "judge-inner.h"

#include "base/mem.h"

#include <math.h>
#include <string.h>

/* Of the bytes: another layout or another detector reads the series anew. */
#define STATE_FORM    "2"
#define STATE_VERSION HILAB_VERSION " " STATE_FORM

/* The series up to the run's point, without it. */
struct past {
	struct changes c;
	int64_t points;          /* that it holds */
	int64_t at_ms, run;      /* of the last of them */
	int64_t until_ms, until; /* the run's own point */
	bool kept, cut;
	VEC(double) values; /* newest first */
};

bool judge_knows(const struct store_series_state *st, struct changes *c)
{
	if (strcmp(st->version, STATE_VERSION) || st->n != sizeof *c)
		return false;
	memcpy(c, st->bytes, sizeof *c);
	return true;
}

static int on_state(void *arg, int64_t series, const struct store_series_state *st)
{
	struct past *p = arg;
	bool earlier = st->at_ms < p->until_ms || (st->at_ms == p->until_ms && st->run < p->until);

	(void)series;
	if (!earlier || !judge_knows(st, &p->c))
		return 0;
	p->at_ms = st->at_ms;
	p->run = st->run;
	p->points = st->points - 1; /* of the series then: without the newest */
	p->kept = true;
	return 0;
}

static int on_next(void *arg, int64_t series, const struct store_point *pt)
{
	struct past *p = arg;

	(void)series;
	if ((pt->at_ms == p->at_ms && pt->run <= p->run) ||
		(pt->at_ms == p->until_ms && pt->run >= p->until))
		return 0;
	changes_add(&p->c, pt->value);
	p->at_ms = pt->at_ms;
	p->run = pt->run;
	p->points++;
	return 0;
}

static int on_back(void *arg, int64_t series, const struct store_point *pt)
{
	struct past *p = arg;

	(void)series;
	if (pt->at_ms == p->until_ms && pt->run == p->until)
		return 0;
	if (!p->values.n) {
		p->at_ms = pt->at_ms;
		p->run = pt->run;
	}
	vec_push(&p->values, pt->value);
	return 0;
}

static int look_back(struct judging *g, const struct store_series *s, struct past *p)
{
	struct store *st = g->j->s;

	if (store_series_state_get(st, s->id, on_state, p, g->e) < 0)
		return -1;
	if (p->kept) {
		p->c.resolution = s->resolution > 0 ? s->resolution : 0;
		return store_points(st, s->id, p->at_ms, p->until_ms + 1, on_next, p, g->e);
	}
	g->j->read_anew++;
	changes_init(&p->c, s->resolution);
	if (store_points_back(st, s->id, p->until_ms, p->until, JUDGE_REFIT, on_back, p, g->e)) {
		vec_done(&p->values);
		return -1;
	}
	for (size_t i = p->values.n; i-- > 0;)
		changes_add(&p->c, p->values.p[i]);
	p->points = (int64_t)p->values.n;
	p->cut = p->points + 1 >= JUDGE_REFIT;
	vec_done(&p->values);
	return 0;
}

/* What was known before the run's point, where that is the newest: this run, judged again, and the
 * next one go on from it. */
static void keep(struct judging *g, const struct store_series *s, const struct past *p)
{
	struct judge_state state = {s->id, p->at_ms, p->run, p->points + 1, p->c};

	if (!g->j->keep || !p->points || s->last_ms != p->until_ms)
		return;
	if (p->cut)
		state.points = s->points;
	if (state.points == s->points)
		vec_push(&g->states, state);
}

/* ---- a single value -------------------------------------------------------------------------- */

struct level {
	double mean, deviation;
	size_t runs, known; /* of the level, and that tell the noise */
};

/* Deviation by how far runs are from the ones before them: a step of the level says little in it.
 */
static double step_deviation(const double *v, size_t n)
{
	double sum = 0;

	for (size_t i = 1; i < n; i++)
		sum += fabs(v[i] - v[i - 1]);
	return n > 1 ? sum / (double)(n - 1) * sqrt(acos(-1)) / 2 : 0;
}

static struct level level_of(const struct changes *c)
{
	struct level l = {0};

	if (!changes_level(c, &l.mean, &l.deviation, &l.runs))
		return l;
	l.known = c->n;
	l.deviation = fmin(l.deviation, step_deviation(c->v, c->n));
	return l;
}

/* Noise that is known too little is taken to be as that of most. */
static double deviation_of(const struct level *l, double mean, double resolution, double *freedom)
{
	double d = l->deviation, prior = JUDGE_PRIOR * fabs(mean);
	double runs = l->known ? (double)l->known - 1 : 0;

	*freedom = runs;
	if (l->known < JUDGE_KNOWN) {
		*freedom = runs + JUDGE_PRIOR_RUNS;
		d = sqrt((JUDGE_PRIOR_RUNS * prior * prior + runs * d * d) / *freedom);
	}
	d = fmax(d, resolution / 4);
	return fmax(d, JUDGE_NOISE_MIN * fabs(mean));
}

/* How much a value stands out, as a normal deviate of the same probability (Wallace 1959). */
static double stands_out(const struct judgement *m, double deviation, double freedom)
{
	double t;

	if (m->after == m->before)
		return 0;
	if (deviation <= 0)
		return JUDGE_EVIDENCE;
	t = (m->after - m->before) /
	    (deviation * sqrt(1 / (double)m->runs_after + 1 / (double)m->runs_before));
	return fmin(JUDGE_EVIDENCE, sqrt(freedom * log1p(t * t / freedom)));
}

/* Has the series been there by itself before? */
static bool is_in_range(const struct changes *c, double value, double deviation)
{
	size_t from = c->n - c->level >= JUDGE_RANGE_RUNS ? c->level : 0;
	double min = INFINITY, max = -INFINITY;

	for (size_t i = from; i < c->n; i++) {
		min = fmin(min, c->v[i]);
		max = fmax(max, c->v[i]);
	}
	return c->n - from >= JUDGE_RANGE_RUNS && value > min - deviation / 2 &&
	       value < max + deviation / 2;
}

static double confidence_of(double evidence)
{
	return erf(evidence / sqrt(2));
}

static void set_levels(struct judgement *m, double before, double after, double deviation)
{
	m->before = before;
	m->after = after;
	m->change = before != 0 ? (after - before) / fabs(before) : NAN;
	m->noise = before != 0 ? deviation / fabs(before) : NAN;
	m->worse = !strcmp(m->series.better, "higher") ? after < before : after > before;
}

static void set_kind(struct judgement *m)
{
	m->kind = !strcmp(m->series.better, "neither") ? JUDGE_MOVED
		  : m->worse                           ? JUDGE_REGRESSION
						       : JUDGE_IMPROVEMENT;
}

/* The run's value alone against a level of n runs. True: it stands out. */
static bool judge_value(struct judgement *m, const struct level *l, double mean, int64_t n)
{
	double freedom, deviation = deviation_of(l, mean, m->series.resolution, &freedom);
	bool known = l->known >= JUDGE_KNOWN;

	set_levels(m, mean, m->after, deviation);
	m->runs_before = n;
	m->evidence = stands_out(m, deviation, freedom);
	m->confidence = confidence_of(m->evidence);
	return fabs(m->after - mean) >= m->series.resolution && m->after != mean &&
	       m->evidence >= (known ? JUDGE_LIMIT : JUDGE_LIMIT_FEW);
}

/* ---- a history ------------------------------------------------------------------------------- */

struct place {
	struct judging *g;
	struct judgement *m;
	int64_t left; /* points of the new level still to come, newest first */
};

static int on_place(void *arg, int64_t series, const struct store_point *p)
{
	struct place *at = arg;
	struct arena *a = &at->g->j->arena;

	(void)series;
	at->left--;
	if (!at->left) {
		at->m->first_bad = arena_strdup(a, p->version);
		at->m->first_bad_run = p->run;
	} else if (at->left < 0) {
		at->m->last_good = arena_strdup(a, p->version);
		at->m->last_good_run = p->run;
	}
	return 0;
}

/* Which runs a level of that many runs begins with and follows. */
static int tell_place(
	struct judging *g, struct judgement *m, const struct store_point *p, int64_t runs)
{
	struct place at = {g, m, runs};

	return store_points_back(
		g->j->s, m->series.id, p->at_ms, p->run, runs + 1, on_place, &at, g->e);
}

static int tell_change(struct judging *g, struct judgement *m, const struct store_point *p,
	const struct changes *c)
{
	const struct change *ch = &c->found[c->n_found - 1];
	uint64_t from = c->n_found > 1 ? c->found[c->n_found - 2].at : 0;

	set_levels(m, ch->before, ch->after, ch->deviation);
	set_kind(m);
	m->evidence = fmin(JUDGE_EVIDENCE, ch->evidence);
	m->confidence = confidence_of(m->evidence);
	m->runs_before = (int64_t)(ch->at - from);
	m->runs_after = (int64_t)(c->added - ch->at);
	return tell_place(g, m, p, m->runs_after);
}

/* The runs right before that went as far as this one are no part of the level: out of c. */
static int64_t take_tail(struct changes *c, double value, double *mean)
{
	size_t from = c->level, few = c->n - from < JUDGE_TAIL + JUDGE_KNOWN;
	double level, deviation, sum = value;
	int64_t n = 1;

	*mean = value;
	if (few)
		return n;
	noise_level(c->v + from, c->n - from - JUDGE_TAIL, &level, &deviation);
	if (fabs(value - level) < JUDGE_TAIL_FROM * deviation)
		return n;
	for (; n <= JUDGE_TAIL; n++) {
		double went = (c->v[c->n - 1] - level) / (value - level);

		if (value == level || went < 0.5 || went > 2)
			break;
		sum += c->v[--c->n];
	}
	*mean = sum / (double)n;
	return n;
}

/* Does the run, with those right before it, stand out of its history? Enough of them that do are
 * told for good, before the detector, which has to be right in much quieter cases, is sure. */
static bool judge_newest(struct judgement *m, const struct changes *c, bool *sure)
{
	struct changes calm = *c;
	struct level l;

	m->runs_after = take_tail(&calm, m->value, &m->after);
	l = level_of(&calm);
	*sure = false;
	if (!l.runs || !judge_value(m, &l, l.mean, (int64_t)l.runs) ||
		is_in_range(&calm, m->value, m->noise * fabs(m->before)) ||
		is_in_range(&calm, m->after, m->noise * fabs(m->before)))
		return false;
	*sure = m->runs_after >= JUDGE_SURE_RUNS && m->evidence >= JUDGE_SURE &&
		l.known >= JUDGE_RANGE_RUNS;
	return true;
}

static int judge_history(
	struct judging *g, struct judgement *m, const struct store_point *p, struct past *past)
{
	bool sure, stands = judge_newest(m, &past->c, &sure), first = !past->c.n;
	bool found = changes_add(&past->c, m->value);
	const struct changes *c = &past->c;
	const struct change *last = c->n_found ? &c->found[c->n_found - 1] : NULL;

	if (first) {
		m->kind = JUDGE_NEW;
		return 0;
	}
	if (found) { /* it may have been told for good by then */
		m->standing = sure && m->runs_after > JUDGE_SURE_RUNS;
		return tell_change(g, m, p, c);
	}
	if (stands) {
		set_kind(m);
		m->suspected = !sure;
		m->standing = sure && m->runs_after > JUDGE_SURE_RUNS;
		return tell_place(g, m, p, m->runs_after);
	}
	if (last && c->added - last->at <= JUDGE_STANDING && last->after != last->before) {
		m->standing = true;
		return tell_change(g, m, p, c);
	}
	return 0;
}

/* ---- any baseline ---------------------------------------------------------------------------- */

static int judge_base(struct judging *g, struct judgement *m, const struct store_point *p,
	struct past *past, const struct level *l)
{
	double mean;
	int64_t n;
	int found = judge_base_of(g, m, p, &mean, &n);

	if (found < 0)
		return -1;
	if (!found) {
		m->kind = JUDGE_NEW;
		m->noise = l->runs > 1 && l->mean != 0 ? l->deviation / fabs(l->mean) : NAN;
	} else {
		m->after = m->value;
		m->runs_after = 1;
		if (judge_value(m, l, mean, n))
			set_kind(m);
	}
	changes_add(&past->c, m->value);
	m->first_bad = found ? arena_strdup(&g->j->arena, p->version) : NULL;
	m->first_bad_run = found ? p->run : 0;
	return 0;
}

static void set_unknown(struct judgement *m)
{
	m->before = m->after = m->change = m->noise = m->evidence = m->confidence = NAN;
	m->kind = JUDGE_NOISE;
}

int judge_figure(struct judging *g, struct judgement *m, const struct store_point *p)
{
	struct past past = {.until_ms = p->at_ms, .until = p->run};
	const struct store_series *other;
	struct level l;
	int failed;

	set_unknown(m);
	if (look_back(g, &m->series, &past))
		return -1;
	l = level_of(&past.c);
	keep(g, &m->series, &past);
	if (g->j->baseline.against == JUDGE_HISTORY)
		failed = judge_history(g, m, p, &past);
	else
		failed = judge_base(g, m, p, &past, &l);
	if (!failed && g->j->baseline.against == JUDGE_REFERENCE && !judge_reference(g, m))
		m->kind = JUDGE_NEW;
	if (failed)
		return -1;
	if (m->kind == JUDGE_NEW && !m->why && g->j->baseline.against != JUDGE_HISTORY)
		m->why = g->r->trouble ? g->r->trouble : "the baseline has no figure of it";
	other = m->kind == JUDGE_NEW && !m->why ? judge_sibling(g, &m->series) : NULL;
	if (other && strcmp(other->unit, m->series.unit))
		m->why = arena_printf(&g->j->arena, "unit was '%s'", other->unit);
	else if (other && strcmp(other->tool, m->series.tool))
		m->why = arena_printf(&g->j->arena, "tool was '%s'", other->tool);
	else if (other && strcmp(other->board, m->series.board))
		m->why = arena_printf(&g->j->arena, "board was '%s'", other->board);
	else if (other)
		m->why = "it was measured with other parameters or of another line";
	return 0;
}

int judge_absent(struct judging *g, struct judgement *m)
{
	struct past past = {.until_ms = g->r->run.started_ms, .until = g->r->run.id};
	struct level l;

	set_unknown(m);
	m->kind = JUDGE_MISSING;
	m->value = NAN;
	if (look_back(g, &m->series, &past))
		return -1;
	l = level_of(&past.c);
	m->before = l.mean;
	m->runs_before = (int64_t)l.runs;
	m->noise = l.mean != 0 ? l.deviation / fabs(l.mean) : NAN;
	return 0;
}

int judge_keep(struct judging *g, const struct judge_state *st)
{
	const struct store_series_state state = {
		STATE_VERSION, st->at_ms, st->run, st->points, &st->c, sizeof st->c};

	return store_series_state_save(g->j->s, st->series, &state, NULL) < 0 ? -1 : 0;
}
