/* SPDX-License-Identifier: MIT */
/*
 * Trends in every format: nothing of a hostile name acts, tags are balanced, each series is there,
 * odd histories have words, and a year of a lab stays as small as a page may be.
 */
#include "base/t/tap.h"
#include "year.h"

#include "io/json.h"
#include "reports/trend/render.h"

#include <math.h>

#define OUT_BYTES ((size_t)64 << 20)
#define HOSTILE   "</title><script>alert(1)</script>\"'&|`*[x](y)\n\033[31m\xe2\x80\xae\xff,=1+1"

static const char *const names[] = {"html", "svg", "markdown", "csv", "json", "text"};

static void render(const struct trend *t, const char *name, struct buf *out)
{
	const struct trend_format *f =
		(const struct trend_format *)driver_find(trend_formats(), name);
	struct trend_opts o = {.title = HOSTILE, .link_base = "https://lab.example/api/v1"};
	struct err e = {0};

	buf_reset(out);
	if (!f || f->write(t, &o, out, &e))
		tap_text(name, f ? e.msg : "no such format");
}

static size_t count(const char *text, const char *what)
{
	size_t n = 0;

	for (const char *p = text; (p = strstr(p, what)); p += strlen(what))
		n++;
	return n;
}

/* ---- tags ------------------------------------------------------------------------------------ */

static bool is_void(const char *tag)
{
	return !strcmp(tag, "meta") || !strcmp(tag, "br") || !strcmp(tag, "!doctype") ||
	       !strcmp(tag, "tr") || !strcmp(tag, "td") || !strcmp(tag, "th");
}

/* Every tag that opens closes, in order; cells may be left open. */
static bool is_balanced(const char *p)
{
	char stack[64][16], tag[16];
	size_t depth = 0;

	while ((p = strchr(p, '<'))) {
		bool closes = p[1] == '/';
		size_t n = 0;
		char quote = 0;

		for (p += 1 + closes; n + 1 < sizeof tag &&
				      strchr("!abcdefghijklmnopqrstuvwxyz"
					     "0123456789",
					      *p) &&
				      *p;)
			tag[n++] = *p++;
		tag[n] = 0;
		for (; *p && (quote || *p != '>'); p++)
			if (*p == quote)
				quote = 0;
			else if (!quote && *p == '"')
				quote = '"';
		if (!n || !*p)
			return false;
		if (is_void(tag) || p[-1] == '/')
			continue;
		if (!closes && depth == ARRAY_LEN(stack))
			return false;
		if (!closes)
			memcpy(stack[depth++], tag, sizeof tag);
		else if (!depth || strcmp(stack[--depth], tag))
			return false;
		if (!closes && (!strcmp(tag, "script") || !strcmp(tag, "style")))
			p = strstr(p, "</");
	}
	return !depth;
}

static void check_marks(const char *out, const char *what)
{
	ok(is_balanced(out), "%s: tags are balanced", what);
	ok(!strstr(out, "<script>alert") && !strstr(out, "</title><script"),
		"%s: no script of others", what);
	ok(!strchr(out, '\033') && !strstr(out, "\xe2\x80\xae") && !strchr(out, '\xff'),
		"%s: no byte that acts", what);
}

static void check_finite(const char *out, const char *what)
{
	ok(!strstr(out, "nan") && !strstr(out, "inf ") && !strstr(out, "-inf"),
		"%s: no figure that is none", what);
}

/* ---- histories ------------------------------------------------------------------------------- */

static void add_hostile(struct trend *t)
{
	struct store_point p[8];
	const struct store_series s = {.id = 1,
		.type = HOSTILE,
		.board = HOSTILE,
		.line = HOSTILE,
		.job = HOSTILE,
		.params = "{}",
		.suite = HOSTILE,
		.test = HOSTILE,
		.metric = HOSTILE,
		.labels = "{\"</svg><script>alert(1)</script>\":\"\\u001b[31m<b>\"}",
		.tool = HOSTILE,
		.unit = "<b>&\"",
		.better = "lower"};

	for (size_t i = 0; i < 8; i++)
		p[i] = (struct store_point){(int64_t)i + 1,
			YEAR_FROM_MS + (int64_t)i * 60 * YEAR_DAY_MS, HOSTILE, i < 4 ? 100 : 50, 40,
			120, 3};
	trend_add(t, &s, p, 8, NULL);
}

