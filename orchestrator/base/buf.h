/* SPDX-License-Identifier: MIT */
#ifndef BASE_BUF_H
#define BASE_BUF_H

/*
 * A growing byte buffer with a cap given at birth. Invariant: data[len] is always 0 once
 * anything was added, so `data` can be read as a C string (NUL bytes inside allowed). When an
 * addition would pass the cap nothing is added, `overflow` is set and stays, and -1 returns.
 */

#include "base/attr.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#define BUF_CAP_BYTES ((size_t)64 << 20) /* for buffers with no reason for another cap */

struct buf {
	char *data; /* owned; NULL while nothing was added */
	size_t len, room, cap;
	bool overflow;
};

#define BUF_INIT(cap_bytes)                                                                        \
	{                                                                                          \
		.cap = (cap_bytes)                                                                 \
	}
#define AUTOBUF CLEANUP(buf_done) struct buf

void buf_init(struct buf *b, size_t cap_bytes);
void buf_done(struct buf *b);
void buf_reset(struct buf *b); /* empty, memory kept, overflow cleared */
int buf_add(struct buf *b, const void *p, size_t n);
int buf_puts(struct buf *b, const char *s);
int buf_putc(struct buf *b, char c);
int buf_printf(struct buf *b, const char *fmt, ...) PRINTF(2, 3);
int buf_vprintf(struct buf *b, const char *fmt, va_list ap) PRINTF(2, 0);
/* Drops the first n bytes (n <= len). */
void buf_eat(struct buf *b, size_t n);
/* The text so far; "" while empty. Borrowed, valid until the next change. */
const char *buf_str(const struct buf *b);
/* Hands the memory to the caller (free()), never NULL; the buffer is empty afterwards. */
char *buf_take(struct buf *b);
/* One read(2) of at most max bytes onto the end. Returns bytes, 0 at end of file, -1 with errno
 * (ENOBUFS when the cap is reached). */
ssize_t buf_read(struct buf *b, int fd, size_t max);

#endif
