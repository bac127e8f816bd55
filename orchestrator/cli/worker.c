/* SPDX-License-Identifier: MIT */
/* `hilab worker`: one job of one folder, for agents, `hilab run` and people by hand. */
#include "agents/worker/worker.h"
#include "cli/commands.h"

struct opts {
	bool release, canceled, bell;
};

static const struct cli_opt opts[] = {
	{"release", 0, CLI_FLAG, offsetof(struct opts, release), NULL,
		"free the board of a worker that is gone"},
	{"canceled", 0, CLI_FLAG, offsetof(struct opts, canceled), NULL,
		"with --release: the worker was killed because somebody asked to stop"},
	{"bell", 0, CLI_FLAG, offsetof(struct opts, bell), NULL,
		"a byte on standard output after each event, for a program that follows"},
	{0},
};

static int run(int argc, char **argv)
{
	struct opts o = {0};
	char **operands;
	int status;

	if (cli_parse(&worker_command, argc, argv, &o, &operands, &status) < 0)
		return status;
	return o.release ? worker_release_main(operands[0], o.canceled)
			 : worker_main(operands[0], o.bell);
}

const struct cli_command worker_command = {
	.name = "worker",
	.brief = "run the job of a job folder on its board",
	.usage = "DIR",
	.details = "DIR holds plan.json and board.json. The worker leaves console logs, "
		   "events.jsonl,\n"
		   "artifacts/ and, last, status there; the board is off when it ends.",
	.example = "  hilab worker runs/12",
	.opts = opts,
	.min_operands = 1,
	.max_operands = 1,
	.run = run,
};
