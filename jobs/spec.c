/* SPDX-License-Identifier: MIT */
/*
 * The job language as rows: what a job, a param and each kind of step may hold. Parser, checker,
 * help and page all read these; nothing else defines the language.
 */
#include "jobs/spec.h"

#include <string.h>

#define MINUTE ((int64_t)60 * 1000)

const struct param job_params[] = {
	{"job", PARAM_STRING, offsetof(struct job_head, name), .required = true,
		.help = "name of the job; results and series are filed under it",
		.example = "am62axx-smoke"},
	{"description", PARAM_STRING, offsetof(struct job_head, description),
		.help = "one line for people", .example = "boots and runs a little of everything"},
	{"board", PARAM_SECTION, offsetof(struct job_head, match), .rows = match_params,
		.help = "which boards qualify; not given: any", .example = "{soc: am62axx}"},
	{"build", PARAM_STRING, offsetof(struct job_head, build),
		.help = "build whose images are deployed: its name, or the path of its manifest",
		.example = "am62axx-twin"},
	{"params", PARAM_MAP, offsetof(struct job_head, params),
		.help = "name -> {default, help, choices}: what --param may set and ${name} stands "
			"for",
		.example = "{size: {default: 64MiB}}"},
	{"timeout", PARAM_DURATION, offsetof(struct job_head, timeout_ms), .preset = "30m",
		.min = 1, .max = JOB_TIMEOUT_MAX_MS,
		.help = "how long the whole run may take, release not counted"},
	{"steps", PARAM_LIST, offsetof(struct job_head, steps),
		.help = "what is done, in order; the first step that cannot be done ends the run",
		.example = "[{power: cycle}, login, {run: uname -a}]"},
	{"roles", PARAM_MAP, offsetof(struct job_head, roles),
		.help = "name -> {board, count, steps}: a job for several boards, in place of "
			"board and steps",
		.example = "{server: {steps: [login]}, client: {count: 2, steps: [login]}}"},
	{"crash", PARAM_MAP, offsetof(struct job_head, crash),
		.help = "kind of crash -> fail, warn, ignore or stop: laid over what the board's "
			"type says; its exceptions hold beside the type's",
		.example = "{oom: fail}"},
	{0},
};

const struct param job_role_params[] = {
	{"board", PARAM_SECTION, offsetof(struct job_role, match), .rows = match_params,
		.help = "which boards qualify; not given: any", .example = "{soc: am62axx}"},
	{"count", PARAM_INT, offsetof(struct job_role, count), .min = 1, .max = PLAN_ROLES_MAX,
		.help = "how many boards do the same, as ROLE-1, ROLE-2; not given: one, as ROLE",
		.example = "2"},
	{"steps", PARAM_LIST, offsetof(struct job_role, steps), .required = true,
		.help = "what is done on each, in order", .example = "[login, {barrier: ready}]"},
	{0},
};

const struct param job_param_params[] = {
	{"default", PARAM_STRING, offsetof(struct job_param, preset),
		.help = "value unless --param says otherwise; not given: --param must",
		.example = "64MiB"},
	{"help", PARAM_STRING, offsetof(struct job_param, help), .help = "what it is, in a line",
		.example = "bytes that each fio run moves"},
	{"choices", PARAM_STRINGS, offsetof(struct job_param, choices),
		.help = "the values it may have; not given: any", .example = "[ext4, vfat]"},
	{"example", PARAM_STRING, offsetof(struct job_param, example),
		.help = "a value to check the job with, where there is no default",
		.example = "/dev/mmcblk1"},
	{0},
};

