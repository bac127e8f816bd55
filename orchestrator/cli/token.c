/* SPDX-License-Identifier: MIT */
/* `hilab token`: who may do what on the controller. */
#include "base/clock.h"
#include "cli/commands.h"
#include "cli/listing.h"
#include "cli/remote.h"
#include "io/json.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct args {
	const char *server, *rights, *note, *expires;
	struct cli_texts labs;
	bool json;
};

static const struct cli_opt opts[] = {
	{"rights", 'r', CLI_TEXT, offsetof(struct args, rights), "RIGHTS",
		"viewer, submitter (default), operator, admin or agent"},
	{"lab", 0, CLI_TEXTS, offsetof(struct args, labs), "NAME",
		"sees only this lab; may be repeated"},
	{"expires", 0, CLI_TEXT, offsetof(struct args, expires), "TIME",
		"is of no use after that time (720h)"},
	{"note", 0, CLI_TEXT, offsetof(struct args, note), "TEXT", "what it is for"},
	{"json", 0, CLI_FLAG, offsetof(struct args, json), NULL, "as JSON"},
	REMOTE_OPT(struct args),
	{0},
};

static int add(struct remote *r, const struct args *a, const char *account)
{
	json_t *body = json_pack("{s:s, s:s}", "account", account ? account : "", "rights",
		a->rights ? a->rights : "submitter");
	json_t *labs = json_array();
	AUTOJSON *answer = NULL;
	int status = EXIT_INCOMPLETE;
	int64_t ms;

	for (size_t i = 0; i < a->labs.n; i++)
		json_array_append_new(labs, json_string(a->labs.p[i]));
	if (a->labs.n)
		json_object_set(body, "labs", labs);
	json_decref(labs);
	if (a->note)
		json_object_set_new(body, "note", json_string(a->note));
	if (a->expires) {
		if (str_duration_ms(str_of(a->expires), &ms) || ms <= 0) {
			json_decref(body);
			return cli_fail(EXIT_USAGE,
				"token: --expires needs a time such as 720h, not '%s'", a->expires);
		}
		json_object_set_new(body, "expires_ms", json_integer(clock_wall_ms() + ms));
	}
	answer = remote_call(r, "POST", "/tokens", body, &status);
	if (!answer)
		return status;
	if (a->json)
		return cli_out_json(answer);
	fprintf(stderr, "the token of '%s' (number %lld) is shown only this once:\n", account,
		(long long)json_int(answer, "id", 0));
	printf("%s\n", json_text(answer, "token", ""));
	return EXIT_PASS;
}

static int list(struct remote *r, const struct args *a, const char *operand)
{
	static const char *const headings[] = {
		"ID", "ACCOUNT", "RIGHTS", "MADE", "USED", "NOTE", NULL};
	AUTOBUF out = BUF_INIT(BUF_CAP_BYTES);
	int status = EXIT_INCOMPLETE;
	AUTOJSON *answer = remote_call(r, "GET", "/tokens", NULL, &status);
	struct listing t;
	json_t *j;
	size_t i;

	(void)operand;
	if (!answer)
		return status;
	if (a->json)
		return cli_out_json(json_object_get(answer, "tokens"));
	listing_init(&t, headings);
	json_array_foreach (json_object_get(answer, "tokens"), i, j) {
		listing_printf(&t, "%lld", (long long)json_int(j, "id", 0));
		listing_add(&t, json_text(j, "account", NULL));
		listing_add(&t, json_text(j, "rights", NULL));
		listing_age(&t, json_int(j, "made_ms", 0));
		listing_age(&t, json_int(j, "used_ms", 0));
		listing_add(&t, json_text(j, "note", ""));
	}
	listing_print(&t, &out);
	listing_done(&t);
	return cli_out(&out) ? EXIT_INCOMPLETE : EXIT_PASS;
}

static int del(struct remote *r, const struct args *a, const char *operand)
{
	AUTOFREE char *id = http_encode(operand);
	AUTOFREE char *path = mem_printf("/tokens/%s", id);
	int status = EXIT_INCOMPLETE;
	AUTOJSON *answer = remote_call(r, "DELETE", path, NULL, &status);

	(void)a;
	return answer ? EXIT_PASS : status;
}

static const struct verb {
	const char *name;
	bool operand;
	int (*fn)(struct remote *r, const struct args *a, const char *operand);
} verbs[] = {{"list", false, list}, {"add", true, add}, {"delete", true, del}};

static int run_verb(const struct args *a, char **operands, int n)
{
	const char *name = n ? operands[0] : "list";
	struct remote r;
	int status;

	for (size_t i = 0; i < ARRAY_LEN(verbs); i++) {
		if (strcmp(verbs[i].name, name))
			continue;
		if (verbs[i].operand != (n == 2))
			return cli_fail(EXIT_USAGE, "token: %s needs %s", name,
				verbs[i].operand ? "one operand" : "no operand");
		if (remote_open(&r, a->server, "token"))
			return EXIT_USAGE;
		status = verbs[i].fn(&r, a, n == 2 ? operands[1] : NULL);
		remote_done(&r);
		return status;
	}
	return cli_fail(EXIT_USAGE, "token: list, add or delete, not '%s'", name);
}

static int run(int argc, char **argv)
{
	struct args a = {0};
	char **operands;
	int n, status;

	n = cli_parse(&token_command, argc, argv, &a, &operands, &status);
	if (n >= 0)
		status = run_verb(&a, operands, n);
	free(a.labs.p);
	return status;
}

const struct cli_command token_command = {
	.name = "token",
	.brief = "list, add and delete the controller's tokens",
	.usage = "[list | add ACCOUNT | delete ID]",
	.details =
		"A viewer reads; a submitter also submits and reserves; an operator also acts on\n"
		"others' jobs and on boards' health; an admin also makes tokens. An agent's token\n"
		"is for 'hilab agent' alone, and its account is the agent's name.",
	.example = "  hilab token add ada\n  hilab token add lab-host-1 --rights agent > token",
	.opts = opts,
	.max_operands = 2,
	.run = run,
};
