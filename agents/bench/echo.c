/* SPDX-License-Identifier: MIT */
/*
 * Echo verification. Invariant: ECHO_SAME only when every character of the line was seen, in order,
 * with nothing between but what is listed in the header; so a lost, doubled or foreign character is
 * never taken for an echo. Which of the redraws a board does is not known, so all ways to read a
 * byte are followed at once: cur[j] says that j characters may have been echoed by now.
 */
#include "agents/bench/echo.h"

#include "base/mem.h"
#include "io/console-text.h"

#include <string.h>

struct ways {
	struct str want, got;
	/* Rows for the byte at hand and the next two: redraws are pairs of bytes. */
	bool *cur, *next, *after;
	size_t lo, hi; /* no row has anything outside */
};

static void step(struct ways *w, size_t i, size_t j)
{
	char c = w->got.p[i], d = i + 1 < w->got.n ? w->got.p[i + 1] : 0;

	if (j < w->want.n && c == w->want.p[j])
		w->next[j + 1] = true;
	if (c == '\n' || c == '\r' || c == '\a')
		w->next[j] = true;
	if (c == '\r' && j)
		w->next[j - 1] = true;
	if (d == '\b' || (c == ' ' && d == '\r'))
		w->after[j] = true;
	/* The redraw has begun, its second byte is still on the way. */
	if (i + 1 == w->got.n && (c == ' ' || (j < w->want.n && c == w->want.p[j])))
		w->after[j] = true;
}

static void shift(struct ways *w)
{
	bool *spare = w->cur;

	memset(spare + w->lo, 0, w->hi - w->lo + 1);
	w->cur = w->next;
	w->next = w->after;
	w->after = spare;
	w->lo -= w->lo > 0;
	w->hi += w->hi < w->want.n;
	while (w->lo < w->hi && !w->cur[w->lo] && !w->next[w->lo])
		w->lo++;
	while (w->hi > w->lo && !w->cur[w->hi] && !w->next[w->hi])
		w->hi--;
}

/* Bytes of a kernel line at the start of s; all of it when its end is not here yet. */
static size_t kernel_line(struct str s)
{
	const char *nl;
	int head;

	if (s.p[0] != '<' && s.p[0] != '[')
		return 0;
	head = console_kernel_head(s);
	if (head < 0)
		return s.n;
	if (!head)
		return 0;
	nl = memchr(s.p, '\n', s.n);
	return nl ? (size_t)(nl + 1 - s.p) : s.n;
}

/* Is a head at s the line's own text, which has come so far up to one of the ways? */
static bool own_head(const struct ways *w, struct str s)
{
	int head = console_kernel_head(s);

	if (head <= 0)
		return false;
	for (size_t j = w->lo; j <= w->hi; j++)
		if (w->cur[j] && w->want.n - j >= (size_t)head &&
			!memcmp(w->want.p + j, s.p, (size_t)head))
			return true;
	return false;
}

enum echo echo_compare(struct str want, struct str got)
{
	AUTOFREE bool *rows = mem_array(3 * (want.n + 1), 1);
	struct ways w = {.want = want, .got = got, .cur = rows};
	bool alive = true, pending = false;

	w.next = rows + want.n + 1;
	w.after = w.next + want.n + 1;
	w.cur[0] = true;
	for (size_t i = 0; i < got.n && alive; i++) {
		struct str rest = {got.p + i, got.n - i};
		size_t skip = kernel_line(rest);

		/* A head that is cut off may still turn out to be the line's own text. */
		if (skip == rest.n && console_kernel_head(rest) < 0)
			pending = true;
		else if (skip && !own_head(&w, rest)) {
			i += skip - 1;
			continue;
		}
		for (size_t j = w.lo; j <= w.hi; j++)
			if (w.cur[j])
				step(&w, i, j);
		shift(&w);
		alive = w.cur[w.lo] || w.next[w.lo];
	}
	/* Or whole, and a redraw at the width has just begun (a \r is held back until more comes).
	 */
	if (w.cur[want.n] || w.next[want.n])
		return ECHO_SAME;
	return alive || pending ? ECHO_NOT_YET : ECHO_WRONG;
}
