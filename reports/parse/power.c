/* SPDX-License-Identifier: MIT */
/*
 * Power-rail tables of TI's Linux SDKs (PSP 04.06, Processor SDK 9 to 11): a row for each rail,
 * columns of volts and milliwatts or a column of milliwatts for each operating point, and a total.
 * Invariant: the unit is the one in the column's head, the state the one in the table's heading.
 */
#include "parsers.h"
#include "rows.h"

#include <stdio.h>

enum power_column { POWER_OTHER, POWER_RAIL, POWER_VOLT, POWER_WATT, POWER_AMPERE };

struct power_table {
	const struct sink *sink;
	enum power_column columns[ROWS_CELLS];
	char mhz[ROWS_CELLS][16]; /* "" : the column is of no operating point */
	size_t n;                 /* columns of the table in hand; 0: there is none */
	char state[ROWS_LABEL_BYTES];
	size_t figures;
};

static enum power_column power_column(struct str head)
{
	if (rows_has(head, "(mW)") || rows_has(head, "(milliwatts)"))
		return POWER_WATT;
	if (rows_has(head, "(V)"))
		return POWER_VOLT;
	return rows_has(head, "(mA)") ? POWER_AMPERE : POWER_OTHER;
}

/* "OPP 275 MHz (milliwatts)" */
static void power_mhz(struct str head, char out[16])
{
	struct str word;
	uint64_t mhz;
	bool opp = false;

	out[0] = 0;
	while (str_word(&head, &word)) {
		if (opp && !str_u64(word, &mhz) && mhz < 100000)
			snprintf(out, 16, "%u", (unsigned)mhz);
		opp = str_is(word, "OPP");
	}
}

static bool power_head(struct power_table *p, struct str line)
{
	struct str cells[ROWS_CELLS];
	size_t n = rows_cells(line, cells, ROWS_CELLS), figures = 0;

	if (n < 2 || (!rows_has(cells[0], "rail name") && !rows_has(cells[0], "power rail")))
		return false;
	p->columns[0] = POWER_RAIL;
	for (size_t i = 1; i < n; i++) {
		p->columns[i] = power_column(cells[i]);
		power_mhz(cells[i], p->mhz[i]);
		if (*p->mhz[i] && !*p->state)
			snprintf(p->state, sizeof p->state, "idle");
		figures += p->columns[i] != POWER_OTHER;
	}
	p->n = figures ? n : 0;
	return true;
}

/* "Deep Sleep Power Performance", "Suspend mode Power Consumption", "At each OPP" */
static void power_context(struct power_table *p, struct str line)
{
	ptrdiff_t at = str_find(line, STR_LIT(" Power Performance"));
	size_t mode = strlen(" mode");

	if (at < 0)
		at = str_find(line, STR_LIT(" Power Consumption"));
	if (at < 0)
		return;
	line.n = (size_t)at;
	if (line.n > mode && str_ends(line, " mode"))
		line.n -= mode;
	/* What was measured at an operating point was idle (the guides say so beside it). */
	if (str_is(line, "Active") || rows_slug(line, p->state))
		p->state[0] = 0;
}

static void power_figure(struct power_table *p, size_t i, const char *rail, struct str cell)
{
	static const struct {
		const char *metric, *unit;
	} known[] = {[POWER_VOLT] = {"power.voltage", "V"},
		[POWER_WATT] = {"power.rail", "mW"},
		[POWER_AMPERE] = {"power.current", "mA"}};
	struct sink_label labels[3];
	bool total = str_starts(str_of(rail), "Total");
	size_t n = 0;
	double value;

	if (!cell.n && total)
		return;
	if (rows_plain(cell, known[p->columns[i]].unit, &value)) {
		sink_warn(p->sink, "rail '%s': no figure in its cell", rail);
		return;
	}
	if (total && p->columns[i] != POWER_WATT)
		return;
	if (!total)
		labels[n++] = (struct sink_label){"rail", rail};
	if (*p->state)
		labels[n++] = (struct sink_label){"state", p->state};
	if (*p->mhz[i])
		labels[n++] = (struct sink_label){"mhz", p->mhz[i]};
	sink_figure(p->sink, total ? "power.total" : known[p->columns[i]].metric, value,
		known[p->columns[i]].unit, labels, n);
	p->figures++;
}

static void power_line(struct power_table *p, struct str line)
{
	struct str cells[ROWS_CELLS];
	char rail[ROWS_LABEL_BYTES];
	size_t n;

	if (!line.n || rows_is_rule(line) || power_head(p, line))
		return;
	n = rows_cells(line, cells, ROWS_CELLS);
	if (n < 2) {
		p->n = 0;
		power_context(p, line);
		return;
	}
	if (!p->n)
		return;
	if (n != p->n || rows_label(cells[0], rail)) {
		sink_warn(p->sink, "a row of the table is damaged, and passed over");
		return;
	}
	for (size_t i = 1; i < n; i++)
		if (p->columns[i] != POWER_OTHER)
			power_figure(p, i, rail, cells[i]);
}

static int power_parse(struct str text, const struct sink *sink, struct err *e)
{
	struct power_table p = {.sink = sink};
	struct lines lines;
	struct str line;

	lines_init(&lines, text, sink);
	while (rows_next(&lines, &line))
		power_line(&p, line);
	return p.figures ? 0 : lines_nothing(text, "power", "table of power rails", e);
}

static int power_detect(struct str text)
{
	bool rail = str_find(text, STR_LIT("Rail name")) >= 0 ||
		    str_find(text, STR_LIT("Power Rail")) >= 0;

	return rail && (str_find(text, STR_LIT("(mW)")) >= 0 ||
			       str_find(text, STR_LIT("(milliwatts)")) >= 0)
		       ? 90
		       : 0;
}

static const char *const power_marks[] = {
	"rail name", "power rail", " power performance", " power consumption", NULL};

const struct parser power_parser = {
	.d = {.name = "power",
		.brief = "power-rail tables: volts, milliwatts, totals",
		.proven = "golden cases; table shapes of PSP 04.06 and Processor SDK 11"},
	.detect = power_detect,
	.parse = power_parse,
	.marks = power_marks,
};
