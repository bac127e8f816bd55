/* SPDX-License-Identifier: MIT */
/*
 * Every published figure found by its own labels, however they are written, and by no others; and
 * every table's parsers held against what their cases tell.
 */
#include "reports/reference.h"

#include "base/fs.h"
#include "base/map.h"
#include "base/mem.h"
#include "base/t/tap.h"
#include "reports/parse/parse.h"

#include <ctype.h>
#include <dirent.h>
#include <stdlib.h>
#include <string.h>

#define FIGURES     1534
#define TABLES      108
#define WITH_PARSER 108 /* tables; may only grow */
#define LABELS      12

static struct metric_table metrics;
static struct reference_set set;

static size_t labels_of(const struct reference_figure *f, struct sink_label *labels)
{
	size_t n = 0;

	node_each (f->params, p)
		labels[n++] = (struct sink_label){p->key, p->text};
	return n;
}

static const struct reference_figure *match(const struct reference *r, const char *metric,
	const struct sink_label *labels, size_t n, enum reference_fit *fit)
{
	const struct reference_figure *f;

	*fit = reference_match(r, metric, labels, n, &f);
	return f;
}

struct tally {
	size_t n, own, upper, extra, other, dropped;
};

static char *upper(const char *text)
{
	char *out = mem_strdup(text);

	for (char *c = out; *c; c++)
		*c = (char)toupper((unsigned char)*c);
	return out;
}

/* A figure without one of its labels may be another one that has fewer, never a wrong one. */
static bool is_wrong(const struct reference_figure *got, const struct sink_label *labels, size_t n)
{
	if (!got)
		return false;
	for (size_t i = 0; i < n; i++) {
		const char *text = node_text(got->params, labels[i].name);

		if (!text || strcmp(text, labels[i].value) != 0)
			return true;
	}
	return false;
}

static void check_figure(
	const struct reference *r, const struct reference_figure *f, struct tally *t)
{
	struct sink_label labels[LABELS + 1], changed[LABELS + 1];
	const char *metric = f->def->name;
	enum reference_fit fit;
	size_t n = labels_of(f, labels);

	t->n++;
	t->own += match(r, metric, labels, n, &fit) == f && fit == REFERENCE_FITS;
	labels[n] = (struct sink_label){"run_by", "somebody"};
	t->extra += match(r, metric, labels, n + 1, &fit) == f;
	for (size_t i = 0; i < n; i++) {
		AUTOFREE char *text = upper(labels[i].value);
		const struct reference_figure *got;

		memcpy(changed, labels, sizeof changed);
		changed[i].value = text;
		got = match(r, metric, changed, n, &fit);
		t->upper += got == f || fit == REFERENCE_UNSURE;
		changed[i].value = "nothing printed";
		t->other += match(r, metric, changed, n, &fit) != NULL;
		memmove(&changed[i], &labels[i + 1], (n - i) * sizeof *changed);
		t->dropped += is_wrong(match(r, metric, changed, n - 1, &fit), changed, n - 1);
	}
}

static void test_all(void)
{
	struct tally t = {0};
	size_t params = 0;

	for (size_t i = 0; i < set.n; i++)
		for (size_t k = 0; k < set.p[i].n; k++) {
			const struct reference_figure *f = &set.p[i].figures[k];

			params += f->params ? f->params->n : 0;
			check_figure(&set.p[i], f, &t);
		}
	is_int((long long)t.n, FIGURES, "each published figure is looked for");
	is_int((long long)t.own, FIGURES, "and found by its own labels");
	is_int((long long)t.extra, FIGURES, "also beside one that nobody keys by");
	is_int((long long)t.upper, (long long)params, "in capitals");
	is_int((long long)t.other, 0, "by no label that says otherwise");
	is_int((long long)t.dropped, 0, "nor, with one less, as one that says otherwise");
}

