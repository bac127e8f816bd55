/* SPDX-License-Identifier: MIT */
/*
 * The matcher: escapes, kernel lines, raw offsets, and the property that the way bytes are cut
 * into reads does not change what is found. EXPECT_SEED repeats a run, EXPECT_ROUNDS lengthens it.
 */
#include "agents/bench/expect.h"
#include "base/buf.h"
#include "base/clock.h"
#include "base/t/tap.h"

#include <stdlib.h>

#define KL "[   12.345678] usb 1-1: new high-speed USB device\r\n"

static uint64_t rng;

static unsigned rnd(unsigned n)
{
	rng ^= rng << 13;
	rng ^= rng >> 7;
	rng ^= rng << 17;
	return (unsigned)(rng >> 33) % n;
}

static struct pattern *pat(const char *text)
{
	struct err e = {0};
	struct pattern *p = pattern_new(text, &e);

	if (!p) {
		printf("Bail out! %s\n", e.msg);
		exit(1);
	}
	return p;
}

/* Feeds raw in pieces of `cut` bytes (0: all at once) and looks for one pattern. */
static bool find(const char *pattern, const char *raw, size_t n, size_t cut, uint64_t *start,
	uint64_t *end, char *before)
{
	struct expect *x = expect_new();
	struct pattern *p = pat(pattern);
	struct expect_match m;
	bool found = false;

	for (size_t i = 0; i < n && !found;) {
		size_t k = cut && cut < n - i ? cut : n - i;

		expect_feed(x, str_make(raw + i, k));
		i += k;
		found = expect_search(x, &p, 1, &m) == 1;
	}
	if (found) {
		*start = m.raw_start;
		*end = m.raw_end;
		snprintf(before, 256, "%.*s", STR_ARG(m.before));
	}
	pattern_free(p);
	expect_free(x);
	return found;
}

static void found_as(const char *name, const char *pattern, const char *raw, const char *want)
{
	char before[256], got[512];
	uint64_t s = 0, e = 0;
	static const size_t cuts[] = {0, 1, 2, 3, 7};
	bool good = true;

	for (size_t i = 0; i < ARRAY_LEN(cuts); i++) {
		bool f = find(pattern, raw, strlen(raw), cuts[i], &s, &e, before);

		snprintf(got, sizeof got, "%.*s", f ? (int)(e - s) : 0, raw + s);
		if (f == !want || (want && strcmp(got, want))) {
			printf("# cut %zu: '%s'\n", cuts[i], f ? got : "(not found)");
			good = false;
		}
	}
	ok(good, "%s", name);
}

static void test_escapes(void)
{
	found_as("plain", "login:", "\r\nam62a login: ", "login:");
	found_as("colour inside", "login:", "log\x1b[1;31min\x1b[0m:", "log\x1b[1;31min\x1b[0m:");
	found_as("charset, keypad, SI", "abc",
		"a\x1b(B\x1b=b\x0f"
		"c",
		"a\x1b(B\x1b=b\x0f"
		"c");
	found_as("OSC ended by BEL", "ab",
		"a\x1b]0;title\x07"
		"b",
		"a\x1b]0;title\x07"
		"b");
	found_as("OSC ended by ST", "ab", "a\x1b]0;title\x1b\\b", "a\x1b]0;title\x1b\\b");
	found_as("OSC never ended", "next line", "a\x1b]0;title\nnext line", "next line");
	found_as("OSC cut by an escape", "xy", "\x1b]0;ti\x1b[0mx\x1b[mxy", "xy");
	found_as("CSI cut by a line end", "next", "a\x1b[12\nnext", "next");
	found_as("CRLF is one line end", "^b$", "a\r\nb\r\nc", "b");
	found_as("CR CR LF, too", "a\\nb", "a\r\r\nb", "a\r\r\nb");
	found_as("an escape between CR and LF", "a\\nb", "a\r\x1b[K\nb", "a\r\x1b[K\nb");
	found_as("bare CR stays", "a\\rb", "a\rb", "a\rb");
	found_as("mid-line", "MARK", "xxMARKyy", "MARK");
	found_as("^ only at a line's start", "^foo", "a foo\nb foo\n", NULL);
}

