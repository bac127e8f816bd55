/* SPDX-License-Identifier: MIT */
/*
 * Every job folder of t/data through the store into every format, against its report.EXT; every
 * figure of the folder is in every format. HILAB_BLESS=1 rewrites.
 */
#include "base/fs.h"
#include "base/t/tap.h"
#include "reports/format/format.h"

#include "reports/format/formats.h"

#include <dirent.h>
#include <math.h>
#include <stdlib.h>

static struct metric_table table;
static char *data_dir;

static int gather(struct report *r, const char *name, struct err *e)
{
	AUTOFREE char *dir = fs_join(data_dir, name);
	struct store *s = store_open(":memory:", false, e);
	int64_t run;
	int got = -1;

	if (s && !store_import(s, dir, &run, e))
		got = report_gather(r, s, run, &table, e);
	store_close(s);
	if (got == 1)
		r->run.dir = arena_printf(&r->arena, "/jobs/%s", name);
	return got == 1 ? 0 : -1;
}

static void check(const char *name, const char *file, const struct buf *got)
{
	AUTOFREE char *path = mem_printf("%s/%s/%s", data_dir, name, file);
	AUTOBUF want = BUF_INIT(BUF_CAP_BYTES);
	struct err e = {0};

	if (getenv("HILAB_BLESS"))
		ok(!fs_write(path, buf_str(got), got->len, 0644, &e), "%s: blessed", path);
	ok(!fs_read(path, &want, &e), "%s: %s is there", name, file);
	is_str(buf_str(got), buf_str(&want), "%s: %s", name, file);
}

/* Is there a number in text that is value to three digits? */
static bool has_number(const char *text, double value)
{
	for (const char *p = text; *p; p++) {
		char *end;
		double got;

		if (!strchr("+-.0123456789", *p) || (p > text && strchr("0123456789.e", p[-1])))
			continue;
		got = strtod(p, &end);
		if (end > p && fabs(got - value) <= 1e-3 * fabs(value))
			return true;
	}
	return false;
}

static void check_figures(const struct report *r, const struct report_format *f, const char *text)
{
	AUTOFREE char *plain = mem_strdup(text);
	char *to = plain;

	for (const char *p = text; *p; p++) /* Markdown escapes */
		if (*p != '\\')
			*to++ = *p;
	*to = 0;
	for (size_t i = 0; i < r->n_metrics; i++) {
		const struct store_metric *m = &r->metrics[i].m;

		has_str(plain, m->name, "%s: '%s' is there", f->d.name, m->name);
		ok(has_number(plain, m->value), "%s: with its value %g", f->d.name, m->value);
	}
}

/* SQUAD takes results, figures and what was run in files of their own. */
static bool has_figures(const struct report_format *f)
{
	return strcmp(f->d.name, "squad-tests") != 0 && strcmp(f->d.name, "squad-metadata") != 0;
}

/* The style of a page is the same in each, and is looked at and not compared. */
static void drop_style(struct buf *page)
{
	const char *from = strstr(buf_str(page), "<style>"),
		   *to = strstr(buf_str(page), "</style>");
	AUTOBUF kept = BUF_INIT(BUF_CAP_BYTES);

	if (!from || !to)
		return;
	buf_add(&kept, page->data, (size_t)(from - page->data));
	buf_puts(&kept, to);
	buf_reset(page);
	buf_puts(page, buf_str(&kept));
}

static void check_case(const char *name)
{
	struct report r = {0};
	struct err e = {0};

	if (!ok(!gather(&r, name, &e), "%s: gathered %s", name, e.msg))
		return;
	for (const struct driver *const *d = report_formats(); *d; d++) {
		const struct report_format *f = (const struct report_format *)*d;
		AUTOFREE char *file = mem_printf("report.%s", f->ext);
		AUTOBUF out = BUF_INIT(BUF_CAP_BYTES);
		struct buf tiny = {0};

		ok(!f->write(&r, NULL, &out, &e), "%s: written as %s", name, f->d.name);
		drop_style(&out);
		check(name, file, &out);
		if (has_figures(f))
			check_figures(&r, f, buf_str(&out));
		buf_init(&tiny, out.len < 41 ? out.len / 2 : 40);
		ok(f->write(&r, NULL, &tiny, &e) == -1, "%s: %s past its cap is an error", name,
			f->d.name);
		buf_done(&tiny);
	}
	report_done(&r);
}

static size_t widest(const char *text)
{
	size_t most = 0, now = 0;

	for (; *text; text++) {
		now = *text == '\n' ? 0 : now + (((unsigned char)*text & 0xc0) != 0x80);
		most = now > most ? now : most;
	}
	return most;
}

