/* SPDX-License-Identifier: MIT */
#ifndef AGENTS_BENCH_PROGRAM_H
#define AGENTS_BENCH_PROGRAM_H

/*
 * Programs of the lab host that do what no driver of ours does (a PDU's own tool, ipmitool,
 * usbsdmux). No shell is involved; while one runs the consoles are read on.
 */

#include "agents/bench/bench.h"
#include "io/schema.h"

#define PROGRAM_OUTPUT_BYTES 4096 /* kept of what a program prints, for error texts */

/* Runs argv. Its exit status, or -1 (BLAME_INFRA: cannot be started, killed, not done in
 * timeout_ms; or what a wait says). The beginning of what it prints goes to out. */
int program_run(struct bench *b, const struct param_strings *argv, int64_t timeout_ms,
	struct buf *out, struct err *e);
/* For an exit status that means failure; -1. */
int program_failed(const char *program, int status, const struct buf *out, struct err *e);

#endif
