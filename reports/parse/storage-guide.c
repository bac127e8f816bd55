/* SPDX-License-Identifier: MIT */
/*
 * Speed and CPU load for each buffer size, as Linux SDK guides of TI print them (AM335x, AM62Ax;
 * SDK 5 to 11): cells parted by tabs, '|' or several blanks, "82.79 (min 80.86, max 84.20)".
 * Invariant: whether it was read or written stands in the column's head or the table's heading;
 * where neither says it, there is no figure.
 */
#include "parsers.h"
#include "rows.h"

#include <stdio.h>

struct storage_guide_column {
	const char *metric; /* NULL: no figure */
	bool load;
};

struct storage_guide {
	const struct sink *sink;
	struct storage_guide_column columns[ROWS_CELLS];
	size_t n;                     /* 0: there is no table */
	bool blanks;                  /* its cells are parted by single ones */
	const char *rows;             /* the label that tells them apart */
	const char *host;             /* what the other side ran; NULL: not told */
	const char *media, *fs, *way; /* NULL: not told */
	bool fresh;                   /* the file system was told since the last table */
	bool dma;
	size_t figures;
};

/* The word of list that text has in it, whatever its case; NULL: none. */
static const char *storage_guide_word(struct str text, const char *const (*list)[2])
{
	for (; (*list)[0]; list++)
		if (rows_has(text, (*list)[0]))
			return (*list)[1];
	return NULL;
}

static const char *storage_guide_fs(struct str text)
{
	static const char *const list[][2] = {{"ext2", "ext2"}, {"ext3", "ext3"}, {"ext4", "ext4"},
		{"vfat", "vfat"}, {"ubifs", "ubifs"}, {NULL, NULL}};

	return storage_guide_word(text, list);
}

static const char *storage_guide_way(struct str text)
{
	bool reads = rows_has(text, "read"), writes = rows_has(text, "write");

	return reads == writes ? NULL : reads ? "read" : "write";
}

static const char *storage_guide_media(struct str text)
{
	static const char *const list[][2] = {{"usb slave", "usb-gadget"},
		{"usbdevice", "usb-gadget"}, {"usb msc", "usb-disk"}, {"usb-msc", "usb-disk"},
		{"nand", "nand"}, {"spi ", "spi-nor"}, {"emmc", "emmc"}, {"mmc", "sd"},
		{"sd - ", "sd"}, {NULL, NULL}};

	return storage_guide_word(text, list);
}

static bool storage_guide_head(struct storage_guide *p, const struct str *cells, size_t n)
{
	bool any = false;

	static const char *const list[][2] = {{"buffer size", "bs"}, {"number of blocks", "blocks"},
		{"bytes transferred (mb)", "size"}, {NULL, NULL}};
	const char *rows = n < 2 ? NULL : storage_guide_word(cells[0], list);

	if (!rows)
		return false;
	p->n = n;
	p->blanks = false;
	p->rows = rows;
	p->host = NULL;
	for (size_t i = 0; i < n; i++) {
		const char *own = storage_guide_way(cells[i]), *way = own ? own : p->way;
		bool load = rows_has(cells[i], "cpu load");
		bool rate = (rows_has(cells[i], "through") || rows_has(cells[i], "rate")) &&
			    (rows_has(cells[i], "mbytes/sec") || rows_has(cells[i], "mb/sec"));

		p->columns[i] = (struct storage_guide_column){NULL, load};
		if (i && rows_has(cells[i], "on windows xp"))
			p->host = "windows-xp";
		if (i && storage_guide_fs(cells[i]))
			p->fs = storage_guide_fs(cells[i]);
		if (!i || !way || (!load && !rate))
			continue;
		p->columns[i].metric = *way == 'r'
					       ? load ? "storage.read.cpu_load" : "storage.read.bw"
				       : load ? "storage.write.cpu_load"
					      : "storage.write.bw";
		any = true;
	}
	if (!any)
		sink_warn(p->sink, "nothing says whether it was read or written");
	return true;
}

/* "82.79 (min 80.86, max 84.20)" */
static int storage_guide_cell(struct str cell, const char *unit, struct sink_metric *m)
{
	struct str rest, unused;
	ptrdiff_t comma = str_chr(cell, ',');

	if (rows_number(cell, &m->value, &rest))
		return -1;
	if (!rest.n || str_is(rest, unit))
		return 0;
	return str_starts(rest, "(min ") && str_ends(rest, ")") && comma > 0 &&
			       lines_number(str_make(rest.p + 5, rest.n - 5), &m->min, &unused) &&
			       str_starts(unused, ", max ") &&
			       lines_number(
				       str_make(unused.p + 6, unused.n - 6), &m->max, &unused) &&
			       str_is(unused, ")")
		       ? 0
		       : -1;
}

