/* SPDX-License-Identifier: MIT */
/*
 * The guides of all five documents: runs in a store that carry every published figure come out in
 * each format with every figure in its table, row and column, digit by digit; and again with every
 * value drawn anew. Then what several runs, types and releases make of a cell, what is missing, and
 * that a twin's guide is never silicon's. HILAB_SEED sets the seed.
 */
#include "base/fs.h"
#include "base/t/tap.h"
#include "guidetest.h"
#include "reports/format/guide.h"
#include "reports/parse/grid.h"

#include <time.h>
#include <unistd.h>

#define FIGURES 1534
#define TABLES  108

static struct metric_table metrics;
static struct reference_set refs;
static uint64_t seed;
static size_t walked, tables_walked;

/* ---- every figure in its place --------------------------------------------------------------- */

struct walk {
	const struct reference *r;
	const struct layout *l;
	const struct drawn *drawn;
	size_t table, part; /* whose grid comes next */
	size_t cells, figures, wrong;
	bool *seen; /* by figure */
};

static void put_drawn(const struct drawn *d, struct buf *out)
{
	buf_puts(out, d->value);
	if (*d->min)
		buf_printf(out, " (min %s, max %s)", d->min, d->max);
}

/* What a cell is to show, by the layout's places. */
static void want_cell(
	struct walk *w, const struct layout_table *t, const char *cell, struct buf *out)
{
	struct str before;
	int64_t row;

	while (layout_place(&cell, &before, &row)) {
		buf_add(out, before.p, before.n);
		for (size_t i = 0; i < w->r->n; i++)
			if (w->r->figures[i].row == row &&
				!strcmp(w->r->figures[i].section, t->section)) {
				put_drawn(&w->drawn[i], out);
				w->figures++;
				w->seen[i] = true;
			}
	}
	buf_add(out, before.p, before.n);
}

/* Texts alike but for runs of blanks and marks that a reader takes out. */
static bool alike(const char *a, const char *b)
{
	for (;;) {
		while (*a && strchr(" \\*`:/", *a))
			a++;
		while (*b && strchr(" \\*`:/", *b))
			b++;
		if (*a != *b)
			return false;
		if (!*a)
			return true;
		a++;
		b++;
	}
}

static void check_grid(struct walk *w, const struct grid *g, const struct layout_table *t,
	const struct layout_part *p)
{
	struct arena a = {0};
	size_t bad = g->rows != p->n_rows + g->heads || g->columns != p->n_columns;

	for (size_t i = 0; !bad && i < p->n_rows; i++)
		for (size_t k = 0; k < p->n_columns; k++) {
			AUTOBUF want = BUF_INIT(1 << 16);
			const char *got = grid_at(g, i + g->heads, k)->text;

			want_cell(w, t, p->cells[i * p->n_columns + k], &want);
			w->cells++;
			if (alike(got, buf_str(&want)))
				continue;
			bad++;
			printf("# %s, row %zu column %zu: got '%s', want '%s'\n", t->table, i, k,
				got, buf_str(&want));
		}
	for (size_t k = 0; !bad && k < p->n_columns; k++)
		if (!strstr(p->columns[k], "{board}"))
			bad += !alike(grid_heading(g, k, &a), p->columns[k]);
	arena_done(&a);
	if (bad)
		printf("# table '%s' (%zu x %zu) is not '%s' (%zu x %zu)\n", g->title, g->rows,
			g->columns, t->table, p->n_rows + 1, p->n_columns);
	w->wrong += bad > 0;
}

static void on_grid(void *arg, const struct grid *g)
{
	struct walk *w = arg;
	const struct layout_table *t = &w->l->tables[w->table];

	if (w->table == w->l->n_tables || !strncmp(g->title, "Runs", 4) ||
		!strncmp(g->title, "Environment", 11))
		return;
	check_grid(w, g, t, &t->parts[w->part]);
	if (++w->part == t->n_parts) {
		w->part = 0;
		w->table++;
	}
}

