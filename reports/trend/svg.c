/* SPDX-License-Identifier: MIT */
/*
 * A trend as one SVG: charts below one another, those that moved first. Invariant: it has no script
 * and asks for no font or file.
 */
#include "render.h"

#include <math.h>

#define CHARTS_MAX 60
#define ROW        240 /* pixels of one chart with its texts */
#define MARGIN     20
#define HEAD       60

static const char style[] =
	"<style>text{font-family:system-ui,sans-serif;font-size:13px;fill:#1a1d21}"
	".t{font-size:20px;font-weight:600}.s{fill:#5a6370;font-size:12px}"
	".f{font-weight:600}.g{fill:#fff}svg svg{color:#1f5fbf}.l{stroke:#1a1d21;opacity:.65}"
	".r{stroke:#7a3ea8}.w{stroke:#b3261e}.b{stroke:#17713a}.m{stroke:#6b5b00}"
	"@media (prefers-color-scheme:dark){text{fill:#e6e8eb}.s{fill:#a3acb8}.g{fill:#14171b}"
	"svg svg{color:#7fb0ff}.l{stroke:#e6e8eb}.r{stroke:#d0a4f5}.w{stroke:#ff8a80}"
	".b{stroke:#6fd396}.m{stroke:#e3c96a}}</style>\n";

static void put_line(const struct trend *t, const struct trend_line *l, int y, struct buf *out)
{
	char last[WORD_BYTES], by[WORD_BYTES], from[WORD_BYTES], to[WORD_BYTES];
	struct chart c;

	chart_init(&c, t, l);
	buf_printf(out, "<text x=\"%d\" y=\"%d\" class=\"f\">", MARGIN, y + 16);
	put_html(l->title, out);
	buf_printf(out, "</text>\n<text x=\"%d\" y=\"%d\" class=\"s\">", MARGIN, y + 34);
	put_html(l->s.type, out);
	buf_puts(out, l->s.twin ? " (twin), " : ", ");
	put_html(l->s.board, out);
	buf_puts(out, ": ");
	put_html(word_figure(l->last, l->s.unit, last), out);
	for (size_t i = 0; i < l->n_changes; i++) {
		AUTOBUF build = BUF_INIT(BUF_CAP_BYTES);

		put_build(l->s.line, &l->changes[i].first, &build);
		buf_printf(out, "; %s %s since ", trend_sense_names[l->changes[i].sense],
			word_change(&l->changes[i], by));
		put_html(buf_str(&build), out);
	}
	buf_printf(out,
		"</text>\n<svg x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" viewBox=\"0 0 %d %d\" "
		"fill=\"none\" stroke=\"currentColor\" role=\"img\">",
		MARGIN, y + 42, CHART_WIDTH, CHART_HEIGHT, CHART_WIDTH, CHART_HEIGHT);
	chart_put(&c, out);
	buf_printf(out, "</svg>\n<text x=\"%d\" y=\"%d\" class=\"s\">%s</text>", MARGIN,
		y + 42 + CHART_HEIGHT + 16, word_date(t->first_ms, from));
	buf_printf(out, "<text x=\"%d\" y=\"%d\" class=\"s\" text-anchor=\"middle\">%s to ",
		MARGIN + CHART_WIDTH / 2, y + 42 + CHART_HEIGHT + 16,
		word_figure(l->min, "", from));
	put_html(word_figure(l->max, l->s.unit, to), out);
	buf_printf(out,
		"</text><text x=\"%d\" y=\"%d\" class=\"s\" text-anchor=\"end\">%s</text>\n",
		MARGIN + CHART_WIDTH, y + 42 + CHART_HEIGHT + 16, word_date(t->last_ms, to));
}

static int svg_write(
	const struct trend *t, const struct trend_opts *o, struct buf *out, struct err *e)
{
	size_t shown = t->n_lines < CHARTS_MAX ? t->n_lines : CHARTS_MAX, n = 0;
	int width = CHART_WIDTH + 2 * MARGIN, height = HEAD + (int)shown * ROW + MARGIN;

	buf_printf(out,
		"<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" "
		"viewBox=\"0 0 %d %d\">\n",
		width, height, width, height);
	buf_puts(out, style);
	buf_printf(out, "<rect class=\"g\" fill=\"#fff\" width=\"%d\" height=\"%d\"/>\n", width,
		height);
	buf_printf(out, "<text x=\"%d\" y=\"34\" class=\"t\">", MARGIN);
	put_html(o->title ? o->title : "Performance trend", out);
	buf_printf(out, "</text>\n<text x=\"%d\" y=\"52\" class=\"s\">", MARGIN);
	if (!t->n_lines)
		buf_puts(out, "There is no figure that was asked for.");
	else if (t->n_lines > shown)
		buf_printf(out, "%zu of %zu series, those that moved first", shown, t->n_lines);
	else
		buf_printf(out, "%zu series", t->n_lines);
	buf_puts(out, "</text>\n");
	for (int moved = 1; moved >= 0; moved--)
		for (size_t i = 0; i < t->n_lines && n < shown; i++)
			if ((t->lines[i].n_changes > 0) == moved)
				put_line(t, &t->lines[i], HEAD + (int)n++ * ROW, out);
	buf_puts(out, "</svg>\n");
	return trend_check_size(out, e);
}

const struct trend_format trend_svg_format = {
	.d = {.name = "svg", .brief = "charts below one another", .proven = "tests; Chromium"},
	.mime = "image/svg+xml",
	.ext = "svg",
	.write = svg_write,
};
