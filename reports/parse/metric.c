/* SPDX-License-Identifier: MIT */
/*
 * The metric table and conversion between units. Invariant: a value is converted only between
 * units of one kind, by a factor that stands in one table.
 */
#include "metric.h"

#include "io/yaml.h"

#include <math.h>

static const char *const better_names[] = {"higher", "lower", "neither", NULL};

const struct param metric_params[] = {
	{"unit", PARAM_STRING, offsetof(struct metric_def, unit), .required = true,
		.help = "the unit it is stored and printed in", .example = "MB/s"},
	{"better", PARAM_CHOICE, offsetof(struct metric_def, better), .required = true,
		.choices = better_names, .help = "which direction is an improvement"},
	{"quantum", PARAM_NUMBER, offsetof(struct metric_def, quantum), .preset = "0",
		.help = "smallest step that the tool can show, in the unit; 0 when not known"},
	{"help", PARAM_STRING, offsetof(struct metric_def, help), .required = true,
		.help = "what it says, in one sentence", .example = "bytes read per second"},
	{0},
};

enum kind { KIND_RATE, KIND_SIZE, KIND_TIME, KIND_SHARE, KIND_COUNT, KIND_PER_SECOND };

/* Factors to B/s, B, s, 1, 1 and 1/s. Decimal prefixes are powers of 1000 (SI), binary ones of
 * 1024 (IEC 80000-13). */
static const struct unit {
	const char *name;
	enum kind kind;
	double factor;
} units[] = {
	{"B/s", KIND_RATE, 1},
	{"kB/s", KIND_RATE, 1e3},
	{"MB/s", KIND_RATE, 1e6},
	{"GB/s", KIND_RATE, 1e9},
	{"KiB/s", KIND_RATE, 1024.},
	{"MiB/s", KIND_RATE, 1048576.},
	{"GiB/s", KIND_RATE, 1073741824.},
	{"bit/s", KIND_RATE, 1 / 8.},
	{"kbit/s", KIND_RATE, 1e3 / 8},
	{"Mbit/s", KIND_RATE, 1e6 / 8},
	{"Gbit/s", KIND_RATE, 1e9 / 8},
	{"B", KIND_SIZE, 1},
	{"kB", KIND_SIZE, 1e3},
	{"MB", KIND_SIZE, 1e6},
	{"GB", KIND_SIZE, 1e9},
	{"KiB", KIND_SIZE, 1024.},
	{"MiB", KIND_SIZE, 1048576.},
	{"GiB", KIND_SIZE, 1073741824.},
	{"ns", KIND_TIME, 1e-9},
	{"us", KIND_TIME, 1e-6},
	{"ms", KIND_TIME, 1e-3},
	{"s", KIND_TIME, 1},
	{"min", KIND_TIME, 60},
	{"h", KIND_TIME, 3600},
	{"%", KIND_SHARE, 0.01},
	{"ratio", KIND_SHARE, 1},
	{"count", KIND_COUNT, 1},
	{"1/s", KIND_PER_SECOND, 1},
	{"IO/s", KIND_PER_SECOND, 1},
	{"kIO/s", KIND_PER_SECOND, 1e3},
	{"packets/s", KIND_PER_SECOND, 1},
};

static const struct unit *unit_find(const char *name)
{
	for (size_t i = 0; name && i < ARRAY_LEN(units); i++)
		if (!strcmp(units[i].name, name))
			return &units[i];
	return NULL;
}

int metric_convert(double value, const char *unit, const char *to, double *out, struct err *e)
{
	const struct unit *a = unit_find(unit), *b = unit_find(to);

	if (!isfinite(value))
		return err_set(e, BLAME_BUG, "a figure that is not a number");
	if (unit && to && !strcmp(unit, to)) {
		*out = value;
		return 0;
	}
	if (!a || !b)
		return err_set(e, BLAME_BUG, "unit '%s' is not known",
			a      ? to ? to : "(none)"
			: unit ? unit
			       : "(none)");
	if (a->kind != b->kind)
		return err_set(e, BLAME_BUG, "'%s' cannot be told in '%s'", unit, to);
	/* The ratio first: a power of ten by another one is exact more often. */
	*out = a->factor >= b->factor ? value * (a->factor / b->factor)
				      : value / (b->factor / a->factor);
	return 0;
}

static int table_add(struct metric_table *t, const struct node *entry, struct diag *diag)
{
	struct metric_def *def = arena_alloc(&t->arena, sizeof *def);

	def->name = arena_strdup(&t->arena, entry->key);
	if (schema_fill(&t->arena, metric_params, "metric", entry, def, diag))
		return -1;
	if (!unit_find(def->unit))
		return diag_add(
			diag, node_find(entry, "unit")->at, "unit '%s' is not known", def->unit);
	if (def->quantum < 0)
		return diag_add(diag, node_find(entry, "quantum")->at, "quantum is below 0");
	map_set(&t->by_name, def->name, def);
	return 0;
}

int metric_table_load(struct metric_table *t, const char *path, struct diag *diag)
{
	struct metric_table made = {0};
	const struct node *doc, *list;
	int failed = 0;

	doc = yaml_load(&made.arena, path, diag);
	list = node_find(doc, "metrics");
	if (!doc)
		failed = -1;
	else if (!list || list->type != NODE_MAP)
		failed = diag_add(diag, doc->at, "it has no mapping 'metrics'");
	else
		node_each (list, entry)
			failed |= table_add(&made, entry, diag);
	if (failed) {
		metric_table_done(&made);
		return -1;
	}
	*t = made;
	return 0;
}

void metric_table_done(struct metric_table *t)
{
	map_done(&t->by_name);
	arena_done(&t->arena);
}

const struct metric_def *metric_find(const struct metric_table *t, const char *name)
{
	return map_find(&t->by_name, name);
}
