/* SPDX-License-Identifier: MIT */
/*
 * Tests of a run against those of the runs before it, of the same job on the same board. Invariant:
 * a test that was lost is never told as one that failed, and one that failed before is never told
 * as broken now.
 */
#include "judge-inner.h"

#include "base/map.h"
#include "base/verdict.h"

#include <string.h>

/* What the runs tell of one test, by its worst result in each. */
struct told {
	const char *suite, *name;
	int status[JUDGE_BACK + 1]; /* 0: of the run that is judged; -1: none */
	const char *why;
};

struct telling {
	struct judging *g;
	size_t at;
	struct map by_name; /* -> index + 1 */
	VEC(struct told) tests;
};

/* Which of two results of one name tells. */
static int rank_of(int status)
{
	static const int ranks[STATUS_COUNT] = {[STATUS_SKIP] = 0,
		[STATUS_DONE] = 1,
		[STATUS_PASS] = 2,
		[STATUS_MISS] = 3,
		[STATUS_ERROR] = 4,
		[STATUS_FAIL] = 5};

	return status < 0 ? -1 : ranks[status];
}

static void tell(
	struct telling *t, const char *suite, const char *name, int status, const char *why)
{
	struct arena *a = &t->g->j->arena;
	const char *key = arena_printf(a, "%s\n%s", suite, name);
	uintptr_t at = (uintptr_t)map_find(&t->by_name, key);

	if (!at) {
		struct told new = {arena_strdup(a, suite), arena_strdup(a, name), {0}, NULL};

		memset(new.status, -1, sizeof new.status);
		vec_push(&t->tests, new);
		at = t->tests.n;
		map_set(&t->by_name, key, (void *)at);
	}
	if (rank_of(status) <= rank_of(t->tests.p[at - 1].status[t->at]))
		return;
	t->tests.p[at - 1].status[t->at] = status;
	if (!t->at)
		t->tests.p[at - 1].why = arena_strdup(a, why);
}

static int on_result(void *arg, const struct store_result *r)
{
	tell(arg, r->suite, r->name, status_parse(r->status), r->why);
	return 0;
}

/* The run itself, as a test of its own: did it get through? */
static void tell_run(struct telling *t, const struct store_run *run)
{
	bool through = run->verdict && strcmp(run->verdict, "incomplete");

	if (run->verdict && strcmp(run->verdict, "canceled"))
		tell(t, "run", "verdict", through ? STATUS_PASS : STATUS_ERROR, run->message);
}

static bool bad(int status)
{
	return status == STATUS_FAIL || status == STATUS_ERROR || status == STATUS_MISS;
}

static const struct store_run *run_at(const struct judging *g, size_t at)
{
	return at ? &g->before.p[at - 1] : &g->r->run;
}

/* Of what is not good now: since which run; of the runs before, how many went the same way. */
static void tell_since(const struct judging *g, const struct told *t, struct judge_test *out)
{
	size_t first = 0, n = g->before.n < JUDGE_BACK ? g->before.n : JUDGE_BACK;

	for (size_t i = 1; i <= n; i++) {
		if (t->status[i] == STATUS_PASS && !out->last_good_run) {
			out->last_good_run = run_at(g, i)->id;
			out->last_good = run_at(g, i)->build_version;
		}
		if (bad(t->status[i]) && !out->last_good_run)
			first = i;
		out->of += t->status[i] == STATUS_PASS || bad(t->status[i]);
		out->failed += bad(t->status[i]);
	}
	out->first_bad_run = run_at(g, first)->id;
	out->first_bad = run_at(g, first)->build_version;
}

/* The newest run before that tells anything of it; 0: none. */
static size_t told_before(const struct told *t)
{
	for (size_t i = 1; i <= JUDGE_BACK; i++)
		if (t->status[i] == STATUS_PASS || bad(t->status[i]))
			return i;
	return 0;
}

static void judge_told(struct judging *g, const struct told *t, bool through)
{
	size_t last = told_before(t);
	struct judge_test out = {.suite = t->suite, .name = t->name, .why = t->why};
	int now = t->status[0], was = last ? t->status[last] : -1;
	/* A run that did not get through is told once, and not for each of its tests. */
	bool absent = now < 0 && through && last && last <= JUDGE_RECENT;

	if (absent && was == STATUS_PASS)
		out.kind = JUDGE_LOST;
	else if (now == STATUS_MISS && was == STATUS_PASS)
		out.kind = JUDGE_LOST;
	else if (bad(now))
		out.kind = was == STATUS_PASS ? JUDGE_BROKE
			   : last             ? JUDGE_FAILING
					      : JUDGE_NEW_FAILING;
	else if (now == STATUS_PASS && bad(was))
		out.kind = JUDGE_FIXED;
	else
		return;
	out.status = now < 0 ? "-" : status_name((enum status)now);
	out.before = was < 0 ? NULL : status_name((enum status)was);
	if (out.kind != JUDGE_FIXED) {
		tell_since(g, t, &out);
	} else {
		out.first_bad = run_at(g, last)->build_version;
		out.first_bad_run = run_at(g, last)->id;
	}
	vec_push(&g->tests, out);
}

int judge_tests(struct judging *g)
{
	size_t n = g->before.n < JUDGE_BACK ? g->before.n : JUDGE_BACK;
	const char *verdict = g->r->run.verdict;
	struct telling t = {.g = g};
	int failed = 0;

	for (t.at = 0; t.at <= n && !failed; t.at++) {
		tell_run(&t, run_at(g, t.at));
		failed = store_results(g->j->s, run_at(g, t.at)->id, on_result, &t, g->e);
	}
	vec_each (&t.tests, told)
		if (!failed)
			judge_told(g, told, verdict && strcmp(verdict, "incomplete"));
	map_done(&t.by_name);
	vec_done(&t.tests);
	return failed ? -1 : 0;
}
