/* SPDX-License-Identifier: MIT */
#ifndef REPORTS_TREND_RENDER_H
#define REPORTS_TREND_RENDER_H

/* A trend as a page, a drawing, tables or data: one format a file, and the words that they share.
 */

#include "base/buf.h"
#include "io/driver.h"
#include "reports/trend.h"

struct trend_opts {
	const char *title; /* NULL: one of its own */
	/* The controller's API ("https://lab:8420/api/v1"): runs become links to their reports and
	 * logs; NULL: they are told by their numbers. */
	const char *link_base;
	int64_t now_ms; /* wall: when it is written; 0: not told */
	int width;      /* columns of the terminal; 0: 80 */
	bool ascii;     /* no block characters */
	bool colour;    /* ANSI colours */
};
struct trend_format {
	struct driver d;
	const char *mime, *ext;
	int (*write)(
		const struct trend *t, const struct trend_opts *o, struct buf *out, struct err *e);
};
/* NULL-ended, sorted; each a trend_format. */
const struct driver *const *trend_formats(void);
extern const struct trend_format trend_csv_format, trend_html_format, trend_json_format,
	trend_markdown_format, trend_svg_format, trend_text_format;

/* ---- words.c ---- */
#define WORD_BYTES 64
/* "2026-03-04". Returns out. */
char *word_date(int64_t at_ms, char out[WORD_BYTES]);
/* "+4.2 %", "13.6 times" from a tenfold on, "from 0". Returns out. */
char *word_change(const struct trend_change *c, char out[WORD_BYTES]);
/* How sure: "6.1 sigma, 40 runs" that stand behind it; of releases "confirmed", "not confirmed".
 * Returns out. */
char *word_sure(const struct trend_change *c, char out[WORD_BYTES]);
/* "12.34 us". Returns out. */
char *word_figure(double value, const char *unit, char out[WORD_BYTES]);
/* "sdk 1.3 (run 12)"; borrowed texts are put in as they are. */
void put_build(const char *line, const struct trend_run *r, struct buf *out);
/*
 * The series in so many characters of eight heights, oldest first: a block a stretch of time, by
 * the median of what lies in it; a blank where nothing does.
 */
void put_spark(const struct trend_line *l, size_t columns, bool ascii, struct buf *out);
/* The text without what a terminal or a page would act on, on one line: control bytes, marks that
 * turn the direction of writing, and bytes that are no UTF-8 become '?'. */
void put_plain(const char *text, struct buf *out);
/* The same for HTML and SVG, also within quotes. */
void put_html(const char *text, struct buf *out);
/* The address of a run's report or, with a console, of that place in its log; o->link_base is
 * there.
 */
void put_url(const struct trend_opts *o, int64_t run, const char *console, int64_t offset,
	struct buf *out);
int trend_check_size(const struct buf *out, struct err *e);

/* ---- chart.c ---- */
/* One series as the inside of an <svg> without text, of CHART_WIDTH by CHART_HEIGHT. */
#define CHART_WIDTH  600
#define CHART_HEIGHT 150
struct chart {
	const struct trend_line *line;
	int64_t first_ms, last_ms; /* of the time axis */
	double low, high;          /* of the value axis */
	bool reference;            /* the published figure is on it */
};
void chart_init(struct chart *c, const struct trend *t, const struct trend_line *l);
void chart_put(const struct chart *c, struct buf *out);
int chart_x(const struct chart *c, int64_t at_ms);
int chart_y(const struct chart *c, double value);

/* ---- html*.c ---- */
struct html {
	const struct trend *t;
	const struct trend_opts *o;
	struct buf *out;
	bool tables;        /* each chart has a table of its runs */
	struct map numbers; /* of axes by "%p", from 1, where there are no tables */
	VEC(const struct trend_axis *) axes;
};
void html_summary(struct html *h);
void html_series(struct html *h);
/* The runs of charts without tables, as JSON for the script. */
void html_axes(struct html *h);
/* "run 12", as a link where there is a base. */
void html_run(const struct html *h, int64_t run);

#endif
