/* SPDX-License-Identifier: MIT */
/* hilab player: plays boards from transcripts, for as long as it or a given command runs. */
#include "cli/cli.h"
#include "cli/commands.h"
#include "cli/virtual.h"

#include "base/log.h"
#include "labs/virtual/player/player.h"

#include <string.h>

struct player_args {
	const char *dir, *scale, *model;
	int64_t count, channels, ready_fd;
	bool sockets;
};

static const struct cli_opt opts[] = {
	{"dir", 'd', CLI_TEXT, offsetof(struct player_args, dir), "DIR",
		"folder of ports and lab.yaml (default: a fresh one)"},
	{"count", 'n', CLI_COUNT, offsetof(struct player_args, count), "N",
		"boards of each transcript, NAME-1 ... NAME-N"},
	{"scale", 's', CLI_TEXT, offsetof(struct player_args, scale), "FACTOR",
		"how slow: 1 as the transcript says, 0 at once (default)"},
	{"relay", 'r', CLI_TEXT, offsetof(struct player_args, model), "MODEL",
		"relay boards: lcus (default) or numato"},
	{"channels", 'c', CLI_COUNT, offsetof(struct player_args, channels), "N",
		"channels of each relay board (default 8)"},
	{"sockets", 0, CLI_FLAG, offsetof(struct player_args, sockets), NULL,
		"ports are unix sockets, not PTYs: up to 3000 boards instead of 1500"},
	{"ready-fd", 0, CLI_COUNT, offsetof(struct player_args, ready_fd), "FD",
		"descriptor that gets the ready line and is closed"},
	{0},
};

static int run(int argc, char **argv);
const struct cli_command player_command = {
	.name = "player",
	.brief = "play boards from transcripts: consoles and relays on serial ports",
	.usage = "[NAME=]TRANSCRIPT... [-- COMMAND...] | ctl DIR LINE...",
	.details =
		"A transcript is a file or the name of a shipped one (instant, am62axx-sk-twin).\n"
		"Prints 'ready DIR' when all ports are there; DIR/lab.yaml describes the boards.\n"
		"With a COMMAND, runs it with HILAB_LAB set to that file and exits with its "
		"status.\n"
		"'ctl' sends a line to a running player: status, fault BOARD SPEC, relay BOARD\n"
		"ok|dead|lying|stuck, clear, set BOARD NAME=VALUE, say, reset, pull, plug, quit.",
	.example = "  hilab player a=instant b=instant -- sh -c 'hilab boards --lab $HILAB_LAB'\n"
		   "  hilab player ctl DIR fault a insert 'after=#\\s' count=1",
	.opts = opts,
	.min_operands = 1,
	.max_operands = -1,
	.run = run,
};

static int fill(const struct player_args *a, struct player_opts *o)
{
	o->dir = a->dir;
	o->count = a->count ? (unsigned)a->count : 1;
	o->channels = (unsigned)a->channels;
	o->sockets = a->sockets;
	if (a->scale && (str_double(str_of(a->scale), &o->scale) < 0 || o->scale < 0))
		return cli_fail(-1, "player: --scale needs a number, not '%s'", a->scale);
	return virtual_model(&player_command, a->model, &o->model);
}

static int run(int argc, char **argv)
{
	struct player_args a = {.ready_fd = -1};
	struct player_opts o = {0};
	struct vlab_run how = {0};
	struct diag diag = {0};
	struct err e = {0};
	struct player *p;
	char **operands;
	int status, n = virtual_parse(&player_command, argc, argv, &a, &operands, &how, &status);

	if (n < 0)
		return status;
	if (!strcmp(operands[0], "ctl"))
		return virtual_ctl(&player_command, n, operands);
	if (fill(&a, &o) < 0)
		return EXIT_USAGE;
	o.specs = (const char *const *)operands;
	o.n_specs = (size_t)n;
	how.ready_fd = (int)a.ready_fd;
	log_init(LOG_INFO);
	p = player_new(&o, &diag, &e);
	if (p)
		player_run(p, &how, &status, &e);
	player_free(p);
	return virtual_end(&player_command, &diag, &e, status);
}
