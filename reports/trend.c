/* SPDX-License-Identifier: MIT */
/*
 * Series made small: each is judged when it comes and keeps what is drawn of it. Invariant: what is
 * kept is bounded, and what was left out is counted.
 */
#include "trend.h"

#include "stats/changes.h"

#include "base/mem.h"
#include "io/json.h"

#include <math.h>
#include <string.h>

const char *const trend_sense_names[] = {"worse", "better", "moved"};

#define WEEK_MS   INT64_C(604800000)
#define MONDAY_MS (INT64_C(4) * 86400000) /* the first Monday after the epoch */

void trend_begin(struct trend *t, const struct trend_query *q, size_t total)
{
	*t = (struct trend){.query = *q};
	t->all = q->full || total <= TREND_POINTS;
}

void trend_done(struct trend *t)
{
	map_done(&t->axes);
	map_done(&t->texts);
	map_done(&t->socs);
	vec_done(&t->growing);
	arena_done(&t->arena);
	*t = (struct trend){0};
}

/* One copy of texts that stand in many series. */
static const char *keep(struct trend *t, const char *text)
{
	char *copy;

	if (!text)
		return NULL;
	copy = map_find(&t->texts, text);
	if (!copy) {
		copy = arena_strdup(&t->arena, text);
		map_set(&t->texts, text, copy);
	}
	return copy;
}

static struct store_series keep_series(struct trend *t, const struct store_series *s)
{
	struct store_series k = *s;
	const char **const texts[] = {&k.type, &k.board, &k.line, &k.job, &k.params, &k.suite,
		&k.test, &k.metric, &k.labels, &k.tool, &k.unit, &k.better};

	for (size_t i = 0; i < ARRAY_LEN(texts); i++)
		*texts[i] = keep(t, *texts[i] ? *texts[i] : "");
	return k;
}

static const char *area_of(struct trend *t, const struct store_series *s)
{
	const char *dot = strchr(s->metric, '.');

	if (!dot)
		return *s->suite ? s->suite : "other";
	return keep(t, arena_strndup(&t->arena, s->metric, (size_t)(dot - s->metric)));
}

static const char *title_of(struct trend *t, const struct store_series *s)
{
	AUTOJSON *j = json_loads(s->labels, 0, NULL);
	AUTOBUF text = BUF_INIT(BUF_CAP_BYTES);
	const char *name;
	json_t *value;

	buf_puts(&text, s->metric);
	json_object_foreach (j, name, value) {
		buf_printf(&text, " %s=", name);
		if (json_is_string(value))
			buf_puts(&text, json_string_value(value));
		else
			json_write(value, JSON_ENCODE_ANY, &text, NULL);
	}
	return arena_strdup(&t->arena, buf_str(&text));
}

static const struct trend_axis *keep_axis(struct trend *t, const struct store_point *p, size_t n)
{
	AUTOBUF key = BUF_INIT(TREND_RUNS * 24);
	struct trend_axis *a;

	for (size_t i = 0; i < n; i++)
		buf_printf(&key, "%llx.", (unsigned long long)p[i].run);
	a = map_find(&t->axes, buf_str(&key));
	if (a)
		return a;
	a = arena_alloc(&t->arena, sizeof *a);
	a->n = n;
	a->runs = arena_alloc(&t->arena, n * sizeof *a->runs);
	for (size_t i = 0; i < n; i++)
		a->runs[i] = (struct trend_run){p[i].run, p[i].at_ms, keep(t, p[i].version)};
	map_set(&t->axes, buf_str(&key), a);
	return a;
}

static void keep_points(
	struct trend *t, struct trend_line *l, const struct store_point *p, size_t n)
{
	double *values = arena_alloc(&t->arena, n * sizeof *values), *lows = NULL, *highs = NULL;
	bool told = false;

	for (size_t i = 0; i < n; i++)
		told = told || (isfinite(p[i].min) && isfinite(p[i].max) && p[i].min < p[i].max);
	if (told) {
		lows = arena_alloc(&t->arena, n * sizeof *lows);
		highs = arena_alloc(&t->arena, n * sizeof *highs);
	}
	for (size_t i = 0; i < n; i++) {
		values[i] = p[i].value;
		if (told) {
			lows[i] = fmin(p[i].value, p[i].min); /* of a NAN the other one */
			highs[i] = fmax(p[i].value, p[i].max);
		}
	}
	l->axis = keep_axis(t, p, n);
	l->values = values, l->lows = lows, l->highs = highs;
	t->kept += n;
}

