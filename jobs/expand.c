/* SPDX-License-Identifier: MIT */
/*
 * Substitution. Invariant: what comes out holds no ${name} but variables of the run, and only
 * where the worker will see them; time and memory are linear in what comes out, which is capped.
 */
#include "jobs/expand.h"

#include "base/mem.h"

#include <stdio.h>
#include <string.h>

#define NAMES_MAX 256 /* offered as nearest */

static const char *const late_prefixes[] = {"board.", "build.", "image.", "msg.", "net.", "run."};

static bool is_late(struct str name)
{
	for (size_t i = 0; i < ARRAY_LEN(late_prefixes); i++)
		if (str_starts(name, late_prefixes[i]) && name.n > strlen(late_prefixes[i]))
			return true;
	return false;
}

static const char *look_up(const struct expand_scope *scope, struct str name)
{
	for (; scope; scope = scope->outer)
		for (size_t i = 0; i < scope->n; i++)
			if (str_is(name, scope->names[i]))
				return scope->values[i];
	return NULL;
}

static const char *nearest(const struct expand_scope *scope, const char *word)
{
	const char *names[NAMES_MAX];
	size_t n = 0;

	for (; scope; scope = scope->outer)
		for (size_t i = 0; i < scope->n && n < NAMES_MAX; i++)
			names[n++] = scope->names[i];
	return str_nearest(word, names, n);
}

static int unknown(
	struct expand *x, const struct expand_scope *scope, struct loc at, struct str name)
{
	AUTOFREE char *word = mem_strndup(name.p, name.n);
	const char *near = nearest(scope, word);
	char shown[80];

	str_printable(name, shown, sizeof shown);
	if (near)
		return diag_add(x->diag, at,
			"unknown param '${%s}' (did you mean '${%s}'? '$${' leaves '${' to the "
			"shell)",
			shown, near);
	if (str_chr(name, '.') >= 0)
		return diag_add(x->diag, at,
			"unknown variable '${%s}' (a run's begin with board., build., image., "
			"msg., "
			"net. or run.; '$${' leaves '${' to the shell)",
			shown);
	return diag_add(x->diag, at,
		"unknown param '${%s}' (declare it under 'params'; '$${' leaves '${' to the "
		"shell)",
		shown);
}

/* One ${name}; rest begins behind "${". Adds what stands for it and cuts it off rest. */
static int expand_one(struct expand *x, const struct expand_scope *scope, struct loc at, bool late,
	struct str *rest, struct buf *out)
{
	ptrdiff_t end = str_chr(*rest, '}');
	struct str name;
	const char *value;

	if (end < 0)
		return diag_add(
			x->diag, at, "'${' without its '}' ('$${' leaves '${' to the shell)");
	name = str_make(rest->p, (size_t)end);
	*rest = str_make(rest->p + end + 1, rest->n - (size_t)end - 1);
	value = look_up(scope, name);
	if (value)
		return buf_puts(out, value);
	if (!is_late(name))
		return unknown(x, scope, at, name);
	if (!late)
		return diag_add(x->diag, at,
			"'${%.*s}' is known only while the job runs and cannot stand here",
			STR_ARG(name));
	return buf_printf(out, "${%.*s}", STR_ARG(name));
}

static int expand_into(struct expand *x, const struct expand_scope *scope, struct loc at,
	const char *text, bool late, struct buf *out)
{
	struct str rest = str_of(text);

	while (rest.n) {
		ptrdiff_t dollar = str_chr(rest, '$');
		size_t plain = dollar < 0 ? rest.n : (size_t)dollar, eat;

		buf_add(out, rest.p, plain);
		rest = str_make(rest.p + plain, rest.n - plain);
		if (str_starts(rest, "${")) {
			rest = str_make(rest.p + 2, rest.n - 2);
			if (expand_one(x, scope, at, late, &rest, out) && !out->overflow)
				return -1;
			continue;
		}
		eat = str_starts(rest, "$${") ? 3 : rest.n ? 1 : 0;
		buf_add(out, rest.p + (eat == 3 && !late), eat - (eat == 3 && !late));
		rest = str_make(rest.p + eat, rest.n - eat);
	}
	if (out->overflow)
		return diag_add(x->diag, at, "the text passes %zu KiB once expanded",
			EXPAND_TEXT_BYTES >> 10);
	return 0;
}

static int check_room(struct expand *x, struct loc at)
{
	if (x->full)
		return -1;
	if (x->a->used_bytes < x->cap_bytes)
		return 0;
	x->full = true;
	return diag_add(x->diag, at, "the job passes %zu MiB once expanded", x->cap_bytes >> 20);
}

const char *expand_text(struct expand *x, const struct expand_scope *scope, struct loc at,
	const char *text, bool late)
{
	AUTOBUF out = BUF_INIT(EXPAND_TEXT_BYTES);

	if (check_room(x, at))
		return NULL;
	if (!strchr(text, '$'))
		return arena_strdup(x->a, text);
	if (expand_into(x, scope, at, text, late, &out))
		return NULL;
	return arena_strdup(x->a, buf_str(&out));
}

struct loc expand_loc(struct expand *x, struct loc at)
{
	if (!at.file)
		return at;
	if (at.file != x->file) {
		x->file = at.file;
		x->file_copy = arena_strdup(x->a, at.file);
	}
	at.file = x->file_copy;
	return at;
}

struct node *expand_node(
	struct expand *x, const struct expand_scope *scope, const struct node *n, bool late)
{
	struct node *copy = node_new(x->a, n->type, expand_loc(x, n->at));
	bool bad = false;

	copy->quoted = n->quoted;
	copy->key = arena_strdup(x->a, n->key);
	copy->key_at = expand_loc(x, n->key_at);
	if (n->type == NODE_SCALAR) {
		copy->text = expand_text(x, scope, n->at, n->text, late);
		return copy->text ? copy : NULL;
	}
	for (size_t i = 0; i < n->n; i++) {
		struct node *kid = expand_node(x, scope, n->kids[i], late);

		if (kid)
			node_list_add(x->a, copy, kid);
		else
			bad = true;
	}
	return bad ? NULL : copy;
}
