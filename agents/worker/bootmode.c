/* SPDX-License-Identifier: MIT */
/*
 * The board's boot mode. Invariant: that it changes is in the journal before it does, so that
 * whoever releases the board, this process or one after it, puts it back.
 */
#include "agents/bootmode/bootmode.h"
#include "worker.h"

static const char *const core_keys[] = {"driver", "default", NULL};

static int set_mode(struct worker *w, const char *mode, struct err *e)
{
	const struct node *map = node_find(w->board, "bootmode");
	struct bootmode bm = {.bench = &w->bench};
	char what[120];

	bm.drv = (const struct bootmode_driver *)driver_get(
		bootmode_drivers(), "bootmode driver", node_text(map, "driver"), e);
	if (!bm.drv)
		return -1;
	snprintf(what, sizeof what, "bootmode driver '%s'", bm.drv->d.name);
	bm.conf = worker_conf(w, bm.drv->d.params, bm.drv->d.size, what, map, core_keys, e);
	if (!bm.conf || bm.drv->set(&bm, mode, e))
		return err_wrap(e, "boot mode '%s'", mode);
	return 0;
}

int step_bootmode(struct worker *w, const void *conf, struct err *e)
{
	const struct step_bootmode *s = conf;
	const struct node *map = node_find(w->board, "bootmode");

	if (!map || map->type != NODE_MAP)
		return err_set(e, BLAME_CONFIG,
			"the lab file has no 'bootmode' for board '%s'", w->board_name);
	bench_event(&w->bench, "bootmode", "{s:s}", "mode", s->mode);
	w->mode_changed = true;
	return set_mode(w, s->mode, e);
}

int worker_bootmode_undo(struct worker *w, struct err *e)
{
	const char *preset = node_text(node_find(w->board, "bootmode"), "default");

	return w->mode_changed && preset ? set_mode(w, preset, e) : 0;
}
