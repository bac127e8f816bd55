/* SPDX-License-Identifier: MIT */
/*
 * The QEMUs of one board: one, or two that share its relay and its straps and know nothing of each
 * other. Invariant: all sides stand in the same mode, and each works in a folder of its own.
 */
#include "base/fs.h"
#include "base/mem.h"
#include "labs/virtual/twin/inner.h"

static const struct model *model_of(const struct twin *tw, size_t i)
{
	return i ? &tw->beside : &tw->model;
}

/* Ports of the lab host lead to the first side alone. */
static const char *const *side_argv(struct twin *tw, size_t i, const struct model *m,
	const struct model_place *common, struct err *e)
{
	struct machine *machine = tw->sides[i].machine;
	struct model_place at = *common;

	at.dir = machine->dir;
	at.ports = tw->ports;
	at.n_ports = i ? 0 : tw->n_ports;
	if (at.qemu)
		at.qemu = arena_strdup(&machine->arena, at.qemu);
	return model_argv(m, &tw->images, &at, &machine->arena, e);
}

/* The file of the card that a ROM boots from, in the side's folder. */
static const char *card_file(const struct model *m)
{
	node_each (m->disks, disk) {
		if (m->rom && node_find(disk, "slot") && node_text(disk, "file"))
			return node_text(disk, "file");
	}
	return NULL;
}

static int add_side(struct twins *t, struct twin *tw, size_t i, const char *name,
	const struct model_place *at, struct err *e)
{
	const struct model *m = model_of(tw, i);
	struct side *side = &tw->sides[i];
	const char *beside = i ? tw->model.beside.console : NULL, *card = card_file(m);
	const char *folder = beside ? arena_printf(&t->arena, "%s/%s", name, beside) : name;
	AUTOFREE char *dir = vlab_path(&t->vlab, folder), *link = NULL;
	const char *shown = beside ? arena_printf(&t->arena, "%s.%s", name, beside) : name;

	side->console = beside ? beside : "main";
	side->link = arena_printf(&t->arena, "%s.console", shown);
	side->card = card ? arena_printf(&t->arena, "%s/%s", folder, card) : NULL;
	side->has_rom = m->rom != NULL;
	link = vlab_path(&t->vlab, side->link);
	side->machine = machine_new(t->vlab.loop, t->vlab.hub, shown, dir, link, e);
	if (!side->machine)
		return -1;
	side->machine->argv = side_argv(tw, i, m, at, e);
	return side->machine->argv ? 0 : -1;
}

int sides_add(struct twins *t, struct twin *tw, const char *name, const struct model_place *at,
	struct err *e)
{
	if (add_side(t, tw, 0, name, at, e) < 0)
		return -1;
	tw->machine = tw->sides[0].machine;
	return tw->model.beside.model ? add_side(t, tw, 1, name, at, e) : 0;
}

int sides_add_modes(struct twin *tw, const char *mode, const struct model_place *at,
	struct diag *diag, struct err *e)
{
	const struct node *straps = tw->model.straps;
	const char *types[SIDES_MAX] = {tw->model.name, tw->model.beside.model};

	tw->mode = mode ? mode : node_text(straps, "preset");
	node_each (node_find(straps, "modes"), kid) {
		struct mode *new = &tw->modes[tw->n_modes];

		if (tw->n_modes == MODES_MAX)
			return err_set(e, BLAME_CONFIG, "twin '%s': more than %d modes",
				tw->model.name, MODES_MAX);
		tw->n_modes++;
		new->name = kid->key;
		for (size_t i = 0; i < SIDES_MAX && tw->sides[i].machine; i++) {
			if (model_load(&new->models[i], types[i], kid->key, diag) < 0)
				return -1;
			new->argv[i] = side_argv(tw, i, &new->models[i], at, e);
			if (!new->argv[i])
				return -1;
		}
	}
	return 0;
}

int sides_strap(struct twin *tw, struct str mode, struct err *e)
{
	for (size_t i = 0; i < tw->n_modes; i++) {
		if (!str_is(mode, tw->modes[i].name))
			continue;
		for (size_t k = 0; k < SIDES_MAX && tw->sides[k].machine; k++)
			tw->sides[k].machine->argv = tw->modes[i].argv[k];
		return 0;
	}
	return err_set(e, BLAME_CONFIG, "twin '%s' has no boot mode '%.*s'", tw->machine->name,
		STR_ARG(mode));
}

void sides_done(struct twin *tw)
{
	for (size_t k = 0; k < tw->n_modes; k++)
		for (size_t i = 0; i < SIDES_MAX; i++)
			model_done(&tw->modes[k].models[i]);
}
