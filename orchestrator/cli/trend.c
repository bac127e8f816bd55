/* SPDX-License-Identifier: MIT */
/* `hilab trend`: series of one metric in the terminal. Invariant: a metric that no run measured is
 * an error, so that a word that was mistyped is not taken for silence. */
#include "cli/commands.h"
#include "cli/report-trend.h"
#include "cli/report.h"

static const struct cli_opt opts[] = {
	REPORT_TREND_OPTS(struct report_trend_args),
	{"ascii", 0, CLI_FLAG, offsetof(struct report_trend_args, ascii), NULL,
		"no block characters, as where the locale is not UTF-8"},
	{"json", 0, CLI_FLAG, offsetof(struct report_trend_args, json), NULL, "as JSON"},
	{0},
};

static int run(int argc, char **argv)
{
	struct report_trend_args a = {0};
	AUTOBUF out = BUF_INIT(REPORT_OUT_BYTES);
	struct err e = {0};
	char **operands;
	size_t series = 0;
	int status;

	if (cli_parse(&trend_command, argc, argv, &a, &operands, &status) < 0)
		return status;
	a.metric = operands[0];
	a.format = a.json ? "json" : "text";
	if (report_trend(&a, &out, &series, &e))
		return cli_fail(blame_exit(e.blame), "trend: %s", e.msg);
	if (!series)
		return cli_fail(EXIT_USAGE,
			"trend: no run that has ended measured '%s' there (see 'hilab trend "
			"\"*\"')",
			a.metric);
	return cli_out(&out) ? EXIT_INCOMPLETE : EXIT_PASS;
}

const struct cli_command trend_command = {
	.name = "trend",
	.brief = "what a metric did over time, in the terminal",
	.usage = "METRIC",
	.details = "One series a board, parameters and tool: a sparkline, the newest value and how "
		   "far "
		   "it\n"
		   "is from the oldest one, and below it each change of level: by how much, since "
		   "which\n"
		   "build and run, and how sure that is. METRIC may hold * and ?.",
	.example = "hilab trend fio.read.bw --type am62axx-sk --since 90d\nhilab trend 'lmbench.*'",
	.opts = opts,
	.min_operands = 1,
	.max_operands = 1,
	.run = run,
};
