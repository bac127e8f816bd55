/* SPDX-License-Identifier: MIT */
/*
 * The table of instrument drivers, and one instrument out of a lab file. Invariant: a rail's
 * reading holds what this round told, and power is told wherever voltage and current are.
 */
#include "agents/measure/instrument.h"

#include "agents/measure/drivers.h"

#include <math.h>
#include <stdio.h>

const struct driver *const *instrument_drivers(void)
{
	static const struct driver *const table[] = {
		&instrument_csv.d,
		&instrument_hwmon.d,
		&instrument_scpi.d,
		NULL,
	};

	return table;
}

const struct param instrument_params[] = {
	{"driver", PARAM_STRING, offsetof(struct instrument_core, driver), .required = true,
		.help = "instrument driver", .example = "hwmon"},
	{"interval", PARAM_DURATION, offsetof(struct instrument_core, interval_ms),
		.preset = "100ms", .min = 10, .max = 3600000,
		.help = "time from one reading of all rails to the next"},
	{"answer", PARAM_DURATION, offsetof(struct instrument_core, answer_ms), .preset = "2s",
		.min = 10, .max = 60000, .help = "how long it may take to answer"},
	{"rails", PARAM_MAP, offsetof(struct instrument_core, rails), .required = true,
		.help = "rail -> where the instrument reads it",
		.example = "{vdd_core: {channel: 1}}"},
	{0},
};

const struct param rail_params[] = {
	{"total", PARAM_BOOL, offsetof(struct rail_core, counted), .preset = "yes",
		.help = "is part of the sum of all rails; no for what feeds other rails"},
	{0},
};

static bool has_row(const struct param *rows, const char *key)
{
	for (; rows && rows->name; rows++)
		if (!strcmp(rows->name, key))
			return true;
	return false;
}

/* The keys of map that rows know, into a struct of that size. Others are somebody else's, and were
 * checked with the lab file. */
static void *fill(struct arena *a, const struct param *rows, size_t size, const char *what,
	const struct node *map, struct err *e)
{
	static const struct param none[] = {{0}};
	struct node *own = node_new(a, NODE_MAP, map->at);
	void *conf = arena_alloc(a, size + 1);
	struct diag diag = {0};

	node_each (map, kid)
		if (has_row(rows, kid->key))
			node_list_add(a, own, kid);
	if (schema_fill(a, rows ? rows : none, what, own, conf, &diag)) {
		err_set(e, BLAME_CONFIG, "%s: %s", what,
			diag.entries.n ? diag.entries.p[0].text : "wrong settings");
		conf = NULL;
	}
	diag_done(&diag);
	return conf;
}

static int add_rail(struct instrument *in, const struct node *map, struct arena *a, struct err *e)
{
	struct rail *r = &in->rails[in->n];
	const struct node *settings = map->type == NODE_MAP ? map : node_new(a, NODE_MAP, map->at);
	const struct rail_core *core;
	char what[STR_NAME_BYTES + 16];

	snprintf(what, sizeof what, "rail '%s'", map->key);
	core = fill(a, rail_params, sizeof *core, what, settings, e);
	if (!core)
		return -1;
	*r = (struct rail){.name = arena_strdup(a, map->key),
		.counted = core->counted,
		.kept_mw = NAN,
		.kept_v = NAN,
		.conf = fill(a, in->drv->rail, in->drv->rail_size, what, settings, e)};
	if (!r->conf)
		return -1;
	in->n++;
	return 0;
}

int instrument_load(struct instrument *in, const struct node *map,
	bool (*want)(const void *arg, const char *rail), const void *arg, struct arena *a,
	struct err *e)
{
	const struct instrument_core *core;
	char what[STR_NAME_BYTES + 24];

	*in = (struct instrument){.name = arena_strdup(a, map->key), .fd = -1, .arena = a};
	snprintf(what, sizeof what, "instrument '%s'", map->key);
	core = fill(a, instrument_params, sizeof *core, what, map, e);
	if (!core)
		return -1;
	in->drv = (const struct instrument_driver *)driver_get(
		instrument_drivers(), "instrument driver", core->driver, e);
	if (!in->drv)
		return err_wrap(e, "%s", what);
	in->interval_ms = core->interval_ms;
	in->answer_ms = core->answer_ms;
	in->conf = fill(a, in->drv->d.params, in->drv->d.size, what, map, e);
	if (!in->conf)
		return -1;
	in->rails = arena_alloc(a, (core->rails->n + 1) * sizeof *in->rails);
	node_each (core->rails, kid)
		if ((!want || want(arg, kid->key)) && add_rail(in, kid, a, e))
			return err_wrap(e, "%s", what);
	return 0;
}

int instrument_open(struct instrument *in, struct bench *b, struct err *e)
{
	in->bench = b;
	in->fd = -1;
	if (!in->drv->open(in, e))
		return 0;
	instrument_close(in);
	return err_wrap(e, "instrument '%s'", in->name);
}

void instrument_close(struct instrument *in)
{
	if (in->bench && in->drv->close)
		in->drv->close(in);
	in->bench = NULL;
	in->fd = -1;
}
