/* SPDX-License-Identifier: MIT */
/*
 * The support matrix of a SoC, read. Invariant: every row that was read says how it is proven: by a
 * step of a job, not yet, or not at all and why.
 */
#include "drivers/support.h"

#include "base/fs.h"
#include "base/map.h"
#include "base/mem.h"
#include "io/yaml.h"

#include <glob.h>
#include <stdlib.h>
#include <string.h>

const char *const support_kinds[] = {"driver", "feature", "unsupported", "constraint", "call",
	"ioctl", "tool", "command", "boot-mode", "loader", NULL};

const struct param support_params[] = {
	{"soc", PARAM_STRING, offsetof(struct support, soc), .required = true,
		.help = "the SoC, as the file is named", .example = "am335x"},
	{"document", PARAM_STRING, offsetof(struct support, document), .required = true,
		.help = "whose statements these are", .example = "PSP guide 04.06.00.08"},
	{"drivers", PARAM_LIST, offsetof(struct support, node_drivers), .required = true,
		.help = "the drivers, see below"},
	{0},
};

const struct param support_driver_params[] = {
	{"driver", PARAM_STRING, offsetof(struct support_driver, name), .required = true,
		.help = "its name", .example = "uart"},
	{"title", PARAM_STRING, offsetof(struct support_driver, title), .required = true,
		.help = "its name for people", .example = "UART"},
	{"does", PARAM_STRING, offsetof(struct support_driver, does),
		.help = "what it is for, in a line"},
	{"type", PARAM_STRING, offsetof(struct support_driver, type),
		.help = "Linux or RTOS driver type", .example = "Character"},
	{"dma", PARAM_STRING, offsetof(struct support_driver, dma),
		.help = "what moves its bytes beside the CPU", .example = "EDMA"},
	{"calls", PARAM_STRINGS, offsetof(struct support_driver, calls),
		.help = "system calls that it takes", .example = "[open, read]"},
	{"options", PARAM_STRINGS, offsetof(struct support_driver, options),
		.help = "kernel options that build it", .example = "[CONFIG_SERIAL_8250_OMAP]"},
	{"modules", PARAM_STRINGS, offsetof(struct support_driver, modules),
		.help = "kernel modules, where it is built as such", .example = "[omap_wdt]"},
	{"job", PARAM_STRING, offsetof(struct support_driver, job),
		.help = "job below jobs/ that proves its rows", .example = "am335x/uart.yaml"},
	{"step", PARAM_STRING, offsetof(struct support_driver, step),
		.help = "step of rows that name none"},
	{"not-yet", PARAM_STRING, offsetof(struct support_driver, not_yet),
		.help = "what is missing until its rows have a job and a step"},
	{"rows", PARAM_LIST, offsetof(struct support_driver, node_rows), .required = true,
		.help = "its statements, see below"},
	{0},
};

const struct param support_row_params[] = {
	{"row", PARAM_STRING, offsetof(struct support_row, name), .required = true,
		.help = "its name, unique in the file", .example = "uart-tiocgserial"},
	{"kind", PARAM_CHOICE, offsetof(struct support_row, kind), .required = true,
		.choices = support_kinds, .help = "what it is about"},
	{"says", PARAM_STRING, offsetof(struct support_row, says), .required = true,
		.help = "the statement"},
	{"job", PARAM_STRING, offsetof(struct support_row, job), .help = "as its driver's"},
	{"step", PARAM_STRING, offsetof(struct support_row, step),
		.help = "step whose result proves it, as the compiled job names it"},
	{"test", PARAM_STRING, offsetof(struct support_row, test),
		.help = "one test of that step; the step's own result unless given"},
	{"not-testable", PARAM_STRING, offsetof(struct support_row, not_testable),
		.help = "why no job can prove it"},
	{"not-yet", PARAM_STRING, offsetof(struct support_row, not_yet),
		.help = "what is missing until a job proves it"},
	{0},
};

static int check_proof(struct support_row *r, struct diag *diag)
{
	if (r->not_testable && (r->step || r->test || r->not_yet))
		return diag_add(diag, r->at, "row '%s' has a proof and is not testable", r->name);
	if (r->not_testable) {
		r->job = NULL;
		return 0;
	}
	r->job = r->job ? r->job : r->of->job;
	r->step = r->step ? r->step : r->of->step;
	r->not_yet = r->not_yet ? r->not_yet : r->of->not_yet;
	if ((!r->job || !r->step) && !r->not_yet)
		return diag_add(diag, r->at,
			"row '%s' says neither 'job' and 'step', nor 'not-testable', nor 'not-yet'",
			r->name);
	return 0;
}

