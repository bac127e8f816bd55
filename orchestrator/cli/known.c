/* SPDX-License-Identifier: MIT */
/* `hilab known`: what is expected to go wrong for a while, so that it stands apart. */
#include "base/clock.h"
#include "base/mem.h"
#include "cli/commands.h"
#include "cli/listing.h"
#include "cli/remote.h"
#include "io/json.h"

#include <stdio.h>

struct args {
	const char *server, *why, *job, *suite, *test, *message, *type, *line, *from, *to, *expires;
	bool all, json;
};

static const struct cli_opt opts[] = {
	{"why", 'm', CLI_TEXT, offsetof(struct args, why), "TEXT", "add: the reason, a ticket say"},
	{"job", 0, CLI_TEXT, offsetof(struct args, job), "PATTERN", "add: in jobs of that name"},
	{"suite", 0, CLI_TEXT, offsetof(struct args, suite), "PATTERN", "add: in that suite"},
	{"test", 0, CLI_TEXT, offsetof(struct args, test), "PATTERN", "add: that test"},
	{"message", 0, CLI_TEXT, offsetof(struct args, message), "PATTERN",
		"add: what it says, or the run does"},
	{"type", 0, CLI_TEXT, offsetof(struct args, type), "PATTERN", "add: on that board type"},
	{"line", 0, CLI_TEXT, offsetof(struct args, line), "PATTERN",
		"add: with builds of that name"},
	{"from", 0, CLI_TEXT, offsetof(struct args, from), "VERSION", "add: from that build on"},
	{"to", 0, CLI_TEXT, offsetof(struct args, to), "VERSION", "add: up to that build"},
	{"expires", 0, CLI_TEXT, offsetof(struct args, expires), "DURATION",
		"add: for so long, such as 14d (default: until it is deleted)"},
	{"all", 'a', CLI_FLAG, offsetof(struct args, all), NULL, "list: those that expired too"},
	{"json", 0, CLI_FLAG, offsetof(struct args, json), NULL, "as JSON"},
	REMOTE_OPT(struct args),
	{0},
};

static const char *const verbs[] = {"list", "add", "del"};
enum verb { LIST, ADD, DEL };

static void add_range(struct listing *t, const json_t *k)
{
	const char *from = json_text(k, "from_version", NULL),
		   *to = json_text(k, "to_version", NULL);

	if (from || to)
		listing_printf(t, "%s..%s", from ? from : "", to ? to : "");
	else
		listing_add(t, "");
}

static int list(struct remote *r, const struct args *a)
{
	static const char *const headings[] = {"KNOWN", "JOB", "SUITE", "TEST", "MESSAGE", "TYPE",
		"BUILDS", "WHO", "EXPIRES", "WHY", NULL};
	static const char *const keys[] = {"job", "suite", "test", "message", "type"};
	AUTOBUF out = BUF_INIT(BUF_CAP_BYTES);
	int status = EXIT_INCOMPLETE;
	AUTOJSON *answer = remote_call(r, "GET", a->all ? "/known?all=1" : "/known", NULL, &status);
	struct listing t;
	json_t *k;
	size_t i;

	if (!answer)
		return status;
	if (a->json)
		return cli_out_json(json_object_get(answer, "known"));
	listing_init(&t, headings);
	json_array_foreach (json_object_get(answer, "known"), i, k) {
		listing_printf(&t, "%lld", (long long)json_int(k, "known", 0));
		for (size_t c = 0; c < ARRAY_LEN(keys); c++)
			listing_add(&t, json_text(k, keys[c], ""));
		add_range(&t, k);
		listing_add(&t, json_text(k, "who", NULL));
		listing_age(&t, json_int(k, "expires_ms", 0));
		listing_add(&t, json_text(k, "reason", NULL));
	}
	listing_print(&t, &out);
	listing_done(&t);
	return cli_out(&out) ? EXIT_INCOMPLETE : EXIT_PASS;
}

static int add(struct remote *r, const struct args *a)
{
	const struct {
		const char *key, *value;
	} texts[] = {{"reason", a->why}, {"job", a->job}, {"suite", a->suite}, {"test", a->test},
		{"message", a->message}, {"type", a->type}, {"line", a->line},
		{"from_version", a->from}, {"to_version", a->to}};
	int64_t for_ms = 0;
	int status = EXIT_INCOMPLETE;
	AUTOJSON *answer = NULL;
	json_t *body;

	if (!a->why || !*a->why)
		return cli_fail(EXIT_USAGE, "known add: say why with --why");
	if (a->expires && (str_duration_ms(str_of(a->expires), &for_ms) || for_ms <= 0))
		return cli_fail(EXIT_USAGE, "known add: --expires: '%s' is no duration such as 14d",
			a->expires);
	body = json_object();
	for (size_t i = 0; i < ARRAY_LEN(texts); i++)
		if (texts[i].value)
			json_object_set_new(body, texts[i].key, json_string(texts[i].value));
	if (for_ms)
		json_object_set_new(body, "expires_ms", json_integer(clock_wall_ms() + for_ms));
	answer = remote_call(r, "POST", "/known", body, &status);
	if (!answer)
		return status;
	if (a->json)
		return cli_out_json(answer);
	printf("%lld\n", (long long)json_int(answer, "known", 0));
	return EXIT_PASS;
}

static int del(struct remote *r, const char *number)
{
	AUTOFREE char *id = http_encode(number);
	AUTOFREE char *path = mem_printf("/known/%s", id);
	int status = EXIT_INCOMPLETE;
	AUTOJSON *answer = remote_call(r, "DELETE", path, NULL, &status);

	return answer ? EXIT_PASS : status;
}

static int run(int argc, char **argv)
{
	struct args a = {0};
	struct remote r;
	char **operands;
	int status, n = cli_parse(&known_command, argc, argv, &a, &operands, &status), verb;

	if (n < 0)
		return status;
	verb = n ? cli_verb("known", operands[0], verbs, ARRAY_LEN(verbs)) : LIST;
	if (verb < 0)
		return EXIT_USAGE;
	if ((verb == DEL) != (n == 2))
		return cli_fail(EXIT_USAGE, "known %s: %s", verbs[verb],
			verb == DEL ? "the number of a known issue is needed" : "takes no number");
	if (remote_open(&r, a.server, "known"))
		return EXIT_USAGE;
	status = verb == LIST ? list(&r, &a) : verb == ADD ? add(&r, &a) : del(&r, operands[1]);
	remote_done(&r);
	return status;
}

const struct cli_command known_command = {
	.name = "known",
	.brief = "list, add and delete known issues, which stand apart from new failures",
	.usage = "[list | add | del KNOWN]",
	.details = "Patterns are those of file names: * ? [a-z]. At least one of --job, --suite,\n"
		   "--test, --message says what goes wrong. A night tells what matches apart from\n"
		   "what is new.",
	.example = "  hilab known add --test 'mmap*' --expires 14d --why 'kernel bug 4711'\n"
		   "  hilab known del 3",
	.opts = opts,
	.max_operands = 2,
	.run = run,
};
