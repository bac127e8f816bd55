/* SPDX-License-Identifier: MIT */
#ifndef AGENTS_BENCH_ECHO_H
#define AGENTS_BENCH_ECHO_H

/* Inside console_type: is what came back the echo of what was typed? */

#include "base/str.h"

#define ECHO_TEXT_BYTES 4096 /* longest line that is typed */

enum echo { ECHO_NOT_YET, ECHO_SAME, ECHO_WRONG };

/*
 * got: stripped text since the first byte was sent. Kernel lines in it are passed over, wherever
 * they stand, and so is what line editors do where the terminal wraps: a line break, "\r", " \r",
 * " \b", "c\b" before c, "\r" with the last character again.
 * ECHO_NOT_YET: a proper beginning. want of ECHO_TEXT_BYTES at most.
 */
enum echo echo_compare(struct str want, struct str got);

#endif
