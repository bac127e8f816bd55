/* SPDX-License-Identifier: MIT */
/*
 * Histograms of interrupt latency as TI's AM335x PSP (04.06) prints them: a row for each bin of
 * microseconds, a column of samples for each load. Invariant: a column whose bins do not add up to
 * the samples that its head tells is told, and warned of.
 */
#include "parsers.h"
#include "rows.h"

#include <stdio.h>

struct irq_latency {
	const struct sink *sink;
	char load[ROWS_CELLS][16], of[ROWS_CELLS][24]; /* "" : not told */
	double sum[ROWS_CELLS];
	bool damaged;
	size_t n; /* columns of the table in hand; 0: there is none */
	size_t figures;
};

/* The number before a word in a column's head: "under 0% cpu load" */
static void irq_latency_before(struct str head, const char *word, char *out, size_t size)
{
	ptrdiff_t at = str_find(head, str_of(word));
	size_t from;

	out[0] = 0;
	if (at < 0)
		return;
	for (from = (size_t)at; from && head.p[from - 1] >= '0' && head.p[from - 1] <= '9';)
		from--;
	if ((size_t)at - from < size)
		lines_copy(str_make(head.p + from, (size_t)at - from), out, size);
}

static void irq_latency_end(struct irq_latency *p)
{
	for (size_t i = 1; i < p->n && !p->damaged; i++) {
		double of;

		if (!str_double(str_of(p->of[i]), &of) && of != p->sum[i])
			sink_warn(p->sink, "under %s%% load the bins add up to %.0f of %s samples",
				p->load[i], p->sum[i], p->of[i]);
	}
	p->n = 0;
}

static bool irq_latency_head(struct irq_latency *p, const struct str *cells, size_t n)
{
	if (n < 2 || !rows_has(cells[0], "interrupt latency (in micro seconds)"))
		return false;
	irq_latency_end(p);
	p->n = n;
	p->damaged = false;
	for (size_t i = 1; i < n; i++) {
		irq_latency_before(cells[i], "% cpu load", p->load[i], sizeof p->load[i]);
		irq_latency_before(cells[i], " total samples", p->of[i], sizeof p->of[i]);
		p->sum[i] = 0;
	}
	return true;
}

static void irq_latency_row(struct irq_latency *p, const struct str *cells)
{
	char bin[ROWS_LABEL_BYTES];
	double value;

	if (rows_plain(cells[0], "", &value) || rows_label(cells[0], bin)) {
		sink_warn(p->sink, "a bin has no number, and is passed over");
		p->damaged = true;
		return;
	}
	for (size_t i = 1; i < p->n; i++) {
		struct sink_label labels[3] = {{"bin_us", bin}};
		size_t n = 1;

		if (rows_plain(cells[i], "", &value)) {
			sink_warn(p->sink, "bin %s: no count in its cell", bin);
			p->damaged = true;
			continue;
		}
		if (*p->load[i])
			labels[n++] = (struct sink_label){"load", p->load[i]};
		if (*p->of[i])
			labels[n++] = (struct sink_label){"of", p->of[i]};
		p->sum[i] += value;
		sink_figure(p->sink, "irq_latency.samples", value, "samples", labels, n);
		p->figures++;
	}
}

static int irq_latency_parse(struct str text, const struct sink *sink, struct err *e)
{
	struct irq_latency p = {.sink = sink};
	struct lines lines;
	struct str line, cells[ROWS_CELLS];

	lines_init(&lines, text, sink);
	while (rows_next(&lines, &line)) {
		size_t n = rows_cells(line, cells, ROWS_CELLS);

		if (!line.n || rows_is_rule(line) || irq_latency_head(&p, cells, n))
			continue;
		if (p.n && n == p.n)
			irq_latency_row(&p, cells);
		else if (n < 2)
			irq_latency_end(&p);
		else if (p.n) {
			sink_warn(sink, "a row of the table is damaged, and passed over");
			p.damaged = true;
		}
	}
	irq_latency_end(&p);
	return p.figures ? 0 : lines_nothing(text, "irq-latency", "histogram", e);
}

static int irq_latency_detect(struct str text)
{
	return str_find(text, STR_LIT("Interrupt Latency (in micro seconds)")) >= 0 ? 95 : 0;
}

static const char *const irq_latency_marks[] = {"Interrupt Latency (in micro seconds)", NULL};

const struct parser irq_latency_parser = {
	.d = {.name = "irq-latency",
		.brief = "histograms of interrupt latency",
		.proven = "golden cases; table shape of PSP 04.06"},
	.detect = irq_latency_detect,
	.parse = irq_latency_parse,
	.marks = irq_latency_marks,
};
