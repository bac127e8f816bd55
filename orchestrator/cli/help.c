/* SPDX-License-Identifier: MIT */
/* `hilab help`: the commands, one command's help, and both as manual pages. */
#include "cli/commands.h"
#include "cli/man.h"
#include "cli/report.h"

struct args {
	bool man;
};

static const struct cli_opt opts[] = {
	{"man", 0, CLI_FLAG, offsetof(struct args, man), NULL,
		"a manual page in mdoc(7): hilab(1), or that of the command"},
	{0},
};

void cli_list_commands(struct buf *out)
{
	buf_puts(out, "usage: hilab COMMAND [options] ...\n\n"
		      "hilab " HILAB_VERSION
		      ": runs boot, I/O and network jobs on lab boards and reports on them.\n\n"
		      "commands:\n");
	for (const struct cli_command *const *c = cli_commands; *c; c++)
		buf_printf(out, "  %-10s %s\n", (*c)->name, (*c)->brief);
	buf_puts(out, "\n'hilab COMMAND -h' shows a command's options and an example.\n"
		      "exit status: 0 pass, 1 fail, 2 usage or invalid input, 3 incomplete, 4 "
		      "regression,\n"
		      "             5 a build that cannot be used, 130 canceled\n");
}

static int run(int argc, char **argv)
{
	AUTOBUF out = BUF_INIT(BUF_CAP_BYTES);
	const struct cli_command *c = NULL;
	struct args a = {0};
	char **operands;
	int status, n = cli_parse(&help_command, argc, argv, &a, &operands, &status);

	if (n < 0)
		return status;
	if (n) {
		c = cli_get(operands[0]);
		if (!c)
			return EXIT_USAGE;
		if (n == 2 && c == &report_command)
			c = report_verb(operands[1]);
		else if (n == 2)
			c = NULL;
		if (!c)
			return cli_fail(EXIT_USAGE, "help: '%s' has no verb '%s' of its own",
				operands[0], operands[1]);
	}
	if (a.man && c)
		man_command(c, &out);
	else if (a.man)
		man_program(&out);
	else if (c)
		cli_help(c, &out);
	else
		cli_list_commands(&out);
	return cli_out(&out) ? EXIT_INCOMPLETE : EXIT_PASS;
}

const struct cli_command help_command = {
	.name = "help",
	.brief = "list the commands, or print one command's help or manual page",
	.usage = "[COMMAND [VERB]]",
	.example = "  hilab help run\n  hilab help --man run | man -l -",
	.opts = opts,
	.max_operands = 2,
	.run = run,
};
