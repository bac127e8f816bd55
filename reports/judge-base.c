/* SPDX-License-Identifier: MIT */
/*
 * What a run is held against. Invariant: a figure is compared with figures of the same test,
 * metric, parameters and unit only; where the baseline has none, nothing is told of it.
 */
#include "judge-inner.h"

#include "base/str.h"
#include "io/json.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define BASE_LABELS 32
#define BASE_POINTS ((int64_t)4096) /* of a series in which a build is looked for */

static const struct {
	const char *word;
	enum judge_against against;
} words[] = {
	{"history", JUDGE_HISTORY},
	{"last-good", JUDGE_LAST_GOOD},
	{"reference", JUDGE_REFERENCE},
};

static int parse_branch(struct judge_baseline *b, struct arena *a, const char *text, struct err *e)
{
	const char *at = strchr(text, '@');

	if (!*text || at == text || (at && !at[1]))
		return err_set(e, BLAME_CONFIG, "'branch:%.60s' names no line of builds", text);
	b->against = JUDGE_BRANCH;
	b->line = at ? arena_strndup(a, text, (size_t)(at - text)) : arena_strdup(a, text);
	b->version = at ? arena_strdup(a, at + 1) : NULL;
	return 0;
}

int judge_baseline_parse(struct judge_baseline *b, struct arena *a, const char *text, struct err *e)
{
	struct judge_baseline made = {0};
	struct str s = str_of(text);

	for (size_t i = 0; i < ARRAY_LEN(words); i++)
		if (!strcmp(text, words[i].word)) {
			made.against = words[i].against;
			*b = made;
			return 0;
		}
	if (str_starts(s, "branch:")) {
		if (parse_branch(&made, a, text + strlen("branch:"), e))
			return -1;
	} else if (str_starts(s, "build:") && text[strlen("build:")]) {
		made.against = JUDGE_BUILD;
		made.version = arena_strdup(a, text + strlen("build:"));
	} else if (str_starts(s, "run:") && !str_i64(str_of(text + strlen("run:")), &made.run) &&
		   made.run > 0) {
		made.against = JUDGE_RUN;
	} else {
		return err_set(e, BLAME_CONFIG,
			"'%.60s' is no baseline: history, last-good, reference, build:VERSION, "
			"run:N or branch:LINE[@VERSION]",
			text);
	}
	*b = made;
	return 0;
}

/* ---- of the run ------------------------------------------------------------------------------ */

static bool same_text(const char *a, const char *b)
{
	return !strcmp(a ? a : "", b ? b : "");
}

static const char *named(struct judging *g, const char *version, int64_t run)
{
	return version ? arena_printf(&g->j->arena, "build %s (run %lld)", version, (long long)run)
		       : arena_printf(&g->j->arena, "run %lld", (long long)run);
}

/* The newest run before of the same line that passed with another build. */
static void find_last_good(struct judging *g)
{
	const struct store_run *run = &g->r->run;

	vec_each (&g->before, b) {
		if (!b->verdict || strcmp(b->verdict, "pass") || !same_text(b->build, run->build) ||
			(run->build_version && same_text(b->build_version, run->build_version)))
			continue;
		g->base_run = b->id;
		g->version = b->build_version;
		g->r->against =
			arena_printf(&g->j->arena, "the last good %s", named(g, g->version, b->id));
		return;
	}
	g->r->against = "the last good build";
	g->r->trouble = "no run before it passed with another build";
}

static int on_base(void *arg, const struct store_series *s)
{
	struct judging *g = arg;
	struct judgement m = {.series = *s};

	m.series.suite = arena_strdup(&g->j->arena, s->suite);
	m.series.test = arena_strdup(&g->j->arena, s->test);
	m.series.metric = arena_strdup(&g->j->arena, s->metric);
	m.series.labels = arena_strdup(&g->j->arena, s->labels);
	m.series.unit = arena_strdup(&g->j->arena, s->unit);
	vec_push(&g->base, m);
	return 0;
}

static int on_base_point(void *arg, int64_t series, const struct store_point *p)
{
	struct judging *g = arg;

	vec_each (&g->base, m)
		if (m->series.id == series)
			m->value = p->value;
	return 0;
}

static int on_twin(void *arg, const struct store_run *run)
{
	return *(int *)arg = run->twin, 0;
}

