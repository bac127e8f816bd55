/* SPDX-License-Identifier: MIT */
/*
 * `hilab report run`: stored runs, or some of them in one or several formats. Invariant: the store
 * is only read, but for what a `hilab run` that was killed left in its folder; what is printed is
 * whole or an error is told.
 */
#include "cli/report.h"

#include "base/fs.h"
#include "cli/judge.h"
#include "cli/policy.h"
#include "reports/format/format.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define FORMATS_MAX 16 /* at once */

/*
 * A run whose `hilab run` was killed: its worker went on by itself, and the folder has a status
 * that nobody stored. Beside a living one this does nothing twice. Where it cannot be stored the
 * run is shown as it is.
 */
static int settle(void *reader, const struct store_run *run)
{
	AUTOFREE char *status = run->dir ? fs_join(run->dir, "status") : NULL;
	struct store *s;

	if (run->verdict || run->job_id || !status || !fs_exists(status))
		return 0;
	s = store_open(store_path(reader), false, NULL);
	if (s)
		store_ingest(s, run->id, run->dir, NULL);
	store_close(s);
	return 0;
}

struct args {
	const char *format, *store, *output, *fail_on, *origin, *baseline;
	bool json, tap, exit_code;
	int64_t limit;
};

const struct cli_opt report_run_opts[] = {
	{"format", 'f', CLI_TEXT, offsetof(struct args, format), "NAME,...",
		"text, tap, json, junit, markdown (md), html, csv, kcidb, squad (text)"},
	{"json", 0, CLI_FLAG, offsetof(struct args, json), NULL, "the same as --format json"},
	{"tap", 0, CLI_FLAG, offsetof(struct args, tap), NULL, "the same as --format tap"},
	{"output", 'o', CLI_TEXT, offsetof(struct args, output), "FILE|DIR",
		"write there, and not to standard output; a folder takes a file a format and run"},
	{"baseline", 'b', CLI_TEXT, offsetof(struct args, baseline), "NAME",
		"judge each run against " JUDGE_BASELINES},
	{"fail-on", 0, CLI_TEXT, offsetof(struct args, fail_on), "WHAT,...",
		"exit status by failure, infra, any or never (never); with --baseline also by "
		"regression and missing"},
	{"exit-code", 0, CLI_FLAG, offsetof(struct args, exit_code), NULL,
		"exit as the run's verdict says, not 0; 4 when it passed and --baseline told "
		"regressions"},
	{"origin", 0, CLI_TEXT, offsetof(struct args, origin), "NAME",
		"whose reports they are, as KCIDB knows it (hilab)"},
	{"limit", 'n', CLI_COUNT, offsetof(struct args, limit), "N",
		"list only the newest N runs (20; 0: all)"},
	{"store", 0, CLI_TEXT, offsetof(struct args, store), "FILE",
		"the store (HILAB_STORE, or the state folder's hilab.db)"},
	{0},
};

struct reporting {
	const struct args *a;
	const struct report_format *formats[FORMATS_MAX];
	size_t n_formats;
	bool to_folder, several; /* several: runs */
	struct metric_table metrics;
	struct buf *out; /* what goes to a.output or standard output as one */
	unsigned found;  /* POLICY_ bits */
	int verdict;     /* exit status of the gravest run's verdict */
};

static int list(const struct args *a, struct buf *out, struct err *e)
{
	struct report_opts ropts = {report_width(STDOUT_FILENO), cli_tty(STDOUT_FILENO), NULL};
	struct store *s = store_open(a->store, true, e);
	struct report_list l = {0};
	int failed = -1;

	if (!s)
		return -1;
	if (strcmp(a->format, "text") && strcmp(a->format, "json"))
		err_set(e, BLAME_CONFIG, "a list of runs is text or json, not '%s'", a->format);
	else if (!store_runs(s, a->limit, settle, s, e) && !report_list_gather(&l, s, a->limit, e))
		failed = strcmp(a->format, "json") ? report_list_text(&l, &ropts, out, e)
						   : report_list_json(&l, out, e);
	report_list_done(&l);
	store_close(s);
	return failed;
}

