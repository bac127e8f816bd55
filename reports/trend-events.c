/* SPDX-License-Identifier: MIT */
/*
 * Changes put together by what they came with: a type, and the build that their first run had.
 * Invariant: each change is in one event, and counted there once.
 */
#include "trend.h"

#include "base/mem.h"

#include <math.h>
#include <string.h>

struct group {
	struct trend_event event;
	size_t weight;     /* changes that have their first run there */
	int64_t before_ms; /* of event.before */
	VEC(struct trend_hit) hits;
};
struct groups {
	struct map by_key;
	struct group **sorted; /* by type, twin, line, then time */
	size_t n;
};

/* A run without a build stands for itself. */
static char *key_of(const struct trend_line *l, const struct trend_run *r)
{
	if (!r->version)
		return mem_printf(
			"%s\n%d\n%s\n\n%lld", l->s.type, l->s.twin, l->s.line, (long long)r->run);
	return mem_printf("%s\n%d\n%s\n%s", l->s.type, l->s.twin, l->s.line, r->version);
}

static void count(struct groups *all, const struct trend_line *l, const struct trend_change *c)
{
	AUTOFREE char *key = key_of(l, &c->first);
	struct group *g = map_find(&all->by_key, key);

	if (!g) {
		g = mem_alloc(sizeof *g);
		g->event = (struct trend_event){.type = l->s.type,
			.twin = l->s.twin,
			.line = l->s.line,
			.version = c->first.version,
			.at_ms = c->first.at_ms,
			.run = c->first.run};
		map_set(&all->by_key, key, g);
	}
	g->weight++;
	if (c->last.at_ms > g->before_ms)
		g->event.before = c->last.version, g->before_ms = c->last.at_ms;
	if (c->first.at_ms < g->event.at_ms)
		g->event.at_ms = c->first.at_ms, g->event.run = c->first.run;
}

static int of_same(const struct trend_event *x, const struct trend_event *y)
{
	int order = strcmp(x->type, y->type);

	if (!order)
		order = x->twin - y->twin;
	return order ? order : strcmp(x->line, y->line);
}

static int by_place(const void *a, const void *b)
{
	const struct trend_event *x = &(*(struct group *const *)a)->event,
				 *y = &(*(struct group *const *)b)->event;
	int order = of_same(x, y);

	if (!order)
		order = (x->at_ms > y->at_ms) - (x->at_ms < y->at_ms);
	return order ? order : (x->run > y->run) - (x->run < y->run);
}

/* The first group at that place or behind it. */
static size_t behind(const struct groups *all, const struct trend_event *place)
{
	size_t low = 0, high = all->n;

	while (low < high) {
		size_t middle = (low + high) / 2;
		const struct trend_event *e = &all->sorted[middle]->event;
		int order = of_same(e, place);

		if (order < 0 || (!order && e->at_ms < place->at_ms))
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* Of the builds that a change may have come with, the one that most came with. */
static struct group *likeliest(
	const struct groups *all, const struct trend_line *l, const struct trend_change *c)
{
	AUTOFREE char *key = key_of(l, &c->first);
	struct group *best = map_find(&all->by_key, key);
	struct trend_event place = {
		.type = l->s.type, .twin = l->s.twin, .line = l->s.line, .at_ms = c->earliest_ms};

	for (size_t i = behind(all, &place); i < all->n; i++) {
		struct group *g = all->sorted[i];

		if (of_same(&g->event, &place) || g->event.at_ms > c->latest_ms)
			break;
		if (g->weight > best->weight)
			best = g;
	}
	return best;
}

static void add(struct group *g, const struct trend_line *l, const struct trend_change *c)
{
	struct trend_event *e = &g->event;

	e->confirmed = e->confirmed || c->confirmed;
	if (c->minor) {
		e->minor++;
		return;
	}
	e->worse += c->sense == TREND_WORSE;
	e->better += c->sense == TREND_BETTER;
	e->moved += c->sense == TREND_MOVED;
	vec_push(&g->hits, ((struct trend_hit){l, c}));
}

static int by_effect(const void *a, const void *b)
{
	const struct trend_change *x = ((const struct trend_hit *)a)->change,
				  *y = ((const struct trend_hit *)b)->change;
	/* As factors, so that a half is as much as a double. */
	double p = fabs(log(fabs(x->after / x->before))), q = fabs(log(fabs(y->after / y->before)));

	p = isnan(p) ? INFINITY : p, q = isnan(q) ? INFINITY : q;
	return (p < q) - (p > q);
}

static int by_time(const void *a, const void *b)
{
	const struct trend_event *x = a, *y = b;

	if (x->at_ms != y->at_ms)
		return x->at_ms < y->at_ms ? 1 : -1;
	if (x->n_hits != y->n_hits)
		return x->n_hits < y->n_hits ? 1 : -1;
	return strcmp(x->type, y->type);
}

/* Of how many series: those of the type and line that were measured when it came. */
static size_t measured(const struct trend *t, const struct trend_event *e)
{
	size_t n = 0;

	for (size_t i = 0; i < t->n_lines; i++) {
		const struct trend_line *l = &t->lines[i];

		n += l->s.twin == e->twin && l->first_ms < e->at_ms && l->last_ms >= e->at_ms &&
		     !strcmp(l->s.type, e->type) && !strcmp(l->s.line, e->line);
	}
	return n;
}

static void settle(struct trend *t, struct trend_event *e, const struct group *g)
{
	size_t most;

	*e = g->event;
	e->n_hits = g->hits.n;
	e->hits = arena_alloc(&t->arena, g->hits.n * sizeof *e->hits);
	if (g->hits.n) {
		memcpy(e->hits, g->hits.p, g->hits.n * sizeof *e->hits);
		qsort(e->hits, e->n_hits, sizeof *e->hits, by_effect);
	}
	e->series = measured(t, e);
	most = e->worse > e->better ? e->worse : e->better;
	e->together =
		most >= TREND_TOGETHER && (double)most >= TREND_TOGETHER_SHARE * (double)e->series;
}

typedef void each_fn(struct groups *all, const struct trend_line *l, const struct trend_change *c);

static void add_likeliest(
	struct groups *all, const struct trend_line *l, const struct trend_change *c)
{
	add(likeliest(all, l, c), l, c);
}

static void each_change(const struct trend *t, each_fn *fn, struct groups *all)
{
	for (size_t i = 0; i < t->n_lines; i++)
		for (size_t k = 0; k < t->lines[i].n_changes; k++)
			fn(all, &t->lines[i], &t->lines[i].changes[k]);
}

void trend_events_make(struct trend *t)
{
	struct groups all = {0};

	each_change(t, count, &all);
	all.sorted = mem_array(all.by_key.n + 1, sizeof *all.sorted);
	map_each (&all.by_key, entry)
		all.sorted[all.n++] = entry->value;
	qsort(all.sorted, all.n, sizeof *all.sorted, by_place);
	each_change(t, add_likeliest, &all);
	t->events = arena_alloc(&t->arena, all.n * sizeof *t->events);
	for (size_t i = 0; i < all.n; i++) {
		struct group *g = all.sorted[i];

		if (g->hits.n || g->event.minor)
			settle(t, &t->events[t->n_events++], g);
		vec_done(&g->hits);
		free(g);
	}
	if (t->n_events)
		qsort(t->events, t->n_events, sizeof *t->events, by_time);
	free(all.sorted);
	map_done(&all.by_key);
}
