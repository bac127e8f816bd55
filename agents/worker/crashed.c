/* SPDX-License-Identifier: MIT */
/*
 * What a crash of the board means for the run. Invariant: what the kernel itself proves to be
 * broken is one failed result, STEP/kernel, blame test, and never more than that: results that did
 * not come because of it are missing, not failed.
 *
 * A reset that nothing announced, while a command runs, is not a failure of the thing under test:
 * a watchdog that bit a hung kernel and a supply that sagged look the same from here, and a
 * failure of the lab must never turn into a failed test. It ends the run as incomplete, infra, and
 * does so at once. Where the kernel had failed before, that result has failed the run already, and
 * the reset is taken for what came of it (crash_blame).
 */
#include "worker.h"

#include "base/mem.h"

#include <stdio.h>

bool worker_needs_board(const struct step *s)
{
	if (!s)
		return false;
	switch (s->kind) {
	case STEP_POWER:
	case STEP_DEPLOY:
	case STEP_BOOT:
	case STEP_LOADER:
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

void worker_crash_tell(struct worker *w, const struct crash_report *r)
{
	if (r->told_before)
		return;
	if (r->from_log)
		bench_event(&w->bench, "warn", "{s:s, s:s, s:s}", "text", r->excerpt, "crash",
			r->name, "source", "dmesg");
	else
		bench_event(&w->bench, "warn", "{s:s, s:s, s:s, s:I}", "text", r->excerpt, "crash",
			r->name, "console", w->crash.console->name, "log_offset",
			(json_int_t)r->offset);
}

int worker_crash(void *worker, const struct crash_report *r, struct err *e)
{
	struct worker *w = worker;

	if (w->bench.releasing || (r->level == CRASH_RESET && !worker_needs_board(w->step)))
		return 0;
	worker_crash_tell(w, r);
	switch (r->level) {
	case CRASH_WARN:
		return 0;
	case CRASH_FAIL:
		if (!r->told_before)
			fail(w, r, "");
		return 0;
	case CRASH_DEAD:
		fail(w, r, "the kernel gave up: ");
		w->crash_ended = true;
		return err_set(e, crash_blame(CRASH_DEAD, MISHAP_RESET), "the kernel gave up: %s",
			r->what);
	default:
		w->crash_ended = true;
		return err_set(e, crash_blame(crash_worst(&w->crash), MISHAP_RESET),
			"the board was reset while the step ran: '%s', and %s%s", r->what,
			w->crash.broken[0] ? "its kernel had failed: " : "nothing told why",
			w->crash.broken);
	}
}

void worker_crash_judge(struct worker *w, bool dead_before, struct err *e)
{
	enum crash_level worst = crash_worst(&w->crash);
	enum step_kind kind = w->step->kind;

	if ((e->blame != BLAME_TIMEOUT && e->blame != BLAME_INFRA) || worst == CRASH_WARN)
		return;
	if (kind == STEP_POWER || kind == STEP_DEPLOY || kind == STEP_BOOTMODE ||
		(kind == STEP_BOOT && dead_before))
		return; /* they need no kernel */
	e->blame = crash_blame(worst, e->blame == BLAME_TIMEOUT ? MISHAP_DEADLINE : MISHAP_BENCH);
	w->crash_ended = e->blame == BLAME_TEST;
	if (worst == CRASH_DEAD) /* whatever was waited for does not matter any more */
		err_set(e, e->blame, "the kernel gave up: %s", w->crash.what);
	else if (e->blame == BLAME_TEST)
		err_wrap(e, "the kernel had failed: '%s'", w->crash.broken);
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
