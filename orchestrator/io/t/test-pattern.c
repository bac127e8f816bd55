/* SPDX-License-Identifier: MIT */
/* Patterns over console bytes: breaks, partial matches, limits. */
#include "io/pattern.h"

#include "base/buf.h"
#include "base/t/tap.h"

#include <stdlib.h>

/* "START-END" of the first match, "no", "partial at START", "limit". */
static const char *find(const char *pattern, struct str s, bool partial_ok)
{
	static char out[40];
	struct err e = {0};
	struct pattern *p = pattern_new(pattern, &e);
	struct pattern_match m;
	int rc;

	if (!p)
		return "does not compile";
	rc = pattern_search(p, s, 0, partial_ok, &m);
	if (rc < 0)
		snprintf(out, sizeof out, "limit");
	else if (rc)
		snprintf(out, sizeof out, "%zu-%zu", m.start, m.end);
	else if (m.partial)
		snprintf(out, sizeof out, "partial at %zu", m.start);
	else
		snprintf(out, sizeof out, "no");
	pattern_free(p);
	return out;
}

#define finds(pattern, text, want)                                                                 \
	is_str(find(pattern, STR_LIT(text), false), want, "%s in %s", #pattern, #text)

static void matches(void)
{
	finds("=> $", "U-Boot 1\r\n=> ", "10-13");
	finds("^login:", "x\r\nlogin:", "3-9");
	finds("^login:", "x\rlogin:", "2-8");
	finds("^login:", "xlogin:", "no");
	finds("^x$", "a\r\nx\r\nb", "3-4");
	finds("a.b", "a\nb", "no");
	finds("a.b", "a\rb", "no");
	finds("a.b",
		"a\xff"
		"b",
		"0-3");
	finds("\xc3.", "\xc3\xa4", "0-2");
	finds("x", "a\0x", "2-3");
	finds("", "abc", "0-0");
	finds("(?i)PANIC", "kernel panic", "7-12");
	is_str(find("x", str_of(NULL), false), "no", "nothing in nothing");
	is_str(find("^", str_of(NULL), false), "0-0", "the start of nothing");
}

static void partials(void)
{
	struct str s = STR_LIT("booting\r\nlog");

	is_str(find("login:", s, true), "partial at 9", "the start of a match");
	is_str(find("login:", s, false), "no", "not asked for");
	is_str(find("login:", STR_LIT("login: login"), true), "0-6", "a whole match goes first");
	is_str(find("abc", STR_LIT("xyz"), true), "no", "none");
}

static void groups(void)
{
	struct err e = {0};
	struct pattern *p = pattern_new("(a)|(b)(c)(d)(e)(f)(g)(h)(i)", &e);
	struct pattern_match m;
	struct str s = STR_LIT("xbcdefghi a");

	is_int(pattern_search(p, s, 0, false, &m), 1, "more groups than are kept");
	ok(str_is(m.group[0], "bcdefghi"), "the whole match");
	ok(!m.group[1].p && !m.group[1].n, "a group that took no part");
	ok(str_is(m.group[2], "b") && str_is(m.group[7], "g"), "those that did");
	is_int(pattern_search(p, s, m.end, false, &m), 1, "from there on");
	ok(str_is(m.group[1], "a") && m.start == 10, "the next");
	ok(!m.group[7].p, "and nothing of the first");
	is_int(pattern_search(p, s, m.end, false, &m), 0, "no more");
	is_int(m.start, s.n, "no match can begin before the end");
	is_int(pattern_search(p, s, 99, false, &m), 0, "past the end");
	is_str(pattern_text(p), "(a)|(b)(c)(d)(e)(f)(g)(h)(i)", "its text");
	pattern_free(p);
	pattern_free(NULL);
}

static void limits(void)
{
	AUTOBUF text = BUF_INIT(BUF_CAP_BYTES);
	struct err e = {0};
	struct pattern *p;
	struct pattern_match m;

	for (int i = 0; i < 5000; i++)
		buf_putc(&text, 'a');
	p = pattern_new("(a+)+$x|(a|aa)+\\d", &e);
	is_int(pattern_search(p, str_make(text.data, text.len), 0, false, &m), -1,
		"a pattern without end is cut off");
	pattern_free(p);
	ok(!pattern_new("a(b", &e), "no pattern");
	is_str(e.msg, "pattern 'a(b': missing closing parenthesis at character 4", "and why");
	is_int(e.blame, BLAME_CONFIG, "blame");
	ok(!pattern_new("(*UTF)x", &e), "no UTF mode");
	buf_reset(&text);
	for (int i = 0; i < 10000; i++)
		buf_putc(&text, '(');
	ok(!pattern_new(buf_str(&text), &e), "too long");
	ok(!pattern_new(buf_str(&text) + 9000, &e), "nested too deep");
	has_str(e.msg, "parentheses are too deeply nested", "says so");
}

int main(void)
{
	matches();
	partials();
	groups();
	limits();
	return tap_done();
}
