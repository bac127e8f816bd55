/* SPDX-License-Identifier: MIT */
/*
 * The readers of tables over any bytes; the first byte picks one. What they tell must be a grid
 * whose every place has a text and a heading that can be read.
 */
#include "base/err.h"
#include "base/mem.h"
#include "reports/parse/cell.h"
#include "reports/parse/grid.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

static void on_grid(void *arg, const struct grid *g)
{
	struct arena a = {0};
	struct cell_figure f;

	(void)arg;
	if (g->rows < 2 || !g->columns || g->columns > GRID_COLUMNS || !g->heads ||
		g->heads > g->rows || !g->title || !g->section)
		abort();
	for (size_t c = 0; c < g->columns; c++)
		if (!grid_heading(g, c, &a))
			abort();
	for (size_t i = 0; i < g->rows * g->columns; i++) {
		if (strlen(g->cells[i].text) > GRID_TEXT_BYTES)
			abort();
		cell_figure(str_of(g->cells[i].text), &f);
	}
	arena_done(&a);
}

static void on_warn(void *arg, size_t line, const char *text)
{
	(void)arg;
	(void)line;
	if (!text || !*text)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	const struct grid_sink sink = {NULL, on_grid, on_warn};
	struct str text = str_make((const char *)data + 1, n ? n - 1 : 0);
	struct err e = {0};

	if (!n)
		return 0;
	if (data[0] % 3 == 0)
		grid_rst(text, &sink, &e);
	else if (data[0] % 3 == 1)
		grid_html(text, &sink, &e);
	else
		grid_csv(text, "t", &sink, &e);
	return 0;
}
