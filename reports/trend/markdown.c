/* SPDX-License-Identifier: MIT */
/*
 * A trend as Markdown, for the summary of a CI job. Invariant: it stays below what such a page
 * takes (1 MiB on GitHub), says what it leaves out, and no text ends its cell.
 */
#include "render.h"

#include "reports/format/formats.h"

#include <string.h>

#define EVENTS_MAX 30
#define HITS_MAX   15 /* of each sense */
#define SPARK      24

static void put_cell(const char *text, struct buf *out)
{
	AUTOBUF plain = BUF_INIT(BUF_CAP_BYTES);

	put_plain(text, &plain);
	format_markdown(buf_str(&plain), out);
}

static void put_run(const struct trend_opts *o, int64_t run, struct buf *out)
{
	if (o->link_base) {
		buf_printf(out, "[run %lld](", (long long)run);
		put_url(o, run, NULL, 0, out);
		buf_putc(out, ')');
	} else {
		buf_printf(out, "run %lld", (long long)run);
	}
}

static void put_hit(const struct trend_opts *o, const struct trend_hit *hit, struct buf *out)
{
	const struct trend_change *c = hit->change;
	char text[WORD_BYTES];

	buf_printf(out, "| %s | ", trend_sense_names[c->sense]);
	put_cell(hit->line->title, out);
	buf_puts(out, " | ");
	put_cell(hit->line->s.board, out);
	buf_printf(out, " | %s | ", word_figure(c->before, "", text));
	put_cell(word_figure(c->after, hit->line->s.unit, text), out);
	buf_printf(out, " | **%s** | ", word_change(c, text));
	buf_printf(out, "%s | ", word_sure(c, text));
	put_run(o, c->first.run, out);
	buf_puts(out, " | ");
	put_spark(hit->line, SPARK, false, out);
	buf_puts(out, " |\n");
}

static void put_event(const struct trend_opts *o, const struct trend_event *e, struct buf *out)
{
	struct trend_run first = {e->run, e->at_ms, e->version};
	AUTOBUF build = BUF_INIT(BUF_CAP_BYTES);
	size_t left = 0;
	char date[WORD_BYTES];

	put_build(e->line, &first, &build);
	buf_puts(out, "\n### ");
	put_cell(buf_str(&build), out);
	buf_puts(out, " on ");
	put_cell(e->type, out);
	buf_printf(
		out, "%s\n\n%s, first with ", e->twin ? " (twin)" : "", word_date(e->at_ms, date));
	put_run(o, e->run, out);
	if (e->before) {
		buf_puts(out, "; last without it: ");
		put_cell(e->before, out);
	}
	buf_printf(out, ". %zu worse, %zu better", e->worse, e->better);
	if (e->moved)
		buf_printf(out, ", %zu moved", e->moved);
	buf_printf(out, " of %zu figures.%s%s\n\n", e->series,
		e->together ? " So many at once have one cause." : "",
		e->confirmed ? "" : " Not confirmed: only the newest runs say so.");
	buf_puts(out, "| | figure | board | before | after | change | how sure | since | |\n"
		      "|---|---|---|--:|--:|--:|---|---|---|\n");
	for (enum trend_sense sense = TREND_WORSE; sense <= TREND_MOVED; sense++) {
		size_t n = 0;

		for (size_t i = 0; i < e->n_hits; i++)
			if (e->hits[i].change->sense != sense)
				continue;
			else if (n++ < HITS_MAX)
				put_hit(o, &e->hits[i], out);
			else
				left++;
	}
	if (left)
		buf_printf(out, "\n%zu more are not listed here.\n", left);
}

static int markdown_write(
	const struct trend *t, const struct trend_opts *o, struct buf *out, struct err *e)
{
	size_t told = 0, left = 0;
	char from[WORD_BYTES], to[WORD_BYTES];

	buf_puts(out, "## ");
	put_cell(o->title ? o->title : "Performance trend", out);
	buf_printf(out, "\n\n%zu series, %zu figures", t->n_lines, t->n_points);
	if (t->n_lines)
		buf_printf(
			out, ", %s to %s", word_date(t->first_ms, from), word_date(t->last_ms, to));
	buf_puts(out, ".\n");
	for (size_t i = 0; i < t->n_events; i++)
		if (!t->events[i].n_hits)
			continue;
		else if (told++ < EVENTS_MAX)
			put_event(o, &t->events[i], out);
		else
			left++;
	if (!told)
		buf_puts(out, t->n_lines ? "\nNothing changed its level.\n"
					 : "\nThere is no figure that was asked for.\n");
	if (left)
		buf_printf(out, "\n%zu older builds are not listed here.\n", left);
	return trend_check_size(out, e);
}

const struct trend_format trend_markdown_format = {
	.d = {.name = "markdown",
		.brief = "what moved, for the summary of a CI job",
		.proven = "tests, with hostile names"},
	.mime = "text/markdown",
	.ext = "md",
	.write = markdown_write,
};
