/* SPDX-License-Identifier: MIT */
#ifndef AGENTS_BOOT_TRANSFER_H
#define AGENTS_BOOT_TRANSFER_H

/* A file over a console by a program that speaks XMODEM or the like on its stdin and stdout, as
 * those of lrzsz do. */

#include "agents/bench/console.h"
#include "io/schema.h"

#define TRANSFER_SAID_BYTES  ((size_t)4096)     /* kept of what the program says */
#define TRANSFER_QUEUE_BYTES ((size_t)64 << 10) /* of the board, not taken by the program yet */

/* Until the program has ended, or timeout_ms. What the board says meanwhile goes to the program,
 * and into the console's log as ever. -1: BLAME_INFRA, or what a wait says. */
int transfer_run(struct console *c, const struct param_strings *words, const char *file,
	int64_t timeout_ms, struct err *e);

#endif