/* ---- formats ---- */

static int add_format(struct reporting *r, const char *name, struct err *e)
{
	static const struct {
		const char *name, *full;
	} others[] = {{"md", "markdown"}, {"txt", "text"}};
	const struct driver *d;

	for (size_t i = 0; i < ARRAY_LEN(others); i++)
		if (!strcmp(name, others[i].name))
			name = others[i].full;
	if (!strcmp(name, "squad"))
		return add_format(r, "squad-metadata", e) || add_format(r, "squad-metrics", e) ||
		       add_format(r, "squad-tests", e);
	d = driver_get(report_formats(), "report format", name, e);
	if (!d)
		return -1;
	if (r->n_formats == FORMATS_MAX)
		return err_set(e, BLAME_CONFIG, "more than %d formats", FORMATS_MAX);
	r->formats[r->n_formats++] = (const struct report_format *)d;
	return 0;
}

static int find_formats(struct reporting *r, const char *names, struct err *e)
{
	AUTOFREE char *copy = mem_strdup(names);
	char *rest = copy, *name;

	while ((name = strsep(&rest, ",")))
		if (add_format(r, name, e))
			return -1;
	return 0;
}

/* Several files need a folder; a name that is one, or ends like one, is. */
static int choose_place(struct reporting *r, struct err *e)
{
	const char *to = r->a->output;
	size_t n = to ? strlen(to) : 0;
	bool many = r->n_formats > 1 ||
		    (r->several && r->formats[0] && strcmp(r->formats[0]->d.name, "text") != 0);

	r->to_folder = to && (many || fs_is_dir(to) || (n && to[n - 1] == '/'));
	if (many && !to)
		return err_set(
			e, BLAME_CONFIG, "several formats or runs need a folder to go to: -o DIR");
	return r->to_folder ? fs_mkdirs(to, 0755, e) : 0;
}

static int check_origin(const char *origin, struct err *e)
{
	for (const char *p = origin; p && *p; p++)
		if (!islower((unsigned char)*p) && !isdigit((unsigned char)*p) && *p != '_')
			return err_set(e, BLAME_CONFIG,
				"an origin is small letters, digits and '_', not '%s'", origin);
	return 0;
}

/* ---- runs ---- */

/* report.xml, or of several runs report-12.xml; SQUAD's have names of their own. */
static char *file_name(const struct reporting *r, const struct report_format *f, int64_t run)
{
	bool own = !strncmp(f->d.name, "squad-", strlen("squad-"));
	const char *base = own ? f->d.name + strlen("squad-") : "report";
	const char *ext = own ? "json" : f->ext;
	AUTOFREE char *name = r->several ? mem_printf("%s-%lld.%s", base, (long long)run, ext)
					 : mem_printf("%s.%s", base, ext);

	return fs_join(r->a->output, name);
}

static int write_formats(struct reporting *r, const struct report *report, struct err *e)
{
	struct report_opts o = {r->a->output ? 0 : report_width(STDOUT_FILENO),
		!r->a->output && cli_tty(STDOUT_FILENO), r->a->origin};

	for (size_t i = 0; i < r->n_formats; i++) {
		const struct report_format *f = r->formats[i];
		AUTOFREE char *path = r->to_folder ? file_name(r, f, report->run.id) : NULL;
		AUTOBUF text = BUF_INIT(REPORT_OUT_BYTES);

		if (f->write(report, &o, path ? &text : r->out, e))
			return -1;
		if (path && fs_write(path, buf_str(&text), text.len, 0644, e))
			return -1;
	}
	return 0;
}

static unsigned found_in(const struct store_run *run)
{
	int v = run->verdict ? verdict_parse(run->verdict) : -1;

	return v == VERDICT_PASS ? 0 : v == VERDICT_FAIL ? POLICY_FAILURE : POLICY_INFRA;
}

/* What is told stands in j, which outlives the report. */
static int judge_it(struct reporting *r, struct judging_for *j, struct report *report,
	struct store *s, struct err *e)
{
	const struct judge_run *judged;

