/* SPDX-License-Identifier: MIT */
/*
 * Finds result frames in the raw bytes of a console. Invariant: nothing is delivered whose body
 * does not have the length and CRC that its head promises, and nothing twice. A body holds no
 * '@', so the end of a frame is the first '@' after its head, and for a frame with lines printed
 * into it there is one place only where it can have been cut: no search, no guess.
 */
#include "frame.h"

#include "base/mem.h"
#include "io/console-text.h"

#include <stdio.h>
#include <zlib.h>

#define MARK       "@hil "
#define MARK_LEN   (sizeof(MARK) - 1)
#define HEAD_MAX   (MARK_LEN + 4 + 1 + 10 + 1) /* "@hil 4000 4294967295 " */
#define RUN_BYTES  16
#define KIND_BYTES 16

/* A line that holds the start of something that may be a frame, and how many lines ago it was. */
struct start {
	char *text;
	size_t n;
	unsigned age;
};

struct frames {
	char run[RUN_BYTES];
	frame_fn *fn;
	void *arg;
	struct console_escape escape;
	char line[FRAME_LINE_BYTES + 1];
	size_t n;
	struct start starts[FRAME_JOIN_LINES]; /* newest last */
	size_t n_starts;
	uint64_t damaged;
	uint8_t seen[FRAME_SEQ_MAX / 8];
};

uint32_t frame_cksum(struct str bytes)
{
	static uint32_t table[256];
	uint32_t crc = 0;

	if (!table[1]) {
		for (uint32_t i = 0; i < 256; i++) {
			uint32_t c = i << 24;

			for (int bit = 0; bit < 8; bit++)
				c = c & 0x80000000u ? c << 1 ^ 0x04C11DB7u : c << 1;
			table[i] = c;
		}
	}
	for (size_t i = 0; i < bytes.n; i++)
		crc = crc << 8 ^ table[crc >> 24 ^ (uint8_t)bytes.p[i]];
	for (size_t n = bytes.n; n; n >>= 8)
		crc = crc << 8 ^ table[crc >> 24 ^ (uint8_t)n];
	return ~crc;
}

uint32_t frame_crc32(struct str bytes)
{
	return (uint32_t)crc32(0, (const uint8_t *)bytes.p, (unsigned)bytes.n);
}

bool frame_crc_is(struct str bytes, uint32_t crc)
{
	return frame_cksum(bytes) == crc || frame_crc32(bytes) == crc;
}

int frame_format(
	const char *run, uint32_t seq, const char *kind, const char *payload, struct buf *out)
{
	AUTOBUF body = BUF_INIT(FRAME_BODY_BYTES + 1);

	if (buf_printf(&body, "%s %u %s%s%s", run, (unsigned)seq, kind, *payload ? " " : "",
		    payload) ||
		body.len > FRAME_BODY_BYTES)
		return -1;
	return buf_printf(out, "@hil %zu %u %s@\n", body.len,
		(unsigned)frame_cksum(str_make(body.data, body.len)), body.data);
}

struct frames *frames_new(const char *run, frame_fn *fn, void *arg)
{
	struct frames *fs = mem_alloc(sizeof *fs);

	snprintf(fs->run, sizeof fs->run, "%s", run);
	fs->fn = fn;
	fs->arg = arg;
	return fs;
}

void frames_free(struct frames *fs)
{
	if (!fs)
		return;
	for (size_t i = 0; i < fs->n_starts; i++)
		free(fs->starts[i].text);
	free(fs);
}

bool frames_seen(const struct frames *fs, uint32_t seq)
{
	return seq < FRAME_SEQ_MAX && fs->seen[seq / 8] & 1u << seq % 8;
}

uint64_t frames_damaged(const struct frames *fs)
{
	return fs->damaged;
}

/* Decimal digits at s->p, at most max of them, cut off with the blank behind them. */
static bool take_number(struct str *s, unsigned max, uint64_t *out)
{
	uint64_t v = 0;
	unsigned n = 0;

	while (n < s->n && n < max && s->p[n] >= '0' && s->p[n] <= '9')
		v = v * 10 + (uint64_t)(s->p[n++] - '0');
	if (!n || n == s->n || s->p[n] != ' ')
		return false;
	*s = str_make(s->p + n + 1, s->n - n - 1);
	*out = v;
	return true;
}

