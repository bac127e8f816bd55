/* SPDX-License-Identifier: MIT */
/*
 * Raw console bytes to lines. Invariant: the same lines come out however the bytes are cut into
 * pieces; a sequence that is damaged ends at the next line break at the latest.
 */
#include "console-text.h"

#include <stdio.h>

enum state { TEXT, ESCAPE, ESCAPE_MORE, CSI, STRING, STRING_ESCAPE };
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

static void in_text(struct console_text *t, char c)
{
	if (c == '\033') {
		t->state = ESCAPE;
	} else if (c == '\b') {
		backspace(t);
	} else if (c == '\n' || c == '\r') {
		line_break(t, c);
	} else {
		add(t, c);
		t->broke = BROKE_NOT;
	}
}

static void in_sequence(struct console_text *t, unsigned char c)
{
	switch (t->state) {
	case ESCAPE:
		t->state = c == '['                  ? CSI
			   : c && strchr("]PX^_", c) ? STRING
			   : c >= 0x20 && c < 0x30   ? ESCAPE_MORE
						     : TEXT;
		break;
	case ESCAPE_MORE:
		if (c < 0x20 || c > 0x2f)
			t->state = TEXT;
		break;
	case CSI:
		if (c >= 0x40 || c < 0x20)
			t->state = TEXT;
		break;
	case STRING:
		t->state = c == 7 ? TEXT : c == '\033' ? STRING_ESCAPE : STRING;
		break;
	default: /* STRING_ESCAPE */
		t->state = c == '\\' ? TEXT : STRING;
		break;
	}
}

void console_text_feed(struct console_text *t, struct str raw)
{
	for (size_t i = 0; i < raw.n; i++, t->offset++) {
		char c = raw.p[i];

		if (t->state != TEXT && (c == '\n' || c == '\r'))
			t->state = TEXT;
		if (t->state == TEXT)
			in_text(t, c);
		else
			in_sequence(t, (unsigned char)c);
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