	if (!r->a->baseline)
		return 0;
	if (judging_begin(j, s, r->a->baseline, false, e) ||
		judge_run(&j->judge, report->run.id, e) < 0)
		return -1;
	judge_settle(&j->judge);
	judged = report->judged =
		j->judge.runs.n ? j->judge.runs.p[0] : NULL; /* NULL: it goes on */
	if (judged && judged->counts[JUDGE_REGRESSION])
		r->found |= POLICY_REGRESSION;
	if (judged && (judged->counts[JUDGE_MISSING] || judged->test_counts[JUDGE_LOST]))
		r->found |= POLICY_MISSING;
	return 0;
}

static int one(struct reporting *r, const char *operand, struct err *e)
{
	struct judging_for j = {0};
	struct store *s = NULL;
	struct report report;
	int64_t run;
	int found, verdict;

	if (report_open(&s, r->a->store, operand, &run, e))
		return -1;
	found = store_run_get(s, run, settle, s, e);
	if (found >= 0)
		found = report_gather(&report, s, run, &r->metrics, e);
	if (!found)
		err_set(e, BLAME_CONFIG, "store '%s' holds no run %lld", store_path(s),
			(long long)run);
	if (found > 0 && judge_it(r, &j, &report, s, e)) {
		report_done(&report);
		judging_end(&j);
		found = -1;
	}
	store_close(s);
	if (found <= 0)
		return -1;
	r->found |= found_in(&report.run);
	verdict = verdict_exit_of(report.run.verdict, report.run.blame);
	if (verdict == EXIT_PASS && judge_regressions(&j.judge))
		verdict = EXIT_REGRESSION;
	if (!r->verdict || verdict == EXIT_FAIL)
		r->verdict = verdict;
	found = write_formats(r, &report, e);
	report_done(&report);
	judging_end(&j);
	return found;
}

static int all(struct reporting *r, char *const *operands, int n, struct err *e)
{
	r->several = n > 1;
	if (check_origin(r->a->origin, e) || find_formats(r, r->a->format, e) ||
		choose_place(r, e) || report_load_metrics(&r->metrics, e))
		return -1;
	for (int i = 0; i < n; i++)
		if (one(r, operands[i], e))
			return -1;
	return 0;
}

int report_run(const struct cli_command *c, int argc, char **argv)
{
	struct args a = {.limit = 20};
	AUTOBUF out = BUF_INIT(REPORT_OUT_BYTES);
	struct reporting r = {.a = &a, .out = &out};
	int n, status, failed;
	struct err e = {0};
	char **operands;
	unsigned policy;

	n = cli_parse(c, argc, argv, &a, &operands, &status);
	if (n < 0)
		return status;
	if (!a.format)
		a.format = a.json ? "json" : a.tap ? "tap" : "text";
	if (policy_parse(c->name, a.fail_on, &policy))
		return EXIT_USAGE;
	if (!a.baseline && policy != POLICY_ANY && (policy & (POLICY_REGRESSION | POLICY_MISSING)))
		return cli_fail(EXIT_USAGE,
			"%s: a run alone shows neither a regression nor what is missing: "
			"give --baseline (or see 'hilab compare -h')",
			c->name);
	failed = n ? all(&r, operands, n, &e) : list(&a, &out, &e);
	metric_table_done(&r.metrics);
	if (failed)
		return cli_fail(blame_exit(e.blame), "%s", e.msg);
	status = r.to_folder ? EXIT_PASS : report_out(&out, a.output);
	if (status)
		return status;
	return a.exit_code ? r.verdict : policy_exit(policy, r.found);
}

static int run(int argc, char **argv)
{
	return report_run(&report_run_command, argc, argv);
}

const struct cli_command report_run_command = {
	.name = "report run",
	.brief = "print runs, or list them",
	.usage = "[RUN|latest|DIR...]",
	.details = REPORT_RUN_DETAILS,
	.example = "  hilab report run latest\n"
		   "  hilab report run 12 13 --format junit,tap,md,html,json -o out/ --fail-on "
		   "failure,infra",
	.opts = report_run_opts,
	.max_operands = -1,
	.run = run,
};
