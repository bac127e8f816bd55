/* SPDX-License-Identifier: MIT */
/* The one table of commands, in the order in which help lists them. */
#include "cli/commands.h"

const struct cli_command *const cli_commands[] = {
	&boards_command,
	&check_command,
	&report_command,
	&log_command,
	&import_command,
	&player_command,
	&version_command,
	&worker_command,
	NULL,
};
