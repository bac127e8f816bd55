/* SPDX-License-Identifier: MIT */
/* A trend out of the store. Invariant: one series' points are in memory at a time. */
#include "judge.h"
#include "stats/changes.h"
#include "trend.h"

#include "base/mem.h"

#include <math.h>
#include <string.h>

struct gather {
	struct trend *t;
	struct store *store;
	VEC(struct store_series) series;
	VEC(struct store_point) points;
	struct arena arena; /* of the list's texts */
	struct err *e;
};

static int list_one(void *arg, const struct store_series *s)
{
	struct gather *g = arg;
	struct store_series k = *s;
	const char **const texts[] = {&k.type, &k.board, &k.line, &k.job, &k.params, &k.suite,
		&k.test, &k.metric, &k.labels, &k.tool, &k.unit, &k.better};

	if (g->series.n == TREND_SERIES)
		return err_set(g->e, BLAME_CONFIG,
			"more than %zu series: ask for one --type or --metric", TREND_SERIES);
	if ((size_t)s->points > TREND_RUNS)
		return err_set(g->e, BLAME_CONFIG, "'%s' on '%s' has more than %zu points",
			s->metric, s->board, TREND_RUNS);
	for (size_t i = 0; i < ARRAY_LEN(texts); i++)
		*texts[i] = arena_strdup(&g->arena, *texts[i]);
	vec_push(&g->series, k);
	return 0;
}

static int add_point(void *arg, int64_t series, const struct store_point *p)
{
	struct gather *g = arg;
	struct store_point k = *p;

	(void)series;
	if (!isfinite(p->value))
		return 0;
	k.version = arena_strdup(&g->arena, p->version);
	vec_push(&g->points, k);
	return 0;
}

static int tell_soc(void *arg, const struct store_run *run)
{
	struct gather *g = arg;

	if (run->type && run->soc)
		map_set(&g->t->socs, run->type, arena_strdup(&g->t->arena, run->soc));
	return 0;
}

struct knowing {
	const struct store_series *s;
	struct changes c;
	int64_t at_ms, run; /* the last point in c */
	bool known;
};

/* A state that holds all points of the series but the newest. */
static int on_state(void *arg, int64_t series, const struct store_series_state *st)
{
	struct knowing *k = arg;

	(void)series;
	k->known = st->points == k->s->points && judge_knows(st, &k->c);
	k->at_ms = st->at_ms;
	k->run = st->run;
	return 0;
}

/* Takes the newest point too. False: the state is of other points. */
static bool is_whole(struct knowing *k, const struct store_point *p, size_t n)
{
	if (!k->known || n < 2 || n != (size_t)k->s->points || p[n - 2].at_ms != k->at_ms ||
		p[n - 2].run != k->run)
		return false;
	changes_add(&k->c, p[n - 1].value);
	return true;
}

static int gather_one(struct gather *g, const struct store_series *s, struct err *e)
{
	struct knowing k = {.s = s};
	struct arena whole = g->arena;
	int failed;

	g->points.n = 0;
	g->arena = (struct arena){0}; /* one series' versions */
	failed = store_points(g->store, s->id, 0, 0, add_point, g, e);
	if (!failed && g->points.n && !map_has(&g->t->socs, s->type)) {
		map_set(&g->t->socs, s->type, NULL);
		failed = store_run_get(g->store, g->points.p[0].run, tell_soc, g, e) < 0;
	}
	if (!failed)
		failed = store_series_state_get(g->store, s->id, on_state, &k, e) < 0;
	if (!failed)
		trend_add(g->t, s, g->points.p, g->points.n,
			is_whole(&k, g->points.p, g->points.n) ? &k.c : NULL);
	arena_done(&g->arena);
	g->arena = whole;
	return failed;
}

struct log_place {
	const struct store_series *s;
	struct trend_change *change;
	struct arena *arena;
};

static int find_place(void *arg, const struct store_result *r)
{
	struct log_place *p = arg;

	if (r->log_offset < 0 || strcmp(r->suite, p->s->suite) || strcmp(r->name, p->s->test))
		return 0;
	p->change->console = arena_strdup(p->arena, r->console);
	p->change->log_offset = r->log_offset;
	return 1;
}

/* Where the logs tell of the changes that the summary names. */
static int gather_places(struct gather *g, struct err *e)
{
	for (size_t i = 0; i < g->t->n_lines; i++)
		for (size_t k = 0; k < g->t->lines[i].n_changes; k++) {
			struct trend_change *c = &g->t->lines[i].changes[k];
			struct log_place p = {&g->t->lines[i].s, c, &g->t->arena};

			if (!c->minor &&
				store_results(g->store, c->first.run, find_place, &p, e) < 0)
				return -1;
		}
	return 0;
}

int trend_gather(struct trend *t, struct store *s, const struct trend_query *q, struct err *e)
{
	struct gather g = {.t = t, .store = s, .e = e};
	struct trend made;
	size_t total = 0;
	int failed = store_series_list(s, &q->filter, list_one, &g, e);

	vec_each (&g.series, each)
		total += (size_t)each->points;
	trend_begin(&made, q, total);
	g.t = &made;
	for (size_t i = 0; !failed && i < g.series.n; i++)
		failed = gather_one(&g, &g.series.p[i], e);
	if (!failed)
		trend_finish(&made);
	if (!failed)
		failed = gather_places(&g, e);
	vec_done(&g.series);
	vec_done(&g.points);
	arena_done(&g.arena);
	if (failed)
		trend_done(&made);
	else
		*t = made;
	return failed ? -1 : 0;
}
