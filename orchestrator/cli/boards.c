/* SPDX-License-Identifier: MIT */
/*
 * `hilab boards`: the boards of the controller, or of a lab file where no controller is known or
 * one is named. Invariant: what a lab file holds beyond types and names is not shown.
 */
#include "cli/commands.h"
#include "cli/labfile.h"
#include "cli/listing.h"
#include "cli/remote.h"
#include "io/json.h"

#include <stdlib.h>
#include <string.h>

struct args {
	const char *lab, *server, *reason;
	bool json;
};

static const struct cli_opt opts[] = {
	{"lab", 'l', CLI_TEXT, offsetof(struct args, lab), "FILE",
		"those of a lab file (without a controller: the user's or the system's)"},
	{"reason", 'r', CLI_TEXT, offsetof(struct args, reason), "TEXT",
		"why, for 'health'; others read it"},
	{"json", 0, CLI_FLAG, offsetof(struct args, json), NULL, "as JSON"},
	REMOTE_OPT(struct args),
	{0},
};

/* ---- of a lab file ---- */

static void add_strings(json_t *into, const struct param_strings *s)
{
	for (size_t i = 0; i < s->n; i++)
		json_array_append_new(into, json_string(s->p[i]));
}

static json_t *board_json(const struct lab *lab, const struct board *b)
{
	json_t *peripherals = json_array(), *tags = json_array();

	add_strings(peripherals, &b->type->peripherals);
	add_strings(peripherals, &b->peripherals);
	add_strings(tags, &b->type->tags);
	add_strings(tags, &b->tags);
	return json_pack("{s:s, s:s, s:s, s:s, s:b, s:s?, s:o, s:o}", "name", b->name, "lab",
		lab->name, "type", b->type_name, "soc", b->type->soc, "twin", b->type->twin,
		"revision", b->revision, "peripherals", peripherals, "tags", tags);
}

static void add_peripherals(struct listing *t, const struct board *b)
{
	AUTOBUF text = BUF_INIT(BUF_CAP_BYTES);

	for (size_t k = 0; k < b->type->peripherals.n; k++)
		if (board_has(b, b->type->peripherals.p[k]))
			buf_printf(&text, "%s%s", text.len ? " " : "", b->type->peripherals.p[k]);
	for (size_t k = 0; k < b->peripherals.n; k++)
		if (b->peripherals.p[k][0] != '-')
			buf_printf(&text, "%s%s", text.len ? " " : "", b->peripherals.p[k]);
	listing_add(t, buf_str(&text));
}

static int list_local(const struct args *a)
{
	static const char *const headings[] = {"BOARD", "TYPE", "SOC", "KIND", "PERIPHERALS", NULL};
	AUTOBUF out = BUF_INIT(BUF_CAP_BYTES);
	AUTOJSON *list = json_array();
	struct labfile l;
	struct listing t;

	if (labfile_load(&l, a->lab))
		return EXIT_USAGE;
	listing_init(&t, headings);
	for (size_t i = 0; i < l.lab.n; i++) {
		const struct board *b = &l.lab.boards[i];

		json_array_append_new(list, board_json(&l.lab, b));
		listing_add(&t, b->name);
		listing_add(&t, b->type_name);
		listing_add(&t, b->type->soc);
		listing_add(&t, b->type->twin ? "twin" : "real");
		add_peripherals(&t, b);
	}
	listing_print(&t, &out);
	listing_done(&t);
	labfile_done(&l);
	if (a->json)
		return cli_out_json(list);
	return cli_out(&out) ? EXIT_INCOMPLETE : EXIT_PASS;
}

/* ---- of the controller ---- */

/* "job 12 of ada", "ada until ...", "". */
static void add_holder(struct listing *t, const json_t *j)
{
	int64_t job = json_int(j, "job", 0);

	if (!job)
		listing_add(t, NULL);
	else if (!strcmp(json_text(j, "state", ""), "leased"))
		listing_printf(t, "lease of %s", json_text(j, "owner", "?"));
	else
		listing_printf(t, "job %lld of %s", (long long)job, json_text(j, "owner", "?"));
}

/* Last, for it is long. */
static void add_reason(struct listing *t, const json_t *j)
{
	const char *reason = json_text(j, "reason", NULL), *who = json_text(j, "who", NULL);

	if (reason && who)
		listing_printf(t, "%s (%s)", reason, who);
	else
		listing_add(t, reason ? reason : "");
}

