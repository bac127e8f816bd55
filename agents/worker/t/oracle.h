/* SPDX-License-Identifier: MIT */
#ifndef WORKER_T_ORACLE_H
#define WORKER_T_ORACLE_H

/*
 * What a decoder of frames ought to have made of damaged bytes, found without decoding anything.
 * A tape remembers of each byte where in the sent text it stood; damage moves, drops, doubles and
 * changes bytes and keeps that up to date. From this alone it follows which frames came through,
 * whatever the bytes look like. Invariant: no byte of a tape is looked at here but ESC and line
 * end.
 */

#include "base/mem.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define TAPE_BYTES    32768
#define TAPE_FOREIGN  (-1)
#define ORACLE_ESCAPE 64 /* a stray ESC may take that many bytes behind it with it */

struct tape {
	size_t n;
	char bytes[TAPE_BYTES];
	int32_t from[TAPE_BYTES]; /* place in the sent text; TAPE_FOREIGN */
};

struct span { /* of one frame in the sent text, from its first '@' behind its last */
	int32_t start, end;
};

static void tape_put(struct tape *t, const char *text, size_t n)
{
	t->n = 0;
	for (size_t i = 0; i < n && i < TAPE_BYTES; i++) {
		t->bytes[i] = text[i];
		t->from[i] = (int32_t)i;
		t->n++;
	}
}

static void tape_insert(struct tape *t, size_t at, const char *text, size_t n)
{
	if (t->n + n > TAPE_BYTES)
		return;
	memmove(t->bytes + at + n, t->bytes + at, t->n - at);
	memmove(t->from + at + n, t->from + at, (t->n - at) * sizeof *t->from);
	memcpy(t->bytes + at, text, n);
	for (size_t i = 0; i < n; i++)
		t->from[at + i] = TAPE_FOREIGN;
	t->n += n;
}

static void tape_drop(struct tape *t, size_t at, size_t n)
{
	if (n > t->n - at)
		n = t->n - at;
	memmove(t->bytes + at, t->bytes + at + n, t->n - at - n);
	memmove(t->from + at, t->from + at + n, (t->n - at - n) * sizeof *t->from);
	t->n -= n;
}

static void tape_change(struct tape *t, size_t at, char byte)
{
	if (t->bytes[at] == byte)
		return;
	t->bytes[at] = byte;
	t->from[at] = TAPE_FOREIGN;
}

/* What stands at [a, a+n) and at [b, b+m), a+n <= b, change places. */
static void tape_swap(struct tape *t, size_t a, size_t n, size_t b, size_t m)
{
	struct tape *was = mem_alloc(sizeof *was);
	size_t mid = b - a - n, at = a;
	const size_t parts[3][2] = {{b, m}, {a + n, mid}, {a, n}};

	*was = *t;
	for (int i = 0; i < 3; i++) {
		memcpy(t->bytes + at, was->bytes + parts[i][0], parts[i][1]);
		memcpy(t->from + at, was->from + parts[i][0], parts[i][1] * sizeof *t->from);
		at += parts[i][1];
	}
	free(was);
}

/*
 * Did all bytes of the frame come, in order, with nothing between, and a line end behind? lines:
 * with one insertion allowed between them (the caller inserts whole lines only). Where it stands
 * twice one is enough.
 */
static bool oracle_whole(const struct tape *t, struct span f, bool lines)
{
	for (size_t i = 0; i < t->n; i++) {
		int32_t want = f.start;
		unsigned gaps = 0;
		bool in_gap = false, escape = false;
		size_t k, end;

		if (t->from[i] != f.start)
			continue;
		for (k = i; k < t->n && want < f.end; k++) {
			if (t->from[k] == want) {
				want++;
				in_gap = false;
			} else if (lines && t->from[k] == TAPE_FOREIGN) {
				gaps += !in_gap;
				in_gap = true;
			} else {
				break;
			}
		}
		end = k;
		for (k = i > ORACLE_ESCAPE ? i - ORACLE_ESCAPE : 0; k < i; k++)
			escape |= t->bytes[k] == 0x1b && !lines;
		if (want == f.end && gaps < 2 && !escape &&
			memchr(t->bytes + end, '\n', t->n - end))
			return true;
	}
	return false;
}

#endif
