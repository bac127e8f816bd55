/* SPDX-License-Identifier: MIT */
/*
 * The signals of LAVA's test shell ("<LAVA_SIGNAL_TESTCASE TEST_CASE_ID=x RESULT=pass>"; LAVA
 * documentation: writing tests, signals; lava_dispatcher, lava_test_shell). Invariant: a result is
 * charged to the run that was open around it, and is a miss where that is not known; a signal that
 * is not whole tells nothing but that.
 */
#include "lines.h"
#include "parsers.h"
#include "shown.h"

#include <stdlib.h>
#include <strings.h>

#define START       "<LAVA_SIGNAL_"
#define FIELDS      8    /* NAME=VALUE of one signal; more are passed over */
#define STARTED_MAX 1024 /* cases of one run that are watched for a result */

struct entry {
	const char *suite, *name, *why; /* suite NULL: none was open */
	enum status status;
	bool measured;
	double value;
	const char *unit;
	size_t at, order;
	bool twice; /* the same stands there before */
};

struct run {
	const char *name; /* NULL: none is open */
	const char *set;  /* NULL: none is open */
	size_t first;     /* entry */
};

struct lava {
	struct shown s;
	struct str text;
	const struct sink *sink;
	VEC(struct entry) entries;
	VEC(const char *) started; /* cases of the run that is open */
	struct run run;
	bool runs; /* the text has runs */
	size_t at;
};

struct field {
	struct str name, value;
};

static void add(struct lava *l, const char *name, enum status status, const char *why)
{
	struct entry e = {.suite = l->run.name,
		.name = name,
		.why = why,
		.status = status,
		.at = l->at,
		.order = l->entries.n};

	vec_push(&l->entries, e);
}

static const char *in_set(struct lava *l, struct str id)
{
	const char *name = shown_name(&l->s, id);

	return l->run.set ? arena_printf(&l->s.arena, "%s/%s", l->run.set, name) : name;
}

/* ---- signals --------------------------------------------------------------------------------- */

static void end_run(struct lava *l, struct str name, bool told)
{
	const char *why = NULL, *open = l->run.name;

	if (!told)
		why = "its end was not told";
	else if (!str_is(name, open))
		why = "it ended under another name";
	for (size_t i = l->run.first; told && why && i < l->entries.n; i++) {
		l->entries.p[i].status = STATUS_MISS;
		l->entries.p[i].why = "its run ended under another name";
		l->entries.p[i].measured = false;
	}
	vec_each (&l->started, id) {
		bool found = false;

		for (size_t i = l->run.first; i < l->entries.n && !found; i++)
			found = !strcmp(l->entries.p[i].name, *id);
		if (!found)
			add(l, *id, STATUS_MISS, "it started, and told no result");
	}
	if (why)
		add(l, "run", STATUS_MISS, why);
	vec_done(&l->started);
	l->run = (struct run){.first = l->entries.n};
}

static void on_start_run(struct lava *l, struct str params)
{
	struct str name = {"", 0};

	str_word(&params, &name);
	if (l->run.name && str_is(name, l->run.name))
		return; /* told twice */
	if (l->run.name)
		end_run(l, name, false);
	l->runs = true;
	l->run = (struct run){.name = shown_name(&l->s, name), .first = l->entries.n};
}

static void on_end_run(struct lava *l, struct str params)
{
	struct str name = {"", 0};

	str_word(&params, &name);
	l->runs = true;
	if (l->run.name)
		end_run(l, name, true);
	else
		sink_warn(l->sink, "a run ended that did not start: '%s'", shown_name(&l->s, name));
}

/* NAME=VALUE words. -1: one is none. */
static int split(struct str params, struct field *fields, size_t *n)
{
	struct str word;

	*n = 0;
	while (str_word(&params, &word)) {
		ptrdiff_t equals = str_chr(word, '=');

		if (equals <= 0)
			return -1;
		if (*n < FIELDS)
			fields[(*n)++] = (struct field){str_make(word.p, (size_t)equals),
				str_make(word.p + equals + 1, word.n - (size_t)equals - 1)};
	}
	return 0;
}

