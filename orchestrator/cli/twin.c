/* SPDX-License-Identifier: MIT */
/* hilab twin: virtual EVMs in QEMU behind serial ports, for as long as it or a command runs. */
#include "cli/cli.h"
#include "cli/commands.h"
#include "cli/virtual.h"

#include "base/log.h"
#include "labs/virtual/twin/twins.h"

#include <string.h>

#define BOOT_S_MAX 3600

struct twin_args {
	const char *dir, *type, *qemu, *images, *model, *mode;
	int64_t ready_fd, boots, boot_s;
};

static const struct cli_opt opts[] = {
	{"dir", 'd', CLI_TEXT, offsetof(struct twin_args, dir), "DIR",
		"folder of ports, disks and lab.yaml (default: in the state folder)"},
	{"type", 't', CLI_TEXT, offsetof(struct twin_args, type), "TYPE",
		"what the twins are (default am62axx-sk)"},
	{"qemu", 'q', CLI_TEXT, offsetof(struct twin_args, qemu), "PROGRAM", "another QEMU"},
	{"images", 'i', CLI_TEXT, offsetof(struct twin_args, images), "DIR",
		"folder of build manifests (default build/images)"},
	{"mode", 'm', CLI_TEXT, offsetof(struct twin_args, mode), "MODE",
		"how the boot-mode straps are set (default: the type's preset)"},
	{"relay", 'r', CLI_TEXT, offsetof(struct twin_args, model), "MODEL",
		"relay board: lcus (default) or numato"},
	{"boots", 'b', CLI_COUNT, offsetof(struct twin_args, boots), "N",
		"twins that boot at a time, the others wait (default 2; 0: any number)"},
	{"boot-time", 0, CLI_COUNT, offsetof(struct twin_args, boot_s), "SECONDS",
		"the longest that one counts as booting (default 15)"},
	{"ready-fd", 0, CLI_COUNT, offsetof(struct twin_args, ready_fd), "FD",
		"descriptor that gets the ready line and is closed"},
	{0},
};

static int run(int argc, char **argv);
const struct cli_command twin_command = {
	.name = "twin",
	.brief = "run virtual EVMs in QEMU: consoles and relay on serial ports",
	.usage = "[NAME[=TYPE]...] [-- COMMAND...] | stop DIR | ctl DIR LINE...",
	.details = "Prints 'ready DIR' when all ports are there; DIR/lab.yaml describes the "
		   "boards. A board\n"
		   "has power while its relay is closed; its QEMU starts when fewer than --boots "
		   "boot. With a\n"
		   "COMMAND, runs it with HILAB_LAB set to that file and exits with its status. "
		   "'ctl' sends a\n"
		   "line: status, reset NAME, pull-console, plug-console, pull-relay, plug-relay; "
		   "'stop' ends\n"
		   "the daemon.",
	.example = "  hilab twin evm-1 --dir twins -- hilab run jobs/am62axx/boot.yaml --lab "
		   "twins/lab.yaml",
	.opts = opts,
	.min_operands = 0,
	.max_operands = -1,
	.run = run,
};

/* `stop DIR`, `ctl DIR LINE...`; -1: neither. */
static int talk(int n, char **operands)
{
	if (n && !strcmp(operands[0], "stop"))
		return n == 2 ? virtual_call(operands[1], "quit")
			      : cli_fail(EXIT_USAGE, "twin: stop needs a folder");
	return n && !strcmp(operands[0], "ctl") ? virtual_ctl(&twin_command, n, operands) : -1;
}

static int run(int argc, char **argv)
{
	struct twin_args a = {.ready_fd = -1, .boots = TWINS_BOOTS, .boot_s = TWINS_BOOT_MS / 1000};
	struct twins_opts o = {0};
	struct vlab_run how = {0};
	struct diag diag = {0};
	struct err e = {0};
	struct twins *t;
	char **operands;
	int status, n = virtual_parse(&twin_command, argc, argv, &a, &operands, &how, &status);

	if (n < 0)
		return status;
	status = talk(n, operands);
	if (status >= 0)
		return status;
	if (a.boot_s < 1 || a.boot_s > BOOT_S_MAX)
		return cli_fail(EXIT_USAGE, "twin: --boot-time is 1 to %d seconds", BOOT_S_MAX);
	o = (struct twins_opts){.dir = a.dir,
		.names = (const char *const *)operands,
		.n_names = (size_t)n,
		.type = a.type,
		.qemu = a.qemu,
		.images = a.images,
		.mode = a.mode,
		.boots = (size_t)a.boots,
		.boot_ms = a.boot_s * 1000};
	if (virtual_model(&twin_command, a.model, &o.model) < 0)
		return EXIT_USAGE;
	how.ready_fd = (int)a.ready_fd;
	log_init(LOG_INFO);
	t = twins_new(&o, &diag, &e);
	if (t)
		twins_run(t, &how, &status, &e);
	twins_free(t);
	return virtual_end(&twin_command, &diag, &e, status);
}
