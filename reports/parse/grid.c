/* SPDX-License-Identifier: MIT */
/*
 * What the readers of tables share: cells with spans become a grid in which each place has its
 * text. Invariant: a grid is bounded before its places are made, whatever its spans say.
 */
#include "grid.h"

#include "base/buf.h"
#include "csv.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define WARN_BYTES 256
#define PATH_BYTES 1024

const struct grid_cell *grid_at(const struct grid *g, size_t row, size_t column)
{
	return &g->cells[row * g->columns + column];
}

const char *grid_heading(const struct grid *g, size_t column, struct arena *a)
{
	AUTOBUF text = BUF_INIT(1 << 16);
	const char *last = "";

	for (size_t row = 0; row < g->heads; row++) {
		const struct grid_cell *cell = grid_at(g, row, column);

		if (*cell->text && !cell->down && strcmp(cell->text, last))
			buf_printf(&text, "%s%s", text.len ? " " : "", cell->text);
		last = cell->text;
	}
	return arena_strdup(a, buf_str(&text));
}

bool grid_put(struct grid_build *b, const struct grid_place *place)
{
	size_t right = place->column + place->columns, bottom = place->row + 1;

	/* Only a row in which a cell begins is one: a few bytes cannot make a million places. */
	if (!place->columns || !place->rows || right > GRID_COLUMNS)
		return false;
	right = right > b->columns ? right : b->columns;
	bottom = bottom > b->rows ? bottom : b->rows;
	if (right * bottom > GRID_CELLS)
		return false;
	b->columns = right;
	b->rows = bottom;
	vec_push(&b->places, *place);
	return true;
}

static void fill(struct grid_cell *cells, const struct grid *g, const struct grid_place *p)
{
	for (size_t r = p->row; r < p->row + p->rows && r < g->rows; r++)
		for (size_t c = p->column; c < p->column + p->columns; c++) {
			struct grid_cell *cell = &cells[r * g->columns + c];

			if (!cell->line)
				*cell = (struct grid_cell){
					p->text, p->line, c > p->column, r > p->row};
		}
}

static const char *section_of(const struct grid_where *w, struct arena *a)
{
	AUTOBUF path = BUF_INIT(PATH_BYTES);

	for (size_t i = 0; i < GRID_LEVELS; i++)
		if (w->names[i] && *w->names[i])
			buf_printf(&path, "%s%s", path.len ? " / " : "", w->names[i]);
	return arena_strdup(a, buf_str(&path));
}

void grid_tell(struct grid_build *b, const struct grid_where *w, const char *title,
	const struct grid_sink *sink)
{
	struct grid g = {section_of(w, &b->arena), grid_title(w, title), buf_str(&w->above),
		b->line, b->rows, b->columns, b->heads};
	struct grid_cell *cells =
		arena_alloc(&b->arena, (b->rows * b->columns + 1) * sizeof *cells);

	for (size_t i = 0; i < b->rows * b->columns; i++)
		cells[i].text = "";
	vec_each (&b->places, p)
		fill(cells, &g, p);
	if (!g.heads || g.heads > g.rows)
		g.heads = 1;
	g.cells = cells;
	if (g.rows > 1)
		sink->grid(sink->arg, &g);
	arena_done(&b->arena);
	vec_done(&b->places);
	*b = (struct grid_build){0};
}

/* A character that a backslash makes plain in reStructuredText. */
static bool is_mark(char c)
{
	return c && strchr("*`_|-\\ ", c);
}

const char *grid_text(struct arena *a, struct str text)
{
	AUTOBUF out = BUF_INIT(GRID_TEXT_BYTES);
	bool blank = false;

	for (size_t i = 0; i < text.n; i++) {
		char c = text.p[i];
		char next = i + 1 < text.n ? text.p[i + 1] : 0;

		if (c == '\\' && is_mark(next)) {
			c = text.p[++i];
			if (c == ' ')
				continue;
		} else if ((c == '*' || c == '`') && next == c) {
			i++;
			continue;
		}
		if (!c || strchr(" \t\r\n\v\f", c)) {
			blank = out.len != 0;
			continue;
		}
		if (blank)
			buf_putc(&out, ' ');
		blank = false;
		buf_putc(&out, c);
	}
	return arena_strdup(a, buf_str(&out));
}

void grid_enter(struct grid_where *w, size_t level, struct str name)
{
	level = level < GRID_LEVELS ? level : GRID_LEVELS - 1;
	w->names[level] = grid_text(&w->arena, name);
	for (size_t i = level + 1; i < GRID_LEVELS; i++)
		w->names[i] = NULL;
	w->caption = NULL;
	buf_reset(&w->above);
}

void grid_above(struct grid_where *w, struct str text)
{
	struct arena a = {0};
	const char *clean = grid_text(&a, text);
	size_t n = strlen(clean);

	if (!w->above.cap)
		w->above = (struct buf)BUF_INIT(GRID_ABOVE_BYTES);
	if (w->above.len + n + 1 > GRID_ABOVE_BYTES)
		buf_eat(&w->above, w->above.len + n + 1 - GRID_ABOVE_BYTES);
	buf_add(&w->above, clean, n);
	buf_putc(&w->above, ' ');
	arena_done(&a);
}

void grid_where_done(struct grid_where *w)
{
	arena_done(&w->arena);
	buf_done(&w->above);
}

const char *grid_title(const struct grid_where *w, const char *told)
{
	if (told && *told)
		return told;
	if (w->caption && *w->caption)
		return w->caption;
	for (size_t i = GRID_LEVELS; i-- > 0;)
		if (w->names[i] && *w->names[i])
			return w->names[i];
	return "";
}

void grid_warn(const struct grid_sink *sink, size_t line, const char *fmt, ...)
{
	char text[WARN_BYTES];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof text, fmt, ap);
	va_end(ap);
	if (sink->warn)
		sink->warn(sink->arg, line, text);
}

/* ---- CSV --------------------------------------------------------------------------------------
 */

void grid_read_csv(struct grid_build *b, struct str text, size_t line, size_t row,
	const struct grid_sink *sink)
{
	struct csv c;

	csv_init(&c, text);
	while (csv_next(&c)) {
		size_t at = line + c.line - 1;

		if (c.damage || (row && c.n != b->columns)) {
			grid_warn(sink, at, "%s",
				c.damage ? c.damage : "it has other columns than its table");
			continue;
		}
		for (size_t i = 0; i < c.n; i++) {
			struct grid_place p = {row, i, 1, 1, at, grid_text(&b->arena, c.fields[i])};

			if (!grid_put(b, &p)) {
				grid_warn(sink, at, "the table is too large");
				csv_done(&c);
				return;
			}
		}
		row++;
	}
	csv_done(&c);
}

int grid_csv(struct str text, const char *title, const struct grid_sink *sink, struct err *e)
{
	struct grid_build b = {.line = 1};
	struct grid_where nowhere = {0};

	(void)e;
	grid_read_csv(&b, text, 1, 0, sink);
	grid_tell(&b, &nowhere, title, sink);
	return 0;
}
