/* SPDX-License-Identifier: MIT */
/*
 * The regex parser with any pattern over any text: the first line is the pattern, the rest the
 * text. Settings that hilab check lets pass never break the contract, and no pattern takes more
 * steps than its text is worth.
 */
#include "contract.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

static void run(const char *pattern, bool kernel, struct str text)
{
	const struct driver *d = driver_get(parse_drivers(), "parser", "regex", NULL);
	const struct parser *p = (const struct parser *)d;
	struct sink sink = {NULL, contract_at, contract_suite, contract_result, contract_metric,
		contract_env, contract_warn};
	const struct loc at = {0};
	struct arena a = {0};
	struct node *map = node_new(&a, NODE_MAP, at), *fixup = node_new(&a, NODE_MAP, at);
	struct diag diag = {0};
	struct err e = {0};

	node_map_set(&a, fixup, "OK", node_scalar(&a, "pass", at));
	node_map_set(&a, map, "pattern", node_scalar(&a, pattern, at));
	node_map_set(&a, map, "kernel", node_scalar(&a, kernel ? "true" : "false", at));
	node_map_set(&a, map, "fixup", fixup);
	node_map_set(&a, map, "name", node_scalar(&a, "x", at));
	node_map_set(&a, map, "unit", node_scalar(&a, "s", at));
	if (!parser_check(p, map, at, &diag)) {
		contract_bytes = text.n;
		if (parser_run(p, map, text, &sink, &e) && !err_is(&e))
			abort();
		parser_run(p, map, text, &(struct sink){0}, NULL);
	}
	diag_done(&diag);
	arena_done(&a);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	struct str rest = str_make((const char *)data, n), pattern;
	AUTOFREE char *text = NULL;
	AUTOFREE char *copy = NULL;

	if (!str_line(&rest, &pattern))
		return 0;
	text = mem_strndup(pattern.p ? pattern.p : "", pattern.n);
	/* An exact copy on the heap, so that a sanitizer sees a read past the end. */
	copy = mem_dup(rest.n ? rest.p : "", rest.n + !rest.n);
	run(text, n & 1, str_make(copy, rest.n));
	contract_run((const struct parser *)driver_get(parse_drivers(), "parser", "regex", NULL),
		str_make(copy, rest.n)); /* without settings it says so */
	return 0;
}
