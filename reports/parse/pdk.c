/* SPDX-License-Identifier: MIT */
/*
 * Tables of TI's PDK data sheets (J721E, PDK 7.x to 9.x): display, capture and transmit rates,
 * OSPI and MMCSD, each as rows or, as pages copied out of a browser have them, one
 * cell a line; there a cell that spans rows stands once. Invariant: what a cell is follows from its
 * column's head and from its own shape; a row in which they disagree is damaged and makes no
 * figure.
 */
#include "pdk.h"
#include "parsers.h"

#include <stdio.h>
#include <strings.h>

static const struct pdk_head pdk_heads[] = {
	{"Display Type", PDK_OUTPUT, NULL},
	{"Capture Type", PDK_OTHER, NULL},
	{"Instance", PDK_OTHER, NULL},
	{"Configuration", PDK_CONFIG, NULL},
	{"FPS", PDK_FPS, "fps"},
	{"CPU Load", PDK_CPU, "%"},
	{"Time taken to receive one frame", PDK_RX_TIME, "ms"},
	{"Time taken to transmit one frame", PDK_TX_TIME, "ms"},
	{"ISR latency", PDK_ISR, "us"},
	{"OSPI RCLK", PDK_CLOCK, NULL},
	{"Mode", PDK_MODE, NULL},
	{"Write Tput (MB/s)", PDK_WRITE, "MB/s"},
	{"Write CPU Load", PDK_WRITE_CPU, "%"},
	{"Read Tput (MB/s)", PDK_READ, "MB/s"},
	{"Read CPU Load", PDK_READ_CPU, "%"},
	{"Read Tput Theoretical Max (MB/s)", PDK_LIMIT, "MB/s"},
	{"Tuning Time (ms)", PDK_TUNING, "ms"},
	{"Tuning Time", PDK_TUNING, "ms"}, /* the J721E sheets of PDK 7 to 9 print none */
	{"Size of transfer (KB)", PDK_SIZE, "k"},
	{"Size of transfer (B)", PDK_SIZE, ""},
	{"RAW Write Throughput (MB/s)", PDK_WRITE, "MB/s"},
	{"RAW Read Throughput (MB/s)", PDK_READ, "MB/s"},
	{"Read Time (ns)", PDK_READ_TIME, "ns"},
	{"Throughput (MB/s)", PDK_READ, "MB/s"},
};

static const struct pdk_head *pdk_head_of(struct str cell)
{
	for (size_t i = 0; i < sizeof pdk_heads / sizeof pdk_heads[0]; i++)
		if (cell.n == strlen(pdk_heads[i].head) &&
			!strncasecmp(cell.p, pdk_heads[i].head, cell.n))
			return &pdk_heads[i];
	return NULL;
}

static bool pdk_is_clock(struct str cell)
{
	double value;
	struct str unit;

	return !rows_number(cell, &value, &unit) && str_is(unit, "MHz");
}

/* Does a cell have the shape that its column asks for? */
static bool pdk_fits(const struct pdk_head *c, struct str cell)
{
	char core[ROWS_LABEL_BYTES];
	double value;

	switch (c->role) {
	case PDK_CLOCK:
		return pdk_is_clock(cell);
	case PDK_SIZE:
		return !rows_plain(cell, "", &value);
	case PDK_CONFIG: /* "1080P60 RGB888", "1CH ..." */
		return cell.n && str_chr(cell, '%') < 0;
	case PDK_OTHER:
	case PDK_OUTPUT:
	case PDK_MODE:
		return cell.n && rows_number(cell, &value, &(struct str){0}) != 0;
	default:
		return !pdk_number(cell, c->unit, &value, core);
	}
}

/* ---- cells ---- */

static void pdk_damage(struct pdk *p)
{
	if (p->at)
		sink_warn(p->sink, "a row of the table is damaged, and passed over");
	p->at = 0;
	memset(p->cells, 0, sizeof p->cells);
}

/* Columns whose cell may stand once for several rows. */
static bool pdk_spans(const struct pdk *p, size_t i)
{
	return (p->columns[i]->role == PDK_CLOCK && *p->clock) || p->columns[i]->role == PDK_LIMIT;
}

static void pdk_close(struct pdk *p)
{
	if (p->at && p->at + 1 == p->n && pdk_spans(p, p->at))
		pdk_row(p); /* its last cell stood with a row before it */
	pdk_damage(p);
	p->n = 0;
	p->in_head = false;
	p->clock[0] = 0;
}