static const char *const on_failures[] = {"stop", "continue", NULL};
const struct param step_common_params[] = {
	{"name", PARAM_STRING, offsetof(struct step_common, name),
		.help = "name of the step, unique in the job; its results bear it (preset: the "
			"kind)",
		.example = "fio-write-${bs}"},
	{"suite", PARAM_STRING, offsetof(struct step_common, suite),
		.help = "suite that its results belong to (preset: the job's name)",
		.example = "mmc"},
	{"timeout", PARAM_DURATION, offsetof(struct step_common, timeout_ms), .min = 1,
		.max = JOB_TIMEOUT_MAX_MS,
		.help = "how long the step may take (preset: the kind's)", .example = "90s"},
	{"console", PARAM_STRING, offsetof(struct step_common, console), .preset = "main",
		.help = "console that it talks to, as the lab file names it"},
	{"retry", PARAM_INT, offsetof(struct step_common, retry), .preset = "0", .max = RETRY_MAX,
		.help = "how often it is tried again after it failed; the last attempt counts, all "
			"are kept"},
	{"on-failure", PARAM_CHOICE, offsetof(struct step_common, on_failure),
		.choices = on_failures,
		.help = "stop: a failed result ends the run; continue: the run goes on although "
			"the step could not be done (preset: only what cannot be done ends it)",
		.example = "continue"},
	{"always", PARAM_BOOL, offsetof(struct step_common, always), .preset = "false",
		.help = "it is done also after a step that ended the run, before the board is "
			"released"},
	{"repeat", PARAM_INT, offsetof(struct step_common, repeat), .min = 1, .max = PLAN_STEPS_MAX,
		.help = "the step is there so many times, with ${cycle} for the number",
		.example = "10"},
	{"labels", PARAM_MAP, offsetof(struct step_common, labels),
		.help = "name -> value: parameters that tell its metrics from others of the name; "
			"matrix values and the cycle are added",
		.example = "{fs: ext4}"},
	{"sample", PARAM_ANY, offsetof(struct step_common, sample),
		.help = "power rails that are read while the step runs: all, their names, or a "
			"mapping {rails, settle, for, highest}",
		.example = "{rails: all, settle: 2s, for: 10s}"},
	{"matrix", PARAM_MAP, offsetof(struct step_common, matrix),
		.help = "name -> values: the step is there once for each combination, with ${name} "
			"for the value",
		.example = "{bs: [4k, 1m]}"},
	{0},
};

static const char *const power_actions[] = {"on", "off", "cycle", NULL};
static const struct param power_params[] = {
	{"action", PARAM_CHOICE, offsetof(struct step_power, action), .required = true,
		.choices = power_actions, .help = "what the board's power switch does",
		.example = "cycle"},
	{0},
};

static const struct param deploy_params[] = {
	{"method", PARAM_STRING, offsetof(struct step_deploy, method), .required = true,
		.help = "deploy driver; the lab file holds its settings", .example = "tftp"},
	{"images", PARAM_STRINGS, offsetof(struct step_deploy, images), .required = true,
		.help = "roles of the build's images that are deployed; one text may hold several "
			"words",
		.example = "[kernel, rootfs]"},
	{0},
};

static const char *const boot_untils[] = {"kernel", "prompt", NULL};
static const char *const boot_vias[] = {"cold", "warm", "on", NULL};
static const struct param boot_params[] = {
	{"method", PARAM_STRING, offsetof(struct step_boot, method), .required = true,
		.help = "boot driver; the board type holds its settings", .example = "u-boot"},
	{"via", PARAM_CHOICE, offsetof(struct step_boot, via), .preset = "cold",
		.choices = boot_vias,
		.help = "cold: power is switched off and on; warm: the running system restarts "
			"itself, power stays on; on: it has power already, what another console's "
			"boot switched on"},
	{"reset", PARAM_STRING, offsetof(struct step_boot, reset), .preset = "reboot",
		.help = "the command that restarts a running system, for warm"},
	{"until", PARAM_CHOICE, offsetof(struct step_boot, until), .preset = "kernel",
		.choices = boot_untils,
		.help = "kernel: to the kernel's first line; prompt: to the boot loader's prompt, "
			"for loader steps"},
	{0},
};

static const struct param loader_params[] = {
	{"commands", PARAM_STRINGS, offsetof(struct step_loader, commands), .required = true,
		.help = "commands for the boot loader, in order; the first one that it refuses "
			"ends them",
		.example = "[mmc list, mmc info]"},
	{"feature", PARAM_STRING, offsetof(struct step_loader, feature),
		.help = "one of the type's loader-features: where it is not there, the result is "
			"skip",
		.example = "mmc"},
	{"parse", PARAM_ANY, offsetof(struct step_loader, parse),
		.help = "parser that makes results and metrics of what they print",
		.example = "uboot"},
	{"expect", PARAM_STRINGS, offsetof(struct step_loader, expect),
		.help = "patterns that must all be in it", .example = "['Capacity: ']"},
	{0},
};

static const struct param login_params[] = {
	{"user", PARAM_STRING, offsetof(struct step_login, user),
		.help = "who logs in (preset: the board's); the password is the board's",
		.example = "root"},
	{0},
};

