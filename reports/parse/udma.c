/* SPDX-License-Identifier: MIT */
/*
 * Block-copy tables of TI's UDMA tests (PDK 7.x to 8.x for J721E): a row for each test, a column of
 * throughput and one of CPU load for each core. Their MB is 10^6 bytes, read and written together.
 * Invariant: a cell without its unit ("11612 MB/sec", "10%") is missing.
 */
#include "parsers.h"
#include "rows.h"

#include <stdio.h>

struct udma {
	const struct sink *sink;
	bool load[ROWS_CELLS];                   /* the column is of CPU load */
	char core[ROWS_CELLS][ROWS_LABEL_BYTES]; /* "" : the column is no figure's */
	size_t n; /* columns of the table in hand; 0: there is none */
	char by[ROWS_LABEL_BYTES];
	size_t figures;
};

static bool udma_head(struct udma *p, const struct str *cells, size_t n)
{
	if (n < 2 || !rows_has(cells[0], "test description"))
		return false;
	p->n = n;
	for (size_t i = 1; i < n; i++) {
		ptrdiff_t open = str_chr(cells[i], '(');
		bool load = rows_has(cells[i], "cpu load");

		p->core[i][0] = 0;
		p->load[i] = load;
		if (open < 0 || (!load && !rows_has(cells[i], "throughput")) ||
			rows_slug(
				str_make(cells[i].p + open, cells[i].n - (size_t)open), p->core[i]))
			p->core[i][0] = 0;
		/* "C66x_1/2" is known as c66x-1-2. */
		for (char *c = p->core[i]; *c; c++)
			*c = *c == '_' ? '-' : *c;
	}
	return true;
}

/* "DRU Blockcopy", "1.1.2.5.5. MCU NAVSS Blockcopy (Normal Channel)" */
static void udma_context(struct udma *p, struct str line)
{
	ptrdiff_t at = str_find(line, STR_LIT(" Blockcopy"));
	struct str word, rest;

	if (at < 0)
		return;
	line.n = (size_t)at;
	rest = line;
	if (str_word(&rest, &word) && word.n && str_ends(word, "."))
		line = rest;
	if (rows_slug(line, p->by))
		p->by[0] = 0;
}

/* "[PDK-3501] 1CH DDR 1MB to DDR 1MB" */
static int udma_test(struct str cell, char test[ROWS_LABEL_BYTES], char path[ROWS_LABEL_BYTES])
{
	ptrdiff_t end = str_chr(cell, ']');

	test[0] = 0;
	if (cell.n && *cell.p == '[' && end > 0) {
		if (rows_slug(str_make(cell.p + 1, (size_t)end - 1), test))
			return -1;
		cell = str_make(cell.p + end + 1, cell.n - (size_t)end - 1);
	}
	return rows_slug(cell, path);
}

static void udma_figure(
	struct udma *p, size_t i, struct str cell, const struct sink_label *labels, size_t n)
{
	struct str unit, rest;
	double value;
	bool good = !rows_number(cell, &value, &unit) && str_word(&unit, &rest) &&
		    str_is(rest, p->load[i] ? "%" : "MB/sec");

	if (!good) {
		sink_warn(p->sink, "core '%s': no figure with a unit in its cell", p->core[i]);
		return;
	}
	sink_figure(p->sink, p->load[i] ? "udma.cpu_load" : "udma.bw", value,
		p->load[i] ? "%" : "MB/sec", labels, n);
	p->figures++;
}

static void udma_row(struct udma *p, const struct str *cells)
{
	char test[ROWS_LABEL_BYTES], path[ROWS_LABEL_BYTES];

	if (udma_test(cells[0], test, path)) {
		sink_warn(p->sink, "a test has no name that can be kept, and is passed over");
		return;
	}
	for (size_t i = 1; i < p->n; i++) {
		struct sink_label labels[4] = {{"path", path}, {"core", p->core[i]}};
		size_t n = 2;

		if (!*p->core[i])
			continue;
		if (*test)
			labels[n++] = (struct sink_label){"test", test};
		if (*p->by)
			labels[n++] = (struct sink_label){"by", p->by};
		udma_figure(p, i, cells[i], labels, n);
	}
}

static int udma_parse(struct str text, const struct sink *sink, struct err *e)
{
	struct udma p = {.sink = sink};
	struct lines lines;
	struct str line, cells[ROWS_CELLS];

	lines_init(&lines, text, sink);
	while (rows_next(&lines, &line)) {
		size_t n = rows_cells(line, cells, ROWS_CELLS);

		if (!line.n || rows_is_rule(line) || udma_head(&p, cells, n))
			continue;
		if (n < 2) {
			p.n = 0;
			udma_context(&p, line);
		} else if (p.n && n == p.n) {
			udma_row(&p, cells);
		} else if (p.n) {
			sink_warn(sink, "a row of the table is damaged, and passed over");
		}
	}
	return p.figures ? 0 : lines_nothing(text, "udma", "block-copy table", e);
}

static int udma_detect(struct str text)
{
	return str_find(text, STR_LIT("Test Description")) >= 0 &&
			       str_find(text, STR_LIT("MB/sec")) >= 0
		       ? 85
		       : 0;
}

static const char *const udma_marks[] = {"Test Description", " Blockcopy", NULL};

const struct parser udma_parser = {
	.d = {.name = "udma",
		.brief = "block-copy tables of UDMA tests",
		.proven = "golden cases; table shape of the J721E PDK 8"},
	.detect = udma_detect,
	.parse = udma_parse,
	.marks = udma_marks,
};
