/* SPDX-License-Identifier: MIT */
/*
 * Mappings against rows. Invariant: one walk serves checking and filling (checking fills
 * nothing), a preset goes through the same conversion as a value from a file, and a key is
 * reported at most once.
 */
#include "io/schema.h"

#include "base/fs.h"
#include "base/mem.h"
#include "io/pattern.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define TYPE_BYTES  256
#define WHAT_BYTES  200
#define SHOWN_BYTES 60 /* of a wrong value, in a message */

struct walk {
	struct arena *a;
	struct diag *diag;
	int rc;
};

#define problem(w, at, ...) ((w)->rc = diag_add((w)->diag, at, __VA_ARGS__))

static void fill_rows(struct walk *w, const struct param *rows, const char *what,
	const struct node *map, bool absent, void *out);

static const char *kind(const struct node *n)
{
	static const char *const names[] = {[NODE_NULL] = "nothing",
		[NODE_SCALAR] = "a text",
		[NODE_LIST] = "a list",
		[NODE_MAP] = "a mapping"};

	return names[n->type];
}

/* "must be an integer 1..8, not 'x'" */
static void wrong(struct walk *w, const struct param *row, const struct node *n)
{
	char type[TYPE_BYTES], shown[SHOWN_BYTES];
	const char *article = "a ", *example = "";

	schema_type_text(row, type, sizeof type);
	if (row->type == PARAM_INT)
		article = "an ";
	else if (row->type == PARAM_BOOL || row->type == PARAM_CHOICE || row->choices ||
		 row->type == PARAM_STRING)
		article = "";
	if (row->type == PARAM_DURATION && !row->min && !row->max)
		example = row->example ? row->example : "90s";
	if (row->type == PARAM_SIZE && !row->min && !row->max)
		example = row->example ? row->example : "64KiB";
	if (n->type == NODE_SCALAR)
		problem(w, n->at, "'%s' must be %s%s%s%s%s, not '%s'", row->name, article, type,
			*example ? " like '" : "", example, *example ? "'" : "",
			str_printable(str_of(n->text), shown, sizeof shown));
	else
		problem(w, n->at, "'%s' must be %s%s, not %s", row->name, article, type, kind(n));
}

static bool in_range(const struct param *row, double v)
{
	if (!row->min && !row->max)
		return true;
	return v >= (double)row->min && (v <= (double)row->max || row->max < row->min);
}

static int index_of(const char *const *choices, const char *text)
{
	for (int i = 0; choices && choices[i]; i++)
		if (!strcmp(choices[i], text))
			return i;
	return -1;
}

/* Is text one of the row's choices? Says so when not. -1: not, else the index. */
static int choose(struct walk *w, const struct param *row, const struct node *n)
{
	int i = index_of(row->choices, n->text);
	char shown[SHOWN_BYTES], type[TYPE_BYTES];
	const char *near;
	size_t count = 0;

	if (i >= 0)
		return i;
	while (row->choices && row->choices[count])
		count++;
	near = count ? str_nearest(n->text, row->choices, count) : NULL;
	if (near)
		problem(w, n->at, "'%s' must be %s, not '%s' (did you mean '%s'?)", row->name,
			schema_type_text(row, type, sizeof type),
			str_printable(str_of(n->text), shown, sizeof shown), near);
	else
		wrong(w, row, n);
	return -1;
}

static void fill_text(struct walk *w, const struct param *row, const struct node *n, void *at)
{
	const char *text = n->text;
	struct err e = {0};

	if (row->choices && choose(w, row, n) < 0)
		return;
	if (row->type == PARAM_PATTERN) {
		struct pattern *p = pattern_new(text, &e);

		if (!p) {
			problem(w, n->at, "'%s': %s", row->name, e.msg);
			return;
		}
		pattern_free(p);
	}
	if (row->type == PARAM_PATH && !*text) {
		problem(w, n->at, "'%s' must be a file name, not ''", row->name);
		return;
	}
	if (!at)
		return;
	if (row->type == PARAM_PATH) {
		AUTOFREE char *path = fs_beside(n->at.file, text);

		*(const char **)at = arena_strdup(w->a, path);
	} else {
		*(const char **)at = arena_strdup(w->a, text);
	}
}

static void fill_integer(struct walk *w, const struct param *row, const struct node *n, void *at)
{
	struct str text = str_of(n->text);
	double number;
	int64_t v = 0;
	int rc;

	rc = row->type == PARAM_INT        ? str_i64(text, &v)
	     : row->type == PARAM_DURATION ? str_duration_ms(text, &v)
					   : str_size_bytes(text, &v);
	if (rc && row->type == PARAM_DURATION && !str_double(text, &number)) {
		problem(w, n->at, "'%s' needs a unit, like '%ss'", row->name,
			number > 0 ? n->text : "90");
		return;
	}
	if (rc || !in_range(row, (double)v)) {
		wrong(w, row, n);
		return;
	}
	if (at)
		*(int64_t *)at = v;
}

static void fill_number(struct walk *w, const struct param *row, const struct node *n, void *at)
{
	double v;

	if (str_double(str_of(n->text), &v) || !in_range(row, v))
		wrong(w, row, n);
	else if (at)
		*(double *)at = v;
}

static void fill_bool(struct walk *w, const struct param *row, const struct node *n, void *at)
{
	static const char *const words[] = {"false", "true", "no", "yes", "off", "on", NULL};
	int i = 0;

	while (words[i] && strcasecmp(words[i], n->text))
		i++;
	if (!words[i])
		wrong(w, row, n);
	else if (at)
		*(bool *)at = i & 1;
}

