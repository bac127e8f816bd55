/* SPDX-License-Identifier: MIT */
/*
 * A trend as one HTML page that needs nothing else. Invariant: no text of others leaves unescaped,
 * and the page names the digests of its only script and style sheet, so that a browser runs nothing
 * that was slipped in between.
 */
#include "render.h"

#include "base/fs.h"
#include "io/base64.h"
#include "io/digest.h"
#include "reports/format/formats.h"

#include <stdio.h>
#include <string.h>

#define ASSET_BYTES  ((size_t)64 << 10)
#define TABLE_POINTS 16000 /* in all: up to so many each chart has a table of its runs */

static int load(const char *name, struct buf *text, struct err *e)
{
	AUTOFREE char *path = fs_data_path(name);

	return fs_read(path, text, e);
}

/* 'sha256-...', or what allows it where there is no libcrypto. */
static void put_digest(const struct buf *text, struct buf *out)
{
	char hex[DIGEST_HEX_BYTES];
	unsigned char bytes[32];

	digest_sha256(text->data, text->len, hex);
	for (size_t i = 0; i < sizeof bytes; i++)
		if (sscanf(hex + 2 * i, "%2hhx", &bytes[i]) != 1) {
			buf_puts(out, "'unsafe-inline'");
			return;
		}
	buf_puts(out, "'sha256-");
	base64_add(out, str_make((const char *)bytes, sizeof bytes));
	buf_puts(out, "'");
}

static void put_title(const struct html *h)
{
	put_html(h->o->title ? h->o->title : "Performance trend", h->out);
}

static void put_head(struct html *h, const struct buf *style, const struct buf *script)
{
	buf_puts(h->out,
		"<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
		"<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
		"<meta name=\"color-scheme\" content=\"light dark\">\n"
		"<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
		"base-uri 'none'; form-action 'none'; style-src ");
	put_digest(style, h->out);
	buf_puts(h->out, "; script-src ");
	put_digest(script, h->out);
	buf_puts(h->out,
		"\">\n<meta name=\"generator\" content=\"hilab " HILAB_VERSION "\">\n<title>");
	put_title(h);
	buf_puts(h->out, "</title>\n<style>");
	buf_add(h->out, style->data, style->len);
	buf_puts(h->out, "</style>\n</head>\n<body>\n");
}

static size_t count(const struct trend *t, const char *what)
{
	size_t n = 0;

	for (size_t i = 0; i < t->n_lines; i++)
		if (!i || strcmp(t->lines[i].s.type, t->lines[i - 1].s.type) ||
			(!strcmp(what, "area") && strcmp(t->lines[i].area, t->lines[i - 1].area)))
			n++;
	return n;
}

static void put_header(struct html *h)
{
	char from[WORD_BYTES], to[WORD_BYTES], now[WORD_BYTES];
	const struct trend *t = h->t;
	size_t types = count(t, "type");

	buf_puts(h->out, "<header class=\"top\">\n<h1>");
	put_title(h);
	buf_printf(h->out, "</h1>\n<p>%zu board type%s, %zu series, %zu figures", types,
		types == 1 ? "" : "s", t->n_lines, t->n_points);
	if (t->n_lines)
		buf_printf(h->out, " from %s to %s", word_date(t->first_ms, from),
			word_date(t->last_ms, to));
	if (h->o->now_ms)
		buf_printf(h->out, ". Written on %s by hilab " HILAB_VERSION,
			word_date(h->o->now_ms, now));
	buf_puts(h->out, ".</p>\n</header>\n");
}

static void put_legend(struct html *h)
{
	buf_puts(h->out,
		"<section class=\"legend\">\n<h2>How to read this</h2>\n"
		"<ul>\n<li>A chart shows one figure of one board over time. Its height spans at "
		"least 5 % of the value, so that noise looks like noise; the shaded band is from "
		"the smallest to the largest sample, or run of a week.</li>\n"
		"<li>A dashed upright line is a change of level: red where the figure became "
		"worse, green where it became better, grey where neither is. Beside it "
		"stands how many standard deviations it was away from chance when it was found, "
		"and how many runs stand behind it by now. "
		"A dotted level line is the published figure; a twin has none.</li>\n"
		"<li>Few releases, some days apart, are judged as releases: a change is 5 % or "
		"more "
		"and four times what the figure moves otherwise, and the next release confirms it. "
		"Fewer than four releases say nothing.</li>\n"
		"<li>What differs in board, unit, tool or parameters is a series of its "
		"own.</li>\n");
	if (h->t->n_thinned)
		buf_printf(h->out,
			"<li>%zu series without a change, or beyond what a page holds, are shown "
			"by "
			"week: smallest, median and largest run. All their points: "
			"<code>--full</code> with <code>--board</code>.</li>\n",
			h->t->n_thinned);
	buf_puts(h->out, "</ul>\n</section>\n");
}

static void put_body(struct html *h)
{
	put_header(h);
	buf_puts(h->out, "<main>\n");
	if (!h->t->n_lines) {
		buf_puts(h->out, "<p class=\"none\">There is no figure that was asked for. A run "
				 "adds its figures when it has ended.</p>\n");
	} else {
		html_summary(h);
		html_series(h);
		put_legend(h);
	}
	buf_puts(h->out, "</main>\n");
}

static int html_write(
	const struct trend *t, const struct trend_opts *o, struct buf *out, struct err *e)
{
	AUTOBUF style = BUF_INIT(ASSET_BYTES), script = BUF_INIT(ASSET_BYTES);
	struct html h = {.t = t, .o = o, .out = out};

	if (load("reports/trend/page.css", &style, e) || load("reports/trend/page.js", &script, e))
		return -1;
	h.tables = t->n_points <= TABLE_POINTS && !t->n_thinned;
	put_head(&h, &style, &script);
	put_body(&h);
	if (!h.tables)
		html_axes(&h);
	buf_puts(out, "<script>");
	buf_add(out, script.data, script.len);
	buf_puts(out, "</script>\n</body>\n</html>\n");
	map_done(&h.numbers);
	vec_done(&h.axes);
	return trend_check_size(out, e);
}

const struct trend_format trend_html_format = {
	.d = {.name = "html",
		.brief = "one page with charts, that needs nothing else",
		.proven = "structure and hostile names in tests; looked at in Chromium"},
	.mime = "text/html",
	.ext = "html",
	.write = html_write,
};
