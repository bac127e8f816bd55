/* SPDX-License-Identifier: MIT */
/*
 * Storage tables of TI's RTOS SDKs (MCU+ SDK 8.x to 11.x: test_mmcsd, test_ospi, hyperram, the
 * xip benchmarks): speeds of eMMC, OSPI and HyperRAM, PHY tuning times, cycles of code run in
 * place. What a table is of stands in the lines before it ("- Flash frequency: 25Mhz").
 * Invariant: a figure's unit is the one in its column's head ("Write speed(MiBps)").
 */
#include "parsers.h"
#include "rows.h"

#include <stdio.h>

enum rtos_storage_column {
	RTOS_STORAGE_OTHER,
	RTOS_STORAGE_MODE,
	RTOS_STORAGE_SIZE,
	RTOS_STORAGE_DMA,
	RTOS_STORAGE_ECC,
	RTOS_STORAGE_BY,
	RTOS_STORAGE_WRITE,
	RTOS_STORAGE_READ,
	RTOS_STORAGE_WINDOW,
	RTOS_STORAGE_TUNING,
	RTOS_STORAGE_CASE,
	RTOS_STORAGE_CYCLES,
};

#define RTOS_STORAGE_LABELS 12

struct rtos_storage_column_def {
	enum rtos_storage_column what;
	char unit[16];
};

struct rtos_storage {
	const struct sink *sink;
	struct rtos_storage_column_def columns[ROWS_CELLS];
	size_t n; /* columns of the table in hand; 0: there is none */
	/* What the lines before a table told; "": nothing. */
	char media[ROWS_LABEL_BYTES], core[ROWS_LABEL_BYTES], clock[ROWS_LABEL_BYTES],
		protocol[ROWS_LABEL_BYTES], op[ROWS_LABEL_BYTES];
	size_t figures;
};

struct rtos_storage_row {
	struct sink_label labels[RTOS_STORAGE_LABELS];
	char texts[RTOS_STORAGE_LABELS][ROWS_LABEL_BYTES];
	size_t n;
};

/* The unit in "Write speed(MiBps)"; -1 when there is none. */
static int rtos_storage_unit(struct str head, char *out, size_t size)
{
	ptrdiff_t open = str_chr(head, '(');
	struct str unit;

	if (open < 0 || !str_ends(head, ")"))
		return -1;
	unit = str_trim(str_make(head.p + open + 1, head.n - (size_t)open - 2));
	if (!unit.n || unit.n >= size)
		return -1;
	memcpy(out, unit.p, unit.n);
	out[unit.n] = 0;
	return 0;
}

static struct rtos_storage_column_def rtos_storage_column(struct str head)
{
	static const struct {
		const char *head;
		enum rtos_storage_column what;
		bool figure;
	} known[] = {
		{"write speed", RTOS_STORAGE_WRITE, true},
		{"read speed", RTOS_STORAGE_READ, true},
		{"tuning time", RTOS_STORAGE_TUNING, true},
		{"tuning algorithm", RTOS_STORAGE_WINDOW, false},
		{"cycles taken", RTOS_STORAGE_CYCLES, false},
		{"caching status", RTOS_STORAGE_CASE, false},
		{"data size", RTOS_STORAGE_SIZE, true},
		{"dma enabled", RTOS_STORAGE_DMA, false},
		{"ecc", RTOS_STORAGE_ECC, false},
		{"transfer mode", RTOS_STORAGE_BY, false},
		{"mode", RTOS_STORAGE_MODE, false},
	};
	struct rtos_storage_column_def def = {RTOS_STORAGE_OTHER, ""};

	for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
		if (!rows_has(head, known[i].head))
			continue;
		def.what = known[i].what;
		if (known[i].figure && rtos_storage_unit(head, def.unit, sizeof def.unit))
			def.what = RTOS_STORAGE_OTHER;
		break;
	}
	return def;
}

static bool rtos_storage_is_figure(enum rtos_storage_column what)
{
	return what == RTOS_STORAGE_WRITE || what == RTOS_STORAGE_READ ||
	       what == RTOS_STORAGE_TUNING || what == RTOS_STORAGE_CYCLES;
}

static bool rtos_storage_head(struct rtos_storage *p, struct str line)
{
	struct str cells[ROWS_CELLS];
	size_t n = rows_cells(line, cells, ROWS_CELLS);
	bool figures = false;
	double number;
	struct str unit;

	if (n < 2)
		return false;
	for (size_t i = 0; i < n; i++) {
		if (!rows_number(cells[i], &number, &unit))
			return false;
		figures = figures || rtos_storage_is_figure(rtos_storage_column(cells[i]).what);
	}
	if (!figures)
		return false;
	for (size_t i = 0; i < n; i++)
		p->columns[i] = rtos_storage_column(cells[i]);
	p->n = n;
	return true;
}

