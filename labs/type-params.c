/* SPDX-License-Identifier: MIT */
/* The settings of a board type, its login and its stages: one table each for reading, checking,
 * help and pages. Invariant: what is in type.h is settable here. */
#include "labs/type.h"

#include "io/schema.h"

#include <stddef.h>

static const char *const archs[] = {"arm64", "armv7", "r5f", NULL};

const struct param type_params[] = {
	{"type", PARAM_STRING, offsetof(struct type, name), .required = true,
		.help = "name of the board type, as its file is named", .example = "am62axx-sk"},
	{"extends", PARAM_STRING, offsetof(struct type, extends),
		.help = "type whose file this one is laid over: mappings merge, lists and "
			"scalars replace",
		.example = "am62axx-sk"},
	{"description", PARAM_STRING, offsetof(struct type, description),
		.help = "one line for people", .example = "AM62Ax Starter Kit"},
	{"soc", PARAM_STRING, offsetof(struct type, soc),
		.help = "SoC on the board; needed here or in a type that this one extends",
		.example = "am62axx"},
	{"arch", PARAM_STRING, offsetof(struct type, arch), .choices = archs,
		.help = "architecture of the images that boot", .example = "arm64"},
	{"twin", PARAM_BOOL, offsetof(struct type, twin),
		.help = "a virtual EVM: its figures are never compared with a real one's",
		.example = "true"},
	{"template", PARAM_BOOL, offsetof(struct type, template_only),
		.help = "only to extend from: no board may have this type", .example = "true"},
	{"peripherals", PARAM_STRINGS, offsetof(struct type, peripherals),
		.help = "what every board of the type has", .example = "[mmc, ethernet]"},
	{"tags", PARAM_STRINGS, offsetof(struct type, tags),
		.help = "further words that jobs may ask for", .example = "[starter-kit]"},
	{"consoles", PARAM_MAP, offsetof(struct type, consoles),
		.help = "console name -> settings that the type fixes; the lab's are laid over "
			"them",
		.example = "{main: {baud: 115200}}"},
	{"boot", PARAM_MAP, offsetof(struct type, boot),
		.help = "boot method -> settings of its driver",
		.example = "{u-boot: {prompt: '=> '}}"},
	{"login", PARAM_MAP, offsetof(struct type, login),
		.help = "how a shell is reached once the kernel is up", .example = "{user: root}"},
	{"stages", PARAM_LIST, offsetof(struct type, stages),
		.help = "marks of the boot chain on the console, in order: each stage's time is "
			"from power-on to its text",
		.example = "[{name: loader, pattern: 'U-Boot \\d{4}'}]"},
	{"cores", PARAM_MAP, offsetof(struct type, cores),
		.help = "name to core: what it is, how many, at which clock",
		.example = "{a53: {core: cortex-a53, count: 4, clock-mhz: 1200}}"},
	{"memory", PARAM_MAP, offsetof(struct type, memory),
		.help = "name to memory: RAM, flash, cards",
		.example = "{ddr: {kind: LPDDR4, size: 4GiB, at: 0x80000000}}"},
	{"ports", PARAM_MAP, offsetof(struct type, ports), .help = "name to network port",
		.example = "{eth0: {speed-mbits: 1000}}"},
	{"rails", PARAM_MAP, offsetof(struct type, rails),
		.help = "name to power rail, in the order of the published tables",
		.example = "{vdd_core: {voltage-mv: 850}}"},
	{"opps-mhz", PARAM_STRINGS, offsetof(struct type, opps_mhz),
		.help = "clocks of the CPU's operating points, the slowest first",
		.example = "[275, 720]"},
	{"sleep-modes", PARAM_STRINGS, offsetof(struct type, sleep_modes),
		.help = "low-power modes", .example = "[deep-sleep, mcu-only]"},
	{"boot-modes", PARAM_MAP, offsetof(struct type, boot_modes),
		.help = "name to what the boot ROM can start from: supported or not, and by which "
			"pins",
		.example = "{sd: {pins: SW2 11000010}, nor: {supported: false}}"},
	{"boot-mode-by", PARAM_STRING, offsetof(struct type, boot_mode_by),
		.help = "what the boot mode is set by", .example = "switches SW2 and SW3"},
	{"loader-features", PARAM_MAP, offsetof(struct type, loader_features),
		.help = "feature of the boot loader to true or false; see the loader step of jobs",
		.example = "{tftp: true, dfu: false}"},
	{"since-revision", PARAM_STRING, offsetof(struct type, since_revision),
		.help = "oldest revision of the board that its guide covers", .example = "'1.1'"},
	{"crash", PARAM_MAP, offsetof(struct type, crash),
		.help = "kind of crash -> fail, warn, ignore or stop: what it means for a run",
		.example = "{oom: fail}"},
	{0},
};

const struct param type_login_params[] = {
	{"prompt", PARAM_PATTERN, offsetof(struct type_login, prompt),
		.preset = "login: ", .help = "pattern of the login prompt"},
	{"user", PARAM_STRING, offsetof(struct type_login, user),
		.help = "who logs in; not given: the console comes up with a shell",
		.example = "root"},
	{"password", PARAM_STRING, offsetof(struct type_login, password),
		.help = "password, where one is asked for; belongs into the lab file",
		.example = "secret"},
	{"shell-prompt", PARAM_PATTERN, offsetof(struct type_login, shell_prompt),
		.preset = "[#$] $", .help = "pattern of the shell's prompt"},
	{"timeout", PARAM_DURATION, offsetof(struct type_login, timeout_ms), .preset = "60s",
		.min = 100, .max = 3600000,
		.help = "from the start of the login step to the shell"},
	{0},
};

const struct param type_stage_params[] = {
	{"name", PARAM_STRING, offsetof(struct type_stage, name), .required = true,
		.help = "name of the stage; its figure is boot.NAME_ms", .example = "kernel"},
	{"pattern", PARAM_PATTERN, offsetof(struct type_stage, pattern), .required = true,
		.help = "the text whose arrival ends the stage before it",
		.example = "'Linux version '"},
	{0},
};
