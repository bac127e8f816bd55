/* SPDX-License-Identifier: MIT */
/* The one binary: finds the command by its name in one table and runs it. */
#include "cli/cli.h"

#include <signal.h>

int main(int argc, char **argv)
{
	/* A reader that went away and a file that may not grow are errors of a write, told where it
	 * stands: a run must not die of them with its board on. Children get the defaults back. */
	signal(SIGPIPE, SIG_IGN);
	signal(SIGXFSZ, SIG_IGN);
	return cli_main(argc, argv);
}
