/* SPDX-License-Identifier: MIT */
/*
 * The published figures as shipped against the figures of their documents (data/published.tsv),
 * one by one and both ways: none is missing, none is there that was not printed, none differs.
 * And files that are refused.
 */
#include "reports/reference.h"

#include "base/fs.h"
#include "base/mem.h"
#include "base/t/tap.h"

#include <math.h>
#include <stdlib.h>
#include <unistd.h>

#define FIGURES 1534
#define COLUMNS 8

static struct metric_table metrics;
static struct reference_set set;

static const struct reference_figure *find_row(
	const struct reference *r, struct str section, int64_t row)
{
	for (size_t i = 0; r && i < r->n; i++)
		if (r->figures[i].row == row && str_is(section, r->figures[i].section))
			return &r->figures[i];
	return NULL;
}

static bool same(struct str want, const char *got)
{
	return str_is(want, got ? got : "");
}

/* soc section number table value min max unit */
static void check_line(struct str line, size_t nth)
{
	struct str c[COLUMNS] = {{0}};
	const struct reference_figure *f;
	char soc[64];
	int64_t row = 0;
	size_t n = 0;

	for (; n < COLUMNS; n++) {
		ptrdiff_t tab = str_chr(line, '\t');

		c[n] = str_make(line.p, tab < 0 ? line.n : (size_t)tab);
		line = tab < 0 ? str_make(line.p + line.n, 0)
			       : str_make(line.p + tab + 1, line.n - (size_t)tab - 1);
	}
	snprintf(soc, sizeof soc, "%.*s", STR_ARG(c[0]));
	str_i64(c[2], &row);
	f = find_row(reference_set_find(&set, soc), c[1], row);
	if (!f || !same(c[3], f->table) || !same(c[4], f->printed) || !same(c[5], f->printed_min) ||
		!same(c[6], f->printed_max) || !same(c[7], f->unit))
		ok(false, "line %zu: %s row %lld of '%.*s': '%.*s' is there as printed", nth, soc,
			(long long)row, STR_ARG(c[1]), STR_ARG(c[4]));
}

static void test_published(void)
{
	const char *data = getenv("HILAB_DATA");
	AUTOFREE char *path = mem_printf("%s/reports/t/data/published.tsv", data ? data : ".");
	AUTOBUF text = BUF_INIT(BUF_CAP_BYTES);
	struct str rest, line;
	size_t n = 0, have = 0;

	ok(!fs_read(path, &text, NULL), "the figures of the documents are read");
	rest = str_make(buf_str(&text), text.len);
	str_line(&rest, &line);
	while (str_line(&rest, &line))
		check_line(line, ++n + 1);
	is_int((long long)n, FIGURES, "each printed figure was looked up");
	for (size_t i = 0; i < set.n; i++)
		have += set.p[i].n;
	/* No place stands twice in a file, so that as many are the same ones. */
	is_int((long long)have, FIGURES, "no figure is there that was not printed");
}

static void test_units(void)
{
	size_t doubtful = 0, silent = 0;
	const struct reference *r = reference_set_find(&set, "am62axx");
	const struct reference_figure *f =
		r ? reference_find(r, "boot.linux_ms cycles=20 media=sd") : NULL;

	ok(f && f->value == 13680 && f->min == 13500 && f->max == 13970,
		"a printed 13.68 (13.50, 13.97) s is in the metric's unit");
	f = r ? reference_find(r, "uboot.read.bw bytes=0x400000 fs=fat media=sd") : NULL;
	ok(f && f->value == 81920 && isnan(f->min) && !strcmp(f->def->unit, "KiB/s"),
		"U-Boot's KB/s is KiB/s, and what is not told is not a number");
	for (size_t i = 0; i < set.n; i++)
		for (size_t k = 0; k < set.p[i].n; k++) {
			f = &set.p[i].figures[k];
			doubtful += f->note != NULL;
			silent += !strcmp(f->unit, "mbps") && !f->note;
		}
	ok(doubtful > 0, "%zu figures have a note", doubtful);
	is_int((long long)silent, 0, "a unit that cannot be right is noted");
}

static void check_refused(const char *text, const char *part)
{
	char dir[] = "/tmp/hilab-reference-XXXXXX";
	struct reference_set got = {0};
	struct diag diag = {0};
	AUTOBUF out = BUF_INIT(1 << 16);
	AUTOFREE char *path = NULL;

	ok(mkdtemp(dir) != NULL, "a folder");
	path = fs_join(dir, "x.yaml");
	ok(!fs_write(path, text, strlen(text), 0644, NULL), "a file is written");
	ok(reference_set_load(&got, dir, &metrics, &diag) == -1 && !got.n, "it is refused");
	diag_print(&diag, &out);
	has_str(buf_str(&out), part, "%s", part);
	diag_done(&diag);
	fs_remove_tree(dir, NULL);
}

#define HEAD "soc: x\ntables:\n  - section: s\n    table: t\n    parser: fio\n    figures:\n"

static void test_refused(void)
{
	check_refused("soc: x\ntables: []\n", "it holds no figure");
	check_refused(HEAD "      - {row: 1, metric: no.such, value: 1, unit: s}\n",
		":7:26: 'no.such' is not in the metric table");
	check_refused(HEAD "      - {row: 1, metric: udma.bw, value: 1, unit: s}\n",
		"'s' cannot be told in 'MB/s'");
	check_refused(HEAD "      - {row: 1, metric: udma.bw, value: 1, unit: KB/s}\n",
		"'KB/s' is not known");
	check_refused(HEAD "      - {row: 1, metric: udma.bw, value: 1O, unit: MB/s}\n",
		"'1O' is not a number");
	check_refused(HEAD "      - {row: 1, metric: udma.bw, value: nan, unit: MB/s}\n",
		"'nan' is not a number");
	check_refused(HEAD "      - {row: 1, metric: udma.bw, value: 1, unit: MB/s}\n"
			   "      - {row: 1, metric: udma.cpu_load, value: 1, unit: \"%\"}\n",
		":8:9: row 1 of 's' stands twice");
	check_refused(HEAD
		"      - {row: 1, metric: udma.bw, params: {b: 1, a: 2}, value: 1, unit: MB/s}\n"
		"      - {row: 2, metric: udma.bw, params: {a: 2, b: 1}, value: 1, unit: MB/s}\n",
		"'udma.bw a=2 b=1' stands twice");
	check_refused(HEAD "      - {row: 1, metric: udma.bw, value: 1, min: 2, unit: MB/s}\n",
		"not between");
	check_refused(HEAD "      - {row: 1, metric: udma.bw, value: 1, unit: MB/s, nte: x}\n",
		"did you mean 'note'");
}

int main(void)
{
	AUTOFREE char *path = fs_data_path("reports/metrics.yaml");
	struct diag diag = {0};
	AUTOBUF out = BUF_INIT(1 << 20);

	ok(!metric_table_load(&metrics, path, NULL), "the metric table loads");
	if (!ok(!reference_set_load(&set, NULL, &metrics, &diag), "the shipped files load")) {
		diag_print(&diag, &out);
		tap_text("diag", buf_str(&out));
	}
	is_int((long long)set.n, 5, "of five documents");
	test_published();
	test_units();
	test_refused();
	reference_set_done(&set);
	metric_table_done(&metrics);
	diag_done(&diag);
	return tap_done();
}
