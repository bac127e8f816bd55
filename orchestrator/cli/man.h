/* SPDX-License-Identifier: MIT */
#ifndef CLI_MAN_H
#define CLI_MAN_H

/* Manual pages in mdoc(7), written from the rows that parse the command line: they cannot drift. */

#include "cli/cli.h"

void man_program(struct buf *out);                              /* hilab(1) */
void man_command(const struct cli_command *c, struct buf *out); /* hilab-NAME(1) */

#endif