static void test_kernel_lines(void)
{
	static const char prompt[] = "root@am62a:~# ";
	char raw[512], before[256];
	uint64_t s, e;
	int bad = 0;

	for (size_t at = 0; at <= sizeof prompt - 1; at++)
		for (size_t lines = 1; lines <= 3; lines++)
			for (size_t cut = 0; cut < 4; cut++) {
				int n = snprintf(raw, sizeof raw, "x\r\n%.*s%s%s%s%s", (int)at,
					prompt, lines > 0 ? KL : "", lines > 1 ? "<6>" KL : "",
					lines > 2 ? KL : "", prompt + at);
				bool f =
					find("root@am62a:~# ", raw, (size_t)n, cut, &s, &e, before);
				uint64_t want_end = at == sizeof prompt - 1 ? 3 + at : (uint64_t)n;
				uint64_t want_start = at ? 3 : (uint64_t)n - (sizeof prompt - 1);

				if (f && s == want_start && e == want_end)
					continue;
				if (!bad++)
					printf("# at %zu, lines %zu, cut %zu: %d %d-%d\n", at,
						lines, cut, f, (int)s, (int)e);
			}
	is_int(bad, 0, "a prompt with 1 to 3 kernel lines at every place in it");
	found_as("several insertions", "root@am62a:~# ", "ro" KL "ot@am6" KL "2a:~" KL "# ",
		"ro" KL "ot@am6" KL "2a:~" KL "# ");
	found_as("with a caller", "ab", "a[    1.000000][  T1] x\nb", "a[    1.000000][  T1] x\nb");
	found_as("pattern with $", "~# $", "root@x:~# " KL, "~# ");
	found_as("pattern with ^", "^root@x# ", "\nro" KL "ot@x# ", "ro" KL "ot@x# ");
	found_as("kernel line still running", "~# $", "root@x:~# [   12.345678] usb", "~# ");
	found_as("the kernel line itself is found", "new high-speed", "ro" KL "ot",
		"new high-speed");
	found_as("not over the end of a line", "abcd", "ab\n" KL "cd", NULL);
	found_as("not over a joined line's end", "bcd", "a" KL "bc\nd", NULL);
	found_as("other brackets are text", "ab", "a[12.3] x\nb", NULL);
	found_as("a short stamp is text", "ab", "a[1.345678] x\nb", NULL);
	found_as("kernel lines at line starts join nothing", "xy", "x\n" KL KL "y", NULL);
	found_as("bare prompt behind whole kernel lines", "^# ", KL KL "# ", "# ");
}

static void test_consume(void)
{
	struct expect *x = expect_new();
	struct pattern *p[2] = {pat("a(\\d)(x)?"), pat("b")};
	struct expect_match m;

	is_int(expect_search(x, p, 2, &m), 0, "nothing fed");
	expect_feed(x, STR_LIT("..b.a1.a2"));
	is_int(expect_search(x, p, 2, &m), 1, "found");
	is_int(m.which, 1, "the earliest, not the lowest index");
	is_int((int)m.before.n, 2, "before");
	is_int(expect_search(x, p, 2, &m), 1, "next");
	ok(m.which == 0 && str_is(m.group[1], "1"), "group 1");
	ok(!m.group[2].p, "a group that took no part");
	ok(str_is(m.before, "."), "before starts behind the last match");
	is_int(m.raw_start, 4, "raw offset");
	ok(str_is(expect_pending(x), ".a2"), "pending");
	expect_skip(x);
	is_int(expect_search(x, p, 2, &m), 0, "skipped");
	expect_feed(x, STR_LIT("a"));
	is_int(expect_search(x, p, 2, &m), 0, "partial");
	is_int(expect_search(x, &p[1], 1, &m), 0, "other patterns between");
	expect_feed(x, STR_LIT("7"));
	is_int(expect_search(x, p, 2, &m), 1, "carry-over");
	is_int(m.raw_start, 9, "raw offset");
	pattern_free(p[0]);
	pattern_free(p[1]);
	expect_free(x);
}

static void test_window(void)
{
	struct expect *x = expect_new();
	struct pattern *p = pat("^END$"), *q = pat("^x");
	struct expect_match m;
	char line[128];
	uint64_t n = 0;

	memset(line, 'x', sizeof line);
	expect_skip(x);
	for (int i = 0; i < 40000; i++) {
		expect_feed(x, str_make(line, sizeof line));
		n += sizeof line;
		if (i > 3000 && i % 64 == 0 && expect_search(x, &q, 1, &m))
			break;
	}
	is_int((int)n, 40000 * (int)sizeof line, "`^` is not found where the window was cut");
	ok(expect_pending(x).n >= EXPECT_WINDOW_BYTES, "a window of the newest bytes is kept");
	expect_feed(x, STR_LIT("\r\nEND\r\n"));
	is_int(expect_search(x, &p, 1, &m), 1, "found behind megabytes");
	ok(m.raw_start == n + 2 && m.raw_end == n + 5, "raw offsets are right there");
	pattern_free(p);
	pattern_free(q);
	expect_free(x);
}

