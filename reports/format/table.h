/* SPDX-License-Identifier: MIT */
#ifndef REPORTS_FORMAT_TABLE_H
#define REPORTS_FORMAT_TABLE_H

/*
 * A table of text in columns as wide as their widest cell. When the whole is wider than the
 * terminal, the last column is broken at spaces onto further lines; nothing is cut.
 */

#include "base/arena.h"
#include "base/buf.h"
#include "base/vec.h"

#define TABLE_COLUMNS 8

struct table {
	size_t columns;
	unsigned right;            /* bit n: column n is aligned right */
	const char *const *styles; /* ANSI codes by row for column 0; NULL: none */
	VEC(const char *) cells;
};

/* Adds a row of t->columns cells; borrowed, NULL is "-". */
void table_row(struct table *t, const char *const *cells);
void table_write(const struct table *t, const char *indent, int width, struct buf *out);
void table_done(struct table *t);
/* Characters that text takes on a terminal (UTF-8 code points). */
size_t table_width(const char *text);

#endif
