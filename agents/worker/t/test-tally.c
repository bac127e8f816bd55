/* SPDX-License-Identifier: MIT */
/* The verdict of every mix of results and errors that must not be mistaken for another. */
#include "agents/worker/tally.h"
#include "base/t/tap.h"

struct one {
	const char *label;
	int results[STATUS_COUNT]; /* pass fail error miss skip done */
	enum err_blame error;      /* a step that could not be done; BLAME_NONE: none */
	enum verdict verdict;
	enum err_blame blame;
};

static const struct one table[] = {
	{"nothing ran", {0}, BLAME_NONE, VERDICT_INCOMPLETE, BLAME_JOB},
	{"all skipped", {0, 0, 0, 0, 3, 0}, BLAME_NONE, VERDICT_INCOMPLETE, BLAME_JOB},
	{"passed", {2}, BLAME_NONE, VERDICT_PASS, BLAME_NONE},
	{"passed and skipped", {1, 0, 0, 0, 1, 0}, BLAME_NONE, VERDICT_PASS, BLAME_NONE},
	{"only done", {0, 0, 0, 0, 0, 1}, BLAME_NONE, VERDICT_PASS, BLAME_NONE},
	{"one failed", {5, 1}, BLAME_NONE, VERDICT_FAIL, BLAME_TEST},
	{"one lost", {5, 0, 0, 1}, BLAME_NONE, VERDICT_INCOMPLETE, BLAME_INFRA},
	{"one broke", {5, 0, 1}, BLAME_NONE, VERDICT_INCOMPLETE, BLAME_INFRA},
	{"a failure and a lost one", {0, 1, 0, 1}, BLAME_NONE, VERDICT_FAIL, BLAME_TEST},
	{"passed, then the lab failed", {3}, BLAME_INFRA, VERDICT_INCOMPLETE, BLAME_INFRA},
	{"passed, then a deadline", {3}, BLAME_TIMEOUT, VERDICT_INCOMPLETE, BLAME_TIMEOUT},
	{"a bad image", {0}, BLAME_BUILD, VERDICT_INCOMPLETE, BLAME_BUILD},
	{"canceled after a failure", {1, 1}, BLAME_CANCEL, VERDICT_CANCELED, BLAME_CANCEL},
	{"canceled at once", {0}, BLAME_CANCEL, VERDICT_CANCELED, BLAME_CANCEL},
};

static void test_table(void)
{
	for (size_t i = 0; i < ARRAY_LEN(table); i++) {
		const struct one *o = &table[i];
		struct tally t = {0};
		struct run_status s = {0};
		struct err e = {0};

		for (int k = 0; k < STATUS_COUNT; k++)
			for (int n = 0; n < o->results[k]; n++)
				tally_result(&t, "x", (enum status)k, "y", BLAME_INFRA);
		if (o->error) {
			err_set(&e, o->error, "step 'z'");
			tally_error(&t, &e);
		}
		tally_verdict(&t, &s);
		is_str(verdict_name(s.verdict), verdict_name(o->verdict), "%s: verdict", o->label);
		is_str(err_blame_name(s.blame), err_blame_name(o->blame), "%s: blame", o->label);
		ok((s.verdict == VERDICT_PASS) == !s.message[0], "%s: a message says why: %s",
			o->label, s.message);
		is_int(s.counts[STATUS_PASS], o->results[STATUS_PASS], "%s: counts", o->label);
	}
}

static void test_first(void)
{
	struct tally t = {0};
	struct run_status s = {0};
	struct err e = {0};

	tally_result(&t, "boot", STATUS_MISS, "no byte", BLAME_INFRA);
	err_set(&e, BLAME_INFRA, "step 'boot': no byte");
	tally_error(&t, &e);
	tally_result(&t, "other", STATUS_MISS, "later", BLAME_TIMEOUT);
	err_set(&e, BLAME_BUG, "much later");
	tally_error(&t, &e);
	tally_verdict(&t, &s);
	is_int(s.blame, BLAME_INFRA, "the first thing that went wrong is blamed");
	is_str(s.message, "step 'boot': no byte", "and told in full");
	is_int(verdict_parse("canceled"), VERDICT_CANCELED, "a verdict by its name");
	is_int(verdict_parse("passed"), -1, "none of ours");
}

/* What a kernel that is broken leads to is its own; a bench that fails under it is not, unless it
 * gave up for good. */
static void test_crash(void)
{
	is_int(crash_blame(CRASH_WARN, MISHAP_DEADLINE), BLAME_TIMEOUT, "well: a deadline");
	is_int(crash_blame(CRASH_WARN, MISHAP_BENCH), BLAME_INFRA, "well: the bench");
	is_int(crash_blame(CRASH_WARN, MISHAP_RESET), BLAME_INFRA, "well: a reset");
	is_int(crash_blame(CRASH_FAIL, MISHAP_DEADLINE), BLAME_TEST, "broken: a deadline");
	is_int(crash_blame(CRASH_FAIL, MISHAP_BENCH), BLAME_INFRA, "broken: the bench");
	is_int(crash_blame(CRASH_FAIL, MISHAP_RESET), BLAME_TEST, "broken: a reset");
	for (int m = 0; m < MISHAP_COUNT; m++)
		is_int(crash_blame(CRASH_DEAD, (enum mishap)m), BLAME_TEST, "gave up: %d", m);
}

int main(void)
{
	test_crash();
	test_table();
	test_first();
	return tap_done();
}