static void on_warn(void *arg, size_t line, const char *text)
{
	struct walk *w = arg;

	w->wrong++;
	printf("# line %zu: %s\n", line, text);
}

static void walk_page(const struct guide *g, const struct drawn *drawn, const struct page_format *f,
	const char *name)
{
	AUTOFREE bool *seen = mem_alloc(g->reference->n);
	AUTOBUF text = BUF_INIT(BUF_CAP_BYTES);
	struct walk w = {.r = g->reference, .l = g->layout, .drawn = drawn, .seen = seen};
	struct grid_sink sink = {&w, on_grid, on_warn};
	struct err e = {0};
	size_t all = 0;

	ok(!guide_write(g, f, &text, &e), "%s: written as %s %s", name, f->name, e.msg);
	ok(!(f == &page_html ? grid_html : grid_rst)(str_make(buf_str(&text), text.len), &sink, &e),
		"%s: %s is read back", name, f->name);
	for (size_t i = 0; i < g->reference->n; i++)
		all += seen[i];
	is_int((long long)all, (long long)g->reference->n, "%s: %s has every figure", name,
		f->name);
	is_int((long long)w.figures, (long long)g->reference->n, "%s: %s each once", name, f->name);
	is_int((long long)w.wrong, 0, "%s: %s, %zu cells as they should be", name, f->name,
		w.cells);
	is_int((long long)w.table, (long long)g->layout->n_tables, "%s: %s has every table", name,
		f->name);
	walked += all;
	tables_walked += w.table;
}

/* Markdown has no reader here: each figure's row is there. */
static void find_rows(const struct guide *g, const struct drawn *drawn, const char *name)
{
	AUTOBUF text = BUF_INIT(BUF_CAP_BYTES);
	struct err e = {0};
	size_t found = 0;

	ok(!guide_write(g, &page_markdown, &text, &e), "%s: written as markdown", name);
	for (size_t i = 0; i < g->reference->n; i++)
		found += strstr(buf_str(&text), drawn[i].value) != NULL;
	is_int((long long)found, (long long)g->reference->n, "%s: markdown has every value", name);
}

static void check_document(const struct reference *r, uint64_t with)
{
	AUTOFREE char *name = mem_printf("%s %s", r->soc, with ? "drawn" : "published");
	AUTOFREE struct drawn *drawn = mem_alloc(r->n * sizeof *drawn);
	struct store *s = store_open(":memory:", false, NULL);
	const struct given given = {.type = "board-type", .version = "11.00"};
	struct guide_ask ask = {.release = "11.00"};
	struct layout l = {0};
	struct guide g = {0};
	struct diag diag = {0};
	struct err e = {0};
	uint64_t state = with;

	for (size_t i = 0; i < r->n; i++)
		draw(&r->figures[i], &state, &drawn[i]);
	ok(!layout_load(&l, NULL, r, &diag), "%s: its layout has every figure once", name);
	ok(!add_run(s, r, drawn, &given, &e), "%s: a run in a store %s", name, e.msg);
	ok(!guide_make(&g, s, &ask, r, &l, &metrics, &e), "%s: gathered %s", name, e.msg);
	is_int((long long)g.now.measured, (long long)r->n, "%s: every figure is measured", name);
	walk_page(&g, drawn, &page_rst, name);
	walk_page(&g, drawn, &page_html, name);
	find_rows(&g, drawn, name);
	guide_done(&g);
	layout_done(&l);
	diag_done(&diag);
	store_close(s);
}

/* ---- cells ----------------------------------------------------------------------------------- */

struct cells {
	const struct reference *r;
	struct layout l;
	struct store *s;
	struct drawn *drawn;
	struct guide g;
	struct err e;
};

static void cells_init(struct cells *c, const char *soc)
{
	struct diag diag = {0};
	uint64_t published = 0;

	*c = (struct cells){.r = reference_set_find(&refs, soc)};
	layout_load(&c->l, NULL, c->r, &diag);
	diag_done(&diag);
	c->s = store_open(":memory:", false, NULL);
	c->drawn = mem_alloc(c->r->n * sizeof *c->drawn);
	for (size_t i = 0; i < c->r->n; i++)
		draw(&c->r->figures[i], &published, &c->drawn[i]);
}