static void check_width(void)
{
	struct report_opts narrow = {.width = 80}, colour = {.colour = true};
	AUTOBUF out = BUF_INIT(BUF_CAP_BYTES);
	struct report r = {0};
	struct err e = {0};

	gather(&r, "odd", &e);
	text_format.write(&r, &narrow, &out, &e);
	ok(widest(buf_str(&out)) <= 80, "no line is wider than the terminal");
	check("odd", "report-80.txt", &out);
	ok(!strchr(buf_str(&out), '\033'),
		"no colour unless asked for, no escape of a result's own");
	buf_reset(&out);
	text_format.write(&r, &colour, &out, &e);
	has_str(buf_str(&out), "\033[31mfail", "colour when asked for");
	report_done(&r);
}

static void check_figure(double value, const char *want)
{
	char out[FORMAT_FIGURE_BYTES];

	is_str(format_figure(value, out, sizeof out), want, "%.17g is printed as %s", value, want);
}

/* Sorted, and each with all that a table of formats is read for. */
static void check_table(void)
{
	const char *before = "";

	for (const struct driver *const *d = report_formats(); *d; d++) {
		const struct report_format *f = (const struct report_format *)*d;

		ok(strcmp(before, f->d.name) < 0, "%s stands after %s", f->d.name, before);
		ok(f->d.brief && f->d.proven && f->mime && f->ext && f->write, "%s: is complete",
			f->d.name);
		before = f->d.name;
	}
}

static void check_list(void)
{
	struct store *s = store_open(":memory:", false, NULL);
	AUTOFREE char *one = fs_join(data_dir, "smoke"), *two = fs_join(data_dir, "running");
	AUTOBUF out = BUF_INIT(BUF_CAP_BYTES);
	struct report_list l = {0};
	struct report r = {0};
	struct err e = {0};
	int64_t run = 0;

	is_int(report_find_run(s, "latest", &run, &e), -1, "no run is the latest");
	has_str(e.msg, "holds no run", "and that is said");
	store_import(s, one, &run, &e);
	store_import(s, two, &run, &e);
	is_int(report_list_gather(&l, s, 0, &e), 0, "a list");
	for (size_t i = 0; i < l.n; i++)
		l.runs[i].dir = NULL;
	report_list_text(&l, NULL, &out, &e);
	is_str(buf_str(&out),
		"VERDICT  RUN  STARTED               TOOK    JOB            BOARD              "
		"BUILD\n"
		"running    2  2025-11-30T12:00:00Z  -       am62axx-smoke  am62a-twin (twin)  "
		"am62axx-twin 1\n"
		"pass       1  2025-11-30T12:00:00Z  12.3 s  am62axx-smoke  am62a-twin (twin)  "
		"am62axx-twin 1\n",
		"as text");
	buf_reset(&out);
	report_list_json(&l, &out, &e);
	has_str(buf_str(&out), "\"schema\": \"hilab.runs/1\"", "as JSON");
	report_list_done(&l);
	is_int(report_find_run(s, "latest", &run, &e), 0, "the latest");
	is_int(run, 2, "is the newest");
	is_int(report_find_run(s, "1x", &run, &e), -1, "'1x' is no run");
	is_int(report_find_run(s, "-1", &run, &e), -1, "nor is -1");
	is_int(report_gather(&r, s, 99, NULL, &e), 0, "no run 99");
	is_int(store_import(s, data_dir, &run, &e), -1, "a folder without a journal is refused");
	store_close(s);
}

int main(void)
{
	const char *data = getenv("HILAB_DATA");
	AUTOFREE char *metrics = fs_data_path("reports/metrics.yaml");
	struct dirent **list = NULL;
	int n;

	data_dir = mem_printf("%s/reports/format/t/data", data ? data : ".");
	ok(!metric_table_load(&table, metrics, NULL), "the metric table loads");
	n = scandir(data_dir, &list, NULL, alphasort);
	ok(n > 5, "there are cases");
	for (int i = 0; i < n; i++) {
		if (*list[i]->d_name != '.')
			check_case(list[i]->d_name);
		free(list[i]);
	}
	free(list);
	check_width();
	check_list();
	check_table();
	check_figure(0, "0");
	check_figure(33.554432, "33.55");
	check_figure(1500.0005, "1500");
	check_figure(292571.428571, "292571");
	check_figure(999.94, "999.9");
	check_figure(0.0625, "0.06250");
	check_figure(5003, "5003");
	check_figure(-0.25, "-0.2500");
	check_figure(1.2345678e19, "1.235e+19");
	check_figure(-1.5e-9, "-1.5e-09");
	metric_table_done(&table);
	free(data_dir);
	return tap_done();
}
