/* SPDX-License-Identifier: MIT */
/* `hilab show`: one job of the controller, its runs, and the report of its last one. */
#include "cli/commands.h"
#include "cli/follow.h"
#include "cli/listing.h"
#include "io/json.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct args {
	const char *server, *format;
	bool json, follow;
};

static const struct cli_opt opts[] = {
	{"follow", 'f', CLI_FLAG, offsetof(struct args, follow), NULL,
		"show it as it goes on, until it is done"},
	{"format", 0, CLI_TEXT, offsetof(struct args, format), "NAME",
		"of the report (text, tap, json, junit, markdown, html, csv, kcidb)"},
	{"json", 0, CLI_FLAG, offsetof(struct args, json), NULL, "the job as JSON"},
	REMOTE_OPT(struct args),
	{0},
};

static void put(struct buf *out, const char *name, const char *text)
{
	if (text && *text)
		buf_printf(out, "%-10s %s\n", name, text);
}

static void put_runs(struct buf *out, const json_t *runs)
{
	static const char *const headings[] = {
		"RUN", "BOARD", "TYPE", "VERDICT", "BLAME", "BEGAN", "MESSAGE", NULL};
	struct listing t;
	json_t *run;
	size_t i;

	listing_init(&t, headings);
	json_array_foreach (runs, i, run) {
		listing_printf(&t, "%lld", (long long)json_int(run, "run", 0));
		listing_add(&t, json_text(run, "board", NULL));
		listing_add(&t, json_text(run, "type", NULL));
		listing_add(&t, json_text(run, "verdict", "running"));
		listing_add(&t, json_text(run, "blame", NULL));
		listing_age(&t, json_int(run, "started_ms", 0));
		listing_add(&t, json_text(run, "message", ""));
	}
	listing_print(&t, out);
	listing_done(&t);
}

/* Of a run of several boards: who did what, and how it ended. */
static void put_parts(struct buf *out, const json_t *parts)
{
	static const char *const headings[] = {
		"ROLE", "BOARD", "AGENT", "VERDICT", "BLAME", "MESSAGE", NULL};
	struct listing t;
	json_t *part;
	size_t i;

	listing_init(&t, headings);
	json_array_foreach (parts, i, part) {
		listing_add(&t, json_text(part, "role", NULL));
		listing_add(&t, json_text(part, "board", NULL));
		listing_add(&t, json_text(part, "agent", NULL));
		listing_add(&t, json_text(part, "verdict", json_text(part, "state", NULL)));
		listing_add(&t, json_text(part, "blame", NULL));
		listing_add(&t, json_text(part, "message", ""));
	}
	buf_putc(out, '\n');
	listing_print(&t, out);
	listing_done(&t);
}

static int show(struct remote *r, const struct args *a, const char *operand)
{
	AUTOFREE char *id = http_encode(operand);
	AUTOFREE char *path = mem_printf("/jobs/%s", id);
	AUTOFREE char *runs_path = mem_printf("/runs?job=%s", id);
	AUTOBUF out = BUF_INIT(BUF_CAP_BYTES);
	AUTOJSON *job = NULL, *runs = NULL;
	const json_t *last;
	int status = EXIT_INCOMPLETE, failed;

	job = remote_call(r, "GET", path, NULL, &status);
	runs = job ? remote_call(r, "GET", runs_path, NULL, &status) : NULL;
	if (!runs)
		return status;
	json_object_set(job, "runs", json_object_get(runs, "runs"));
	if (a->json)
		return cli_out_json(job);
	buf_printf(&out, "%-10s %lld %s\n", "job", (long long)json_int(job, "job", 0),
		json_text(job, "name", ""));
	put(&out, "by", json_text(job, "submitter", NULL));
	put(&out, "state", json_text(job, "state", NULL));
	put(&out, "waits", json_text(job, "waits", NULL));
	put(&out, "build", json_text(job, "build", NULL));
	put(&out, "verdict", json_text(job, "verdict", NULL));
	put(&out, "message", json_text(job, "message", NULL));
	put(&out, "canceled", json_text(job, "canceled_by", NULL));
	last = json_object_get(runs, "runs");
	if (json_array_size(last))
		put_runs(&out, last);
	/* Runs are listed newest first. */
	last = json_array_get(last, 0);
	if (json_array_size(json_object_get(last, "parts")) > 1)
		put_parts(&out, json_object_get(last, "parts"));
	if (cli_out(&out))
		return EXIT_INCOMPLETE;
	if (json_text(last, "verdict", NULL)) {
		printf("\n");
		failed = follow_report(r, json_int(last, "run", 0), a->format ? a->format : "text");
		if (failed)
			return failed;
	}
	return verdict_exit_of(json_text(job, "verdict", "pass"), json_text(job, "blame", "none"));
}

static int run(int argc, char **argv)
{
	const struct follow_opts o = {.steps = true, .report = "text"};
	struct args a = {0};
	struct remote r;
	char **operands;
	int64_t job;
	int status;

	if (cli_parse(&show_command, argc, argv, &a, &operands, &status) < 0)
		return status;
	if (str_i64(str_of(operands[0]), &job) || job < 1)
		return cli_fail(
			EXIT_USAGE, "show: a job's number is needed, not '%s'", operands[0]);
	if (remote_open(&r, a.server, "show"))
		return EXIT_USAGE;
	status = a.follow ? job_follow(&r, job, &o) : show(&r, &a, operands[0]);
	remote_done(&r);
	return status;
}

const struct cli_command show_command = {
	.name = "show",
	.brief = "show a job of the controller",
	.usage = "JOB",
	.details = "The exit status is that of the job's verdict; 0 while it has none.",
	.example = "  hilab show 12\n  hilab show 12 --follow",
	.opts = opts,
	.min_operands = 1,
	.max_operands = 1,
	.run = run,
};