static void cells_done(struct cells *c)
{
	guide_done(&c->g);
	layout_done(&c->l);
	store_close(c->s);
	free(c->drawn);
}

static void add(struct cells *c, struct given g, const char *first)
{
	if (first)
		snprintf(c->drawn[0].value, sizeof c->drawn[0].value, "%s", first);
	if (add_run(c->s, c->r, c->drawn, &g, &c->e))
		tap_text("add_run", c->e.msg);
}

static int make(struct cells *c, struct guide_ask ask)
{
	guide_done(&c->g);
	c->e = (struct err){0};
	return guide_make(&c->g, c->s, &ask, c->r, &c->l, &metrics, &c->e);
}

static void is_page(struct cells *c, const struct page_format *f, const char *part, bool there,
	const char *name)
{
	AUTOBUF text = BUF_INIT(BUF_CAP_BYTES);

	guide_write(&c->g, f, &text, &c->e);
	if (!ok((strstr(buf_str(&text), part) != NULL) == there, "%s", name))
		tap_text("page", buf_str(&text));
}

static void test_runs(void)
{
	const struct given one = {.type = "t1", .version = "2"};
	struct cells c;

	cells_init(&c, "adsp-sc5xx");
	add(&c, one, "300.00");
	add(&c, (struct given){.type = "t1", .version = "2", .board = "b2"}, "310.00");
	add(&c, (struct given){.type = "t1", .version = "2", .verdict = "incomplete"}, "900.00");
	add(&c, (struct given){.type = "t1", .version = "3"}, "901.00");
	add(&c, (struct given){.type = "t1-twin", .version = "2", .twin = true}, "902.00");
	ok(!make(&c, (struct guide_ask){.release = "2"}), "gathered");
	is_int((long long)c.g.now.values[0].runs, 2, "two runs have the figure");
	is_int((long long)c.g.now.left_out, 1, "an incomplete one is left out");
	is_page(&c, &page_rst, "305.00 (min 300.00, max 310.00) Mbps", true,
		"the mean over runs, with least and greatest");
	is_page(&c, &page_rst, "900.00", false, "and nothing of the incomplete run");
	is_page(&c, &page_rst, "902.00", false, "nor of the twin");
	is_page(&c, &page_html, "twin", false, "no word of a twin");
	is_page(&c, &page_rst, "b1, b2", false, "boards are told newest first");
	is_page(&c, &page_rst, "b2, b1", true, "both boards are told");
	ok(!make(&c, (struct guide_ask){.release = "sdk@3"}), "a release by name and version");
	is_page(&c, &page_rst, "901.00 Mbps", true, "has its own figures");
	ok(!make(&c, (struct guide_ask){.release = "2", .twin = true}), "a twin's guide");
	is_page(&c, &page_rst, "902.00 Mbps", true, "has the twin's figures");
	is_page(&c, &page_rst, "305.00", false, "and none of silicon");
	is_page(&c, &page_rst, ".. csv-table:: twin, not silicon", true, "which each table says");
	is_page(&c, &page_html,
		"<h1>ADSP-SC5xx: Ethernet performance, release 2 (twin, not silicon)", true,
		"and the title");
	is_page(&c, &page_html, "<div class=\"banner\">", true, "and each page on paper");
	ok(make(&c, (struct guide_ask){.release = "9"}) && c.e.blame == BLAME_CONFIG,
		"a release that no run has");
	has_str(c.e.msg, "there are 3, 2", "the error tells those that are there");
	ok(make(&c, (struct guide_ask){.release = "3", .twin = true}), "none of it on a twin");
	has_str(c.e.msg, "on a twin", "the error says so");
	cells_done(&c);
}

