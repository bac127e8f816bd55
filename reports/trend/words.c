/* SPDX-License-Identifier: MIT */
/*
 * Words that every format of a trend uses. Invariant: what a board or a user printed leaves here
 * only as text that no terminal, page or table acts on.
 */
#include "render.h"

#include "base/clock.h"
#include "reports/format/formats.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

char *word_date(int64_t at_ms, char out[WORD_BYTES])
{
	char iso[CLOCK_ISO_BYTES];

	snprintf(out, WORD_BYTES, "%.10s", clock_iso(at_ms, iso, sizeof iso));
	return out;
}

char *word_change(const struct trend_change *c, char out[WORD_BYTES])
{
	double times = c->after / c->before;

	if (!isfinite(c->percent))
		snprintf(out, WORD_BYTES, "from 0");
	else if (times >= 10)
		snprintf(out, WORD_BYTES, "%.*f times", times < 100 ? 1 : 0, times);
	else
		snprintf(out, WORD_BYTES, "%+.*f %%", fabs(c->percent) < 100 ? 1 : 0, c->percent);
	return out;
}

char *word_sure(const struct trend_change *c, char out[WORD_BYTES])
{
	if (isfinite(c->evidence))
		snprintf(out, WORD_BYTES, "%.1f sigma, %zu run%s", c->evidence, c->runs,
			c->runs == 1 ? "" : "s");
	else
		snprintf(out, WORD_BYTES, c->confirmed ? "confirmed" : "not confirmed");
	return out;
}

char *word_figure(double value, const char *unit, char out[WORD_BYTES])
{
	char figure[FORMAT_FIGURE_BYTES];

	format_figure(value, figure, sizeof figure);
	if (strchr(figure, '.') && !strchr(figure, 'e')) {
		char *end = figure + strlen(figure);

		while (end[-1] == '0')
			*--end = 0;
		if (end[-1] == '.')
			end[-1] = 0;
	}
	snprintf(out, WORD_BYTES, "%s%s%.16s", figure, *unit ? " " : "", unit);
	return out;
}

void put_build(const char *line, const struct trend_run *r, struct buf *out)
{
	if (r->version)
		buf_printf(out, "%s%s%s", line, *line ? " " : "", r->version);
	else
		buf_printf(out, "run %lld", (long long)r->run);
}

/* ---- sparklines ---- */

#define SPARK_COLUMNS 512

struct column {
	double sum;
	size_t n;
};

static double value_of(const struct trend_line *l, size_t i)
{
	return l->axis ? l->values[i] : l->weeks[i].median;
}

/* By time; where there is a column for each, they stand side by side. */
static void fill(const struct trend_line *l, struct column *columns, size_t n)
{
	int64_t span = l->last_ms - l->first_ms + 1;
	size_t points = l->axis ? l->axis->n : l->n_weeks;

	if (n == points) {
		for (size_t i = 0; i < n; i++)
			columns[i] = (struct column){value_of(l, i), 1};
		return;
	}
	for (size_t i = 0; i < points; i++) {
		int64_t at = l->axis ? l->axis->runs[i].at_ms : l->weeks[i].at_ms;
		int64_t since = at > l->first_ms ? at - l->first_ms : 0;
		size_t k = (size_t)((double)since / (double)span * (double)n);

		columns[k < n ? k : n - 1].sum += value_of(l, i);
		columns[k < n ? k : n - 1].n++;
	}
}

