/* SPDX-License-Identifier: MIT */
/*
 * Power rails that are read while a step runs. Invariant: whatever an instrument does, the step and
 * its results are those that it has without; and figures are told only where the step did all that
 * it should.
 */
#include "worker.h"

#include "agents/measure/sampler.h"
#include "base/mem.h"

static void tell(struct worker *w, enum status status, const char *why, enum err_blame blame)
{
	AUTOFREE char *name = mem_printf("%s/rails", w->step->name);

	worker_result(w, name, status, why, blame);
}

void worker_sample_begin(struct worker *w, struct sampling *s)
{
	const struct sampler_window *window;

	*s = (struct sampling){.before = w->tally};
	if (!w->step->sample)
		return;
	window = worker_conf(
		w, sampler_params, sizeof *window, "'sample'", w->step->sample, NULL, &s->why);
	if (window)
		s->sampler = sampler_open(
			&w->bench, node_find(w->board, "instruments"), window, &s->skip, &s->why);
	if (s->sampler)
		sampler_start(s->sampler);
}

/* Why the step's readings are no figures; NULL: they are. */
static const char *not_told(const struct worker *w, const struct sampling *s)
{
	const int *now = w->tally.counts, *then = s->before.counts;

	if (now[STATUS_SKIP] > then[STATUS_SKIP])
		return "the step skipped";
	if (now[STATUS_FAIL] + now[STATUS_ERROR] + now[STATUS_MISS] >
		then[STATUS_FAIL] + then[STATUS_ERROR] + then[STATUS_MISS])
		return "the step did not pass";
	return NULL;
}

static void read_text(struct worker *w, struct str text)
{
	struct err e = {0};

	if (worker_parse(w, "rails", NULL, text, &e))
		tell(w, STATUS_ERROR, e.msg, e.blame);
	else
		tell(w, STATUS_PASS, NULL, BLAME_NONE);
}

static void keep_text(struct worker *w, struct str text)
{
	AUTOFREE char *file = w->attempt > 1 ? mem_printf("%s.attempt-%u" WORKER_SAMPLE_SUFFIX,
						       w->step->name, w->attempt)
					     : mem_printf("%s" WORKER_SAMPLE_SUFFIX, w->step->name);
	struct err e = {0};

	if (text.n && worker_keep(w, file, text, &e))
		bench_note(&w->bench, "%s", e.msg);
}

void worker_sample_end(struct worker *w, struct sampling *s, const struct err *broke)
{
	AUTOBUF text = BUF_INIT(BUF_CAP_BYTES);
	const char *why;

	if (!w->step->sample)
		return;
	if (s->sampler && sampler_stop(s->sampler, &text, &s->why) && broke)
		err_clear(&s->why); /* what ended the step ended this, too */
	keep_text(w, str_make(buf_str(&text), text.len));
	if (broke && !err_is(&s->why)) {
		if (broke->blame != BLAME_CANCEL)
			tell(w, STATUS_MISS, "the step could not be done", broke->blame);
		return;
	}
	why = not_told(w, s);
	if (s->skip || (why && (!err_is(&s->why) || s->why.blame == BLAME_TEST)))
		tell(w, STATUS_SKIP, s->skip ? s->why.msg : why, BLAME_NONE);
	else if (err_is(&s->why))
		tell(w, s->why.blame == BLAME_TEST ? STATUS_ERROR : STATUS_MISS, s->why.msg,
			s->why.blame);
	else
		read_text(w, str_make(buf_str(&text), text.len));
}