static int find_run(struct judging *g)
{
	const struct store_series_filter f = {.run = g->j->baseline.run};
	int twin = 0, found;

	g->r->against = arena_printf(&g->j->arena, "run %lld", (long long)f.run);
	found = store_run_get(g->j->s, f.run, on_twin, &twin, g->e);
	if (found < 0)
		return -1;
	if (!found)
		return err_set(g->e, BLAME_CONFIG, "baseline: store '%s' holds no run %lld",
			store_path(g->j->s), (long long)f.run);
	if ((twin != 0) != g->r->run.twin)
		g->r->trouble = "a twin is not compared with silicon";
	else if (store_series_list(g->j->s, &f, on_base, g, g->e) ||
		 store_points_of_run(g->j->s, f.run, on_base_point, g, g->e))
		return -1;
	else if (!g->base.n)
		g->r->trouble = "the run that it is held against has no figures";
	return 0;
}

/* A line begins with the first figure of it on that board. */
static void find_branch(struct judging *g)
{
	const struct judge_baseline *b = &g->j->baseline;

	g->branch_ms = INT64_MAX;
	vec_each (&g->all, s)
		if (same_text(s->line, g->r->run.build) && s->first_ms < g->branch_ms &&
			same_text(s->board, g->r->run.board))
			g->branch_ms = s->first_ms;
	g->version = b->version;
	g->r->against = b->version
				? arena_printf(&g->j->arena, "build %s %s", b->line, b->version)
				: arena_printf(&g->j->arena, "%s as it was where %s began", b->line,
					  g->r->run.build ? g->r->run.build : "its line");
}

static const struct reference *published(const struct judging *g)
{
	const char *soc = g->r->run.soc;

	return g->j->references && soc ? reference_set_find(g->j->references, soc) : NULL;
}

int judge_base_find(struct judging *g)
{
	const struct judge_baseline *b = &g->j->baseline;

	switch (b->against) {
	case JUDGE_LAST_GOOD:
		find_last_good(g);
		break;
	case JUDGE_BUILD:
		g->version = b->version;
		g->r->against = arena_printf(&g->j->arena, "build %s", b->version);
		break;
	case JUDGE_RUN:
		return find_run(g);
	case JUDGE_BRANCH:
		find_branch(g);
		break;
	case JUDGE_REFERENCE:
		g->r->against = "published figures";
		if (g->r->run.twin)
			g->r->trouble = "a twin has no reference";
		else if (!published(g))
			g->r->trouble = "nothing was published of its SoC";
		break;
	default:
		g->r->against = "its own history";
		break;
	}
	return 0;
}

/* ---- of a figure ----------------------------------------------------------------------------- */

static bool same_figure(const struct store_series *a, const struct store_series *b)
{
	return !strcmp(a->metric, b->metric) && !strcmp(a->test, b->test) &&
	       !strcmp(a->suite, b->suite) && !strcmp(a->labels, b->labels);
}

/* How little another series differs; 0: it is of another figure. */
static int likeness(const struct store_series *a, const struct store_series *b)
{
	if (a->id == b->id || a->twin != b->twin || !same_figure(a, b))
		return 0;
	return 1 + 16 * !strcmp(a->unit, b->unit) + 8 * !strcmp(a->board, b->board) +
	       4 * !strcmp(a->params, b->params) + 2 * !strcmp(a->line, b->line) +
	       !strcmp(a->tool, b->tool);
}

const struct store_series *judge_sibling(const struct judging *g, const struct store_series *s)
{
	const struct store_series *best = NULL;
	int most = 0;

	vec_each (&g->all, other) {
		int like = likeness(other, s);

		if (like > most || (like == most && best && other->last_ms > best->last_ms)) {
			most = like;
			best = other;
		}
	}
	return best;
}

/* The points of the build that is asked for, newest first. */
struct picking {
	const char *version; /* NULL: of the run, or of the newest version that is met */
	int64_t run;         /* 0: any */
	int64_t before_ms;
	const char *met;
	struct arena *a;
	double mean;
	int64_t n;
};

static int on_pick(void *arg, int64_t series, const struct store_point *p)
{
	struct picking *pick = arg;

	(void)series;
	if (p->at_ms >= pick->before_ms)
		return 0;
	if (!pick->version && !pick->run) {
		if (!pick->met)
			pick->met = arena_strdup(pick->a, p->version ? p->version : "");
		if (!same_text(pick->met, p->version))
			return 1;
	} else if (pick->version ? !same_text(pick->version, p->version) : pick->run != p->run) {
		return 0;
	}
	pick->mean += (p->value - pick->mean) / (double)++pick->n;
	return 0;
}

static int pick_from(struct judging *g, const struct store_series *s, int64_t at_ms, int64_t run,
	struct picking *p)
{
	return store_points_back(g->j->s, s->id, at_ms, run, BASE_POINTS, on_pick, p, g->e) < 0 ? -1
												: 0;
}

