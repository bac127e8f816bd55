/* SPDX-License-Identifier: MIT */
/*
 * The words of JSON, a line at a time. Tools that print JSON by hand print bytes that are not
 * UTF-8, bare control bytes, wrong escapes and numbers that are none; each becomes the nearest
 * strict thing, and a number that cannot be told becomes null. Invariant: reads only within the
 * line, and adds to out only when the whole line is JSON.
 */
#include "json-lex.h"

#include "json-scan.h"

#include <strings.h>

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

static bool is_hex(char c)
{
	return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

/* Length of the UTF-8 sequence at p, 0 when it is none. */
static size_t utf8_length(const unsigned char *p, size_t n)
{
	size_t len = p[0] < 0x80                   ? 1
		     : p[0] >= 0xc2 && p[0] < 0xe0 ? 2
		     : p[0] >= 0xe0 && p[0] < 0xf0 ? 3
		     : p[0] >= 0xf0 && p[0] < 0xf5 ? 4
						   : 0;

	if (!len || len > n)
		return 0;
	for (size_t i = 1; i < len; i++)
		if ((p[i] & 0xc0) != 0x80)
			return 0;
	if ((p[0] == 0xe0 && p[1] < 0xa0) || (p[0] == 0xed && p[1] > 0x9f) ||
		(p[0] == 0xf0 && p[1] < 0x90) || (p[0] == 0xf4 && p[1] > 0x8f))
		return 0;
	return len;
}

/* An escape at s.p (a backslash); returns the bytes taken. */
static size_t lex_escape(struct str s, struct buf *out)
{
	if (s.n < 2)
		return 0;
	if (s.p[1] == 'u') {
		if (s.n < 6 || !is_hex(s.p[2]) || !is_hex(s.p[3]) || !is_hex(s.p[4]) ||
			!is_hex(s.p[5])) {
			buf_puts(out, "\\\\");
			return 1;
		}
		/* Half a surrogate pair or a NUL is no text of ours. */
		if (((s.p[2] | 0x20) == 'd' && s.p[3] >= '8') || !memcmp(s.p + 2, "0000", 4))
			buf_putc(out, '?');
		else
			buf_add(out, s.p, 6);
		return 6;
	}
	if (!strchr("\"\\/bfnrt", s.p[1]) || !s.p[1]) {
		buf_puts(out, "\\\\");
		return 1;
	}
	buf_add(out, s.p, 2);
	return 2;
}

/* Is itself in a string. */
static bool is_plain(char c)
{
	return c >= ' ' && c < 127 && c != '"' && c != '\\';
}

/* A string at s.p (its quote); returns the bytes taken, 0 when it does not end in this line. */
static size_t lex_string(struct str s, struct buf *out)
{
	size_t i = 1;

	buf_putc(out, '"');
	while (i < s.n) {
		unsigned char c;
		size_t n = 0;

		while (i + n < s.n && is_plain(s.p[i + n]))
			n++;
		buf_add(out, s.p + i, n);
		i += n;
		if (i == s.n)
			break;
		c = (unsigned char)s.p[i];
		if (c == '"') {
			buf_putc(out, '"');
			return i + 1;
		}
		if (c == '\\') {
			n = lex_escape(str_make(s.p + i, s.n - i), out);
			if (!n)
				return 0;
			i += n;
			continue;
		}
		n = c < 0x20 ? 0 : utf8_length((const unsigned char *)s.p + i, s.n - i);
		if (n)
			buf_add(out, s.p + i, n);
		else
			buf_putc(out, c < 0x20 ? ' ' : '?');
		i += n ? n : 1;
	}
	return 0;
}

static size_t digits(struct str w, size_t i)
{
	size_t n = 0;

	while (i + n < w.n && w.p[i + n] >= '0' && w.p[i + n] <= '9')
		n++;
	return n;
}

/* JSON's own grammar of a number (RFC 8259 section 6). */
static bool is_number(struct str w)
{
	size_t i = w.n && w.p[0] == '-', n = digits(w, i);

	if (!n || (n > 1 && w.p[i] == '0'))
		return false;
	i += n;
	if (i < w.n && w.p[i] == '.') {
		n = digits(w, i + 1);
		if (!n)
			return false;
		i += 1 + n;
	}
	if (i < w.n && (w.p[i] == 'e' || w.p[i] == 'E')) {
		i += 1 + (i + 1 < w.n && (w.p[i + 1] == '-' || w.p[i + 1] == '+'));
		n = digits(w, i);
		if (!n)
			return false;
		i += n;
	}
	return i == w.n;
}

static bool is_no_number(struct str w)
{
	static const char *const words[] = {"nan", "inf", "infinity"};

	if (w.n && (*w.p == '-' || *w.p == '+'))
		w.p++, w.n--;
	for (size_t i = 0; i < ARRAY_LEN(words); i++)
		if (w.n == strlen(words[i]) && !strncasecmp(w.p, words[i], w.n))
			return true;
	return false;
}

/* A number or a literal; returns the bytes taken, 0 when it is neither. */
static size_t lex_word(struct str s, struct buf *out)
{
	struct str w = {s.p, 0};
	double value;

	while (w.n < s.n && !is_blank(s.p[w.n]) && !strchr("{}[]:,\"", s.p[w.n]))
		w.n++;
	if (!w.n || w.n > 400)
		return 0;
	if (str_is(w, "true") || str_is(w, "false") || str_is(w, "null") ||
		(is_number(w) && !str_double(w, &value)))
		buf_add(out, w.p, w.n);
	else if (is_number(w) || is_no_number(w))
		buf_puts(out, "null");
	else
		return 0;
	return w.n;
}

bool json_lex_line(struct str line, int *depth, size_t *used, struct buf *out)
{
	AUTOBUF strict = BUF_INIT(4 * line.n + 64);
	int level = *depth;
	size_t i = 0;

	while (i < line.n) {
		struct str rest = str_make(line.p + i, line.n - i);
		char c = *rest.p;
		size_t n = 1;

		if (c == '"') {
			n = lex_string(rest, &strict);
		} else if (is_blank(c)) {
			while (n < rest.n && is_blank(rest.p[n]))
				n++;
			buf_add(&strict, rest.p, n);
		} else if (c && strchr("{}[]:,", c)) {
			level += (c == '{' || c == '[') - (c == '}' || c == ']');
			buf_putc(&strict, c);
		} else {
			n = lex_word(rest, &strict);
		}
		if (!n || level > JSON_SCAN_DEPTH) {
			*used = i;
			return false;
		}
		i += n;
		if (!level && (c == '}' || c == ']'))
			break;
	}
	*used = i;
	*depth = level;
	buf_add(out, buf_str(&strict), strict.len);
	return true;
}