/* The head of a frame at the start of s: its length in bytes, 0 when it is none. */
static size_t parse_head(struct str s, uint64_t *len, uint64_t *crc)
{
	struct str rest = s;

	if (!str_starts(s, MARK))
		return 0;
	rest = str_make(s.p + MARK_LEN, s.n - MARK_LEN);
	if (!take_number(&rest, 4, len) || !take_number(&rest, 10, crc) ||
		*len > FRAME_BODY_BYTES || *crc > UINT32_MAX)
		return 0;
	return s.n - rest.n;
}

/* A body whose checksum was right. */
static void take_body(struct frames *fs, struct str body)
{
	char kind[KIND_BYTES];
	struct str run, payload = {0}, rest = body;
	uint64_t seq;
	ptrdiff_t at = str_chr(body, ' ');

	if (at < 0)
		return;
	run = str_make(body.p, (size_t)at);
	rest = str_make(body.p + at + 1, body.n - (size_t)at - 1);
	if (!str_is(run, fs->run) || !take_number(&rest, 7, &seq) || seq >= FRAME_SEQ_MAX)
		return;
	at = str_chr(rest, ' ');
	if (at < 0)
		at = (ptrdiff_t)rest.n; /* a kind alone, no payload */
	if (!at || (size_t)at >= sizeof kind || frames_seen(fs, (uint32_t)seq))
		return;
	if ((size_t)at < rest.n)
		payload = str_make(rest.p + at + 1, rest.n - (size_t)at - 1);
	memcpy(kind, rest.p, (size_t)at);
	kind[at] = 0;
	fs->seen[seq / 8] |= (uint8_t)(1u << seq % 8);
	fs->fn(fs->arg, &(struct frame){.seq = (uint32_t)seq, .kind = kind, .payload = payload});
}

/* A whole frame at the start of s: its length, 0 when there is none. */
static size_t take_frame(struct frames *fs, struct str s)
{
	uint64_t len, crc;
	size_t head = parse_head(s, &len, &crc);

	if (!head || s.n < head + len + 1 || s.p[head + len] != '@')
		return 0;
	if (!frame_crc_is(str_make(s.p + head, len), (uint32_t)crc))
		return 0;
	take_body(fs, str_make(s.p + head, len));
	return head + len + 1;
}

/*
 * a: text that starts with '@' and may have had lines printed into it; b: a later line. If a cut of
 * a joined with b is a frame, takes it. With the head whole in a the place of the cut follows from
 * the length; with a cut inside the head each place of it is tried.
 */
static bool take_joined(struct frames *fs, struct str a, struct str b)
{
	char joined[HEAD_MAX + FRAME_BODY_BYTES + 2];
	size_t end = (size_t)str_chr(b, '@') + 1; /* bytes of b that belong to it; the caller
						     looked that there is one */
	uint64_t len, crc;
	size_t head = parse_head(a, &len, &crc), total, first = 1, last = HEAD_MAX;

	if (end > sizeof joined)
		return false;
	if (head) {
		total = head + len + 1;
		if (total > end && total - end >= head && total - end <= a.n) {
			memcpy(joined, a.p, total - end);
			memcpy(joined + total - end, b.p, end);
			if (take_frame(fs, str_make(joined, total)) == total)
				return true;
		}
		last = head - 1;
	}
	for (size_t cut = first; cut <= last && cut <= a.n && cut + end <= sizeof joined; cut++) {
		if (cut <= MARK_LEN && a.p[cut - 1] != MARK[cut - 1])
			break;
		memcpy(joined, a.p, cut);
		memcpy(joined + cut, b.p, end);
		if (take_frame(fs, str_make(joined, cut + end)) == cut + end)
			return true;
	}
	return false;
}

static void drop_start(struct frames *fs, size_t i)
{
	free(fs->starts[i].text);
	fs->n_starts--;
	memmove(fs->starts + i, fs->starts + i + 1, (fs->n_starts - i) * sizeof *fs->starts);
}