static const struct param run_params[] = {
	{"command", PARAM_STRING, offsetof(struct step_run, command), .required = true,
		.help = "POSIX shell text for the board's shell", .example = "uname -a"},
	{"parse", PARAM_ANY, offsetof(struct step_run, parse),
		.help = "parser that makes results and metrics of its output: its name, or a "
			"mapping of its name to its settings",
		.example = "fio"},
	{"expect", PARAM_STRINGS, offsetof(struct step_run, expect),
		.help = "patterns that must all be in its output", .example = "['^ok$']"},
	{"exit", PARAM_INT, offsetof(struct step_run, exit), .preset = "0", .min = -1, .max = 255,
		.help = "exit status that means pass; -1: any"},
	{"env", PARAM_MAP, offsetof(struct step_run, env),
		.help = "name -> value: variables of the command's environment",
		.example = "{TMPDIR: /run}"},
	{"needs", PARAM_STRINGS, offsetof(struct step_run, needs),
		.help = "commands, of each the first word a program: where the board lacks one, "
			"the result is skip",
		.example = "[netperf]"},
	{0},
};

static const struct param expect_params[] = {
	{"pattern", PARAM_PATTERN, offsetof(struct step_expect, pattern), .required = true,
		.help = "what the console must show", .example = "'System ready'"},
	{"fail", PARAM_PATTERN, offsetof(struct step_expect, fail),
		.help = "what it must not show before that", .example = "'panic|Oops'"},
	{0},
};

static const struct param send_params[] = {
	{"text", PARAM_STRING, offsetof(struct step_send, text), .required = true,
		.help = "what is typed, as it stands", .example = "help"},
	{"enter", PARAM_BOOL, offsetof(struct step_send, enter), .preset = "true",
		.help = "Enter is typed after it"},
	{0},
};

static const struct param measure_params[] = {
	{"with", PARAM_STRING, offsetof(struct step_measure, with), .required = true,
		.help = "measure driver; all further keys are its settings", .example = "iperf3"},
	{0},
};

static const struct param fetch_params[] = {
	{"from", PARAM_STRING, offsetof(struct step_fetch, from), .required = true,
		.help = "file on the board that is copied into the run's artifacts",
		.example = "/var/log/messages"},
	{"as", PARAM_STRING, offsetof(struct step_fetch, as),
		.help = "name of the artifact (preset: the file's)",
		.example = "messages-${cycle}"},
	{0},
};

static const struct param put_params[] = {
	{"file", PARAM_PATH, offsetof(struct step_put, file), .required = true,
		.help = "file that is sent; relative: beside the job", .example = "./load.sh"},
	{"to", PARAM_STRING, offsetof(struct step_put, to), .required = true,
		.help = "where it goes on the board", .example = "/tmp/load.sh"},
	{"mode", PARAM_STRING, offsetof(struct step_put, mode), .preset = "0644",
		.help = "its permissions there, octal"},
	{0},
};

static const struct param bootmode_params[] = {
	{"mode", PARAM_STRING, offsetof(struct step_bootmode, mode), .required = true,
		.help = "one of the modes that the lab file tells of the board", .example = "sd"},
	{0},
};

const struct param group_params[] = {
	{"name", PARAM_STRING, offsetof(struct group, name), .required = true,
		.help = "name of the group; steps in it without one bear it before their kind",
		.example = "cold"},
	{"repeat", PARAM_INT, offsetof(struct group, repeat), .min = 1, .max = PLAN_STEPS_MAX,
		.help = "the steps are there so many times, with ${cycle} for the number",
		.example = "10"},
	{"suite", PARAM_STRING, offsetof(struct group, suite),
		.help = "suite of the results of its steps (preset: the outer group's, or the "
			"job's name)",
		.example = "boot"},
	{"labels", PARAM_MAP, offsetof(struct group, labels),
		.help = "labels that all its steps bear", .example = "{kind: cold}"},
	{"steps", PARAM_LIST, offsetof(struct group, steps), .required = true,
		.help = "what is done, in order; groups may hold groups",
		.example = "[{boot: u-boot}, login]"},
	{0},
};

static const struct param barrier_params[] = {
	{"point", PARAM_STRING, offsetof(struct step_barrier, point), .required = true,
		.help = "name of what all roles come to before any goes on", .example = "ready"},
	{0},
};

