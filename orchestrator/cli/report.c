/* SPDX-License-Identifier: MIT */
/*
 * `hilab report`: one verb a file, each a command of its own. Invariant: a word that is no verb is
 * what `report run` takes, so that `hilab report latest` needs no verb.
 */
#include "cli/report.h"

#include "cli/commands.h"

#include <string.h>

const struct cli_command *const report_verbs[] = {
	&report_guide_command,
	&report_run_command,
	&report_trend_command,
	NULL,
};

const struct cli_command *report_verb(const char *word)
{
	for (const struct cli_command *const *v = report_verbs; *v; v++)
		if (!strcmp((*v)->name + strlen("report "), word))
			return *v;
	return NULL;
}

static int run(int argc, char **argv)
{
	const struct cli_command *verb = argc > 1 ? report_verb(argv[1]) : NULL;

	return verb ? verb->run(argc - 1, argv + 1) : report_run(&report_command, argc, argv);
}

const struct cli_command report_command = {
	.name = "report",
	.brief = "print runs, guides of releases and trends, or list the runs",
	.usage = "[run] [RUN|latest|DIR...] | VERB ...",
	.details = REPORT_RUN_DETAILS
	"\n"
	"\n"
	"Verbs, each with its own -h:\n"
	"  guide      the performance guide of a release\n"
	"  run        runs, or a list of them: what it is without a verb\n"
	"  trend      figures over time",
	.example = "hilab report\nhilab report latest\nhilab report 12 --tap",
	.opts = report_run_opts,
	.max_operands = -1,
	.run = run,
};
