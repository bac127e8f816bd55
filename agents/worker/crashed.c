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

/* The n-th watcher, the main one first; NULL: there are no more. One that watches nothing is none.
 */
static struct crash *watcher(struct worker *w, size_t *n)
{
	while (*n <= WORKER_CONSOLES) {
		struct crash *c = *n ? &w->sides[*n - 1] : &w->crash;

		++*n;
		if (c->console)
			return c;
	}
	return NULL;
}

int worker_crash_watch(struct worker *w, bool twin, struct err *e)
{
	struct console *main = worker_main_console(w);

	for (size_t i = 0; i < w->n_consoles; i++) {
		bool side = &w->consoles[i] != main;
		struct crash *c = side ? &w->sides[i] : &w->crash;

		if (crash_watch(c, &w->bench, &w->consoles[i], twin, &w->crash_rules, worker_crash,
			    w, e))
			return -1;
		c->side = side;
	}
	return 0;
}

void worker_crash_done(struct worker *w)
{
	struct crash *c;

	for (size_t n = 0; (c = watcher(w, &n));)
		crash_done(c);
}

void worker_crash_fn(struct worker *w, crash_fn *fn, void *arg)
{
	struct crash *c;

	for (size_t n = 0; (c = watcher(w, &n));) {
		c->fn = fn;
		c->arg = arg;
	}
}

void worker_crash_forget(struct worker *w)
{
	struct crash *c;

	for (size_t n = 0; (c = watcher(w, &n));)
		crash_forget(c);
}

int worker_crash_flush(struct worker *w, struct err *e)
{
	struct crash *c;
	int rc = 0;

	for (size_t n = 0; (c = watcher(w, &n));)
		if (crash_flush(c, rc ? NULL : e))
			rc = -1;
	return rc;
}

/* The one that said the worst; the main one when they are alike. */
static struct crash *worst_of(struct worker *w)
{
	struct crash *c, *worst = &w->crash;

	for (size_t n = 0; (c = watcher(w, &n));)
		if (crash_worst(c) > crash_worst(worst))
			worst = c;
	return worst;
}

bool worker_crash_told(const struct worker *w)
{
	bool told = w->crash.told;

	for (size_t i = 0; i < WORKER_CONSOLES; i++)
		told |= w->sides[i].told;
	return told;
}

static unsigned failures(struct worker *w)
{
	struct crash *c;
	unsigned all = 0;

	for (size_t n = 0; (c = watcher(w, &n));)
		all += c->failures;
	return all;
}

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
	const char *who = crash_who_names[crash_kinds[r->kind].who];
	unsigned nth = failures(w);
	char suffix[16] = "";

	if (nth > 1)
		snprintf(suffix, sizeof suffix, "-%u", nth);
	{
		AUTOFREE char *name = mem_printf(
			"%s%s%s%s", w->step ? w->step->name : "", w->step ? "/" : "", who, suffix);
		AUTOFREE char *why = mem_printf("%s%s", intro, r->what);

		worker_result(w, name, STATUS_FAIL, why, BLAME_TEST);
	}
}

/* rule: what comes of it, which on a twin may be less than its kind's. */
static const char *rule_name(const struct crash_report *r)
{
	if (r->known)
		return "known";
	if (r->level == CRASH_WARN)
		return crash_rule_names[CRASH_RULE_WARN];
	return crash_rule_names[r->rule];
}

void worker_crash_tell(struct worker *w, const struct crash_report *r)
{
	if (r->told_before)
		return;
	if (r->from_log)
		bench_event(&w->bench, "warn", "{s:s, s:s, s:s, s:s, s:s, s:s*}", "text",
			r->excerpt, "crash", r->name, "source", "dmesg", "line", r->what, "rule",
			rule_name(r), "reason", r->known);
	else
		bench_event(&w->bench, "warn", "{s:s, s:s, s:s, s:I, s:s, s:s, s:s*}", "text",
			r->excerpt, "crash", r->name, "console", r->console->name, "log_offset",
			(json_int_t)r->offset, "line", r->what, "rule", rule_name(r), "reason",
			r->known);
}

static const char *intro_of(bool last_words)
{
	return last_words ? "the kernel gave up: " : "the job stops there: ";
}

