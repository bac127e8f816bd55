/* SPDX-License-Identifier: MIT */
/*
 * Rows and cells of tables. Invariant: a line that the kernel cut in two is put
 * together again, or its tail would be a row of its own and its head's labels be lost.
 */
#include "rows.h"

#include <strings.h>

bool rows_next(struct lines *l, struct str *line)
{
	l->join = true;
	if (!lines_next(l, line))
		return false;
	/* What was copied from a page has its blanks as U+00A0. */
	for (size_t i = 0; i + 1 < line->n; i++)
		if (line->p[i] == '\xc2' && line->p[i + 1] == '\xa0')
			memset(l->line + (line->p - l->line) + i, ' ', 2);
	*line = str_trim(*line);
	return true;
}

/* Cuts the next cell off *rest. */
static bool next_cell(struct str *rest, char by, struct str *cell)
{
	size_t n = 0, skip = 1;

	if (!rest->n)
		return false;
	if (by) {
		while (n < rest->n && rest->p[n] != by)
			n++;
	} else {
		while (n < rest->n &&
			!(rest->p[n] == ' ' && n + 1 < rest->n && rest->p[n + 1] == ' '))
			n++;
		while (n + skip < rest->n && rest->p[n + skip] == ' ')
			skip++;
	}
	*cell = str_trim(str_make(rest->p, n));
	skip = n + skip < rest->n ? n + skip : rest->n;
	*rest = str_make(rest->p + skip, rest->n - skip);
	return true;
}

size_t rows_cells(struct str line, struct str *cells, size_t max)
{
	struct str cell;
	size_t n = 0;
	char by = str_chr(line, '|') >= 0 ? '|' : str_chr(line, '\t') >= 0 ? '\t' : 0;

	if (by == '|' && line.n && line.p[0] == '|')
		line = str_make(line.p + 1, line.n - 1);
	while (n < max && next_cell(&line, by, &cell))
		cells[n++] = cell;
	return n;
}

/* "am62axx_sk-fs:" behind a blank; n 0: there is none. */
static struct str board_of(struct str line)
{
	struct str word;

	if (!str_word(&line, &word))
		return str_make(line.p, 0);
	while (str_word(&line, &word))
		if (word.n > 1 && word.p[word.n - 1] == ':')
			return word;
	return str_make(line.p, 0);
}

size_t rows_blank_head(struct str line, struct str *cells, size_t max)
{
	struct str board = board_of(line);
	size_t n = 0;

	while (board.n && n < max) {
		ptrdiff_t at = str_find(line, board);
		size_t cell = at < 0 ? line.n : (size_t)at, skip = at < 0 ? 0 : board.n;

		cells[n++] = str_trim(str_make(line.p, cell));
		line = str_make(line.p + cell + skip, line.n - cell - skip);
		if (at < 0)
			break;
	}
	return n;
}

size_t rows_blank_cells(struct str line, struct str *cells, size_t max)
{
	struct str word;
	size_t n = 0;
	bool inside = false;

	while (str_word(&line, &word)) {
		inside = inside || (n && str_is(word, "(min"));
		if (inside)
			cells[n - 1].n = (size_t)(word.p + word.n - cells[n - 1].p);
		else if (n < max)
			cells[n++] = word;
		else
			return n;
		inside = inside && !str_ends(word, ")");
	}
	return n;
}

bool rows_is_rule(struct str line)
{
	size_t marks = 0;

	for (size_t i = 0; i < line.n; i++) {
		/* A page's editor may have made a dash of the last ones (U+2014). */
		if (i + 2 < line.n && !memcmp(line.p + i, "\xe2\x80\x94", 3)) {
			i += 2;
			continue;
		}
		if (!strchr("-=+|: \t", line.p[i]))
			return false;
		marks += line.p[i] == '-' || line.p[i] == '=';
	}
	return marks >= 2;
}

int rows_number(struct str cell, double *value, struct str *unit)
{
	size_t n = 0;
	bool digit = false;

	while (n < cell.n && ((cell.p[n] >= '0' && cell.p[n] <= '9') || cell.p[n] == '.')) {
		digit = digit || cell.p[n] != '.';
		n++;
	}
	if (!digit || str_double(str_make(cell.p, n), value))
		return -1;
	*unit = str_trim(str_make(cell.p + n, cell.n - n));
	return 0;
}

int rows_plain(struct str cell, const char *unit, double *value)
{
	struct str printed;
	double number;

	if (rows_number(cell, &number, &printed) || (printed.n && !str_is(printed, unit)))
		return -1;
	*value = number;
	return 0;
}

bool rows_has(struct str s, const char *needle)
{
	size_t n = strlen(needle);

	for (size_t i = 0; i + n <= s.n; i++)
		if (!strncasecmp(s.p + i, needle, n))
			return true;
	return false;
}

int rows_label(struct str s, char out[ROWS_LABEL_BYTES])
{
	s = str_trim(s);
	if (!s.n || s.n >= ROWS_LABEL_BYTES)
		return -1;
	for (size_t i = 0; i < s.n; i++)
		if (s.p[i] < ' ' || s.p[i] > '~')
			return -1;
	memcpy(out, s.p, s.n);
	out[s.n] = 0;
	return 0;
}

int rows_slug(struct str s, char out[ROWS_LABEL_BYTES])
{
	size_t n = 0;
	char whole[ROWS_LABEL_BYTES];

	if (rows_label(s, whole))
		return -1;
	for (const char *p = whole; *p; p++) {
		char c = *p >= 'A' && *p <= 'Z' ? (char)(*p - 'A' + 'a') : *p;

		if ((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '.' || c == '_')
			out[n++] = c;
		else if (n && out[n - 1] != '-')
			out[n++] = '-';
	}
	while (n && out[n - 1] == '-')
		n--;
	out[n] = 0;
	return n ? 0 : -1;
}
