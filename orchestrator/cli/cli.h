/* SPDX-License-Identifier: MIT */
#ifndef CLI_CLI_H
#define CLI_CLI_H

/* The command line: one table of commands, one file a command. */

int cli_main(int argc, char **argv);

#endif
