/* SPDX-License-Identifier: MIT */
/*
 * YAML to nodes, from libyaml's events, because they carry exact positions. Invariant: `nodes`
 * and `bytes` count the document as if all aliases were written out, and are checked before
 * anything is made, so that neither memory nor a later walk or copy of the tree can pass them; no
 * path through the tree is longer than YAML_DEPTH_MAX, so recursion over it is safe.
 */
#include "io/yaml.h"

#include "base/fs.h"
#include "base/map.h"
#include "io/yaml-text.h"

#include <stdio.h>
#include <string.h>

struct anchor {
	struct node *node; /* NULL while its value is being read */
	size_t nodes;      /* of the value, written out */
	size_t bytes;      /* of its texts and keys, written out */
	int height;        /* levels of the value: 1 for a scalar */
};

struct reader {
	yaml_parser_t parser;
	yaml_event_t event; /* the current one */
	struct arena *a;
	const char *name;
	struct str text;
	struct diag *diag;
	struct map anchors; /* of this document: name -> struct anchor, in the arena */
	size_t nodes, bytes;
	bool bad;  /* something was added to diag */
	bool stop; /* and reading on makes no sense */
};

static struct node *compose(struct reader *r, int depth, int *height);

static struct loc here(const struct reader *r)
{
	return (struct loc){r->name, (uint32_t)r->event.start_mark.line + 1,
		(uint32_t)r->event.start_mark.column + 1};
}

static int next(struct reader *r)
{
	yaml_event_delete(&r->event);
	if (r->stop)
		return -1;
	if (yaml_parser_parse(&r->parser, &r->event))
		return 0;
	r->stop = r->bad = true;
	memset(&r->event, 0, sizeof r->event);
	return yaml_text_explain(&r->parser, r->text, r->name, r->diag);
}

#define refuse(r, at, ...)                                                                         \
	do {                                                                                       \
		diag_add((r)->diag, at, __VA_ARGS__);                                              \
		(r)->bad = true;                                                                   \
	} while (0)

/* Room for so many more nodes and bytes of text, that many levels below depth? */
static int admit(struct reader *r, size_t nodes, size_t bytes, int depth, int height)
{
	if (depth + height > YAML_DEPTH_MAX) {
		refuse(r, here(r), "nested deeper than %d levels", YAML_DEPTH_MAX);
		r->stop = true;
		return -1;
	}
	if (nodes > YAML_NODES_MAX - r->nodes) {
		refuse(r, here(r), "more than %d values%s", YAML_NODES_MAX,
			nodes > 1 ? " once the aliases are written out" : "");
		r->stop = true;
		return -1;
	}
	if (bytes > YAML_TEXT_BYTES - r->bytes) {
		refuse(r, here(r), "more than 16 MiB of text once the aliases are written out");
		r->stop = true;
		return -1;
	}
	r->nodes += nodes;
	r->bytes += bytes;
	return 0;
}

static struct anchor *anchor_open(struct reader *r, const yaml_char_t *name)
{
	struct anchor *anchor;

	if (!name)
		return NULL;
	anchor = arena_alloc(r->a, sizeof *anchor);
	map_set(&r->anchors, (const char *)name, anchor);
	return anchor;
}

/* What a tag asks of a value: -1 when it is not one of the core's or does not fit the value. */
static int check_tag(struct reader *r, const yaml_char_t *tag, const char *fits, bool *is_text)
{
	static const char core[] = "tag:yaml.org,2002:";
	const char *name = (const char *)tag, *found;
	size_t n;

	if (!name || !strcmp(name, "!")) {
		*is_text = name != NULL;
		return 0;
	}
	if (!strncmp(name, core, sizeof core - 1)) {
		name += sizeof core - 1;
		n = strlen(name);
		found = n ? strstr(fits, name) : NULL;
		if (found && (found == fits || found[-1] == ' ') &&
			(!found[n] || found[n] == ' ')) {
			*is_text = !strcmp(name, "str");
			return 0;
		}
		refuse(r, here(r), "tag '!!%s' does not fit this value", name);
		return -1;
	}
	refuse(r, here(r), "unknown tag '%s'", name);
	return -1;
}

static struct node *compose_scalar(struct reader *r, int depth)
{
	const yaml_char_t *text = r->event.data.scalar.value, *tag = r->event.data.scalar.tag;
	size_t n = r->event.data.scalar.length;
	bool quoted = r->event.data.scalar.style != YAML_PLAIN_SCALAR_STYLE, is_text = false;
	struct node *node;

	if (admit(r, 1, n, depth, 1))
		return NULL;
	node = node_new(r->a, NODE_SCALAR, here(r));
	check_tag(r, tag, "str int float bool null", &is_text);
	if (memchr(text, 0, n))
		refuse(r, node->at, "a NUL byte cannot stand in a text");
	node->text = arena_strndup(r->a, (const char *)text, n);
	node->quoted = is_text || (quoted && !tag);
	if (!node->quoted && yaml_text_is_null(node->text)) {
		node->type = NODE_NULL;
		node->text = NULL;
	}
	return node;
}

