/* SPDX-License-Identifier: MIT */
/*
 * Network tables of TI's RTOS SDKs (PDK 7.x to 9.x, MCU+ SDK 8 to 11; lwIP against iperf on a PC):
 * TCP as bandwidth and CPU load, UDP as bandwidth, CPU load and loss for each datagram length, as
 * rows or one cell a line. Invariant: what is told of a direction is taken whole: numbers that do
 * not fill its columns make no figure, as nobody can tell which of them is missing.
 */
#include "parsers.h"
#include "rows.h"

#include <stdio.h>

#define LWIP_SIZES   8
#define LWIP_NUMBERS 96 /* of one direction */

struct lwip {
	const struct sink *sink;
	char stack[ROWS_LABEL_BYTES];
	bool stack_next;
	char sizes[LWIP_SIZES][8]; /* datagram lengths of the table in hand */
	size_t n_sizes;
	bool lost;  /* a line was damaged: lengths up to the next "Test" are not all */
	bool sized; /* the cell before was one, too */
	/* What is told of one direction. */
	const char *protocol, *way; /* protocol NULL: nothing is */
	double numbers[LWIP_NUMBERS], both[2];
	size_t n;
	bool has_both, most; /* most: as much as goes */

	size_t figures;
};

struct lwip_labels {
	struct sink_label p[6];
	size_t n;
};

static void lwip_label(struct lwip_labels *l, const char *name, const char *value)
{
	if (*value)
		l->p[l->n++] = (struct sink_label){name, value};
}

static void lwip_tell(struct lwip *p, const char *metric, double value, const char *unit,
	const char *way, const char *size, const char *step)
{
	struct lwip_labels l = {.n = 0};

	lwip_label(&l, "protocol", p->protocol);
	lwip_label(&l, "stack", p->stack);
	lwip_label(&l, "direction", way);
	lwip_label(&l, "datagram", size);
	lwip_label(&l, "step", step);
	sink_figure(p->sink, metric, value, unit, l.p, l.n);
	p->figures++;
}

static void lwip_tcp(struct lwip *p)
{
	bool good = p->has_both ? p->n == 1 : p->n == 2;

	if (!good) {
		sink_warn(p->sink, "tcp %s: its cells are not bandwidth and load", p->way);
		return;
	}
	if (p->has_both) {
		lwip_tell(p, "net.bw", p->both[0], "Mbps", "both-in", "", "");
		lwip_tell(p, "net.bw", p->both[1], "Mbps", "both-out", "", "");
	} else {
		lwip_tell(p, "net.bw", p->numbers[0], "Mbps", p->way, "", "");
	}
	lwip_tell(p, "net.cpu_load", p->numbers[p->n - 1], "%", p->way, "", "");
}

/* The rates are raised from row to row; as much as goes stands behind. */
static void lwip_udp(struct lwip *p)
{
	static const char *const metrics[] = {"net.bw", "net.cpu_load", "net.lost_percent"};
	static const char *const units[] = {"Mbps", "%", "%"};
	size_t columns = 3 * p->n_sizes;
	char step[8];

	if (!columns || !p->n || p->n % columns) {
		sink_warn(
			p->sink, "udp %s: %zu cells do not fill the table's columns", p->way, p->n);
		return;
	}
	for (size_t i = 0; i < p->n; i++) {
		if (p->most)
			snprintf(step, sizeof step, "max");
		else
			snprintf(step, sizeof step, "%zu", i / columns + 1);
		lwip_tell(p, metrics[i % 3], p->numbers[i], units[i % 3], p->way,
			p->sizes[i % columns / 3], step);
	}
}

static void lwip_end(struct lwip *p)
{
	if (p->protocol && *p->protocol == 't')
		lwip_tcp(p);
	else if (p->protocol)
		lwip_udp(p);
	p->protocol = NULL;
	p->n = 0;
	p->has_both = false;
}