static struct str get(const struct field *fields, size_t n, const char *name)
{
	for (size_t i = 0; i < n; i++)
		if (fields[i].name.n == strlen(name) &&
			!strncasecmp(fields[i].name.p, name, fields[i].name.n))
			return fields[i].value;
	return str_make("", 0);
}

static int result_status(struct str word)
{
	static const char *const words[] = {"pass", "fail", "skip", "unknown"};
	static const enum status are[] = {STATUS_PASS, STATUS_FAIL, STATUS_SKIP, STATUS_ERROR};

	for (size_t i = 0; i < 4; i++)
		if (word.n == strlen(words[i]) && !strncasecmp(word.p, words[i], word.n))
			return (int)are[i];
	return -1;
}

static void on_case(struct lava *l, struct str params, bool whole)
{
	struct field fields[FIELDS];
	size_t n;
	bool good = !split(params, fields, &n) && whole && !lines_noise(params);
	struct str id = get(fields, n, "TEST_CASE_ID"), word = get(fields, n, "RESULT"),
		   measure = get(fields, n, "MEASUREMENT"), unit = get(fields, n, "UNITS"),
		   reference = get(fields, n, "REFERENCE");
	int status = result_status(word);
	struct entry *e;

	if (!id.n) {
		sink_warn(l->sink, "a result of no test: its signal is damaged");
		return;
	}
	add(l, in_set(l, id), good && status >= 0 ? (enum status)status : STATUS_MISS, NULL);
	e = &l->entries.p[l->entries.n - 1];
	if (!good || status < 0) {
		e->why = "its signal is damaged";
		return;
	}
	if (reference.n)
		e->why = shown_name(&l->s, reference);
	if (!measure.n)
		return;
	e->measured = !str_double(measure, &e->value);
	e->unit = shown_name(&l->s, unit);
	if (!e->measured)
		sink_warn(l->sink, "'%s': its measurement is no number", e->name);
}

static void on_set(struct lava *l, struct str params)
{
	struct str verb, name;

	if (str_word(&params, &verb) && str_is(verb, "START") && str_word(&params, &name))
		l->run.set = shown_name(&l->s, name);
	else
		l->run.set = NULL;
}

static void on_signal(struct lava *l, struct str name, struct str params, bool whole)
{
	struct str word = {"", 0}, rest = params;

	if (str_is(name, "TESTCASE") || str_is(name, "TESTREFERENCE")) {
		on_case(l, params, whole);
	} else if (!whole) {
		sink_warn(l->sink, "a signal has no end");
		if (str_is(name, "STARTRUN") && l->run.name)
			end_run(l, (struct str){"", 0}, false);
	} else if (str_is(name, "STARTRUN")) {
		on_start_run(l, params);
	} else if (str_is(name, "ENDRUN")) {
		on_end_run(l, params);
	} else if (str_is(name, "TESTSET")) {
		on_set(l, params);
	} else if (str_is(name, "TESTRAISE")) {
		add(l, "raise", STATUS_ERROR, shown_name(&l->s, params));
	} else if (str_is(name, "STARTTC")) {
		if (str_word(&rest, &word) && l->started.n < STARTED_MAX)
			vec_push(&l->started, in_set(l, word));
	} else if (!str_is(name, "ENDTC")) {
		sink_warn(l->sink, "a signal that is not known");
	}
}

/* Is there a byte in the raw line, from its signal on, that a console takes out? */
static bool is_edited(const struct lava *l, size_t at)
{
	struct str raw = str_make(l->text.p + at, l->text.n - at), first;
	ptrdiff_t from, to;

	if (!str_line(&raw, &first) || (from = str_find(first, STR_LIT(START))) < 0)
		return false;
	for (to = (ptrdiff_t)first.n; to > from && first.p[to - 1] != '>';)
		to--;
	for (; from < to; from++)
		if (first.p[from] == 0x1b || first.p[from] == '\b')
			return true;
	return false;
}

