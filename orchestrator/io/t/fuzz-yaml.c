/* SPDX-License-Identifier: MIT */
/*
 * Any bytes as YAML: read without harm; what was read is within the limits, and is the same tree
 * after a trip through JSON and through the writer.
 */
#include "io/json.h"
#include "io/yaml.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

static void must(bool good, const char *what)
{
	if (good)
		return;
	fprintf(stderr, "fuzz-yaml: %s\n", what);
	abort();
}

static size_t check(const struct node *n, int depth, bool in_map)
{
	size_t count = 1;

	must(depth < YAML_DEPTH_MAX, "deeper than the limit");
	must(in_map == (n->key != NULL), "a key where none belongs, or none where one does");
	must((n->type == NODE_SCALAR) == (n->text != NULL), "text of what is no scalar");
	must(n->at.line && n->at.col && n->at.file, "a value without a place");
	for (size_t i = 0; i < n->n; i++)
		count += check(n->kids[i], depth + 1, n->type == NODE_MAP);
	return count;
}

static void trips(struct arena *a, const struct node *n)
{
	AUTOJSON *j = node_to_json(n);
	AUTOJSON *again = node_to_json(node_from_json(a, j));
	AUTOJSON *written = NULL;
	AUTOBUF text = BUF_INIT(YAML_FILE_BYTES);
	struct diag d = {0};
	struct err e = {0};
	struct node *back;

	must(json_equal(j, again), "another value after JSON");
	if (yaml_format(n, &text, &e)) {
		must(text.overflow, e.msg);
		return;
	}
	back = yaml_parse(a, "again", str_make(buf_str(&text), text.len), &d);
	if (!back) {
		diag_print(&d, &text);
		fputs(buf_str(&text), stderr);
	}
	must(back != NULL, "what was written does not read");
	written = node_to_json(back);
	must(json_equal(j, written), "another value after writing");
	diag_done(&d);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	struct str text = str_make((const char *)data, n);
	AUTOBUF out = BUF_INIT(BUF_CAP_BYTES);
	struct arena a = {0};
	struct diag d = {0};
	struct node *doc = yaml_parse(&a, "f", text, &d);

	must(!doc == (d.total > 0), "an error without a word, or words without an error");
	diag_print(&d, &out);
	if (doc) {
		must(check(doc, 0, false) <= YAML_NODES_MAX, "more nodes than the limit");
		trips(&a, doc);
	}
	doc = yaml_parse_all(&a, "f", text, NULL);
	if (doc)
		must(doc->type == NODE_LIST, "no list of documents");
	diag_done(&d);
	arena_done(&a);
	return 0;
}
