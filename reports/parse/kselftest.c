/* SPDX-License-Identifier: MIT */
/*
 * Kernel selftests before they spoke KTAP: "selftests: net: tls [PASS]" (to 4.20), and with
 * "ok 1..2" or "not ok 1..2" before it (5.0 to 5.2). Invariant: a test that is told in two ways is
 * a miss.
 */
#include "base/map.h"
#include "parsers.h"
#include "shown.h"

#include <string.h>

#define HEAD "selftests: "

struct test {
	const char *name;
	enum status status;
	const char *why;
	size_t at;
	bool twice;
};

struct kselftest {
	struct shown s;
	VEC(struct test) tests;
};

static int word_status(struct str word)
{
	static const struct {
		const char *word;
		enum status status;
	} words[] = {{"[PASS]", STATUS_PASS}, {"[FAIL]", STATUS_FAIL}, {"[SKIP]", STATUS_SKIP}};

	for (size_t i = 0; i < ARRAY_LEN(words); i++)
		if (str_is(word, words[i].word))
			return (int)words[i].status;
	return -1;
}

/* "ok 1..2 " or "not ok 1..2 " taken off: 1, -1; 0: neither is there. */
static int take_verdict(struct str *s)
{
	struct str rest = *s, word;
	int said = 1;

	if (!str_word(&rest, &word))
		return 0;
	if (str_is(word, "not")) {
		said = -1;
		if (!str_word(&rest, &word))
			return 0;
	}
	if (!str_is(word, "ok") || !str_word(&rest, &word) || !str_starts(word, "1.."))
		return 0;
	*s = str_trim(rest);
	return said;
}

static void on_line(struct kselftest *k, const struct shown_line *line)
{
	struct str s = str_trim(line->text);
	int said = take_verdict(&s), status;
	ptrdiff_t open;
	char *name;

	if (!str_starts(s, HEAD))
		return;
	s = str_make(s.p + strlen(HEAD), s.n - strlen(HEAD));
	for (open = (ptrdiff_t)s.n - 1; open >= 0 && s.p[open] != '['; open--)
		;
	if (open <= 0)
		return;
	status = word_status(str_make(s.p + open, s.n - (size_t)open));
	s = str_trim(str_make(s.p, (size_t)open));
	if (!s.n)
		return;
	name = (char *)shown_name(&k->s, s);
	for (char *p = strstr(name, ": "); p; p = strstr(p, ": ")) {
		*p = '/';
		memmove(p + 1, p + 2, strlen(p + 2) + 1);
	}
	vec_push(&k->tests, ((struct test){.name = name, .status = STATUS_MISS, .at = line->at}));
	if (status < 0)
		k->tests.p[k->tests.n - 1].why = "its status is damaged";
	else if (!line->ended)
		k->tests.p[k->tests.n - 1].why = "its line has no end";
	else if ((said < 0 && status == STATUS_PASS) || (said > 0 && status == STATUS_FAIL))
		k->tests.p[k->tests.n - 1].why = "its line says both";
	else
		k->tests.p[k->tests.n - 1].status = (enum status)status;
}

static void compare(struct kselftest *k)
{
	struct map first = {0};

	vec_each (&k->tests, t) {
		struct test *other = map_find(&first, t->name);

		if (!other) {
			map_set(&first, t->name, t);
			continue;
		}
		t->twice = true;
		if (other->status != t->status && !other->why)
			other->why = "it was told in two ways";
	}
	map_done(&first);
}

static int parse(struct str text, const struct sink *sink, struct err *e)
{
	struct kselftest k = {0};

	(void)e;
	shown_read(&k.s, text, NULL);
	vec_each (&k.s.lines, line)
		on_line(&k, line);
	compare(&k);
	vec_each (&k.tests, t) {
		sink_at(sink, t->at);
		if (t->twice)
			sink_warn(sink, "'%s' was told before", t->name);
		else
			sink_result(sink, t->name, t->why ? STATUS_MISS : t->status, t->why);
	}
	vec_done(&k.tests);
	shown_done(&k.s);
	return 0;
}

static int detect(struct str text)
{
	struct str line;

	while (str_line(&text, &line)) {
		struct str s = str_trim(line);

		take_verdict(&s);
		if (str_starts(s, HEAD) && (str_ends(s, "[PASS]") || str_ends(s, "[FAIL]")))
			return 96;
	}
	return 0;
}

static const char *const kselftest_marks[] = {"selftests: ", "[PASS]", "[FAIL]", "[SKIP]", NULL};

const struct parser kselftest_parser = {
	.d = {.name = "kselftest",
		.brief = "kernel selftests before KTAP",
		.proven = "golden cases; damaged in every place"},
	.detect = detect,
	.parse = parse,
	.marks = kselftest_marks,
};
