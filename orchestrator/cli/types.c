/* SPDX-License-Identifier: MIT */
/*
 * `hilab types`: the board types as they stand once what they extend is laid under them. Invariant:
 * what is printed is the merged document, section by section; nothing is made up for what is not
 * told.
 */
#include "cli/commands.h"
#include "cli/listing.h"
#include "io/json.h"
#include "io/yaml.h"
#include "labs/type.h"

#include <string.h>

struct args {
	bool json;
};

static const struct cli_opt opts[] = {
	{"json", 0, CLI_FLAG, offsetof(struct args, json), NULL, "as JSON"},
	{0},
};

static const char *kind_of(const struct type *t)
{
	return t->template_only ? "template" : t->twin ? "twin" : "real";
}

static int list(const struct types *types, bool json)
{
	static const char *const headings[] = {"TYPE", "SOC", "ARCH", "KIND", "DESCRIPTION", NULL};
	AUTOBUF out = BUF_INIT(BUF_CAP_BYTES);
	AUTOJSON *all = json_array();
	struct listing l;

	listing_init(&l, headings);
	map_each (&types->by_name, entry) {
		const struct type *t = entry->value;

		listing_add(&l, t->name);
		listing_add(&l, t->soc);
		listing_add(&l, t->arch);
		listing_add(&l, kind_of(t));
		listing_add(&l, t->description ? t->description : "");
		json_array_append_new(
			all, json_pack("{s:s, s:s?, s:s?, s:s, s:s?, s:s?}", "type", t->name, "soc",
				     t->soc, "arch", t->arch, "kind", kind_of(t), "description",
				     t->description, "extends", t->extends));
	}
	listing_print(&l, &out);
	listing_done(&l);
	if (json)
		return cli_out_json(all);
	return cli_out(&out) ? EXIT_INCOMPLETE : EXIT_PASS;
}

/* A whole one as YAML, in the order of the rows: a file that `hilab check` takes. */
static int show(const struct type *t, bool json)
{
	AUTOBUF out = BUF_INIT(BUF_CAP_BYTES);
	struct arena a = {0};
	struct node *ordered = node_new(&a, NODE_MAP, t->node->at);
	struct err e = {0};
	int status = EXIT_PASS;

	for (const struct param *row = type_params; row->name; row++) {
		struct node *n = node_find(t->node, row->name);

		if (n && strcmp(row->name, "extends"))
			node_list_add(&a, ordered, n);
	}
	if (json) {
		AUTOJSON *j = node_to_json(ordered);

		status = cli_out_json(j);
	} else if (yaml_format(ordered, &out, &e)) {
		status = cli_fail(EXIT_INCOMPLETE, "types: %s", e.msg);
	} else if (cli_out(&out)) {
		status = EXIT_INCOMPLETE;
	}
	arena_done(&a);
	return status;
}

static int run(int argc, char **argv)
{
	struct types types = {0};
	struct diag diag = {0};
	struct args a = {0};
	const struct type *t;
	char **operands;
	int status, n = cli_parse(&types_command, argc, argv, &a, &operands, &status);

	if (n < 0)
		return status;
	if (types_load_default(&types, &diag)) {
		cli_diag(&diag);
		diag_done(&diag);
		return EXIT_USAGE;
	}
	diag_done(&diag);
	t = n ? type_find(&types, operands[0]) : NULL;
	if (!n)
		status = list(&types, a.json);
	else if (t)
		status = show(t, a.json);
	else
		status = cli_fail(
			EXIT_USAGE, "types: no board type '%s' (see 'hilab types')", operands[0]);
	types_done(&types);
	return status;
}

const struct cli_command types_command = {
	.name = "types",
	.brief = "list board types, or print one whole",
	.usage = "[NAME]",
	.details = "With NAME the type as it stands once what it extends is laid under it: cores,\n"
		   "memory, ports, rails, boot modes, consoles, the boot dialogue. See\n"
		   "hilab-type(5).",
	.example = "  hilab types am335x-evm",
	.opts = opts,
	.max_operands = 1,
	.run = run,
};
