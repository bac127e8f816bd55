/* SPDX-License-Identifier: MIT */
/*
 * Gives the board back: what was staged is taken away, power is off, the boot
 * mode is the lab's default. Invariant: every part is
 * tried whatever became of the one before it, all of it within WORKER_RELEASE_MS, and doing it
 * again does no harm. It needs nothing but board.json, so that another process can do it for a
 * worker that died.
 */
#include "worker.h"

#include "base/mem.h"

#define SILENCE_MS 1500 /* a board that is on answers an Enter sooner */

static void told(struct worker *w, const char *what, int r, const struct err *e)
{
	AUTOFREE char *clean = r ? journal_text(e->msg) : NULL;

	bench_event(
		&w->bench, "release", "{s:s, s:b, s:s*}", "what", what, "ok", !r, "message", clean);
}

/* All methods of the board: undo is safe where nothing was staged, and after a crash nobody knows
 * what was. */
static void undo_deploys(struct worker *w)
{
	const struct node *map = node_find(w->board, "deploy");

	node_each (map, kid) {
		AUTOFREE char *what = mem_printf("deploy %s", kid->key);
		struct err e = {0};
		struct deploy *dp = worker_deploy(w, kid->key, &e);

		if (dp && dp->drv->undo)
			dp->drv->undo(dp);
		told(w, what, dp ? 0 : -1, &e);
	}
}

/* A relay that cannot be read back: the console agrees when a board that would answer an Enter
 * stays silent. */
static void ask_console(struct worker *w)
{
	struct console *c = worker_main_console(w);
	struct err e = {0};
	uint64_t before;

	if (!c || console_quiet(c, SILENCE_MS / 3, SILENCE_MS, &e) != 1)
		return;
	before = c->received_bytes;
	if (console_send(c, STR_LIT("\r"), &e) || bench_pause(&w->bench, SILENCE_MS, &e))
		return;
	if (c->received_bytes == before && c->fd >= 0)
		w->power.state = POWER_OFF;
}

static void switch_off(struct worker *w)
{
	struct err e = {0};
	int r = worker_open_power(w, &e);

	if (!r && !w->power.drv)
		return;
	if (!r)
		r = power_off(&w->power, &e);
	if (!r && w->power.state == POWER_UNKNOWN)
		ask_console(w);
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

void worker_release(struct worker *w)
{
	bench_release_begin(&w->bench);
	bench_push(&w->bench, "release", WORKER_RELEASE_MS);
	if (w->boot.drv && w->boot.drv->stop)
		w->boot.drv->stop(&w->boot);
	undo_deploys(w);
	switch_off(w);
	undo_bootmode(w);
	bench_pop(&w->bench);
}