static void on_line(struct lava *l, const struct shown_line *line)
{
	struct str rest = line->text;
	ptrdiff_t at;
	bool edited = is_edited(l, line->at);

	l->at = line->at;
	sink_at(l->sink, line->at);
	while ((at = str_find(rest, STR_LIT(START))) >= 0) {
		struct str name, params;
		ptrdiff_t end, next;
		bool shell = at && strchr("'\"", rest.p[at - 1]); /* a command's echo */

		rest = str_make(rest.p + at + strlen(START), rest.n - (size_t)at - strlen(START));
		end = str_chr(rest, '>');
		next = str_find(rest, STR_LIT(START));
		if (next >= 0 && (end < 0 || end > next))
			end = -1, params = str_make(rest.p, (size_t)next);
		else
			params = str_make(rest.p, end < 0 ? rest.n : (size_t)end);
		rest = str_make(rest.p + params.n, rest.n - params.n);
		if (!shell && str_word(&params, &name))
			on_signal(l, name, params, end >= 0 && !edited);
	}
}

/* ---- results --------------------------------------------------------------------------------- */

static int compare_names(const struct entry *x, const struct entry *y)
{
	int order = strcmp(x->suite ? x->suite : "", y->suite ? y->suite : "");

	return order ? order : strcmp(x->name, y->name);
}

static int by_name(const void *a, const void *b)
{
	const struct entry *x = *(struct entry *const *)a, *y = *(struct entry *const *)b;
	int order = compare_names(x, y);

	return order ? order : (x->order > y->order) - (x->order < y->order);
}

/* What is told as two things is neither; what is told twice was told once. */
static void compare(struct lava *l)
{
	struct entry **sorted = mem_alloc((l->entries.n + 1) * sizeof *sorted);
	size_t n = l->entries.n, to;

	for (size_t i = 0; i < n; i++)
		sorted[i] = &l->entries.p[i];
	qsort(sorted, n, sizeof *sorted, by_name);
	for (size_t from = 0; from < n; from = to) {
		bool differ = false;

		for (to = from + 1; to < n && !compare_names(sorted[from], sorted[to]); to++) {
			differ = differ || sorted[to]->status != sorted[from]->status;
			sorted[to]->twice = true;
		}
		for (size_t i = from; i < to && differ; i++) {
			sorted[i]->status = STATUS_MISS;
			sorted[i]->why = "it was told in two ways";
			sorted[i]->measured = false;
		}
	}
	free(sorted);
}

static void tell(struct lava *l)
{
	const char *suite = NULL;

	vec_each (&l->entries, e) {
		bool outside = l->runs && !e->suite;

		sink_at(l->sink, e->at);
		if (e->twice) {
			sink_warn(l->sink, "'%s' was told before", e->name);
			continue;
		}
		if (e->suite != suite)
			sink_suite(l->sink, e->suite);
		suite = e->suite;
		sink_result(l->sink, *e->name ? e->name : "?", outside ? STATUS_MISS : e->status,
			outside ? "no run was open" : e->why);
		if (e->measured && !outside)
			sink_figure(l->sink, e->name, e->value, e->unit, NULL, 0);
	}
}

static bool is_ours(struct str line)
{
	return str_starts(line, START);
}

static int parse(struct str text, const struct sink *sink, struct err *e)
{
	struct lava l = {.sink = sink, .text = text};

	(void)e;
	shown_read(&l.s, text, is_ours);
	vec_each (&l.s.lines, line)
		on_line(&l, line);
	if (l.run.name)
		end_run(&l, (struct str){"", 0}, false);
	compare(&l);
	tell(&l);
	vec_done(&l.entries);
	vec_done(&l.started);
	shown_done(&l.s);
	return 0;
}

static int detect(struct str text)
{
	return str_find(text, STR_LIT(START)) >= 0 ? 95 : 0;
}

static const char *const lava_marks[] = {"<LAVA_", "SIGNAL_", "TEST_CASE_ID", NULL};

const struct parser lava_parser = {
	.d = {.name = "lava",
		.brief = "test results in the signals of LAVA's test shell",
		.proven = "golden cases; damaged in every place"},
	.detect = detect,
	.parse = parse,
	.own_names = true,
	.marks = lava_marks,
};
