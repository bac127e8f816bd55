/* SPDX-License-Identifier: MIT */
/* Faults of a console line: specs read, and what each does to bytes. */
#include "base/t/tap.h"
#include "labs/virtual/player/fault.h"

/* What becomes of text that goes by in pieces of n bytes; static. */
static const char *through(const char *spec, const char *text, size_t n, enum fault_kind *struck)
{
	static char out[512];
	struct faults f = {.line = "[K]\n"};
	struct buf b = BUF_INIT(sizeof out);
	struct err e = {0};
	size_t len = strlen(text), eaten;

	*struck = FAULT_NONE;
	if (faults_add(&f, str_of(spec), &e) < 0) {
		snprintf(out, sizeof out, "%s", e.msg);
		return out;
	}
	for (size_t i = 0; i < len && *struck == FAULT_NONE; i += n)
		*struck = faults_pass(
			&f, false, str_make(text + i, len - i < n ? len - i : n), &b, &eaten);
	snprintf(out, sizeof out, "%s", buf_str(&b));
	buf_done(&b);
	faults_done(&f);
	return out;
}

static void bytes(void)
{
	static const struct {
		const char *spec, *in, *want;
	} cases[] = {
		{"insert every=4", "abcdefghij", "abcd[K]\r\nefgh[K]\r\nij"},
		{"insert every=4 count=1", "abcdefghij", "abcd[K]\r\nefghij"},
		{"insert after==", "=> ", "=[K]\r\n> "},
		{"insert after=\"=> \" text=\"hey\\n\"", "\n=> x", "\n=> hey\r\nx"},
		{"insert after=aab offset=2", "aaabcdef", "aaabcd[K]\r\nef"},
		{"insert after=abab", "abababx", "abab[K]\r\nab[K]\r\nx"},
		{"drop every=3", "abcdef", "abde"},
		{"dup every=3", "abcdef", "abccdeff"},
		{"corrupt every=2", "aaaa", "aqaq"},
		{"drop after=b offset=1", "abcabc", "abab"},
		{"drop typed every=1", "abc", "abc"},
	};
	enum fault_kind struck;

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
		for (size_t n = 1; n < 12; n += 5)
			is_str(through(cases[i].spec, cases[i].in, n, &struck), cases[i].want,
				"%s, %zu bytes at a time", cases[i].spec, n);
}

static void board(void)
{
	enum fault_kind struck;
	struct faults f = {0};
	struct buf out = BUF_INIT(100);
	size_t eaten;

	is_str(through("hang after=cd", "abcdef", 6, &struck), "abcd", "hang: nothing follows");
	is_int(struck, FAULT_HANG, "and the board is struck");
	faults_add(&f, STR_LIT("reboot every=2"), NULL);
	is_int(faults_pass(&f, false, STR_LIT("abcd"), &out, &eaten), FAULT_REBOOT, "reboot");
	is_int(eaten, 2, "behind the second byte");
	is_int(faults_pass(&f, false, STR_LIT("abcd"), &out, &eaten), FAULT_NONE, "but only once");
	faults_add(&f, STR_LIT("panic at=kernel count=0"), NULL);
	is_int(faults_enter(&f, "kernel", &out), FAULT_PANIC, "at a state");
	is_int(faults_enter(&f, "login", &out), FAULT_NONE, "not at another");
	is_int(faults_enter(&f, "kernel", &out), FAULT_PANIC, "count=0: every time");
	ok(!faults_is_now(&f), "a fault with a place is not now");
	faults_add(&f, STR_LIT("hang"), NULL);
	ok(faults_is_now(&f), "one without is");
	faults_done(&f);
	buf_done(&out);
}

static void mistakes(void)
{
	static const struct {
		const char *spec, *want;
	} cases[] = {
		{"", "nothing said"},
		{"explode", "none of insert"},
		{"drop", "needs every= or after="},
		{"insert every=0", "needs a number from 1"},
		{"insert evry=2", "did you mean 'every'"},
		{"insert after=\"x", "quote left open"},
	};
	enum fault_kind struck;

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
		has_str(through(cases[i].spec, "", 1, &struck), cases[i].want, "mistake: '%s'",
			cases[i].spec);
}

int main(void)
{
	bytes();
	board();
	mistakes();
	return tap_done();
}