void put_spark(const struct trend_line *l, size_t n, bool ascii, struct buf *out)
{
	static const char *const blocks[] = {"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
	static const char heights[] = "_.-:=+*#";
	struct column columns[SPARK_COLUMNS] = {0};
	double low = INFINITY, high = -INFINITY;
	size_t points = l->axis ? l->axis->n : l->n_weeks;

	n = n < points ? n : points;
	n = n < SPARK_COLUMNS ? n : SPARK_COLUMNS;
	fill(l, columns, n);
	for (size_t i = 0; i < n; i++) {
		columns[i].sum /= columns[i].n ? (double)columns[i].n : 1;
		if (!columns[i].n)
			continue;
		low = fmin(low, columns[i].sum);
		high = fmax(high, columns[i].sum);
	}
	/* Noise is not to look like a cliff: the heights span 5 % at least. */
	if (high - low < 0.05 * fabs(high)) {
		double middle = (low + high) / 2;

		low = middle - 0.025 * fabs(middle), high = middle + 0.025 * fabs(middle);
	}
	for (size_t i = 0; i < n; i++) {
		int height = high > low ? (int)((columns[i].sum - low) / (high - low) * 7.999) : 3;

		if (!columns[i].n)
			buf_putc(out, ' ');
		else if (ascii)
			buf_putc(out, heights[height]);
		else
			buf_puts(out, blocks[height]);
	}
}

/* ---- texts of others ---- */

/* Bytes of the character at p that may be shown; 0: they may not. */
static size_t shown(const unsigned char *p)
{
	size_t n = *p < 0x80 ? 1 : *p >= 0xf0 && *p < 0xf5 ? 4 : *p >= 0xe0 ? 3 : 2;

	if (*p < 0x20 || *p == 0x7f || (*p >= 0x80 && *p < 0xc2) || *p >= 0xf5)
		return 0;
	for (size_t i = 1; i < n; i++)
		if ((p[i] & 0xc0) != 0x80)
			return 0;
	if (*p == 0xc2 && p[1] < 0xa0) /* C1 */
		return 0;
	if ((*p == 0xe0 && p[1] < 0xa0) || (*p == 0xed && p[1] >= 0xa0) ||
		(*p == 0xf0 && p[1] < 0x90) || (*p == 0xf4 && p[1] >= 0x90))
		return 0;
	/* U+200E..F, U+2028..E, U+2066..9 turn lines and directions. */
	if (*p == 0xe2 && p[1] == 0x80 &&
		(p[2] == 0x8e || p[2] == 0x8f || (p[2] >= 0xa8 && p[2] <= 0xae)))
		return 0;
	if (*p == 0xe2 && p[1] == 0x81 && p[2] >= 0xa6 && p[2] <= 0xa9)
		return 0;
	return n;
}

static void put_text(const char *text, bool html, struct buf *out)
{
	const unsigned char *p = (const unsigned char *)(text ? text : "");

	while (*p) {
		size_t n = shown(p);

		if (!n)
			buf_putc(out, *p == '\n' || *p == '\t' || *p == '\r' ? ' ' : '?');
		else if (html && strchr("<>&\"'", *p))
			buf_printf(out, "&#%d;", *p);
		else
			buf_add(out, p, n);
		p += n ? n : 1;
	}
}

void put_plain(const char *text, struct buf *out)
{
	put_text(text, false, out);
}

void put_html(const char *text, struct buf *out)
{
	put_text(text, true, out);
}

void put_url(const struct trend_opts *o, int64_t run, const char *console, int64_t offset,
	struct buf *out)
{
	put_html(o->link_base, out);
	buf_printf(out, "/runs/%lld/", (long long)run);
	if (!console) {
		buf_puts(out, "report?format=text");
		return;
	}
	buf_puts(out, "log?console=");
	for (const unsigned char *p = (const unsigned char *)console; *p; p++)
		buf_printf(out,
			strchr("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
			       "0123456789-._~",
				*p)
				? "%c"
				: "%%%02X",
			*p);
	buf_printf(out, "&#38;from=%lld", (long long)offset);
}

int trend_check_size(const struct buf *out, struct err *e)
{
	return out->overflow ? err_set(e, BLAME_CONFIG,
				       "the report is larger than %zu MiB: ask for "
				       "less, by --type, --metric or --since",
				       out->cap >> 20)
			     : 0;
}
