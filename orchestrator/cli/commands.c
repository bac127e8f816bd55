/* SPDX-License-Identifier: MIT */
/* The one table of commands, in the order in which help lists them. */
#include "cli/commands.h"

const struct cli_command *const cli_commands[] = {
	&run_command,
	&check_command,
	&report_command,
	&log_command,
	&boards_command,
	&builds_command,
	&bench_command,
	&import_command,
	&submit_command,
	&jobs_command,
	&show_command,
	&cancel_command,
	&retry_command,
	&reserve_command,
	&console_cli_command,
	&power_cli_command,
	&release_command,
	&agents_command,
	&token_command,
	&server_command,
	&agent_command,
	&worker_command,
	&player_command,
	&twin_command,
	&completion_command,
	&help_command,
	&version_command,
	NULL,
};
