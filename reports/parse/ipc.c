/* SPDX-License-Identifier: MIT */
/*
 * Latency tables of messages between cores, as TI's RTOS SDKs print them: MCU+ SDK 8.x to 11.x
 * (notify: "Local Core | Remote Core | Average Message Latency (us)"; RPMSG: the same with a size
 * and the longest) and the PDK's round trips ("Host Core X", then a column for each size).
 * Invariant: a column is known by its head, which also tells the unit.
 */
#include "parsers.h"
#include "rows.h"

#include <stdio.h>

enum ipc_column { IPC_OTHER, IPC_FROM, IPC_TO, IPC_SIZE, IPC_MEAN, IPC_MAX, IPC_COUNT, IPC_TRIP };

struct ipc {
	const struct sink *sink;
	enum ipc_column columns[ROWS_CELLS];
	char sizes[ROWS_CELLS][24]; /* of IPC_TRIP columns */
	size_t n;                   /* columns of the table in hand; 0: there is none */
	bool rpmsg;
	char messages[24]; /* "" : not told */
	char host[ROWS_LABEL_BYTES];
	size_t figures;
};

static enum ipc_column ipc_column(struct ipc *p, struct str head, size_t i)
{
	double size;
	struct str unit;

	if (rows_has(head, "local core"))
		return IPC_FROM;
	if (rows_has(head, "remote core"))
		return IPC_TO;
	if (rows_has(head, "message size"))
		return IPC_SIZE;
	if (rows_has(head, "average message latency (us)"))
		return IPC_MEAN;
	if (rows_has(head, "max latency (us)"))
		return IPC_MAX;
	if (rows_has(head, "message count"))
		return IPC_COUNT;
	if (!rows_number(head, &size, &unit) && str_is(unit, "Bytes") && size < 1e9) {
		snprintf(p->sizes[i], sizeof p->sizes[i], "%.0f", size);
		return IPC_TRIP;
	}
	return IPC_OTHER;
}

static bool ipc_head(struct ipc *p, struct str line)
{
	struct str cells[ROWS_CELLS];
	size_t n, figures = 0;

	if (!rows_has(line, "remote core") || rows_has(line, "="))
		return false;
	n = rows_cells(line, cells, ROWS_CELLS);
	p->rpmsg = false;
	p->n = 0;
	for (size_t i = 0; i < n; i++) {
		p->columns[i] = ipc_column(p, cells[i], i);
		p->rpmsg = p->rpmsg || p->columns[i] == IPC_SIZE;
		figures += p->columns[i] == IPC_MEAN || p->columns[i] == IPC_TRIP;
	}
	p->n = figures ? n : 0;
	return n > 1;
}

/* "- 10000 messages are sent and ...", "Performance - Host Core A72, Bios, 2 GHz" */
static void ipc_context(struct ipc *p, struct str line)
{
	ptrdiff_t at = str_find(line, STR_LIT("messages are sent"));
	ptrdiff_t host = str_find(line, STR_LIT("Host Core "));
	struct str count;
	uint64_t n;

	if (at > 0) {
		count = str_trim(str_make(line.p, (size_t)at));
		while (count.n && (*count.p < '0' || *count.p > '9'))
			count = str_make(count.p + 1, count.n - 1);
		p->messages[0] = 0;
		if (!str_u64(count, &n))
			snprintf(p->messages, sizeof p->messages, "%llu", (unsigned long long)n);
	}
	if (host >= 0) {
		line = str_make(line.p + host + 10, line.n - (size_t)host - 10);
		if (str_chr(line, ',') >= 0)
			line.n = (size_t)str_chr(line, ',');
		if (rows_slug(line, p->host))
			p->host[0] = 0;
	}
}

struct ipc_row {
	char from[ROWS_LABEL_BYTES], to[ROWS_LABEL_BYTES], size[ROWS_LABEL_BYTES];
	char count[ROWS_LABEL_BYTES];
};

