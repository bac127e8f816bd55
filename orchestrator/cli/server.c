/* SPDX-License-Identifier: MIT */
/* `hilab server`: the controller. */
#include "api/server.h"
#include "agents/boot/boot.h"
#include "agents/deploy/deploy.h"
#include "agents/measure/measure.h"
#include "base/log.h"
#include "cli/commands.h"
#include "reports/parse/parse.h"

struct args {
	const char *config, *listen, *dir;
	int64_t ready_fd;
};

static const struct cli_opt opts[] = {
	{"config", 'c', CLI_TEXT, offsetof(struct args, config), "FILE",
		"configuration (else server.yaml in the configuration folder, if there)"},
	{"listen", 'l', CLI_TEXT, offsetof(struct args, listen), "ADDRESS:PORT",
		"instead of the configured one; port 0 takes a free one"},
	{"dir", 'd', CLI_TEXT, offsetof(struct args, dir), "DIR",
		"where logs, artifacts and builds are kept"},
	{"ready-fd", 0, CLI_COUNT, offsetof(struct args, ready_fd), "FD",
		"descriptor that gets 'ready URL' and is closed"},
	{0},
};

static int run(int argc, char **argv)
{
	const struct job_tables tables = {
		deploy_drivers(), boot_drivers(), measure_drivers(), parse_drivers()};
	struct args a = {.ready_fd = -1};
	char **operands;
	int status;

	if (cli_parse(&server_command, argc, argv, &a, &operands, &status) < 0)
		return status;
	log_init(LOG_INFO);
	return server_main(&(struct server_opts){.config = a.config,
		.listen = a.listen,
		.dir = a.dir,
		.ready_fd = (int)a.ready_fd,
		.tables = &tables});
}

const struct cli_command server_command = {
	.name = "server",
	.brief = "the controller: queue, boards, leases, results",
	.usage = "",
	.details =
		"Without a configuration it serves this host on 127.0.0.1:8420, with its store\n"
		"in the state folder; this user's commands find it by themselves. Lab hosts run\n"
		"'hilab agent'; others talk to it with a token ('hilab token add'). TLS needs\n"
		"cert and key in server.yaml. SIGTERM ends it; jobs that run go on meanwhile.",
	.example = "  hilab server &\n  hilab agent --lab desk.yaml &\n"
		   "  hilab submit jobs/am62axx/smoke.yaml --follow",
	.opts = opts,
	.max_operands = 0,
	.run = run,
};