static void test_hostile(struct buf *out, bool all)
{
	struct trend t;

	trend_begin(&t, &(struct trend_query){0}, all ? 8 : TREND_POINTS + 1);
	add_hostile(&t);
	trend_finish(&t);
	t.lines[0].changes[0].console = HOSTILE;
	t.lines[0].changes[0].log_offset = 77;
	is_int((long long)t.n_events, 1, "a hostile series has a change");
	render(&t, "html", out);
	check_marks(buf_str(out), "html");
	is_int((long long)count(buf_str(out), "<script"), 1, "html: one script, our own");
	ok(strstr(buf_str(out), "script-src 'sha256-") && !strstr(buf_str(out), "unsafe-inline"),
		"html: which alone may run");
	has_str(buf_str(out), "/runs/5/report?format=text\"", "html: a link to the run");
	has_str(buf_str(out), "/runs/5/log?console=%3C%2Ftitle%3E%3Cscript%3Ealert%281%29",
		"html: and to the place in its log");
	render(&t, "svg", out);
	check_marks(buf_str(out), "svg");
	render(&t, "markdown", out);
	ok(!strchr(buf_str(out), '\033') && !strstr(buf_str(out), "\n<script") &&
			!strstr(buf_str(out), " <script") && !strstr(buf_str(out), "*[x](y)"),
		"markdown: nothing acts");
	render(&t, "text", out);
	ok(!strchr(buf_str(out), '\033') && !strstr(buf_str(out), "\xe2\x80\xae"),
		"text: nothing acts on the terminal");
	render(&t, "csv", out);
	is_int((long long)count(buf_str(out), "\n"), 9, "csv: a record a point");
	ok(!strchr(buf_str(out), '\033'), "csv: nothing acts");
	render(&t, "json", out);
	AUTOJSON *j = json_parse(str_make(buf_str(out), out->len), "json", NULL);
	ok(j && !strchr(buf_str(out), '\033'), "json: it is JSON");
	trend_done(&t);
}

static void add_flat(struct trend *t, size_t n, double value)
{
	struct store_point p[100];
	const struct store_series s = {.id = 1,
		.type = "t",
		.board = "b",
		.line = "",
		.job = "j",
		.params = "{}",
		.suite = "s",
		.test = "t",
		.metric = "boot.kernel_ms",
		.labels = "{}",
		.tool = "",
		.unit = "ms",
		.better = "lower"};

	for (size_t i = 0; i < n; i++)
		p[i] = (struct store_point){(int64_t)i + 1, YEAR_FROM_MS + (int64_t)i * YEAR_DAY_MS,
			NULL, value, NAN, NAN, 1};
	trend_add(t, &s, p, n, NULL);
}

static void test_odd(struct buf *out)
{
	static const struct {
		size_t n;
		double value;
		const char *name, *html, *markdown;
	} cases[] = {
		{0, 0, "no history", "There is no figure that was asked for",
			"There is no figure that was asked for"},
		{1, 812, "one run", "Nothing changed its level", "Nothing changed its level"},
		{1, 0, "one that is zero", "Nothing changed its level", "Nothing changed"},
		{100, 812, "all equal", "Nothing changed its level", "Nothing changed its level"},
		{100, 0, "all zero", "Nothing changed its level", "Nothing changed its level"},
		{100, -1e300, "all huge", "Nothing changed its level", "Nothing changed its level"},
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct trend t;

		trend_begin(&t, &(struct trend_query){0}, cases[i].n);
		if (cases[i].n)
			add_flat(&t, cases[i].n, cases[i].value);
		trend_finish(&t);
		for (size_t k = 0; k < ARRAY_LEN(names); k++) {
			render(&t, names[k], out);
			ok(out->len, "%s: as %s", cases[i].name, names[k]);
			check_finite(buf_str(out), cases[i].name);
			if (k == 0)
				has_str(buf_str(out), cases[i].html, "says so");
			if (k == 2)
				has_str(buf_str(out), cases[i].markdown, "says so");
		}
		trend_done(&t);
	}
}

