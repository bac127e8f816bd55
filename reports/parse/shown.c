/* SPDX-License-Identifier: MIT */
/*
 * Console bytes back to the lines that a program wrote. Invariant: a line is either what the
 * program wrote or marked as torn or not ended; nothing is put together but the two ends that one
 * kernel message stands between.
 */
#include "shown.h"

#include "base/buf.h"
#include "io/console-text.h"

struct reading {
	struct shown *s;
	shown_ours_fn *ours;
	bool kernel; /* the kernel printed the format */
	size_t plain, headed;
	struct buf torn; /* the first part of a line that a kernel message tore */
	size_t torn_at;
	bool is_torn;
	bool no_blank; /* its head was cut before its blank */
};

/* Length of a printk head with its caller ("[   12.345678][  T123] "), 0: none. */
static size_t head_of(struct str s)
{
	int n = console_kernel_head(s);
	ptrdiff_t end;

	if (n > 0 && s.p[n - 1] == '[') {
		end = str_chr(str_make(s.p + n, s.n - (size_t)n < 16 ? s.n - (size_t)n : 16), ']');
		if (end < 0)
			return 0;
		n += (int)end + 1;
		return (size_t)n + ((size_t)n < s.n && s.p[n] == ' ');
	}
	if (n > 0)
		return (size_t)n;
	/* Some tools that copy the log drop the blank before a tab, or at the end of a line. */
	end = str_chr(str_make(s.p, s.n < 32 ? s.n : 32), ']');
	if (n <= 0 && end > 0 && ((size_t)end + 1 == s.n || s.p[end + 1] == '\t')) {
		char copy[40];

		memcpy(copy, s.p, (size_t)end + 1);
		copy[end + 1] = ' ';
		n = console_kernel_head(str_make(copy, (size_t)end + 2));
		return n == (int)end + 2 ? (size_t)end + 1 : 0;
	}
	return 0;
}

/* Where the next head stands at or after from; line.n: nowhere. */
static size_t find_head(struct str line, size_t from)
{
	for (size_t i = from; i < line.n; i++)
		if ((line.p[i] == '[' || line.p[i] == '<') &&
			head_of(str_make(line.p + i, line.n - i)))
			return i;
	return line.n;
}

static void put(struct reading *r, struct str text, size_t at, bool torn, bool ended, bool stray)
{
	char *copy;

	if (!text.n)
		return;
	if (r->s->lines.n >= SHOWN_LINES) {
		r->s->more = true;
		return;
	}
	copy = arena_alloc(&r->s->arena, text.n + 1);
	memcpy(copy, text.p, text.n);
	vec_push(&r->s->lines,
		((struct shown_line){str_make(copy, text.n), at, torn, ended, stray}));
}

static void end_torn(struct reading *r, bool ended)
{
	if (!r->is_torn)
		return;
	put(r, str_make(buf_str(&r->torn), r->torn.len), r->torn_at, true, ended, false);
	buf_reset(&r->torn);
	r->is_torn = false;
}

/* A part of a line of the program's: the whole of its rest, or up to a kernel message. */
static void part(struct reading *r, struct str text, size_t at, bool cut, bool ended)
{
	if (!r->is_torn && !cut) {
		put(r, text, at, false, ended, false);
		return;
	}
	if (!r->is_torn) {
		r->torn_at = at;
		r->is_torn = true;
	}
	if (r->no_blank && r->kernel && !r->torn.len && text.n && *text.p == ' ')
		text = str_make(text.p + 1, text.n - 1);
	buf_add(&r->torn, text.p, text.n);
	if (!cut)
		end_torn(r, ended);
}

static void on_line(void *arg, const struct console_line *l)
{
	struct reading *r = arg;
	struct str line = l->text;
	size_t head = head_of(line), next;

	if (!r->kernel) {
		next = find_head(line, 0);
		if (next || !line.n)
			part(r, str_make(line.p, next), (size_t)l->offset, next < line.n, l->whole);
		return;
	}
	if (!head && r->is_torn) {
		next = find_head(line, 0);
		part(r, str_make(line.p, next), (size_t)l->offset, next < line.n, l->whole);
		return;
	}
	if (!head) { /* a program's text with a kernel line behind it, or nothing of ours */
		next = find_head(line, 0);
		if (next == line.n) {
			/* What a lost line break has cut off is worth knowing. */
			if (r->s->lines.n && !r->s->lines.p[r->s->lines.n - 1].stray)
				put(r, line, (size_t)l->offset, true, l->whole, true);
			return;
		}
		line = str_make(line.p + next, line.n - next);
		head = head_of(line);
	}
	end_torn(r, false);
	r->no_blank = line.p[head - 1] != ' ';
	next = find_head(line, head);
	part(r, str_make(line.p + head, next - head), (size_t)l->offset, next < line.n, l->whole);
}

static void on_count(void *arg, const struct console_line *l)
{
	struct reading *r = arg;
	size_t head = head_of(l->text);

	if (r->ours(str_make(l->text.p + head, l->text.n - head)))
		head ? r->headed++ : r->plain++;
}

static void feed(struct str text, console_line_fn *fn, struct reading *r)
{
	struct console_text t;

	console_text_init(&t, 0, fn, r);
	console_text_feed(&t, text);
	console_text_end(&t);
}

void shown_read(struct shown *s, struct str text, shown_ours_fn *ours)
{
	struct reading r = {.s = s, .ours = ours, .torn = BUF_INIT(2 * CONSOLE_LINE_BYTES)};

	*s = (struct shown){0};
	if (ours) {
		feed(text, on_count, &r);
		r.kernel = r.headed > r.plain;
	}
	feed(text, on_line, &r);
	end_torn(&r, false);
	buf_done(&r.torn);
}

void shown_done(struct shown *s)
{
	vec_done(&s->lines);
	arena_done(&s->arena);
}

const char *shown_name(struct shown *s, struct str text)
{
	AUTOBUF out = BUF_INIT(BUF_CAP_BYTES);

	text = str_trim(text);
	if (text.n > SHOWN_NAME_BYTES)
		text.n = SHOWN_NAME_BYTES;
	console_text_show(text, &out);
	for (size_t i = 0; i < out.len; i++)
		if (out.data[i] == '\t')
			out.data[i] = ' ';
	return arena_strdup(&s->arena, buf_str(&out));
}