/* A board that was reset: nothing of what the step waits for will come. */
static int reset(struct worker *w, const struct crash_report *r, struct err *e)
{
	if (r->rule == CRASH_RULE_FAIL && !r->told_before)
		fail(w, r, "the board was reset: ");
	w->crash_ended = true;
	return err_set(e,
		r->rule == CRASH_RULE_FAIL ? BLAME_TEST
					   : crash_blame(crash_worst(&w->crash), MISHAP_RESET),
		"the board was reset while the step ran: '%s', and %s%s", r->what,
		w->crash.broken[0] ? "its kernel had failed: " : "nothing told why",
		w->crash.broken);
}

/* A start that the step is there for, as every boot has one, is none of the run's resets. */
static void uncount(struct worker *w, const struct crash_report *r)
{
	struct crash *c;

	for (size_t n = 0; (c = watcher(w, &n));) {
		if (c->console != r->console)
			continue;
		c->counts[r->level]--;
		c->kinds[r->kind]--;
	}
}

int worker_crash(void *worker, const struct crash_report *r, struct err *e)
{
	struct worker *w = worker;
	const char *intro = intro_of(r->last);

	if (w->bench.releasing)
		return 0;
	if (r->kind == CRASH_KIND_RESET && (w->app_starts || !worker_needs_board(w->step))) {
		if (!r->known)
			uncount(w, r);
		w->app_starts = false;
		return 0;
	}
	worker_crash_tell(w, r);
	switch (r->level) {
	case CRASH_WARN:
		return 0;
	case CRASH_FAIL:
		if (!r->told_before)
			fail(w, r, "");
		return 0;
	case CRASH_DEAD:
		fail(w, r, intro);
		w->crash_ended = true;
		return err_set(e, crash_blame(CRASH_DEAD, MISHAP_RESET), "%s%s", intro, r->what);
	default:
		return reset(w, r, e);
	}
}

void worker_crash_judge(struct worker *w, bool dead_before, struct err *e)
{
	const struct crash *said = worst_of(w);
	enum crash_level worst = crash_worst(said);
	enum step_kind kind = w->step->kind;

	if ((e->blame != BLAME_TIMEOUT && e->blame != BLAME_INFRA) || worst == CRASH_WARN)
		return;
	if (kind == STEP_POWER || kind == STEP_DEPLOY || kind == STEP_BOOTMODE ||
		(kind == STEP_BOOT && dead_before))
		return; /* they need no kernel */
	e->blame = crash_blame(worst, e->blame == BLAME_TIMEOUT ? MISHAP_DEADLINE : MISHAP_BENCH);
	w->crash_ended = e->blame == BLAME_TEST;
	if (worst == CRASH_DEAD) /* whatever was waited for does not matter any more */
		err_set(e, e->blame, "%s%s", intro_of(said->last), said->what);
	else if (e->blame == BLAME_TEST)
		err_wrap(e, "the kernel had failed: '%s'", said->broken);
}

static const char *count_text(unsigned n, char *out, size_t size)
{
	snprintf(out, size, "%u", n);
	return out;
}

void worker_crash_counts(struct worker *w)
{
	static const char *const names[] = {"kernel.warnings", "kernel.failures", "kernel.panics"};
	struct crash sum = {0}, *c;
	char text[16];

	for (size_t n = 0; (c = watcher(w, &n));) {
		for (int i = 0; i < CRASH_LEVELS; i++)
			sum.counts[i] += c->counts[i];
		for (int i = 0; i < CRASH_KINDS; i++)
			sum.kinds[i] += c->kinds[i];
		sum.n_known += c->n_known;
		sum.n_ignored += c->n_ignored;
	}
	for (int i = 0; i < CRASH_RESET; i++) {
		if (!sum.counts[i])
			continue;
		worker_env(w, names[i], count_text(sum.counts[i], text, sizeof text));
	}
	for (int i = 0; i < CRASH_KINDS; i++) {
		AUTOFREE char *name = mem_printf("crash.%s", crash_kinds[i].name);

		if (sum.kinds[i])
			worker_env(w, name, count_text(sum.kinds[i], text, sizeof text));
	}
	if (sum.n_known)
		worker_env(w, "crash.known", count_text(sum.n_known, text, sizeof text));
	if (sum.n_ignored)
		worker_env(w, "crash.ignored", count_text(sum.n_ignored, text, sizeof text));
}
