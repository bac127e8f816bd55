/* SPDX-License-Identifier: MIT */
#ifndef REPORTS_PARSE_SHOWN_H
#define REPORTS_PARSE_SHOWN_H

/*
 * A program's output as its lines were before the console: escapes taken out, kernel messages cut
 * out, and what one of them tore apart put together again.
 */

#include "base/arena.h"
#include "base/str.h"
#include "base/vec.h"

#include <stdbool.h>

struct shown_line {
	struct str text;
	size_t at;  /* offset in the text that it was read from */
	bool torn;  /* a kernel message stood inside */
	bool ended; /* a line break followed; without one its rest may be missing */
	bool stray; /* not the kernel's, though it is the kernel that prints the format */
};

struct shown {
	struct arena arena;
	VEC(struct shown_line) lines; /* empty ones are left out */
	bool more;                    /* there were more than SHOWN_LINES */
};
#define SHOWN_LINES ((size_t)1 << 20)

/* Whether a line (escapes and kernel head taken off) is one that the format writes. */
typedef bool shown_ours_fn(struct str line);

/*
 * Of the bytes of text. ours tells whether it was the kernel itself that printed the format
 * (KUnit): then the lines are those that follow a printk head, else those that do not. NULL: the
 * kernel did not. shown_done() frees.
 */
void shown_read(struct shown *s, struct str text, shown_ours_fn *ours);
void shown_done(struct shown *s);

/* Without control bytes, what is not UTF-8 as \xNN, and at most SHOWN_NAME_BYTES long, in s. */
#define SHOWN_NAME_BYTES 512
const char *shown_name(struct shown *s, struct str text);

#endif
