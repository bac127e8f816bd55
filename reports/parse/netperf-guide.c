/* SPDX-License-Identifier: MIT */
/*
 * The CPSW UDP tables of the AM62Ax guides (SDK 8 to 10): throughput, packets, CPU load and loss
 * for each size of a frame, their cells parted by tabs, '|', several blanks or, where the head
 * names its board, single ones. Invariant: which way the packets went and whether loss was allowed
 * stands in the heading; a table without either, or with a column that is not known, has no figure.
 */
#include "netperf-guide.h"

#include <stdio.h>

static const struct netperf_guide_head {
	const char *has, *metric, *unit; /* metric NULL: the size of a datagram */
} heads[] = {
	{"datagram size(bytes)", NULL, NULL},
	{"throughput (mbits/sec)", "netperf.bw", "Mbit/s"},
	{"packets per second (kpps)", "netperf.packet_rate", "kPPS"},
	{"cpu load %", "netperf.cpu_local", "%"},
	{"packet loss %", "netperf.lost_percent", "%"},
};

static const char *unit_of(const char *metric)
{
	for (size_t i = 0; i < ARRAY_LEN(heads); i++)
		if (heads[i].metric && !strcmp(heads[i].metric, metric))
			return heads[i].unit;
	return "";
}

static bool is_head(struct netperf_guide *g, const struct str *cells, size_t n)
{
	if (n < 3 || n > NETPERF_GUIDE_COLUMNS || !rows_has(cells[0], "frame size(bytes)"))
		return false;
	for (size_t i = 1; i < n; i++) {
		size_t k = 0;

		while (k < ARRAY_LEN(heads) && !rows_has(cells[i], heads[k].has))
			k++;
		if (k == ARRAY_LEN(heads) || !heads[k].metric != (i == 1))
			return false;
		g->columns[i] = heads[k].metric;
	}
	return true;
}

/* "CPSW2g UDP Ingress Throughput possible loss" */
static void heading(struct netperf_guide *g, struct str line)
{
	g->n = 0;
	g->direction = g->loss = NULL;
	if (!rows_has(line, "udp ") || !rows_has(line, "gress throughput"))
		return;
	g->direction = rows_has(line, "ingress") ? "in" : rows_has(line, "egress") ? "out" : NULL;
	g->loss = str_ends(line, " 0 loss")          ? "none"
		  : str_ends(line, " possible loss") ? "allowed"
						     : NULL;
}

static size_t row(const struct netperf_guide *g, const struct str *cells, const struct sink *sink)
{
	char frame[ROWS_LABEL_BYTES], datagram[ROWS_LABEL_BYTES];
	struct sink_label labels[] = {{"protocol", "udp"}, {"direction", g->direction},
		{"loss", g->loss}, {"frame", frame}, {"datagram", datagram}};
	double values[NETPERF_GUIDE_COLUMNS];

	for (size_t i = 0; i < g->n; i++)
		if (rows_plain(cells[i], "", &values[i])) {
			sink_warn(sink, "netperf: a row of the guide's table is passed over");
			return 0;
		}
	snprintf(frame, sizeof frame, "%.0f", values[0]);
	snprintf(datagram, sizeof datagram, "%.0f", values[1]);
	for (size_t i = 2; i < g->n; i++)
		sink_figure(sink, g->columns[i], values[i], unit_of(g->columns[i]), labels,
			ARRAY_LEN(labels));
	return g->n - 2;
}

size_t netperf_guide_line(
	struct netperf_guide *g, const struct lines *l, struct str line, const struct sink *sink)
{
	struct str cells[ROWS_CELLS];
	struct str s = str_trim(line);
	size_t n = rows_cells(s, cells, ROWS_CELLS);
	bool blank = n == 1;

	if (!s.n || rows_is_rule(s))
		return 0;
	if (blank && rows_has(s, "frame size(bytes)"))
		n = rows_blank_head(s, cells, ROWS_CELLS);
	if (is_head(g, cells, n)) {
		g->n = g->direction && g->loss && !g->n && g->torn == l->torn ? n : 0;
		if (!g->n)
			sink_warn(sink, "netperf: no heading of the guide's table says which way");
		g->blanks = blank;
		return 0;
	}
	if (!n || !cells[0].n || *cells[0].p < '0' || *cells[0].p > '9') {
		heading(g, s);
		g->torn = l->torn;
		return 0;
	}
	if (!g->n)
		return 0;
	if (g->blanks && blank)
		n = rows_blank_cells(s, cells, ROWS_CELLS);
	if (n == g->n && g->torn == l->torn)
		return row(g, cells, sink);
	sink_warn(sink, "netperf: a row of the guide's table is passed over");
	return 0;
}
