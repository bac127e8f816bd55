/* SPDX-License-Identifier: MIT */
#ifndef REPORTS_PARSE_GRID_H
#define REPORTS_PARSE_GRID_H

/*
 * Tables of a document, as published guides print them: reStructuredText (grid, simple, csv-table
 * and list-table; docutils' reference of its markup) and HTML (by libxml2). Pure: any bytes, no
 * I/O, nothing is fetched; what is damaged is told through warn and left out.
 */

#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/str.h"
#include "base/vec.h"

#include <stdbool.h>
#include <stdint.h>

#define GRID_COLUMNS     256
#define GRID_CELLS       ((size_t)1 << 20) /* of one table, spans counted in */
#define GRID_TEXT_BYTES  2048              /* of one cell; more is cut */
#define GRID_ABOVE_BYTES 4096
#define GRID_LEVELS      8 /* of headings */

struct grid_cell {
	const char *text; /* one line; "" where there is none */
	size_t line;      /* where it stands, from 1 */
	bool across;      /* the cell to its left reaches over it */
	bool down;        /* the cell above it does */
};
struct grid {
	const char *section; /* headings around it, "Chapter / Section"; "" when there is none */
	const char *title;   /* its caption, else what stands right above it, else its section */
	const char *above;   /* other text since the last heading, its last GRID_ABOVE_BYTES */
	size_t line;
	size_t rows, columns, heads;   /* heads: rows at the top that are headings, at least 1 */
	const struct grid_cell *cells; /* row by row; what spans stands in each of its places */
};
const struct grid_cell *grid_at(const struct grid *g, size_t row, size_t column);
/* The texts above a column, each once, with a blank between; in a. */
const char *grid_heading(const struct grid *g, size_t column, struct arena *a);

struct grid_sink {
	void *arg;
	void (*grid)(void *arg, const struct grid *g); /* borrowed for the call */
	void (*warn)(void *arg, size_t line, const char *text);
};
/* 0, or -1 with e when it cannot be read at all. */
int grid_rst(struct str text, const struct grid_sink *sink, struct err *e);
int grid_html(struct str text, const struct grid_sink *sink, struct err *e);
/* A CSV file that is one table, its first record the headings. */
int grid_csv(struct str text, const char *title, const struct grid_sink *sink, struct err *e);

/* ---- for the readers ------------------------------------------------------------------------- */

/* Headings in force. */
struct grid_where {
	struct arena arena; /* of the document: few and short */
	const char *names[GRID_LEVELS];
	const char *caption; /* what may be the next table's title; NULL: nothing */
	struct buf above;    /* since the last heading */
};
void grid_where_done(struct grid_where *w);
void grid_above(struct grid_where *w, struct str text); /* a line or paragraph of the document */
void grid_enter(struct grid_where *w, size_t level, struct str name);
/* The next table's title: what was told, the caption, or the innermost heading. */
const char *grid_title(const struct grid_where *w, const char *told);

struct grid_place { /* a cell as it was read */
	size_t row, column, rows, columns, line;
	const char *text;
};
struct grid_build {
	struct arena arena; /* of one table */
	VEC(struct grid_place) places;
	size_t rows, columns, heads, line;
};
/* A cell over rows x columns places, of which those below the table's last row are none; false: it
 * reaches further than a table may. */
bool grid_put(struct grid_build *b, const struct grid_place *place);
/* Tells the table, unless it is empty, and is ready for the next. */
void grid_tell(struct grid_build *b, const struct grid_where *w, const char *title,
	const struct grid_sink *sink);
/* White space as single blanks, marks of emphasis and literals taken out, cut to fit; in a. */
const char *grid_text(struct arena *a, struct str text);

void grid_warn(const struct grid_sink *sink, size_t line, const char *fmt, ...) PRINTF(3, 4);

/* Tables in plain text, one each; lines are what stands there, without indent. */
struct grid_line {
	struct str text;
	size_t line;
};
bool grid_is_border(struct str line);        /* "+----+----+" */
bool grid_is_simple_border(struct str line); /* "====  ====" */
void grid_read_drawn(struct grid_build *b, const struct grid_line *lines, size_t n,
	const struct grid_sink *sink);
void grid_read_simple(struct grid_build *b, const struct grid_line *lines, size_t n,
	const struct grid_sink *sink);
void grid_read_csv(struct grid_build *b, struct str text, size_t line, size_t row,
	const struct grid_sink *sink);

#endif
