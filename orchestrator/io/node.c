/* SPDX-License-Identifier: MIT */
/*
 * Documents as trees. Invariant: a kids array has room for a power of two of children (at least
 * KIDS_MIN) and is never shared by two nodes that are still being built, so adding at the end
 * needs no second counter.
 */
#include "io/node.h"

#include "base/map.h"
#include "io/json.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define KIDS_MIN     4
#define NUMBER_BYTES 40

struct node *node_find(const struct node *m, const char *key)
{
	if (!m || m->type != NODE_MAP)
		return NULL;
	for (size_t i = 0; i < m->n; i++)
		if (!strcmp(m->kids[i]->key, key))
			return m->kids[i];
	return NULL;
}

const char *node_text(const struct node *m, const char *key)
{
	const struct node *n = node_find(m, key);

	return n && n->type == NODE_SCALAR ? n->text : NULL;
}

bool node_is_true(const struct node *scalar)
{
	if (!scalar || scalar->type != NODE_SCALAR || scalar->quoted)
		return false;
	return !strcasecmp(scalar->text, "true") || !strcasecmp(scalar->text, "yes") ||
	       !strcasecmp(scalar->text, "on");
}

struct node *node_new(struct arena *a, enum node_type type, struct loc at)
{
	struct node *n = arena_alloc(a, sizeof *n);

	n->type = type;
	n->at = at;
	if (type == NODE_SCALAR)
		n->text = "";
	return n;
}

struct node *node_scalar(struct arena *a, const char *text, struct loc at)
{
	struct node *n = node_new(a, NODE_SCALAR, at);

	n->text = arena_strdup(a, text ? text : "");
	return n;
}

void node_list_add(struct arena *a, struct node *list, struct node *kid)
{
	size_t n = list->n;

	if (!n || (n >= KIDS_MIN && !(n & (n - 1)))) {
		struct node **more = arena_alloc(a, (n ? 2 * n : KIDS_MIN) * sizeof *more);

		if (n)
			memcpy(more, list->kids, n * sizeof *more);
		list->kids = more;
	}
	list->kids[list->n++] = kid;
}

void node_map_set(struct arena *a, struct node *map, const char *key, struct node *kid)
{
	kid->key = arena_strdup(a, key);
	if (!kid->key_at.line)
		kid->key_at = kid->at;
	for (size_t i = 0; i < map->n; i++)
		if (!strcmp(map->kids[i]->key, key)) {
			map->kids[i] = kid;
			return;
		}
	node_list_add(a, map, kid);
}

struct node *node_copy(struct arena *a, const struct node *n)
{
	struct node *copy;

	if (!n)
		return NULL;
	copy = arena_alloc(a, sizeof *copy);
	*copy = *n;
	copy->key = arena_strdup(a, n->key);
	copy->text = arena_strdup(a, n->text);
	copy->kids = NULL;
	copy->n = 0;
	for (size_t i = 0; i < n->n; i++)
		node_list_add(a, copy, node_copy(a, n->kids[i]));
	return copy;
}

/* over laid on base, both mappings or base NULL. */
static struct node *overlay_map(struct arena *a, const struct node *base, const struct node *over)
{
	struct node *out = node_new(a, NODE_MAP, over->at);
	struct map laid = {0}; /* keys of over -> their nodes */

	for (size_t i = 0; i < over->n; i++)
		map_set(&laid, over->kids[i]->key, over->kids[i]);
	for (size_t i = 0; base && i < base->n; i++) {
		const struct node *old = base->kids[i], *new = map_find(&laid, old->key);

		if (new)
			map_del(&laid, old->key);
		if (!new)
			node_list_add(a, out, node_copy(a, old));
		else if (new->type != NODE_NULL)
			node_list_add(a, out, node_overlay(a, old, new));
	}
	for (size_t i = 0; i < over->n; i++)
		if (over->kids[i]->type != NODE_NULL && map_has(&laid, over->kids[i]->key))
			node_list_add(a, out, node_overlay(a, NULL, over->kids[i]));
	map_done(&laid);
	out->key = arena_strdup(a, over->key);
	out->key_at = over->key_at;
	return out;
}

