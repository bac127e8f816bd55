/* SPDX-License-Identifier: MIT */
/*
 * Tables that are drawn with characters, as reStructuredText has them: grid tables with +---+ and
 * |, simple tables between lines of ===. Invariant: a grid table is taken whole or not at all (a
 * cell whose border is broken may be any size), and how long its cells are looked for is bounded;
 * in a simple table a line that does not keep to the columns costs itself only.
 */
#include "base/buf.h"
#include "grid.h"

#include <string.h>

#define DRAWN_LINES 20000
#define DRAWN_WIDTH 4096
#define DRAWN_STEPS ((size_t)64 << 20) /* characters looked at for the cells of one table */

bool grid_is_border(struct str line)
{
	if (line.n < 3 || line.p[0] != '+' || line.p[line.n - 1] != '+')
		return false;
	for (size_t i = 0; i < line.n; i++)
		if (line.p[i] != '+' && line.p[i] != '-' && line.p[i] != '=')
			return false;
	return true;
}

bool grid_is_simple_border(struct str line)
{
	bool gap = false;

	if (line.n < 3 || line.p[0] != '=')
		return false;
	for (size_t i = 0; i < line.n; i++) {
		if (line.p[i] != '=' && line.p[i] != ' ')
			return false;
		gap = gap || line.p[i] == ' ';
	}
	return gap;
}

/* ---- grid tables ------------------------------------------------------------------------------
 */

/* The table as characters, one byte each: what is not ASCII is 'x' in shape and stands in bytes. */
struct drawn {
	size_t rows, columns, steps;
	char *shape;      /* rows x columns */
	uint32_t *starts; /* of each character in its line; columns + 1 a row */
	const struct grid_line *lines;
	char *done; /* rows x columns: inside a cell that was found */
};

static char at(struct drawn *d, size_t row, size_t column)
{
	d->steps++;
	return d->shape[row * d->columns + column];
}

static bool is_flat(char c)
{
	return c == '-' || c == '=' || c == '+';
}

static size_t characters(struct str s)
{
	size_t n = 0;

	for (size_t i = 0; i < s.n; i++)
		n += ((unsigned char)s.p[i] & 0xc0) != 0x80;
	return n;
}

static bool draw(struct drawn *d, const struct grid_line *lines, size_t n, struct arena *a)
{
	d->lines = lines;
	d->rows = n;
	d->columns = lines[0].text.n;
	if (n > DRAWN_LINES || d->columns > DRAWN_WIDTH || n * d->columns > GRID_CELLS * 16)
		return false;
	d->shape = arena_alloc(a, n * d->columns);
	d->done = arena_alloc(a, n * d->columns);
	d->starts = arena_alloc(a, n * (d->columns + 1) * sizeof *d->starts);
	for (size_t r = 0; r < n; r++) {
		struct str s = lines[r].text;
		size_t c = 0;

		if (characters(s) > d->columns)
			return false;
		for (size_t i = 0; i < s.n; i++) {
			unsigned char byte = (unsigned char)s.p[i];

			if ((byte & 0xc0) == 0x80 && i)
				continue;
			if (c >= d->columns)
				return false;
			d->starts[r * (d->columns + 1) + c] = (uint32_t)i;
			d->shape[r * d->columns + c++] = byte < 0x80 ? s.p[i] : 'x';
		}
		for (; c <= d->columns; c++) {
			d->starts[r * (d->columns + 1) + c] = (uint32_t)s.n;
			if (c < d->columns)
				d->shape[r * d->columns + c] = ' ';
		}
	}
	return true;
}

/* Its left side, from the bottom up. */
static bool closes(struct drawn *d, size_t top, size_t left, size_t bottom, size_t right)
{
	for (size_t c = right - 1; c > left; c--)
		if (!is_flat(at(d, bottom, c)))
			return false;
	if (at(d, bottom, left) != '+')
		return false;
	for (size_t r = bottom - 1; r > top; r--)
		if (at(d, r, left) != '|' && at(d, r, left) != '+')
			return false;
	return true;
}

/* The smallest cell whose left upper corner that is. */
static bool find_cell(struct drawn *d, size_t top, size_t left, size_t *bottom, size_t *right)
{
	for (size_t c = left + 1; c < d->columns && d->steps < DRAWN_STEPS; c++) {
		char flat = at(d, top, c);

		if (!is_flat(flat))
			return false;
		if (flat != '+')
			continue;
		for (size_t r = top + 1; r < d->rows && d->steps < DRAWN_STEPS; r++) {
			char side = at(d, r, c);

			if (side != '|' && side != '+')
				break;
			if (side == '+' && closes(d, top, left, r, c)) {
				*bottom = r;
				*right = c;
				return true;
			}
		}
	}
	return false;
}