static int list_remote(struct remote *r, const struct args *a)
{
	static const char *const headings[] = {"BOARD", "TYPE", "LAB", "STATE", "POWER", "HEALTH",
		"SINCE", "HELD BY", "WHY", NULL};
	AUTOBUF out = BUF_INIT(BUF_CAP_BYTES);
	int status = EXIT_INCOMPLETE;
	AUTOJSON *answer = remote_call(r, "GET", "/boards", NULL, &status);
	struct listing t;
	json_t *j;
	size_t i;

	if (!answer)
		return status;
	if (a->json)
		return cli_out_json(json_object_get(answer, "boards"));
	listing_init(&t, headings);
	json_array_foreach (json_object_get(answer, "boards"), i, j) {
		listing_add(&t, json_text(j, "board", NULL));
		listing_add(&t, json_text(j, "type", NULL));
		listing_add(&t, json_text(j, "lab", NULL));
		listing_add(&t,
			json_flag(j, "online", false) ? json_text(j, "state", NULL) : "offline");
		listing_add(&t, json_text(j, "power", NULL));
		listing_add(&t, json_text(j, "health", NULL));
		listing_age(&t, json_int(j, "since_ms", 0));
		add_holder(&t, j);
		add_reason(&t, j);
	}
	listing_print(&t, &out);
	listing_done(&t);
	return cli_out(&out) ? EXIT_INCOMPLETE : EXIT_PASS;
}

/* One board, as the controller has it. */
static int one(struct remote *r, const char *method, const char *name, const char *verb,
	json_t *body, bool print)
{
	AUTOFREE char *board = http_encode(name);
	AUTOFREE char *path = mem_printf("/boards/%s%s", board, verb);
	int status = EXIT_INCOMPLETE;
	AUTOJSON *answer = remote_call(r, method, path, body, &status);

	if (!answer)
		return status;
	return print ? cli_out_json(answer) : EXIT_PASS;
}

static int health(struct remote *r, const struct args *a, char **operands)
{
	json_t *body = json_pack("{s:s}", "health", operands[2]);

	if (a->reason)
		json_object_set_new(body, "reason", json_string(a->reason));
	return one(r, "POST", operands[1], "/health", body, a->json);
}

static int with_remote(const struct args *a, char **operands, int n)
{
	const char *verb = n ? operands[0] : "list";
	struct remote r;
	int status;

	if (remote_open(&r, a->server, "boards"))
		return EXIT_USAGE;
	if (!strcmp(verb, "list") && n <= 1)
		status = list_remote(&r, a);
	else if (!strcmp(verb, "show") && n == 2)
		status = one(&r, "GET", operands[1], "", NULL, true);
	else if (!strcmp(verb, "check") && n == 2)
		status = one(&r, "POST", operands[1], "/check", json_object(), true);
	else if (!strcmp(verb, "health") && n == 3)
		status = health(&r, a, operands);
	else
		status = cli_fail(EXIT_USAGE,
			"boards: list, show BOARD, check BOARD or health BOARD HEALTH are known");
	remote_done(&r);
	return status;
}

static int run(int argc, char **argv)
{
	struct args a = {0};
	char **operands;
	int n, status;

	n = cli_parse(&boards_command, argc, argv, &a, &operands, &status);
	if (n < 0)
		return status;
	if (!a.lab && (n || remote_known(a.server)))
		return with_remote(&a, operands, n);
	if (n > 1 || (n && strcmp(operands[0], "list")))
		return cli_fail(EXIT_USAGE, "boards: a lab file can only be listed");
	return list_local(&a);
}

const struct cli_command boards_command = {
	.name = "boards",
	.brief = "list boards: who holds them, how they are",
	.usage = "[list | show BOARD | check BOARD | health BOARD HEALTH]",
	.details =
		"Of the controller where one is known, else of a lab file. 'check' runs a board's\n"
		"health check. 'health' says how a board is: good, unknown (checked before it\n"
		"takes work), bad, maintenance or retired (takes none), with a --reason.",
	.example = "  hilab boards\n  hilab boards --lab desk.yaml --json\n"
		   "  hilab boards health am62a-3 maintenance --reason 'new SD card'",
	.opts = opts,
	.max_operands = 3,
	.run = run,
};