static void ipc_figure(struct ipc *p, const struct ipc_row *row, const char *metric,
	const char *size, struct str cell)
{
	struct sink_label labels[4] = {{"from", row->from}, {"to", row->to}};
	size_t n = 2;
	double value;

	if (rows_plain(cell, "us", &value)) {
		sink_warn(p->sink, "%s to %s: no latency in its cell", row->from, row->to);
		return;
	}
	if (size)
		labels[n++] = (struct sink_label){"size", size};
	if (*row->count || *p->messages)
		labels[n++] =
			(struct sink_label){"messages", *row->count ? row->count : p->messages};
	sink_figure(p->sink, metric, value, "us", labels, n);
	p->figures++;
}

/* The labels of a row; -1 when one is missing or damaged. */
static int ipc_labels(struct ipc *p, const struct str *cells, struct ipc_row *row)
{
	bool from = false, to = false;
	double number;

	for (size_t i = 0; i < p->n; i++) {
		if (p->columns[i] == IPC_FROM)
			from = !rows_slug(cells[i], row->from);
		else if (p->columns[i] == IPC_TO)
			to = !rows_slug(cells[i], row->to);
		else if (p->columns[i] == IPC_SIZE &&
			 (rows_plain(cells[i], "", &number) || rows_label(cells[i], row->size)))
			return -1;
		else if (p->columns[i] == IPC_COUNT &&
			 (rows_plain(cells[i], "", &number) || rows_label(cells[i], row->count)))
			return -1;
	}
	if (!from && *p->host)
		from = !rows_slug(str_of(p->host), row->from);
	return from && to ? 0 : -1;
}

static void ipc_cells(struct ipc *p, const struct ipc_row *row, const struct str *cells)
{
	for (size_t i = 0; i < p->n; i++) {
		if (p->columns[i] == IPC_MEAN)
			ipc_figure(p, row, p->rpmsg ? "ipc.rpmsg" : "ipc.notify",
				p->rpmsg ? row->size : NULL, cells[i]);
		else if (p->columns[i] == IPC_MAX && p->rpmsg)
			ipc_figure(p, row, "ipc.rpmsg_max", row->size, cells[i]);
		else if (p->columns[i] == IPC_TRIP)
			ipc_figure(p, row, "ipc.round_trip", p->sizes[i], cells[i]);
	}
}

static void ipc_line(struct ipc *p, struct str line)
{
	struct str cells[ROWS_CELLS];
	struct ipc_row row = {{0}, {0}, {0}, {0}};
	size_t n;

	if (!line.n || ipc_head(p, line))
		return;
	n = rows_cells(line, cells, ROWS_CELLS);
	if (n < 2) {
		p->n = 0;
		ipc_context(p, line);
		return;
	}
	if (!p->n || rows_is_rule(line))
		return;
	if (n != p->n || ipc_labels(p, cells, &row)) {
		sink_warn(p->sink, "a row of the table is damaged, and passed over");
		return;
	}
	ipc_cells(p, &row, cells);
}

static int ipc_parse(struct str text, const struct sink *sink, struct err *e)
{
	struct ipc p = {.sink = sink};
	struct lines lines;
	struct str line;

	lines_init(&lines, text, sink);
	while (rows_next(&lines, &line))
		ipc_line(&p, line);
	if (!p.figures)
		return lines_nothing(text, "ipc", "latency table", e);
	return 0;
}

static int ipc_detect(struct str text)
{
	if (str_find(text, STR_LIT("Remote Core")) < 0)
		return 0;
	if (str_find(text, STR_LIT("Average Message Latency (us)")) >= 0)
		return 90;
	return str_find(text, STR_LIT(" Bytes")) >= 0 ? 60 : 0;
}

static const char *const ipc_marks[] = {"Remote Core", "messages are sent", "Host Core ", NULL};

const struct parser ipc_parser = {
	.d = {.name = "ipc",
		.brief = "latency of messages between cores, tables of RTOS SDKs",
		.proven = "golden cases; table shapes of MCU+ SDK 8 to 11"},
	.detect = ipc_detect,
	.parse = ipc_parse,
	.marks = ipc_marks,
};
