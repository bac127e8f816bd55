/* SPDX-License-Identifier: MIT */
/*
 * Power by other programs (a PDU's own tool, ipmitool, uhubctl, snmpset). Invariant: a program
 * that failed, hung or died is an error that names it.
 */
#include "agents/power/drivers.h"

#include "agents/bench/program.h"

struct conf {
	struct param_strings on, off, query;
	int64_t timeout_ms;
};

static const struct param rows[] = {
	{"on", PARAM_STRINGS, offsetof(struct conf, on), .required = true,
		.help = "program and arguments that switch power on",
		.example = "[uhubctl, -a, on, -l, 1-1, -p, 2]"},
	{"off", PARAM_STRINGS, offsetof(struct conf, off), .required = true,
		.help = "program and arguments that switch power off"},
	{"query", PARAM_STRINGS, offsetof(struct conf, query),
		.help = "program whose exit status tells: 0 on, 1 off, anything else unknown"},
	{"timeout", PARAM_DURATION, offsetof(struct conf, timeout_ms), .preset = "30s", .min = 1,
		.max = 600000, .help = "how long each of them may take"},
	{0},
};

static int do_switch(struct power *p, const struct param_strings *words, struct err *e)
{
	const struct conf *conf = p->conf;
	AUTOBUF out = BUF_INIT(PROGRAM_OUTPUT_BYTES);
	int rc = program_run(p->bench, words, conf->timeout_ms, &out, e);

	if (rc < 0)
		return err_wrap(e, "'%s'", words->p[0]);
	return rc ? program_failed(words->p[0], rc, &out, e) : 0;
}

static int command_open(struct power *p, struct err *e)
{
	const struct conf *conf = p->conf;

	if (!conf->on.n || !conf->off.n)
		return err_set(e, BLAME_CONFIG, "'on' and 'off' each need a program");
	return 0;
}

static int command_on(struct power *p, struct err *e)
{
	const struct conf *conf = p->conf;

	return do_switch(p, &conf->on, e);
}

static int command_off(struct power *p, struct err *e)
{
	const struct conf *conf = p->conf;

	return do_switch(p, &conf->off, e);
}

static int command_query(struct power *p, bool *on, struct err *e)
{
	const struct conf *conf = p->conf;
	AUTOBUF out = BUF_INIT(PROGRAM_OUTPUT_BYTES);
	int rc;

	if (!conf->query.n)
		return 1;
	rc = program_run(p->bench, &conf->query, conf->timeout_ms, &out, e);
	if (rc < 0)
		return err_wrap(e, "'%s'", conf->query.p[0]);
	if (rc > 1)
		return program_failed(conf->query.p[0], rc, &out, e);
	*on = rc == 0;
	return 0;
}

const struct power_driver power_command = {
	.d = {.name = "command",
		.brief = "Any program that switches power, run without a shell",
		.params = rows,
		.size = sizeof(struct conf),
		.proven = "programs that answer, fail, hang and lie"},
	.open = command_open,
	.on = command_on,
	.off = command_off,
	.query = command_query,
};
