/* SPDX-License-Identifier: MIT */
/*
 * A level of tests to a sink: each against the plan and against its neighbours. Invariant: what
 * the plan or the numbers say was lost is told as miss, and so is what two lines tell differently.
 */
#include "base/buf.h"
#include "tap-read.h"

#include <stdlib.h>

#define RANGES_BYTES 160 /* of the list of numbers that were not told */
#define LOST_MAX     64  /* of more levels with no line of their own none is believed */

static int by_number(const void *a, const void *b)
{
	const struct tap_point *x = *(struct tap_point *const *)a,
			       *y = *(struct tap_point *const *)b;

	return x->number != y->number ? (x->number > y->number) - (x->number < y->number)
				      : (x > y) - (x < y);
}

/* Two points with one number: the same line again, or a contradiction. */
static void compare(struct tap_point *a, struct tap_point *b)
{
	if (strcmp(a->name, b->name))
		a->damage = b->damage = "another test has its number";
	else if (a->status == b->status)
		b->twice = true;
	else
		a->damage = b->damage = "its line stands there twice, and differs";
	if (a->children && b->children)
		a->children->doubt = b->children->doubt = "its parent stands there twice";
}

static void add_range(struct buf *out, int64_t from, int64_t to)
{
	if (out->len > RANGES_BYTES)
		return;
	buf_puts(out, out->len ? ", " : "");
	if (out->len > RANGES_BYTES)
		buf_puts(out, "...");
	else if (from == to)
		buf_printf(out, "%lld", (long long)from);
	else
		buf_printf(out, "%lld-%lld", (long long)from, (long long)to);
}

/* Marks what contradicts, and lists the numbers that are not there. Returns how many. */
static int64_t check_numbers(struct tap_group *g, bool ktap, struct buf *ranges)
{
	struct tap_point **sorted = mem_alloc((g->points.n + 1) * sizeof *sorted);
	int64_t next = 1, lost = 0;
	struct tap_point *before = NULL;
	size_t n = 0;

	vec_each (&g->points, p)
		if (p->number)
			sorted[n++] = p;
	qsort(sorted, n, sizeof *sorted, by_number);
	for (size_t i = 0; i < n; i++) {
		struct tap_point *p = sorted[i];

		if (g->plan >= 0 && !g->plans_differ && p->number > g->plan) {
			p->damage = "it is beyond the plan";
			continue;
		}
		if (before && before->number == p->number) {
			compare(before, p);
		} else if (p->number > next) {
			add_range(ranges, next, p->number - 1);
			lost += p->number - next;
		}
		next = p->number + 1;
		before = p;
	}
	free(sorted);
	if (!n && g->points.n && !ktap) {
		if (g->plan >= 0 && (int64_t)g->points.n > g->plan)
			vec_each (&g->points, p)
				p->damage = "there are more than the plan says";
		next = (int64_t)g->points.n + 1;
	} else if (n < g->points.n) {
		vec_each (&g->points, p)
			if (!p->number)
				p->damage = "it has no number";
	}
	if (g->plan >= next) {
		add_range(ranges, next, g->plan);
		lost += g->plan - next + 1;
	}
	return lost;
}

static void tell_plan(struct tap_group *g, struct shown *s, const char *prefix, bool ktap,
	int64_t lost, const char *ranges, const struct sink *sink)
{
	const char *name = arena_printf(&s->arena, "%splan", prefix), *why = NULL;

	sink_at(sink, g->at);
	if (g->plans_differ)
		why = "two plans contradict each other";
	else if (lost)
		why = arena_printf(&s->arena, "%lld %s not told: %s", (long long)lost,
			lost == 1 ? "test was" : "tests were", ranges);
	else if (g->plan < 0 && g->points.n && !ktap)
		why = "there is no plan: tests may be lost";
	if (why)
		sink_result(sink, name, STATUS_MISS, why);
	else if (g->plan < 0 && g->points.n)
		sink_warn(sink, "no plan for %zu tests of '%s'", g->points.n, prefix);
	else if (!g->plan && !g->points.n && g->skip_all)
		sink_result(sink, name, STATUS_SKIP, g->skip_all);
}

/* A level whose own line did not come: under the name that it told, else as lost. */
static void tell_lost(struct tap_group *g, struct shown *s, const char *prefix, bool ktap,
	const struct sink *sink)
{
	if (!g->name || !*g->name || g->restarted)
		g->doubt = "it is not known which test it belongs to";
	tap_tell(g, s,
		arena_printf(&s->arena, "%s%s/", prefix, g->name && *g->name ? g->name : "?"), ktap,
		sink);
}

static void tell_point(struct tap_point *p, size_t index, const char *doubt, struct shown *s,
	const char *prefix, bool ktap, const struct sink *sink)
{
	const char *name = *p->name ? p->name : arena_printf(&s->arena, "test %zu", index + 1);

	if (*p->name == 0 && p->number)
		name = arena_printf(&s->arena, "test %lld", (long long)p->number);
	name = arena_printf(&s->arena, "%s%s", prefix, name);
	if (doubt)
		p->damage = doubt;
	if (p->children && doubt)
		p->children->doubt = doubt;
	if (p->children) {
		if (!p->children->name && p->children->restarted)
			tell_lost(p->children, s, prefix, ktap, sink);
		else
			tap_tell(p->children, s, arena_printf(&s->arena, "%s/", name), ktap, sink);
	}
	sink_at(sink, p->at);
	if (p->twice)
		sink_warn(sink, "the line of '%s' stands there twice", name);
	else if (p->damage)
		sink_result(sink, name, STATUS_MISS, p->damage);
	else
		sink_result(sink, name, p->status, p->why);
}

/* Levels that lost their own line, and share their name with another: which is whose? */
static void doubt_lost(struct tap_group *g)
{
	size_t n = 0;

	for (struct tap_group *l = g->lost; l; l = l->chain)
		n++;
	for (struct tap_group *l = g->lost; l; l = l->chain) {
		l->restarted = l->restarted || n > LOST_MAX;
		for (struct tap_group *o = g->lost; o && !l->restarted; o = o->chain)
			l->restarted = o != l && l->name && o->name && !strcmp(o->name, l->name);
		for (size_t i = 0; i < g->points.n && l->name && !l->restarted; i++)
			l->restarted = !strcmp(g->points.p[i].name, l->name);
	}
}

void tap_tell(struct tap_group *g, struct shown *s, const char *prefix, bool ktap,
	const struct sink *sink)
{
	AUTOBUF ranges = BUF_INIT(1024);
	int64_t lost = check_numbers(g, ktap, &ranges);
	size_t i = 0;

	doubt_lost(g);
	vec_each (&g->points, p)
		tell_point(p, i++, g->doubt, s, prefix, ktap, sink);
	for (struct tap_group *l = g->lost; l; l = l->chain) {
		l->doubt = g->doubt;
		tell_lost(l, s, prefix, ktap, sink);
	}
	tell_plan(g, s, prefix, ktap, lost, buf_str(&ranges), sink);
	vec_done(&g->points);
}
