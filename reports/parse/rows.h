/* SPDX-License-Identifier: MIT */
#ifndef REPORTS_PARSE_ROWS_H
#define REPORTS_PARSE_ROWS_H

/* Tables in a tool's plain text: rows, their cells, and what stands in a cell. */

#include "lines.h"

#define ROWS_CELLS       24 /* cells of a row; what comes after is passed over */
#define ROWS_LABEL_BYTES 96 /* a longer label makes its row one that is passed over */

/* The next line as lines_next() gives it, without white space at its ends, and whole where the
 * kernel printed into it. */
bool rows_next(struct lines *l, struct str *line);

/* Cuts a line into cells: at '|' if there is one, else at tabs, else at two blanks or more.
 * Returns how many there are, at most max. */
size_t rows_cells(struct str line, struct str *cells, size_t max);
/*
 * The same where single blanks part the cells, as in text copied out of a PDF. A head is cut where
 * its board is named again, "Buffer size (bytes) am62axx_sk-fs: Write (MB/s) am62axx_sk-fs: CPU";
 * 0: it names none. A row at each blank, but "(min 1, max 2)" stays with its number.
 */
size_t rows_blank_head(struct str line, struct str *cells, size_t max);
size_t rows_blank_cells(struct str line, struct str *cells, size_t max);
/* A line of a table that is drawn: of nothing but - = + | : and blanks. */
bool rows_is_rule(struct str line);
/* "12.5", "12.5 ms", "541us", "7%": the number and what follows it; -1 when it is none. */
int rows_number(struct str cell, double *value, struct str *unit);
/* A number with no unit, or with that one; -1 otherwise. */
int rows_plain(struct str cell, const char *unit, double *value);
/* True when s has needle in it, whatever the case of ASCII letters. */
bool rows_has(struct str s, const char *needle);
/* Copies a label, its blanks as printed; -1 when it is empty, too long or not printable. */
int rows_label(struct str s, char out[ROWS_LABEL_BYTES]);
/* The same in small letters, with one '-' for what is neither letter, digit, '.' nor '_'. */
int rows_slug(struct str s, char out[ROWS_LABEL_BYTES]);

#endif
