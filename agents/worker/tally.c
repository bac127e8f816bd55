/* SPDX-License-Identifier: MIT */
/* The one place where a verdict is made. Invariant: pass needs something that ran and passed, and
 * nothing else but skips beside it. */
#include "tally.h"

#include <stdio.h>
#include <string.h>

void tally_result(
	struct tally *t, const char *name, enum status s, const char *why, enum err_blame blame)
{
	char *first = s == STATUS_FAIL ? t->failed : t->gone;

	t->counts[s]++;
	if (s != STATUS_FAIL && s != STATUS_ERROR && s != STATUS_MISS)
		return;
	if (!first[0])
		snprintf(first, sizeof t->failed, "'%s'%s%s", name, why && *why ? ": " : "",
			why ? why : "");
	if (s != STATUS_FAIL && !err_is(&t->broke))
		err_set(&t->broke, blame, "%s", first);
}

void tally_error(struct tally *t, const struct err *e)
{
	if (e->blame == BLAME_CANCEL) {
		t->canceled = *e;
		return;
	}
	/* a result that is lost says less than why it was lost */
	if (!err_is(&t->broke) || !strcmp(t->broke.msg, t->gone))
		t->broke = *e;
}

enum err_blame crash_blame(enum crash_level worst, enum mishap m)
{
	static const enum err_blame table[][MISHAP_COUNT] = {
		/*              deadline       bench          reset */
		[CRASH_WARN] = {BLAME_TIMEOUT, BLAME_INFRA, BLAME_INFRA},
		[CRASH_FAIL] = {BLAME_TEST, BLAME_INFRA, BLAME_TEST},
		[CRASH_DEAD] = {BLAME_TEST, BLAME_TEST, BLAME_TEST},
	};

	return table[worst < CRASH_RESET ? worst : CRASH_WARN][m];
}

void tally_verdict(const struct tally *t, struct run_status *s)
{
	int ran = t->counts[STATUS_PASS] + t->counts[STATUS_DONE], all = 0;

	for (int i = 0; i < STATUS_COUNT; i++)
		all += t->counts[i];
	memcpy(s->counts, t->counts, sizeof t->counts);
	s->blame = BLAME_NONE;
	s->message[0] = 0;
	if (err_is(&t->canceled)) {
		s->verdict = VERDICT_CANCELED;
		s->blame = BLAME_CANCEL;
		snprintf(s->message, sizeof s->message, "%s", t->canceled.msg);
	} else if (t->counts[STATUS_FAIL]) {
		s->verdict = VERDICT_FAIL;
		s->blame = BLAME_TEST;
		snprintf(s->message, sizeof s->message, "%d of %d results failed, first %s",
			t->counts[STATUS_FAIL], all, t->failed);
	} else if (err_is(&t->broke)) {
		s->verdict = VERDICT_INCOMPLETE;
		s->blame = t->broke.blame;
		snprintf(s->message, sizeof s->message, "%s", t->broke.msg);
	} else if (!ran) {
		s->verdict = VERDICT_INCOMPLETE;
		s->blame = BLAME_JOB;
		snprintf(s->message, sizeof s->message, "nothing ran");
	} else {
		s->verdict = VERDICT_PASS;
	}
}
