/* SPDX-License-Identifier: MIT */
/*
 * Raw console bytes to text. Invariant: nothing depends on how the bytes were cut into pieces; a
 * damaged or endless escape costs at most STRING_BYTES of text, never the rest of the log.
 */
#include "console-text.h"

#include <stdio.h>

#define ESCAPE_BYTES 64  /* longest CSI that is believed */
#define STRING_BYTES 512 /* longest OSC or DCS string */

#define ESC 0x1b
#define BEL 0x07

/* ---- escapes -------------------------------------------------------------------------------- */

/* One byte inside an escape. Returns false when the byte is none of it and has to be text. */
static bool inside(struct console_escape *e, unsigned char c)
{
	bool control = c < 0x20 || c == 0x7f;
	enum console_state next = CONSOLE_PLAIN;

	e->bytes++;
	switch (e->state) {
	case CONSOLE_ESC:
		if (c == '[')
			next = CONSOLE_CSI;
		else if (c == ']' || c == 'P' || c == '^' || c == '_' || c == 'X')
			next = CONSOLE_STRING;
		else if (c >= 0x20 && c <= 0x2f)
			next = CONSOLE_CHARSET;
		else if (control || c >= 0x80)
			break;
		e->state = next;
		return true;
	case CONSOLE_CHARSET:
		if (control || c >= 0x80)
			break;
		if (c >= 0x30 || e->bytes > ESCAPE_BYTES)
			e->state = CONSOLE_PLAIN;
		return true;
	case CONSOLE_CSI:
		if (control || c >= 0x80 || e->bytes > ESCAPE_BYTES)
			break;
		if (c >= 0x40)
			e->state = CONSOLE_PLAIN;
		return true;
	case CONSOLE_STRING:
		if (c == '\n' || e->bytes > STRING_BYTES)
			break;
		if (c == BEL)
			e->state = CONSOLE_PLAIN;
		else if (c == ESC)
			e->state = CONSOLE_STRING_ESC;
		return true;
	case CONSOLE_STRING_ESC:
		/* Another escape began: the string was never ended. */
		e->state = c == '\\' ? CONSOLE_PLAIN : CONSOLE_ESC;
		e->bytes = 1;
		return c == '\\' || inside(e, c);
	case CONSOLE_PLAIN:
		break;
	}
	e->state = CONSOLE_PLAIN;
	return false;
}

bool console_escape_byte(struct console_escape *e, unsigned char c)
{
	if (e->state != CONSOLE_PLAIN && inside(e, c))
		return true;
	if (c != ESC)
		return false;
	*e = (struct console_escape){.state = CONSOLE_ESC, .bytes = 1};
	return true;
}

/* ---- kernel lines --------------------------------------------------------------------------- */

/* Length of a run of digits at s[i], at most max. */
static size_t digits(struct str s, size_t i, size_t max)
{
	size_t n = 0;

	while (n < max && i + n < s.n && s.p[i + n] >= '0' && s.p[i + n] <= '9')
		n++;
	return n;
}

int console_kernel_head(struct str s)
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

ptrdiff_t console_kernel_find(struct str line)
{
	for (size_t i = 0; i < line.n; i++) {
		struct str rest = str_make(line.p + i, line.n - i);
		int head;

		if (*rest.p != '[' && *rest.p != '<')
			continue;
		head = console_kernel_head(rest);
		/* An empty one may have lost its last blank. */
		if (head > 0 || (head < 0 && line.p[line.n - 1] == ']'))
			return (ptrdiff_t)i;
	}
	return -1;
}

/* ---- lines ---------------------------------------------------------------------------------- */

/* Whether the last line break may still be going on. */
enum broke { BROKE_NOT, BROKE_CR, BROKE_LF };

void console_text_init(struct console_text *t, uint64_t offset, console_line_fn *fn, void *arg)
{
	*t = (struct console_text){.fn = fn,
		.arg = arg,
		.offset = offset,
		.start = offset,
		.line = BUF_INIT(CONSOLE_LINE_BYTES + 8)};
}

