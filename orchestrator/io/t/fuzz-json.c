/* SPDX-License-Identifier: MIT */
/*
 * Any bytes as JSON: read without harm; what was read is written and read back as the same value,
 * and is the same after a trip through nodes.
 */
#include "io/json.h"
#include "io/node.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

static void must(bool good, const char *what)
{
	if (good)
		return;
	fprintf(stderr, "fuzz-json: %s\n", what);
	abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	struct arena a = {0};
	struct err e = {0};
	AUTOJSON *j = json_parse(str_make((const char *)data, n), "f", &e);
	AUTOJSON *back = NULL;
	AUTOJSON *nodes = NULL;

	must(!j == err_is(&e), "an error without a word, or words without an error");
	if (!j)
		return 0;
	for (int wide = 0; wide < 2; wide++) {
		AUTOBUF out = BUF_INIT(BUF_CAP_BYTES);

		must(!json_write(j, wide ? JSON_INDENT(2) : 0, &out, &e) || out.overflow, e.msg);
		if (out.overflow)
			continue;
		json_decref(back);
		back = json_parse(str_make(buf_str(&out), out.len), "again", &e);
		must(back != NULL, e.msg);
		must(json_equal(j, back), "another value after writing");
	}
	nodes = node_to_json(node_from_json(&a, j));
	must(json_equal(j, nodes), "another value after nodes");
	arena_done(&a);
	return 0;
}
