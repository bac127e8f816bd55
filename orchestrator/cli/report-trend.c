/* SPDX-License-Identifier: MIT */
/*
 * `hilab report trend`: many series over a time, as a page, a drawing, tables or data. Invariant:
 * the store is only read, and a report without a figure is a report that says so.
 */
#include "cli/report-trend.h"

#include "base/clock.h"
#include "base/fs.h"
#include "cli/import.h"
#include "cli/report.h"
#include "reports/trend/render.h"

#include <stdlib.h>
#include <unistd.h>

static const struct cli_opt opts[] = {
	{"format", 'f', CLI_TEXT, offsetof(struct report_trend_args, format), "NAME",
		"html, svg, markdown, csv, json or text (html)"},
	{"output", 'o', CLI_TEXT, offsetof(struct report_trend_args, output), "FILE",
		"write there, and not to standard output"},
	{"metric", 0, CLI_TEXT, offsetof(struct report_trend_args, metric), "METRIC",
		"of that metric (* and ?)"},
	REPORT_TREND_OPTS(struct report_trend_args),
	{"full", 0, CLI_FLAG, offsetof(struct report_trend_args, full), NULL,
		"all points of every series: best with --board"},
	{"title", 0, CLI_TEXT, offsetof(struct report_trend_args, title), "TEXT",
		"what stands above it"},
	{"link-base", 0, CLI_TEXT, offsetof(struct report_trend_args, link_base), "URL",
		"the controller's API (https://lab:8420/api/v1): runs become links"},
	{0},
};

/* "2026-01-31", or a duration before now. */
static int time_of(const char *option, const char *text, int64_t *wall_ms, struct err *e)
{
	int64_t ago_ms;

	if (!text)
		return 0;
	if (!import_date(text, wall_ms))
		return 0;
	if (str_duration_ms(str_of(text), &ago_ms))
		return err_set(e, BLAME_CONFIG,
			"%s '%s' is neither a date such as 2026-01-31 nor a time such as 90d",
			option, text);
	*wall_ms = clock_wall_ms() - ago_ms;
	return 0;
}

/* What a browser does nothing with but go there. */
static bool is_web(const char *url)
{
	return str_starts(str_of(url), "https://") || str_starts(str_of(url), "http://");
}

static bool is_utf8(void)
{
	static const char *const names[] = {"LC_ALL", "LC_CTYPE", "LANG"};

	for (size_t i = 0; i < ARRAY_LEN(names); i++) {
		const char *value = getenv(names[i]);

		if (value && *value)
			return strcasestr(value, "utf-8") || strcasestr(value, "utf8");
	}
	return false;
}

static int query_of(const struct report_trend_args *a, struct trend_query *q, struct err *e)
{
	struct store_series_filter *f = &q->filter;

	if (a->twin && a->silicon)
		return err_set(e, BLAME_CONFIG, "neither --twin nor --silicon is both");
	if (a->link_base && !is_web(a->link_base))
		return err_set(e, BLAME_CONFIG,
			"--link-base '%s' is no https:// or http:// address", a->link_base);
	*f = (struct store_series_filter){.type = a->type,
		.board = a->board,
		.line = a->build,
		.job = a->job,
		.suite = a->suite,
		.metric = a->metric,
		.twin = a->twin      ? 1
			: a->silicon ? -1
				     : 0};
	q->full = a->full;
	if (time_of("--since", a->since, &f->since_ms, e) ||
		time_of("--until", a->until, &f->until_ms, e))
		return -1;
	if (f->since_ms && f->until_ms && f->since_ms >= f->until_ms)
		return err_set(e, BLAME_CONFIG, "--since is not before --until");
	return 0;
}

static int load_references(struct reference_set *refs, struct metric_table *metrics, struct err *e)
{
	AUTOBUF text = BUF_INIT(1 << 16);
	struct diag diag = {0};
	int failed = report_load_metrics(metrics, e);

	if (!failed && reference_set_load(refs, NULL, metrics, &diag)) {
		diag_print(&diag, &text);
		failed = err_set(e, BLAME_CONFIG, "published figures: %s", buf_str(&text));
	}
	diag_done(&diag);
	return failed;
}

static int write_trend(const struct report_trend_args *a, const struct trend_format *f,
	const struct trend_query *q, struct buf *out, size_t *series, struct err *e)
{
	struct trend_opts o = {a->title, a->link_base, clock_wall_ms(), report_width(STDOUT_FILENO),
		a->ascii || !is_utf8(), !a->output && cli_tty(STDOUT_FILENO)};
	struct store *s = store_open(a->store, true, e);
	struct trend t = {0};
	int failed;

	if (!s)
		return -1;
	failed = trend_gather(&t, s, q, e);
	store_close(s);
	if (!failed && series)
		*series = t.n_lines;
	if (!failed)
		failed = f->write(&t, &o, out, e);
	trend_done(&t);
	return failed;
}

int report_trend(const struct report_trend_args *a, struct buf *out, size_t *series, struct err *e)
{
	const struct trend_format *f = (const struct trend_format *)driver_get(
		trend_formats(), "trend format", a->format, e);
	struct metric_table metrics = {0};
	struct reference_set refs = {0};
	struct trend_query q = {.refs = &refs};
	int failed;

	if (!f || query_of(a, &q, e))
		return -1;
	failed = load_references(&refs, &metrics, e);
	if (!failed)
		failed = write_trend(a, f, &q, out, series, e);
	reference_set_done(&refs);
	metric_table_done(&metrics);
	return failed;
}

static int run(int argc, char **argv)
{
	struct report_trend_args a = {0};
	AUTOBUF out = BUF_INIT(REPORT_OUT_BYTES);
	struct err e = {0};
	char **operands;
	int status;

	if (cli_parse(&report_trend_command, argc, argv, &a, &operands, &status) < 0)
		return status;
	if (!a.format)
		a.format = "html";
	if (report_trend(&a, &out, NULL, &e))
		return cli_fail(blame_exit(e.blame), "report trend: %s", e.msg);
	if (!a.output)
		return cli_out(&out) ? EXIT_INCOMPLETE : EXIT_PASS;
	if (fs_write(a.output, buf_str(&out), out.len, 0644, &e))
		return cli_fail(EXIT_INCOMPLETE, "%s", e.msg);
	return EXIT_PASS;
}

const struct cli_command report_trend_command = {
	.name = "report trend",
	.brief = "what many series did over a time, with their changes",
	.usage = "",
	.details = "A page of its own that needs no network: first what moved, with which build "
		   "and how\n"
		   "sure that is, worse beside better; then a chart for each series, by board type "
		   "and\n"
		   "area. Published figures stand beside those of silicon.\n\n"
		   "While there are few points all are kept; else those of series that moved, and "
		   "the\n"
		   "smallest, median and largest run of each week of the others. Few releases, "
		   "some days\n"
		   "apart, are judged as releases.",
	.example = "hilab report trend --since 90d -o trend.html\n"
		   "hilab report trend --type am62axx-sk --metric 'fio.*' --format markdown",
	.opts = opts,
	.run = run,
};
