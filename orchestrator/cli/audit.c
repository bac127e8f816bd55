/* SPDX-License-Identifier: MIT */
/* `hilab audit`: who did what on the controller, newest first. */
#include "cli/commands.h"
#include "cli/listing.h"
#include "cli/remote.h"
#include "io/json.h"

struct args {
	const char *server, *subject;
	int64_t limit, before;
	bool json;
};

static const struct cli_opt opts[] = {
	{"subject", 's', CLI_TEXT, offsetof(struct args, subject), "SUBJECT",
		"only of this, such as 'board am62a-1', 'job 12' or 'run 17'"},
	{"limit", 'n', CLI_COUNT, offsetof(struct args, limit), "N",
		"how many at most (default 100)"},
	{"before", 0, CLI_COUNT, offsetof(struct args, before), "N",
		"only entries with lower numbers: the next page"},
	{"json", 0, CLI_FLAG, offsetof(struct args, json), NULL, "as a JSON array"},
	REMOTE_OPT(struct args),
	{0},
};

static json_t *ask(struct remote *r, const struct args *a, int *status)
{
	AUTOBUF path = BUF_INIT(4096);
	AUTOFREE char *subject = a->subject ? http_encode(a->subject) : NULL;

	buf_printf(&path, "/audit?limit=%lld", (long long)(a->limit ? a->limit : 100));
	if (a->before)
		buf_printf(&path, "&before=%lld", (long long)a->before);
	if (subject)
		buf_printf(&path, "&subject=%s", subject);
	return remote_call(r, "GET", buf_str(&path), NULL, status);
}

static int show(struct remote *r, const struct args *a)
{
	static const char *const headings[] = {
		"ID", "AGO", "WHO", "FROM", "WHAT", "TO", "DETAIL", NULL};
	AUTOBUF out = BUF_INIT(BUF_CAP_BYTES);
	int status = EXIT_INCOMPLETE;
	AUTOJSON *answer = ask(r, a, &status);
	struct listing t;
	json_t *j;
	size_t i;

	if (!answer)
		return status;
	if (a->json)
		return cli_out_json(json_object_get(answer, "audit"));
	listing_init(&t, headings);
	json_array_foreach (json_object_get(answer, "audit"), i, j) {
		listing_printf(&t, "%lld", (long long)json_int(j, "id", 0));
		listing_age(&t, json_int(j, "at_ms", 0));
		listing_add(&t, json_text(j, "account", NULL));
		listing_add(&t, json_text(j, "from", NULL));
		listing_add(&t, json_text(j, "what", NULL));
		listing_add(&t, json_text(j, "subject", NULL));
		listing_add(&t, json_text(j, "detail", ""));
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

	if (cli_parse(&audit_command, argc, argv, &a, &operands, &status) < 0)
		return status;
	if (remote_open(&r, a.server, "audit"))
		return EXIT_USAGE;
	status = show(&r, &a);
	remote_done(&r);
	return status;
}

const struct cli_command audit_command = {
	.name = "audit",
	.brief = "list who did what on the controller",
	.usage = "",
	.details = "Newest first; for operators. What the controller did by itself is of 'hilab',\n"
		   "such as a late result of a run that it had given up.",
	.example = "  hilab audit --subject 'board am62a-1'\n  hilab audit -n 20 --json",
	.opts = opts,
	.run = run,
};
