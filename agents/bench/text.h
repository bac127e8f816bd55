/* SPDX-License-Identifier: MIT */
#ifndef AGENTS_BENCH_TEXT_H
#define AGENTS_BENCH_TEXT_H

/*
 * Inside the matcher: console bytes without their ANSI escapes, as a window of the newest, with
 * the raw offset of each byte. Positions are absolute (stripped bytes since the start), so that
 * they stay right when the window moves. NUL, which is time-fill in ECMA-48, is dropped, too.
 */

#include "base/str.h"
#include "io/console-text.h"

#include <stdint.h>

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
	struct console_escape escape;
	bool cr; /* a \r is held until it is known whether \n follows */
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

#endif
