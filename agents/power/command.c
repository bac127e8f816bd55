/* SPDX-License-Identifier: MIT */
/*
 * Power by other programs (a PDU's own tool, ipmitool, uhubctl, snmpset). Invariant: no shell is
 * involved, and while a program runs the consoles are read on, because the board starts to talk
 * before the program has ended.
 */
#include "agents/power/drivers.h"

#include "base/clock.h"
#include "io/child.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#define OUTPUT_BYTES 4096 /* kept of what a program prints, for error texts */
#define STOP_MS      2000 /* between SIGTERM and SIGKILL */

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

/* Keeps the beginning; the rest is read and dropped so that the program never blocks on it. */
static void drain(int fd, struct buf *out)
{
	char buf[1024];
	ssize_t n;

	while ((n = read(fd, buf, sizeof buf)) > 0) {
		size_t room = out->cap - out->len;

		buf_add(out, buf, (size_t)n < room ? (size_t)n : room);
	}
}

/* Until the child has ended. 0, or -1 with the child still there. */
static int wait_child(struct power *p, struct child *c, int fd, struct buf *out, struct err *e)
{
	const struct conf *conf = p->conf;
	int64_t until_ms = clock_ms() + conf->timeout_ms;
	int watched = fd;
	char text[32];

	while (!child_poll(c)) {
		struct pollfd fds[2] = {
			{.fd = c->pidfd, .events = POLLIN}, {.fd = watched, .events = POLLIN}};
		int64_t left = until_ms - clock_ms();

		if (left <= 0)
			return err_set(e, BLAME_INFRA, "not done in %s",
				str_format_ms(conf->timeout_ms, text, sizeof text));
		if (bench_wait(p->bench, fds, 2, left, e) < 0)
			return -1;
		drain(fd, out);
		/* Closed by a program that runs on: nothing more to read, and no reason to spin. */
		if (fds[1].revents & POLLHUP)
			watched = -1;
	}
	drain(fd, out);
	return 0;
}

/* Runs a program. Its exit status, or -1. */
static int run(struct power *p, const struct param_strings *words, struct buf *out, struct err *e)
{
	const char *argv[64];
	struct child_opts opts = CHILD_OPTS;
	struct child c = CHILD_INIT;
	AUTOCLOSE int rd = -1;
	AUTOCLOSE int wr = -1;
	char text[64];
	int fds[2], rc;

	if (words->n >= ARRAY_LEN(argv))
		return err_set(e, BLAME_CONFIG, "more than %zu words", ARRAY_LEN(argv) - 1);
	for (size_t i = 0; i < words->n; i++)
		argv[i] = words->p[i];
	argv[words->n] = NULL;
	if (pipe2(fds, O_CLOEXEC))
		return err_sys(e, BLAME_INFRA, errno, "pipe");
	rd = fds[0];
	wr = fds[1];
	/* Only our end: the program gets a pipe as it knows it. */
	fcntl(rd, F_SETFL, O_NONBLOCK);
	opts.out = opts.err = wr;
	opts.die_with_us = true;
	if (child_start(&c, argv, &opts, e))
		return -1;
	close(wr);
	wr = -1;
	rc = wait_child(p, &c, rd, out, e);
	if (rc)
		child_stop(&c, STOP_MS);
	else if (WIFEXITED(c.status))
		rc = WEXITSTATUS(c.status);
	else
		rc = err_set(e, BLAME_INFRA, "%s", child_status_text(&c, text, sizeof text));
	child_done(&c);
	return rc;
}

static int failed(const char *program, int status, const struct buf *out, struct err *e)
{
	char seen[240];

	return err_set(e, BLAME_INFRA, "'%s' failed with exit status %d: '%s'", program, status,
		str_printable(str_trim(str_make(buf_str(out), out->len)), seen, sizeof seen));
}

static int do_switch(struct power *p, const struct param_strings *words, struct err *e)
{
	AUTOBUF out = BUF_INIT(OUTPUT_BYTES);
	int rc = run(p, words, &out, e);

	if (rc < 0)
		return err_wrap(e, "'%s'", words->p[0]);
	return rc ? failed(words->p[0], rc, &out, e) : 0;
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
	AUTOBUF out = BUF_INIT(OUTPUT_BYTES);
	int rc;

	if (!conf->query.n)
		return 1;
	rc = run(p, &conf->query, &out, e);
	if (rc < 0)
		return err_wrap(e, "'%s'", conf->query.p[0]);
	if (rc > 1)
		return failed(conf->query.p[0], rc, &out, e);
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