static void storage_guide_row(struct storage_guide *p, const struct str *cells)
{
	struct sink_label labels[5];
	char size[ROWS_LABEL_BYTES], bytes[ROWS_LABEL_BYTES + 1];
	size_t n = 0;
	double number;

	if (rows_plain(cells[0], "", &number) || rows_label(cells[0], size)) {
		sink_warn(p->sink, "a row without its size is passed over");
		return;
	}
	snprintf(bytes, sizeof bytes, "%s%s", size, strcmp(p->rows, "size") ? "" : "M");
	labels[n++] = (struct sink_label){p->rows, bytes};
	if (p->media)
		labels[n++] = (struct sink_label){"media", p->media};
	if (p->fs)
		labels[n++] = (struct sink_label){"fs", p->fs};
	if (p->dma)
		labels[n++] = (struct sink_label){"dma", "on"};
	if (p->host)
		labels[n++] = (struct sink_label){"host", p->host};
	p->fresh = false;
	for (size_t i = 1; i < p->n; i++) {
		struct sink_metric m =
			SINK_METRIC(p->columns[i].metric, 0, p->columns[i].load ? "%" : "MB/s");

		if (!m.name)
			continue;
		if (storage_guide_cell(cells[i], p->columns[i].load ? "%" : "MB/s", &m)) {
			sink_warn(p->sink, "%s: no figure in its cell", m.name);
			continue;
		}
		m.labels = labels;
		m.n = n;
		sink_metric(p->sink, &m);
		p->figures++;
	}
}

/* "NAND UBIFS Write (async mode mount)", "SD - Read Performance values", "EXT2 file system" */
static void storage_guide_heading(struct storage_guide *p, struct str line)
{
	const char *media = storage_guide_media(line), *fs = storage_guide_fs(line);
	const char *way = storage_guide_way(line);

	p->n = 0;
	if (media && p->media && strcmp(media, p->media) != 0 && !p->fresh)
		p->fs = NULL;
	p->fresh = p->fresh || fs;
	p->dma =
		rows_has(line, "-dma-") || (media && rows_has(line, " dma ")) || (p->dma && !media);
	p->media = media ? media : p->media;
	p->fs = fs ? fs : p->fs;
	p->way = way ? way : media ? NULL : p->way;
}

/* True when the line is the head of a table whose cells are parted by single blanks. In it, a line
 * that begins with a size is a row, whole or damaged. */
static bool storage_guide_blanks(
	struct storage_guide *p, struct str line, struct str *cells, size_t *n)
{
	struct str words[ROWS_CELLS], unit;
	size_t count = rows_blank_head(line, words, ROWS_CELLS);
	double number;

	if (count > 1 && storage_guide_head(p, words, count)) {
		p->blanks = true;
		return true;
	}
	if (!p->n || !p->blanks)
		return false;
	count = rows_blank_cells(line, words, ROWS_CELLS);
	if (count < 2 || rows_number(words[0], &number, &unit) || unit.n > 1)
		return false;
	memcpy(cells, words, count * sizeof *words);
	*n = count;
	return false;
}

static int storage_guide_parse(struct str text, const struct sink *sink, struct err *e)
{
	struct storage_guide p = {.sink = sink};
	struct lines lines;
	struct str line, cells[ROWS_CELLS];

	lines_init(&lines, text, sink);
	while (rows_next(&lines, &line)) {
		size_t n = rows_cells(line, cells, ROWS_CELLS);

		if (!line.n || rows_is_rule(line) || storage_guide_head(&p, cells, n))
			continue;
		if (n == 1 && storage_guide_blanks(&p, line, cells, &n))
			continue;
		if (n < 2)
			storage_guide_heading(&p, line);
		else if (p.n && n == p.n)
			storage_guide_row(&p, cells);
		else if (p.n)
			sink_warn(sink, "a row of the table is damaged, and passed over");
	}
	return p.figures ? 0 : lines_nothing(text, "storage-guide", "table of speeds", e);
}

static int storage_guide_detect(struct str text)
{
	return str_find(text, STR_LIT("Buffer size")) >= 0 ||
			       str_find(text, STR_LIT("Buffer Size")) >= 0 ||
			       str_find(text, STR_LIT("Bytes Transferred (MB)")) >= 0
		       ? 70
		       : 0;
}

static const char *const storage_guide_marks[] = {
	"Buffer Size", "Number of Blocks", "Bytes Transferred (MB)", NULL};

const struct parser storage_guide_parser = {
	.d = {.name = "storage-guide",
		.brief = "speed and CPU load for each buffer size, as Linux guides print them",
		.proven = "golden cases; tables of the AM335x and AM62Ax guides"},
	.detect = storage_guide_detect,
	.parse = storage_guide_parse,
	.marks = storage_guide_marks,
};