/* False when it fits nowhere in the table. */
static bool pdk_put(struct pdk *p, struct str cell)
{
	for (size_t tries = 0; tries <= p->n; tries++) {
		const struct pdk_head *c = p->columns[p->at];
		char text[ROWS_LABEL_BYTES];

		if (pdk_fits(c, cell) && !rows_label(cell, text)) {
			memcpy(p->cells[p->at], text, sizeof text);
			if (c->role == PDK_CLOCK)
				snprintf(p->clock, sizeof p->clock, "%.*sMHz",
					(int)strcspn(text, " M"), text);
			if (++p->at == p->n)
				pdk_row(p);
			return true;
		}
		if (!pdk_spans(p, p->at))
			return false;
		if (++p->at == p->n)
			pdk_row(p);
	}
	return false;
}

/* The theoretical maximum that stands in a heading or a list: "133 MHz :- 253.67 MB/s". */
static void pdk_limit(struct pdk *p, struct str text, struct str clock)
{
	struct pdk_labels l = {.n = 0};
	struct str rest;
	char mhz[ROWS_LABEL_BYTES] = "";
	double value, number;

	if (!lines_number(text, &value, &rest) || !str_starts(str_trim(rest), "MB/s"))
		return;
	if (lines_number(clock, &number, &rest))
		snprintf(mhz, sizeof mhz, "%.6gMHz", number);
	pdk_label(&l, "media", p->media);
	pdk_label(&l, "mode", p->mode);
	pdk_label(&l, "by", p->by);
	pdk_label(&l, "clock", mhz);
	pdk_tell(p, "storage.limit", value, "MB/s", &l);
}

static struct str pdk_after(struct str line, const char *mark)
{
	ptrdiff_t at = str_find(line, str_of(mark));

	return at < 0 ? str_make(line.p, 0)
		      : str_trim(str_make(
				line.p + at + strlen(mark), line.n - (size_t)at - strlen(mark)));
}

static ptrdiff_t pdk_mode_at(struct str line)
{
	static const char *const marks[] = {" Mode (", " Mode OSPI", " Mode - "};

	for (size_t i = 0; i < sizeof marks / sizeof marks[0]; i++) {
		ptrdiff_t at = str_find(line, str_of(marks[i]));

		if (at > 0)
			return at;
	}
	return -1;
}

/* "1.1.2.8.2.1. DS Mode (25 MHz, 4-bit) Theoretical Max: 12.5 MB/s", "... DAC DMA Mode OSPI Read"
 */
static void pdk_mode(struct pdk *p, struct str line)
{
	ptrdiff_t at = pdk_mode_at(line);
	struct str head = str_make(line.p, (size_t)at), rest = head, word;
	bool card = str_starts(str_make(line.p + at, line.n - (size_t)at), " Mode (");

	if (str_word(&rest, &word) && str_ends(word, "."))
		head = str_trim(rest);
	if (rows_has(line, "cpu mode"))
		snprintf(p->mode, sizeof p->mode, "dac");
	else if (str_is(head, "DMA"))
		snprintf(p->mode, sizeof p->mode, "dac-dma");
	else if ((card ? rows_label : rows_slug)(head, p->mode))
		p->mode[0] = 0;
	if (card)
		pdk_limit(p, pdk_after(line, "Theoretical Max: "), str_make(line.p, 0));
}

static void pdk_context(struct pdk *p, struct str line)
{
	if (rows_has(line, "sd card performance") || rows_has(line, "emmc performance")) {
		snprintf(p->media, sizeof p->media, "%s", rows_has(line, "emmc") ? "emmc" : "sd");
		p->by[0] = p->cache[0] = p->mode[0] = 0;
	} else if (rows_has(line, "csl-fl")) {
		snprintf(p->media, sizeof p->media, "ospi");
		snprintf(p->by, sizeof p->by, "csl-fl");
		p->mode[0] = 0;
	} else if (pdk_mode_at(line) > 0) {
		pdk_mode(p, line);
	} else if (rows_has(line, "ospi")) {
		snprintf(p->media, sizeof p->media, "ospi");
	} else if (str_find(line, STR_LIT("MHz :- ")) > 0) {
		while (line.n && (*line.p < '0' || *line.p > '9'))
			line = str_make(line.p + 1, line.n - 1);
		pdk_limit(p, pdk_after(line, ":- "), line);
	}
	if (rows_has(line, "cache off") || rows_has(line, "cache on"))
		snprintf(p->cache, sizeof p->cache, "%s",
			rows_has(line, "cache off") ? "off" : "on");
}

