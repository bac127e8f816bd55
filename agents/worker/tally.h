/* SPDX-License-Identifier: MIT */
#ifndef AGENTS_WORKER_TALLY_H
#define AGENTS_WORKER_TALLY_H

/*
 * From results and errors to one verdict. Only things that ran and passed make a pass; a failure
 * of the lab, a deadline or a lost result never makes a fail. Pure.
 */

#include "crash.h"
#include "journal.h"

struct tally {
	int counts[STATUS_COUNT];
	struct err broke;    /* the first thing that makes the run incomplete */
	struct err canceled; /* set when somebody asked to stop */
	char failed[200];    /* the first failure: "'name': why" */
	char gone[200];      /* the first error or miss */
};

/* why may be NULL. blame: who must act when s is error or miss. */
void tally_result(
	struct tally *t, const char *name, enum status s, const char *why, enum err_blame blame);
/* A step that could not be done. BLAME_CANCEL is remembered as the cancel that it is. */
void tally_error(struct tally *t, const struct err *e);
/* What ended a step before it was done. */
enum mishap { MISHAP_DEADLINE, MISHAP_BENCH, MISHAP_RESET, MISHAP_COUNT };
/*
 * Who must act on it, by the worst that the kernel said of itself on this boot (CRASH_WARN: nothing
 * that matters): what a kernel that is proven broken leads to is the fault of the thing under test,
 * in the step as in the run.
 */
enum err_blame crash_blame(enum crash_level worst, enum mishap m);
/* Fills verdict, blame, message and counts. */
void tally_verdict(const struct tally *t, struct run_status *s);

#endif
