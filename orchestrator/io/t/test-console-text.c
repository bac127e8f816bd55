/* SPDX-License-Identifier: MIT */
/*
 * Console bytes as text: escapes whole, damaged and without end, carriage returns, bytes one at a
 * time; what is the head of a kernel's line and what only looks like it.
 */
#include "io/console-text.h"

#include "base/mem.h"
#include "base/t/tap.h"

/* ---- lines ---------------------------------------------------------------------------------- */

static void dump_line(void *arg, const struct console_line *line)
{
	buf_printf(arg, "%llu:", (unsigned long long)line->offset);
	console_text_show(line->text, arg);
	buf_puts(arg, line->whole ? "$" : "_");
}

static void check_lines(const char *raw, size_t n, const char *want)
{
	AUTOBUF out = BUF_INIT(1 << 20);

	for (size_t piece = 1; piece <= n; piece = piece < 4 ? piece + 1 : n + (piece == n)) {
		struct console_text t;

		buf_reset(&out);
		console_text_init(&t, 0, dump_line, &out);
		for (size_t at = 0; at < n; at += piece)
			console_text_feed(&t, str_make(raw + at, at + piece > n ? n - at : piece));
		console_text_end(&t);
		is_str(buf_str(&out), want, "%s, in pieces of %zu", want, piece);
	}
}

#define LINES(raw, want) check_lines(raw, sizeof(raw) - 1, want)

static void test_lines(void)
{
	LINES("a\r\nb\n", "0:a$3:b$");
	LINES("a\r\r\nb\n\rc", "0:a$4:b$7:c_");
	LINES("a\r\n\r\nb\n\nc\n", "0:a$3:$5:b$7:$8:c$");
	LINES("10%\r20%\r\n", "0:10%$4:20%$");
	LINES("\033[1;32mgreen\033[0m\033]0;title\007x\n", "7:greenx$");
	LINES("3 \b\b\b2\n", "5:2$");
	LINES("gr\303\266\b\bx\n", "0:gx$");
	LINES("cut \033[12\nnext\n", "0:cut $9:next$");
	LINES("a\0b\001\302\2332J\377\n", "0:a\\x00b\\x01\\xc2\\x9b2J\\xff$");
	LINES("a\033]0;never ended\nb\033Pnor\r\nthis\n", "0:a$17:b$25:this$");
	LINES("a\033[\033[mb\033\001c\n", "0:ab\\x01c$");
	LINES("", "");
}

static void count_bytes(void *arg, const struct console_line *line)
{
	*(size_t *)arg += line->text.n;
}

static void test_long_line(void)
{
	size_t n = 5 * CONSOLE_LINE_BYTES + 7, seen = 0;
	AUTOFREE char *raw = mem_alloc(n);
	struct console_text t;

	memset(raw, 'x', n);
	console_text_init(&t, 0, count_bytes, &seen);
	console_text_feed(&t, str_make(raw, n));
	console_text_end(&t);
	is_int((long long)seen, (long long)n, "a line without end comes in pieces, whole");
}

/* ---- endless escapes ------------------------------------------------------------------------ */

static size_t eaten(const char *start, char c, size_t n)
{
	struct console_escape e = {0};
	size_t of_it = 0;

	for (; *start; start++)
		console_escape(&e, (unsigned char)*start);
	while (of_it < n && console_escape(&e, (unsigned char)c))
		of_it++;
	return of_it;
}

static void test_endless(void)
{
	ok(eaten("\033[", '1', 4096) < 65, "a CSI without end costs little");
	ok(eaten("\033(", '!', 4096) < 65, "so does a charset");
	ok(eaten("\033]", 'x', 4096) < 513, "and a string");
	is_int((long long)eaten("\033]0;x", '\n', 1), 0, "none eats a line end");
}

/* ---- kernel lines --------------------------------------------------------------------------- */

static int head(const char *text)
{
	return console_kernel_head(str_of(text));
}

static int find(const char *text)
{
	return (int)console_kernel_find(str_of(text));
}

static void test_kernel(void)
{
	is_int(head("[    1.234567] usb"), 15, "a head");
	is_int(head("<6>[12345.678901] usb"), 18, "with its level");
	is_int(head("[    1.234567][  T12] usb"), 15, "with a caller behind it");
	is_int(head("[    1.2345"), -1, "cut off");
	is_int(head("<6"), -1, "in its level");
	is_int(head(""), -1, "before it");
	is_int(head("[1.234567] short"), 0, "seconds without their blanks");
	is_int(head("[    1.23] short"), 0, "too few digits");
	is_int(head("[2026-01-02 12:00] x"), 0, "a date");
	is_int(head("[    1.234567]x"), 0, "nothing between");
	is_int(find("root@x:~# [    1.234567] usb"), 10, "in the middle of a line");
	is_int(find("a <b> [c] <6>[    1.234567] usb"), 10, "behind what is none");
	is_int(find("a [    1.234567]"), 2, "with nothing behind it");
	is_int(find("a [    1.2345"), -1, "cut off it is none");
	is_int(find("a [1.2] b"), -1, "other brackets");
}

int main(void)
{
	test_lines();
	test_long_line();
	test_endless();
	test_kernel();
	return tap_done();
}
