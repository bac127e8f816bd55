/* SPDX-License-Identifier: MIT */
/*
 * Gives the board back: what was staged is taken away, power is off, the boot
 * mode is the lab's default. Invariant: every part is
 * tried whatever became of the one before it, all of it within WORKER_RELEASE_MS, and doing it
 * again does no harm. It needs nothing but board.json, so that another process can do it for a
 * worker that died.
 */
#include "worker.h"

#include "base/clock.h"
#include "base/mem.h"

#define SILENCE_MS 1500 /* a board that is on answers an Enter sooner */

static void told(struct worker *w, const char *what, int r, const struct err *e)
{
	AUTOFREE char *clean = r ? journal_text(e->msg) : NULL;

	bench_event(
		&w->bench, "release", "{s:s, s:b, s:s*}", "what", what, "ok", !r, "message", clean);
}

static void undo(struct worker *w, const char *method)
{
	AUTOFREE char *what = mem_printf("deploy %s", method);
	struct err e = {0};
	struct deploy *dp = worker_deploy(w, method, &e);

	if (dp && dp->drv->undo)
		dp->drv->undo(dp);
	told(w, what, dp ? 0 : -1, &e);
}

/* What this process staged; of a worker that died nobody knows what it did, and undo is safe where
 * nothing was: then all methods of the board. */
static void undo_deploys(struct worker *w, bool of_another)
{
	const struct node *map = of_another ? node_find(w->board, "deploy") : NULL;

	for (size_t i = 0; i < w->n_deploys; i++)
		undo(w, w->deploys[i].drv->d.name);
	node_each (map, kid)
		undo(w, kid->key);
}

/* Does it answer an Enter? */
static bool answers(struct worker *w)
{
	struct console *c = worker_main_console(w);
	int64_t until;
	struct err e = {0};
	uint64_t before;

	if (!c || c->fd < 0 || console_quiet(c, SILENCE_MS / 3, SILENCE_MS, &e) < 0)
		return false;
	before = c->received_bytes;
	if (console_send(c, STR_LIT("\r"), &e))
		return false;
	until = clock_ms() + SILENCE_MS;
	while (c->received_bytes == before && clock_ms() < until)
		if (bench_wait_pump(&w->bench, until - clock_ms(), &e) < 0)
			return false;
	return c->received_bytes != before;
}

/* A relay that cannot be read back is believed only when the console agrees: a board that answered
 * is silent now. One that was silent before may as well hang. */
int worker_make_off(struct worker *w, struct err *e)
{
	struct console *c = worker_main_console(w);
	bool alive;

	if (w->power.state == POWER_UNKNOWN)
		(void)power_query(&w->power, NULL);
	alive = w->power.blind && answers(w);
	worker_close_shells(w);
	if (power_off(&w->power, e))
		return -1;
	if (w->power.state == POWER_UNKNOWN && alive && !answers(w) && c->fd >= 0)
		w->power.state = POWER_OFF;
	return 0;
}

static void switch_off(struct worker *w)
{
	struct err e = {0};
	int r = worker_open_power(w, &e);

	if (!r && !w->power.drv)
		return;
	if (!r)
		r = worker_make_off(w, &e);
	told(w, "power off", r, &e);
	bench_event(&w->bench, "power", "{s:s}", "state", power_state_name(w->power.state));
}

/* After power-off: the pins count at the next power-on. */
static void undo_bootmode(struct worker *w)
{
	struct err e = {0};

	if (w->mode_changed)
		told(w, "boot mode", worker_bootmode_undo(w, &e), &e);
}

void worker_release(struct worker *w, bool of_another)
{
	bench_release_begin(&w->bench);
	bench_push(&w->bench, "release", WORKER_RELEASE_MS);
	if (w->boot.drv && w->boot.drv->stop)
		w->boot.drv->stop(&w->boot);
	undo_deploys(w, of_another);
	switch_off(w);
	undo_bootmode(w);
	bench_pop(&w->bench);
}
