/* SPDX-License-Identifier: MIT */
/* Tables of text. Invariant: every character of every cell is printed, however narrow it gets. */
#include "table.h"

#include <stdint.h>
#include <string.h>

#define GAP        2
#define LAST_LEAST 16 /* columns that the last column gets in any case */

size_t table_width(const char *text)
{
	size_t n = 0;

	for (; *text; text++)
		n += ((unsigned char)*text & 0xc0) != 0x80;
	return n;
}

void table_row(struct table *t, const char *const *cells)
{
	for (size_t c = 0; c < t->columns; c++)
		vec_push(&t->cells, cells[c] ? cells[c] : "-");
}

void table_done(struct table *t)
{
	vec_done(&t->cells);
}

static void spaces(struct buf *out, size_t n)
{
	while (n--)
		buf_putc(out, ' ');
}

/* Bytes of the longest start of text that fits into room columns, broken at a space if it can be.
 */
static size_t fit(const char *text, size_t room)
{
	size_t bytes = 0, width = 0, at_space = 0;

	while (text[bytes] && width < room) {
		bytes++;
		while (((unsigned char)text[bytes] & 0xc0) == 0x80)
			bytes++;
		width++;
		if (text[bytes] == ' ')
			at_space = bytes;
	}
	return text[bytes] && at_space ? at_space : bytes;
}

static void last_cell(const char *text, size_t column, size_t room, struct buf *out)
{
	size_t n = fit(text, room);

	buf_add(out, text, n);
	for (text += n; *text; text += n) {
		while (*text == ' ')
			text++;
		if (!*text)
			break;
		buf_putc(out, '\n');
		spaces(out, column);
		n = fit(text, room);
		buf_add(out, text, n);
	}
}

void table_write(const struct table *t, const char *indent, int width, struct buf *out)
{
	size_t rows, wide[TABLE_COLUMNS] = {0};
	size_t start = strlen(indent), room = SIZE_MAX;

	if (!t->columns)
		return;
	rows = t->cells.n / t->columns;
	for (size_t i = 0; i < t->cells.n; i++) {
		size_t n = table_width(t->cells.p[i]), *w = &wide[i % t->columns];

		*w = n > *w ? n : *w;
	}
	for (size_t c = 0; c + 1 < t->columns; c++)
		start += wide[c] + GAP;
	if (width > 0)
		room = (size_t)width > start + LAST_LEAST ? (size_t)width - start : LAST_LEAST;
	for (size_t r = 0; r < rows; r++) {
		const char *style = t->styles ? t->styles[r] : NULL;

		buf_puts(out, indent);
		for (size_t c = 0; c < t->columns; c++) {
			const char *cell = t->cells.p[r * t->columns + c];
			size_t pad = wide[c] - table_width(cell);
			bool right = t->right >> c & 1, last = c + 1 == t->columns;

			if (right)
				spaces(out, pad);
			if (!c && style)
				buf_printf(out, "\033[%sm%s\033[0m", style, cell);
			else if (last)
				last_cell(cell, start, room, out);
			else
				buf_puts(out, cell);
			if (!last)
				spaces(out, (right ? 0 : pad) + GAP);
		}
		while (out->len && out->data[out->len - 1] == ' ')
			out->data[--out->len] = 0;
		buf_putc(out, '\n');
	}
}
