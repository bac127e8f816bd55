/* SPDX-License-Identifier: MIT */
/*
 * The verdict lines of TI's MCU+ SDK examples (their SysConfig-made main prints them last: "All
 * tests have passed!!", "Some tests have failed!!"; with several cores "... on a53_core0!!").
 * Invariant: a verdict is a whole line of its own, and two that differ are none.
 */
#include "parsers.h"
#include "shown.h"

#include <ctype.h>

#define PASSED "All tests have passed"
#define FAILED "Some tests have failed"

/* The line is what, perhaps " on CORE", and then nothing but '!' and '.'. */
static bool is_line(struct str line, const char *what)
{
	size_t at = strlen(what);

	line = str_trim(line);
	if (!str_starts(line, what))
		return false;
	if (str_starts(str_make(line.p + at, line.n - at), " on "))
		for (at += 4;
			at < line.n && (isalnum((unsigned char)line.p[at]) || line.p[at] == '_');
			at++)
			;
	for (size_t i = at; i < line.n; i++)
		if (line.p[i] != '!' && line.p[i] != '.')
			return false;
	return true;
}

static int parse(struct str text, const struct sink *sink, struct err *e)
{
	struct shown s;
	size_t at = 0, passed = 0, failed = 0, cut = 0;

	(void)e;
	shown_read(&s, text, NULL);
	vec_each (&s.lines, l) {
		bool pass = is_line(l->text, PASSED), fail = is_line(l->text, FAILED);

		if (!pass && !fail)
			continue;
		at = l->at;
		passed += pass;
		failed += fail;
		cut += !l->ended;
	}
	shown_done(&s);
	if (!passed && !failed)
		return 0;
	sink_at(sink, at);
	if (passed && failed)
		sink_result(sink, "verdict", STATUS_MISS, "two verdicts contradict each other");
	else if (cut)
		sink_result(sink, "verdict", STATUS_MISS, "its line has no end");
	else
		sink_result(sink, "verdict", passed ? STATUS_PASS : STATUS_FAIL, NULL);
	if (passed + failed > 1)
		sink_warn(sink, "%zu verdicts", passed + failed);
	return 0;
}

static int detect(struct str text)
{
	return str_find(text, STR_LIT(PASSED)) >= 0 || str_find(text, STR_LIT(FAILED)) >= 0 ? 80
											    : 0;
}

static const char *const mcusdk_marks[] = {"All tests have passed", "Some tests have failed", NULL};

const struct parser mcusdk_parser = {
	.d = {.name = "mcusdk",
		.brief = "verdict of TI's MCU+ SDK examples",
		.proven = "golden cases; damaged in every place"},
	.detect = detect,
	.parse = parse,
	.marks = mcusdk_marks,
};