static void test_spellings(void)
{
	const struct reference *r = reference_set_find(&set, "am62axx");
	struct sink_label labels[] = {{"media", "sd"}, {"fs", "fat"}, {"bytes", "4096k"}};
	struct sink_label boot[] = {{"media", "sd"}};
	enum reference_fit fit;
	const struct reference_figure *f = match(r, "uboot.read.bw", labels, 3, &fit);

	ok(f && f->value == 81920, "0x400000 is 4096k");
	labels[2].value = "4MiB";
	ok(match(r, "uboot.read.bw", labels, 3, &fit) == f, "and 4MiB");
	ok(!match(r, "uboot.read.bw", labels, 2, &fit), "and not nothing");
	ok(match(r, "boot.linux_ms", boot, 1, &fit) != NULL, "how often it was done matters not");
	ok(!match(r, "boot.linux_ms", NULL, 0, &fit) && fit == REFERENCE_NONE,
		"from what, it does");
	ok(!match(NULL, "boot.linux_ms", boot, 1, &fit), "no document, no figure");
	ok(!match(r, "no.such", boot, 1, &fit), "nor of another metric");
}

/* ---- parsers ---- */

/* The metrics that the cases of a parser tell. */
static void told_by(const char *parser, struct map *told)
{
	const char *data = getenv("HILAB_DATA");
	AUTOFREE char *dir = mem_printf("%s/reports/parse/t/data/%s", data ? data : ".", parser);
	DIR *d = opendir(dir);

	for (const struct dirent *f; d && (f = readdir(d));) {
		AUTOFREE char *path = fs_join(dir, f->d_name);
		AUTOBUF text = BUF_INIT(BUF_CAP_BYTES);
		struct str rest, line, word;

		if (!str_ends(str_of(f->d_name), ".want") || fs_read(path, &text, NULL))
			continue;
		rest = str_make(buf_str(&text), text.len);
		while (str_line(&rest, &line))
			if (str_word(&line, &word) && str_is(word, "metric") &&
				str_word(&line, &word)) {
				AUTOFREE char *name = mem_strndup(word.p, word.n);

				map_set(told, name, told);
			}
	}
	if (d)
		closedir(d);
}

static bool is_parser(const char *name)
{
	for (const struct driver *const *d = parse_drivers(); *d; d++)
		if (!strcmp((*d)->name, name))
			return true;
	return false;
}

/* The metrics of a table that none of its parsers tells, in out. */
static void untold(const struct reference *r, const struct reference_table *t, struct buf *out)
{
	struct map told = {0};

	for (size_t i = 0; i < t->parsers.n; i++) {
		if (!is_parser(t->parsers.p[i]))
			buf_printf(out, " no parser '%s'", t->parsers.p[i]);
		told_by(t->parsers.p[i], &told);
	}
	for (size_t i = 0; i < r->n; i++) {
		const struct reference_figure *f = &r->figures[i];

		if (!strcmp(f->table, t->table) && !strcmp(f->section, t->section) &&
			!map_find(&told, f->def->name))
			buf_printf(out, " %s", f->def->name);
	}
	map_done(&told);
}

static void test_parsers(void)
{
	size_t all = 0, with = 0;

	for (size_t i = 0; i < set.n; i++)
		for (size_t k = 0; k < set.p[i].n_tables; k++) {
			const struct reference_table *t = &set.p[i].tables[k];
			AUTOBUF out = BUF_INIT(1 << 16);

			all++;
			with += t->parsers.n > 0;
			if (t->parsers.n)
				untold(&set.p[i], t, &out);
			else
				printf("# %s: '%s': %s\n", set.p[i].soc, t->table, t->no_parser);
			if (out.len)
				ok(false, "%s: '%s': not told by its parsers:%s", set.p[i].soc,
					t->table, buf_str(&out));
		}
	is_int((long long)all, TABLES, "the tables of the documents");
	is_int((long long)with, WITH_PARSER, "%zu of %zu have a parser", with, all);
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
	test_all();
	test_spellings();
	test_parsers();
	reference_set_done(&set);
	metric_table_done(&metrics);
	diag_done(&diag);
	return tap_done();
}
