/* SPDX-License-Identifier: MIT */
/* `hilab cancel` and `hilab retry`: what is done to jobs by their numbers. */
#include "cli/commands.h"
#include "cli/follow.h"
#include "io/json.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct args {
	const char *server;
	bool follow, wait, json;
};

static const struct cli_opt cancel_opts[] = {
	{"wait", 'w', CLI_FLAG, offsetof(struct args, wait), NULL,
		"until their boards are released"},
	REMOTE_OPT(struct args),
	{0},
};
static const struct cli_opt retry_opts[] = {
	{"follow", 'f', CLI_FLAG, offsetof(struct args, follow), NULL,
		"show steps and results as they come, then the report"},
	{"wait", 'w', CLI_FLAG, offsetof(struct args, wait), NULL,
		"wait for the end; exit status by the verdict"},
	{"json", 0, CLI_FLAG, offsetof(struct args, json), NULL, "answer as JSON"},
	REMOTE_OPT(struct args),
	{0},
};

static json_t *post(struct remote *r, const char *operand, const char *verb, int *status)
{
	AUTOFREE char *id = http_encode(operand);
	AUTOFREE char *path = mem_printf("/jobs/%s/%s", id, verb);

	return remote_call(r, "POST", path, json_object(), status);
}

static int cancel(struct remote *r, const struct args *a, const char *operand)
{
	const struct follow_opts o = {.quiet = true};
	int status = EXIT_INCOMPLETE;
	AUTOJSON *answer = post(r, operand, "cancel", &status);
	int64_t job = 0;

	if (!answer)
		return status;
	str_i64(str_of(operand), &job);
	/* What became of it is not what was asked. */
	if (a->wait)
		job_follow(r, job, &o);
	return EXIT_PASS;
}

static int run_cancel(int argc, char **argv)
{
	struct args a = {0};
	struct remote r;
	char **operands;
	int n, one, status;

	n = cli_parse(&cancel_command, argc, argv, &a, &operands, &status);
	if (n < 0)
		return status;
	if (remote_open(&r, a.server, "cancel"))
		return EXIT_USAGE;
	status = EXIT_PASS;
	for (int i = 0; i < n; i++) {
		one = cancel(&r, &a, operands[i]);
		status = one > status ? one : status;
	}
	remote_done(&r);
	return status;
}

static int retry(struct remote *r, const struct args *a, const char *operand)
{
	const struct follow_opts o = {.steps = a->follow, .report = a->follow ? "text" : NULL};
	int status = EXIT_INCOMPLETE;
	AUTOJSON *answer = post(r, operand, "retry", &status);

	if (!answer)
		return status;
	if (a->follow || a->wait)
		return job_follow(r, json_int(answer, "job", 0), &o);
	if (a->json)
		return cli_out_json(answer);
	printf("%lld\n", (long long)json_int(answer, "job", 0));
	return EXIT_PASS;
}

static int run_retry(int argc, char **argv)
{
	struct args a = {0};
	struct remote r;
	char **operands;
	int status;

	if (cli_parse(&retry_command, argc, argv, &a, &operands, &status) < 0)
		return status;
	if (remote_open(&r, a.server, "retry"))
		return EXIT_USAGE;
	status = retry(&r, &a, operands[0]);
	remote_done(&r);
	return status;
}

const struct cli_command cancel_command = {
	.name = "cancel",
	.brief = "cancel jobs, whatever they are doing",
	.usage = "JOB...",
	.details = "One that waits is done at once; one that runs releases its board first.",
	.example = "  hilab cancel 12 13 --wait",
	.opts = cancel_opts,
	.min_operands = 1,
	.max_operands = -1,
	.run = run_cancel,
};

const struct cli_command retry_command = {
	.name = "retry",
	.brief = "submit a job once more, as it was",
	.usage = "JOB",
	.details = "Prints the new job's number; the old one stays on record.",
	.example = "  hilab retry 12 --follow",
	.opts = retry_opts,
	.min_operands = 1,
	.max_operands = 1,
	.run = run_retry,
};
