/* SPDX-License-Identifier: MIT */
/*
 * Console bytes to plain text. Invariant: the result does not depend on how the bytes were cut
 * into reads; runs[] covers the whole window, and its first run starts at or before base.
 */
#include "agents/bench/text.h"

#include "base/mem.h"

#include <string.h>

#define ESC 0x1b
#define SO  0x0e
#define SI  0x0f

void text_done(struct text *t)
{
	free(t->data);
	free(t->runs);
	*t = (struct text){0};
}

static void emit(struct text *t, const char *p, size_t n, uint64_t raw)
{
	uint64_t at = text_end(t);
	struct text_run *last = t->n_runs ? &t->runs[t->n_runs - 1] : NULL;

	if (!last || raw - last->raw != at - last->at) {
		if (!t->runs || t->n_runs == t->runs_room) {
			t->runs_room = t->runs_room ? 2 * t->runs_room : 64;
			t->runs = mem_grow(t->runs, t->runs_room, sizeof *t->runs);
		}
		t->runs[t->n_runs++] = (struct text_run){.at = at, .raw = raw};
	}
	memcpy(t->data + t->len, p, n);
	t->len += n;
}

/* A lone \r is text; runs of them count as one, and before \n as none. */
static void release_cr(struct text *t)
{
	if (t->cr)
		emit(t, "\r", 1, t->cr_raw);
	t->cr = false;
}

static const bool special[256] = {
	[0] = true, ['\r'] = true, [ESC] = true, [SO] = true, [SI] = true};

/* Text up to the next special byte; returns how much was taken. */
static size_t plain(struct text *t, const unsigned char *p, size_t n, uint64_t raw)
{
	size_t i = 0;

	if (*p == '\r') {
		if (!t->cr)
			t->cr_raw = raw;
		t->cr = true;
		return 1;
	}
	if (*p == SO || *p == SI || !*p)
		return 1;
	if (*p == '\n')
		t->cr = false;
	else
		release_cr(t);
	while (i < n && !special[p[i]])
		i++;
	emit(t, (const char *)p, i, raw);
	return i;
}

void text_feed(struct text *t, struct str raw)
{
	const unsigned char *p = (const unsigned char *)raw.p, *end = p + raw.n;

	if (t->room - t->len < raw.n + 1) {
		t->room = 2 * t->room + raw.n + 1;
		t->data = mem_grow(t->data, t->room, 1);
	}
	while (p < end) {
		uint64_t at = t->fed + (uint64_t)(p - (const unsigned char *)raw.p);

		if (console_escape(&t->escape, *p))
			p++;
		else
			p += plain(t, p, (size_t)(end - p), at);
	}
	t->fed += raw.n;
}

/* Index of the run that holds pos. */
static size_t run_of(const struct text *t, uint64_t pos)
{
	size_t lo = 0, hi = t->n_runs;

	while (hi - lo > 1) {
		size_t mid = lo + (hi - lo) / 2;

		if (t->runs[mid].at <= pos)
			lo = mid;
		else
			hi = mid;
	}
	return lo;
}

void text_trim(struct text *t, size_t keep)
{
	size_t drop = t->len > keep ? t->len - keep : 0, first;

	if (!drop)
		return;
	memmove(t->data, t->data + drop, keep);
	t->base += drop;
	t->len = keep;
	first = run_of(t, t->base);
	memmove(t->runs, t->runs + first, (t->n_runs - first) * sizeof *t->runs);
	t->n_runs -= first;
}

uint64_t text_raw(const struct text *t, uint64_t pos)
{
	const struct text_run *r;

	if (pos >= text_end(t) || !t->n_runs)
		return t->fed;
	r = &t->runs[run_of(t, pos)];
	return r->raw + (pos - r->at);
}