static int64_t week_of(int64_t at_ms)
{
	int64_t since = at_ms - MONDAY_MS;

	return (since >= 0 ? since : since - WEEK_MS + 1) / WEEK_MS * WEEK_MS + MONDAY_MS;
}

static void keep_weeks(
	struct trend *t, struct trend_line *l, const struct store_point *p, size_t n, double *v)
{
	VEC(struct trend_week) weeks = {0};

	for (size_t i = 0, end; i < n; i = end) {
		int64_t week = week_of(p[i].at_ms);

		for (end = i; end < n && week_of(p[end].at_ms) == week; end++)
			v[end - i] = p[end].value;
		double middle = trend_median(v, end - i);
		vec_push(
			&weeks, ((struct trend_week){week, v[0], middle, v[end - i - 1], end - i}));
	}
	l->n_weeks = weeks.n;
	l->weeks = arena_alloc(&t->arena, weeks.n * sizeof *l->weeks);
	if (weeks.n)
		memcpy(l->weeks, weeks.p, weeks.n * sizeof *l->weeks);
	vec_done(&weeks);
	t->n_thinned++;
}

static enum trend_sense sense_of(const struct store_series *s, double before, double after)
{
	if (!strcmp(s->better, metric_better_names[BETTER_HIGHER]))
		return after > before ? TREND_BETTER : TREND_WORSE;
	if (!strcmp(s->better, metric_better_names[BETTER_LOWER]))
		return after < before ? TREND_BETTER : TREND_WORSE;
	return TREND_MOVED;
}

static struct trend_run run_of(struct trend *t, const struct store_point *p)
{
	return (struct trend_run){p->run, p->at_ms, keep(t, p->version)};
}

#define PLACE_RUNS 3 /* that a change may be off by */

static void place(struct trend_change *c, const struct store_point *p, size_t n, size_t at)
{
	size_t first = at > PLACE_RUNS ? at - PLACE_RUNS : 0, last = at + PLACE_RUNS;

	c->earliest_ms = p[first].at_ms;
	c->latest_ms = p[last < n ? last : n - 1].at_ms;
}

/* from: the first point shown; changes before it are history. */
static void keep_changes(struct trend *t, struct trend_line *l, const struct store_point *p,
	size_t n, size_t from, const struct trend_found *found, size_t n_found)
{
	l->changes = arena_alloc(&t->arena, n_found * sizeof *l->changes);
	for (size_t i = 0; i < n_found; i++) {
		const struct trend_found *f = &found[i];
		struct trend_change *c = &l->changes[l->n_changes];

		if (f->at < from || !f->at)
			continue;
		*c = (struct trend_change){
			.first = run_of(t, &p[f->at]),
			.last = run_of(t, &p[f->at - 1]),
			.before = f->before,
			.after = f->after,
			.percent = f->before != 0 ? 100 * (f->after - f->before) / fabs(f->before)
						  : NAN,
			.evidence = f->evidence,
			.runs = f->runs,
			.confirmed = f->confirmed,
			.earliest_ms = p[f->at].at_ms,
			.latest_ms = p[f->at].at_ms,
			.sense = sense_of(&l->s, f->before, f->after),
			.log_offset = -1,
		};
		c->minor = fabs(c->percent) < 100 * TREND_MINOR;
		if (!l->releases)
			place(c, p, n, f->at);
		l->n_changes++;
	}
}

static double reference_of(const struct trend *t, const struct store_series *s)
{
	const char *soc = map_find(&t->socs, s->type);
	const struct reference *r =
		t->query.refs && soc && !s->twin ? reference_set_find(t->query.refs, soc) : NULL;
	AUTOJSON *j = r ? json_loads(s->labels, 0, NULL) : NULL;
	const struct reference_figure *figure;
	VEC(struct sink_label) labels = {0};
	const char *name;
	json_t *value;

	json_object_foreach (j, name, value)
		if (json_is_string(value))
			vec_push(&labels, ((struct sink_label){name, json_string_value(value)}));
	if (!r || reference_match(r, s->metric, labels.p, labels.n, &figure) != REFERENCE_FITS)
		figure = NULL;
	vec_done(&labels);
	return figure && !strcmp(figure->def->unit, s->unit) ? figure->value : NAN;
}

