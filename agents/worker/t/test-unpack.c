/* SPDX-License-Identifier: MIT */
/* Packed output of a board: whole or refused, never more than the cap. */
#include "agents/worker/unpack.h"
#include "base/t/tap.h"

#include <zlib.h>

static void test_texts(void)
{
	static const struct {
		const char *text;
		const char *want; /* NULL: refused */
	} hex[] = {{"", ""}, {"6162", "ab"}, {"616", NULL}, {"6g", NULL}, {"AB", NULL}},
	  lines[] = {{"", ""}, {"a|", "a\n"}, {"|%25%40%7C||", "\n%@|\n\n"}, {"%24", NULL},
		  {"%4", NULL}, {"%7c|", NULL}};

	for (size_t i = 0; i < ARRAY_LEN(hex); i++) {
		AUTOBUF out = BUF_INIT(100);
		int r = unpack_hex(str_of(hex[i].text), &out);

		if (hex[i].want)
			is_str(r ? NULL : buf_str(&out), hex[i].want, "hex '%s'", hex[i].text);
		else
			is_int(r, -1, "hex '%s' is refused", hex[i].text);
	}
	for (size_t i = 0; i < ARRAY_LEN(lines); i++) {
		AUTOBUF out = BUF_INIT(100);
		int r = unpack_lines(str_of(lines[i].text), &out);

		if (lines[i].want)
			is_str(r ? NULL : buf_str(&out), lines[i].want, "lines '%s'",
				lines[i].text);
		else
			is_int(r, -1, "lines '%s' are refused", lines[i].text);
	}
}

static void test_gzip(void)
{
	static char plain[100000], packed[2000];
	z_stream z = {.next_in = (Bytef *)plain,
		.avail_in = sizeof plain,
		.next_out = (Bytef *)packed,
		.avail_out = sizeof packed};
	AUTOBUF out = BUF_INIT(sizeof plain);
	AUTOBUF small = BUF_INIT(sizeof plain - 1);
	size_t n, wrong = 0;

	deflateInit2(&z, 9, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY);
	deflate(&z, Z_FINISH);
	n = sizeof packed - z.avail_out;
	deflateEnd(&z);
	ok(!unpack_gzip(str_make(packed, n), &out) && out.len == sizeof plain, "gzip");
	is_int(unpack_gzip(str_make(packed, n), &small), -1, "more than the cap");
	for (size_t cut = 0; cut < n; cut++) {
		buf_reset(&out);
		wrong += !unpack_gzip(str_make(packed, cut), &out);
	}
	is_int(wrong, 0, "cut anywhere it is refused");
	packed[n] = 'x';
	buf_reset(&out);
	is_int(unpack_gzip(str_make(packed, n + 1), &out), -1, "bytes behind it");
}

int main(void)
{
	test_texts();
	test_gzip();
	return tap_done();
}
