/* SPDX-License-Identifier: MIT */
#ifndef AGENTS_BENCH_TEXT_H
#define AGENTS_BENCH_TEXT_H

/*
 * Inside the matcher: console bytes without their ANSI escapes, as a window of the newest, with
 * the raw offset of each byte. Positions are absolute (stripped bytes since the start), so that
 * they stay right when the window moves. The escapes are those of ECMA-48 (CSI, OSC, DCS and
 * two-byte ones) and the charset selections of ISO 2022; NUL, which is time-fill there, is dropped.
 */

#include "base/str.h"

#include <stdint.h>

enum text_state { TEXT_PLAIN, TEXT_ESC, TEXT_CHARSET, TEXT_CSI, TEXT_STRING, TEXT_STRING_ESC };

struct text_run { /* stripped bytes from `at` to the next run's come from `raw` on, one by one */
	uint64_t at, raw;
};

struct text {
	char *data;
	size_t len, room;
	uint64_t base; /* position of data[0] */
	uint64_t fed;  /* raw bytes */
	struct text_run *runs;
	size_t n_runs, runs_room;
	enum text_state state;
	unsigned in_escape; /* bytes of the escape so far */
	bool cr;            /* a \r is held until it is known whether \n follows */
	uint64_t cr_raw;
};

#define TEXT_FEED_BYTES ((size_t)64 << 10) /* most raw bytes in one text_feed */

void text_done(struct text *t);
void text_feed(struct text *t, struct str raw);
/* Forgets all but the newest keep bytes; a no-op when there are no more. */
void text_trim(struct text *t, size_t keep);
uint64_t text_raw(const struct text *t, uint64_t pos); /* raw offset of the byte at pos */
static inline uint64_t text_end(const struct text *t)
{
	return t->base + t->len;
}

/*
 * The head of a kernel line: "[   12.345678] ", "<6>[   12.345678] ", or the same with a caller
 * ("[   12.345678][  T123] "). Returns its length, 0 when s does not start with one, -1 when s ends
 * too early to tell. The shape is printk's own ("[%5lu.%06lu]"), so dates and tags of programs are
 * not taken for it.
 */
int text_kernel_head(struct str s);

#endif
