/* SPDX-License-Identifier: MIT */
#ifndef REPORTS_PARSE_CONSOLE_TEXT_H
#define REPORTS_PARSE_CONSOLE_TEXT_H

/*
 * A raw console log as lines of text, each byte with its offset in the log. ANSI sequences
 * (ECMA-48) are taken out, a backspace takes the character before it; "\r\n", "\r\r\n" and "\n\r"
 * are one line break, and so is a lone "\r", so that nothing that was shown is lost. All other
 * bytes stay as they are.
 */

#include "base/buf.h"
#include "base/str.h"
#include "base/vec.h"

#define CONSOLE_LINE_BYTES ((size_t)64 << 10) /* a longer line comes in pieces */

struct console_line {
	struct str text;
	const uint64_t *offsets; /* of each byte of text; borrowed for the call */
	uint64_t offset;         /* of the first byte of the line, also of an empty one */
	bool whole;              /* a line break followed */
};
typedef void console_line_fn(void *arg, const struct console_line *line);

struct console_text {
	console_line_fn *fn;
	void *arg;
	uint64_t offset; /* of the next byte that is fed */
	uint64_t start;  /* of the line */
	int state;
	int broke; /* how far the last line break has come */
	struct buf line;
	VEC(uint64_t) offsets;
};

/* offset: of the first byte that will be fed. */
void console_text_init(struct console_text *t, uint64_t offset, console_line_fn *fn, void *arg);
void console_text_feed(struct console_text *t, struct str raw);
/* Hands out the last line if it has any text; frees. */
void console_text_end(struct console_text *t);

/*
 * A line as a terminal may safely show it, onto out: control bytes, also C1, and what is not UTF-8
 * as \xNN; tabs stay.
 */
void console_text_show(struct str line, struct buf *out);

#endif