static struct node *compose_alias(struct reader *r, int depth, int *height)
{
	const char *name = (const char *)r->event.data.alias.anchor;
	const struct anchor *anchor = map_find(&r->anchors, name);
	struct node *copy;

	*height = 1;
	if (!anchor || !anchor->node) {
		if (anchor)
			refuse(r, here(r), "alias '*%s' stands inside its own value", name);
		else
			refuse(r, here(r), "unknown alias '*%s'", name);
		return admit(r, 1, 0, depth, 1) ? NULL : node_new(r->a, NODE_NULL, here(r));
	}
	if (admit(r, anchor->nodes, anchor->bytes, depth, anchor->height))
		return NULL;
	*height = anchor->height;
	/* Key and place in the parent are this use's own; what is below is shared. */
	copy = arena_alloc(r->a, sizeof *copy);
	*copy = *anchor->node;
	copy->key = NULL;
	copy->key_at = (struct loc){0};
	return copy;
}

static struct node *compose_list(struct reader *r, int depth, int *height)
{
	struct node *list, *kid;
	bool is_text;

	if (admit(r, 1, 0, depth, 1))
		return NULL;
	list = node_new(r->a, NODE_LIST, here(r));
	check_tag(r, r->event.data.sequence_start.tag, "seq", &is_text);
	while (!next(r) && r->event.type != YAML_SEQUENCE_END_EVENT) {
		int below;

		kid = compose(r, depth + 1, &below);
		if (!kid)
			return NULL;
		node_list_add(r->a, list, kid);
		if (below + 1 > *height)
			*height = below + 1;
	}
	return r->stop ? NULL : list;
}

/* The pairs of a mapping as they come in. */
struct pairs {
	struct map keys; /* key -> its node, later the merged ones too */
	struct node *own, *merged;
	struct node *from; /* the value of `<<`, NULL: none */
	struct loc merge_at;
};

static void merge_one(struct reader *r, struct pairs *p, const struct node *from)
{
	if (from->type != NODE_MAP) {
		refuse(r, p->merge_at, "'<<' takes a mapping or a list of mappings");
		return;
	}
	for (size_t i = 0; i < from->n; i++) {
		if (map_has(&p->keys, from->kids[i]->key))
			continue;
		map_set(&p->keys, from->kids[i]->key, from->kids[i]);
		node_list_add(r->a, p->merged, from->kids[i]);
	}
}

/* Merged keys come first, where `<<` usually stands; own ones win, then the first merged. */
static struct node *merge(struct reader *r, struct pairs *p)
{
	if (p->from->type == NODE_LIST)
		for (size_t i = 0; i < p->from->n; i++)
			merge_one(r, p, p->from->kids[i]);
	else
		merge_one(r, p, p->from);
	for (size_t i = 0; i < p->own->n; i++)
		node_list_add(r->a, p->merged, p->own->kids[i]);
	return p->merged;
}

struct key {
	const char *text; /* NULL: refused */
	struct loc at;
	bool merges;
};

static int compose_key(struct reader *r, int depth, struct key *key)
{
	struct node *node;
	int below;
	bool plain = r->event.type == YAML_SCALAR_EVENT &&
		     r->event.data.scalar.style == YAML_PLAIN_SCALAR_STYLE;

	*key = (struct key){.at = here(r)};
	if (r->event.type == YAML_SCALAR_EVENT) {
		key->text = arena_strndup(r->a, (const char *)r->event.data.scalar.value,
			r->event.data.scalar.length);
		key->merges = plain && !strcmp(key->text, "<<");
		if (plain && !*key->text) {
			refuse(r, key->at, "a key is missing before ':'");
			key->text = NULL;
		}
	}
	node = compose(r, depth, &below);
	if (!node)
		return -1;
	if (r->bad)
		return 0;
	if (node->type == NODE_SCALAR)
		key->text = node->text;
	else if (node->type != NODE_NULL || !key->text)
		refuse(r, key->at, "a key must be a text");
	return 0;
}

static int compose_pair(struct reader *r, struct pairs *p, int depth, int *height)
{
	const struct node *first;
	struct node *kid;
	struct key key;
	int below;

	if (compose_key(r, depth + 1, &key) || next(r))
		return -1;
	r->nodes--; /* a key is no node of the tree */
	if (key.merges && p->from)
		refuse(r, key.at, "'<<' again, first at line %u (give it a list)",
			p->merge_at.line);
	first = key.text && !key.merges ? map_find(&p->keys, key.text) : NULL;
	if (first)
		refuse(r, key.at, "key '%s' again, first at line %u", key.text, first->key_at.line);
	kid = compose(r, depth + 1, &below);
	if (!kid)
		return -1;
	if (below + 1 > *height)
		*height = below + 1;
	if (key.merges) {
		p->from = kid;
		p->merge_at = key.at;
	} else if (key.text && !first) {
		kid->key = key.text;
		kid->key_at = key.at;
		map_set(&p->keys, key.text, kid);
		node_list_add(r->a, p->own, kid);
	}
	return 0;
}

