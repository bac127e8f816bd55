/* SPDX-License-Identifier: MIT */
/*
 * A growing byte buffer. Invariant: len < room <= cap + 1 whenever data is not NULL, and
 * data[len] == 0.
 */
#include "base/buf.h"

#include "base/mem.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

void buf_init(struct buf *b, size_t cap_bytes)
{
	*b = (struct buf){.cap = cap_bytes};
}

void buf_done(struct buf *b)
{
	free(b->data);
	*b = (struct buf){.cap = b->cap};
}

void buf_reset(struct buf *b)
{
	b->len = 0;
	b->overflow = false;
	if (b->data)
		b->data[0] = 0;
}

static int reserve(struct buf *b, size_t more)
{
	size_t room;

	if (more > b->cap - b->len) {
		b->overflow = true;
		return -1;
	}
	if (b->data && b->len + more < b->room)
		return 0;
	room = b->room ? b->room : 64;
	while (room <= b->len + more)
		room *= 2;
	if (room > b->cap + 1)
		room = b->cap + 1;
	b->data = mem_grow(b->data, room, 1);
	b->room = room;
	return 0;
}

int buf_add(struct buf *b, const void *p, size_t n)
{
	if (reserve(b, n))
		return -1;
	if (n)
		memcpy(b->data + b->len, p, n);
	b->len += n;
	b->data[b->len] = 0;
	return 0;
}

int buf_puts(struct buf *b, const char *s)
{
	return buf_add(b, s, strlen(s));
}

int buf_putc(struct buf *b, char c)
{
	return buf_add(b, &c, 1);
}

int buf_vprintf(struct buf *b, const char *fmt, va_list ap)
{
	va_list again;
	int n;

	va_copy(again, ap);
	n = vsnprintf(NULL, 0, fmt, again);
	va_end(again);
	if (n < 0 || reserve(b, (size_t)n))
		return -1;
	vsnprintf(b->data + b->len, (size_t)n + 1, fmt, ap);
	b->len += (size_t)n;
	return 0;
}

int buf_printf(struct buf *b, const char *fmt, ...)
{
	va_list ap;
	int rc;

	va_start(ap, fmt);
	rc = buf_vprintf(b, fmt, ap);
	va_end(ap);
	return rc;
}

void buf_eat(struct buf *b, size_t n)
{
	if (!n)
		return;
	memmove(b->data, b->data + n, b->len - n + 1);
	b->len -= n;
}

const char *buf_str(const struct buf *b)
{
	return b->data ? b->data : "";
}

char *buf_take(struct buf *b)
{
	char *s = b->data ? b->data : mem_strdup("");

	*b = (struct buf){.cap = b->cap};
	return s;
}

ssize_t buf_read(struct buf *b, int fd, size_t max)
{
	size_t left = b->cap - b->len;
	ssize_t n;

	if (!left) {
		b->overflow = true;
		errno = ENOBUFS;
		return -1;
	}
	if (max > left)
		max = left;
	reserve(b, max);
	do
		n = read(fd, b->data + b->len, max);
	while (n < 0 && errno == EINTR);
	if (n > 0)
		b->len += (size_t)n;
	b->data[b->len] = 0;
	return n;
}
