/* SPDX-License-Identifier: MIT */
/* `hilab power`: the switch of a reserved board. */
#include "cli/commands.h"
#include "cli/remote.h"
#include "io/json.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct args {
	const char *server;
	bool json;
};

static const struct cli_opt opts[] = {
	{"json", 0, CLI_FLAG, offsetof(struct args, json), NULL, "the board as JSON"},
	REMOTE_OPT(struct args),
	{0},
};

static int power(struct remote *r, const struct args *a, const char *name, const char *action)
{
	AUTOFREE char *board = http_encode(name);
	AUTOFREE char *path = mem_printf("/boards/%s/power", board);
	bool ask = !strcmp(action, "status");
	int status = EXIT_INCOMPLETE;
	AUTOJSON *answer = remote_call(r, ask ? "GET" : "POST", path,
		ask ? NULL : json_pack("{s:s}", "action", action), &status);

	if (!answer)
		return status;
	if (a->json)
		return cli_out_json(answer);
	printf("%s: %s\n", name, json_text(answer, "power", "unknown"));
	return EXIT_PASS;
}

static int run(int argc, char **argv)
{
	static const char *const actions[] = {"on", "off", "cycle", "status"};
	struct args a = {0};
	struct remote r;
	char **operands;
	bool known = false;
	int status;

	if (cli_parse(&power_cli_command, argc, argv, &a, &operands, &status) < 0)
		return status;
	for (size_t i = 0; i < ARRAY_LEN(actions); i++)
		known |= !strcmp(actions[i], operands[1]);
	if (!known)
		return cli_fail(
			EXIT_USAGE, "power: on, off, cycle or status, not '%s'", operands[1]);
	if (remote_open(&r, a.server, "power"))
		return EXIT_USAGE;
	status = power(&r, &a, operands[0], operands[1]);
	remote_done(&r);
	return status;
}

const struct cli_command power_cli_command = {
	.name = "power",
	.brief = "switch a reserved board on or off",
	.usage = "BOARD on|off|cycle|status",
	.details =
		"The board must be reserved by you ('hilab reserve'). 'status' tells what the lab\n"
		"knew last: on, off or unknown.",
	.example = "  hilab power am62a-1 cycle",
	.opts = opts,
	.min_operands = 2,
	.max_operands = 2,
	.run = run,
};
