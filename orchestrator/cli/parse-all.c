/* SPDX-License-Identifier: MIT */
/*
 * `hilab parse --all`: every parser over one text, each over the parts that its marks point at. Two
 * parsers may know the same lines: KTAP is TAP with other rules, iperf 3 prints rows as iperf 2
 * does. Invariant: a line's results and figures are those of one parser, but for those that tell
 * what stands around a tool (.beside), and what was left out is told.
 */
#include "cli/parse.h"

#include "agents/worker/journal.h"
#include "base/mem.h"
#include "io/json.h"
#include "reports/parse/scan.h"

#include <stdlib.h>
#include <string.h>

#define STRETCH_LINES 10 /* without a result or figure between two of one stretch */

/* What one parser found without a longer pause. */
struct stretch {
	unsigned parser;
	size_t first, last; /* lines */
	size_t n;           /* results and figures */
	int sure;           /* -1: not asked yet */
	size_t lost_to;     /* the last that it lost lines to, + 1; 0: none */
};

struct loss {
	size_t loser, winner; /* stretches */
	size_t n;             /* results and figures that were dropped */
};

struct all {
	struct parse_finding *f;
	struct scan scan;
	VEC(struct stretch) stretches;
	VEC(struct loss) losses;
};

/* The surest of a parser's parts. */
static int sure_of(const struct scan *s, unsigned i)
{
	const struct parser *p = s->parsers[i].parser;
	int sure = 0;

	vec_each (&s->parsers[i].parts, part) {
		int here = p->detect(str_make(s->text.p + part->from, part->to - part->from));

		sure = here > sure ? here : sure;
	}
	return sure;
}

/* Drops what a parser told that found nothing: its warnings are of lines that others print. */
static void take_back(struct parse_finding *f, size_t from)
{
	for (size_t i = from; i < f->items.n; i++)
		json_decref(f->items.p[i].json);
	f->items.n = from;
}

/* A warning that only repeats a line: what stands beside a document is another tool's. */
static bool is_echo(struct parse_finding *f, size_t offset, const char *text)
{
	struct str rest = str_make(f->text.p + offset, f->text.n - offset), line = {"", 0}, word;
	char shown[SINK_WARN_BYTES];

	str_line(&rest, &line);
	rest = str_of(text);
	if (str_ends(rest, " more lines") && str_word(&rest, &word) && *word.p >= '0' &&
		*word.p <= '9')
		return true;
	return !strcmp(text, str_printable(str_trim(line), shown, 200));
}

static void on_warn(void *arg, const char *text)
{
	struct parse_finding *f = arg;
	struct sink sink = parse_finding_sink(f);

	if (!f->told_offset || !is_echo(f, f->offset, text))
		sink.warn(f, text);
}

static void run_parser(struct all *a, unsigned i, json_t *told)
{
	struct parse_finding *f = a->f;
	struct sink sink = parse_finding_sink(f);
	size_t from = f->items.n, before = f->n;
	struct err e = {0};
	int sure;

	f->which = i;
	f->parser = a->scan.parsers[i].parser;
	f->told_offset = false;
	if (!f->parser->detect || !a->scan.parsers[i].parts.n)
		return;
	sink.warn = on_warn;
	scan_parse_on(&a->scan, i, &sink, &e);
	sink_suite(&sink, NULL);
	sure = sure_of(&a->scan, i);
	if (f->n == before && (!err_is(&e) || !sure)) {
		take_back(f, from);
		return;
	}
	if (err_is(&e)) {
		AUTOFREE char *text = journal_text(e.msg);

		f->told_offset = false; /* the failure is of the whole */
		json_object_set_new(parse_finding_add(f, "error"), "text", json_string(text));
	}
	json_array_append_new(told, json_pack("{s:s, s:i, s:I}", "parser", f->parser->d.name,
					    "sure", sure, "found", (json_int_t)(f->n - before)));
}

/* ---- lines that two parsers know ---------------------------------------------------------------
 */

static int compare(size_t a, size_t b)
{
	return (a > b) - (a < b);
}

static int by_parser(const void *x, const void *y)
{
	const struct parse_item *a = x, *b = y;
	int order = compare(a->parser, b->parser);

	if (!order)
		order = compare(a->line, b->line);
	return order ? order : compare(a->order, b->order);
}

static int by_line(const void *x, const void *y)
{
	const struct parse_item *a = x, *b = y;
	int order = compare(a->line, b->line);

	return order ? order : by_parser(a, b);
}

static void sort(struct parse_finding *f, int (*by)(const void *, const void *))
{
	if (f->items.n)
		qsort(f->items.p, f->items.n, sizeof *f->items.p, by);
}