static int read_row(struct support *s, struct support_driver *d, const struct node *n,
	struct map *names, struct diag *diag)
{
	struct support_row *r = &d->rows[d->n];

	*r = (struct support_row){.of = d, .at = n->at};
	if (n->type != NODE_MAP)
		return diag_add(diag, n->at, "a row is a mapping {row, kind, says, ...}");
	if (schema_fill(&s->arena, support_row_params, "row", n, r, diag))
		return -1;
	if (map_has(names, r->name))
		return diag_add(diag, n->at, "row '%s' is there twice", r->name);
	if (++s->n_rows > SUPPORT_ROWS_MAX)
		return diag_add(diag, n->at, "more than %d rows", SUPPORT_ROWS_MAX);
	map_set(names, r->name, r);
	d->n++;
	return check_proof(r, diag);
}

static int read_driver(
	struct support *s, const struct node *n, struct map *names, struct diag *diag)
{
	struct support_driver *d = &s->drivers[s->n];
	int rc = 0;

	*d = (struct support_driver){0};
	if (n->type != NODE_MAP)
		return diag_add(diag, n->at, "a driver is a mapping {driver, title, rows, ...}");
	if (schema_fill(&s->arena, support_driver_params, "driver", n, d, diag))
		return -1;
	for (size_t i = 0; i < s->n; i++)
		if (!strcmp(s->drivers[i].name, d->name))
			return diag_add(diag, n->at, "driver '%s' is there twice", d->name);
	s->n++;
	d->rows = arena_alloc(&s->arena, (d->node_rows->n + 1) * sizeof *d->rows);
	for (size_t i = 0; i < d->node_rows->n; i++)
		if (read_row(s, d, d->node_rows->kids[i], names, diag))
			rc = -1;
	return rc;
}

int support_load(struct support *s, const char *path, struct diag *diag)
{
	struct support new = {0};
	struct map names = {0};
	const struct node *doc = yaml_load(&new.arena, path, diag);
	AUTOFREE char *stem = mem_strdup(fs_basename(path));
	int rc = doc ? 0 : -1;

	if (doc && schema_fill(&new.arena, support_params, "support matrix", doc, &new, diag))
		rc = -1;
	stem[strcspn(stem, ".")] = 0;
	if (new.soc && strcmp(new.soc, stem))
		rc = diag_add(diag, node_find(doc, "soc")->at,
			"the matrix of '%s' must stand in a file '%s.yaml'", new.soc, new.soc);
	if (new.node_drivers)
		new.drivers =
			arena_alloc(&new.arena, (new.node_drivers->n + 1) * sizeof *new.drivers);
	node_each (new.node_drivers, kid)
		if (read_driver(&new, kid, &names, diag))
			rc = -1;
	map_done(&names);
	if (rc)
		support_done(&new);
	else
		*s = new;
	return rc;
}

void support_done(struct support *s)
{
	arena_done(&s->arena);
	*s = (struct support){0};
}

const char **support_socs(struct arena *a)
{
	AUTOFREE char *pattern = fs_data_path("drivers/*.yaml");
	glob_t found = {0};
	const char **names;

	if (glob(pattern, 0, NULL, &found))
		found.gl_pathc = 0;
	names = arena_alloc(a, (found.gl_pathc + 1) * sizeof *names);
	for (size_t i = 0; i < found.gl_pathc; i++) {
		const char *name = fs_basename(found.gl_pathv[i]);

		names[i] = arena_printf(a, "%.*s", (int)(strlen(name) - strlen(".yaml")), name);
	}
	names[found.gl_pathc] = NULL;
	globfree(&found);
	return names;
}

int support_load_soc(struct support *s, const char *soc, struct diag *diag)
{
	struct arena a = {0};
	const char **socs = support_socs(&a);
	size_t n = 0, have = 0;
	int rc;

	for (; socs[n]; n++)
		have += !strcmp(socs[n], soc);
	if (have) {
		AUTOFREE char *relative = mem_printf("drivers/%s.yaml", soc);
		AUTOFREE char *path = fs_data_path(relative);

		rc = support_load(s, path, diag);
	} else {
		rc = diag_unknown(diag, (struct loc){.file = "drivers"}, "soc", soc, socs, n);
	}
	arena_done(&a);
	return rc;
}

const struct support_row *support_find(const struct support *s, const char *row)
{
	for (size_t i = 0; i < s->n; i++)
		for (size_t k = 0; k < s->drivers[i].n; k++)
			if (!strcmp(s->drivers[i].rows[k].name, row))
				return &s->drivers[i].rows[k];
	return NULL;
}
