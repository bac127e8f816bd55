/* SPDX-License-Identifier: MIT */
/*
 * `hilab report run`: stored runs, or one of them in a format. Invariant: the store is only read,
 * but for what a `hilab run` that was killed left in its folder; what is printed is whole or an
 * error is told.
 */
#include "cli/report.h"

#include "base/fs.h"
#include "reports/format/format.h"

#include <unistd.h>

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
	const char *format, *store, *output;
	bool json, tap, exit_code;
	int64_t limit;
};

const struct cli_opt report_run_opts[] = {
	{"format", 'f', CLI_TEXT, offsetof(struct args, format), "NAME",
		"text, tap, json, junit, markdown or csv (text)"},
	{"json", 0, CLI_FLAG, offsetof(struct args, json), NULL, "the same as --format json"},
	{"tap", 0, CLI_FLAG, offsetof(struct args, tap), NULL, "the same as --format tap"},
	{"output", 'o', CLI_TEXT, offsetof(struct args, output), "FILE",
		"write there, and not to standard output"},
	{"limit", 'n', CLI_COUNT, offsetof(struct args, limit), "N",
		"list only the newest N runs (20; 0: all)"},
	{"exit-code", 0, CLI_FLAG, offsetof(struct args, exit_code), NULL,
		"exit as the run's verdict says, not 0"},
	{"store", 0, CLI_TEXT, offsetof(struct args, store), "FILE",
		"the store (HILAB_STORE, or the state folder's hilab.db)"},
	{0},
};

static int list(const struct args *a, struct buf *out, struct err *e)
{
	struct report_opts ropts = {report_width(STDOUT_FILENO), cli_tty(STDOUT_FILENO)};
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

static int one(
	const struct args *a, const char *operand, struct buf *out, int *verdict, struct err *e)
{
	struct store *s = NULL;
	int64_t run;
	int failed;

	if (report_open(&s, a->store, operand, &run, e))
		return -1;
	failed = store_run_get(s, run, settle, s, e);
	if (failed >= 0)
		failed = report_show(s, run, a->format, NULL, out, verdict, e);
	store_close(s);
	return failed;
}

int report_run(const struct cli_command *c, int argc, char **argv)
{
	struct args a = {.limit = 20};
	AUTOBUF out = BUF_INIT(REPORT_OUT_BYTES);
	int n, status, verdict = EXIT_PASS;
	struct err e = {0};
	char **operands;

	n = cli_parse(c, argc, argv, &a, &operands, &status);
	if (n < 0)
		return status;
	if (!a.format)
		a.format = a.json ? "json" : a.tap ? "tap" : "text";
	if (n ? one(&a, operands[0], &out, &verdict, &e) : list(&a, &out, &e))
		return cli_fail(blame_exit(e.blame), "%s", e.msg);
	status = report_out(&out, a.output);
	return status || !a.exit_code ? status : verdict;
}

static int run(int argc, char **argv)
{
	return report_run(&report_run_command, argc, argv);
}

const struct cli_command report_run_command = {
	.name = "report run",
	.brief = "print a run, or list the runs",
	.usage = "[RUN|latest|DIR]",
	.details =
		"With no operand: the newest runs, one line each. With one: everything that run\n"
		"reported, every result and every figure. DIR is a job folder that is in no store.",
	.example = "  hilab report run latest\n  hilab report run 12 --tap",
	.opts = report_run_opts,
	.max_operands = 1,
	.run = run,
};
