/* SPDX-License-Identifier: MIT */
/*
 * What LTP's runners print: kirk's lines ("abort01: pass  (0.3s)") with its summary, and the table
 * of ltp-pan ("abort01   PASS   0"). Invariant: a test that two lines tell differently is a miss,
 * and so are tests that the summary counts and no line tells.
 */
#include "parsers.h"
#include "shown.h"

#include <stdlib.h>

struct test {
	const char *name;
	enum status status;
	const char *why;
	size_t at, order;
	bool twice;
};

struct ltp {
	struct shown s;
	VEC(struct test) tests;
	int64_t total; /* that the summary tells; -1: not told */
	bool totals_differ;
};

static int word_status(struct str word)
{
	static const struct {
		const char *word;
		enum status status;
	} words[] = {{"pass", STATUS_PASS}, {"PASS", STATUS_PASS}, {"fail", STATUS_FAIL},
		{"FAIL", STATUS_FAIL}, {"skip", STATUS_SKIP}, {"CONF", STATUS_SKIP},
		{"broken", STATUS_ERROR}, {"BROK", STATUS_ERROR}};

	for (size_t i = 0; i < sizeof words / sizeof *words; i++)
		if (str_is(word, words[i].word))
			return (int)words[i].status;
	return -1;
}

static void add(
	struct ltp *l, const struct shown_line *line, struct str name, int status, const char *why)
{
	struct test t = {.name = shown_name(&l->s, name),
		.status = status < 0 || !line->ended ? STATUS_MISS : (enum status)status,
		.why = status < 0     ? "its status is damaged"
		       : !line->ended ? "its line has no end"
				      : why,
		.at = line->at,
		.order = l->tests.n};

	vec_push(&l->tests, t);
}

/* "NAME: STATUS [| tainted] (TIME)" */
static bool on_kirk(struct ltp *l, const struct shown_line *line)
{
	struct str rest = line->text, name, word, last;
	bool tainted = false;
	ptrdiff_t open;

	if (!str_word(&rest, &name) || name.n < 2 || name.p[name.n - 1] != ':' ||
		!str_word(&rest, &word))
		return false;
	rest = str_trim(rest);
	open = str_chr(rest, '(');
	if (open < 0 || rest.p[rest.n - 1] != ')' || rest.p[rest.n - 2] != 's')
		return false;
	last = str_trim(str_make(rest.p, (size_t)open));
	if (last.n && !str_is(last, "| tainted"))
		return false;
	tainted = last.n > 0;
	add(l, line, str_make(name.p, name.n - 1), word_status(word),
		tainted ? "the kernel was tainted" : NULL);
	return true;
}

/* "NAME  STATUS  EXIT" */
static bool on_table(struct ltp *l, const struct shown_line *line)
{
	struct str rest = line->text, name, word, exit;
	int64_t value;

	if (!str_word(&rest, &name) || !str_word(&rest, &word) || !str_word(&rest, &exit) ||
		str_trim(rest).n || word_status(word) < 0 || str_i64(exit, &value))
		return false;
	add(l, line, name, word_status(word), NULL);
	return true;
}

static void on_total(struct ltp *l, const struct shown_line *line)
{
	static const char *const heads[] = {"Total runs:", "Total Tests:"};
	struct str text = str_trim(line->text);
	int64_t n;

	for (size_t i = 0; i < 2; i++) {
		size_t head = strlen(heads[i]);

		if (!line->ended || !str_starts(text, heads[i]) ||
			str_i64(str_trim(str_make(text.p + head, text.n - head)), &n) || n < 0)
			continue;
		l->totals_differ = l->totals_differ || (l->total >= 0 && l->total != n);
		l->total = n;
	}
}

static int by_name(const void *a, const void *b)
{
	const struct test *x = *(struct test *const *)a, *y = *(struct test *const *)b;
	int order = strcmp(x->name, y->name);

	return order ? order : (x->order > y->order) - (x->order < y->order);
}

/* Returns how many tests there are. */
static size_t compare(struct ltp *l)
{
	struct test **sorted = mem_alloc((l->tests.n + 1) * sizeof *sorted);
	size_t n = l->tests.n, to, names = 0;

	for (size_t i = 0; i < n; i++)
		sorted[i] = &l->tests.p[i];
	qsort(sorted, n, sizeof *sorted, by_name);
	for (size_t from = 0; from < n; from = to, names++) {
		bool differ = false;

		for (to = from + 1; to < n && !strcmp(sorted[from]->name, sorted[to]->name); to++) {
			differ = differ || sorted[to]->status != sorted[from]->status;
			sorted[to]->twice = true;
		}
		if (!differ)
			continue;
		sorted[from]->status = STATUS_MISS;
		sorted[from]->why = "it was told in two ways";
	}
	free(sorted);
	return names;
}

static int parse(struct str text, const struct sink *sink, struct err *e)
{
	struct ltp l = {.total = -1};
	size_t names;

	(void)e;
	shown_read(&l.s, text, NULL);
	vec_each (&l.s.lines, line)
		if (!on_kirk(&l, line) && !on_table(&l, line))
			on_total(&l, line);
	names = compare(&l);
	vec_each (&l.tests, t) {
		sink_at(sink, t->at);
		if (t->twice)
			sink_warn(sink, "'%s' was told before", t->name);
		else
			sink_result(sink, *t->name ? t->name : "?", t->status, t->why);
	}
	if (l.totals_differ || (l.total >= 0 && (int64_t)names != l.total))
		sink_result(sink, "total", STATUS_MISS,
			"the summary counts other tests than were told");
	else if (l.total < 0 && names)
		sink_warn(sink, "no summary of %zu tests", names);
	vec_done(&l.tests);
	shown_done(&l.s);
	return 0;
}

static int detect(struct str text)
{
	return str_find(text, STR_LIT("Total runs:")) >= 0 ||
			       str_find(text, STR_LIT("Total Tests:")) >= 0
		       ? 70
		       : 0;
}

static const char *const ltp_marks[] = {": pass ", ": fail ", ": skip ", ": broken ", "pass\033[",
	"fail\033[", "skip\033[", "broken\033[", " PASS ", " FAIL ", " CONF ", " BROK ",
	"Total runs:", "Total Tests:", NULL};

const struct parser ltp_parser = {
	.d = {.name = "ltp",
		.brief = "test results of LTP's runners (kirk, ltp-pan)",
		.proven = "golden cases; damaged in every place"},
	.detect = detect,
	.parse = parse,
	.marks = ltp_marks,
};
