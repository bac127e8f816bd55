/* SPDX-License-Identifier: MIT */
/*
 * The page's charts, by board type and area: moved series first, steady ones folded below them.
 * Invariant: each series is on the page once, and what a chart shows stands in a table as well.
 */
#include "render.h"

#include "base/mem.h"
#include "reports/format/formats.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define MONTHS_COLUMNS 13 /* of the sparkline that stands where no script draws weeks */

static bool same(const char *a, const char *b)
{
	return !strcmp(a, b);
}

static void put_sense_of(const struct html *h, const struct trend_line *l)
{
	const struct trend_change *c = l->n_changes ? &l->changes[l->n_changes - 1] : NULL;
	char by[WORD_BYTES];

	if (c)
		buf_printf(h->out, " <span class=\"by %s\">%s %s</span> <small>since ",
			trend_sense_names[c->sense], trend_sense_names[c->sense],
			word_change(c, by));
	if (c && c->first.version)
		put_html(c->first.version, h->out);
	else if (c)
		html_run(h, c->first.run);
	if (c)
		buf_puts(h->out, c->confirmed ? "</small>" : ", not confirmed</small>");
}

static void put_caption(const struct html *h, const struct trend_line *l)
{
	char last[WORD_BYTES], reference[WORD_BYTES];

	buf_puts(h->out, "<figcaption><b>");
	put_html(l->s.metric, h->out);
	buf_puts(h->out, "</b>");
	if (l->title[strlen(l->s.metric)]) {
		buf_puts(h->out, " <span>");
		put_html(l->title + strlen(l->s.metric) + 1, h->out);
		buf_puts(h->out, "</span>");
	}
	buf_puts(h->out, "<br><small>");
	put_html(l->s.board, h->out);
	buf_puts(h->out, *l->s.board ? ", " : "");
	put_html(l->s.job, h->out);
	buf_puts(h->out, "</small><br><strong>");
	put_html(word_figure(l->last, l->s.unit, last), h->out);
	buf_puts(h->out, "</strong>");
	put_sense_of(h, l);
	if (isfinite(l->reference))
		buf_printf(h->out, " <small>published %s</small>",
			word_figure(l->reference, "", reference));
	if (l->follows) {
		buf_puts(h->out, " <small>before: ");
		put_html(l->follows, h->out);
		buf_puts(h->out, "</small>");
	}
	if (l->odd)
		buf_printf(
			h->out, " <small>%zu odd figure%s</small>", l->odd, l->odd == 1 ? "" : "s");
	buf_puts(h->out, "</figcaption>\n");
}

static size_t axis_number(struct html *h, const struct trend_axis *a)
{
	AUTOFREE char *key = mem_printf("%p", (const void *)a);
	uintptr_t n = (uintptr_t)map_find(&h->numbers, key);

	if (!n) {
		vec_push(&h->axes, a);
		n = h->axes.n;
		map_set(&h->numbers, key, (void *)n);
	}
	return n - 1;
}

static void put_drawing(struct html *h, const struct trend_line *l)
{
	char low[WORD_BYTES], high[WORD_BYTES], from[WORD_BYTES], to[WORD_BYTES];
	struct chart c;

	chart_init(&c, h->t, l);
	buf_printf(h->out,
		"<svg width=\"600\" height=\"150\" viewBox=\"0 0 %d %d\" "
		"preserveAspectRatio=\"none\" fill=\"none\" "
		"stroke=\"currentColor\" role=\"img\" tabindex=\"0\" aria-label=\"",
		CHART_WIDTH, CHART_HEIGHT);
	put_html(l->title, h->out);
	buf_printf(h->out, ", %zu runs, ", l->n);
	put_html(word_figure(l->min, "", low), h->out);
	buf_puts(h->out, " to ");
	put_html(word_figure(l->max, l->s.unit, high), h->out);
	buf_putc(h->out, '"');
	if (!h->tables) {
		buf_printf(h->out, " data-low=\"%.6g\" data-high=\"%.6g\"", c.low, c.high);
		if (l->axis)
			buf_printf(h->out, " data-axis=\"%zu\"", axis_number(h, l->axis));
	}
	buf_puts(h->out, ">");
	chart_put(&c, h->out);
	buf_printf(h->out, "</svg>\n<p class=\"axis\"><span>%s</span> <span>%s to ",
		word_date(h->t->first_ms, from), low);
	put_html(high, h->out);
	buf_printf(h->out, "</span> <span>%s</span></p>\n", word_date(h->t->last_ms, to));
}

static void put_cells(const struct html *h, const struct trend_run *r)
{
	char date[WORD_BYTES];

	buf_printf(h->out, "<tr><td>%s</td><td>", word_date(r->at_ms, date));
	put_html(r->version ? r->version : "-", h->out);
	buf_puts(h->out, "</td><td>");
	html_run(h, r->run);
	buf_puts(h->out, "</td>");
}