static void test_plain(struct buf *out)
{
	struct year y = {.types = 2, .series = 20, .nights = 30, .odds = 10, .seed = 7};
	struct trend t;

	trend_begin(&t, &(struct trend_query){0}, 1200);
	year_add(&t, &y);
	t.growing.p[0].reference = t.growing.p[0].last;
	trend_finish(&t);
	render(&t, "html", out);
	check_marks(buf_str(out), "a page");
	is_int((long long)count(buf_str(out), "<figure"), 40, "each series is a figure");
	is_int((long long)count(buf_str(out), "<summary>Table"), 40, "with a table");
	is_int((long long)count(buf_str(out), "<tr><td>"), 1200, "of all its runs");
	is_int((long long)count(buf_str(out), "class=\"r\""), 1, "one has a published figure");
	is_int((long long)count(buf_str(out), "tabindex=\"0\" aria-label="), 40,
		"the keyboard reaches each chart, which has a name");
	is_int((long long)count(buf_str(out), "src=\"") + (long long)count(buf_str(out), "url("), 0,
		"nothing is fetched");
	render(&t, "svg", out);
	check_marks(buf_str(out), "a drawing");
	is_int((long long)count(buf_str(out), "role=\"img\""), 40, "of each series");
	trend_done(&t);
}

/* 20 types of 500 series are to stay below 5 MB: the same share of fewer. */
static void test_size(struct buf *out)
{
	struct year y = {.types = 1, .series = 500, .nights = 365, .odds = 100, .seed = 1};
	struct trend t;
	size_t whole = 20 * 500;

	trend_begin(&t, &(struct trend_query){0}, whole * y.nights);
	year_add(&t, &y);
	trend_finish(&t);
	render(&t, "html", out);
	check_marks(buf_str(out), "a year");
	is_int((long long)count(buf_str(out), "data-w=\""), (long long)t.n_thinned,
		"a row for each steady series");
	is_int((long long)count(buf_str(out), "data-axis=\""), (long long)(t.n_lines - t.n_thinned),
		"a chart with all points for each other one");
	size_t bytes = out->len;
	render(&(struct trend){0}, "html", out);
	ok((bytes - out->len) * (whole / t.n_lines) + out->len < 5000000,
		"a year of %zu series takes %zu bytes: of %zu less than 5 MB", t.n_lines, bytes,
		whole);
	ok(t.arena.used_bytes < t.n_lines * 8192, "and %zu bytes of memory", t.arena.used_bytes);
	trend_done(&t);
}

static void test_spark(void)
{
	AUTOBUF out = BUF_INIT(4096);
	double values[] = {1, 1, 2, 8, 8, 8};
	struct trend_run runs[6];
	struct trend_axis axis = {6, runs};
	struct trend_line l = {.axis = &axis, .values = values, .first_ms = 0, .last_ms = 5};

	for (size_t i = 0; i < 6; i++)
		runs[i] = (struct trend_run){(int64_t)i, (int64_t)i, NULL};
	put_spark(&l, 60, true, &out);
	is_str(buf_str(&out), "__.###", "six values in six characters");
	buf_reset(&out);
	put_spark(&l, 3, false, &out);
	is_str(buf_str(&out), "▁▅█", "or in three");
	buf_reset(&out);
	for (size_t i = 0; i < 6; i++)
		values[i] = 100 + 0.1 * (double)i;
	put_spark(&l, 6, true, &out);
	is_str(buf_str(&out), ":::===", "noise is nearly flat");
}

int main(void)
{
	AUTOBUF out = BUF_INIT(OUT_BYTES);

	test_hostile(&out, true);
	test_hostile(&out, false);
	test_odd(&out);
	test_plain(&out);
	test_size(&out);
	test_spark();
	return tap_done();
}