static void test_missing(void)
{
	struct cells c;

	cells_init(&c, "adsp-sc5xx");
	add(&c, (struct given){.type = "t1", .version = "2", .leave_out = 2}, NULL);
	add(&c, (struct given){.type = "t2", .version = "2", .leave_out = 7}, "77.00");
	ok(!make(&c, (struct guide_ask){.release = "2", .type = "t1"}), "only type t1");
	is_int((long long)c.g.now.measured, 14, "half of the figures are there");
	is_page(&c, &page_rst, "\"TCP_STREAM\",\"n/a\",\"200.38 Mbps\"", true, "others are marked");
	is_page(&c, &page_rst, "14 of 28 figures were measured; the others are marked n/a", true,
		"and counted");
	ok(!make(&c, (struct guide_ask){.release = "2"}), "both types");
	is_str(c.g.now.types[0].type, "t2", "the one with more figures first");
	is_int((long long)c.g.now.measured, 26, "what it lacks comes of the other");
	is_str(c.g.now.values[7].type, "t1", "by its own name");
	is_int((long long)c.g.now.values[1].runs, 1, "types are not mixed in a cell");
	cells_done(&c);
}

static void test_change(void)
{
	struct cells c;

	cells_init(&c, "adsp-sc5xx");
	add(&c, (struct given){.type = "t1", .version = "1", .leave_out = 5}, NULL);
	snprintf(c.drawn[1].value, DRAWN_BYTES, "150.285");
	snprintf(c.drawn[2].value, DRAWN_BYTES, "300.08");
	add(&c, (struct given){.type = "t1", .version = "2"}, "300.00");
	ok(!make(&c, (struct guide_ask){.release = "2", .before = "1"}), "two releases");
	is_page(&c, &page_rst, "\"300.00 Mbps (new)\"", true, "what is new is told");
	is_page(&c, &page_rst, "\"150.285 Mbps (was 200.38, -25.0 %, worse)\"", false,
		"no more digits than the column has");
	is_page(&c, &page_rst, "Mbps (was 200.38, -25.0 %, worse)\"", true, "what is worse");
	is_page(&c, &page_rst, "\"300.08 Mbps (was 285.79, +5.0 %, better)\"", true,
		"what is better");
	is_page(&c, &page_html, "<td class=\"bad n\">", true, "HTML marks what is worse");
	ok(!make(&c, (struct guide_ask){.release = "1", .before = "2"}), "the other way round");
	is_page(&c, &page_rst, "\"n/a (was 300.00)\"", true, "what is gone");
	add(&c, (struct given){.type = "t1", .version = "1"}, "200.00");
	snprintf(c.drawn[1].value, DRAWN_BYTES, "240.00");
	add(&c, (struct given){.type = "t1", .version = "1"}, NULL);
	snprintf(c.drawn[1].value, DRAWN_BYTES, "140.00");
	add(&c, (struct given){.type = "t1", .version = "2"}, NULL);
	snprintf(c.drawn[1].value, DRAWN_BYTES, "210.00");
	add(&c, (struct given){.type = "t1", .version = "2"}, NULL);
	ok(!make(&c, (struct guide_ask){.release = "2", .before = "1"}), "with several runs");
	is_int(guide_change(&c.r->figures[1], &c.g.now.values[1], &c.g.before.values[1]),
		GUIDE_SAME, "spans that overlap are no change");
	cells_done(&c);
}

static void test_published(void)
{
	struct cells c;

	cells_init(&c, "adsp-sc5xx");
	add(&c, (struct given){.type = "t1", .version = "1"}, "500.00");
	add(&c, (struct given){.type = "t1-twin", .version = "1", .twin = true}, "500.00");
	ok(!make(&c, (struct guide_ask){.release = "1", .before = "published"}),
		"against what was published");
	is_page(&c, &page_rst, "\"500.00 Mbps (was 306.95, +62.9 %, better)\"", true,
		"each figure says how far it is from it");
	is_page(&c, &page_rst, "\"200.38 Mbps (same)\"", true, "or that it is the same");
	ok(!make(&c, (struct guide_ask){.release = "published"}), "the document itself");
	is_page(&c, &page_rst, "\"306.95 Mbps\"", true, "has its own figures");
	ok(make(&c, (struct guide_ask){.release = "1", .before = "published", .twin = true}),
		"a twin against it");
	has_str(c.e.msg, "never held against published", "is refused");
	cells_done(&c);
}

