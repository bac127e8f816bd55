/* SPDX-License-Identifier: MIT */
/*
 * What one test of LTP prints by itself: a verdict a line ("abort01.c:60: TPASS: ...") and, at its
 * end, a summary that counts them. Invariant: a test is told once, and only as the lines and the
 * summary agree; a test whose summary is not whole is a miss.
 */
#include "base/map.h"
#include "parsers.h"
#include "shown.h"

#include <stdlib.h>
#include <string.h>

#define VERDICTS  5
#define NO_NAME   "ltp-test" /* of one that the library ended before it said anything */
#define NAMES_MAX 1024       /* that a cut name is held against */

static const struct {
	const char *word, *head; /* of a line, of the summary */
} verdicts[VERDICTS] = {{"TPASS", "passed"}, {"TFAIL", "failed"}, {"TBROK", "broken"},
	{"TCONF", "skipped"}, {"TWARN", "warnings"}};
enum { PASSED, FAILED, BROKEN, SKIPPED, WARNINGS };

struct ended {
	const char *name, *why; /* why NULL: none */
	enum status status;
	size_t at;
};

struct ltp_test {
	struct shown s;
	VEC(struct ended) ended;
	const char *name; /* NULL: none yet */
	size_t at;        /* of its first verdict */
	bool two_names, begun;
	VEC(const char *) names;                   /* of the tests that ended */
	int64_t told[VERDICTS], summary[VERDICTS]; /* summary -1: not told */
};

static void reset(struct ltp_test *t)
{
	t->name = NULL;
	t->two_names = t->begun = false;
	for (size_t i = 0; i < VERDICTS; i++) {
		t->told[i] = 0;
		t->summary[i] = -1;
	}
}

static enum status status_of(const int64_t *n)
{
	if (n[FAILED])
		return STATUS_FAIL;
	if (n[BROKEN] || n[WARNINGS])
		return STATUS_ERROR;
	return n[PASSED] ? STATUS_PASS : n[SKIPPED] ? STATUS_SKIP : STATUS_MISS;
}

/* The end of the name of a test before: what repeats on a line may begin in the middle of one. */
static bool is_tail(const struct ltp_test *t, const char *name)
{
	for (size_t i = 0; i < t->names.n; i++) {
		const char *other = t->names.p[i];

		if (strlen(other) > strlen(name) && str_ends(str_of(other), name))
			return true;
	}
	return false;
}

static void finish(struct ltp_test *t, const char *why)
{
	const char *name = t->name ? t->name : NO_NAME;
	char counts[160];

	for (size_t i = 0; !why && i < VERDICTS; i++)
		if (t->summary[i] < 0)
			why = "its summary is not whole";
		else if (t->summary[i] != t->told[i])
			why = "its summary counts other verdicts than were told";
	if (!why && t->two_names)
		why = "its verdicts are of several files";
	if (!why && t->name && is_tail(t, name))
		why = "its name is the end of another's";
	if (t->name && t->names.n < NAMES_MAX)
		vec_push(&t->names, t->name);
	if (why) {
		vec_push(&t->ended, ((struct ended){name, why, STATUS_MISS, t->at}));
	} else {
		snprintf(counts, sizeof counts,
			"%lld passed, %lld failed, %lld broken, %lld skipped, %lld warnings",
			(long long)t->summary[0], (long long)t->summary[1],
			(long long)t->summary[2], (long long)t->summary[3],
			(long long)t->summary[4]);
		vec_push(&t->ended, ((struct ended){name,
					    status_of(t->summary) == STATUS_PASS
						    ? NULL
						    : arena_strdup(&t->s.arena, counts),
					    status_of(t->summary), t->at}));
	}
	reset(t);
}

