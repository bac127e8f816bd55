/* SPDX-License-Identifier: MIT */
/*
 * What is wrong with files. Invariant: entries holds at most DIAG_MAX, total counts all.
 */
#include "base/diag.h"

#include "base/str.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define KNOWN_BYTES 400 /* of names listed in one message */

void diag_done(struct diag *d)
{
	vec_done(&d->entries);
	arena_done(&d->arena);
	d->total = 0;
}

int diag_add(struct diag *d, struct loc at, const char *fmt, ...)
{
	struct diag_entry entry;
	va_list ap;

	if (!d || d->total++ >= DIAG_MAX)
		return -1;
	va_start(ap, fmt);
	entry.text = arena_vprintf(&d->arena, fmt, ap);
	va_end(ap);
	entry.at = at;
	entry.at.file = arena_strdup(&d->arena, at.file);
	vec_push(&d->entries, entry);
	return -1;
}

int diag_unknown(struct diag *d, struct loc at, const char *what, const char *word,
	const char *const *names, size_t n)
{
	const char *near = str_nearest(word, names, n);
	AUTOBUF known = BUF_INIT(2 * KNOWN_BYTES);
	char shown[80];

	str_printable(str_of(word), shown, sizeof shown);
	if (near)
		return diag_add(d, at, "unknown %s '%s' (did you mean '%s'?)", what, shown, near);
	for (size_t i = 0; i < n && known.len < KNOWN_BYTES; i++)
		buf_printf(&known, "%s%s", i ? ", " : "", names[i]);
	if (known.len >= KNOWN_BYTES)
		buf_puts(&known, " ...");
	return diag_add(
		d, at, "unknown %s '%s' (known: %s)", what, shown, n ? buf_str(&known) : "none");
}

char *loc_format(struct loc at, char *out, size_t n)
{
	const char *file = at.file ? at.file : "-";

	if (at.line && at.col)
		snprintf(out, n, "%s:%u:%u", file, at.line, at.col);
	else if (at.line)
		snprintf(out, n, "%s:%u", file, at.line);
	else
		snprintf(out, n, "%s", file);
	return out;
}

/* Rank of an entry's file by its first appearance, so that output keeps the order of reading. */
static size_t file_rank(const struct diag *d, const char *file)
{
	for (size_t i = 0; i < d->entries.n; i++) {
		const char *other = d->entries.p[i].at.file;

		if (other == file || (other && file && !strcmp(other, file)))
			return i;
	}
	return d->entries.n;
}

static int by_place(const void *a, const void *b, void *arg)
{
	const struct diag_entry *x = *(struct diag_entry *const *)a,
				*y = *(struct diag_entry *const *)b;
	size_t rx = file_rank(arg, x->at.file), ry = file_rank(arg, y->at.file);

	if (rx != ry)
		return rx < ry ? -1 : 1;
	if (x->at.line != y->at.line)
		return x->at.line < y->at.line ? -1 : 1;
	if (x->at.col != y->at.col)
		return x->at.col < y->at.col ? -1 : 1;
	return x < y ? -1 : x > y;
}

void diag_print(struct diag *d, struct buf *out)
{
	struct diag_entry **order = mem_array(d->entries.n, sizeof *order);
	char at[512];

	for (size_t i = 0; i < d->entries.n; i++)
		order[i] = &d->entries.p[i];
	qsort_r(order, d->entries.n, sizeof *order, by_place, d);
	for (size_t i = 0; i < d->entries.n; i++)
		buf_printf(
			out, "%s: %s\n", loc_format(order[i]->at, at, sizeof at), order[i]->text);
	if (d->total > d->entries.n)
		buf_printf(out, "(and %zu more)\n", d->total - d->entries.n);
	free(order);
}
