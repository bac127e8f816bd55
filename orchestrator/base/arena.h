/* SPDX-License-Identifier: MIT */
#ifndef BASE_ARENA_H
#define BASE_ARENA_H

/*
 * Memory for things that are read, used and dropped together (a document, a plan, a report).
 * One owner; everything handed out lives until arena_done/arena_free. Zero-initialised struct
 * is a valid empty arena. Allocation is 16-byte aligned and zeroed. cap_bytes of 0 means
 * ARENA_CAP_BYTES; an arena past its cap aborts the process, so callers that read foreign input
 * check sizes before they fill one.
 */

#include "base/attr.h"

#include <stdarg.h>
#include <stddef.h>

#define ARENA_CAP_BYTES ((size_t)1 << 30)

struct arena_block;
struct arena {
	struct arena_block *head;
	size_t used_bytes; /* total handed out */
	size_t cap_bytes;
};

void arena_init(struct arena *a, size_t cap_bytes);
void arena_done(struct arena *a); /* frees all; the arena is empty and usable again */
void *arena_alloc(struct arena *a, size_t bytes);
char *arena_strdup(struct arena *a, const char *s); /* NULL gives NULL */
char *arena_strndup(struct arena *a, const char *s, size_t n);
char *arena_printf(struct arena *a, const char *fmt, ...) PRINTF(2, 3);
char *arena_vprintf(struct arena *a, const char *fmt, va_list ap) PRINTF(2, 0);

#endif