static const char *cell_text(struct drawn *d, struct arena *a, const struct grid_place *p)
{
	AUTOBUF text = BUF_INIT(1 << 16);

	for (size_t r = p->row + 1; r < p->row + p->rows; r++) {
		const uint32_t *starts = d->starts + r * (d->columns + 1);
		size_t from = starts[p->column + 1], to = starts[p->column + p->columns];

		if (to > from)
			buf_add(&text, d->lines[r].text.p + from, to - from);
		buf_putc(&text, ' ');
	}
	return grid_text(a, str_make(buf_str(&text), text.len));
}

/* Which of the sorted places a border has. */
static size_t index_of(const char *marks, size_t at)
{
	size_t n = 0;

	for (size_t i = 0; i < at; i++)
		n += marks[i];
	return n;
}

static void mark_done(struct drawn *d, const struct grid_place *p)
{
	for (size_t r = p->row; r < p->row + p->rows; r++)
		memset(d->done + r * d->columns + p->column, 1, p->columns);
}

/* All cells, in places of characters. False: one is not closed. */
static bool find_cells(struct drawn *d, struct grid_build *b, void *list)
{
	VEC(struct grid_place) *cells = list;

	for (size_t r = 0; r + 1 < d->rows; r++)
		for (size_t c = 0; c + 1 < d->columns; c++) {
			struct grid_place p = {.row = r, .column = c, .line = d->lines[r].line + 1};
			size_t bottom, right;

			if (d->done[r * d->columns + c])
				continue;
			if (at(d, r, c) != '+' || !find_cell(d, r, c, &bottom, &right))
				return false;
			p.rows = bottom - r;
			p.columns = right - c;
			p.text = cell_text(d, &b->arena, &p);
			mark_done(d, &p);
			vec_push(cells, p);
			c = right - 1;
		}
	return true;
}

/* From characters to rows and columns: a border that begins any cell is one of the table. */
static bool put_cells(
	struct drawn *d, struct grid_build *b, const struct grid_place *cells, size_t n)
{
	char *rows = arena_alloc(&b->arena, d->rows + 1),
	     *columns = arena_alloc(&b->arena, d->columns + 1);

	for (size_t i = 0; i < n; i++)
		rows[cells[i].row] = columns[cells[i].column] = 1;
	for (size_t i = 0; i < n; i++) {
		struct grid_place p = cells[i];
		size_t bottom = index_of(rows, p.row + p.rows),
		       right = index_of(columns, p.column + p.columns);

		p.row = index_of(rows, p.row);
		p.column = index_of(columns, p.column);
		p.rows = bottom - p.row;
		p.columns = right - p.column;
		if (!grid_put(b, &p))
			return false;
	}
	for (size_t r = 1; r + 1 < d->rows; r++)
		if (d->shape[r * d->columns] == '+' && d->shape[r * d->columns + 1] == '=')
			b->heads = index_of(rows, r);
	return true;
}

void grid_read_drawn(
	struct grid_build *b, const struct grid_line *lines, size_t n, const struct grid_sink *sink)
{
	VEC(struct grid_place) cells = {0};
	struct drawn d = {0};

	if (n < 3 || !draw(&d, lines, n, &b->arena))
		grid_warn(sink, lines[0].line,
			"the table is too large, or a line is longer than its first");
	else if (!find_cells(&d, b, &cells))
		grid_warn(sink, lines[0].line, "the borders of the table are broken");
	else if (!put_cells(&d, b, cells.p, cells.n))
		grid_warn(sink, lines[0].line, "the table is too large");
	vec_done(&cells);
}

/* ---- simple tables ----------------------------------------------------------------------------
 */

struct bounds {
	size_t n, from[GRID_COLUMNS], to[GRID_COLUMNS];
};

/* Columns of a border of that character; false: it is none. */
static bool read_bounds(struct str line, char border, struct bounds *b)
{
	b->n = 0;
	for (size_t i = 0; i < line.n;) {
		size_t from = i;

		if (line.p[i] == ' ') {
			i++;
			continue;
		}
		while (i < line.n && line.p[i] == border)
			i++;
		if (i == from || b->n == GRID_COLUMNS)
			return false;
		b->from[b->n] = from;
		b->to[b->n++] = i;
	}
	return b->n > 0;
}

