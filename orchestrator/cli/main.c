/* SPDX-License-Identifier: MIT */
/* The one binary: finds the command by its name in one table and runs it. */
#include "cli/cli.h"

#include <stdio.h>

int main(int argc, char **argv)
{
	return cli_main(argc, argv);
}