static void keep_start(struct frames *fs, struct str text)
{
	if (fs->n_starts == FRAME_JOIN_LINES)
		drop_start(fs, 0);
	fs->starts[fs->n_starts++] =
		(struct start){.text = mem_strndup(text.p, text.n), .n = text.n};
}

/* Frames whole within the line; what is left from the first '@' that started none of them is kept,
 * as it may be the start of a frame that a later line ends. */
static void take_line(struct frames *fs, struct str line)
{
	struct str left = {0};
	unsigned starts = 0;
	bool shared = false; /* this '@' ended a frame; what stood between was lost */

	for (size_t i = 0; i < line.n && starts < FRAME_STARTS;) {
		struct str s = str_make(line.p + i, line.n - i);
		ptrdiff_t at = str_chr(s, '@');
		size_t n;

		if (at < 0)
			break;
		s = str_make(s.p + at, s.n - (size_t)at);
		i += (size_t)at;
		n = take_frame(fs, s);
		starts += !n && !shared;
		if (!n && str_starts(s, MARK) && s.n > MARK_LEN && s.p[MARK_LEN] >= '0' &&
			s.p[MARK_LEN] <= '9')
			fs->damaged++;
		if (!n && !left.p && (!shared || str_starts(s, MARK)))
			left = s;
		i += n ? n - 1 : 1;
		shared = n;
	}
	if (left.p)
		keep_start(fs, left);
}

static void join_line(struct frames *fs, struct str line)
{
	if (str_chr(line, '@') < 0)
		return;
	for (size_t k = fs->n_starts; k-- > 0;) {
		struct str a = str_make(fs->starts[k].text, fs->starts[k].n);

		for (unsigned starts = 0; starts < FRAME_STARTS; starts++) {
			ptrdiff_t at;

			if (take_joined(fs, a, line)) {
				drop_start(fs, k);
				return;
			}
			at = str_chr(str_make(a.p + 1, a.n - 1), '@');
			if (at < 0)
				break;
			a = str_make(a.p + 1 + at, a.n - 1 - (size_t)at);
		}
	}
}

static void end_line(struct frames *fs)
{
	struct str line = str_make(fs->line, fs->n);

	for (size_t i = 0; i < fs->n_starts; i++)
		fs->starts[i].age++;
	while (fs->n_starts && fs->starts[0].age > FRAME_JOIN_LINES)
		drop_start(fs, 0);
	join_line(fs, line);
	take_line(fs, line);
	fs->n = 0;
}

static void add_byte(struct frames *fs, char c)
{
	if (c == '\n') {
		end_line(fs);
		return;
	}
	if (fs->n == FRAME_LINE_BYTES) {
		size_t half = FRAME_LINE_BYTES / 2;

		take_line(fs, str_make(fs->line, fs->n));
		memmove(fs->line, fs->line + half, fs->n - half);
		fs->n -= half;
	}
	fs->line[fs->n++] = c;
}

void frames_feed(struct frames *fs, struct str raw)
{
	for (size_t i = 0; i < raw.n; i++) {
		uint8_t c = (uint8_t)raw.p[i];

		if (console_escape(&fs->escape, c) || (c < 0x20 && c != '\n') || c == 0x7f)
			continue;
		add_byte(fs, (char)c);
	}
}

static int hex_value(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	c |= 0x20;
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

size_t frame_fields(struct str payload, struct buf *out, const char *fields[FRAME_FIELDS])
{
	size_t at[FRAME_FIELDS], n = 0;

	buf_reset(out);
	at[n++] = 0;
	for (size_t i = 0; i < payload.n; i++) {
		char c = payload.p[i];

		if (c == '|') {
			if (n == FRAME_FIELDS)
				break;
			buf_putc(out, 0);
			at[n++] = out->len;
			continue;
		}
		if (c == '%' && i + 2 < payload.n && hex_value(payload.p[i + 1]) >= 0 &&
			hex_value(payload.p[i + 2]) >= 0) {
			c = (char)(hex_value(payload.p[i + 1]) << 4 | hex_value(payload.p[i + 2]));
			i += 2;
		}
		if (c) /* no text with a NUL inside */
			buf_putc(out, c);
	}
	buf_putc(out, 0);
	for (size_t i = 0; i < n; i++)
		fields[i] = out->data + at[i];
	return n;
}
