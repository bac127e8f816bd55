/* SPDX-License-Identifier: MIT */
/*
 * Reading published figures. Invariant: a file is taken whole or not at all, and in one that was
 * taken every figure has a metric of the table, a value in its unit and a key of its own.
 */
#include "reference.h"

#include "base/fs.h"
#include "base/mem.h"
#include "io/yaml.h"

#include <dirent.h>
#include <math.h>
#include <stdlib.h>

struct row {
	int64_t row;
	const char *metric, *value, *min, *max, *unit, *note;
	const struct node *params;
};

static const struct param rows[] = {
	{"row", PARAM_INT, offsetof(struct row, row), .required = true, .min = 1, .max = 100000,
		.help = "its number in the section, in the order of the document"},
	{"metric", PARAM_STRING, offsetof(struct row, metric), .required = true,
		.help = "a name of the metric table"},
	{"params", PARAM_MAP, offsetof(struct row, params), .help = "what it was measured with"},
	{"value", PARAM_STRING, offsetof(struct row, value), .required = true,
		.help = "the figure as printed"},
	{"min", PARAM_STRING, offsetof(struct row, min), .help = "the least, as printed"},
	{"max", PARAM_STRING, offsetof(struct row, max), .help = "the greatest, as printed"},
	{"unit", PARAM_STRING, offsetof(struct row, unit), .required = true,
		.help = "the unit as printed"},
	{"note", PARAM_STRING, offsetof(struct row, note), .help = "why it is doubtful"},
	{0},
};

struct table_head {
	const char *section, *table, *no_parser;
	struct param_strings parsers;
	const struct node *job, *figures;
};

struct job_head {
	const char *file;
	struct param_strings steps;
	const struct node *params;
};

static const struct param job_rows[] = {
	{"file", PARAM_STRING, offsetof(struct job_head, file), .required = true,
		.help = "the job, below jobs/"},
	{"steps", PARAM_STRINGS, offsetof(struct job_head, steps), .required = true,
		.help = "patterns of its steps that print the table"},
	{"params", PARAM_MAP, offsetof(struct job_head, params),
		.help = "its params on silicon, where they are not its defaults"},
	{0},
};

static const struct param table_rows[] = {
	{"section", PARAM_STRING, offsetof(struct table_head, section), .required = true,
		.help = "the caption of the section that it is in"},
	{"table", PARAM_STRING, offsetof(struct table_head, table), .required = true,
		.help = "the caption of the table"},
	{"parser", PARAM_STRINGS, offsetof(struct table_head, parsers),
		.help = "parsers that make its figures out of what is printed"},
	{"no-parser", PARAM_STRING, offsetof(struct table_head, no_parser),
		.help = "why no parser makes all of its figures"},
	{"job", PARAM_MAP, offsetof(struct table_head, job),
		.help = "the job that makes its figures; none yet where it is not told"},
	{"figures", PARAM_LIST, offsetof(struct table_head, figures), .required = true,
		.help = "its figures"},
	{0},
};

struct head {
	const char *soc;
	const struct node *tables;
};

static const struct param head_rows[] = {
	{"soc", PARAM_STRING, offsetof(struct head, soc), .required = true,
		.help = "the SoC that the document is about"},
	{"tables", PARAM_LIST, offsetof(struct head, tables), .required = true,
		.help = "its tables, in its order"},
	{0},
};

struct reader {
	struct reference *r;
	const struct metric_table *metrics;
	struct diag *diag;
	struct map keys, places; /* -> figure */
	VEC(struct reference_figure) figures;
	VEC(struct reference_table) tables;
};

static int by_key(const void *a, const void *b)
{
	const struct node *const *x = a, *const *y = b;

	return strcmp((*x)->key, (*y)->key);
}

static const char *key_of(struct arena *a, const char *name, const struct node *params)
{
	size_t n = params ? params->n : 0;
	AUTOFREE const struct node **sorted = mem_alloc((n + 1) * sizeof *sorted);
	AUTOBUF key = BUF_INIT(1 << 16);

	for (size_t i = 0; i < n; i++)
		sorted[i] = params->kids[i];
	qsort(sorted, n, sizeof *sorted, by_key);
	buf_puts(&key, name);
	for (size_t i = 0; i < n; i++)
		buf_printf(&key, " %s=%s", sorted[i]->key, sorted[i]->text ? sorted[i]->text : "");
	return arena_strdup(a, buf_str(&key));
}

/* A printed number in the metric's unit; NULL gives NAN. */
static int read_figure(struct reader *rd, const struct reference_figure *f, struct loc at,
	const char *printed, double *out)
{
	struct err e = {0};
	double value;

	*out = NAN;
	if (!printed)
		return 0;
	if (str_double(str_of(printed), &value))
		return diag_add(rd->diag, at, "'%s' is not a number", printed);
	if (metric_value(f->def, value, f->unit, out, &e))
		return diag_add(rd->diag, at, "%s: %s", f->def->name, e.msg);
	return 0;
}

static int check_place(struct reader *rd, const struct reference_figure *f, struct loc at)
{
	AUTOFREE char *place = mem_printf("%s\n%lld", f->section, (long long)f->row);
	int failed = 0;

	if (map_find(&rd->places, place))
		failed = diag_add(rd->diag, at, "row %lld of '%s' stands twice", (long long)f->row,
			f->section);
	if (map_find(&rd->keys, f->key))
		failed = diag_add(rd->diag, at, "'%s' stands twice", f->key);
	map_set(&rd->places, place, (void *)f->def);
	map_set(&rd->keys, f->key, (void *)f->def);
	return failed;
}

