/* SPDX-License-Identifier: MIT */
/*
 * The page's beginning: what moved, with which build, by how much and how sure. Invariant: what
 * became better stands beside what became worse.
 */
#include "render.h"

#include <math.h>
#include <string.h>

#define EVENTS_OPEN 12 /* newest first; the others stand folded */
#define LISTED_OPEN 30 /* of the list of builds; the same */
#define HITS_OPEN   6  /* of each sense; the others stand folded */

void html_run(const struct html *h, int64_t run)
{
	if (h->o->link_base) {
		buf_puts(h->out, "<a href=\"");
		put_url(h->o, run, NULL, 0, h->out);
		buf_puts(h->out, "\">");
	}
	buf_printf(h->out, "run %lld%s", (long long)run, h->o->link_base ? "</a>" : "");
}

static void put_log(const struct html *h, const struct trend_change *c)
{
	if (!c->console)
		return;
	buf_puts(h->out, ", ");
	if (h->o->link_base) {
		buf_puts(h->out, "<a href=\"");
		put_url(h->o, c->first.run, c->console, c->log_offset, h->out);
		buf_puts(h->out, "\">log</a>");
	} else {
		buf_puts(h->out, "log ");
		put_html(c->console, h->out);
		buf_printf(h->out, " at byte %lld", (long long)c->log_offset);
	}
}

static void put_hit(const struct html *h, const struct trend_hit *hit)
{
	const struct trend_change *c = hit->change;
	const struct trend_line *l = hit->line;
	char before[WORD_BYTES], after[WORD_BYTES], by[WORD_BYTES], sure[WORD_BYTES];

	buf_printf(h->out, "<tr><th scope=\"row\"><a href=\"#s%zu\">", (size_t)(l - h->t->lines));
	put_html(l->title, h->out);
	buf_puts(h->out, "</a><small>");
	put_html(l->s.board, h->out);
	buf_puts(h->out, *l->s.board ? ", " : "");
	html_run(h, c->first.run);
	put_log(h, c);
	buf_printf(h->out, "</small></th><td>%s to ", word_figure(c->before, "", before));
	put_html(word_figure(c->after, l->s.unit, after), h->out);
	buf_printf(h->out, "</td><td class=\"by\">%s</td><td><small>%s</small></td></tr>\n",
		word_change(c, by), word_sure(c, sure));
}

static void put_rows(const struct html *h, const struct trend_event *e, enum trend_sense sense,
	size_t from, size_t to)
{
	size_t k = 0;

	buf_puts(h->out, "<table><thead><tr><th scope=\"col\">figure</th><th "
			 "scope=\"col\">level</th><th scope=\"col\">change</th><th "
			 "scope=\"col\">how sure</th></tr></thead><tbody>\n");
	for (size_t i = 0; i < e->n_hits; i++)
		if (e->hits[i].change->sense == sense && k++ >= from && k <= to)
			put_hit(h, &e->hits[i]);
	buf_puts(h->out, "</tbody></table>\n");
}

static void put_sense(
	const struct html *h, const struct trend_event *e, enum trend_sense sense, size_t n)
{
	static const char *const names[] = {"Worse", "Better", "Moved, neither better nor worse"};

	if (!n)
		return;
	buf_printf(h->out, "<div class=\"%s\"><h4>%s: %zu</h4>\n", trend_sense_names[sense],
		names[sense], n);
	put_rows(h, e, sense, 0, n <= HITS_OPEN + 2 ? n : HITS_OPEN);
	if (n > HITS_OPEN + 2) {
		buf_printf(h->out, "<details><summary>%zu more</summary>\n", n - HITS_OPEN);
		put_rows(h, e, sense, HITS_OPEN, n);
		buf_puts(h->out, "</details>\n");
	}
	buf_puts(h->out, "</div>\n");
}

static void put_event(const struct html *h, const struct trend_event *e)
{
	struct trend_run first = {e->run, e->at_ms, e->version};
	AUTOBUF build = BUF_INIT(BUF_CAP_BYTES);
	char date[WORD_BYTES];

	put_build(e->line, &first, &build);
	buf_printf(
		h->out, "<article class=\"event\" id=\"e%zu\">\n<h3>", (size_t)(e - h->t->events));
	put_html(buf_str(&build), h->out);
	buf_puts(h->out, " <span>on ");
	put_html(e->type, h->out);
	buf_printf(h->out, "%s</span></h3>\n<p>%s, first with ", e->twin ? " (twin)" : "",
		word_date(e->at_ms, date));
	html_run(h, e->run);
	if (e->before && (!e->version || strcmp(e->before, e->version))) {
		buf_puts(h->out, "; last without it: ");
		put_html(e->before, h->out);
	}
	buf_printf(h->out, ". %zu of %zu figures moved", e->n_hits, e->series);
	if (e->minor)
		buf_printf(h->out, ", %zu by less than 1 %%", e->minor);
	buf_puts(h->out, ".");
	if (e->together)
		buf_puts(h->out, " <strong>So many at once have one cause: look at the board, its "
				 "clock and power, or the compiler first.</strong>");
	if (!e->confirmed)
		buf_puts(h->out, " <em>Not confirmed: only the newest runs say so.</em>");
	buf_puts(h->out, "</p>\n<div class=\"senses\">\n");
	put_sense(h, e, TREND_WORSE, e->worse);
	put_sense(h, e, TREND_BETTER, e->better);
	put_sense(h, e, TREND_MOVED, e->moved);
	buf_puts(h->out, "</div>\n</article>\n");
}