/* "FILE.c:LINE: TPASS: TEXT" */
static bool on_verdict(struct ltp_test *t, const struct shown_line *line)
{
	struct str rest = str_trim(line->text), where, word, file;
	ptrdiff_t colon;
	uint64_t number;

	if (!str_word(&rest, &where) || !str_word(&rest, &word) || word.n != 6 ||
		word.p[5] != ':' || where.p[where.n - 1] != ':')
		return false;
	where.n--;
	colon = str_chr(where, ':');
	file = str_make(where.p, colon < 0 ? 0 : (size_t)colon);
	if (!str_ends(file, ".c") ||
		str_u64(str_make(where.p + colon + 1, where.n - (size_t)colon - 1), &number))
		return false;
	for (size_t i = 0; i < VERDICTS; i++) {
		if (memcmp(word.p, verdicts[i].word, 5) != 0)
			continue;
		if (t->summary[PASSED] >= 0 || t->summary[FAILED] >= 0)
			finish(t, "another test begins in its summary");
		if (!t->begun)
			t->at = line->at;
		t->begun = true;
		t->told[i]++;
		if (!str_starts(file, "tst_")) {
			const char *name = shown_name(&t->s, str_make(file.p, file.n - 2));

			t->two_names = t->two_names || (t->name && strcmp(t->name, name) != 0);
			t->name = t->name ? t->name : name;
		}
		return true;
	}
	return false;
}

static void on_summary(struct ltp_test *t, const struct shown_line *line)
{
	struct str rest = str_trim(line->text), head, number;
	int64_t n;

	if (!line->ended || !str_word(&rest, &head) || !str_word(&rest, &number) ||
		str_trim(rest).n || str_i64(number, &n) || n < 0)
		return;
	for (size_t i = 0; i < VERDICTS; i++)
		if (str_is(head, verdicts[i].head))
			t->summary[i] = t->summary[i] < 0 || t->summary[i] == n ? n : INT64_MAX;
	for (size_t i = 0; i < VERDICTS; i++)
		if (t->summary[i] < 0)
			return;
	finish(t, NULL);
}

/* A summary of no verdicts: the one before it, or its verdict, was another test's. */
static void on_orphan(struct ltp_test *t, const struct shown_line *line)
{
	struct str rest = str_trim(line->text), head, number;
	struct ended *last = t->ended.n ? &t->ended.p[t->ended.n - 1] : NULL;
	int64_t n;

	if (!last || !str_word(&rest, &head) || !str_is(head, "broken") ||
		!str_word(&rest, &number) || str_i64(number, &n))
		return;
	last->status = STATUS_MISS;
	last->why = "a summary without verdicts follows it";
}

/* A test whose name was told before, with another status: neither is known. */
static void compare(struct ltp_test *t)
{
	struct map first = {0};

	vec_each (&t->ended, r) {
		struct ended *other = map_find(&first, r->name);

		if (!strcmp(r->name, NO_NAME))
			continue;
		if (!other) {
			map_set(&first, r->name, r);
		} else if (other->status != r->status) {
			other->status = r->status = STATUS_MISS;
			other->why = r->why = "it was told in two ways";
		}
	}
	map_done(&first);
}

static int parse(struct str text, const struct sink *sink, struct err *e)
{
	struct ltp_test t = {0};

	(void)e;
	reset(&t);
	shown_read(&t.s, text, NULL);
	vec_each (&t.s.lines, line)
		if (on_verdict(&t, line))
			;
		else if (t.begun)
			on_summary(&t, line);
		else
			on_orphan(&t, line);
	if (t.begun)
		finish(&t, "its summary is not whole");
	compare(&t);
	vec_each (&t.ended, r) {
		sink_at(sink, r->at);
		sink_result(sink, r->name, r->status, r->why);
	}
	vec_done(&t.ended);
	vec_done(&t.names);
	shown_done(&t.s);
	return 0;
}

static int detect(struct str text)
{
	return str_find(text, STR_LIT(": TPASS: ")) >= 0 ||
			       str_find(text, STR_LIT(": TFAIL: ")) >= 0 ||
			       str_find(text, STR_LIT(": TCONF: ")) >= 0 ||
			       str_find(text, STR_LIT(": TBROK: ")) >= 0
		       ? 75
		       : 0;
}

static const char *const ltp_test_marks[] = {
	": TPASS:", ": TFAIL:", ": TBROK:", ": TCONF:", ": TWARN:", "passed  ", "warnings ", NULL};

const struct parser ltp_test_parser = {
	.d = {.name = "ltp-test",
		.brief = "verdicts and summary of single LTP tests",
		.proven = "golden cases; damaged in every place"},
	.detect = detect,
	.parse = parse,
	.marks = ltp_test_marks,
};
