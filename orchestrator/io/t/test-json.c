/* SPDX-License-Identifier: MIT */
/* JSON files and texts: positions of errors, exact numbers, tolerant getters. */
#include "io/json.h"

#include "base/fs.h"
#include "base/mem.h"
#include "base/t/tap.h"

#include <stdlib.h>
#include <unistd.h>

static char *again(const char *text, size_t flags)
{
	AUTOJSON *j = json_parse(str_of(text), "f", NULL);
	AUTOBUF out = BUF_INIT(BUF_CAP_BYTES);
	struct err e = {0};

	if (!j || json_write(j, flags, &out, &e))
		return mem_strdup(j ? e.msg : "no JSON");
	return buf_take(&out);
}

#define same(text)                                                                                 \
	do {                                                                                       \
		AUTOFREE char *got = again(text, 0);                                               \
		is_str(got, text, "same again: %s", text);                                         \
	} while (0)

static void values(void)
{
	same("{\"z\":1,\"a\":[true,false,null,\"x\\n\\u0001\\\"\"],\"m\":{}}");
	same("[]");
	same("[0.1,1.5,3.0,1e+20,-0.25,943.1,4.94065645841247e-324,1.7976931348623157e+308]");
	same("[9223372036854775807,-9223372036854775808,0]");
	same("\"\xc3\xa4\"");
	same("5");
	AUTOFREE char *wide = again("{\"a\":[1,{\"b\":[]}],\"c\":0.1}", JSON_INDENT(2));

	is_str(wide, "{\n  \"a\": [\n    1,\n    {\n      \"b\": []\n    }\n  ],\n  \"c\": 0.1\n}",
		"indented");
	AUTOFREE char *ascii = again("\"\xc3\xa4\"", JSON_ENSURE_ASCII);

	is_str(ascii, "\"\\u00E4\"", "jansson's flags hold for texts");
}

static void refused(const char *text, const char *want)
{
	struct err e = {0};
	AUTOJSON *j = json_parse(str_of(text), "f", &e);

	ok(!j, "no JSON: text %d", tap_n);
	is_str(e.msg, want, "and why");
}

static void errors(void)
{
	AUTOBUF deep = BUF_INIT(BUF_CAP_BYTES);
	AUTOBUF small = BUF_INIT(8);
	struct err e = {0};
	AUTOJSON *j = NULL;

	refused("{\"a\":1,\n \"a\":2}", "'f':2:4: duplicate object key near '\"a\"'");
	refused("[1,\n2,]", "'f':2:3: unexpected token near ']'");
	refused("", "'f':1:1: unexpected token near end of file");
	refused("[1] x", "'f':1:5: end of file expected near 'x'");
	refused("[\"\xff\"]", "'f':1:2: unable to decode byte 0xff near '\"'");
	refused("[NaN]", "'f':1:4: invalid token near 'NaN'");
	refused("[1e999]", "'f':1:6: real number overflow near '1e999'");
	for (int i = 0; i < 100000; i++)
		buf_putc(&deep, '[');
	j = json_parse(str_make(deep.data, deep.len), "f", &e);
	ok(!j, "100000 levels");
	has_str(e.msg, "depth", "are too many");

	j = json_parse(str_of("[\"0123456789\"]"), "f", NULL);
	buf_puts(&small, "ab");
	is_int(json_write(j, 0, &small, &e), -1, "too long for its buffer");
	is_str(e.msg, "write JSON: larger than 8 bytes", "says so");
	is_str(buf_str(&small), "ab", "and leaves what was there");
	is_int(json_write(NULL, 0, &small, &e), -1, "no value");
}

static void getters(void)
{
	AUTOJSON *j = json_parse(
		str_of("{\"t\":\"x\",\"i\":5,\"r\":2.5,\"b\":true,\"n\":null}"), "f", NULL);

	is_str(json_text(j, "t", "p"), "x", "a text");
	is_str(json_text(j, "i", "p"), "p", "a number is no text");
	is_str(json_text(j, "n", NULL), NULL, "null is none");
	is_str(json_text(NULL, "t", "p"), "p", "no object");
	is_int(json_int(j, "i", 7), 5, "an integer");
	is_int(json_int(j, "r", 7), 7, "a real is none");
	is_int(json_int(j, "zz", 7), 7, "absent");
	ok(json_num(j, "i", 0) == 5 && json_num(j, "r", 0) == 2.5, "numbers");
	ok(json_num(j, "t", -1) == -1, "no number");
	ok(json_flag(j, "b", false), "a flag");
	ok(json_flag(j, "i", true), "no flag");
}

static void files(void)
{
	char dir[] = "/tmp/hilab-json-XXXXXX";
	struct err e = {0};

	if (!ok(mkdtemp(dir) != NULL, "a folder"))
		return;
	AUTOFREE char *path = fs_join(dir, "x.json");
	AUTOJSON *j = json_parse(str_of("{\"a\":0.1}"), "f", NULL);
	AUTOJSON *back = NULL;
	AUTOBUF text = BUF_INIT(BUF_CAP_BYTES);

	is_int(json_save(path, j, 0600, &e), 0, "saved");
	is_int(fs_read(path, &text, &e), 0, "read");
	is_str(buf_str(&text), "{\n  \"a\": 0.1\n}\n", "as indented text");
	back = json_read(path, &e);
	ok(json_equal(j, back), "the same value");
	is_int(fs_write(path, "{\n?", 3, 0600, &e), 0, "damaged");
	ok(!json_read(path, &e), "not read");
	AUTOFREE char *want = mem_printf("'%s':2:1: string or '}' expected near '?'", path);

	is_str(e.msg, want, "where");
	is_int(fs_remove_tree(dir, &e), 0, "removed");
	ok(!json_read(path, &e), "not there");
	has_str(e.msg, "No such file", "and why");
}

int main(void)
{
	values();
	errors();
	getters();
	files();
	return tap_done();
}
