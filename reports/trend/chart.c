/* SPDX-License-Identifier: MIT */
/*
 * One series drawn: band of its samples or weeks, values, levels, changes and published figure.
 * Invariant: only numbers of our own and escaped texts are put out, and colours stand in attributes
 * beside the classes, so that it is drawn as well where a page may have no style sheet.
 */
#include "render.h"

#include <math.h>

#define PAD_SHARE  0.06
#define SPAN_SHARE 0.05 /* of the value: less is not made to look like more */
#define DOTS_MAX   60

static void reach(struct chart *c, double value)
{
	if (!isfinite(value))
		return;
	c->low = fmin(c->low, value);
	c->high = fmax(c->high, value);
}

void chart_init(struct chart *c, const struct trend *t, const struct trend_line *l)
{
	double span, least;

	*c = (struct chart){l, t->first_ms, t->last_ms, l->min, l->max, false};
	for (size_t i = 0; l->lows && i < l->axis->n; i++) {
		reach(c, l->lows[i]);
		reach(c, l->highs[i]);
	}
	for (size_t i = 0; i < l->n_changes; i++) {
		reach(c, l->changes[i].before);
		reach(c, l->changes[i].after);
	}
	span = c->high - c->low;
	least = SPAN_SHARE * fmax(fabs(c->high), fabs(c->low));
	/* A figure that is far away would leave a flat line: it is told in words then. */
	if (isfinite(l->reference) && l->reference <= c->high + 2 * fmax(span, least) &&
		l->reference >= c->low - 2 * fmax(span, least)) {
		reach(c, l->reference);
		c->reference = true;
		span = c->high - c->low;
	}
	if (span < least || span <= 0) {
		double middle = (c->high + c->low) / 2, half = fmax(least, 1e-12) / 2;

		c->low = middle - half, c->high = middle + half;
		span = c->high - c->low;
	}
	c->low -= PAD_SHARE * span, c->high += PAD_SHARE * span;
}

int chart_x(const struct chart *c, int64_t at_ms)
{
	double span = (double)(c->last_ms - c->first_ms);
	double x = span > 0 ? (double)(at_ms - c->first_ms) / span : 0.5;

	return (int)lround(fmin(fmax(x, 0), 1) * (CHART_WIDTH - 8)) + 4;
}

int chart_y(const struct chart *c, double value)
{
	double y = (c->high - value) / (c->high - c->low);

	return (int)lround(fmin(fmax(y, 0), 1) * CHART_HEIGHT);
}

struct pen {
	struct buf *out;
	int x, y;
	bool down, first;
};

/* Relative, and a blank only where no sign parts two numbers: half the bytes of absolute ones. */
static void pen_to(struct pen *p, int x, int y)
{
	if (!p->down) {
		buf_printf(p->out, "M%d %dl", x, y);
		p->down = p->first = true;
	} else {
		buf_printf(p->out, x - p->x < 0 || p->first ? "%d" : " %d", x - p->x);
		buf_printf(p->out, y - p->y < 0 ? "%d" : " %d", y - p->y);
		p->first = false;
	}
	p->x = x, p->y = y;
}

static size_t points_of(const struct trend_line *l)
{
	return l->axis ? l->axis->n : l->n_weeks;
}

static int64_t time_of(const struct trend_line *l, size_t i)
{
	return l->axis ? l->axis->runs[i].at_ms : l->weeks[i].at_ms;
}

static void put_band(const struct chart *c, struct buf *out)
{
	const struct trend_line *l = c->line;
	struct pen pen = {.out = out};
	size_t n = points_of(l);

	if (n < 2 || (l->axis && !l->lows))
		return;
	buf_puts(out, "<path class=\"a\" fill=\"currentColor\" fill-opacity=\".15\" "
		      "stroke=\"none\" d=\"");
	for (size_t i = 0; i < n; i++)
		pen_to(&pen, chart_x(c, time_of(l, i)),
			chart_y(c, l->axis ? l->highs[i] : l->weeks[i].max));
	for (size_t i = n; i-- > 0;)
		pen_to(&pen, chart_x(c, time_of(l, i)),
			chart_y(c, l->axis ? l->lows[i] : l->weeks[i].min));
	buf_puts(out, "z\"/>");
}

static void put_values(const struct chart *c, struct buf *out)
{
	const struct trend_line *l = c->line;
	struct pen pen = {.out = out};
	size_t n = points_of(l);

	buf_puts(out, "<path class=\"p\" d=\"");
	for (size_t i = 0; i < n; i++)
		pen_to(&pen, chart_x(c, time_of(l, i)),
			chart_y(c, l->axis ? l->values[i] : l->weeks[i].median));
	buf_puts(out, "h0\"/>");
	if (n > DOTS_MAX)
		return;
	buf_puts(out, "<path class=\"d\" stroke-width=\"4\" stroke-linecap=\"round\" d=\"");
	for (size_t i = 0; i < n; i++)
		buf_printf(out, "M%d %dh0", chart_x(c, time_of(l, i)),
			chart_y(c, l->axis ? l->values[i] : l->weeks[i].median));
	buf_puts(out, "\"/>");
}

static void put_level(
	const struct chart *c, int64_t from, int64_t to, double value, struct buf *out)
{
	buf_printf(out, "M%d %dH%d", chart_x(c, from), chart_y(c, value), chart_x(c, to));
}

static void put_levels(const struct chart *c, struct buf *out)
{
	const struct trend_line *l = c->line;

	if (!l->n_changes)
		return;
	buf_puts(out, "<path class=\"l\" stroke-width=\"2\" d=\"");
	for (size_t i = 0; i < l->n_changes; i++)
		put_level(c, i ? l->changes[i - 1].first.at_ms : l->first_ms,
			l->changes[i].last.at_ms, l->changes[i].before, out);
	put_level(c, l->changes[l->n_changes - 1].first.at_ms, l->last_ms,
		l->changes[l->n_changes - 1].after, out);
	buf_puts(out, "\"/>");
}

static void put_change(const struct chart *c, const struct trend_change *change, struct buf *out)
{
	char by[WORD_BYTES], sure[WORD_BYTES], date[WORD_BYTES];
	int middle = (chart_x(c, change->first.at_ms) + chart_x(c, change->last.at_ms)) / 2;

	buf_printf(out, "<path class=\"%c\" stroke-dasharray=\"4 3\" d=\"M%d 0V%d\"><title>%s ",
		trend_sense_names[change->sense][0], middle, CHART_HEIGHT,
		trend_sense_names[change->sense]);
	buf_printf(out, "%s, %s, since ", word_change(change, by), word_sure(change, sure));
	AUTOBUF build = BUF_INIT(BUF_CAP_BYTES);
	put_build(c->line->s.line, &change->first, &build);
	put_html(buf_str(&build), out);
	buf_printf(out, " (run %lld, %s)</title></path>", (long long)change->first.run,
		word_date(change->first.at_ms, date));
}

void chart_put(const struct chart *c, struct buf *out)
{
	const struct trend_line *l = c->line;

	put_band(c, out);
	if (c->reference)
		buf_printf(out,
			"<path class=\"r\" stroke-dasharray=\"1 4\" d=\"M0 "
			"%dH%d\"><title>published: "
			"%.6g</title></path>",
			chart_y(c, l->reference), CHART_WIDTH, l->reference);
	put_values(c, out);
	put_levels(c, out);
	for (size_t i = 0; i < l->n_changes; i++)
		put_change(c, &l->changes[i], out);
}
