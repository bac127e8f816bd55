/* SPDX-License-Identifier: MIT */
#ifndef IO_NODE_H
#define IO_NODE_H

/*
 * A document as a tree of values with positions, whether it came from YAML or JSON. Nodes live
 * in the arena they were made in and are never freed one by one. Immutable once read, but for
 * node_map_set while a tree is being built. Order of keys is kept.
 */

#include "base/arena.h"
#include "base/buf.h"
#include "base/diag.h"
#include "base/err.h"
#include "base/str.h"

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

enum node_type { NODE_NULL, NODE_SCALAR, NODE_LIST, NODE_MAP };

struct node {
	enum node_type type;
	bool quoted;        /* a scalar that stood in quotes or a block: always text */
	struct loc at;      /* of the value */
	struct loc key_at;  /* of its key in the parent mapping; zero elsewhere */
	const char *key;    /* its key in the parent mapping; NULL elsewhere */
	const char *text;   /* NODE_SCALAR: NUL-terminated UTF-8, never NULL */
	struct node **kids; /* NODE_LIST, NODE_MAP: n children in order */
	size_t n;
};

/* The value of a key, or NULL (also when m is NULL or no mapping). */
struct node *node_find(const struct node *m, const char *key);
/* The text of a scalar child, or NULL when absent or not a scalar. */
const char *node_text(const struct node *m, const char *key);
bool node_is_true(const struct node *scalar); /* true/yes/on, plain */

/* Building. */
struct node *node_new(struct arena *a, enum node_type type, struct loc at);
struct node *node_scalar(struct arena *a, const char *text, struct loc at);
/* Adds or replaces key; kid's key and key_at are set on kid itself. */
void node_map_set(struct arena *a, struct node *map, const char *key, struct node *kid);
void node_list_add(struct arena *a, struct node *list, struct node *kid);
/* Deep copy into another arena (positions kept; file names are not copied and must outlive it). */
struct node *node_copy(struct arena *a, const struct node *n);
/*
 * base with over laid on it: mappings merge key by key, everything else in `over` replaces. An
 * explicit null in `over` takes the key away. Neither input is changed.
 */
struct node *node_overlay(struct arena *a, const struct node *base, const struct node *over);

#define node_each(parent, it)                                                                      \
	for (struct node **it##_p = (parent) ? (parent)->kids : NULL, *it;                         \
		it##_p && it##_p < (parent)->kids + (parent)->n && ((it) = *it##_p, 1); it##_p++)

/*
 * JSON and back. To JSON: plain scalars that read as null, true/false, an integer or a finite
 * decimal become those, the rest strings; positions are dropped. From JSON: the inverse; positions
 * are zero. node_to_json returns a new reference that the caller owns.
 */
json_t *node_to_json(const struct node *n);
struct node *node_from_json(struct arena *a, const json_t *j);

#endif
