/* SPDX-License-Identifier: MIT */
#include "io/chunks.h"

#include "base/t/tap.h"

static void names(void)
{
	static const struct {
		const char *file;
		bool good;
	} cases[] = {{"console-main.log", true}, {"events.jsonl", true}, {"status", true},
		{"artifacts/fio.json", true}, {"artifacts/a+b_c-1.txt", true}, {"", false},
		{".", false}, {"..", false}, {"artifacts/", false}, {"artifacts/.x", false},
		{"artifacts/..", false}, {"a/b", false}, {"artifacts/a/b", false}, {"/etc", false},
		{"a b", false}, {"a\nb", false}, {"\xc3\xa4", false}, {"artifacts", true}};
	char longest[CHUNK_FILE_BYTES + 1];

	for (size_t i = 0; i < ARRAY_LEN(cases); i++)
		ok(chunk_file_ok(cases[i].file) == cases[i].good, "'%s' %s a file's name",
			cases[i].file[0] == '\n' ? "?"
			: cases[i].good          ? cases[i].file
						 : "(that)",
			cases[i].good ? "is" : "is not");
	memset(longest, 'x', sizeof longest);
	longest[CHUNK_FILE_BYTES] = 0;
	ok(!chunk_file_ok(longest), "a name longer than the field is none");
	longest[CHUNK_FILE_BYTES - 1] = 0;
	ok(chunk_file_ok(longest), "the longest one is");
}

static void there_and_back(void)
{
	AUTOBUF body = BUF_INIT(CHUNKS_BYTES);
	const struct chunk in[] = {{.run = 17,
					   .file = "console-main.log",
					   .offset = 4096,
					   .bytes = STR_LIT("a\nb\0c")},
		{.run = 17, .part = 2, .file = "events.jsonl", .bytes = STR_LIT("")},
		{.run = INT64_MAX, .file = "status", .offset = 1, .bytes = STR_LIT("{}\n")}};
	struct chunk c;
	struct err e = {0};
	struct str rest;

	for (size_t i = 0; i < ARRAY_LEN(in); i++)
		chunk_format(&body, &in[i]);
	has_str(buf_str(&body),
		"{\"run\":17,\"part\":0,\"file\":\"console-main.log\",\"offset\":4096,\"bytes\":5}"
		"\n",
		"the head is as the page says");
	rest = str_make(buf_str(&body), body.len);
	for (size_t i = 0; i < ARRAY_LEN(in); i++)
		ok(chunk_parse(&rest, &c, &e) == 1 && c.run == in[i].run && c.part == in[i].part &&
				!strcmp(c.file, in[i].file) && c.offset == in[i].offset &&
				str_eq(c.bytes, in[i].bytes),
			"chunk %zu comes back", i);
	is_int(chunk_parse(&rest, &c, &e), 0, "then the end");
	for (size_t cut = 1; cut < body.len; cut++) {
		int rc;

		rest = str_make(buf_str(&body), cut);
		while ((rc = chunk_parse(&rest, &c, NULL)) > 0)
			;
		if (rc == 0 && rest.n)
			ok(false, "a body cut at %zu is taken for whole", cut);
	}
	rest = str_make(buf_str(&body), body.len - 1);
	while (chunk_parse(&rest, &c, &e) > 0)
		;
	is_int(e.blame, BLAME_JOB, "a body that is cut off is refused: %s", e.msg);
}

int main(void)
{
	names();
	there_and_back();
	return tap_done();
}
