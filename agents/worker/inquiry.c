/* SPDX-License-Identifier: MIT */
/*
 * Why a board does not answer, as far as its bench can tell: a line that went away and a deadline
 * that passed are asked about at the relay. Invariant: asking never makes a board's fault out of
 * the bench's, never takes longer than INQUIRY_MS a question, and never speaks to a relay that is
 * in use.
 */
#include "worker.h"

#define INQUIRY_MS      3000
#define INQUIRY_REST_MS 500 /* a hub may take all of its lines away for a moment */

static const struct console *dead_console(const struct worker *w)
{
	for (size_t i = 0; i < w->n_consoles; i++)
		if (w->consoles[i].fd < 0)
			return &w->consoles[i];
	return NULL;
}

/* Is the board without power, or the relay gone? -1 with *e: yes, or the run ends here. */
static int ask_relay(struct worker *w, struct err *e)
{
	enum power_state before = w->power.state;
	int r;

	bench_push(&w->bench, "the relay's answer", INQUIRY_MS);
	r = power_query(&w->power, e);
	bench_pop(&w->bench);
	if (r && e->blame == BLAME_TIMEOUT && bench_left_ms(&w->bench))
		e->blame = BLAME_INFRA; /* it is the relay that takes too long */
	if (!r && w->power.blind) {
		w->power.state = before;
		return 0;
	}
	if (w->power.state != before)
		bench_event(&w->bench, "power", "{s:s}", "state", power_state_name(w->power.state));
	if (r)
		return -1;
	if (w->power.state == POWER_OFF)
		return err_set(e, BLAME_INFRA,
			"the board has no power: the relay reads off, and this run did not switch "
			"it off");
	bench_note(&w->bench, "the relay reads %s", power_state_name(w->power.state));
	return 0;
}

/* Nobody but the run itself has switched it off, or there is nothing to ask. */
static bool may_ask(const struct worker *w)
{
	return w->power.drv && w->power.drv->query && !w->switching && !w->switch_failed &&
	       w->power.state != POWER_OFF;
}

int worker_inquiry(void *worker, struct err *e)
{
	struct worker *w = worker;
	const struct console *c = dead_console(w);

	if (!c || !may_ask(w) || !ask_relay(w, e))
		return 0;
	if (e->blame == BLAME_INFRA && w->power.state == POWER_UNKNOWN) {
		err_clear(e);
		if (bench_pause(&w->bench, INQUIRY_REST_MS, e))
			return -1;
		if (!ask_relay(w, e))
			return 0;
	}
	w->explained = true;
	return err_wrap(e, "console '%s' went away", c->name);
}

void worker_explain(struct worker *w, struct err *e)
{
	const struct console *c = dead_console(w);
	struct err told = {0};

	if ((e->blame != BLAME_TIMEOUT && e->blame != BLAME_INFRA) || w->crash_ended ||
		w->explained || w->step->kind == STEP_DEPLOY || w->step->kind == STEP_BOOTMODE)
		return;
	if (c && e->blame == BLAME_TIMEOUT) {
		e->blame = BLAME_INFRA;
		err_wrap(e, "console '%s' went away and is not back", c->name);
	}
	if (!may_ask(w) || !bench_left_ms(&w->bench) || !ask_relay(w, &told) ||
		told.blame != BLAME_INFRA)
		return;
	e->blame = BLAME_INFRA;
	err_wrap(e, "%s", told.msg);
}