/* The text after the colon of "- Flash protocol: X". */
static void rtos_storage_setting(struct str line, const char *skip, char out[ROWS_LABEL_BYTES])
{
	ptrdiff_t colon = str_chr(line, ':');
	struct str value = str_trim(str_make(line.p + colon + 1, line.n - (size_t)colon - 1));

	if (str_starts(value, skip))
		value = str_make(value.p + strlen(skip), value.n - strlen(skip));
	if (rows_label(value, out))
		out[0] = 0;
}

static void rtos_storage_context(struct rtos_storage *p, struct str line)
{
	ptrdiff_t colon;
	struct str head;

	while (line.n && *line.p == '*')
		line = str_make(line.p + 1, line.n - 1);
	while (line.n && line.p[line.n - 1] == '*')
		line.n--;
	colon = str_chr(line, ':');
	head = colon >= 0 ? str_make(line.p, (size_t)colon) : line;

	if (colon >= 0 && rows_has(head, "flash frequency")) {
		rtos_storage_setting(line, "", p->clock);
	} else if (colon >= 0 && rows_has(head, "flash protocol")) {
		rtos_storage_setting(line, "FLASH_CFG_PROTO_", p->protocol);
	} else if (rows_has(line, "fir operation")) {
		snprintf(p->op, sizeof p->op, "fir");
	} else if (rows_has(line, "memcpy operation")) {
		snprintf(p->op, sizeof p->op, "memcpy");
	} else if (rows_has(line, " performance") || rows_has(line, "benchmark")) {
		const char *media = rows_has(line, "hyperram")        ? "hyperram"
				    : rows_has(line, "emmc")          ? "emmc"
				    : rows_has(line, "ospi nand")     ? "ospi-nand"
				    : rows_has(line, "ospi")          ? "ospi"
				    : rows_has(line, "xip benchmark") ? "ospi"
								      : NULL;

		/* "Software/Application used : xip_benchmark" heads nothing. */
		if (colon >= 0 && colon + 1 < (ptrdiff_t)line.n)
			return;
		snprintf(p->media, sizeof p->media, "%s", media ? media : "");
		p->core[0] = p->clock[0] = p->protocol[0] = p->op[0] = 0;
	} else if (line.n > 1 && line.p[line.n - 1] == ':' && !rows_has(line, " ")) {
		if (rows_slug(line, p->core))
			p->core[0] = 0;
		p->clock[0] = p->protocol[0] = 0;
	}
}

static int rtos_storage_label(struct rtos_storage_row *row, const char *name, const char *text)
{
	if (row->n >= RTOS_STORAGE_LABELS)
		return -1;
	snprintf(row->texts[row->n], ROWS_LABEL_BYTES, "%s", text);
	row->labels[row->n] = (struct sink_label){name, row->texts[row->n]};
	row->n++;
	return 0;
}

static const char *rtos_storage_switch(struct str cell)
{
	if (rows_has(cell, "enabled") || str_is(cell, "Yes") || str_is(cell, "yes"))
		return "on";
	if (rows_has(cell, "disabled") || str_is(cell, "No") || str_is(cell, "no"))
		return "off";
	return NULL;
}

static const char *rtos_storage_case(struct str cell)
{
	if (rows_has(cell, "1 of 10"))
		return "uncached-1-of-10";
	if (rows_has(cell, "not cached"))
		return "uncached";
	return rows_has(cell, "fully cached") ? "cached" : NULL;
}

static const char *rtos_storage_size(
	const struct rtos_storage_column_def *c, struct str cell, char *out, size_t n)
{
	double number;

	if (rows_plain(cell, c->unit, &number))
		return NULL;
	snprintf(out, n, "%.6g%s", number, c->unit);
	return out;
}

/* The modes of a flash are said in small letters, those of a card as its standard spells them. */
static const char *rtos_storage_mode(const struct rtos_storage *p, struct str cell, char *out)
{
	return (!strcmp(p->media, "emmc") ? rows_label : rows_slug)(cell, out) ? NULL : out;
}

static const char *rtos_storage_window(struct str cell)
{
	return rows_has(cell, "default") ? "default" : rows_has(cell, "fast") ? "fast" : NULL;
}

/* The label that a cell makes; -1 when the cell is damaged. */
static int rtos_storage_cell(
	const struct rtos_storage *p, size_t i, struct str cell, struct rtos_storage_row *row)
{
	const struct rtos_storage_column_def *c = &p->columns[i];
	char text[ROWS_LABEL_BYTES];
	const char *name = NULL, *value = NULL;

	switch (c->what) {
	case RTOS_STORAGE_MODE:
		name = "mode";
		value = rtos_storage_mode(p, cell, text);
		break;
	case RTOS_STORAGE_SIZE:
		name = "size";
		value = rtos_storage_size(c, cell, text, sizeof text);
		break;
	case RTOS_STORAGE_DMA:
	case RTOS_STORAGE_ECC:
		name = c->what == RTOS_STORAGE_DMA ? "dma" : "ecc";
		value = rtos_storage_switch(cell);
		break;
	case RTOS_STORAGE_BY:
		name = "by";
		value = rows_slug(cell, text) ? NULL : text;
		break;
	case RTOS_STORAGE_WINDOW:
		name = "window";
		value = rtos_storage_window(cell);
		break;
	case RTOS_STORAGE_CASE:
		name = "case";
		value = rtos_storage_case(cell);
		break;
	default:
		return 0;
	}
	return value ? rtos_storage_label(row, name, value) : -1;
}

