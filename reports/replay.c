/* SPDX-License-Identifier: MIT */
/*
 * Published tables replayed through their parsers. Invariant: a figure counts only when the text
 * had a place for it and every sample told under its key is what was drawn.
 */
#include "replay.h"

#include "base/fs.h"
#include "base/mem.h"
#include "io/yaml.h"

#include <dirent.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define REPLAY_LABELS     32
#define REPLAY_TEXT_BYTES ((size_t)1 << 20)

struct replay_head {
	const char *soc;
	const struct node *tables;
};
struct replay_row {
	const char *section, *table;
	const struct node *shows;
};
static const struct param head_rows[] = {
	{"soc", PARAM_STRING, offsetof(struct replay_head, soc), .required = true,
		.help = "the SoC of the document"},
	{"tables", PARAM_LIST, offsetof(struct replay_head, tables), .required = true,
		.help = "its tables"},
	{0},
};
static const struct param table_rows[] = {
	{"section", PARAM_STRING, offsetof(struct replay_row, section), .required = true,
		.help = "the caption of its section"},
	{"table", PARAM_STRING, offsetof(struct replay_row, table), .required = true,
		.help = "its caption"},
	{"shows", PARAM_LIST, offsetof(struct replay_row, shows), .required = true,
		.help = "what its steps print"},
	{0},
};
static const struct param show_rows[] = {
	{"parse", PARAM_STRING, offsetof(struct replay_show, parse),
		.help = "the parser of the step; without it text are commands that print frames"},
	{"settings", PARAM_MAP, offsetof(struct replay_show, settings),
		.help = "of the parser, as the step gives them"},
	{"step", PARAM_STRING, offsetof(struct replay_show, step), .help = "the step's name"},
	{"params", PARAM_MAP, offsetof(struct replay_show, params),
		.help = "params of the job for this one"},
	{"labels", PARAM_MAP, offsetof(struct replay_show, labels), .help = "labels of the step"},
	{"text", PARAM_STRING, offsetof(struct replay_show, text), .required = true,
		.help = "what it prints"},
	{0},
};

struct loader {
	struct replay *r;
	const struct reference_set *refs;
	struct diag *diag;
	VEC(struct replay_table) tables;
};

static bool is_table(const struct reference *r, const char *section, const char *table)
{
	for (size_t i = 0; r && i < r->n_tables; i++)
		if (!strcmp(r->tables[i].section, section) && !strcmp(r->tables[i].table, table))
			return true;
	return false;
}

static int read_table(struct loader *l, const struct replay_head *head, const struct node *node)
{
	struct arena *a = &l->r->arena;
	struct replay_row row = {0};
	struct replay_table t = {.soc = head->soc};
	int failed = 0;

	if (schema_fill(a, table_rows, "table", node, &row, l->diag))
		return -1;
	t.section = row.section;
	t.table = row.table;
	t.reference = reference_set_find(l->refs, head->soc);
	if (!is_table(t.reference, t.section, t.table))
		return diag_add(l->diag, node->at, "'%s' of '%s' is no table of %s", t.table,
			t.section, head->soc);
	for (size_t i = 0; i < l->tables.n; i++)
		if (!strcmp(l->tables.p[i].soc, t.soc) &&
			!strcmp(l->tables.p[i].section, t.section) &&
			!strcmp(l->tables.p[i].table, t.table))
			return diag_add(l->diag, node->at, "'%s' stands twice", t.table);
	t.shows = arena_alloc(a, row.shows->n * sizeof *t.shows);
	node_each (row.shows, kid)
		failed |= schema_fill(a, show_rows, "show", kid, &t.shows[t.n++], l->diag);
	vec_push(&l->tables, t);
	return failed;
}

static int read_file(struct loader *l, const char *path)
{
	const struct node *doc = yaml_load(&l->r->arena, path, l->diag);
	struct replay_head head = {0};
	int failed = 0;

	if (!doc || schema_fill(&l->r->arena, head_rows, "replay", doc, &head, l->diag))
		return -1;
	node_each (head.tables, node)
		failed |= read_table(l, &head, node);
	return failed;
}

static int is_yaml(const struct dirent *d)
{
	return str_ends(str_of(d->d_name), ".yaml");
}

int replay_load(
	struct replay *r, const char *dir, const struct reference_set *refs, struct diag *diag)
{
	AUTOFREE char *installed = fs_data_path("reports/replay");
	struct replay made = {0};
	struct loader l = {.r = &made, .refs = refs, .diag = diag};
	struct dirent **list = NULL;
	int n, failed = 0;

	dir = dir ? dir : installed;
	n = scandir(dir, &list, is_yaml, alphasort);
	if (n <= 0)
		failed = diag_add(diag, (struct loc){dir, 0, 0}, "there are no replay files");
	for (int i = 0; i < n; i++) {
		AUTOFREE char *path = fs_join(dir, list[i]->d_name);

		failed |= read_file(&l, path);
		free(list[i]);
	}
	free(list);
	if (!failed) {
		made.n = l.tables.n;
		made.tables = arena_alloc(&made.arena, made.n * sizeof *made.tables);
		if (l.tables.p)
			memcpy(made.tables, l.tables.p, made.n * sizeof *made.tables);
		*r = made;
	} else {
		replay_done(&made);
	}
	vec_done(&l.tables);
	return failed;
}

