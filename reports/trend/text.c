/* SPDX-License-Identifier: MIT */
/*
 * A trend for the terminal: a series a paragraph, with a sparkline and its changes; and the table
 * of formats. Invariant: no line is longer than the terminal unless a name is.
 */
#include "render.h"

#include <math.h>
#include <string.h>

#define SPARK_MAX 60
#define SPARK_MIN 20

static void put_colour(const struct trend_opts *o, enum trend_sense sense, bool on, struct buf *out)
{
	static const char *const colours[] = {"\033[31m", "\033[32m", "\033[33m"};

	if (o->colour)
		buf_puts(out, on ? colours[sense] : "\033[0m");
}

static void put_change(const struct trend_opts *o, const struct trend_line *l,
	const struct trend_change *c, struct buf *out)
{
	char before[WORD_BYTES], after[WORD_BYTES], text[WORD_BYTES];

	buf_puts(out, "    ");
	put_colour(o, c->sense, true, out);
	buf_printf(out, "%s %s", trend_sense_names[c->sense], word_change(c, text));
	put_colour(o, c->sense, false, out);
	buf_printf(out, "  %s to %s, since ", word_figure(c->before, "", before),
		word_figure(c->after, "", after));
	AUTOBUF build = BUF_INIT(BUF_CAP_BYTES);
	put_build(l->s.line, &c->first, &build);
	put_plain(buf_str(&build), out);
	buf_printf(out, " (run %lld, ", (long long)c->first.run);
	buf_printf(out, "%s), ", word_date(c->first.at_ms, text));
	buf_printf(out, "%s\n", word_sure(c, text));
}

static void put_line(const struct trend_opts *o, const struct trend_line *l, struct buf *out)
{
	size_t columns = o->width > SPARK_MIN + 40 ? (size_t)o->width - 40 : SPARK_MIN;
	char last[WORD_BYTES], text[WORD_BYTES];
	double moved = l->first != 0 ? 100 * (l->last - l->first) / fabs(l->first) : NAN;

	put_plain(l->s.type, out);
	buf_puts(out, l->s.twin ? " (twin)  " : "  ");
	if (*l->s.board && strcmp(l->s.board, l->s.type)) {
		put_plain(l->s.board, out);
		buf_puts(out, "  ");
	}
	put_plain(l->title, out);
	if (l->follows) {
		buf_puts(out, "  (before: ");
		put_plain(l->follows, out);
		buf_putc(out, ')');
	}
	buf_puts(out, "\n    ");
	put_spark(l, columns < SPARK_MAX ? columns : SPARK_MAX, o->ascii, out);
	buf_puts(out, "  ");
	put_plain(word_figure(l->last, l->s.unit, last), out);
	if (isfinite(moved))
		buf_printf(out, "  %+.1f %%", moved);
	buf_printf(out, "  %zu run%s", l->n, l->n == 1 ? "" : "s");
	if (isfinite(l->reference))
		buf_printf(out, "  published %s", word_figure(l->reference, "", text));
	buf_putc(out, '\n');
	for (size_t i = 0; i < l->n_changes; i++)
		put_change(o, l, &l->changes[i], out);
}

static int text_write(
	const struct trend *t, const struct trend_opts *o, struct buf *out, struct err *e)
{
	if (!t->n_lines)
		buf_puts(out, "no figure that was asked for\n");
	for (size_t i = 0; i < t->n_lines; i++)
		put_line(o, &t->lines[i], out);
	return trend_check_size(out, e);
}

const struct trend_format trend_text_format = {
	.d = {.name = "text", .brief = "sparklines in the terminal", .proven = "tests"},
	.mime = "text/plain",
	.ext = "txt",
	.write = text_write,
};

const struct driver *const *trend_formats(void)
{
	static const struct driver *const table[] = {
		&trend_csv_format.d,
		&trend_html_format.d,
		&trend_json_format.d,
		&trend_markdown_format.d,
		&trend_svg_format.d,
		&trend_text_format.d,
		NULL,
	};

	return table;
}
