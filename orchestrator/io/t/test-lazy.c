/* SPDX-License-Identifier: MIT */
/* Libraries loaded when needed: all of a table or nothing, and what is missing is named. */
#include "io/lazy.h"

#include "base/t/tap.h"

#include <stddef.h>
#include <zlib.h>

struct calls {
	typeof(adler32) *first;
	typeof(zlibVersion) *second;
};

int main(void)
{
	static const struct lazy_symbol good[] = {{"adler32", offsetof(struct calls, first)},
		{"zlibVersion", offsetof(struct calls, second)}, {0}};
	static const struct lazy_symbol bad[] = {{"adler32", offsetof(struct calls, first)},
		{"no_such_call", offsetof(struct calls, second)}, {0}};
	struct calls calls = {0};
	struct err e = {0};

	is_int(lazy_load("libz.so.1", bad, &calls, &e), -1, "a library without the call");
	is_int(e.blame, BLAME_CONFIG, "blamed on how the host is set up");
	has_str(e.msg, "'libz.so.1' has no 'no_such_call'", "both are named");
	ok(!calls.first && !calls.second, "the table holds nothing");

	err_clear(&e);
	is_int(lazy_load("libhilab-absent.so.9", good, &calls, &e), -1, "no such library");
	is_int(e.blame, BLAME_CONFIG, "blamed likewise");
	has_str(e.msg, "libhilab-absent.so.9", "it is named");

	is_int(lazy_load("libz.so.1", good, &calls, NULL), 0, "a library");
	ok(calls.second && calls.second()[0] == '1', "its calls work");
	is_int((long)calls.first(1, (const unsigned char *)"a", 1), 0x00620062, "with arguments");
	return tap_done();
}
