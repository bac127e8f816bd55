/* SPDX-License-Identifier: MIT */
/* Finds the command by its name and runs it. */
#include "cli/cli.h"

#include <stdio.h>

int cli_main(int argc, char **argv)
{
	(void)argc;
	(void)argv;
	printf("hilab " HILAB_VERSION "\n");
	return 0;
}