static struct node *compose_map(struct reader *r, int depth, int *height)
{
	struct loc at = here(r);
	struct pairs p = {
		.own = node_new(r->a, NODE_MAP, at), .merged = node_new(r->a, NODE_MAP, at)};
	bool is_text;
	int rc = 0;

	if (admit(r, 1, 0, depth, 1))
		return NULL;
	check_tag(r, r->event.data.mapping_start.tag, "map", &is_text);
	while (!rc && !next(r) && r->event.type != YAML_MAPPING_END_EVENT)
		rc = compose_pair(r, &p, depth, height);
	if (!r->stop && p.from)
		p.own = merge(r, &p);
	map_done(&p.keys);
	return r->stop ? NULL : p.own;
}

/* The value that the current event starts; NULL: stop. *height: its levels. */
static struct node *compose(struct reader *r, int depth, int *height)
{
	size_t nodes = r->nodes, bytes = r->bytes;
	struct anchor *anchor = NULL;
	struct node *node = NULL;

	*height = 1;
	switch (r->event.type) {
	case YAML_ALIAS_EVENT:
		return compose_alias(r, depth, height);
	case YAML_SCALAR_EVENT:
		anchor = anchor_open(r, r->event.data.scalar.anchor);
		node = compose_scalar(r, depth);
		break;
	case YAML_SEQUENCE_START_EVENT:
		anchor = anchor_open(r, r->event.data.sequence_start.anchor);
		node = compose_list(r, depth, height);
		break;
	case YAML_MAPPING_START_EVENT:
		anchor = anchor_open(r, r->event.data.mapping_start.anchor);
		node = compose_map(r, depth, height);
		break;
	default:
		refuse(r, here(r), "a value is missing here");
		r->stop = true;
	}
	if (anchor && node)
		*anchor = (struct anchor){node, r->nodes - nodes, r->bytes - bytes, *height};
	return node;
}

/* The documents of the stream; `one`: exactly one. */
static struct node *compose_stream(struct reader *r, bool one)
{
	struct node *docs = node_new(r->a, NODE_LIST, (struct loc){r->name, 1, 1}), *doc;
	int height;

	while (!next(r) && r->event.type != YAML_STREAM_END_EVENT) {
		if (r->event.type == YAML_STREAM_START_EVENT ||
			r->event.type == YAML_DOCUMENT_END_EVENT)
			continue;
		if (one && docs->n) {
			refuse(r, here(r), "a second document starts here, one is expected");
			break;
		}
		if (next(r))
			break;
		map_done(&r->anchors);
		doc = compose(r, 0, &height);
		if (!doc)
			break;
		node_list_add(r->a, docs, doc);
	}
	if (one && !r->bad && !docs->n)
		refuse(r, ((struct loc){r->name, 0, 0}), "the file is empty");
	if (r->bad)
		return NULL;
	return one ? docs->kids[0] : docs;
}

static struct node *parse(
	struct arena *a, const char *name, struct str text, struct diag *diag, bool one)
{
	struct reader r = {.a = a, .diag = diag};
	struct node *node;

	if (str_starts(text, "\xef\xbb\xbf"))
		text = str_make(text.p + 3, text.n - 3);
	r.name = arena_strdup(a, name);
	r.text = text;
	if (text.n > YAML_FILE_BYTES) {
		diag_add(diag, (struct loc){name, 0, 0}, "larger than 1 MiB");
		return NULL;
	}
	if (yaml_text_check(text, name, diag))
		return NULL;
	if (!yaml_parser_initialize(&r.parser)) {
		diag_add(diag, (struct loc){name, 0, 0}, "out of memory");
		return NULL;
	}
	yaml_parser_set_encoding(&r.parser, YAML_UTF8_ENCODING);
	yaml_parser_set_input_string(
		&r.parser, (const unsigned char *)(text.p ? text.p : ""), text.n);
	node = compose_stream(&r, one);
	yaml_event_delete(&r.event);
	yaml_parser_delete(&r.parser);
	map_done(&r.anchors);
	return node;
}

struct node *yaml_parse(struct arena *a, const char *name, struct str text, struct diag *diag)
{
	return parse(a, name, text, diag, true);
}

struct node *yaml_parse_all(struct arena *a, const char *name, struct str text, struct diag *diag)
{
	return parse(a, name, text, diag, false);
}

struct node *yaml_load(struct arena *a, const char *path, struct diag *diag)
{
	AUTOBUF text = BUF_INIT(YAML_FILE_BYTES);
	struct err e = {0};
	char prefix[ERR_MSG_BYTES];

	if (!fs_read(path, &text, &e))
		return yaml_parse(a, path, str_make(buf_str(&text), text.len), diag);
	/* The position already names the file. */
	snprintf(prefix, sizeof prefix, "read '%s': ", path);
	if (!strncmp(e.msg, prefix, strlen(prefix)))
		diag_add(diag, (struct loc){path, 0, 0}, "%s", e.msg + strlen(prefix));
	else
		diag_add(diag, (struct loc){path, 0, 0}, "%s", e.msg);
	return NULL;
}
