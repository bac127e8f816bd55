/* SPDX-License-Identifier: MIT */
/*
 * Published tables into a draft. Invariant: every cell that holds a figure is stored, or it is told
 * why not; a table that no rule is about costs one warning.
 */
#include "base/fs.h"
#include "cli/import-map.h"
#include "reports/parse/cell.h"
#include "reports/parse/grid.h"

#include <stdio.h>
#include <string.h>

#define NAMES_MAX 8 /* of the first columns, put together */

struct guide {
	struct import_draft *d;
	const struct import_map *map;
	struct arena texts; /* of one table */
	const struct grid *grid;
	const char **headings;
	size_t row, most_names;       /* columns that name a row by any rule */
	const char *names[NAMES_MAX]; /* what the row is called, by how many columns name it */
	const char *part;             /* a row over the whole width that stands above; "" */
};

static void on_warn(void *arg, size_t line, const char *text)
{
	struct guide *g = arg;

	import_warn(g->d, line, "%s", text);
}

/* A word such as "8D" is none. */
static bool is_figure(const struct grid_cell *cell)
{
	struct cell_figure f;
	char unit[32];

	if (cell->across || cell->down || cell_figure(str_of(cell->text), &f) != CELL_FIGURE)
		return false;
	snprintf(unit, sizeof unit, "%.*s", STR_ARG(f.unit));
	return !f.unit.n || metric_unit_known(unit);
}

static bool beside(void *arg, size_t i, struct str *heading, struct str *text)
{
	const struct guide *g = arg;

	if (i >= g->grid->columns)
		return false;
	*heading = str_of(g->headings[i]);
	*text = str_of(grid_at(g->grid, g->row, i)->text);
	return true;
}

static void name_row(struct guide *g)
{
	const char *name = g->part;

	for (size_t i = 0; i < NAMES_MAX; i++) {
		const char *text = i < g->grid->columns ? grid_at(g->grid, g->row, i)->text : "";

		name = arena_printf(&g->texts, "%s%s%s", name, *name ? "; " : "", text);
		g->names[i] = name;
	}
}

/* One text over all columns is what the rows below it are of. */
static bool is_part(const struct guide *g)
{
	for (size_t i = 1; i < g->grid->columns; i++)
		if (!grid_at(g->grid, g->row, i)->across)
			return false;
	return g->grid->columns > 1;
}

static void read_cell(struct guide *g, size_t column)
{
	const struct grid_cell *cell = grid_at(g->grid, g->row, column);
	const struct map_cell c = {
		.text = {[MAP_SECTION] = g->grid->section,
			[MAP_TABLE] = g->grid->title,
			[MAP_ABOVE] = g->grid->above,
			[MAP_ROW] = g->names[0],
			[MAP_COLUMN] = g->headings[column]},
		.names = g->names,
		.at = column,
		.value = str_of(cell->text),
		.line = cell->line,
		.beside = beside,
		.arg = g,
	};

	if (cell->across || cell->down || map_cell(g->map, g->d, &c, NULL) != MAP_NO_RULE ||
		column < g->most_names || !is_figure(cell))
		return;
	import_warn(g->d, cell->line, "no rule for table '%s', row '%s', column '%s'",
		g->grid->title, g->names[0], g->headings[column]);
	g->d->n_refused++;
}

static void pass_over(struct guide *g)
{
	size_t n = 0;

	for (size_t r = g->grid->heads; r < g->grid->rows; r++)
		for (size_t c = 1; c < g->grid->columns; c++)
			n += is_figure(grid_at(g->grid, r, c));
	if (!n)
		return;
	import_warn(g->d, g->grid->line, "no rule for table '%s' (in '%s'): %zu figures left out",
		g->grid->title, g->grid->section, n);
	g->d->n_refused += n;
}

static void on_grid(void *arg, const struct grid *grid)
{
	struct guide *g = arg;

	g->grid = grid;
	g->most_names = (size_t)map_names(g->map, grid->section, grid->title);
	if (!g->most_names) {
		pass_over(g);
		return;
	}
	g->headings = arena_alloc(&g->texts, (grid->columns + 1) * sizeof *g->headings);
	for (size_t i = 0; i < grid->columns; i++)
		g->headings[i] = grid_heading(grid, i, &g->texts);
	g->part = "";
	for (g->row = grid->heads; g->row < grid->rows; g->row++) {
		if (is_part(g)) {
			g->part = grid_at(grid, g->row, 0)->text;
			continue;
		}
		name_row(g);
		for (size_t i = 1; i < grid->columns; i++)
			read_cell(g, i);
	}
	arena_done(&g->texts);
}

static int read_document(struct import_draft *d, const struct import_map *map, const char *format,
	struct str text, struct err *e)
{
	struct guide g = {.d = d, .map = map};
	const struct grid_sink sink = {&g, on_grid, on_warn};
	const char *base = fs_basename(d->file);
	size_t n = strlen(base) - (str_ends(str_of(base), ".csv") ? 4 : 0);

	if (!strcmp(format, "rst"))
		return grid_rst(text, &sink, e);
	if (!strcmp(format, "html"))
		return grid_html(text, &sink, e);
	return grid_csv(text, arena_strndup(&d->arena, base, n), &sink, e);
}

int import_guide(struct import_draft *d, const struct import_map *map, const char *format,
	struct str text, struct err *e)
{
	struct import_draft first;
	int failed;

	/* Tables that name no board are of the only one that the others name. */
	import_draft_init(&first, d->file, d->args, d->metrics);
	failed = read_document(&first, map, format, text, e);
	if (first.printed.n == 1)
		d->only_board = arena_strdup(&d->arena, first.printed.entries[0].key);
	import_draft_done(&first);
	if (!failed)
		failed = read_document(d, map, format, text, e);
	return failed ? err_wrap(e, "'%s'", d->file) : 0;
}
