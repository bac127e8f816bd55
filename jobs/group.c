/* SPDX-License-Identifier: MIT */
/*
 * Steps that are there several times: groups and `repeat`. Invariant: what a turn holds (names,
 * labels, ${cycle}) is set for exactly the steps that are compiled within it.
 */
#include "jobs/compile.h"

#include <stdio.h>
#include <string.h>

static const char *const cycle_name[] = {"cycle"};

size_t repeat_read(struct compile *c, const struct node *map)
{
	const struct node *n = node_find(map, "repeat");
	const char *text;
	int64_t times;

	if (!n)
		return 0;
	if (n->type != NODE_SCALAR)
		return 1;
	text = expand_text(&c->x, &c->turn->scope, n->at, n->text, false);
	if (!text || str_i64(str_of(text), &times) || times < 1 || times > PLAN_STEPS_MAX)
		return 1;
	return (size_t)times;
}

const struct node *labels_over(struct arena *a, const struct node *outer, const struct node *labels)
{
	struct node *all;

	if (!labels || labels->type != NODE_MAP)
		return outer;
	all = node_copy(a, labels);
	node_each (outer, kid)
		if (!node_find(all, kid->key))
			node_map_set(a, all, kid->key, node_copy(a, kid));
	return all;
}

struct turn turn_begin(struct compile *c, size_t number, const struct node *labels)
{
	const struct turn *outer = c->turn;
	struct turn t = *outer;
	struct arena *a = c->x.a;
	const char **value;
	struct node *cycle;

	t.outer = outer;
	t.labels = labels_over(a, outer->labels, labels);
	t.depth = outer->depth + 1;
	if (!number)
		return t;
	t.cycle = outer->cycle ? arena_printf(a, "%s-%zu", outer->cycle, number)
			       : arena_printf(a, "%zu", number);
	value = arena_alloc(a, sizeof *value);
	*value = t.cycle;
	t.scope = (struct expand_scope){cycle_name, value, 1, &outer->scope};
	cycle = node_new(a, NODE_MAP, (struct loc){0});
	node_map_set(a, cycle, "cycle", node_scalar(a, t.cycle, (struct loc){0}));
	cycle->kids[0]->quoted = true;
	t.labels = labels_over(a, t.labels, cycle);
	return t;
}

/* The group's own settings, expanded; its steps stay as they are. NULL after reporting. */
static struct node *expand_own(struct compile *c, const struct node *map)
{
	struct node *own = node_new(c->x.a, NODE_MAP, expand_loc(&c->x, map->at));
	bool bad = false;

	node_each (map, kid) {
		bool steps = !strcmp(kid->key, "steps");
		struct node *done = steps ? kid : expand_node(&c->x, &c->turn->scope, kid, false);

		if (done)
			node_list_add(c->x.a, own, done);
		else
			bad = true;
	}
	return bad ? NULL : own;
}

static bool bad_at(struct compile *c, struct loc at, const char *text)
{
	c->bad = true;
	return !diag_add(c->diag, at, "%s", text);
}

static bool read_group(struct compile *c, struct group *g, const struct node *map, const char *what)
{
	struct node *own = expand_own(c, map);
	bool good = true;

	if (!own || schema_fill(c->x.a, group_params, what, own, g, c->diag)) {
		c->bad = true;
		return false;
	}
	if (!str_is_name(g->name))
		good = bad_at(c, node_find(own, "name")->at,
			"a group's name is made of letters, digits, '.', '_', '+' and '-'");
	if (g->suite && !str_is_name(g->suite))
		good = bad_at(c, node_find(own, "suite")->at,
			"a suite's name is made of letters, digits, '.', '_', '+' and '-'");
	if (!g->steps->n)
		good = bad_at(c, g->steps->at, "a group needs at least one step");
	return labels_check(c, g->labels) && good;
}

/* One turn; false: what is wrong in it would be wrong in the next one, too. */
static bool compile_turn(struct compile *c, const struct group *g, size_t number)
{
	const struct turn *outer = c->turn;
	struct turn t = turn_begin(c, number, g->labels);
	bool good = true;

	t.name = g->name;
	if (g->suite)
		t.suite = g->suite;
	c->turn = &t;
	for (size_t i = 0; i < g->steps->n && !c->x.full; i++)
		if (!compile_entry(c, g->steps->kids[i], i + 1))
			good = false;
	c->turn = outer;
	return good;
}

bool compile_group(struct compile *c, const struct node *n, size_t number)
{
	const struct node *map = node_find(n, "group");
	struct group g = {0};
	size_t times;
	char what[40];

	snprintf(what, sizeof what, "step %zu 'group'", number);
	node_each (n, kid)
		if (kid != map)
			c->bad = diag_add(c->diag, kid->key_at,
				"%s: '%s' stands beside 'group' and not in it (indent it further)",
				what, kid->key);
	if (map->type != NODE_MAP)
		return bad_at(c, map->at, "a group must be a mapping of its settings");
	if (c->turn->depth >= GROUP_DEPTH) {
		c->bad = diag_add(c->diag, map->key_at,
			"%s: more than %d groups within one another", what, GROUP_DEPTH);
		return false;
	}
	times = repeat_read(c, map);
	if (!read_group(c, &g, map, what))
		return false;
	for (size_t i = 0; i < (times ? times : 1) && !c->x.full; i++)
		if (!compile_turn(c, &g, times ? i + 1 : 0))
			return false;
	return true;
}
