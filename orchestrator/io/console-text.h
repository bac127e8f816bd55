/* SPDX-License-Identifier: MIT */
#ifndef IO_CONSOLE_TEXT_H
#define IO_CONSOLE_TEXT_H

/*
 * What console bytes mean, in one place for all who read them: which of them are escapes, what
 * begins a kernel's line, where lines end, how one is shown.
 */

#include "base/buf.h"
#include "base/str.h"
#include "base/vec.h"

/*
 * Escapes: those of ECMA-48 (CSI; OSC, DCS and the other strings; two-byte ones) and the charset
 * selections of ISO 2022. A damaged or endless one costs a bounded number of bytes and never goes
 * beyond a line end; the control byte that ends one early is none of it.
 */
enum console_state {
	CONSOLE_PLAIN,
	CONSOLE_ESC,
	CONSOLE_CHARSET,
	CONSOLE_CSI,
	CONSOLE_STRING,
	CONSOLE_STRING_ESC
};

struct console_escape { /* zeroed: between escapes */
	enum console_state state;
	unsigned bytes; /* of the escape so far */
};

/* True when c, which comes next, begins or belongs to an escape; false when it is text. */
bool console_escape_byte(struct console_escape *e, unsigned char c);
static inline bool console_escape(struct console_escape *e, unsigned char c)
{
	return (e->state != CONSOLE_PLAIN || c == 0x1b) && console_escape_byte(e, c);
}

/*
 * The head of a kernel line: "[   12.345678] ", "<6>[   12.345678] ", or the same with a caller
 * ("[   12.345678][  T123] "). Returns its length, 0 when s does not start with one, -1 when s ends
 * too early to tell. The shape is printk's own ("[%5lu.%06lu]"), so dates and tags of programs are
 * not taken for it.
 */
int console_kernel_head(struct str s);
/* Where the first such head stands in a whole line; -1: none. */
ptrdiff_t console_kernel_find(struct str line);

/*
 * A raw console log as lines of text, each byte with its offset in the log. Escapes are taken out,
 * a backspace takes the character before it; "\r\n", "\r\r\n" and "\n\r" are one line break, and
 * so is a lone "\r", so that nothing that was shown is lost. All other bytes stay as they are.
 */
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
	struct console_escape escape;
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
