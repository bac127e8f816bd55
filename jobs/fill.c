/* SPDX-License-Identifier: MIT */
/*
 * Settings of a step: from what stands in the job to the struct of its kind. Invariant: what
 * step_fill reads back from a plan is what compiling filled.
 */
#include "jobs/compile.h"

#include <string.h>

static bool has_row(const struct param *rows, const char *key)
{
	for (; rows->name; rows++)
		if (!strcmp(rows->name, key))
			return true;
	return false;
}

struct param *settings_rows(struct arena *a, const struct step_spec *spec, size_t common)
{
	size_t n = 0, m = 0;
	struct param *rows;

	while (spec->params[n].name)
		n++;
	while (step_common_params[m].name)
		m++;
	rows = arena_alloc(a, (n + m + 1) * sizeof *rows);
	memcpy(rows, spec->params, n * sizeof *rows);
	memcpy(rows + n, step_common_params, m * sizeof *rows);
	for (size_t i = 0; i < m; i++)
		rows[n + i].offset += common;
	return rows;
}

struct node *settings_rest(struct arena *a, const struct param *rows, struct node *map)
{
	struct node *rest = node_new(a, NODE_MAP, map->at);
	size_t kept = 0;

	for (size_t i = 0; i < map->n; i++)
		if (has_row(rows, map->kids[i]->key))
			map->kids[kept++] = map->kids[i];
		else
			node_list_add(a, rest, map->kids[i]);
	map->n = kept;
	return rest;
}

int step_fill(struct arena *a, struct step *s, const char *what, struct diag *diag)
{
	const struct step_spec *spec = &step_specs[s->kind];
	struct node *own = node_new(a, NODE_MAP, s->params->at), *rest;

	node_each (s->params, kid)
		node_list_add(a, own, kid);
	s->conf = arena_alloc(a, spec->size);
	if (s->kind == STEP_MEASURE) {
		rest = settings_rest(a, spec->params, own);
		((struct step_measure *)s->conf)->settings = rest;
	}
	return schema_fill(a, spec->params, what, own, s->conf, diag);
}

/* `images: kernel rootfs` is as good as a list. */
static void split_words(struct arena *a, struct node *map, const char *key)
{
	struct node *text = node_find(map, key), *list;
	struct str rest, word;

	if (!text || text->type != NODE_SCALAR || !strpbrk(text->text, " \t\n"))
		return;
	list = node_new(a, NODE_LIST, text->at);
	list->key_at = text->key_at;
	rest = str_of(text->text);
	while (str_word(&rest, &word))
		node_list_add(a, list, node_scalar(a, arena_strndup(a, word.p, word.n), text->at));
	node_map_set(a, map, key, list);
}

/* Matrix values tell the metrics of one combination from those of the next. */
static void add_labels(
	struct arena *a, struct node *map, const struct matrix *m, const char *const *picked)
{
	struct node *labels = node_find(map, "labels");

	if (!m->n || (labels && labels->type != NODE_MAP && labels->type != NODE_NULL))
		return;
	if (!labels || labels->type == NODE_NULL) {
		labels = node_new(a, NODE_MAP, map->at);
		node_map_set(a, map, "labels", labels);
	}
	for (size_t k = 0; k < m->n; k++)
		if (!node_find(labels, m->keys[k])) {
			struct node *value = node_scalar(a, picked[k], labels->at);

			value->quoted = true;
			node_map_set(a, labels, m->keys[k], value);
		}
}

struct node *settings_expand(struct compile *c, const struct entry *en, const struct matrix *m,
	const char *const *picked)
{
	const struct expand_scope scope = {m->keys, picked, m->n, &c->turn->scope};
	struct node *map = node_new(c->x.a, NODE_MAP, expand_loc(&c->x, en->map->at));
	bool bad = false;

	for (size_t i = 0; i < en->map->n; i++) {
		const struct node *kid = en->map->kids[i];
		bool late = !has_row(step_common_params, kid->key);
		struct node *done;

		if (!strcmp(kid->key, "matrix") && kid->type == NODE_MAP)
			continue;
		done = expand_node(&c->x, &scope, kid, late);
		if (done)
			node_list_add(c->x.a, map, done);
		else
			bad = true;
	}
	if (bad)
		return NULL;
	if (en->kind == STEP_DEPLOY)
		split_words(c->x.a, map, "images");
	add_labels(c->x.a, map, m, picked);
	return map;
}

size_t settings_common_at(const struct step_spec *spec)
{
	const size_t align = _Alignof(max_align_t);

	return (spec->size + align - 1) / align * align;
}
