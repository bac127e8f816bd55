/* SPDX-License-Identifier: MIT */
/*
 * Series with their points. Invariant: everything in a history is its own: the store may change or
 * close meanwhile.
 */
#include "history.h"

#include "base/vec.h"

#include <string.h>

struct history_gather {
	struct history *h;
	struct store *s;
	const struct store_series_filter *f;
	struct err *e;
	VEC(struct history_series) series;
	VEC(struct store_point) points;
	size_t n;            /* points of all */
	const char *version; /* that the last point had: neighbours mostly share one */
};

static void copy_texts(struct arena *a, struct store_series *s)
{
	const char **const texts[] = {&s->type, &s->board, &s->line, &s->job, &s->params, &s->suite,
		&s->test, &s->metric, &s->labels, &s->tool, &s->unit, &s->better};

	for (size_t i = 0; i < ARRAY_LEN(texts); i++)
		*texts[i] = arena_strdup(a, *texts[i]);
}

static int on_series(void *arg, const struct store_series *series)
{
	struct history_gather *g = arg;
	struct history_series copy = {.s = *series};

	if (g->series.n == HISTORY_SERIES)
		return err_set(g->e, BLAME_CONFIG,
			"more than %zu series: ask for a type, a job or a metric of them",
			HISTORY_SERIES);
	copy_texts(&g->h->arena, &copy.s);
	vec_push(&g->series, copy);
	return 0;
}

static int on_point(void *arg, int64_t series, const struct store_point *p)
{
	struct history_gather *g = arg;
	struct store_point copy = *p;

	(void)series;
	if (g->n == HISTORY_POINTS)
		return err_set(g->e, BLAME_CONFIG,
			"more than %zu points: ask for less time, a type, a job or a metric of "
			"them",
			HISTORY_POINTS);
	g->n++;
	if (p->version && (!g->version || strcmp(p->version, g->version)))
		g->version = arena_strdup(&g->h->arena, p->version);
	copy.version = p->version ? g->version : NULL;
	vec_push(&g->points, copy);
	return 0;
}

static int gather_points(struct history_gather *g, struct history_series *hs)
{
	int64_t since = g->f ? g->f->since_ms : 0, until = g->f ? g->f->until_ms : 0;

	g->points.n = 0;
	if (store_points(g->s, hs->s.id, since, until, on_point, g, g->e))
		return -1;
	hs->n = g->points.n;
	hs->points = arena_alloc(&g->h->arena, hs->n * sizeof *hs->points + 1);
	if (hs->n)
		memcpy(hs->points, g->points.p, hs->n * sizeof *hs->points);
	return 0;
}

int history_gather(
	struct history *h, struct store *s, const struct store_series_filter *f, struct err *e)
{
	struct history made = {0};
	struct history_gather g = {.h = &made, .s = s, .f = f, .e = e};
	int failed = store_series_list(s, f, on_series, &g, e);

	vec_each (&g.series, hs)
		failed = failed || gather_points(&g, hs);
	made.n = g.series.n;
	made.series = arena_alloc(&made.arena, made.n * sizeof *made.series + 1);
	if (made.n)
		memcpy(made.series, g.series.p, made.n * sizeof *made.series);
	vec_done(&g.series);
	vec_done(&g.points);
	if (failed)
		history_done(&made);
	else
		*h = made;
	return failed ? -1 : 0;
}

void history_done(struct history *h)
{
	arena_done(&h->arena);
	*h = (struct history){0};
}
