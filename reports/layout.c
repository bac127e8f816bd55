/* SPDX-License-Identifier: MIT */
/*
 * Reading the layout of a published document. Invariant: in one that was taken every figure of the
 * reference has exactly one place, in the table that the reference has it in.
 */
#include "layout.h"

#include "base/fs.h"
#include "base/mem.h"
#include "io/yaml.h"

struct part_head {
	struct param_strings setup, columns;
	const struct node *rows;
};
static const struct param part_rows[] = {
	{"setup", PARAM_STRINGS, offsetof(struct part_head, setup),
		.help = "what it was measured with, a line each"},
	{"columns", PARAM_STRINGS, offsetof(struct part_head, columns), .required = true,
		.help = "captions of the columns; {board} is the board type"},
	{"rows", PARAM_LIST, offsetof(struct part_head, rows), .required = true,
		.help = "lists of cells, as many as there are columns"},
	{0},
};

struct table_head {
	const char *section, *table, *caption, *text;
	struct param_strings setup, columns;
	const struct node *rows, *parts;
};
static const struct param table_rows[] = {
	{"section", PARAM_STRING, offsetof(struct table_head, section), .required = true,
		.help = "the caption of its section, as the reference has it"},
	{"table", PARAM_STRING, offsetof(struct table_head, table), .required = true,
		.help = "its caption, as the reference has it"},
	{"caption", PARAM_STRING, offsetof(struct table_head, caption),
		.help = "what stands above it, where that is not its name; empty for nothing"},
	{"text", PARAM_STRING, offsetof(struct table_head, text), .help = "how it is measured"},
	{"setup", PARAM_STRINGS, offsetof(struct table_head, setup),
		.help = "what it was measured with, a line each"},
	{"columns", PARAM_STRINGS, offsetof(struct table_head, columns),
		.help = "captions of the columns; {board} is the board type"},
	{"rows", PARAM_LIST, offsetof(struct table_head, rows),
		.help = "lists of cells, as many as there are columns"},
	{"parts", PARAM_LIST, offsetof(struct table_head, parts),
		.help = "instead of columns and rows: tables that are printed under one caption"},
	{0},
};

static const struct param section_rows[] = {
	{"section", PARAM_STRING, offsetof(struct layout_section, section), .required = true,
		.help = "its caption, as the reference has it"},
	{"text", PARAM_STRING, offsetof(struct layout_section, text),
		.help = "how its tables are measured"},
	{"setup", PARAM_STRINGS, offsetof(struct layout_section, setup),
		.help = "what they were measured with, a line each"},
	{0},
};

struct head {
	const char *soc, *title, *text;
	const struct node *sections, *tables;
};
static const struct param head_rows[] = {
	{"soc", PARAM_STRING, offsetof(struct head, soc), .required = true,
		.help = "the SoC that the document is about"},
	{"title", PARAM_STRING, offsetof(struct head, title), .required = true,
		.help = "the document's title"},
	{"text", PARAM_STRING, offsetof(struct head, text), .required = true,
		.help = "what it holds"},
	{"sections", PARAM_LIST, offsetof(struct head, sections), .help = "texts of sections"},
	{"tables", PARAM_LIST, offsetof(struct head, tables), .required = true,
		.help = "its tables, in its order"},
	{0},
};

struct reader {
	struct layout *l;
	const struct reference *r;
	struct diag *diag;
	bool *placed; /* by figure */
};

bool layout_place(const char **rest, struct str *before, int64_t *row)
{
	const char *at = *rest, *p = at;

	while ((p = strchr(p, '{'))) {
		const char *end = strchr(p, '}');
		int64_t n;

		if (end && !str_i64(str_make(p + 1, (size_t)(end - p) - 1), &n) && n > 0) {
			*before = str_make(at, (size_t)(p - at));
			*row = n;
			*rest = end + 1;
			return true;
		}
		p++;
	}
	*before = str_of(at);
	*rest = at + before->n;
	return false;
}

static int take_place(
	struct reader *rd, const struct layout_table *t, int64_t row, const struct node *at)
{
	for (size_t i = 0; i < rd->r->n; i++) {
		const struct reference_figure *f = &rd->r->figures[i];

		if (f->row != row || strcmp(f->section, t->section) != 0 ||
			strcmp(f->table, t->table) != 0)
			continue;
		if (rd->placed[i])
			return diag_add(rd->diag, at->at, "row %lld stands twice", (long long)row);
		rd->placed[i] = true;
		return 0;
	}
	return diag_add(
		rd->diag, at->at, "row %lld is none of table '%s'", (long long)row, t->table);
}

static int read_row(struct reader *rd, const struct layout_table *t, struct layout_part *p,
	const struct node *row)
{
	int failed = 0;
	size_t n = 0;

	if (row->type != NODE_LIST || row->n != p->n_columns)
		return diag_add(rd->diag, row->at, "a row is a list of %zu cells", p->n_columns);
	node_each (row, cell) {
		const char *rest = cell->type == NODE_SCALAR ? cell->text : NULL;
		struct str before;
		int64_t place;

		if (!rest)
			return diag_add(rd->diag, cell->at, "a cell is text");
		p->cells[p->n_rows * p->n_columns + n++] = rest;
		while (layout_place(&rest, &before, &place))
			failed |= take_place(rd, t, place, cell);
	}
	p->n_rows++;
	return failed;
}