/* "1.1.2.2. CSI-Rx" */
static bool pdk_is_heading(struct str cell)
{
	struct str word, rest = cell;

	if (!str_word(&rest, &word) || word.n < 4 || !str_ends(word, "."))
		return false;
	for (size_t i = 0; i < word.n; i++)
		if (word.p[i] != '.' && (word.p[i] < '0' || word.p[i] > '9'))
			return false;
	return true;
}

static void pdk_take(struct pdk *p, struct str cell)
{
	const struct pdk_head *head = pdk_head_of(cell);

	p->lost = p->lost && !pdk_is_heading(cell);
	if (p->lost)
		return;
	if (head) {
		if (!p->in_head)
			pdk_close(p);
		p->in_head = true;
		if (p->n < PDK_COLUMNS)
			p->columns[p->n++] = head;
		return;
	}
	if ((p->n == 1 && p->in_head) || pdk_is_heading(cell)) /* "Mode", "Instance" in some text */
		pdk_close(p);
	p->in_head = false;
	if (p->n && pdk_put(p, cell))
		return;
	if (p->n)
		pdk_close(p);
	pdk_context(p, cell);
}

struct pdk_before { /* the line before */
	size_t at, lost;
	char text[ROWS_LABEL_BYTES];
};

/* Was one lost between them, or is one cell there twice? Who is to say which it was. */
static bool pdk_is_damaged(struct pdk_before *before, const struct lines *l, struct str line)
{
	struct str between = str_make(l->text.p + before->at, l->at - before->at);
	bool next = str_chr(between, '\n') == (ptrdiff_t)between.n - 1;
	bool twice = next && line.n && str_is(line, before->text) && str_chr(line, '|') < 0 &&
		     str_chr(line, '\t') < 0;
	bool lost = l->lost != before->lost;

	before->at = l->at;
	before->lost = l->lost;
	lines_copy(line, before->text, sizeof before->text);
	return twice || lost;
}

static int pdk_parse(struct str text, const struct sink *sink, struct err *e)
{
	struct pdk p = {.sink = sink};
	struct lines lines;
	struct str line, cells[ROWS_CELLS];
	struct pdk_before before = {.at = 0};

	lines_init(&lines, text, sink);
	while (rows_next(&lines, &line)) {
		if (pdk_is_damaged(&before, &lines, line) && p.n) {
			sink_warn(sink, "a line of the table is damaged: the rest is passed over");
			pdk_close(&p);
			p.lost = true;
		}
		size_t n = rows_is_rule(line) ? 0 : rows_cells(line, cells, ROWS_CELLS);
		bool in_row = n > 1 && !p.in_head;

		if (in_row && p.at)
			pdk_damage(&p); /* of cells that stood alone */
		for (size_t i = 0; i < n; i++)
			if (cells[i].n)
				pdk_take(&p, cells[i]);
		if (n > 1 && p.at && pdk_spans(&p, p.at) && p.at + 1 == p.n)
			pdk_row(&p);
		else if (n > 1 && p.at)
			pdk_damage(&p);
	}
	pdk_close(&p);
	return p.figures ? 0 : lines_nothing(text, "pdk", "table of a data sheet", e);
}

static int pdk_detect(struct str text)
{
	static const char *const marks[] = {
		"Display Type", "Time taken to ", "OSPI RCLK", "RAW Write Throughput (MB/s)"};

	for (size_t i = 0; i < sizeof marks / sizeof marks[0]; i++)
		if (str_find(text, str_of(marks[i])) >= 0)
			return 85;
	return 0;
}

static const char *const pdk_marks[] = {"Display Type", "Capture Type", "Time taken to ",
	"OSPI RCLK", "Size of transfer (", "MHz :- ", "Theoretical Max", "Tput (MB/s)",
	"Throughput (MB/s)", "Read Time (ns)", "Tuning Time", "sd card performance",
	"emmc performance", "csl-fl", " Mode (", " Mode OSPI", " Mode - ", "cache off", "cache on",
	"ISR latency", NULL};

const struct parser pdk_parser = {
	.d = {.name = "pdk",
		.brief = "display, capture, OSPI and MMCSD tables of PDK data sheets",
		.proven = "golden cases; table shapes of the J721E PDK 8"},
	.detect = pdk_detect,
	.parse = pdk_parse,
	.marks = pdk_marks,
};
