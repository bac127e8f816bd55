/* SPDX-License-Identifier: MIT */
/*
 * One entry of `steps:` as it is written: `- login`, `- boot: u-boot`, `- run: {command: ls}`.
 * Invariant: an entry that was read has a kind and a mapping of settings, whatever its form.
 */
#include "jobs/compile.h"

#include <stdio.h>
#include <string.h>

static void unknown_kind(struct compile *c, const char *word, struct loc at)
{
	const char *names[STEP_COUNT + 1];

	for (int i = 0; i < STEP_COUNT; i++)
		names[i] = step_specs[i].name;
	names[STEP_COUNT] = "group";
	c->bad = diag_unknown(c->diag, at, "step", word, names, STEP_COUNT + 1);
}

/* A plain scalar below the kind is its shorthand row. */
static const struct node *long_form(struct compile *c, const struct entry *en, struct node *value)
{
	const struct step_spec *spec = &step_specs[en->kind];
	struct node *map, *scalar;

	if (value->type == NODE_MAP)
		return value;
	map = node_new(c->x.a, NODE_MAP, value->at);
	if (value->type == NODE_NULL)
		return map;
	if (value->type == NODE_LIST || !spec->shorthand) {
		c->bad = diag_add(
			c->diag, value->at, "%s must be a mapping of its settings", en->what);
		return NULL;
	}
	scalar = node_scalar(c->x.a, value->text, value->at);
	scalar->quoted = value->quoted;
	node_map_set(c->x.a, map, spec->shorthand, scalar);
	return map;
}

/* Reads one entry; false after it was reported. */
bool entry_read(struct compile *c, struct entry *en, const struct node *n, size_t number)
{
	struct node *value;

	*en = (struct entry){.number = number, .node = n};
	if (n->type == NODE_SCALAR) {
		en->kind = step_kind_find(n->text);
		en->map = node_new(c->x.a, NODE_MAP, n->at);
		if (en->kind < 0)
			unknown_kind(c, n->text, n->at);
		else
			snprintf(en->what, sizeof en->what, "step %zu '%s'", number, n->text);
		return en->kind >= 0;
	}
	if (n->type != NODE_MAP || !n->n) {
		c->bad = diag_add(
			c->diag, n->at, "step %zu must be a step's name and its settings", number);
		return false;
	}
	value = n->kids[0];
	for (size_t i = 0; i < n->n && step_kind_find(value->key) < 0; i++)
		value = n->kids[i];
	en->kind = step_kind_find(value->key);
	if (en->kind < 0) {
		unknown_kind(c, n->kids[0]->key, n->kids[0]->key_at);
		return false;
	}
	snprintf(en->what, sizeof en->what, "step %zu '%s'", number, value->key);
	for (size_t i = 0; i < n->n; i++)
		if (n->kids[i] != value)
			c->bad = diag_add(c->diag, n->kids[i]->key_at,
				"%s: '%s' stands beside '%s' and not in it (indent it further)",
				en->what, n->kids[i]->key, value->key);
	en->map = long_form(c, en, value);
	return en->map != NULL;
}
