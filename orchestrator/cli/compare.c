/* SPDX-License-Identifier: MIT */
/* `hilab compare`: two runs, boards, builds or releases side by side. Invariant: the store is only
 * read; the exit status is that of --fail-on. */
#include "reports/format/compare.h"
#include "cli/commands.h"
#include "cli/policy.h"
#include "cli/report.h"

#include <unistd.h>

struct args {
	const char *format, *type, *output, *store, *fail_on;
	bool all, twin, json;
};

static const struct cli_opt opts[] = {
	{"format", 'f', CLI_TEXT, offsetof(struct args, format), "NAME",
		"text, markdown, html, csv or json (text)"},
	{"json", 0, CLI_FLAG, offsetof(struct args, json), NULL, "the same as --format json"},
	{"all", 'a', CLI_FLAG, offsetof(struct args, all), NULL,
		"text and markdown: also what did not change"},
	{"type", 't', CLI_TEXT, offsetof(struct args, type), "TYPE",
		"of boards and releases: only runs on boards of that type"},
	{"twin", 0, CLI_FLAG, offsetof(struct args, twin), NULL,
		"of boards and releases: twins' runs; without it silicon's"},
	{"fail-on", 0, CLI_TEXT, offsetof(struct args, fail_on), "WHAT,...",
		"exit status by " POLICY_WORDS " (never)"},
	{"output", 'o', CLI_TEXT, offsetof(struct args, output), "FILE",
		"write there, and not to standard output"},
	{"store", 0, CLI_TEXT, offsetof(struct args, store), "FILE",
		"the store (HILAB_STORE, or the state folder's hilab.db)"},
	{0},
};

static unsigned found_in(const struct compare *c)
{
	return (c->test_counts[COMPARE_BROKEN] ? POLICY_FAILURE : 0) |
	       (c->metric_counts[COMPARE_WORSE] ? POLICY_REGRESSION : 0) |
	       (c->test_counts[COMPARE_GONE] || c->metric_counts[COMPARE_GONE] ? POLICY_MISSING
									       : 0);
}

static int make(
	const struct args *a, char *const *names, struct buf *out, unsigned *found, struct err *e)
{
	struct compare_ask ask = {{names[0], names[1]}, a->type, a->twin};
	struct report_opts o = {
		a->output ? 0 : report_width(STDOUT_FILENO), !a->output && cli_tty(STDOUT_FILENO)};
	struct store *s = store_open(a->store, true, e);
	struct metric_table metrics = {0};
	struct compare c = {0};
	int failed = -1;

	if (s && !report_load_metrics(&metrics, e) && !compare_make(&c, s, &ask, &metrics, e))
		failed = compare_write(&c, a->format, a->all, &o, out, e);
	*found = found_in(&c);
	compare_done(&c);
	metric_table_done(&metrics);
	store_close(s);
	return failed;
}

static int run(int argc, char **argv)
{
	struct args a = {.format = "text"};
	AUTOBUF out = BUF_INIT(REPORT_OUT_BYTES);
	unsigned policy, found = 0;
	struct err e = {0};
	char **operands;
	int status;

	if (cli_parse(&compare_command, argc, argv, &a, &operands, &status) < 0)
		return status;
	if (a.json)
		a.format = "json";
	if (policy_parse("compare", a.fail_on, &policy))
		return EXIT_USAGE;
	if (make(&a, operands, &out, &found, &e))
		return cli_fail(blame_exit(e.blame), "%s", e.msg);
	status = report_out(&out, a.output);
	return status ? status : policy_exit(policy, found);
}

const struct cli_command compare_command = {
	.name = "compare",
	.brief = "two runs, boards, builds or releases side by side",
	.usage = "A B",
	.details =
		"A and B are each a run (a number or 'latest'), a board, or a build's NAME, "
		"VERSION "
		"or\n"
		"NAME@VERSION: then all its newest complete runs. 'run:', 'board:' or 'release:' "
		"before it\n"
		"says which where it could be several. Changes are told first: what B broke, what "
		"is worse,\n"
		"what is gone, what is better. A figure is worse or better where the noise of the "
		"runs\n"
		"compared does not explain it (Welch's t, false discovery rate 5 %); of one run on "
		"each side\n"
		"the runs before tell the noise, or it is called different.",
	.example = "  hilab compare 41 42\n"
		   "  hilab compare sdk@11.00 sdk@11.01 --type am62axx-sk -f html -o change.html\n"
		   "  hilab compare am62a-1 am62a-2\n"
		   "  hilab compare 11.00 11.01 --fail-on failure,regression",
	.opts = opts,
	.min_operands = 2,
	.max_operands = 2,
	.run = run,
};
