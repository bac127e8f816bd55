/* SPDX-License-Identifier: MIT */
/* `hilab import`: job folders that are in no store, into the store. */
#include "cli/commands.h"
#include "store/store.h"

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
	struct err e = {0};
	struct store *s;
	char **operands;
	int status, n = cli_parse(&import_command, argc, argv, &a, &operands, &status);

	if (n < 0)
		return status;
	s = store_open(a.store, false, &e);
	if (!s)
		return cli_fail(EXIT_INCOMPLETE, "import: %s", e.msg);
	for (int i = 0; i < n; i++) {
		int64_t id;

		if (store_import(s, operands[i], &id, &e))
			status = cli_fail(EXIT_INCOMPLETE, "import: %s", e.msg);
		else
			printf("%s: run %lld\n", operands[i], (long long)id);
		err_clear(&e);
	}
	store_close(s);
	return status;
}

const struct cli_command import_command = {
	.name = "import",
	.brief = "put job folders into the store",
	.usage = "DIR...",
	.details = "A run whose results could not be stored keeps them in its folder; this stores "
		   "them.",
	.example = "  hilab import ~/.local/state/hilab/runs/20261130-121500-smoke-4711",
	.opts = opts,
	.min_operands = 1,
	.max_operands = -1,
	.run = run,
};