static void put_tile(const struct html *h, const char *class, size_t n, const char *what)
{
	buf_printf(h->out, "<li class=\"%s\"><b>%zu</b> %s</li>\n", class, n, what);
}

static void put_tiles(const struct html *h)
{
	size_t worse = 0, better = 0, moved = 0, young = 0, steady = 0;

	for (size_t i = 0; i < h->t->n_events; i++) {
		const struct trend_event *e = &h->t->events[i];

		worse += e->worse, better += e->better, moved += e->moved;
		for (size_t k = 0; k < e->n_hits; k++)
			young += !e->hits[k].change->confirmed;
	}
	for (size_t i = 0; i < h->t->n_lines; i++)
		steady += !h->t->lines[i].n_changes;
	buf_puts(h->out, "<ul class=\"tiles\">\n");
	put_tile(h, "worse", worse, worse == 1 ? "change to worse" : "changes to worse");
	put_tile(h, "better", better, better == 1 ? "change to better" : "changes to better");
	if (moved)
		put_tile(h, "moved", moved, "changes of what is neither");
	put_tile(h, "young", young, "of these not confirmed yet");
	put_tile(h, "steady", steady, "series steady");
	buf_puts(h->out, "</ul>\n");
}

static bool is_told(const struct trend_event *e)
{
	return e->n_hits > 0;
}

static void put_listed(const struct html *h, const struct trend_event *e)
{
	struct trend_run first = {e->run, e->at_ms, e->version};
	AUTOBUF build = BUF_INIT(BUF_CAP_BYTES);
	char date[WORD_BYTES];

	put_build(e->line, &first, &build);
	buf_printf(h->out, "<tr><th scope=\"row\"><a href=\"#e%zu\">", (size_t)(e - h->t->events));
	put_html(buf_str(&build), h->out);
	buf_printf(h->out, "</a></th><td>%s</td><td>", word_date(e->at_ms, date));
	put_html(e->type, h->out);
	buf_printf(h->out, "%s</td><td class=\"worse\"><span class=\"by\">%zu</span></td>",
		e->twin ? " (twin)" : "", e->worse);
	buf_printf(h->out,
		"<td class=\"better\"><span class=\"by\">%zu</span></td><td>%zu</td>"
		"<td>%zu</td><td>%s%s%s</td></tr>\n",
		e->better, e->moved, e->series, e->together ? "one cause" : "",
		e->together && !e->confirmed ? ", " : "", e->confirmed ? "" : "not confirmed");
}

/* Every build that something came with, in a line each: which boards share it shows there. */
static void put_list(const struct html *h, size_t all)
{
	static const char head[] =
		"<table class=\"list\"><thead><tr><th scope=\"col\">build</th><th "
		"scope=\"col\">date</th><th scope=\"col\">board type</th><th "
		"scope=\"col\">worse</th><th scope=\"col\">better</th><th scope=\"col\">other</th>"
		"<th scope=\"col\">of figures</th><th scope=\"col\"></th></tr></thead><tbody>\n";
	size_t told = 0;

	buf_puts(h->out, head);
	for (size_t i = 0; i < h->t->n_events; i++) {
		if (!is_told(&h->t->events[i]))
			continue;
		if (told++ == LISTED_OPEN)
			buf_printf(h->out,
				"</tbody></table>\n<details><summary>%zu older builds</summary>"
				"%s",
				all - LISTED_OPEN, head);
		put_listed(h, &h->t->events[i]);
	}
	buf_puts(h->out, "</tbody></table>\n");
	if (told > LISTED_OPEN)
		buf_puts(h->out, "</details>\n");
}

void html_summary(struct html *h)
{
	size_t told = 0, all = 0;

	for (size_t i = 0; i < h->t->n_events; i++)
		all += is_told(&h->t->events[i]);
	buf_puts(h->out, "<section class=\"summary\">\n<h2>What moved</h2>\n");
	put_tiles(h);
	if (all)
		put_list(h, all);
	else
		buf_puts(h->out, "<p class=\"none\">Nothing changed its level.</p>\n");
	for (size_t i = 0; i < h->t->n_events; i++) {
		if (!is_told(&h->t->events[i]))
			continue;
		if (told++ == EVENTS_OPEN)
			buf_printf(h->out,
				"<details class=\"older\"><summary>%zu older "
				"builds</summary>\n",
				all - EVENTS_OPEN);
		put_event(h, &h->t->events[i]);
	}
	if (told > EVENTS_OPEN)
		buf_puts(h->out, "</details>\n");
	buf_puts(h->out, "</section>\n");
}
