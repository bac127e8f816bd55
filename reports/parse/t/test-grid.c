/* SPDX-License-Identifier: MIT */
/*
 * Tables of documents: every file of t/tables against its .want, what was told of it (HILAB_BLESS=1
 * rewrites them); and what is too large, too deep or without an end.
 */
#include "base/clock.h"
#include "base/fs.h"
#include "base/t/tap.h"
#include "reports/parse/cell.h"
#include "reports/parse/csv.h"
#include "reports/parse/grid.h"

#include <dirent.h>
#include <math.h>
#include <stdlib.h>

static size_t told, warned;

static void dump(void *arg, const struct grid *g)
{
	struct arena a = {0};

	told++;
	if (!arg)
		return;
	buf_printf(arg, "table '%s' in '%s' @%zu, %zu x %zu\n", g->title, g->section, g->line,
		g->rows, g->columns);
	if (*g->above)
		buf_printf(arg, "  above '%s'\n", g->above);
	for (size_t c = 0; c < g->columns; c++)
		buf_printf(arg, "  heading '%s'\n", grid_heading(g, c, &a));
	for (size_t r = g->heads; r < g->rows; r++) {
		buf_puts(arg, " ");
		for (size_t c = 0; c < g->columns; c++) {
			const struct grid_cell *cell = grid_at(g, r, c);

			buf_printf(arg, " [%s%s%s]", cell->across ? "<" : "", cell->down ? "^" : "",
				cell->text);
		}
		buf_printf(arg, " @%zu\n", grid_at(g, r, 0)->line);
	}
	arena_done(&a);
}

static void warn(void *arg, size_t line, const char *text)
{
	warned++;
	if (arg)
		buf_printf(arg, "warn %s @%zu\n", text, line);
}

static void read_any(const char *name, struct str text, struct buf *out)
{
	const struct grid_sink sink = {out, dump, warn};
	struct err e = {0};
	int failed;

	told = warned = 0;
	if (str_ends(str_of(name), ".rst"))
		failed = grid_rst(text, &sink, &e);
	else if (str_ends(str_of(name), ".html"))
		failed = grid_html(text, &sink, &e);
	else
		failed = grid_csv(text, name, &sink, &e);
	if (failed && out)
		buf_printf(out, "error %s\n", e.msg);
}

static void golden(const char *dir, const char *name)
{
	AUTOFREE char *path = fs_join(dir, name), *want_path = mem_printf("%s.want", path);
	AUTOBUF text = BUF_INIT(1 << 20), want = BUF_INIT(1 << 20), got = BUF_INIT(1 << 20);
	struct err e = {0};

	if (fs_read(path, &text, &e))
		ok(false, "%s", e.msg);
	read_any(name, str_make(buf_str(&text), text.len), &got);
	if (getenv("HILAB_BLESS"))
		fs_write(want_path, buf_str(&got), got.len, 0644, NULL);
	fs_read(want_path, &want, &e);
	is_str(buf_str(&got), buf_str(&want), "%s", name);
	/* A document that ends anywhere. */
	for (size_t i = 0; i < text.len; i += 7)
		read_any(name, str_make(buf_str(&text), i), NULL);
	ok(true, "%s cut off in %zu places", name, text.len / 7);
}

static int is_case(const struct dirent *d)
{
	return d->d_name[0] != '.' && !str_ends(str_of(d->d_name), ".want");
}

static void all_golden(void)
{
	const char *data = getenv("HILAB_DATA");
	AUTOFREE char *dir = fs_join(data ? data : ".", "reports/parse/t/tables");
	struct dirent **list = NULL;
	int n = scandir(dir, &list, is_case, alphasort);

	ok(n >= 5, "%d cases", n);
	for (int i = 0; i < n; i++) {
		golden(dir, list[i]->d_name);
		free(list[i]);
	}
	free(list);
}

static void cell(const char *text, enum cell_kind want, double value, double min, const char *unit)
{
	struct cell_figure f = {.value = NAN, .min = NAN};
	enum cell_kind got = cell_figure(str_of(text), &f);

	is_int(got, want, "'%s' is kind %d", text, want);
	if (got != CELL_FIGURE)
		return;
	ok(f.value == value && (isnan(min) ? isnan(f.min) : f.min == min), "'%s': %g, %g", text,
		f.value, f.min);
	ok(str_is(f.unit, unit), "'%s': its unit is '%s'", text, unit);
}