/* Of other series of the same figure: of another board, tool or line; best first by likeness. */
static int pick_siblings(struct judging *g, struct judgement *m, struct picking *pick)
{
	const char *line = g->j->baseline.against == JUDGE_BRANCH ? g->j->baseline.line : NULL;

	for (int like = 32; like > 16 && !pick->n; like--)
		vec_each (&g->all, s) {
			if (likeness(s, &m->series) != like || (line && strcmp(s->line, line)))
				continue;
			if (pick_from(g, s, INT64_MAX, INT64_MAX, pick))
				return -1;
			if (!pick->n)
				continue;
			m->why = strcmp(s->board, m->series.board)
					 ? arena_printf(
						   &g->j->arena, "held against board %s", s->board)
				 : strcmp(s->tool, m->series.tool)
					 ? arena_printf(
						   &g->j->arena, "held against tool '%s'", s->tool)
					 : m->why;
			break;
		}
	return 0;
}

static int base_of_run(struct judging *g, struct judgement *m, struct picking *pick)
{
	vec_each (&g->base, b)
		if (same_figure(&b->series, &m->series) &&
			!strcmp(b->series.unit, m->series.unit)) {
			pick->mean = b->value;
			pick->n = 1;
		}
	m->last_good_run = pick->n ? g->j->baseline.run : 0;
	return 0;
}

int judge_base_of(struct judging *g, struct judgement *m, const struct store_point *p, double *mean,
	int64_t *n)
{
	struct picking pick = {.version = g->version,
		.run = g->base_run,
		.before_ms = g->branch_ms && !g->version ? g->branch_ms : INT64_MAX,
		.a = &g->j->arena};
	enum judge_against against = g->j->baseline.against;
	int failed = 0;

	if (g->r->trouble || against == JUDGE_REFERENCE)
		return 0;
	if (against == JUDGE_RUN)
		failed = base_of_run(g, m, &pick);
	else if (against != JUDGE_BRANCH)
		failed = pick_from(g, &m->series, p->at_ms, p->run - 1, &pick);
	if (!failed && !pick.n && (against == JUDGE_BRANCH || against == JUDGE_BUILD))
		failed = pick_siblings(g, m, &pick);
	if (failed)
		return -1;
	*mean = pick.mean;
	*n = pick.n;
	if (against != JUDGE_RUN) {
		m->last_good = pick.n ? (pick.version ? pick.version : pick.met) : NULL;
		m->last_good_run = against == JUDGE_LAST_GOOD ? g->base_run : 0;
	}
	return pick.n > 0;
}

/* ---- published ------------------------------------------------------------------------------- */

static size_t labels_of(json_t *j, struct sink_label *out)
{
	const char *name;
	json_t *value;
	size_t n = 0;

	json_object_foreach (j, name, value)
		if (n < BASE_LABELS && json_is_string(value))
			out[n++] = (struct sink_label){name, json_string_value(value)};
	return n;
}

/* Worse than the worst that was printed by more than its share is a regression, better than the
 * best an improvement. */
static void hold_against(struct judgement *m, const struct reference_figure *f)
{
	double share = JUDGE_REFERENCE_SHARE * fabs(f->value), min = f->value, max = f->value;

	if (!isnan(f->min))
		min = fmin(min, f->min);
	if (!isnan(f->max))
		max = fmax(max, f->max);
	m->before = f->value;
	m->after = m->value;
	m->change = f->value != 0 ? (m->value - f->value) / fabs(f->value) : NAN;
	m->worse = !strcmp(m->series.better, "higher") ? m->value < f->value : m->value > f->value;
	m->runs_after = 1;
	if (m->value >= min - share && m->value <= max + share)
		return;
	m->kind = !strcmp(m->series.better, "neither") ? JUDGE_MOVED
		  : m->worse                           ? JUDGE_REGRESSION
						       : JUDGE_IMPROVEMENT;
}

int judge_reference(struct judging *g, struct judgement *m)
{
	const struct reference *r = g->r->trouble ? NULL : published(g);
	AUTOJSON *j = json_loads(m->series.labels, 0, NULL);
	const struct reference_figure *f = NULL;
	struct sink_label labels[BASE_LABELS];
	enum reference_fit fit;

	if (!r)
		return 0;
	fit = reference_match(r, m->series.metric, labels, labels_of(j, labels), &f);
	if (fit == REFERENCE_UNSURE)
		m->why = "more than one published figure may be meant";
	if (fit == REFERENCE_FITS) {
		m->kind = JUDGE_NOISE;
		m->why = f->note ? arena_strdup(&g->j->arena, f->note)
				 : arena_strdup(&g->j->arena, f->table);
		hold_against(m, f);
	} else if (!m->why) {
		m->why = "nothing was published of it";
	}
	return fit == REFERENCE_FITS;
}
