/* SPDX-License-Identifier: MIT */
/*
 * Console bytes to plain text. Invariant: the result does not depend on how the bytes were cut
 * into reads; a damaged or endless escape costs at most ESCAPE_BYTES of text, never the rest of the
 * log; runs[] covers the whole window, and its first run starts at or before base.
 */
#include "agents/bench/text.h"

#include "base/mem.h"

#include <string.h>

#define ESCAPE_BYTES 64  /* longest CSI that is believed */
#define STRING_BYTES 512 /* longest OSC or DCS string */

#define ESC 0x1b
#define BEL 0x07
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
	if (*p == ESC) {
		t->state = TEXT_ESC;
		t->in_escape = 1;
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

/* One byte inside an escape. Returns false when the byte is none of it and has to be text. */
static bool escape(struct text *t, unsigned char c)
{
	bool control = c < 0x20 || c == 0x7f;
	enum text_state next = TEXT_PLAIN;

	t->in_escape++;
	switch (t->state) {
	case TEXT_ESC:
		if (c == '[')
			next = TEXT_CSI;
		else if (c == ']' || c == 'P' || c == '^' || c == '_' || c == 'X')
			next = TEXT_STRING;
		else if (c >= 0x20 && c <= 0x2f)
			next = TEXT_CHARSET;
		else if (control || c >= 0x80)
			break;
		t->state = next;
		return true;
	case TEXT_CHARSET:
		if (control || c >= 0x80)
			break;
		if (c >= 0x30 || t->in_escape > ESCAPE_BYTES)
			t->state = TEXT_PLAIN;
		return true;
	case TEXT_CSI:
		if (control || c >= 0x80 || t->in_escape > ESCAPE_BYTES)
			break;
		if (c >= 0x40)
			t->state = TEXT_PLAIN;
		return true;
	case TEXT_STRING:
		if (c == '\n' || t->in_escape > STRING_BYTES)
			break;
		if (c == BEL)
			t->state = TEXT_PLAIN;
		else if (c == ESC)
			t->state = TEXT_STRING_ESC;
		return true;
	case TEXT_STRING_ESC:
		/* Another escape began: the string was never ended. */
		t->state = c == '\\' ? TEXT_PLAIN : TEXT_ESC;
		t->in_escape = 1;
		return c == '\\' || escape(t, c);
	case TEXT_PLAIN:
		break;
	}
	t->state = TEXT_PLAIN;
	return false;
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

		if (t->state == TEXT_PLAIN)
			p += plain(t, p, (size_t)(end - p), at);
		else if (escape(t, *p))
			p++;
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

/* Length of a run of digits at s[i], at most max. */
static size_t digits(struct str s, size_t i, size_t max)
{
	size_t n = 0;

	while (n < max && i + n < s.n && s.p[i + n] >= '0' && s.p[i + n] <= '9')
		n++;
	return n;
}

int text_kernel_head(struct str s)
{
	size_t i = 0, pad = 0, n;

	if (s.n && s.p[0] == '<') {
		n = digits(s, 1, 3);
		i = 1 + n;
		if (i >= s.n)
			return -1;
		if (!n || s.p[i++] != '>')
			return 0;
	}
	if (i >= s.n)
		return -1;
	if (s.p[i++] != '[')
		return 0;
	while (pad < 4 && i + pad < s.n && s.p[i + pad] == ' ')
		pad++;
	i += pad;
	n = digits(s, i, 10);
	i += n;
	if (i >= s.n)
		return n + pad > 10 ? 0 : -1;
	if (!n || n + pad < 5 || s.p[i++] != '.')
		return 0;
	n = digits(s, i, 6);
	i += n;
	if (i >= s.n)
		return -1;
	if (n != 6 || s.p[i++] != ']')
		return 0;
	if (i >= s.n)
		return -1;
	return s.p[i] == ' ' || s.p[i] == '[' ? (int)i + 1 : 0;
}
