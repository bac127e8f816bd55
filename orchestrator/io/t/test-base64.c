/* SPDX-License-Identifier: MIT */
/* Base 64: the test vectors of RFC 4648, section 10, what is damaged, and any bytes there and back.
 */
#include "io/base64.h"

#include "base/mem.h"
#include "base/t/tap.h"

static void vectors(void)
{
	static const char *const pairs[][2] = {{"", ""}, {"f", "Zg=="}, {"fo", "Zm8="},
		{"foo", "Zm9v"}, {"foob", "Zm9vYg=="}, {"fooba", "Zm9vYmE="},
		{"foobar", "Zm9vYmFy"}};

	for (size_t i = 0; i < ARRAY_LEN(pairs); i++) {
		AUTOBUF text = BUF_INIT(100), bytes = BUF_INIT(100);

		base64_add(&text, str_of(pairs[i][0]));
		is_str(buf_str(&text), pairs[i][1], "'%s' as text", pairs[i][0]);
		is_int(base64_parse(str_of(pairs[i][1]), &bytes), 0, "'%s' is taken", pairs[i][1]);
		is_str(buf_str(&bytes), pairs[i][0], "'%s' as bytes", pairs[i][1]);
	}
}

static void damaged(void)
{
	static const char *const texts[] = {"YWI", "YW", "Y", "YQ=", "YWJj=", "Y!Jj", "YQ==YQ==",
		"YQ=="
		"a"};
	AUTOBUF spaced = BUF_INIT(100), full = BUF_INIT(2);

	for (size_t i = 0; i < ARRAY_LEN(texts); i++) {
		AUTOBUF out = BUF_INIT(100);

		is_int(base64_parse(str_of(texts[i]), &out), -1, "'%s' is refused", texts[i]);
	}
	is_int(base64_parse(str_of(" YW\r\nJj\t"), &spaced), 0, "white space is allowed");
	is_str(buf_str(&spaced), "abc", "and is nothing");
	is_int(base64_parse(str_of("YWJj"), &full), -1, "more than the buffer may hold");
	buf_reset(&full);
	is_int(base64_add(&full, STR_LIT("a")), -1, "the other way too");
}

static void all_bytes(void)
{
	char bytes[257];

	for (size_t n = 0; n <= sizeof bytes; n += 32) {
		AUTOBUF text = BUF_INIT(1000), back = BUF_INIT(1000);

		for (size_t i = 0; i < n; i++)
			bytes[i] = (char)(255 - i);
		base64_add(&text, str_make(bytes, n));
		ok(!base64_parse(str_make(buf_str(&text), text.len), &back) &&
				str_eq(str_make(buf_str(&back), back.len), str_make(bytes, n)),
			"%zu bytes there and back", n);
	}
}

int main(void)
{
	vectors();
	damaged();
	all_bytes();
	return tap_done();
}