static void test_digits(void)
{
	static const struct {
		const char *printed, *want;
		double value;
		int columns;
	} cases[] = {
		{"296", "296", 296, 2},
		{"296", "300.37", 300.37, 2},
		{"296", "300.4", 300.4, 2},
		{"0.80", "0.80", 0.8, 2},
		{"100", "99.57", 99.57, 0},
		{"60762", "61595", 61595.4, 0},
		{"0", "0.001234", 0.0012341, 0},
		{"0.00", "0.00", 0, 2},
	};
	struct metric_def def = {.name = "m", .unit = "ms"};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct reference_figure f = {
			.def = &def, .printed = cases[i].printed, .unit = "ms"};
		char out[GUIDE_FIGURE_BYTES];

		is_str(guide_figure(&f, cases[i].value, cases[i].columns, out, sizeof out),
			cases[i].want, "%g beside %s", cases[i].value, cases[i].printed);
	}
}

static void test_layouts(void)
{
	static const char head[] =
		"soc: adsp-sc5xx\ntitle: t\ntext: x\ntables:\n"
		"  - section: Netperf Example Usage; Test\n"
		"    table: netperf TCP_RR example output\n    columns: [a, b]\n";
	static const struct {
		const char *rows, *part;
	} cases[] = {
		{"    rows: [[\"{1}\", \"{2}\"]]\n", "stands nowhere"},
		{"    rows: [[\"{1}\", \"{1}\"]]\n", "row 1 stands twice"},
		{"    rows: [[\"{1}\"]]\n", "a row is a list of 2 cells"},
		{"    rows: [[\"{1}\", \"{3}\"]]\n", "row 3 is none of table"},
		{"    parts: []\n", "'columns' and 'rows', or 'parts'"},
	};
	const struct reference *r = reference_set_find(&refs, "adsp-sc5xx");
	char path[] = "/tmp/test-guide-XXXXXX";
	int fd = mkstemp(path);

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		AUTOFREE char *text = mem_printf("%s%s", head, cases[i].rows);
		AUTOBUF why = BUF_INIT(1 << 16);
		struct diag diag = {0};
		struct layout l = {0};

		ok(!fs_write_light(path, text, strlen(text), 0644, NULL) &&
				layout_load(&l, path, r, &diag),
			"a layout that is wrong is refused");
		diag_print(&diag, &why);
		has_str(buf_str(&why), cases[i].part, "with what is wrong");
		diag_done(&diag);
	}
	close(fd);
	remove(path);
}

int main(void)
{
	AUTOFREE char *path = fs_data_path("reports/metrics.yaml");
	const char *set = getenv("HILAB_SEED");
	struct diag diag = {0};

	seed = set ? strtoull(set, NULL, 10) : (uint64_t)time(NULL);
	seed += !seed;
	ok(!metric_table_load(&metrics, path, &diag) &&
			!reference_set_load(&refs, NULL, &metrics, &diag),
		"metrics and references load");
	for (size_t i = 0; i < refs.n; i++) {
		check_document(&refs.p[i], 0);
		check_document(&refs.p[i], seed);
	}
	is_int((long long)walked, 4 * FIGURES, "all figures, twice in two formats");
	is_int((long long)tables_walked, 4 * TABLES, "in all tables");
	printf("# seed %llu: %zu figures walked\n", (unsigned long long)seed, walked);
	test_runs();
	test_missing();
	test_change();
	test_published();
	test_digits();
	test_layouts();
	reference_set_done(&refs);
	metric_table_done(&metrics);
	diag_done(&diag);
	return tap_done();
}