static void put_runs_table(const struct html *h, const struct trend_line *l)
{
	char figure[WORD_BYTES];

	buf_puts(h->out, "<table><thead><tr><th>date</th><th>build</th><th>run</th><th>");
	put_html(l->s.unit, h->out);
	buf_printf(
		h->out, "</th>%s</tr></thead><tbody>\n", l->lows ? "<th>min</th><th>max</th>" : "");
	for (size_t i = 0; i < l->axis->n; i++) {
		put_cells(h, &l->axis->runs[i]);
		buf_printf(h->out, "<td>%s</td>", word_figure(l->values[i], "", figure));
		if (l->lows)
			buf_printf(h->out, "<td>%s</td>", word_figure(l->lows[i], "", figure));
		if (l->lows)
			buf_printf(h->out, "<td>%s</td>", word_figure(l->highs[i], "", figure));
		buf_puts(h->out, "</tr>\n");
	}
	buf_puts(h->out, "</tbody></table>\n");
}

static void put_levels_table(const struct html *h, const struct trend_line *l)
{
	char figure[WORD_BYTES], by[WORD_BYTES], sure[WORD_BYTES], date[WORD_BYTES];
	double level = l->n_changes ? l->changes[0].before : l->median;

	buf_puts(h->out, "<table><thead><tr><th>from</th><th>build</th><th>run</th><th>level, ");
	put_html(l->s.unit, h->out);
	buf_printf(h->out,
		"</th><th>change</th><th>how sure</th></tr></thead><tbody>\n"
		"<tr><td>%s</td><td></td><td></td><td>%s</td><td></td><td></td></tr>\n",
		word_date(l->first_ms, date), word_figure(level, "", figure));
	for (size_t i = 0; i < l->n_changes; i++) {
		put_cells(h, &l->changes[i].first);
		buf_printf(h->out, "<td>%s</td><td>%s</td><td>%s</td></tr>\n",
			word_figure(l->changes[i].after, "", figure),
			word_change(&l->changes[i], by), word_sure(&l->changes[i], sure));
	}
	buf_puts(h->out, "</tbody></table>\n");
}

static void put_figure(struct html *h, const struct trend_line *l)
{
	const char *sense =
		l->n_changes ? trend_sense_names[l->changes[l->n_changes - 1].sense] : "steady";

	buf_printf(h->out, "<figure class=\"%s\" id=\"s%zu\">\n", sense, (size_t)(l - h->t->lines));
	put_caption(h, l);
	put_drawing(h, l);
	buf_puts(h->out, "<details><summary>Table</summary>\n");
	if (h->tables && l->axis)
		put_runs_table(h, l);
	else
		put_levels_table(h, l);
	buf_puts(h->out, "</details>\n</figure>\n");
}

/* 64 heights between the smallest and the largest run, three characters a week: smallest, median,
 * largest; a week without runs is a point. */
