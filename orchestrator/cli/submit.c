/* SPDX-License-Identifier: MIT */
/* `hilab submit`: a job into the controller's queue. Invariant: what the job needs of this host is
 * with the controller before the job is. */
#include "base/fs.h"
#include "base/mem.h"
#include "cli/commands.h"
#include "cli/follow.h"
#include "cli/params.h"
#include "cli/upload.h"
#include "io/json.h"
#include "io/yaml.h"
#include "reports/format/format.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct args {
	const char *server, *type, *board, *soc, *build, *priority, *queue_timeout, *key, *format;
	struct cli_texts tags, params;
	bool follow, wait, check, json, quiet;
};

static const struct cli_opt opts[] = {
	{"type", 't', CLI_TEXT, offsetof(struct args, type), "TYPE", "on a board of this type"},
	{"board", 'b', CLI_TEXT, offsetof(struct args, board), "NAME", "on this very board"},
	{"soc", 0, CLI_TEXT, offsetof(struct args, soc), "SOC", "on a board with this SoC"},
	{"tag", 0, CLI_TEXTS, offsetof(struct args, tags), "TAG",
		"on a board with this tag; may be repeated"},
	{"build", 0, CLI_TEXT, offsetof(struct args, build), "NAME|DIR|MANIFEST",
		"another build than the job names; a folder or manifest is uploaded"},
	{"param", 'p', CLI_TEXTS, offsetof(struct args, params), "K=V",
		"set a param of the job; may be repeated"},
	{"priority", 0, CLI_TEXT, offsetof(struct args, priority), "N",
		"-100 to 100, higher first (default 0; more needs an operator)"},
	{"queue-timeout", 0, CLI_TEXT, offsetof(struct args, queue_timeout), "TIME",
		"give up when it has not begun by then (90s, 2h)"},
	{"key", 0, CLI_TEXT, offsetof(struct args, key), "TEXT",
		"submitting again with the same key is the same job"},
	{"follow", 'f', CLI_FLAG, offsetof(struct args, follow), NULL,
		"show steps and results as they come, then the report"},
	{"wait", 'w', CLI_FLAG, offsetof(struct args, wait), NULL,
		"wait for the end; exit status by the verdict"},
	{"format", 0, CLI_TEXT, offsetof(struct args, format), "NAME",
		"of the report of --follow and --wait (text, tap, json, junit, markdown, html, "
		"csv, kcidb)"},
	{"check", 0, CLI_FLAG, offsetof(struct args, check), NULL,
		"only ask whether the controller would take it"},
	{"json", 0, CLI_FLAG, offsetof(struct args, json), NULL, "answer as JSON"},
	{"quiet", 'q', CLI_FLAG, offsetof(struct args, quiet), NULL,
		"no progress on standard error"},
	REMOTE_OPT(struct args),
	{0},
};

/* Numbers and times of the options. -1 after telling. */
static int put_options(const struct args *a, json_t *body)
{
	int64_t n;

	if (a->priority) {
		if (str_i64(str_of(a->priority), &n))
			return cli_fail(
				-1, "submit: --priority needs a number, not '%s'", a->priority);
		json_object_set_new(body, "priority", json_integer(n));
	}
	if (a->queue_timeout) {
		if (str_duration_ms(str_of(a->queue_timeout), &n) || n <= 0)
			return cli_fail(-1,
				"submit: --queue-timeout needs a time such as 2h, not "
				"'%s'",
				a->queue_timeout);
		json_object_set_new(body, "queue_timeout_ms", json_integer(n));
	}
	if (a->key)
		json_object_set_new(body, "key", json_string(a->key));
	return 0;
}