void replay_done(struct replay *r)
{
	arena_done(&r->arena);
	*r = (struct replay){0};
}

const struct replay_table *replay_find(
	const struct replay *r, const char *soc, const char *section, const char *table)
{
	for (size_t i = 0; i < r->n; i++)
		if (!strcmp(r->tables[i].soc, soc) && !strcmp(r->tables[i].section, section) &&
			!strcmp(r->tables[i].table, table))
			return &r->tables[i];
	return NULL;
}

/* Read and multiplied: the last bit of a double may differ. */
static bool is_same(double want, double got)
{
	return fabs(want - got) <= 1e-9 * fabs(want);
}

void replay_tell(const struct replay_table *t, struct replay_drawn *drawn, const char *metric,
	double value, double min, double max, const struct sink_label *labels, size_t n)
{
	const struct reference_figure *f;
	struct replay_drawn *d;

	if (reference_match(t->reference, metric, labels, n, &f) != REFERENCE_FITS)
		return;
	d = &drawn[f - t->reference->figures];
	if (d->shown && d->timed && value >= d->value && value - d->value < REPLAY_LATE_MS) {
		d->late = value - d->value > d->late ? value - d->value : d->late;
		value = d->value;
	}
	if (!d->shown || !is_same(d->value, value) || (!isnan(d->min) && !is_same(d->min, min)) ||
		(!isnan(d->max) && !is_same(d->max, max)))
		d->wrong = true;
	else
		d->told++;
}

bool replay_is_told(const struct replay_drawn *d)
{
	return d->shown && d->told && !d->wrong;
}

struct telling {
	const struct replay_table *t;
	const struct replay_show *show;
	const struct metric_table *metrics;
	const struct parser *parser;
	struct replay_drawn *drawn;
	struct buf *why;
};

/* A step's labels, and the parser's over them: as a worker does. */
static void tell(void *arg, const struct sink_metric *told)
{
	const struct telling *g = arg;
	struct sink_label labels[REPLAY_LABELS];
	struct sink_metric m = *told;
	struct err e = {0};
	size_t n = 0;

	node_each (g->show->labels, kid) {
		bool by_parser = false;

		for (size_t i = 0; i < m.n; i++)
			by_parser |= !strcmp(m.labels[i].name, kid->key);
		if (!by_parser && n < REPLAY_LABELS)
			labels[n++] = (struct sink_label){kid->key, kid->text};
	}
	for (size_t i = 0; i < m.n && n < REPLAY_LABELS; i++)
		labels[n++] = m.labels[i];
	if (metric_settle(g->metrics, g->parser, &m, &e)) {
		buf_printf(g->why, "%s: %s\n", told->name, e.msg);
		return;
	}
	replay_tell(g->t, g->drawn, m.name, m.value, m.min, m.max, labels, n);
}

static void warn(void *arg, const char *text)
{
	const struct telling *g = arg;

	buf_printf(g->why, "warning: %s\n", text);
}

static void run_show(const struct telling *g, uint64_t seed)
{
	const struct sink sink = {.arg = (void *)g, .metric = tell, .warn = warn};
	const struct driver *d = driver_find(parse_drivers(), g->show->parse);
	AUTOBUF text = BUF_INIT(REPLAY_TEXT_BYTES);
	struct telling with = *g;
	struct sink own = sink;
	struct err e = {0};

	with.parser = (const struct parser *)d;
	own.arg = &with;
	if (!d)
		buf_printf(g->why, "there is no parser '%s'\n", g->show->parse);
	else if (replay_render(g->t, g->show, seed, g->drawn, &text, &e) ||
		 parser_run(with.parser, g->show->settings, str_make(buf_str(&text), text.len),
			 &own, &e))
		buf_printf(g->why, "%s\n", e.msg);
}

static bool is_of(const struct replay_table *t, const struct reference_figure *f)
{
	return !strcmp(f->section, t->section) && !strcmp(f->table, t->table);
}

size_t replay_table(const struct replay_table *t, const struct metric_table *metrics, uint64_t seed,
	struct buf *why)
{
	const struct reference *r = t->reference;
	AUTOFREE struct replay_drawn *drawn = mem_alloc(r->n * sizeof *drawn);
	size_t good = 0;

	for (size_t i = 0; i < r->n; i++)
		drawn[i] = (struct replay_drawn){.value = NAN, .min = NAN, .max = NAN};
	for (size_t i = 0; i < t->n; i++) {
		struct telling g = {t, &t->shows[i], metrics, NULL, drawn, why};

		if (t->shows[i].parse)
			run_show(&g, seed);
	}
	for (size_t i = 0; i < r->n; i++) {
		const struct replay_drawn *d = &drawn[i];

		if (is_of(t, &r->figures[i]) && replay_is_told(d))
			good++;
		else if (is_of(t, &r->figures[i]) || d->wrong)
			buf_printf(why, "row %lld: %s: %s\n", (long long)r->figures[i].row,
				r->figures[i].key,
				d->wrong   ? "another value was told"
				: d->shown ? "not told"
					   : "no place");
	}
	return good;
}
