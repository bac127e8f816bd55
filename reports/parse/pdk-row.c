/* SPDX-License-Identifier: MIT */
/*
 * What a row of a PDK data sheet tells: which metrics, with which labels. Invariant: a figure is
 * told only of a cell that is a number in its column's unit.
 */
#include "pdk.h"

#include <stdio.h>

void pdk_label(struct pdk_labels *l, const char *name, const char *value)
{
	if (*value)
		l->p[l->n++] = (struct sink_label){name, value};
}

int pdk_number(struct str cell, const char *unit, double *value, char core[ROWS_LABEL_BYTES])
{
	ptrdiff_t open = str_chr(cell, '(');
	struct str printed;

	core[0] = 0;
	if (open > 0 && str_ends(cell, ")")) {
		rows_slug(str_make(cell.p + open + 1, cell.n - (size_t)open - 2), core);
		cell = str_trim(str_make(cell.p, (size_t)open));
	}
	if (rows_number(cell, value, &printed))
		return -1;
	return printed.n && !str_is(printed, unit) ? -1 : 0;
}

static const char *pdk_cell(const struct pdk *p, enum pdk_role role)
{
	for (size_t i = 0; i < p->n; i++)
		if (p->columns[i]->role == role)
			return p->cells[i];
	return "";
}

void pdk_tell(struct pdk *p, const char *metric, double value, const char *unit,
	const struct pdk_labels *l)
{
	sink_figure(p->sink, metric, value, unit, l->p, l->n);
	p->figures++;
}

/* "4CH 1080P30 IMX390 Sensor Raw12": how many streams, and what they carry. */
static void pdk_streams(struct str config, char *streams, char *format)
{
	struct str word, rest = config, last = {0};
	char first[ROWS_LABEL_BYTES] = "", end[ROWS_LABEL_BYTES] = "";

	streams[0] = format[0] = 0;
	if (!str_word(&rest, &word) || word.n < 3 || !str_ends(word, "CH"))
		return;
	lines_copy(str_make(word.p, word.n - 2), streams, ROWS_LABEL_BYTES);
	if (str_word(&rest, &word))
		rows_slug(word, first);
	while (str_word(&rest, &word))
		last = word;
	if (last.n)
		rows_slug(last, end);
	if (strlen(first) + strlen(end) + 2 < ROWS_LABEL_BYTES)
		snprintf(format, 2 * ROWS_LABEL_BYTES, "%s%s%s", first, *end ? "-" : "", end);
}

static void pdk_frames(struct pdk *p)
{
	static const struct {
		enum pdk_role role;
		const char *display, *capture, *transmit;
	} names[] = {
		{PDK_FPS, "display.fps", NULL, NULL},
		{PDK_CPU, "display.cpu_load", "capture.cpu_load", NULL},
		{PDK_RX_TIME, NULL, "capture.frame_time", NULL},
		{PDK_TX_TIME, NULL, NULL, "transmit.frame_time"},
		{PDK_ISR, NULL, "capture.isr_latency", "transmit.isr_latency"},
	};
	const char *output = pdk_cell(p, PDK_OUTPUT);
	char slug[ROWS_LABEL_BYTES] = "", streams[ROWS_LABEL_BYTES], format[2 * ROWS_LABEL_BYTES];
	char own[ROWS_LABEL_BYTES], core[ROWS_LABEL_BYTES] = "";
	bool transmit = *pdk_cell(p, PDK_TX_TIME);
	double value;

	pdk_streams(str_of(pdk_cell(p, PDK_CONFIG)), streams, format);
	if (*output)
		rows_slug(str_of(output), slug);
	/* one of its cells names the core */
	for (size_t i = 0; i < p->n; i++)
		if (p->columns[i]->unit &&
			!pdk_number(str_of(p->cells[i]), p->columns[i]->unit, &value, own) && *own)
			memcpy(core, own, sizeof core);
	for (size_t i = 0; i < p->n; i++)
		for (size_t k = 0; k < sizeof names / sizeof names[0]; k++) {
			struct pdk_labels l = {.n = 0};
			const char *name = *output    ? names[k].display
					   : transmit ? names[k].transmit
						      : names[k].capture;

			if (names[k].role != p->columns[i]->role || !name ||
				pdk_number(str_of(p->cells[i]), p->columns[i]->unit, &value, own))
				continue;
			pdk_label(&l, "output", slug);
			pdk_label(&l, "streams", streams);
			pdk_label(&l, "format", *output ? pdk_cell(p, PDK_CONFIG) : format);
			pdk_label(&l, "core", core);
			pdk_tell(p, name, value, p->columns[i]->unit, &l);
		}
}

static void pdk_storage(struct pdk *p)
{
	static const char *const names[PDK_ROLES] = {[PDK_WRITE] = "storage.write.bw",
		[PDK_WRITE_CPU] = "storage.write.cpu_load",
		[PDK_READ] = "storage.read.bw",
		[PDK_READ_CPU] = "storage.read.cpu_load",
		[PDK_READ_TIME] = "storage.read.time",
		[PDK_LIMIT] = "storage.limit",
		[PDK_TUNING] = "ospi.tuning"};
	char mode[ROWS_LABEL_BYTES] = "", size[ROWS_LABEL_BYTES + 8] = "";

	if (*pdk_cell(p, PDK_MODE))
		rows_slug(str_of(pdk_cell(p, PDK_MODE)), mode);
	for (size_t i = 0; i < p->n; i++)
		if (p->columns[i]->role == PDK_SIZE)
			snprintf(size, sizeof size, "%s%s", p->cells[i], p->columns[i]->unit);
	for (size_t i = 0; i < p->n; i++) {
		enum pdk_role role = p->columns[i]->role;
		struct pdk_labels l = {.n = 0};
		char core[ROWS_LABEL_BYTES];
		double value;

		if (!names[role] || !p->cells[i][0] ||
			pdk_number(str_of(p->cells[i]), p->columns[i]->unit, &value, core))
			continue;
		if (role != PDK_TUNING) {
			pdk_label(&l, "media", p->media);
			pdk_label(&l, "cache", *p->by ? "" : p->cache);
			pdk_label(&l, "mode", role == PDK_LIMIT ? "" : *mode ? mode : p->mode);
			pdk_label(&l, "by", p->by);
			pdk_label(&l, "bs", size);
			pdk_label(&l, "direction", role == PDK_LIMIT ? "read" : "");
		}
		pdk_label(&l, "clock", p->clock);
		pdk_tell(p, names[role], value, p->columns[i]->unit, &l);
	}
}

void pdk_row(struct pdk *p)
{
	bool storage = false;

	for (size_t i = 0; i < p->n; i++)
		storage = storage ||
			  (p->columns[i]->role >= PDK_WRITE && p->columns[i]->role <= PDK_TUNING);
	if (storage)
		pdk_storage(p);
	else
		pdk_frames(p);
	p->at = 0;
	memset(p->cells, 0, sizeof p->cells);
}