static void put_board(const struct args *a, json_t *body)
{
	json_t *board = json_object(), *tags = json_array();

	if (a->board)
		json_object_set_new(board, "name", json_string(a->board));
	if (a->type)
		json_object_set_new(board, "type", json_string(a->type));
	if (a->soc)
		json_object_set_new(board, "soc", json_string(a->soc));
	for (size_t i = 0; i < a->tags.n; i++)
		json_array_append_new(tags, json_string(a->tags.p[i]));
	if (json_array_size(tags))
		json_object_set(board, "tags", tags);
	json_decref(tags);
	if (json_object_size(board))
		json_object_set(body, "board", board);
	json_decref(board);
}

static int put_files(
	struct remote *r, const struct args *a, const char *path, json_t *body, int *status)
{
	AUTOFREE char *own = NULL, *build = NULL;
	struct params params;
	json_t *files;

	if (params_split(&params, &a->params, "submit"))
		return *status = EXIT_USAGE, -1;
	json_object_set_new(body, "params", params_json(&params));
	files = upload_puts(r, path, &params, a->quiet, &own, status);
	params_done(&params);
	if (!files)
		return -1;
	json_object_set_new(body, "files", files);
	if (!a->build && !own)
		return 0;
	build = upload_build(r, a->build ? a->build : own, a->quiet, status);
	if (!build)
		return -1;
	json_object_set_new(body, "build", json_string(build));
	return 0;
}

static int after(struct remote *r, const struct args *a, int64_t job)
{
	const struct follow_opts o = {.quiet = a->quiet,
		.steps = a->follow,
		.report = a->json     ? "json"
			  : a->format ? a->format
			  : a->follow ? "text"
				      : NULL};

	if (a->follow || a->wait) {
		if (!a->quiet)
			fprintf(stderr, "job %lld (Ctrl-C ends only the watching)\n",
				(long long)job);
		return job_follow(r, job, &o);
	}
	if (a->json)
		printf("{\"job\": %lld}\n", (long long)job);
	else
		printf("%lld\n", (long long)job);
	return EXIT_PASS;
}

static int submit(struct remote *r, const struct args *a, const char *path)
{
	AUTOBUF text = BUF_INIT(YAML_FILE_BYTES);
	AUTOJSON *answer = NULL;
	json_t *body;
	struct err e = {0};
	int status = EXIT_USAGE;

	if (a->format && !driver_get(report_formats(), "report format", a->format, &e))
		return cli_fail(EXIT_USAGE, "submit: %s", e.msg);
	if (fs_read(path, &text, &e))
		return cli_fail(EXIT_USAGE, "submit: %s", e.msg);
	body = json_pack("{s:s, s:s}", "text", buf_str(&text), "file", path);
	if (!body)
		return cli_fail(EXIT_USAGE, "submit: '%s' is not UTF-8 text", path);
	put_board(a, body);
	if (put_options(a, body) || put_files(r, a, path, body, &status)) {
		json_decref(body);
		return status;
	}
	answer = remote_call(r, "POST", a->check ? "/jobs?check=1" : "/jobs", body, &status);
	if (!answer)
		return status;
	if (a->check) {
		printf("%s: ok\n", path);
		return EXIT_PASS;
	}
	return after(r, a, json_int(answer, "job", 0));
}

static int run(int argc, char **argv)
{
	struct args a = {0};
	struct remote r;
	char **operands;
	int status;

	if (cli_parse(&submit_command, argc, argv, &a, &operands, &status) >= 0) {
		status = EXIT_USAGE;
		if (!remote_open(&r, a.server, "submit")) {
			status = submit(&r, &a, operands[0]);
			remote_done(&r);
		}
	}
	free(a.tags.p);
	free(a.params.p);
	return status;
}

const struct cli_command submit_command = {
	.name = "submit",
	.brief = "submit a job to the controller",
	.usage = "JOB.yaml",
	.details =
		"Prints the job's number. The job waits for a board that fits; 'hilab jobs' says\n"
		"what it waits for, 'hilab show N' what became of it.",
	.example = "  hilab submit job.yaml --type am62axx-sk --follow\n"
		   "  hilab submit job.yaml --build out/images --param size=64m --wait",
	.opts = opts,
	.min_operands = 1,
	.max_operands = 1,
	.run = run,
};
