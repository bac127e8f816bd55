/* SPDX-License-Identifier: MIT */
/* The summary of nights, as text and Markdown, and the exit status that goes with each. */
#include "cli/nightly.h"

#include "base/t/golden.h"
#include "io/yaml.h"

static void summary(const char *name, struct str text, struct buf *out)
{
	struct arena a = {0};
	struct diag diag = {0};
	const struct node *doc = yaml_parse(&a, name, text, &diag);
	json_t *view = node_to_json(doc);

	ok(doc != NULL, "%s is read", name);
	buf_printf(out, "exit status %d\n", nightly_exit(view));
	nightly_summary(view, NIGHTLY_TEXT, out);
	buf_putc(out, '\n');
	nightly_summary(view, NIGHTLY_MARKDOWN, out);
	json_decref(view);
	diag_done(&diag);
	arena_done(&a);
}

static void formats(void)
{
	is_int(nightly_format(&(struct nightly_args){0}), NIGHTLY_TEXT, "text unless said");
	is_int(nightly_format(&(struct nightly_args){.json = true}), NIGHTLY_JSON, "--json");
	is_int(nightly_format(&(struct nightly_args){.format = "markdown"}), NIGHTLY_MARKDOWN,
		"by name");
	is_int(nightly_format(&(struct nightly_args){.format = "tap"}), -1, "another is refused");
}

int main(void)
{
	formats();
	ok(golden_walk("orchestrator/cli/t/nightly", summary) >= 5, "all cases are there");
	return tap_done();
}