/* The middle and the ends of what is shown; v is room for n. */
static void keep_summary(
	struct trend *t, struct trend_line *l, const struct store_point *p, size_t n, double *v)
{
	l->n = n;
	l->first_ms = p[0].at_ms, l->last_ms = p[n - 1].at_ms;
	l->newest = run_of(t, &p[n - 1]);
	l->first = p[0].value, l->last = p[n - 1].value;
	for (size_t i = 0; i < n; i++)
		v[i] = p[i].value;
	l->median = trend_median(v, n);
	l->min = v[0], l->max = v[n - 1];
	t->n_points += n;
	if (!t->first_ms || l->first_ms < t->first_ms)
		t->first_ms = l->first_ms;
	if (l->last_ms > t->last_ms)
		t->last_ms = l->last_ms;
}

void trend_add(struct trend *t, const struct store_series *s, const struct store_point *points,
	size_t n, const struct changes *known)
{
	const struct store_series_filter *f = &t->query.filter;
	struct trend_line l = {.s = keep_series(t, s), .deviation = NAN};
	struct trend_found found[TREND_CHANGES];
	size_t from = 0, to = n, n_found;
	double *room;

	while (from < n && f->since_ms && points[from].at_ms < f->since_ms)
		from++;
	while (to > from && f->until_ms && points[to - 1].at_ms >= f->until_ms)
		to--;
	if (from == to)
		return;
	n_found = trend_judge(
		points, to, s->resolution, to == n ? known : NULL, found, &l.deviation, &l.odd);
	l.releases = trend_is_release(points, to);
	l.area = area_of(t, &l.s);
	l.title = title_of(t, &l.s);
	l.reference = reference_of(t, &l.s);
	keep_changes(t, &l, points, to, from, found, n_found);
	room = mem_array(to - from, sizeof *room);
	keep_summary(t, &l, points + from, to - from, room);
	if (t->all || (l.n_changes && t->kept + l.n <= TREND_POINTS_MOVED))
		keep_points(t, &l, points + from, to - from);
	else
		keep_weeks(t, &l, points + from, to - from, room);
	free(room);
	vec_push(&t->growing, l);
}

static int by_key(const void *a, const void *b)
{
	const struct trend_line *x = a, *y = b;
	const char *const pairs[][2] = {{x->s.type, y->s.type}, {x->area, y->area},
		{x->title, y->title}, {x->s.line, y->s.line}, {x->s.job, y->s.job},
		{x->s.params, y->s.params}, {x->s.suite, y->s.suite}, {x->s.test, y->s.test}};

	for (size_t i = 0; i < ARRAY_LEN(pairs); i++) {
		int order = strcmp(pairs[i][0], pairs[i][1]);

		if (!order && !i)
			order = x->s.twin - y->s.twin;
		if (order)
			return order;
	}
	if (x->first_ms != y->first_ms)
		return x->first_ms < y->first_ms ? -1 : 1;
	return (x->s.id > y->s.id) - (x->s.id < y->s.id);
}

/* The same figure of the same job, but for what makes a level begin anew. */
static bool is_same_figure(const struct trend_line *a, const struct trend_line *b)
{
	return !strcmp(a->s.type, b->s.type) && a->s.twin == b->s.twin &&
	       !strcmp(a->title, b->title) && !strcmp(a->s.line, b->s.line) &&
	       !strcmp(a->s.job, b->s.job) && !strcmp(a->s.params, b->s.params) &&
	       !strcmp(a->s.suite, b->s.suite) && !strcmp(a->s.test, b->s.test);
}

/* A series that begins where another one of the same figure ended. */
static void tell_follows(struct trend *t, struct trend_line *l, const struct trend_line *before)
{
	const char *const what[][3] = {{"board", before->s.board, l->s.board},
		{"unit", before->s.unit, l->s.unit}, {"tool", before->s.tool, l->s.tool}};
	AUTOBUF text = BUF_INIT(BUF_CAP_BYTES);

	if (before->last_ms >= l->first_ms)
		return;
	for (size_t i = 0; i < ARRAY_LEN(what); i++)
		if (strcmp(what[i][1], what[i][2]))
			buf_printf(&text, "%s%s %s", text.len ? ", " : "", what[i][0],
				*what[i][1] ? what[i][1] : "not told");
	if (text.len)
		l->follows = arena_strdup(&t->arena, buf_str(&text));
}

void trend_finish(struct trend *t)
{
	if (t->growing.n)
		qsort(t->growing.p, t->growing.n, sizeof *t->growing.p, by_key);
	t->lines = t->growing.p;
	t->n_lines = t->growing.n;
	for (size_t i = 1; i < t->n_lines; i++)
		if (is_same_figure(&t->lines[i - 1], &t->lines[i]))
			tell_follows(t, &t->lines[i], &t->lines[i - 1]);
	map_done(&t->texts);
	map_done(&t->axes);
	trend_events_make(t);
}