/* Byte of the nth character. */
static size_t byte_of(struct str s, size_t n)
{
	size_t i = 0;

	for (; i < s.n; i++)
		if (((unsigned char)s.p[i] & 0xc0) != 0x80 && !n--)
			break;
	return i;
}

static struct str slice(struct str line, const struct bounds *b, size_t from, size_t to)
{
	size_t start = byte_of(line, b->from[from]),
	       end = to + 1 == b->n ? line.n : byte_of(line, b->to[to]);

	return end > start ? str_trim(str_make(line.p + start, end - start)) : str_make("", 0);
}

/* Nothing may stand between two columns. */
static bool keeps(struct str line, const struct bounds *b)
{
	for (size_t i = 0; i + 1 < b->n; i++) {
		size_t from = byte_of(line, b->to[i]), to = byte_of(line, b->from[i + 1]);

		if (to > from && str_trim(str_make(line.p + from, to - from)).n)
			return false;
	}
	return true;
}

struct simple {
	struct grid_build *b;
	struct bounds columns, spans; /* spans.n 0: each column is one */
	struct buf texts[GRID_COLUMNS];
	size_t row, line; /* line 0: no row is open */
};

static void end_row(struct simple *s, const struct grid_sink *sink)
{
	const struct bounds *b = s->spans.n ? &s->spans : &s->columns;
	size_t column = 0;

	if (!s->line)
		return;
	for (size_t i = 0; i < b->n; i++) {
		struct grid_place p = {s->row, column, 1, 0, s->line,
			grid_text(&s->b->arena, str_make(buf_str(&s->texts[i]), s->texts[i].len))};

		while (column < s->columns.n && s->columns.from[column] < b->to[i])
			column++, p.columns++;
		if (p.columns && !grid_put(s->b, &p))
			grid_warn(sink, s->line, "the table is too large");
		buf_reset(&s->texts[i]);
	}
	s->row++;
	s->line = 0;
	s->spans.n = 0;
}

static void simple_line(struct simple *s, const struct grid_line *l, const struct grid_sink *sink)
{
	const struct bounds *b = &s->columns;

	if (!keeps(l->text, b)) {
		/* A heading over several columns: its own line of --- says which. */
		grid_warn(sink, l->line, "it does not keep to the columns of its table");
		return;
	}
	if (slice(l->text, b, 0, 0).n || !s->line) {
		end_row(s, sink);
		s->line = l->line;
	}
	for (size_t i = 0; i < b->n; i++) {
		struct str text = slice(l->text, b, i, i);

		if (text.n && s->texts[i].len)
			buf_putc(&s->texts[i], ' ');
		buf_add(&s->texts[i], text.p, text.n);
	}
}

/* A row whose columns are told by the line of --- below it. */
static bool spanned(struct simple *s, const struct grid_line *l, const struct grid_line *below,
	const struct grid_sink *sink)
{
	if (!below || below->text.n < 2 || below->text.p[0] != '-' ||
		!read_bounds(below->text, '-', &s->spans)) {
		s->spans.n = 0;
		return false;
	}
	for (size_t i = 0; i < s->spans.n; i++) {
		struct str text = slice(l->text, &s->spans, i, i);

		buf_add(&s->texts[i], text.p, text.n);
	}
	s->line = l->line;
	end_row(s, sink);
	return true;
}

void grid_read_simple(
	struct grid_build *b, const struct grid_line *lines, size_t n, const struct grid_sink *sink)
{
	struct simple s = {.b = b};
	size_t borders = 1;

	if (!n || n > DRAWN_LINES || lines[0].text.n > DRAWN_WIDTH ||
		!read_bounds(lines[0].text, '=', &s.columns)) {
		grid_warn(sink, n ? lines[0].line : 0, "the table is too large");
		return;
	}
	for (size_t i = 0; i < s.columns.n; i++)
		s.texts[i] = (struct buf)BUF_INIT(1 << 16);
	for (size_t i = 1; i < n; i++) {
		if (grid_is_simple_border(lines[i].text)) {
			end_row(&s, sink);
			if (borders++ == 1 && i + 1 < n)
				b->heads = s.row;
			continue;
		}
		if (!lines[i].text.n)
			end_row(&s, sink);
		else if (spanned(&s, &lines[i], i + 1 < n ? &lines[i + 1] : NULL, sink))
			i++;
		else
			simple_line(&s, &lines[i], sink);
	}
	end_row(&s, sink);
	for (size_t i = 0; i < s.columns.n; i++)
		buf_done(&s.texts[i]);
}
