/* SPDX-License-Identifier: MIT */
/*
 * What the lab file says of the twins. Invariant: all paths in it are beside it, so that the folder
 * is all that a lab host needs to know; only the straps' command names this daemon's own program.
 */
#include "labs/virtual/twin/inner.h"

#include <limits.h>
#include <stdlib.h>

static void put_word(struct arena *a, struct node *list, const char *word)
{
	node_list_add(a, list, node_scalar(a, word, (struct loc){0}));
}

/* bootmode: a control line of this daemon for each mode. */
static void describe_modes(struct twins *t, const struct twin *tw, struct node *board)
{
	struct arena *a = &t->arena;
	struct node *map, *modes;
	char self[PATH_MAX];

	if (!tw->n_modes || !realpath("/proc/self/exe", self))
		return;
	map = vlab_put_map(a, board, "bootmode");
	vlab_put(a, map, "driver", "command");
	vlab_put(a, map, "default", tw->mode);
	modes = vlab_put_map(a, map, "modes");
	for (size_t i = 0; i < tw->n_modes; i++) {
		struct node *list = node_new(a, NODE_LIST, (struct loc){0});
		const char *words[] = {self, "twin", "ctl", t->vlab.dir, "strap", tw->machine->name,
			tw->modes[i].name};

		for (size_t k = 0; k < ARRAY_LEN(words); k++)
			put_word(a, list, words[k]);
		node_map_set(a, modes, tw->modes[i].name, list);
	}
}

static void describe_consoles(struct twins *t, struct twin *tw, struct node *board)
{
	struct arena *a = &t->arena;
	struct node *all = vlab_put_map(a, board, "consoles");

	each_side(tw, side)
	{
		struct node *map = vlab_put_map(a, all, side->console);

		vlab_put(a, map, "driver", "serial");
		vlab_put(a, map, "port", arena_printf(a, "./%s", side->link));
	}
}

static void describe_deploys(struct twins *t, struct twin *tw, struct node *board)
{
	struct arena *a = &t->arena;
	struct node *all = vlab_put_map(a, board, "deploy"), *map;

	if (tw->model.network.device) {
		map = vlab_put_map(a, all, "tftp");
		vlab_put(a, map, "root", "./tftp");
		vlab_put(a, map, "server", tw->model.network.server);
	}
	each_side(tw, side)
	{
		if (side->card)
			vlab_put(a, vlab_put_map(a, all, "card"), "device",
				arena_printf(a, "./%s", side->card));
		if (side->has_rom)
			vlab_put_map(a, all, "uart");
	}
}

static int describe(struct twins *t, size_t i, struct node *boards, struct err *e)
{
	struct arena *a = &t->arena;
	struct twin *tw = &t->all[i];
	struct node *board = vlab_put_map(a, boards, tw->machine->name), *map;

	vlab_put(a, board, "type", tw->model.type);
	map = vlab_put_map(a, board, "power");
	vlab_put(a, map, "driver", "serial-relay");
	vlab_put(a, map, "port", "./relay");
	vlab_put(a, map, "model", relay_models[t->model]);
	vlab_put(a, map, "channel", arena_printf(a, "%zu", i + 1));
	describe_consoles(t, tw, board);
	describe_deploys(t, tw, board);
	if (tw->model.network.device) {
		map = vlab_put_map(a, board, "network");
		vlab_put(a, map, "address", "127.0.0.1");
	}
	if (tw->n_ports)
		map = vlab_put_map(a, map, "ports");
	for (size_t p = 0; p < tw->n_ports; p++)
		vlab_put(a, map, tw->ports[p].service, arena_printf(a, "%d", tw->ports[p].host));
	describe_modes(t, tw, board);
	return t->meter ? meter_board(t->meter, tw->model.rails, a, board, &tw->first_rail, e) : 0;
}

int twins_write_lab(struct twins *t, struct err *e)
{
	struct node *boards = node_new(&t->arena, NODE_MAP, (struct loc){0});

	for (size_t i = 0; i < t->n && !t->meter; i++)
		if (t->all[i].model.rails && !(t->meter = meter_new(t->vlab.loop, e)))
			return -1;
	for (size_t i = 0; i < t->n; i++)
		if (describe(t, i, boards, e))
			return -1;
	return vlab_lab_file(&t->vlab, "twin", &t->arena, boards, e);
}
