/* SPDX-License-Identifier: MIT */
#ifndef AGENTS_BENCH_EXPECT_H
#define AGENTS_BENCH_EXPECT_H

/*
 * A streaming matcher: console bytes in, matches out, whatever way the bytes were cut into
 * reads. ANSI escapes (CSI, OSC, charset) and NULs are stripped, CR LF and bare CR become line
 * breaks for `^` and `$` only in that \r is dropped before \n. Keeps a window of the newest bytes;
 * what was matched is consumed. Pure: no I/O, no clock.
 *
 * A line that kernel lines ("[   12.345678] ...") were printed into is also searched without them,
 * so a prompt is found wherever one was inserted. `before` is then the text up to the line's match
 * as it came. Where a match could still grow with what comes next (`a+`), or `$` asks for the end,
 * it is taken as it stands; write what follows into the pattern where that matters.
 */

#include "base/str.h"
#include "io/pattern.h"

#include <stdint.h>

#define EXPECT_WINDOW_BYTES ((size_t)64 << 10)

struct expect; /* owned by the caller */

struct expect_match {
	int which;         /* index into the patterns */
	struct str before; /* stripped text between the cursor and the match; like groups, borrowed
			      until the next feed */
	struct str group[PATTERN_GROUPS];
	uint64_t raw_start, raw_end; /* offsets of the match in the raw stream */
};

struct expect *expect_new(void);
void expect_free(struct expect *x);
/* Raw bytes, as read. */
void expect_feed(struct expect *x, struct str raw);
/*
 * The earliest match (ties: the lowest index) of any pattern after the cursor; consumes up to its
 * end. 1 found, 0 not yet, -1 a pattern's limit was hit. Remembers how far was searched, so that
 * calling it after every byte costs O(new bytes).
 */
int expect_search(
	struct expect *x, struct pattern *const *patterns, size_t n, struct expect_match *m);
/* Everything up to now is consumed. */
void expect_skip(struct expect *x);
/* The stripped, not yet consumed text (borrowed until the next feed); and its last n bytes for
 * error texts. */
struct str expect_pending(const struct expect *x);

#endif
