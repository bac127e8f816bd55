/* SPDX-License-Identifier: MIT */
/* `hilab reserve` and `hilab release`: a board for a person. */
#include "base/clock.h"
#include "cli/commands.h"
#include "cli/follow.h"
#include "io/json.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

struct args {
	const char *server, *for_text, *why;
	bool wait, no_wait, take_over, renew, json;
};

static const struct cli_opt reserve_opts[] = {
	{"for", 0, CLI_TEXT, offsetof(struct args, for_text), "TIME",
		"how long, unless renewed (default 1h)"},
	{"why", 0, CLI_TEXT, offsetof(struct args, why), "TEXT", "what others are told"},
	{"wait", 'w', CLI_FLAG, offsetof(struct args, wait), NULL,
		"wait for a board that is not free"},
	{"renew", 0, CLI_FLAG, offsetof(struct args, renew), NULL,
		"keep the board that is reserved already"},
	{"take-over", 0, CLI_FLAG, offsetof(struct args, take_over), NULL,
		"end the lease of somebody else (operators)"},
	{"json", 0, CLI_FLAG, offsetof(struct args, json), NULL, "the board as JSON"},
	REMOTE_OPT(struct args),
	{0},
};
static const struct cli_opt release_opts[] = {
	{"no-wait", 0, CLI_FLAG, offsetof(struct args, no_wait), NULL,
		"do not wait until the board is switched off and free"},
	REMOTE_OPT(struct args),
	{0},
};

static void tell_until(const char *board, int64_t until_ms)
{
	time_t t = until_ms / 1000;
	char text[64] = "";
	struct tm tm;

	if (localtime_r(&t, &tm))
		strftime(text, sizeof text, "%Y-%m-%d %H:%M:%S", &tm);
	printf("%s is reserved until %s\n", board, text);
}

/* Waits until the session's worker runs: the lease's job is in state running. */
struct begin {
	struct sse sse;
	bool running, done;
	json_t *job;
	char waits[256];
};

static void on_event(void *arg, const char *id, const char *name, const char *data)
{
	struct begin *b = arg;
	json_t *j = strcmp(name, "job") ? NULL : json_loads(data, 0, NULL);
	const char *state = json_text(j, "state", ""), *waits = json_text(j, "waits", "");

	(void)id;
	if (!j)
		return;
	if (!strcmp(state, "queued") && strcmp(waits, b->waits)) {
		if (!*b->waits)
			fprintf(stderr, "Ctrl-C leaves it waiting: hilab cancel %lld ends that\n",
				(long long)json_int(j, "job", 0));
		fprintf(stderr, "waits: %s\n", waits);
		snprintf(b->waits, sizeof b->waits, "%s", waits);
	}
	b->running = !strcmp(state, "running");
	b->done = !strcmp(state, "done");
	json_decref(b->job);
	b->job = j;
}

static int on_bytes(void *arg, struct str bytes)
{
	struct begin *b = arg;

	return sse_feed(&b->sse, bytes, on_event, b) || b->running || b->done;
}

static int wait_begin(struct remote *r, int64_t job)
{
	AUTOFREE char *path = mem_printf("/jobs/%lld/events", (long long)job);
	int status = EXIT_INCOMPLETE;
	struct begin b = {0};

	sse_init(&b.sse);
	if (!remote_stream(r, path, on_bytes, &b, &status))
		status = b.running ? EXIT_PASS
				   : cli_fail(EXIT_INCOMPLETE, "reserve: %s",
					     json_text(b.job, "message", "the lease has ended"));
	sse_done(&b.sse);
	json_decref(b.job);
	return status;
}

static int show_board(struct remote *r, const struct args *a, const char *name)
{
	AUTOFREE char *board = http_encode(name);
	AUTOFREE char *path = mem_printf("/boards/%s", board);
	int status = EXIT_INCOMPLETE;
	AUTOJSON *j = remote_call(r, "GET", path, NULL, &status);

	if (!j)
		return status;
	if (a->json)
		return cli_out_json(j);
	tell_until(name, json_int(j, "until_ms", 0));
	return EXIT_PASS;
}

static int reserve(struct remote *r, const struct args *a, const char *name)
{
	AUTOFREE char *board = http_encode(name);
	AUTOFREE char *path = mem_printf("/boards/%s/lease", board);
	json_t *body = json_object();
	AUTOJSON *answer = NULL;
	int status = EXIT_INCOMPLETE;
	int64_t ms;

	if (a->for_text) {
		if (str_duration_ms(str_of(a->for_text), &ms) || ms <= 0) {
			json_decref(body);
			return cli_fail(EXIT_USAGE,
				"reserve: --for needs a time such as 2h, not '%s'", a->for_text);
		}
		json_object_set_new(body, "for_ms", json_integer(ms));
	}
	if (a->why)
		json_object_set_new(body, "why", json_string(a->why));
	json_object_set_new(body, "wait", json_boolean(a->wait));
	json_object_set_new(body, "take_over", json_boolean(a->take_over));
	answer = remote_call(r, a->renew ? "PUT" : "POST", path, body, &status);
	if (!answer)
		return status;
	status = a->renew ? EXIT_PASS : wait_begin(r, json_int(answer, "job", 0));
	return status ? status : show_board(r, a, name);
}

static int run_reserve(int argc, char **argv)
{
	struct args a = {0};
	struct remote r;
	char **operands;
	int status;

	if (cli_parse(&reserve_command, argc, argv, &a, &operands, &status) < 0)
		return status;
	if (remote_open(&r, a.server, "reserve"))
		return EXIT_USAGE;
	status = reserve(&r, &a, operands[0]);
	remote_done(&r);
	return status;
}

/* Its lease is a job, which is done when the board is free. */
static int release(struct remote *r, const struct args *a, const char *name)
{
	const struct follow_opts o = {.quiet = true};
	AUTOFREE char *board = http_encode(name);
	AUTOFREE char *path = mem_printf("/boards/%s/lease", board);
	int status = EXIT_INCOMPLETE;
	AUTOJSON *answer = remote_call(r, "DELETE", path, NULL, &status);

	if (!answer)
		return status;
	if (!a->no_wait)
		job_follow(r, json_int(answer, "job", 0), &o);
	return EXIT_PASS;
}

static int run_release(int argc, char **argv)
{
	struct args a = {0};
	struct remote r;
	char **operands;
	int status;

	if (cli_parse(&release_command, argc, argv, &a, &operands, &status) < 0)
		return status;
	if (remote_open(&r, a.server, "release"))
		return EXIT_USAGE;
	status = EXIT_PASS;
	for (char **name = operands; *name && !status; name++)
		status = release(&r, &a, *name);
	remote_done(&r);
	return status;
}

const struct cli_command reserve_command = {
	.name = "reserve",
	.brief = "reserve a board for yourself",
	.usage = "BOARD",
	.details = "Returns when its consoles are open. 'hilab console BOARD' and 'hilab power\n"
		   "BOARD' are yours then, until 'hilab release BOARD' or the end of the time,\n"
		   "when the board is switched off.",
	.example = "  hilab reserve am62a-1 --for 2h --why 'emmc timing'",
	.opts = reserve_opts,
	.min_operands = 1,
	.max_operands = 1,
	.run = run_reserve,
};

const struct cli_command release_command = {
	.name = "release",
	.brief = "give reserved boards back",
	.usage = "BOARD...",
	.details = "They are switched off. Somebody else's needs an operator.",
	.example = "  hilab release am62a-1",
	.opts = release_opts,
	.min_operands = 1,
	.max_operands = -1,
	.run = run_release,
};
