/* SPDX-License-Identifier: MIT */
/*
 * Any bytes as the body of a sync request: read without harm, only names that a job folder may
 * hold, and what was read is the same after it is written and read again.
 */
#include "io/chunks.h"

#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

static void must(bool good, const char *what)
{
	if (good)
		return;
	fprintf(stderr, "fuzz-chunks: %s\n", what);
	abort();
}

static void check(const struct chunk *c)
{
	AUTOBUF text = BUF_INIT(CHUNK_BYTES + 2 * CHUNK_HEAD_BYTES);
	struct chunk again = {0};
	struct err e = {0};
	struct str rest;

	must(chunk_file_ok(c->file), "a file that is none");
	must(!strstr(c->file, "..") || !strchr(c->file, '/') || c->file[0] == 'a', "a way out");
	must(c->bytes.n <= CHUNK_BYTES && c->run > 0, "out of range");
	chunk_format(&text, c);
	must(!text.overflow, "longer than it may be");
	rest = str_make(buf_str(&text), text.len);
	must(chunk_parse(&rest, &again, &e) == 1 && !rest.n, "not read again");
	must(again.run == c->run && again.part == c->part && again.offset == c->offset &&
			!strcmp(again.file, c->file) && str_eq(again.bytes, c->bytes),
		"another chunk after writing");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	struct str rest = str_make((const char *)data, n);
	struct chunk c;
	struct err e = {0};
	size_t left = n;
	int rc;

	while ((rc = chunk_parse(&rest, &c, &e)) > 0) {
		must(rest.n < left, "no way forward");
		left = rest.n;
		check(&c);
	}
	must((rc < 0) == err_is(&e), "an error without a word, or words without an error");
	must(rc < 0 || !rest.n, "an end before the end");
	return 0;
}