static int read_part(struct reader *rd, const struct layout_table *t, struct layout_part *p,
	const struct part_head *head)
{
	int failed = 0;

	p->setup = head->setup;
	p->columns = head->columns.p;
	p->n_columns = head->columns.n;
	p->cells =
		arena_alloc(&rd->l->arena, (head->rows->n * p->n_columns + 1) * sizeof *p->cells);
	node_each (head->rows, row)
		failed |= read_row(rd, t, p, row);
	return failed;
}

static int read_parts(struct reader *rd, struct layout_table *t, const struct table_head *head,
	const struct node *node)
{
	struct arena *a = &rd->l->arena;
	struct part_head one = {.columns = head->columns, .rows = head->rows};
	int failed = 0;

	if (head->parts ? head->rows || head->columns.n : !head->rows || !head->columns.n)
		return diag_add(rd->diag, node->at, "a table has 'columns' and 'rows', or 'parts'");
	t->parts = arena_alloc(a, (head->parts ? head->parts->n + 1 : 1) * sizeof *t->parts);
	if (!head->parts)
		return read_part(rd, t, &t->parts[t->n_parts++], &one);
	node_each (head->parts, kid) {
		struct part_head part = {0};

		if (schema_fill(a, part_rows, "part", kid, &part, rd->diag))
			failed = -1;
		else
			failed |= read_part(rd, t, &t->parts[t->n_parts++], &part);
	}
	return failed;
}

static bool is_table(const struct reference *r, const char *section, const char *table)
{
	for (size_t i = 0; i < r->n_tables; i++)
		if (!strcmp(r->tables[i].section, section) && !strcmp(r->tables[i].table, table))
			return true;
	return false;
}

static int read_table(struct reader *rd, const struct node *node)
{
	struct layout_table *t = &rd->l->tables[rd->l->n_tables];
	struct table_head head = {0};

	if (schema_fill(&rd->l->arena, table_rows, "table", node, &head, rd->diag))
		return -1;
	if (!is_table(rd->r, head.section, head.table))
		return diag_add(rd->diag, node->at, "'%s' of '%s' is no table of %s", head.table,
			head.section, rd->r->soc);
	t->section = head.section;
	t->table = head.table;
	t->caption = head.caption;
	t->text = head.text;
	t->setup = head.setup;
	rd->l->n_tables++;
	return read_parts(rd, t, &head, node);
}

static int read_document(struct reader *rd, const struct node *doc)
{
	struct layout *l = rd->l;
	struct head head = {0};
	int failed = 0;

	if (schema_fill(&l->arena, head_rows, "layout", doc, &head, rd->diag))
		return -1;
	if (strcmp(head.soc, rd->r->soc) != 0)
		return diag_add(
			rd->diag, doc->at, "it is of '%s', not of '%s'", head.soc, rd->r->soc);
	l->soc = head.soc;
	l->title = head.title;
	l->text = head.text;
	l->sections = arena_alloc(
		&l->arena, ((head.sections ? head.sections->n : 0) + 1) * sizeof *l->sections);
	l->tables = arena_alloc(&l->arena, (head.tables->n + 1) * sizeof *l->tables);
	node_each (head.sections, node)
		failed |= schema_fill(&l->arena, section_rows, "section", node,
			&l->sections[l->n_sections++], rd->diag);
	node_each (head.tables, node)
		failed |= read_table(rd, node);
	for (size_t i = 0; !failed && i < rd->r->n; i++)
		if (!rd->placed[i])
			failed = diag_add(rd->diag, doc->at, "row %lld of '%s' stands nowhere",
				(long long)rd->r->figures[i].row, rd->r->figures[i].section);
	return failed;
}

int layout_load(struct layout *l, const char *path, const struct reference *r, struct diag *diag)
{
	AUTOFREE char *relative = mem_printf("reports/layout/%s.yaml", r->soc);
	AUTOFREE char *installed = fs_data_path(relative);
	AUTOFREE bool *placed = mem_alloc((r->n + 1) * sizeof *placed);
	struct layout made = {0};
	struct reader rd = {&made, r, diag, placed};
	const struct node *doc = yaml_load(&made.arena, path ? path : installed, diag);
	int failed = doc ? read_document(&rd, doc) : -1;

	if (failed)
		layout_done(&made);
	else
		*l = made;
	return failed;
}

void layout_done(struct layout *l)
{
	arena_done(&l->arena);
	*l = (struct layout){0};
}

const struct layout_section *layout_section_find(const struct layout *l, const char *section)
{
	for (size_t i = 0; i < l->n_sections; i++)
		if (!strcmp(l->sections[i].section, section))
			return &l->sections[i];
	return NULL;
}
