/* SPDX-License-Identifier: MIT */
#ifndef CLI_LISTING_H
#define CLI_LISTING_H

/*
 * A list as people read it: one row a thing, columns as wide as their longest text, headings above.
 * Texts are shown as they are but for control bytes, which become '?'.
 */

#include "base/buf.h"
#include "base/vec.h"

#include <stdint.h>

#define LISTING_COLUMNS 10

struct listing {
	const char *const *headings; /* NULL-ended; borrowed */
	size_t columns;
	VEC(char *) cells; /* row by row */
};
void listing_init(struct listing *t, const char *const *headings);
void listing_done(struct listing *t);
/* The next cell; NULL is "-". */
void listing_add(struct listing *t, const char *text);
void listing_printf(struct listing *t, const char *fmt, ...) PRINTF(2, 3);
/* How long ago or ahead of now a wall time is: "3 min", "2 h"; 0: "-". */
void listing_age(struct listing *t, int64_t wall_ms);
void listing_print(const struct listing *t, struct buf *out);
/* As a Markdown table: no text can end its cell. */
void listing_markdown(const struct listing *t, struct buf *out);

#endif
