/* SPDX-License-Identifier: MIT */
/* `hilab backup`: a copy of the living store, of one moment, while a controller or runs go on. */
#include "cli/commands.h"
#include "store/control.h"

#include <stdio.h>

struct args {
	const char *store;
};

static const struct cli_opt opts[] = {
	{"store", 0, CLI_TEXT, offsetof(struct args, store), "FILE",
		"the store (HILAB_STORE, or the state folder's hilab.db)"},
	{0},
};

static int run(int argc, char **argv)
{
	struct args a = {0};
	struct store *s;
	struct err e = {0};
	char **operands;
	int status;

	if (cli_parse(&backup_command, argc, argv, &a, &operands, &status) < 0)
		return status;
	s = store_open(a.store, true, &e);
	if (!s)
		return cli_fail(blame_exit(e.blame), "backup: %s", e.msg);
	status = EXIT_PASS;
	if (store_backup(s, operands[0], &e))
		status = cli_fail(blame_exit(e.blame), "backup: %s", e.msg);
	else
		printf("%s: a copy of '%s'\n", operands[0], store_path(s));
	store_close(s);
	return status;
}

const struct cli_command backup_command = {
	.name = "backup",
	.brief = "copy the store while it is in use",
	.usage = "FILE",
	.details =
		"The copy is of one moment; whoever writes goes on meanwhile. A file that is "
		"there\n"
		"is not overwritten. Logs and artifacts are files of their own, beside the store:\n"
		"copy the state folder for them.",
	.example = "  hilab backup /backup/hilab-$(date +%F).db",
	.opts = opts,
	.min_operands = 1,
	.max_operands = 1,
	.run = run,
};