static const struct param tell_params[] = {
	{"key", PARAM_STRING, offsetof(struct step_tell, key), .required = true,
		.help = "name of what is told", .example = "address"},
	{"value", PARAM_STRING, offsetof(struct step_tell, value),
		.help = "what is told, at most 64 KiB", .example = "${net.address}"},
	{"artifact", PARAM_STRING, offsetof(struct step_tell, artifact),
		.help = "in place of a value: the bytes of an artifact of this role",
		.example = "key.bin"},
	{"to", PARAM_STRING, offsetof(struct step_tell, to),
		.help = "the role that is told; not given: all the others", .example = "client"},
	{0},
};

static const struct param hear_params[] = {
	{"key", PARAM_STRING, offsetof(struct step_hear, key), .required = true,
		.help = "name of what is to be heard", .example = "address"},
	{"from", PARAM_STRING, offsetof(struct step_hear, from),
		.help = "the role that tells it; not given: any", .example = "server"},
	{"as", PARAM_STRING, offsetof(struct step_hear, as),
		.help = "it is the variable ${msg.AS} from here on (preset: the key)",
		.example = "peer"},
	{0},
};

const struct step_spec step_specs[STEP_COUNT] = {
	[STEP_POWER] = {"power", "switch the board's power", power_params,
		sizeof(struct step_power), "action", MINUTE, "infra: the switch does not obey"},
	[STEP_DEPLOY] = {"deploy", "put images where the board loads them from", deploy_params,
		sizeof(struct step_deploy), NULL, 2 * MINUTE,
		"build: an image is not what its manifest says; infra: everything else"},
	[STEP_BOOT] = {"boot", "from power-on to the kernel's first line", boot_params,
		sizeof(struct step_boot), "method", 3 * MINUTE,
		"build: an image is refused or the kernel gives up; infra: no boot loader, no "
		"answer to a load; config: a command that it does not know"},
	[STEP_LOADER] = {"loader", "commands at the boot loader's prompt", loader_params,
		sizeof(struct step_loader), "commands", 2 * MINUTE,
		"timeout: no prompt comes; infra: the line is dead"},
	[STEP_LOGIN] = {"login", "from the kernel to a shell, then prove what booted", login_params,
		sizeof(struct step_login), "user", 3 * MINUTE,
		"build: another image than deployed, or the kernel gives up; infra: another "
		"medium booted; config: the user is refused; timeout: no prompt"},
	[STEP_RUN] = {"run", "a command on the board", run_params, sizeof(struct step_run),
		"command", MINUTE,
		"timeout: it does not end; infra: the shell does not take it; build: the kernel "
		"gives up",
		.needs_shell = true},
	[STEP_EXPECT] = {"expect", "wait for a text on the console", expect_params,
		sizeof(struct step_expect), "pattern", MINUTE,
		"timeout: it does not come; infra: the line is dead"},
	[STEP_SEND] = {"send", "type a text on the console", send_params, sizeof(struct step_send),
		"text", MINUTE, "infra: the line is dead"},
	[STEP_MEASURE] = {"measure", "measure the board from the lab host", measure_params,
		sizeof(struct step_measure), "with", 2 * MINUTE,
		"infra: the instrument cannot be used; test: it measures nothing"},
	[STEP_FETCH] = {"fetch", "copy a file of the board into the artifacts", fetch_params,
		sizeof(struct step_fetch), "from", 5 * MINUTE,
		"test: there is no such file, or it is too large; infra: it does not arrive whole",
		.needs_shell = true},
	[STEP_PUT] = {"put", "send a file to the board", put_params, sizeof(struct step_put), NULL,
		5 * MINUTE, "job: the file is too large; infra: it does not arrive whole",
		.needs_shell = true},
	[STEP_BOOTMODE] = {"bootmode", "set the boot-mode pins for the next power-on",
		bootmode_params, sizeof(struct step_bootmode), "mode", MINUTE,
		"config: the board has no such mode; infra: the switch does not obey"},
	[STEP_BARRIER] = {"barrier", "wait until all roles have come here", barrier_params,
		sizeof(struct step_barrier), "point", 10 * MINUTE,
		"test: another role ended before; timeout: one does not come"},
	[STEP_TELL] = {"tell", "tell other roles something", tell_params, sizeof(struct step_tell),
		NULL, MINUTE, "job: it is too long, or there is no such artifact"},
	[STEP_HEAR] = {"hear", "wait for what another role tells", hear_params,
		sizeof(struct step_hear), "key", 10 * MINUTE,
		"test: the role ended before; timeout: it is not told"},
};

int step_kind_find(const char *name)
{
	for (int kind = 0; kind < STEP_COUNT; kind++)
		if (!strcmp(step_specs[kind].name, name))
			return kind;
	return -1;
}
