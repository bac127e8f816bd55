/* SPDX-License-Identifier: MIT */
#ifndef AGENTS_WORKER_SHELL_INNER_H
#define AGENTS_WORKER_SHELL_INNER_H

/* Inside the board's shell: what opening it and running commands on it stand on. */

#include "shell.h"

/* Types a line and Enter once the prompt behind the line before is there. */
int shell_type(struct shell *s, const char *line, struct err *e);
/* Types text onto the file NAME of the helper's folder. then: a command typed behind it, on the
 * last line where there is room; *begun is set right before it is typed. */
int shell_put(struct shell *s, const char *text, const char *name, const char *then, bool *begun,
	struct err *e);
/* Until *flag, limit_ms, or the bench says no. When the frame that would set it seems lost, it is
 * asked for. 1 set, 0 limit, -1. */
int shell_wait_flag(struct shell *s, const bool *flag, int64_t limit_ms, struct err *e);
/* Forgets the output of the command before. */
void shell_drop_pieces(struct shell *s);

#endif