/* ---- the property ---- */

static const char *const parts[] = {"root@am62a:~# ", "login: ", "\r\n", "\n", "\r", "\x1b[0m",
	"\x1b[1;31m", "\x1b(B", "\x1b]0;t\x07", "\x1b", "\x1b[", "[   12.345678] usb: x\r\n",
	"<6>[  112.345678] y\n", "[   12.345678][  T12] z\r\n", "[    1.2", "[", "<", "<6>", "a",
	"ab", "root@", "am62a", ":~", "# ", "END", "E", "N", "D\r\n", "12", "\x0f", "\xff",
	"U-Boot ", "Kernel panic - not syncing: oops", "Hit any key"};
static const char *const patterns[] = {"root@am62a:~# ", "login: ", "^END\\r?\\n", "ab{2}",
	"Kernel panic - not syncing: \\w", "(?:U-Boot|Hit) ", "am62a:[^#]{1,3}#", "a12"};
#define PATTERNS ARRAY_LEN(patterns)
#define FOUND    4096

struct found {
	int which;
	uint64_t start, end;
};

static size_t play(const struct buf *raw, int how, struct pattern *const *p, struct found *out)
{
	struct expect *x = expect_new();
	struct expect_match m;
	size_t n = 0;

	for (size_t i = 0; i < raw->len;) {
		size_t cut = how == 0 ? raw->len : how == 1 ? 1 : 1 + rnd(40);

		if (cut > raw->len - i)
			cut = raw->len - i;
		expect_feed(x, str_make(raw->data + i, cut));
		i += cut;
		while (n < FOUND && expect_search(x, p, PATTERNS, &m) == 1)
			out[n++] = (struct found){m.which, m.raw_start, m.raw_end};
	}
	expect_free(x);
	return n;
}

static size_t property_round(struct pattern *const *p, size_t *bad)
{
	static struct found a[FOUND], b[FOUND];
	AUTOBUF raw = BUF_INIT(EXPECT_WINDOW_BYTES);
	unsigned len = 1 + rnd(400);
	size_t n, k;

	for (unsigned i = 0; i < len; i++)
		buf_puts(&raw, parts[rnd(ARRAY_LEN(parts))]);
	n = play(&raw, 0, p, a);
	for (int how = 1; how < 4; how++) {
		k = play(&raw, how, p, b);
		if (k == n && !memcmp(a, b, n * sizeof *a))
			continue;
		if ((*bad)++)
			continue;
		for (size_t i = 0; i < n || i < k; i++)
			if (i >= n || i >= k || memcmp(&a[i], &b[i], sizeof *a)) {
				size_t from = a[i].start > 60 ? a[i].start - 60 : 0;
				AUTOBUF text = BUF_INIT(4096);
				char shown[600];

				str_printable(str_make(raw.data + from,
						      raw.len - from < 140 ? raw.len - from : 140),
					shown, sizeof shown);
				printf("# how %d, match %zu of %zu/%zu: %d %d-%d, %d %d-%d\n# %s\n",
					how, i, n, k, a[i].which, (int)a[i].start, (int)a[i].end,
					b[i].which, (int)b[i].start, (int)b[i].end, shown);
				break;
			}
	}
	return n;
}

static void test_property(void)
{
	const char *seed = getenv("EXPECT_SEED"), *rounds = getenv("EXPECT_ROUNDS");
	struct pattern *p[PATTERNS];
	size_t bad = 0, matches = 0;
	int n = rounds ? atoi(rounds) : 300;

	rng = seed ? strtoull(seed, NULL, 0) : (uint64_t)clock_us() * 2654435761u + 1;
	printf("# EXPECT_SEED=%llu, %d rounds\n", (unsigned long long)rng, n);
	for (size_t i = 0; i < PATTERNS; i++)
		p[i] = pat(patterns[i]);
	for (int i = 0; i < n; i++)
		matches += property_round(p, &bad);
	is_int((int)bad, 0, "whole, byte by byte and random reads find the same");
	ok(matches > (size_t)n, "and they found something (%zu)", matches);
	for (size_t i = 0; i < PATTERNS; i++)
		pattern_free(p[i]);
}

int main(void)
{
	test_escapes();
	test_kernel_lines();
	test_consume();
	test_window();
	test_property();
	return tap_done();
}
