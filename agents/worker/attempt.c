/* SPDX-License-Identifier: MIT */
/*
 * The attempts of one step. Invariant: only the last attempt counts, for the verdict and as the
 * step's results and figures; what the others found stands in the journal under another kind,
 * together with why they were not the last.
 */
#include "worker.h"

#include "base/mem.h"
#include "io/json.h"

/* Another attempt may end another way. What a job, a lab file or this program has wrong will not. */
static bool may_change(const struct worker *w, enum outcome o, const struct err *e)
{
	if (o == OUTCOME_FAILED)
		return !worker_crash_told(w);
	if (w->journal.lost || !bench_left_ms(&w->bench))
		return false;
	if (worker_crash_told(w) && w->step->kind != STEP_BOOT)
		return false; /* nobody is there to try it again with */
	return e->blame == BLAME_INFRA || e->blame == BLAME_TIMEOUT || e->blame == BLAME_TEST ||
	       e->blame == BLAME_BUILD;
}

static bool counts(const json_t *event)
{
	const char *kind = json_text(event, "kind", "");

	return !strcmp(kind, "result") || !strcmp(kind, "metric");
}

/* In place of journal_add while an attempt runs that may not be the last one. */
static void hold(void *worker, json_t *event)
{
	struct worker *w = worker;

	if (counts(event) && w->held.n < WORKER_HELD)
		vec_push(&w->held, event);
	else
		journal_add(&w->journal, event);
}

static void hold_begin(struct worker *w)
{
	w->bench.journal = hold;
	w->bench.journal_arg = w;
}

/* What was held goes to the journal. */
static void hold_end(struct worker *w, bool last)
{
	w->bench.journal = journal_add;
	w->bench.journal_arg = &w->journal;
	vec_each (&w->held, event) {
		if (!last) {
			json_object_set_new(*event, "of", json_copy(json_object_get(*event, "kind")));
			json_object_set_new(*event, "kind", json_string("attempt"));
			json_object_set_new(*event, "attempt", json_integer(w->attempt));
		}
		journal_add(&w->journal, *event);
	}
	vec_done(&w->held);
}

static int bad_results(const struct tally *t)
{
	return t->counts[STATUS_FAIL] + t->counts[STATUS_ERROR] + t->counts[STATUS_MISS];
}

/* The first result of the attempt that is not good. */
static void why_failed(struct worker *w, char *out, size_t n)
{
	snprintf(out, n, "a result failed");
	vec_each (&w->held, event) {
		const char *status = json_text(*event, "status", "pass");
		const char *why = json_text(*event, "why", "");

		if (!strcmp(status, "pass") || !strcmp(status, "done") || !strcmp(status, "skip"))
			continue;
		snprintf(out, n, "'%s'%s%s", json_text(*event, "name", "?"), *why ? ": " : "", why);
		return;
	}
}

static void tell_flake(struct worker *w, const char *first)
{
	AUTOFREE char *clean = journal_text(first);
	AUTOFREE char *text = mem_printf("flake: step '%s' passed at attempt %u; the first one: %s",
		w->step->name, w->attempt, clean);

	bench_event(&w->bench, "flake", "{s:s, s:I, s:s}", "name", w->step->name, "attempts",
		(json_int_t)w->attempt, "why", clean);
	bench_event(&w->bench, "warn", "{s:s}", "text", text);
}

enum outcome worker_attempts(
	struct worker *w, int (*run)(struct worker *w, struct err *e), struct err *e)
{
	const struct tally before = w->tally;
	char first[ERR_MSG_BYTES] = "", why[ERR_MSG_BYTES];
	enum outcome o;

	for (w->attempt = 1;; w->attempt++) {
		bool last = w->attempt > (unsigned)w->step->retry;

		err_clear(e);
		if (!last)
			hold_begin(w);
		o = run(w, e) ? OUTCOME_BROKE
		    : bad_results(&w->tally) > bad_results(&before) ? OUTCOME_FAILED
								    : OUTCOME_GOOD;
		last = last || o == OUTCOME_GOOD || !may_change(w, o, e);
		if (o == OUTCOME_BROKE)
			snprintf(why, sizeof why, "%s", e->msg);
		else if (o == OUTCOME_FAILED)
			why_failed(w, why, sizeof why);
		hold_end(w, last);
		if (last)
			break;
		w->tally = before;
		if (!first[0])
			snprintf(first, sizeof first, "%s", why);
		{
			AUTOFREE char *clean = journal_text(why);

			bench_event(&w->bench, "retry", "{s:s, s:I, s:s}", "name", w->step->name,
				"attempt", (json_int_t)w->attempt, "message", clean);
		}
	}
	if (o == OUTCOME_GOOD && w->attempt > 1)
		tell_flake(w, first);
	return o;
}
