/* SPDX-License-Identifier: MIT */
/*
 * What a crash of the board means for the run. Invariant: what the kernel itself proves to be
 * broken is one failed result, STEP/kernel, blame test, and never more than that: results that did
 * not come because of it are missing, not failed.
 *
 * A reset that nothing announced, while a command runs, is not a failure of the thing under test:
 * a watchdog that bit a hung kernel and a supply that sagged look the same from here, and a
 * failure of the lab must never turn into a failed test. It ends the run as incomplete, infra, and
 * does so at once. Where the kernel had failed before, that result has failed the run already.
 */
#include "worker.h"

#include "base/mem.h"

#include <stdio.h>

/* Steps that need the board to stay up; in all others a boot loader may speak. */
static bool in_mid_run(const struct worker *w)
{
	if (!w->step)
		return false;
	switch (w->step->kind) {
	case STEP_POWER:
	case STEP_DEPLOY:
	case STEP_BOOT:
	case STEP_LOGIN:
	case STEP_EXPECT:
	case STEP_SEND:
	case STEP_BOOTMODE:
		return false;
	default:
		return true;
	}
}

static void fail(struct worker *w, const struct crash_report *r, const char *intro)
{
	unsigned nth = w->crash.failures;
	char suffix[16] = "";

	if (nth > 1)
		snprintf(suffix, sizeof suffix, "-%u", nth);
	{
		AUTOFREE char *name = mem_printf(
			"%s%skernel%s", w->step ? w->step->name : "", w->step ? "/" : "", suffix);
		AUTOFREE char *why = mem_printf("%s%s", intro, r->what);

		worker_result(w, name, STATUS_FAIL, why, BLAME_TEST);
	}
}

int worker_crash(void *worker, const struct crash_report *r, struct err *e)
{
	struct worker *w = worker;

	if (w->bench.releasing || (r->level == CRASH_RESET && !in_mid_run(w)))
		return 0;
	if (!r->told_before)
		bench_event(&w->bench, "warn", "{s:s, s:s, s:s, s:I}", "text", r->excerpt, "crash",
			r->name, "console", w->crash.console->name, "log_offset",
			(json_int_t)r->offset);
	switch (r->level) {
	case CRASH_WARN:
		return 0;
	case CRASH_FAIL:
		if (!r->told_before)
			fail(w, r, "");
		return 0;
	case CRASH_DEAD:
		fail(w, r, "the kernel gave up: ");
		return err_set(e, BLAME_BUILD, "the kernel gave up: %s", r->what);
	default:
		return err_set(e, BLAME_INFRA,
			"the board was reset while the step ran: '%s', and nothing told why",
			r->what);
	}
}

void worker_crash_counts(struct worker *w)
{
	static const char *const names[] = {"kernel.warnings", "kernel.failures", "kernel.panics"};
	char text[16];

	for (int i = 0; i < CRASH_RESET; i++) {
		if (!w->crash.counts[i])
			continue;
		snprintf(text, sizeof text, "%u", w->crash.counts[i]);
		worker_env(w, names[i], text);
	}
}
