/* SPDX-License-Identifier: MIT */
/* `hilab agents`: the lab hosts that the controller knows. */
#include "cli/commands.h"
#include "cli/listing.h"
#include "cli/remote.h"
#include "io/json.h"

struct args {
	const char *server;
	bool json;
};

static const struct cli_opt opts[] = {
	{"json", 0, CLI_FLAG, offsetof(struct args, json), NULL, "as a JSON array"},
	REMOTE_OPT(struct args),
	{0},
};

static int show(struct remote *r, const struct args *a)
{
	static const char *const headings[] = {
		"AGENT", "LAB", "STATE", "SEEN", "BOARDS", "RUNS", "VERSION", NULL};
	AUTOBUF out = BUF_INIT(BUF_CAP_BYTES);
	int status = EXIT_INCOMPLETE;
	AUTOJSON *answer = remote_call(r, "GET", "/agents", NULL, &status);
	struct listing t;
	json_t *j;
	size_t i;

	if (!answer)
		return status;
	if (a->json)
		return cli_out_json(json_object_get(answer, "agents"));
	listing_init(&t, headings);
	json_array_foreach (json_object_get(answer, "agents"), i, j) {
		listing_add(&t, json_text(j, "agent", NULL));
		listing_add(&t, json_text(j, "lab", NULL));
		listing_add(&t, json_flag(j, "online", false) ? "online" : "offline");
		listing_age(&t, json_int(j, "seen_ms", 0));
		listing_printf(&t, "%lld", (long long)json_int(j, "boards", 0));
		listing_printf(&t, "%lld", (long long)json_int(j, "jobs", 0));
		listing_add(&t, json_text(j, "version", NULL));
	}
	listing_print(&t, &out);
	listing_done(&t);
	return cli_out(&out) ? EXIT_INCOMPLETE : EXIT_PASS;
}

static int run(int argc, char **argv)
{
	struct args a = {0};
	struct remote r;
	char **operands;
	int status;

	if (cli_parse(&agents_command, argc, argv, &a, &operands, &status) < 0)
		return status;
	if (remote_open(&r, a.server, "agents"))
		return EXIT_USAGE;
	status = show(&r, &a);
	remote_done(&r);
	return status;
}

const struct cli_command agents_command = {
	.name = "agents",
	.brief = "list the lab hosts that the controller knows",
	.usage = "",
	.example = "  hilab agents --json",
	.opts = opts,
	.run = run,
};
