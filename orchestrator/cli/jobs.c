/* SPDX-License-Identifier: MIT */
/* `hilab jobs`: the controller's jobs, and what those that wait are waiting for. */
#include "cli/commands.h"
#include "cli/listing.h"
#include "cli/remote.h"
#include "io/json.h"

#include <stdlib.h>
#include <string.h>

struct args {
	const char *server, *state, *submitter, *kind;
	int64_t limit, nightly;
	bool all, json;
};

static const struct cli_opt opts[] = {
	{"all", 'a', CLI_FLAG, offsetof(struct args, all), NULL, "also those that are done"},
	{"state", 0, CLI_TEXT, offsetof(struct args, state), "STATE",
		"only queued, assigned, running, canceling or done ones"},
	{"submitter", 'u', CLI_TEXT, offsetof(struct args, submitter), "NAME",
		"only of this account"},
	{"kind", 0, CLI_TEXT, offsetof(struct args, kind), "KIND",
		"lease or health instead of job"},
	{"nightly", 0, CLI_COUNT, offsetof(struct args, nightly), "N", "only of this nightly"},
	{"limit", 'n', CLI_COUNT, offsetof(struct args, limit), "N",
		"how many at most (default 100)"},
	{"json", 0, CLI_FLAG, offsetof(struct args, json), NULL, "as a JSON array"},
	REMOTE_OPT(struct args),
	{0},
};

static void add_query(struct buf *path, const char *name, const char *value)
{
	AUTOFREE char *text = value ? http_encode(value) : NULL;

	if (text)
		buf_printf(path, "&%s=%s", name, text);
}

/* "waits for ...", "pass", or why it is not. */
static void put_outcome(struct listing *t, const json_t *j)
{
	const char *verdict = json_text(j, "verdict", NULL);
	const char *blame = json_text(j, "blame", "none");
	const char *message = json_text(j, "message", NULL);

	if (!verdict)
		listing_add(t, json_text(j, "waits", ""));
	else if (!strcmp(blame, "none") || !message)
		listing_add(t, verdict);
	else
		listing_printf(t, "%s (%s): %s", verdict, blame, message);
}

static void put_job(struct listing *t, const json_t *j)
{
	const json_t *boards = json_object_get(j, "boards");
	int64_t ended = json_int(j, "ended_ms", 0);

	listing_printf(t, "%lld", (long long)json_int(j, "job", 0));
	listing_add(t, json_text(j, "name", NULL));
	listing_add(t, json_text(j, "state", NULL));
	listing_printf(t, "%lld", (long long)json_int(j, "priority", 0));
	listing_add(t, json_text(j, "submitter", NULL));
	listing_age(t, ended ? ended : json_int(j, "submitted_ms", 0));
	listing_add(t, json_string_value(json_array_get(boards, 0)));
	put_outcome(t, j);
}

static int show(struct remote *r, const struct args *a)
{
	static const char *const headings[] = {
		"JOB", "NAME", "STATE", "PRIO", "BY", "SINCE", "BOARD", "OUTCOME", NULL};
	AUTOBUF path = BUF_INIT(4096), out = BUF_INIT(BUF_CAP_BYTES);
	AUTOJSON *answer = NULL;
	const json_t *list;
	struct listing t;
	int status = EXIT_INCOMPLETE;
	json_t *job;
	size_t i;

	buf_printf(&path, "/jobs?limit=%lld", (long long)(a->limit ? a->limit : 100));
	if (!a->all && !a->state && !a->nightly)
		buf_puts(&path, "&open=1");
	if (a->nightly)
		buf_printf(&path, "&nightly=%lld", (long long)a->nightly);
	add_query(&path, "state", a->state);
	add_query(&path, "submitter", a->submitter);
	add_query(&path, "kind", a->kind);
	answer = remote_call(r, "GET", buf_str(&path), NULL, &status);
	if (!answer)
		return status;
	list = json_object_get(answer, "jobs");
	if (a->json)
		return cli_out_json(list);
	listing_init(&t, headings);
	json_array_foreach (list, i, job)
		put_job(&t, job);
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

	if (cli_parse(&jobs_command, argc, argv, &a, &operands, &status) < 0)
		return status;
	if (remote_open(&r, a.server, "jobs"))
		return EXIT_USAGE;
	status = show(&r, &a);
	remote_done(&r);
	return status;
}

const struct cli_command jobs_command = {
	.name = "jobs",
	.brief = "list the controller's jobs",
	.usage = "",
	.details = "Those that are not done; a job that waits says what for.",
	.example = "  hilab jobs\n  hilab jobs --all --submitter ada --json",
	.opts = opts,
	.run = run,
};