static void fill_strings(struct walk *w, const struct param *row, const struct node *n, void *at)
{
	const struct node *one[1] = {n};
	const struct node *const *items =
		n->type == NODE_LIST ? (const struct node *const *)n->kids : one;
	struct param_strings list = {.n = n->type == NODE_LIST ? n->n : 1};

	list.p = arena_alloc(w->a, (list.n + 1) * sizeof *list.p);
	for (size_t i = 0; i < list.n; i++) {
		if (items[i]->type != NODE_SCALAR) {
			problem(w, items[i]->at, "item %zu of '%s' must be text, not %s", i + 1,
				row->name, kind(items[i]));
			return;
		}
		if (row->choices && choose(w, row, items[i]) < 0)
			return;
		list.p[i] = arena_strdup(w->a, items[i]->text);
	}
	if (at)
		*(struct param_strings *)at = list;
}

static void fill_scalar(struct walk *w, const struct param *row, const struct node *n, void *at)
{
	int i;

	switch (row->type) {
	case PARAM_CHOICE:
		i = choose(w, row, n);
		if (i >= 0 && at)
			*(int *)at = i;
		break;
	case PARAM_INT:
	case PARAM_DURATION:
	case PARAM_SIZE:
		fill_integer(w, row, n, at);
		break;
	case PARAM_NUMBER:
		fill_number(w, row, n, at);
		break;
	case PARAM_BOOL:
		fill_bool(w, row, n, at);
		break;
	default:
		fill_text(w, row, n, at);
	}
}

/* A value that is there (no null, but for PARAM_ANY). at NULL: only check. */
static void fill_value(
	struct walk *w, const struct param *row, const char *what, const struct node *n, void *at)
{
	char inner[WHAT_BYTES];

	switch (row->type) {
	case PARAM_ANY:
		break;
	case PARAM_MAP:
	case PARAM_LIST:
		if (n->type != (row->type == PARAM_MAP ? NODE_MAP : NODE_LIST)) {
			wrong(w, row, n);
			return;
		}
		break;
	case PARAM_SECTION:
		snprintf(inner, sizeof inner, "'%s' of %s", row->name, what);
		fill_rows(w, row->rows, inner, n, false, at);
		return;
	case PARAM_STRINGS:
		if (n->type == NODE_MAP)
			wrong(w, row, n);
		else
			fill_strings(w, row, n, at);
		return;
	default:
		if (n->type != NODE_SCALAR)
			wrong(w, row, n);
		else
			fill_scalar(w, row, n, at);
		return;
	}
	if (at)
		*(const struct node **)at = n;
}

static void fill_absent(struct walk *w, const struct param *row, const char *what, void *at)
{
	struct node preset = {.type = NODE_SCALAR, .text = row->preset};

	if (row->type == PARAM_SECTION)
		fill_rows(w, row->rows, what, NULL, true, at);
	else if (row->preset && row->type == PARAM_ANY && at)
		*(const struct node **)at = node_scalar(w->a, row->preset, preset.at);
	else if (row->preset)
		fill_value(w, row, what, &preset, at);
}

static void unknown_keys(
	struct walk *w, const struct param *rows, const char *what, const struct node *map)
{
	char shown[SHOWN_BYTES];

	for (size_t i = 0; i < map->n; i++) {
		const struct node *kid = map->kids[i];
		const char *near;
		size_t r = 0;

		while (rows[r].name && strcmp(rows[r].name, kid->key))
			r++;
		if (rows[r].name)
			continue;
		near = schema_nearest(rows, kid->key);
		str_printable(str_of(kid->key), shown, sizeof shown);
		if (near)
			problem(w, kid->key_at, "unknown key '%s' in %s (did you mean '%s'?)",
				shown, what, near);
		else
			problem(w, kid->key_at, "unknown key '%s' in %s", shown, what);
	}
}

/* absent: the section is not in the file at all, so nothing in it is required. */
static void fill_rows(struct walk *w, const struct param *rows, const char *what,
	const struct node *map, bool absent, void *out)
{
	if (map && map->type != NODE_MAP && map->type != NODE_NULL) {
		problem(w, map->at, "%s must be a mapping, not %s", what, kind(map));
		return;
	}
	if (map)
		unknown_keys(w, rows, what, map);
	for (const struct param *row = rows; row->name; row++) {
		const struct node *n = node_find(map, row->name);
		void *at = out ? (char *)out + row->offset : NULL;

		if (n && (n->type != NODE_NULL || row->type == PARAM_ANY)) {
			fill_value(w, row, what, n, at);
			continue;
		}
		if (n && row->required)
			problem(w, n->key_at, "key '%s' in %s has no value", row->name, what);
		else if (row->required && !absent)
			problem(w, map ? map->at : (struct loc){0}, "missing key '%s' in %s",
				row->name, what);
		else
			fill_absent(w, row, what, at);
	}
}

int schema_fill(struct arena *a, const struct param *rows, const char *what, const struct node *map,
	void *out, struct diag *diag)
{
	static const struct param none[] = {{0}};
	struct walk w = {a, diag, 0};

	fill_rows(&w, rows ? rows : none, what, map, false, out);
	return w.rc;
}

int schema_check(
	const struct param *rows, const char *what, const struct node *map, struct diag *diag)
{
	struct arena scratch = {0};
	int rc = schema_fill(&scratch, rows, what, map, NULL, diag);

	arena_done(&scratch);
	return rc;
}

const char *schema_nearest(const struct param *rows, const char *word)
{
	AUTOFREE const char **names = NULL;
	size_t n = 0;

	while (rows[n].name)
		n++;
	names = mem_array(n, sizeof *names);
	for (size_t i = 0; i < n; i++)
		names[i] = rows[i].name;
	return str_nearest(word, names, n);
}
