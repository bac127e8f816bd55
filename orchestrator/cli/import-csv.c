/* SPDX-License-Identifier: MIT */
/*
 * CSV files: results of a LAVA server, results and figures in our own words, one figure a line by a
 * mapping's `csv`, or one table as it was published. Invariant: which of them it is, is told by the
 * header line or the mapping alone.
 */
#include "cli/import-map.h"

#include "io/json.h"
#include "reports/parse/csv.h"
#include "reports/parse/grid.h"

#include <string.h>

struct columns {
	struct arena *a;
	size_t n;
	const char *names[CSV_FIELDS];
};

static void read_header(struct columns *h, struct arena *a, const struct csv *c)
{
	h->a = a;
	h->n = c->n;
	for (size_t i = 0; i < c->n; i++)
		h->names[i] = arena_strndup(a, c->fields[i].p, c->fields[i].n);
}

/* Its place; CSV_FIELDS: there is none of that name. */
static size_t column(const struct columns *h, const char *name)
{
	for (size_t i = 0; name && i < h->n; i++)
		if (!strcasecmp(h->names[i], name))
			return i;
	return CSV_FIELDS;
}

static bool has(const struct columns *h, const char *name)
{
	return column(h, name) != CSV_FIELDS;
}

static struct str field(const struct csv *c, size_t at)
{
	return at < c->n ? c->fields[at] : str_make("", 0);
}

/* A record that can be used: it has as many fields as the header, and no damage. */
static bool usable(struct import_draft *d, const struct columns *h, const struct csv *c)
{
	if (c->damage)
		import_warn(d, c->line, "%s", c->damage);
	else if (c->n != h->n)
		import_warn(d, c->line, "it has %zu fields, the header has %zu", c->n, h->n);
	else
		return true;
	d->n_refused++;
	return false;
}

/* ---- records as objects -----------------------------------------------------------------------
 */

/* {"a":"b"} or a=b words. */
static json_t *labels_of(struct str text)
{
	json_t *labels = text.n && text.p[0] == '{' ? json_loadb(text.p, text.n, 0, NULL) : NULL;
	struct str word;

	if (json_is_object(labels))
		return labels;
	json_decref(labels);
	labels = json_object();
	while (str_word(&text, &word)) {
		ptrdiff_t at = str_chr(word, '=');

		if (at > 0)
			json_object_setn_new(labels, word.p, (size_t)at,
				json_stringn(word.p + at + 1, word.n - (size_t)at - 1));
	}
	return labels;
}

static json_t *object_of(const struct columns *h, const struct csv *c)
{
	json_t *j = json_object();

	for (size_t i = 0; i < h->n && i < c->n; i++) {
		json_t *value = strcasecmp(h->names[i], "labels")
					? json_stringn(c->fields[i].p, c->fields[i].n)
					: labels_of(c->fields[i]);

		if (value)
			json_object_set_new(j, h->names[i], value);
	}
	json_object_set_new(j, "line", json_integer((json_int_t)c->line));
	return j;
}

static int read_rows(struct import_draft *d, const struct columns *h, struct csv *c, bool lava)
{
	struct import_run *r = NULL;
	struct import_id id = {0};

	while (csv_next(c)) {
		AUTOJSON *j = object_of(h, c);

		if (!usable(d, h, c))
			continue;
		if (!r && lava)
			import_date(json_text(j, "logged", NULL), &id.at_ms);
		if (!r)
			r = import_run_of(d, import_id_of(d, id));
		if (lava)
			import_lava_row(d, r, j);
		else
			import_row(d, r, j);
	}
	if (lava)
		d->format = "lava";
	return 0;
}

/* ---- one figure a line ------------------------------------------------------------------------
 */

struct places {
	size_t section, table, row, column, value, min, max, unit;
};

static int find_places(struct import_draft *d, const struct map_csv *m, const struct columns *h,
	struct places *p, struct err *e)
{
	const struct {
		const char *name;
		size_t *at;
	} all[] = {{m->section, &p->section}, {m->table, &p->table}, {m->row, &p->row},
		{m->column, &p->column}, {m->value, &p->value}, {m->min, &p->min},
		{m->max, &p->max}, {m->unit, &p->unit}};

	for (size_t i = 0; i < ARRAY_LEN(all); i++) {
		*all[i].at = column(h, all[i].name);
		if (all[i].name && *all[i].at == CSV_FIELDS)
			return err_set(e, BLAME_CONFIG, "'%s': it has no column '%s'", d->file,
				all[i].name);
	}
	return 0;
}

static const char *text_at(struct arena *a, const struct csv *c, size_t at)
{
	return grid_text(a, field(c, at)); /* as a heading of a document */
}

static void read_figure(struct import_draft *d, const struct import_map *map,
	const struct columns *h, const struct csv *c, const struct places *p)
{
	struct arena scratch = {0};
	struct map_cell cell = {
		.text = {[MAP_SECTION] = text_at(&scratch, c, p->section),
			[MAP_TABLE] = text_at(&scratch, c, p->table),
			[MAP_ROW] = text_at(&scratch, c, p->row),
			[MAP_COLUMN] = text_at(&scratch, c, p->column)},
		.value = field(c, p->value),
		.min = field(c, p->min),
		.max = field(c, p->max),
		.unit = field(c, p->unit),
		.line = c->line,
	};
	struct map_groups given = {0};

	for (size_t i = 0; i < h->n && given.n < MAP_GROUPS - PATTERN_GROUPS; i++)
		given.p[given.n++] = (struct map_group){h->names[i], c->fields[i]};
	if (map_cell(map, d, &cell, &given) == MAP_NO_RULE) {
		import_warn(d, c->line, "no rule for '%s', '%s', '%s'", cell.text[MAP_TABLE],
			cell.text[MAP_ROW], cell.text[MAP_COLUMN]);
		d->n_refused++;
	}
	arena_done(&scratch);
}

static int read_long(struct import_draft *d, const struct import_map *map, const struct columns *h,
	struct csv *c, struct err *e)
{
	struct places p;

	if (find_places(d, &map->csv, h, &p, e))
		return -1;
	while (csv_next(c))
		if (usable(d, h, c))
			read_figure(d, map, h, c, &p);
	return 0;
}

/* ------------------------------------------------------------------------------------------------
 */

int import_csv(struct import_draft *d, const struct import_map *map, struct str text, struct err *e)
{
	struct csv c;
	struct columns h = {0};
	int failed = 0;

	csv_init(&c, text);
	if (!csv_next(&c))
		failed = err_set(e, BLAME_CONFIG, "'%s': it is empty", d->file);
	else
		read_header(&h, &d->arena, &c);
	if (!failed && map->has_csv)
		failed = read_long(d, map, &h, &c, e);
	else if (!failed && has(&h, "result") && has(&h, "name") && has(&h, "suite"))
		failed = read_rows(d, &h, &c, true);
	else if (!failed && has(&h, "name") && (has(&h, "value") || has(&h, "status")))
		failed = read_rows(d, &h, &c, false);
	else if (!failed)
		failed = import_guide(d, map, "csv", text, e);
	csv_done(&c);
	return failed;
}