struct node *node_overlay(struct arena *a, const struct node *base, const struct node *over)
{
	if (!over)
		return node_copy(a, base);
	if (over->type != NODE_MAP)
		return node_copy(a, over);
	return overlay_map(a, base && base->type == NODE_MAP ? base : NULL, over);
}

/*
 * A plain scalar as a JSON value other than a string; NULL when it is text. A number becomes one
 * only if it would be written back the same: version 1.10 and serial number 007 stay what they
 * are.
 */
static json_t *plain_to_json(const char *text)
{
	char again[NUMBER_BYTES];
	int64_t i;
	double d;

	if (!*text || !strcmp(text, "null") || !strcmp(text, "~"))
		return json_null();
	if (!strcmp(text, "true") || !strcmp(text, "false"))
		return json_boolean(*text == 't');
	if (!str_i64(str_of(text), &i)) {
		snprintf(again, sizeof again, "%lld", (long long)i);
		return strcmp(again, text) ? NULL : json_integer(i);
	}
	if (!str_double(str_of(text), &d)) {
		json_real_text(d, again, sizeof again);
		return strcmp(again, text) ? NULL : json_real(d);
	}
	return NULL;
}

/* JSON has no place for bytes that are not UTF-8: each becomes '?'. */
static char *as_ascii(const char *text)
{
	char *copy = mem_strdup(text);

	for (char *p = copy; *p; p++)
		if ((unsigned char)*p >= 0x80)
			*p = '?';
	return copy;
}

static json_t *text_to_json(const char *text)
{
	AUTOFREE char *ascii = NULL;
	json_t *j = json_string(text);

	if (j)
		return j;
	ascii = as_ascii(text);
	return json_string(ascii);
}

json_t *node_to_json(const struct node *n)
{
	json_t *j;

	if (!n || n->type == NODE_NULL)
		return json_null();
	if (n->type == NODE_SCALAR) {
		j = n->quoted ? NULL : plain_to_json(n->text);
		return j ? j : text_to_json(n->text);
	}
	j = n->type == NODE_LIST ? json_array() : json_object();
	for (size_t i = 0; i < n->n; i++) {
		json_t *kid = node_to_json(n->kids[i]);

		if (n->type == NODE_LIST) {
			json_array_append_new(j, kid);
		} else if (json_object_set(j, n->kids[i]->key, kid)) {
			AUTOFREE char *ascii = as_ascii(n->kids[i]->key);

			json_object_set(j, ascii, kid);
			json_decref(kid);
		} else {
			json_decref(kid);
		}
	}
	return j;
}

static struct node *json_scalar(struct arena *a, const json_t *j)
{
	struct node *n = node_new(a, NODE_SCALAR, (struct loc){0});
	char number[NUMBER_BYTES];
	json_t *other;

	if (json_is_string(j)) {
		n->text = arena_strdup(a, json_string_value(j));
		other = plain_to_json(n->text);
		n->quoted = other != NULL;
		json_decref(other);
		return n;
	}
	if (json_is_integer(j))
		snprintf(number, sizeof number, "%lld", (long long)json_integer_value(j));
	else if (json_is_real(j))
		json_real_text(json_real_value(j), number, sizeof number);
	else
		snprintf(number, sizeof number, "%s", json_is_true(j) ? "true" : "false");
	n->text = arena_strdup(a, number);
	return n;
}

struct node *node_from_json(struct arena *a, const json_t *j)
{
	struct loc nowhere = {0};
	struct node *n, *kid;
	const char *key;
	json_t *value;
	size_t i;

	if (json_is_array(j)) {
		n = node_new(a, NODE_LIST, nowhere);
		json_array_foreach (j, i, value)
			node_list_add(a, n, node_from_json(a, value));
		return n;
	}
	if (json_is_object(j)) {
		n = node_new(a, NODE_MAP, nowhere);
		json_object_foreach ((json_t *)j, key, value) {
			kid = node_from_json(a, value);
			kid->key = arena_strdup(a, key);
			node_list_add(a, n, kid);
		}
		return n;
	}
	if (!j || json_is_null(j))
		return node_new(a, NODE_NULL, nowhere);
	return json_scalar(a, j);
}
