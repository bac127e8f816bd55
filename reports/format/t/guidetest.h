/* SPDX-License-Identifier: MIT */
#ifndef REPORTS_FORMAT_T_GUIDETEST_H
#define REPORTS_FORMAT_T_GUIDETEST_H

/*
 * Runs in a store whose metrics are a document's figures, as printed or with every value drawn
 * anew with the digits that the document prints.
 */

#include "base/mem.h"
#include "io/json.h"
#include "reports/guide.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define DRAWN_BYTES 40

struct drawn { /* of one figure, as it is to be printed */
	char value[DRAWN_BYTES], min[DRAWN_BYTES], max[DRAWN_BYTES];
};

static double next_unit(uint64_t *seed) /* [0, 1) */
{
	*seed = *seed * 6364136223846793005u + 1442695040888963407u;
	return (double)(*seed >> 11) / 9007199254740992.0;
}

/* seed 0: as printed. */
static void draw(const struct reference_figure *f, uint64_t *seed, struct drawn *d)
{
	int decimals = guide_decimals(f->printed);
	double step = pow(10, -decimals), value = strtod(f->printed, NULL);
	double least = value < 9 * step ? 9 * step : value;

	snprintf(d->value, sizeof d->value, "%s", f->printed);
	snprintf(d->min, sizeof d->min, "%s", f->printed_min ? f->printed_min : "");
	snprintf(d->max, sizeof d->max, "%s", f->printed_max ? f->printed_max : "");
	if (!*seed)
		return;
	do
		value = least * (0.2 + 2 * next_unit(seed));
	while (fabs(value - strtod(f->printed, NULL)) < step);
	snprintf(d->value, sizeof d->value, "%.*f", decimals, value);
	if (f->printed_min)
		snprintf(d->min, sizeof d->min, "%.*f", decimals, value * 0.5);
	if (f->printed_max)
		snprintf(d->max, sizeof d->max, "%.*f", decimals, value * 1.5);
}

static void put_event(const struct reference_figure *f, const struct drawn *d, struct buf *out)
{
	AUTOJSON *labels = json_object();

	node_each (f->params, p)
		json_object_set_new(labels, p->key, json_string(p->text));
	buf_printf(out,
		"{\"kind\":\"metric\",\"suite\":\"s\",\"test\":\"t\",\"name\":\"%s\",\"value\":%s,"
		"\"unit\":\"%s\",%s%s%s%s%s%s\"labels\":",
		f->def->name, d->value, f->unit, *d->min ? "\"min\":" : "", d->min,
		*d->min ? "," : "", *d->max ? "\"max\":" : "", d->max, *d->max ? "," : "");
	json_write(labels, JSON_COMPACT | JSON_SORT_KEYS, out, NULL);
	buf_putc(out, '}');
}

struct given {
	const char *type, *board, *version, *verdict;
	bool twin;
	size_t leave_out; /* every so manieth figure; 0: none */
	int64_t at_ms;
};

/* A run of r's SoC that measured what drawn says. */
static int add_run(struct store *s, const struct reference *r, const struct drawn *drawn,
	const struct given *g, struct err *e)
{
	struct store_run run = {.job = "guide",
		.board = g->board ? g->board : "b1",
		.type = g->type,
		.soc = r->soc,
		.lab = "here",
		.twin = g->twin,
		.build = "sdk",
		.build_version = g->version,
		.started_ms = g->at_ms ? g->at_ms : 1764500000000};
	AUTOFREE struct store_event *events = mem_alloc((r->n + 1) * sizeof *events);
	AUTOFREE char **lines = mem_alloc((r->n + 1) * sizeof *lines);
	size_t n = 0;
	int failed;

	if (store_run_add(s, &run, e))
		return -1;
	for (size_t i = 0; i < r->n; i++) {
		AUTOBUF line = BUF_INIT(1 << 16);

		if (g->leave_out && !(i % g->leave_out))
			continue;
		put_event(&r->figures[i], &drawn[i], &line);
		lines[n] = buf_take(&line);
		events[n] = (struct store_event){n * 4096, lines[n], 0};
		n++;
	}
	failed = store_run_events(s, run.id, events, n, e);
	while (n)
		free(lines[--n]);
	if (failed)
		return -1;
	return store_run_end(
		s, run.id, g->verdict ? g->verdict : "pass", NULL, NULL, run.started_ms + 1000, e);
}

#endif