static int read_row(struct reader *rd, const struct table_head *head, const struct node *node)
{
	struct arena *a = &rd->r->arena;
	struct reference_figure f = {.section = head->section, .table = head->table};
	struct row row = {0};
	int failed;

	if (schema_fill(a, rows, "figure", node, &row, rd->diag))
		return -1;
	node_each (row.params, kid)
		if (kid->type != NODE_SCALAR)
			return diag_add(rd->diag, kid->at, "'%s' is not one text", kid->key);
	f.row = row.row;
	f.params = row.params;
	f.printed = row.value;
	f.printed_min = row.min;
	f.printed_max = row.max;
	f.unit = row.unit;
	f.note = row.note;
	f.def = metric_find(rd->metrics, row.metric);
	if (!f.def)
		return diag_add(rd->diag, node_find(node, "metric")->at,
			"'%s' is not in the metric table", row.metric);
	f.key = key_of(a, f.def->name, f.params);
	failed = read_figure(rd, &f, node->at, f.printed, &f.value) |
		 read_figure(rd, &f, node->at, f.printed_min, &f.min) |
		 read_figure(rd, &f, node->at, f.printed_max, &f.max) |
		 check_place(rd, &f, node->at);
	if (!failed && (f.min > f.value || f.max < f.value) && !f.note)
		failed = diag_add(rd->diag, node->at,
			"its value is not between its min and max, and no note says why");
	vec_push(&rd->figures, f);
	return failed;
}

static int read_document(struct reader *rd, const struct node *doc)
{
	struct arena *a = &rd->r->arena;
	struct head head = {0};
	int failed = 0;

	if (schema_fill(a, head_rows, "reference", doc, &head, rd->diag))
		return -1;
	rd->r->soc = head.soc;
	node_each (head.tables, node) {
		struct table_head table = {0};
		struct job_head job = {0};

		rd->r->n_tables++;
		if (schema_fill(a, table_rows, "table", node, &table, rd->diag)) {
			failed = -1;
			continue;
		}
		if (!table.parsers.n != (table.no_parser != NULL))
			failed = diag_add(rd->diag, node->at,
				"a table has either its 'parser' or 'no-parser' and why");
		if (table.job && schema_fill(a, job_rows, "job", table.job, &job, rd->diag))
			failed = -1;
		vec_push(&rd->tables,
			((struct reference_table){table.section, table.table, table.parsers,
				table.no_parser, job.file, job.steps, job.params}));
		node_each (table.figures, row)
			failed |= read_row(rd, &table, row);
	}
	if (failed || rd->figures.n)
		return failed;
	diag_add(rd->diag, doc->at, "it holds no figure");
	return -1;
}

int reference_load(
	struct reference *r, const char *path, const struct metric_table *table, struct diag *diag)
{
	struct reference made = {0};
	struct reader rd = {.r = &made, .metrics = table, .diag = diag};
	const struct node *doc = yaml_load(&made.arena, path, diag);
	int failed = doc ? read_document(&rd, doc) : -1;

	if (!failed) {
		made.n = rd.figures.n;
		made.figures = arena_alloc(&made.arena, made.n * sizeof *made.figures);
		memcpy(made.figures, rd.figures.p, made.n * sizeof *made.figures);
		made.tables = arena_alloc(&made.arena, made.n_tables * sizeof *made.tables);
		memcpy(made.tables, rd.tables.p, made.n_tables * sizeof *made.tables);
		*r = made;
	} else {
		reference_done(&made);
	}
	vec_done(&rd.figures);
	vec_done(&rd.tables);
	map_done(&rd.keys);
	map_done(&rd.places);
	return failed;
}

void reference_done(struct reference *r)
{
	arena_done(&r->arena);
	*r = (struct reference){0};
}

static int is_yaml(const struct dirent *d)
{
	return str_ends(str_of(d->d_name), ".yaml");
}

int reference_set_load(struct reference_set *s, const char *dir, const struct metric_table *table,
	struct diag *diag)
{
	AUTOFREE char *installed = fs_data_path("reports/reference");
	struct dirent **list = NULL;
	struct reference_set made = {0};
	int n, failed = 0;

	dir = dir ? dir : installed;
	n = scandir(dir, &list, is_yaml, alphasort);
	if (n <= 0)
		failed = diag_add(diag, (struct loc){dir, 0, 0}, "there are no reference files");
	made.p = mem_alloc((size_t)(n > 0 ? n : 1) * sizeof *made.p);
	for (int i = 0; i < n; i++) {
		AUTOFREE char *path = fs_join(dir, list[i]->d_name);

		if (reference_load(&made.p[made.n], path, table, diag))
			failed = -1;
		else
			made.n++;
		free(list[i]);
	}
	free(list);
	if (failed)
		reference_set_done(&made);
	else
		*s = made;
	return failed;
}

void reference_set_done(struct reference_set *s)
{
	for (size_t i = 0; i < s->n; i++)
		reference_done(&s->p[i]);
	free(s->p);
	*s = (struct reference_set){0};
}

const struct reference *reference_set_find(const struct reference_set *s, const char *soc)
{
	for (size_t i = 0; i < s->n; i++)
		if (!strcmp(s->p[i].soc, soc))
			return &s->p[i];
	return NULL;
}

const struct reference_figure *reference_find(const struct reference *r, const char *key)
{
	for (size_t i = 0; i < r->n; i++)
		if (!strcmp(r->figures[i].key, key))
			return &r->figures[i];
	return NULL;
}
