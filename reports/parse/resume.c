/* SPDX-License-Identifier: MIT */
/*
 * Resume latencies: the tables of TI's Processor SDK (9 to 11), "Low Power Mode | Total Resume
 * Latency (ms)". Invariant: the unit is the one in the column's head.
 */
#include "parsers.h"
#include "rows.h"

#include <stdio.h>

static bool resume_head(const struct str *cells, size_t n, char unit[8])
{
	struct str head;
	ptrdiff_t open;

	if (n != 2 || !rows_has(cells[0], "low power mode") ||
		!rows_has(cells[1], "resume latency"))
		return false;
	head = cells[1];
	open = str_chr(head, '(');
	unit[0] = 0;
	if (open >= 0 && str_ends(head, ")") && head.n - (size_t)open - 2 < 8)
		lines_copy(str_make(head.p + open + 1, head.n - (size_t)open - 2), unit, 8);
	if (strcmp(unit, "ms") && strcmp(unit, "us") && strcmp(unit, "s"))
		unit[0] = 0;
	return true;
}

static bool resume_row(const struct sink *sink, const struct str *cells, const char *unit)
{
	char mode[ROWS_LABEL_BYTES];
	struct sink_label label = {"mode", mode};
	double value;

	if (rows_slug(cells[0], mode) || rows_plain(cells[1], unit, &value)) {
		sink_warn(sink, "a row of the table has no latency, and is passed over");
		return false;
	}
	sink_figure(sink, "resume.latency", value, unit, &label, 1);
	return true;
}

static int resume_parse(struct str text, const struct sink *sink, struct err *e)
{
	struct lines lines;
	struct str line, cells[ROWS_CELLS];
	size_t figures = 0;
	char unit[8] = "";

	lines_init(&lines, text, sink);
	while (rows_next(&lines, &line)) {
		size_t n = rows_cells(line, cells, ROWS_CELLS);

		if (rows_is_rule(line) || resume_head(cells, n, unit))
			continue;
		if (n != 2)
			unit[0] = 0;
		else if (*unit)
			figures += resume_row(sink, cells, unit);
	}
	return figures ? 0 : lines_nothing(text, "resume", "resume latency", e);
}

static int resume_detect(struct str text)
{
	return str_find(text, STR_LIT("Resume Latency (")) >= 0 ? 90 : 0;
}

static const char *const resume_marks[] = {"resume latency", NULL};

const struct parser resume_parser = {
	.d = {.name = "resume",
		.brief = "resume latency of low-power modes",
		.proven = "golden cases; table shapes of Processor SDK 9 to 11"},
	.detect = resume_detect,
	.parse = resume_parse,
	.marks = resume_marks,
};