static void cells(void)
{
	cell("12.3 (min 11.0, max 13.1)", CELL_FIGURE, 12.3, 11, "");
	cell(" 12.3 MB/s (min: 11, max: 13)", CELL_FIGURE, 12.3, 11, "MB/s");
	cell("**0.00**", CELL_FIGURE, 0, NAN, "");
	cell("97%", CELL_FIGURE, 97, NAN, "%");
	cell("1.5e3", CELL_FIGURE, 1500, NAN, "");
	cell("-0.5 us", CELL_FIGURE, -0.5, NAN, "us");
	cell("", CELL_MISSING, 0, 0, "");
	cell(" - ", CELL_MISSING, 0, 0, "");
	cell("N/A", CELL_MISSING, 0, 0, "");
	cell("-nan", CELL_MISSING, 0, 0, "");
	cell("1,234", CELL_TEXT, 0, 0, "");
	cell("<5", CELL_TEXT, 0, 0, "");
	cell("12-15", CELL_TEXT, 0, 0, "");
	cell("12 (min 11", CELL_TEXT, 0, 0, "");
	cell("12.3 (min 11.0, max 13.1) or so", CELL_TEXT, 0, 0, "");
	cell("1.2.3", CELL_TEXT, 0, 0, "");
	cell("pass", CELL_TEXT, 0, 0, "");
	cell("12 (1)", CELL_TEXT, 0, 0, "");
	ok(str_is(cell_bracket(STR_LIT("Speed (x) (MB/s)")), "MB/s"), "the last bracket");
	ok(!cell_bracket(STR_LIT("Speed")).n && !cell_bracket(STR_LIT("a)")).n, "none");
}

static void repeat(struct buf *b, const char *text, size_t n)
{
	while (n--)
		buf_puts(b, text);
}

/* What of memory and time is bounded: the reader comes back, and says what it left out. */
static void large(const char *name, const char *head, const char *text, size_t n)
{
	AUTOBUF b = BUF_INIT((size_t)64 << 20);
	int64_t start_ms = clock_ms();

	buf_puts(&b, head);
	repeat(&b, text, n);
	read_any(name, str_make(buf_str(&b), b.len), NULL);
	ok(true, "%zu MB of '%.20s' in %s: %zu tables, %zu warnings, %lld ms", b.len >> 20, text,
		name, told, warned, (long long)(clock_ms() - start_ms));
}

static void hostile(void)
{
	AUTOBUF row = BUF_INIT(1 << 16), drawn = BUF_INIT(1 << 24);

	large("a.html", "<table>", "<tr><td rowspan=60000 colspan=250>1", 20000);
	large("a.html", "", "<table><tr><td>", 100000);
	large("a.html", "<table><tr>", "<td>1", 400000);
	large("a.html", "", "<h1><b>", 300000);
	large("a.html", "<table>", "<tr><td>1<td>2", 200000);
	large("a.csv", "a,b\n", "12.5,\"x\"\n", 1000000);
	large("a.csv", "a,b\n", "\"x,\n", 300000);
	large("a.csv", "a,b\n\"", "\"\",\n", 300000);
	large("a.csv", "", ",", 5000000);
	large("a.rst", "", "+--", 1000000);
	large("a.rst", "", "+--+\n|", 300000);
	large("a.rst", "", "== ==\n1  2\n", 300000);
	large("a.rst", "", "a\n--\n", 300000);
	large("a.rst", ".. list-table:: x\n\n", "  * - a\n    - b\n", 200000);
	large("a.rst", "", ".. csv-table::\n   a\n", 200000);
	repeat(&row, "+-", 2000);
	buf_puts(&row, "+\n");
	for (int i = 0; i < 1000; i++)
		buf_add(&drawn, row.data, row.len);
	read_any("a.rst", str_make(drawn.data, drawn.len), NULL);
	is_int(told + warned, 1, "a table of 999 x 2000 cells is left out or told");
}

int main(void)
{
	all_golden();
	cells();
	hostile();
	return tap_done();
}