/* "TCP RX", "UDP TX", "TCP Bidirectional" */
static bool lwip_begin(struct lwip *p, struct str cell)
{
	static const struct {
		const char *text, *protocol, *way;
	} tests[] = {{"TCP RX", "tcp", "in"}, {"TCP TX", "tcp", "out"},
		{"TCP Bidirectional", "tcp", "both"}, {"UDP RX", "udp", "in"},
		{"UDP TX", "udp", "out"}};

	for (size_t i = 0; i < sizeof tests / sizeof tests[0]; i++) {
		struct str rest;

		if (lines_after(cell, tests[i].text, &rest) && (!rest.n || str_is(rest, "(Max)"))) {
			lwip_end(p);
			p->protocol = tests[i].protocol;
			p->way = tests[i].way;
			p->most = rest.n > 0;
			return true;
		}
	}
	return false;
}

/* "RX=74.7 TX=74.5" */
static bool lwip_both(struct str cell, double both[2])
{
	ptrdiff_t at = str_find(cell, STR_LIT(" TX="));
	struct str rest;

	return str_starts(cell, "RX=") && at > 0 &&
	       lines_number(str_make(cell.p + 3, (size_t)at - 3), &both[0], &rest) && !rest.n &&
	       lines_number(str_make(cell.p + at + 4, cell.n - (size_t)at - 4), &both[1], &rest) &&
	       !rest.n;
}

static void lwip_head(struct lwip *p, struct str cell)
{
	ptrdiff_t at = str_find(cell, STR_LIT("="));
	struct str size = str_trim(str_make(cell.p + at + 1, cell.n - (size_t)at - 1));

	if (!p->sized)
		p->n_sizes = 0;
	p->sized = true;
	if (p->n_sizes < LWIP_SIZES && size.n > 1 && size.n <= 6 && str_ends(size, "B"))
		lines_copy(str_make(size.p, size.n - 1), p->sizes[p->n_sizes++], 8);
}

static void lwip_take(struct lwip *p, struct str cell)
{
	bool is_stack = str_is(cell, "TCP/IP stack");
	double value;

	p->lost = p->lost && !str_is(cell, "Test");
	if (str_starts(cell, "Datagram Length =")) {
		lwip_end(p);
		if (!p->lost)
			lwip_head(p, cell);
		return;
	}
	p->sized = false;
	if (p->stack_next && !is_stack) {
		struct str word, rest = cell;

		p->stack_next = false;
		if (!str_word(&rest, &word) || rows_slug(word, p->stack))
			p->stack[0] = 0;
	} else if (is_stack) {
		p->stack_next = true;
	} else if (lwip_begin(p, cell)) {
		;
	} else if (p->protocol && lwip_both(cell, p->both)) {
		p->has_both = true;
	} else if (p->protocol && !rows_plain(cell, "", &value) && p->n < LWIP_NUMBERS) {
		p->numbers[p->n++] = value;
	} else {
		lwip_end(p);
	}
}

static int lwip_parse(struct str text, const struct sink *sink, struct err *e)
{
	struct lwip p = {.sink = sink};
	struct lines lines;
	size_t lost = 0;
	struct str line, cells[ROWS_CELLS];

	lines_init(&lines, text, sink);
	while (rows_next(&lines, &line)) {
		size_t n = rows_is_rule(line) ? 0 : rows_cells(line, cells, ROWS_CELLS);

		if (lines.lost != lost) {
			lost = lines.lost;
			sink_warn(sink, "a line is damaged: no number up to the next head counts");
			p.protocol = NULL;
			p.n_sizes = 0;
			p.lost = true;
		}
		for (size_t i = 0; i < n; i++)
			if (cells[i].n)
				lwip_take(&p, cells[i]);
	}
	lwip_end(&p);
	return p.figures ? 0 : lines_nothing(text, "lwip", "network table", e);
}

static int lwip_detect(struct str text)
{
	return str_find(text, STR_LIT("Datagram Length =")) >= 0 ||
			       (str_find(text, STR_LIT("TCP RX")) >= 0 &&
				       str_find(text, STR_LIT("Bandwidth (Mbps)")) >= 0)
		       ? 85
		       : 0;
}

static const char *const lwip_marks[] = {"TCP RX", "TCP TX", "TCP Bidirectional", "UDP RX",
	"UDP TX", "TCP/IP stack", "Datagram Length =", "Bandwidth (Mbps)", NULL};

const struct parser lwip_parser = {
	.d = {.name = "lwip",
		.brief = "network tables of RTOS SDKs",
		.proven = "golden cases; table shapes of the J721E PDK 8"},
	.detect = lwip_detect,
	.parse = lwip_parse,
	.marks = lwip_marks,
};
