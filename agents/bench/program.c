/* SPDX-License-Identifier: MIT */
/*
 * Runs programs of the lab host. Invariant: no shell is involved, and while a program runs the
 * consoles are read on, because the board may talk before the program has ended.
 */
#include "agents/bench/program.h"

#include "base/clock.h"
#include "io/child.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#define STOP_MS 2000 /* between SIGTERM and SIGKILL */

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
static int wait_child(struct bench *b, struct child *c, int fd, int64_t timeout_ms, struct buf *out,
	struct err *e)
{
	int64_t until_ms = clock_ms() + timeout_ms;
	int watched = fd;
	char text[32];

	while (!child_poll(c)) {
		struct pollfd fds[2] = {
			{.fd = c->pidfd, .events = POLLIN}, {.fd = watched, .events = POLLIN}};
		int64_t left = until_ms - clock_ms();

		if (left <= 0)
			return err_set(e, BLAME_INFRA, "not done in %s",
				str_format_ms(timeout_ms, text, sizeof text));
		if (bench_wait(b, fds, 2, left, e) < 0)
			return -1;
		drain(fd, out);
		/* Closed by a program that runs on: nothing more to read, and no reason to spin. */
		if (fds[1].revents & POLLHUP)
			watched = -1;
	}
	drain(fd, out);
	return 0;
}

int program_run(struct bench *b, const struct param_strings *words, int64_t timeout_ms,
	struct buf *out, struct err *e)
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
	rc = wait_child(b, &c, rd, timeout_ms, out, e);
	if (rc)
		child_stop(&c, STOP_MS);
	else if (WIFEXITED(c.status))
		rc = WEXITSTATUS(c.status);
	else
		rc = err_set(e, BLAME_INFRA, "%s", child_status_text(&c, text, sizeof text));
	child_done(&c);
	return rc;
}

int program_failed(const char *program, int status, const struct buf *out, struct err *e)
{
	char seen[240];

	return err_set(e, BLAME_INFRA, "'%s' failed with exit status %d: '%s'", program, status,
		str_printable(str_trim(str_make(buf_str(out), out->len)), seen, sizeof seen));
}

