/* SPDX-License-Identifier: MIT */
/*
 * Instruments in a lab file. Invariant: of a section that passed, each rail has one instrument, and
 * what a job calls "all" is no rail.
 */
#include "labs/instruments.h"

#include "agents/measure/instrument.h"
#include "base/map.h"
#include "labs/settings.h"

#include <stdio.h>
#include <string.h>

struct check {
	struct arena *a;
	const struct driver *const *table;
	struct map seen; /* rails */
	struct diag *diag;
};

/* The core's rows and the driver's in one table, so that a misspelt key finds its nearest. They are
 * only checked: nothing is filled. */
static struct param *both(struct arena *a, const struct param *core, const struct param *own)
{
	size_t n = 0, m = 0;
	struct param *rows;

	while (core[n].name)
		n++;
	while (own && own[m].name)
		m++;
	rows = arena_alloc(a, (n + m + 1) * sizeof *rows);
	memcpy(rows, core, n * sizeof *rows);
	if (m)
		memcpy(rows + n, own, m * sizeof *rows);
	return rows;
}

static int check_rail(struct check *c, const struct instrument_driver *drv, const struct node *rail)
{
	char what[STR_NAME_BYTES + 16];
	int rc = 0;

	if (!str_is_name(rail->key) || !strcmp(rail->key, "all"))
		rc = diag_add(c->diag, rail->key_at,
			"a rail's name is made of letters, digits, '.', '_', '+' and '-', and is "
			"not 'all'");
	if (map_has(&c->seen, rail->key))
		rc = diag_add(c->diag, rail->key_at, "rail '%s' has two instruments", rail->key);
	map_set(&c->seen, rail->key, c);
	if (c->seen.n > RAILS_MAX)
		return diag_add(c->diag, rail->key_at, "more than %d rails", RAILS_MAX);
	if (rail->type != NODE_MAP && rail->type != NODE_NULL)
		return diag_add(c->diag, rail->at, "rail '%s' must be a mapping", rail->key);
	snprintf(what, sizeof what, "rail '%s'", rail->key);
	if (drv && schema_check(both(c->a, rail_params, drv->rail), what,
			   rail->type == NODE_MAP ? rail : NULL, c->diag))
		rc = -1;
	return rc;
}

static int check_instrument(struct check *c, const struct node *map)
{
	const struct node *driver = node_find(map, "driver"), *rails = node_find(map, "rails");
	const struct driver *d = NULL;
	char what[STR_NAME_BYTES + 24];
	int rc = 0;

	if (map->type != NODE_MAP)
		return diag_add(c->diag, map->at,
			"instrument '%s' must be a mapping with a 'driver'", map->key);
	if (!str_is_name(map->key))
		rc = diag_add(c->diag, map->key_at,
			"an instrument's name is made of letters, digits, '.', '_', '+' and '-'");
	if (driver && driver->type == NODE_SCALAR)
		d = settings_driver(
			c->table, "instrument driver", driver->text, driver->at, c->diag);
	if (c->table && driver && driver->type == NODE_SCALAR && !d)
		return -1;
	snprintf(what, sizeof what, "instrument '%s'", map->key);
	if ((d || !driver) && schema_check(both(c->a, instrument_params, d ? d->params : NULL),
				      what, map, c->diag))
		rc = -1;
	if (rails && rails->type == NODE_MAP)
		node_each (rails, rail)
			if (check_rail(c, (const struct instrument_driver *)d, rail))
				rc = -1;
	return rc;
}

int instruments_check(struct arena *a, const struct driver *const *table, const struct node *map,
	struct diag *diag)
{
	struct check c = {.a = a, .table = table, .diag = diag};
	int rc = 0;

	if (map->n > INSTRUMENTS_MAX)
		rc = diag_add(
			diag, map->key_at, "a board has at most %d instruments", INSTRUMENTS_MAX);
	node_each (map, kid)
		if (check_instrument(&c, kid))
			rc = -1;
	map_done(&c.seen);
	return rc;
}