static void hand_out(struct console_text *t, bool whole)
{
	struct console_line line = {
		.text = str_make(buf_str(&t->line), t->line.len),
		.offsets = t->offsets.p,
		.offset = t->start,
		.whole = whole,
	};

	t->fn(t->arg, &line);
	buf_reset(&t->line);
	t->offsets.n = 0;
	t->start = t->offset + 1;
}

static void backspace(struct console_text *t)
{
	size_t n = t->line.len;

	if (!n)
		return;
	do
		n--;
	while (n && ((unsigned char)t->line.data[n] & 0xc0) == 0x80);
	t->line.data[n] = 0;
	t->line.len = t->offsets.n = n;
}

static void add(struct console_text *t, char c)
{
	if (t->line.len >= CONSOLE_LINE_BYTES)
		hand_out(t, false);
	if (!t->line.len)
		t->start = t->offset;
	buf_putc(&t->line, c);
	vec_push(&t->offsets, t->offset);
}

static void line_break(struct console_text *t, char c)
{
	if (c == '\n') {
		if (t->broke != BROKE_CR)
			hand_out(t, true);
		t->start = t->offset + 1;
		t->broke = BROKE_LF;
	} else if (t->line.len) {
		hand_out(t, true);
		t->broke = BROKE_CR;
	} else if (t->broke == BROKE_LF) {
		t->broke = BROKE_NOT;
	}
}

/* Bytes at the start of s that are text, as many as the line still takes at once. */
static size_t plain_run(const struct console_text *t, struct str s)
{
	size_t n = 0, room = CONSOLE_LINE_BYTES - t->line.len;

	if (t->escape.state != CONSOLE_PLAIN)
		return 0;
	room = s.n < room ? s.n : room;
	while (n < room && s.p[n] != ESC && s.p[n] != '\b' && s.p[n] != '\n' && s.p[n] != '\r')
		n++;
	return n;
}

static void add_run(struct console_text *t, struct str run)
{
	if (!t->line.len)
		t->start = t->offset;
	buf_add(&t->line, run.p, run.n);
	for (size_t i = 0; i < run.n; i++)
		vec_push(&t->offsets, t->offset + i);
	t->broke = BROKE_NOT;
}

void console_text_feed(struct console_text *t, struct str raw)
{
	for (size_t i = 0, n; i < raw.n; i += n, t->offset += n) {
		char c = raw.p[i];

		n = plain_run(t, str_make(raw.p + i, raw.n - i));
		if (n) {
			add_run(t, str_make(raw.p + i, n));
			continue;
		}
		n = 1;
		if (console_escape(&t->escape, (unsigned char)c))
			continue;
		if (c == '\b') {
			backspace(t);
		} else if (c == '\n' || c == '\r') {
			line_break(t, c);
		} else {
			add(t, c);
			t->broke = BROKE_NOT;
		}
	}
}

void console_text_end(struct console_text *t)
{
	if (t->line.len)
		hand_out(t, false);
	buf_done(&t->line);
	vec_done(&t->offsets);
}

/* Length of the character at p that a terminal may show, 0 when it must not. */
static size_t shown_length(const unsigned char *p, size_t n)
{
	size_t len = p[0] < 0x80 ? 1 : p[0] < 0xc2 ? 0 : p[0] < 0xe0 ? 2 : p[0] < 0xf0 ? 3 : 4;

	if (len == 1)
		return (p[0] >= 0x20 && p[0] != 0x7f) || p[0] == '\t';
	if (!len || len > n || p[0] > 0xf4 || (p[0] == 0xc2 && p[1] < 0xa0))
		return 0;
	for (size_t i = 1; i < len; i++)
		if ((p[i] & 0xc0) != 0x80)
			return 0;
	return len;
}

void console_text_show(struct str line, struct buf *out)
{
	for (size_t i = 0; i < line.n;) {
		const unsigned char *p = (const unsigned char *)line.p + i;
		size_t n = shown_length(p, line.n - i);

		if (n)
			buf_add(out, p, n);
		else
			buf_printf(out, "\\x%02x", *p);
		i += n ? n : 1;
	}
}
