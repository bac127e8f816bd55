/* SPDX-License-Identifier: MIT */
#ifndef CLI_COMMANDS_H
#define CLI_COMMANDS_H

/* Every command, each defined in the file of its name. */

#include "cli/cli.h"

extern const struct cli_command agent_command;
extern const struct cli_command agents_command;
extern const struct cli_command alerts_command;
extern const struct cli_command audit_command;
extern const struct cli_command backup_command;
extern const struct cli_command bench_command;
extern const struct cli_command boards_command;
extern const struct cli_command builds_command;
extern const struct cli_command cancel_command;
extern const struct cli_command check_command;
extern const struct cli_command compare_command;
extern const struct cli_command completion_command;
extern const struct cli_command console_cli_command;
extern const struct cli_command coverage_command;
extern const struct cli_command drivers_command;
extern const struct cli_command help_command;
extern const struct cli_command import_command;
extern const struct cli_command jobs_command;
extern const struct cli_command known_command;
extern const struct cli_command judge_command;
extern const struct cli_command log_command;
extern const struct cli_command nightly_command;
extern const struct cli_command parse_command;
extern const struct cli_command player_command;
extern const struct cli_command power_cli_command;
extern const struct cli_command changepoints_command;
extern const struct cli_command reference_command;
extern const struct cli_command release_command;
extern const struct cli_command reparse_command;
extern const struct cli_command report_command;
extern const struct cli_command reserve_command;
extern const struct cli_command retry_command;
extern const struct cli_command run_command;
extern const struct cli_command server_command;
extern const struct cli_command show_command;
extern const struct cli_command submit_command;
extern const struct cli_command token_command;
extern const struct cli_command trend_command;
extern const struct cli_command twin_command;
extern const struct cli_command types_command;
extern const struct cli_command version_command;
extern const struct cli_command worker_command;

#endif