static void put_weeks(const struct html *h, const struct trend_line *l)
{
	static const char digits[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	int64_t week = h->t->first_ms;
	double span = l->max - l->min;

	for (size_t i = 0; i < l->n_weeks; i++) {
		const struct trend_week *w = &l->weeks[i];
		const double values[] = {w->min, w->median, w->max};

		for (; week + INT64_C(604800000) <= w->at_ms + INT64_C(86400000);
			week += INT64_C(604800000))
			buf_putc(h->out, '.');
		for (size_t k = 0; k < ARRAY_LEN(values); k++)
			buf_putc(h->out,
				digits[span > 0 ? (int)lround((values[k] - l->min) / span * 63)
						: 32]);
		week = w->at_ms + INT64_C(604800000);
	}
}

static void put_row(const struct html *h, const struct trend_line *l)
{
	char last[WORD_BYTES], middle[WORD_BYTES], low[WORD_BYTES], high[WORD_BYTES];

	buf_puts(h->out, "<tr><th>");
	put_html(l->title, h->out);
	if (l->follows) {
		buf_puts(h->out, " <small>before: ");
		put_html(l->follows, h->out);
		buf_puts(h->out, "</small>");
	}
	buf_puts(h->out, "<td>");
	put_html(l->s.board, h->out);
	buf_puts(h->out, "<td>");
	put_html(word_figure(l->last, l->s.unit, last), h->out);
	buf_printf(h->out, "<td>%s (%s to %s)<td>%zu<td data-w=\"",
		word_figure(l->median, "", middle), word_figure(l->min, "", low),
		word_figure(l->max, "", high), l->n);
	put_weeks(h, l);
	buf_puts(h->out, "\">");
	put_spark(l, MONTHS_COLUMNS, false, h->out);
	buf_putc(h->out, '\n');
}

static bool is_row(const struct trend_line *l)
{
	return !l->axis && !l->n_changes;
}

struct range {
	size_t from, to;
	size_t moved, worse, better, rows, charts; /* of it: charts and rows are steady */
};

static void count(const struct trend *t, struct range *r)
{
	for (size_t i = r->from; i < r->to; i++) {
		const struct trend_line *l = &t->lines[i];
		const struct trend_change *c = l->n_changes ? &l->changes[l->n_changes - 1] : NULL;

		r->moved += c != NULL;
		r->worse += c && c->sense == TREND_WORSE;
		r->better += c && c->sense == TREND_BETTER;
		r->rows += is_row(l);
		r->charts += !c && !is_row(l);
	}
}

static void put_grid(struct html *h, const struct range *r, bool moved)
{
	buf_puts(h->out, "<div class=\"grid\">\n");
	for (size_t i = r->from; i < r->to; i++)
		if (!is_row(&h->t->lines[i]) && (h->t->lines[i].n_changes > 0) == moved)
			put_figure(h, &h->t->lines[i]);
	buf_puts(h->out, "</div>\n");
}

static void put_table(struct html *h, const struct range *r)
{
	buf_puts(h->out,
		"<table class=\"rows\"><thead><tr><th>figure</th><th>board</th><th>newest</th>"
		"<th>median (min to max)</th><th>runs</th><th>by week</th></tr></thead>"
		"<tbody>\n");
	for (size_t i = r->from; i < r->to; i++)
		if (is_row(&h->t->lines[i]))
			put_row(h, &h->t->lines[i]);
	buf_puts(h->out, "</tbody></table>\n");
}

static void put_steady(struct html *h, const struct range *r)
{
	if (r->charts)
		put_grid(h, r, false);
	if (r->rows)
		put_table(h, r);
	buf_puts(h->out, "</details>\n");
}

static void put_area(struct html *h, struct range r)
{
	const char *name = h->t->lines[r.from].area;

	count(h->t, &r);
	buf_puts(h->out, "<section class=\"area\" data-area=\"");
	put_html(name, h->out);
	buf_puts(h->out, r.moved ? "\">\n<h3>" : "\">\n<details class=\"quiet\"><summary><h3>");
	put_html(name, h->out);
	buf_printf(h->out, " <span>%zu series", r.to - r.from);
	if (r.worse)
		buf_printf(h->out, ", <span class=\"worse\">%zu worse</span>", r.worse);
	if (r.better)
		buf_printf(h->out, ", <span class=\"better\">%zu better</span>", r.better);
	if (!r.moved) {
		buf_puts(h->out, ", steady</span></h3></summary>\n");
		put_steady(h, &r);
	} else {
		buf_puts(h->out, "</span></h3>\n");
		put_grid(h, &r, true);
		if (r.charts + r.rows) {
			buf_printf(h->out,
				"<details class=\"quiet\"><summary>%zu steady</summary>\n",
				r.charts + r.rows);
			put_steady(h, &r);
		}
	}
	buf_puts(h->out, "</section>\n");
}

static bool is_same_type(const struct trend_line *a, const struct trend_line *b)
{
	return same(a->s.type, b->s.type) && a->s.twin == b->s.twin;
}

static void put_type(struct html *h, size_t from, size_t to)
{
	const struct trend_line *l = h->t->lines;

	buf_puts(h->out, "<section class=\"type\" data-type=\"");
	put_html(l[from].s.type, h->out);
	buf_puts(h->out, "\">\n<h2>");
	put_html(*l[from].s.type ? l[from].s.type : "unknown type", h->out);
	buf_puts(h->out,
		l[from].s.twin ? " <span>twin: not to be compared with silicon</span>" : "");
	buf_puts(h->out, "</h2>\n");
	for (size_t i = from, end; i < to; i = end) {
		for (end = i + 1; end < to && same(l[i].area, l[end].area); end++)
			;
		put_area(h, (struct range){.from = i, .to = end});
	}
	buf_puts(h->out, "</section>\n");
}

void html_series(struct html *h)
{
	const struct trend_line *l = h->t->lines;

	for (size_t i = 0, end; i < h->t->n_lines; i = end) {
		for (end = i + 1; end < h->t->n_lines && is_same_type(&l[i], &l[end]); end++)
			;
		put_type(h, i, end);
	}
}

/* ---- what the script shows beside a point ---- */

static void put_json_text(const char *text, struct buf *out)
{
	buf_putc(out, '"');
	for (const char *p = text ? text : ""; *p; p++)
		if (strchr("\\\"<>&'", *p) || (unsigned char)*p < 0x20)
			buf_printf(out, "\\u%04x", *p);
		else
			buf_putc(out, *p);
	buf_putc(out, '"');
}

void html_axes(struct html *h)
{
	buf_puts(h->out, "<script type=\"application/json\" id=\"axes\">[");
	for (size_t k = 0; k < h->axes.n; k++) {
		const struct trend_axis *a = h->axes.p[k];

		buf_puts(h->out, k ? ",\n[" : "[");
		for (size_t i = 0; i < a->n; i++) {
			char date[WORD_BYTES];

			buf_printf(h->out, "%s[%lld,\"%s\",", i ? "," : "",
				(long long)a->runs[i].run, word_date(a->runs[i].at_ms, date));
			put_json_text(a->runs[i].version, h->out);
			buf_putc(h->out, ']');
		}
		buf_putc(h->out, ']');
	}
	buf_puts(h->out, "]</script>\n");
}