/* Of items by parser. */
static void make_stretches(struct all *a)
{
	vec_each (&a->f->items, item) {
		struct stretch *s = a->stretches.n ? &a->stretches.p[a->stretches.n - 1] : NULL;

		if (!item->counts || !item->line || a->scan.parsers[item->parser].parser->beside)
			continue;
		if (!s || s->parser != item->parser || item->line - s->last > STRETCH_LINES) {
			vec_push(&a->stretches,
				((struct stretch){
					.parser = item->parser, .first = item->line, .sure = -1}));
			s = &a->stretches.p[a->stretches.n - 1];
		}
		s->last = item->line;
		s->n++;
		item->stretch = a->stretches.n;
	}
}

static size_t line_offset(const struct parse_finding *f, size_t line)
{
	if (line < 2)
		return 0;
	return line - 2 < f->breaks.n ? f->breaks.p[line - 2] + 1 : f->text.n;
}

/* How sure its parser is of the lines of a stretch and of those around it. */
static int sure_here(struct all *a, struct stretch *s)
{
	size_t before = s->first > STRETCH_LINES ? s->first - STRETCH_LINES : 1;
	size_t from = line_offset(a->f, before);
	size_t to = line_offset(a->f, s->last + STRETCH_LINES);

	if (s->sure < 0)
		s->sure = a->scan.parsers[s->parser].parser->detect(
			str_make(a->f->text.p + from, to - from));
	return s->sure;
}

/* Which of two stretches has the lines that are in both. */
static size_t surer(struct all *a, size_t i, size_t j)
{
	struct stretch *x = &a->stretches.p[i], *y = &a->stretches.p[j];
	int order = sure_here(a, x) - sure_here(a, y);

	if (!order)
		order = compare(x->n, y->n);
	if (!order)
		order = compare(y->parser, x->parser);
	return order > 0 ? i : j;
}

/* The loser of a line loses what stands between the winner's lines. */
static void lose(struct all *a, size_t loser, size_t winner)
{
	struct stretch *s = &a->stretches.p[loser];

	if (s->lost_to == winner + 1)
		return;
	s->lost_to = winner + 1;
	vec_push(&a->losses, ((struct loss){loser, winner, 0}));
}

/* Of items by line: whose lines are another's, too? */
static void find_rivals(struct all *a)
{
	struct parse_finding *f = a->f;

	for (size_t from = 0, to; from < f->items.n; from = to) {
		size_t line = f->items.p[from].line, best = 0; /* + 1 */

		for (to = from; to < f->items.n && f->items.p[to].line == line; to++) {
			size_t own = f->items.p[to].stretch;

			if (own && own != best)
				best = best ? surer(a, best - 1, own - 1) + 1 : own;
		}
		for (size_t i = from; i < to; i++) {
			size_t own = f->items.p[i].stretch;

			if (own && own != best)
				lose(a, own - 1, best - 1);
		}
	}
}

/* The first item, of items by line, that is not above that line. */
static size_t item_at(const struct parse_finding *f, size_t line)
{
	size_t low = 0, high = f->items.n;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (f->items.p[middle].line < line)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* Of items by line. */
static void drop_lost(struct all *a)
{
	struct parse_finding *f = a->f;

	vec_each (&a->losses, loss) {
		const struct stretch *s = &a->stretches.p[loss->winner];

		for (size_t i = item_at(f, s->first); i < f->items.n; i++) {
			struct parse_item *item = &f->items.p[i];

			if (item->line > s->last)
				break;
			if (item->stretch != loss->loser + 1 || item->dropped)
				continue;
			item->dropped = true;
			loss->n++;
			f->n--;
		}
	}
}

static void tell_losses(struct all *a)
{
	struct parse_finding *f = a->f;

	vec_each (&a->losses, loss) {
		const struct stretch *winner = &a->stretches.p[loss->winner];
		const struct stretch *loser = &a->stretches.p[loss->loser];

		f->which = loser->parser;
		f->parser = a->scan.parsers[loser->parser].parser;
		f->offset = line_offset(f, winner->first);
		f->told_offset = true;
		if (loss->n)
			json_object_set_new(parse_finding_add(f, "warn"), "text",
				json_sprintf("lines %zu to %zu are left to '%s', %d of 100 sure; "
					     "this is %d, and had %zu results and figures there",
					winner->first, winner->last,
					a->scan.parsers[winner->parser].parser->d.name,
					winner->sure, loser->sure, loss->n));
	}
}

json_t *parse_all(struct parse_finding *f)
{
	struct all a = {.f = f};
	json_t *told = json_array();

	f->named = true;
	scan_init(&a.scan, f->text, parse_drivers());
	for (unsigned i = 0; i < a.scan.n; i++)
		run_parser(&a, i, told);
	sort(f, by_parser);
	make_stretches(&a);
	sort(f, by_line);
	find_rivals(&a);
	drop_lost(&a);
	tell_losses(&a);
	sort(f, by_line);
	vec_done(&a.stretches);
	vec_done(&a.losses);
	scan_done(&a.scan);
	return told;
}