static int rtos_storage_labels(
	const struct rtos_storage *p, const struct str *cells, struct rtos_storage_row *row)
{
	bool cycles = false, tuning = false;

	for (size_t i = 0; i < p->n; i++) {
		cycles = cycles || p->columns[i].what == RTOS_STORAGE_CYCLES;
		tuning = tuning || p->columns[i].what == RTOS_STORAGE_TUNING;
	}
	if (*p->media && !tuning)
		rtos_storage_label(row, "media", p->media);
	if (*p->core && !cycles)
		rtos_storage_label(row, "core", p->core);
	if (*p->clock && !cycles)
		rtos_storage_label(row, "clock", p->clock);
	if (*p->protocol && !cycles)
		rtos_storage_label(row, "protocol", p->protocol);
	if (cycles && (!*p->op || rtos_storage_label(row, "op", p->op)))
		return -1;
	for (size_t i = 0; i < p->n; i++)
		if (rtos_storage_cell(p, i, cells[i], row))
			return -1;
	return 0;
}

static void rtos_storage_figure(
	struct rtos_storage *p, size_t i, struct str cell, const struct rtos_storage_row *row)
{
	const struct rtos_storage_column_def *c = &p->columns[i];
	const char *metric = c->what == RTOS_STORAGE_WRITE    ? "storage.write.bw"
			     : c->what == RTOS_STORAGE_READ   ? "storage.read.bw"
			     : c->what == RTOS_STORAGE_TUNING ? "ospi.tuning"
							      : "xip.cycles";
	const char *unit = c->what == RTOS_STORAGE_CYCLES ? "cycles" : c->unit;
	double value;

	if (rows_plain(cell, unit, &value)) {
		sink_warn(p->sink, "%s: no figure in its cell", metric);
		return;
	}
	sink_figure(p->sink, metric, value, unit, row->labels, row->n);
	p->figures++;
}

static void rtos_storage_line(struct rtos_storage *p, struct str line)
{
	struct str cells[ROWS_CELLS];
	struct rtos_storage_row row = {.n = 0};
	size_t n;

	if (!line.n || rows_is_rule(line) || rtos_storage_head(p, line))
		return;
	n = rows_cells(line, cells, ROWS_CELLS);
	if (n < 2) {
		p->n = 0;
		rtos_storage_context(p, line);
		return;
	}
	if (!p->n)
		return;
	if (n != p->n || rtos_storage_labels(p, cells, &row)) {
		sink_warn(p->sink, "a row of the table is damaged, and passed over");
		return;
	}
	for (size_t i = 0; i < p->n; i++)
		if (rtos_storage_is_figure(p->columns[i].what))
			rtos_storage_figure(p, i, cells[i], &row);
}

static int rtos_storage_parse(struct str text, const struct sink *sink, struct err *e)
{
	struct rtos_storage p = {.sink = sink};
	struct lines lines;
	struct str line;

	lines_init(&lines, text, sink);
	while (rows_next(&lines, &line))
		rtos_storage_line(&p, line);
	if (!p.figures)
		return lines_nothing(text, "rtos-storage", "table of figures", e);
	return 0;
}

static int rtos_storage_detect(struct str text)
{
	if (str_find(text, STR_LIT("Write speed(")) >= 0 ||
		str_find(text, STR_LIT("Write Speed(")) >= 0)
		return 90;
	return str_find(text, STR_LIT("Tuning Time (ms)")) >= 0 ||
			       (str_find(text, STR_LIT("Caching status")) >= 0 &&
				       str_find(text, STR_LIT("Cycles taken")) >= 0)
		       ? 90
		       : 0;
}

static const char *const rtos_storage_marks[] = {"write speed", "read speed", "tuning time",
	"cycles taken", "flash frequency", "flash protocol", "fir operation", "memcpy operation",
	NULL};

const struct parser rtos_storage_parser = {
	.d = {.name = "rtos-storage",
		.brief = "eMMC, OSPI, HyperRAM and XIP tables of RTOS SDKs",
		.proven = "golden cases; table shapes of MCU+ SDK 8 to 11"},
	.detect = rtos_storage_detect,
	.parse = rtos_storage_parse,
	.marks = rtos_storage_marks,
};
