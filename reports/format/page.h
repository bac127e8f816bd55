/* SPDX-License-Identifier: MIT */
#ifndef REPORTS_FORMAT_PAGE_H
#define REPORTS_FORMAT_PAGE_H

/*
 * A page of headings, texts and tables, written piece by piece in one of several formats: what is
 * not a single run's report (guide, comparison) and the HTML of one that is. Texts are plain; each
 * format escapes them.
 */

#include "base/arena.h"
#include "base/buf.h"

#include <stdbool.h>

enum page_mark { PAGE_PLAIN, PAGE_GOOD, PAGE_BAD, PAGE_FAINT };

struct page_cell {
	const char *text; /* NULL or "": empty */
	const char *note; /* smaller, behind it; NULL: none */
	enum page_mark mark;
};
struct page_table {
	const char *caption;        /* NULL: none */
	const char *const *columns; /* "GROUP // NAME": neighbours of one group share a heading */
	const struct page_cell *cells; /* n_rows x n_columns, row by row */
	size_t n_columns, n_rows;
};

struct page;
struct page_format {
	const char *name, *mime, *ext;
	void (*begin)(struct page *p, const char *title);
	void (*end)(struct page *p);
	void (*heading)(struct page *p, int level, const char *text); /* level from 2 */
	void (*text)(struct page *p, const char *text);
	void (*alert)(struct page *p, enum page_mark mark, const char *text); /* not to be missed */
	void (*items)(struct page *p, const char *const *items, size_t n);
	void (*table)(struct page *p, const struct page_table *t);
};
extern const struct page_format page_html, page_markdown, page_rst, page_text;

struct page {
	const struct page_format *f;
	struct buf *out;     /* borrowed */
	const char *banner;  /* stands on every page where it is printed on paper; NULL: none */
	int width;           /* columns of the terminal; 0: unbounded */
	bool colour;         /* ANSI colours, of text only */
	struct arena arena;  /* the format's own */
	const char **titles; /* headings of level 2 so far, for a table of contents */
	size_t n_titles;
};
#define PAGE_TITLES_MAX 512 /* in a table of contents */

/* "GROUP: NAME" of a grouped column, in a; others as they are. */
const char *page_column(struct arena *a, const char *column);
#define PAGE_GROUP " // "
void page_begin(struct page *p, const struct page_format *f, struct buf *out, const char *title);
/* Ends the page and frees what is its own. */
void page_end(struct page *p);

#endif
