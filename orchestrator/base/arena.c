/* SPDX-License-Identifier: MIT */
/*
 * Memory dropped together. Invariant: head is the block that is being filled; each block's used
 * bytes never pass its size; all handed-out memory is 16-byte aligned and was zeroed.
 */
#include "base/arena.h"

#include "base/mem.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define BLOCK_BYTES 4000
#define ALIGN       ((size_t)16)

struct arena_block {
	struct arena_block *next;
	size_t used, size;
	_Alignas(16) char data[];
};

void arena_init(struct arena *a, size_t cap_bytes)
{
	*a = (struct arena){.cap_bytes = cap_bytes};
}

void arena_done(struct arena *a)
{
	for (struct arena_block *b = a->head, *next; b; b = next) {
		next = b->next;
		free(b);
	}
	a->head = NULL;
	a->used_bytes = 0;
}

static void over_cap(void)
{
	static const char text[] = "hilab: an arena passed its cap\n";
	ssize_t n = write(STDERR_FILENO, text, sizeof text - 1);

	(void)n;
	abort();
}

void *arena_alloc(struct arena *a, size_t bytes)
{
	size_t cap = a->cap_bytes ? a->cap_bytes : ARENA_CAP_BYTES;
	struct arena_block *b = a->head;
	size_t need;
	void *p;

	if (bytes > cap - a->used_bytes)
		over_cap();
	need = (bytes + ALIGN - 1) & ~(ALIGN - 1);
	if (!need)
		need = ALIGN;
	if (!b || b->size - b->used < need) {
		size_t size = need > BLOCK_BYTES ? need : BLOCK_BYTES;

		b = mem_alloc(sizeof *b + size);
		b->size = size;
		/* A big one goes behind the block being filled, which keeps its room. */
		if (a->head && need > BLOCK_BYTES / 4 && a->head->size > a->head->used) {
			b->next = a->head->next;
			a->head->next = b;
		} else {
			b->next = a->head;
			a->head = b;
		}
	}
	p = b->data + b->used;
	b->used += need;
	a->used_bytes += bytes;
	return p;
}

char *arena_strndup(struct arena *a, const char *s, size_t n)
{
	size_t len = strnlen(s, n);
	char *q = arena_alloc(a, len + 1);

	memcpy(q, s, len);
	return q;
}

char *arena_strdup(struct arena *a, const char *s)
{
	return s ? arena_strndup(a, s, strlen(s)) : NULL;
}

char *arena_vprintf(struct arena *a, const char *fmt, va_list ap)
{
	va_list again;
	char *s;
	int n;

	va_copy(again, ap);
	n = vsnprintf(NULL, 0, fmt, again);
	va_end(again);
	s = arena_alloc(a, n < 0 ? 1 : (size_t)n + 1);
	if (n > 0)
		vsnprintf(s, (size_t)n + 1, fmt, ap);
	return s;
}

char *arena_printf(struct arena *a, const char *fmt, ...)
{
	va_list ap;
	char *s;

	va_start(ap, fmt);
	s = arena_vprintf(a, fmt, ap);
	va_end(ap);
	return s;
}
