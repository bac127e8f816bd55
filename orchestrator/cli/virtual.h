/* SPDX-License-Identifier: MIT */
#ifndef CLI_VIRTUAL_H
#define CLI_VIRTUAL_H

/* What `hilab player` and `hilab twin` have in common: their daemon, and lines to a running one. */

#include "cli/cli.h"
#include "labs/virtual/relay.h"
#include "labs/virtual/vlab.h"

/* cli_parse of what stands before `--`; what stands behind it becomes the command that how runs. */
int virtual_parse(const struct cli_command *c, int argc, char **argv, void *out, char ***operands,
	struct vlab_run *how, int *status);
/* Sends a line to the daemon of a folder and prints its answer. The exit status. */
int virtual_call(const char *dir, const char *line);
/* The same for the operands `ctl DIR LINE...` of a command. */
int virtual_ctl(const struct cli_command *c, int n, char **operands);
/* --relay: NULL is the preset. -1 after telling that there is no such model. */
int virtual_model(const struct cli_command *c, const char *name, enum relay_model *out);
/* Tells why there were no boards, or why they ended; releases diag. Nothing is wrong: status. */
int virtual_end(const struct cli_command *c, struct diag *diag, const struct err *e, int status);

#endif
