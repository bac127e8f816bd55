/* SPDX-License-Identifier: MIT */
/*
 * Network throughput by the lab host's iperf3 against a server on the board. Invariant: the child
 * is run from an argv, waited for through the bench (consoles stay served, deadline and cancel
 * count), and is gone when run returns.
 */
#include "drivers.h"

#include "base/clock.h"
#include "io/child.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define PORT         "5201" /* iperf3's own */
#define OUTPUT_BYTES ((size_t)8 << 20)
#define READ_BYTES   65536
#define STOP_MS      1000
#define CONNECT_MS   "5000"
#define TRIES        10 /* until the board's server listens */
#define AGAIN_MS     500
#define EARLY_MS     6000 /* a run that fails sooner may never have reached the server */

struct iperf3 {
	bool reverse, udp;
	int64_t time_ms, parallel, port;
	const char *bitrate;
};

static const struct param params[] = {
	{"reverse", PARAM_BOOL, offsetof(struct iperf3, reverse), .preset = "false",
		.help = "the board sends"},
	{"time", PARAM_DURATION, offsetof(struct iperf3, time_ms), .preset = "10s", .min = 1000,
		.max = 86400000, .help = "how long is measured"},
	{"parallel", PARAM_INT, offsetof(struct iperf3, parallel), .preset = "1", .min = 1,
		.max = 128, .help = "streams at once"},
	{"udp", PARAM_BOOL, offsetof(struct iperf3, udp), .preset = "false",
		.help = "UDP instead of TCP"},
	{"bitrate", PARAM_STRING, offsetof(struct iperf3, bitrate),
		.help = "target rate, as iperf3 takes it (preset: iperf3's)", .example = "100M"},
	{"port", PARAM_INT, offsetof(struct iperf3, port), .min = 1, .max = 65535,
		.help = "port on the board's address (preset: the lab's for iperf3, else " PORT ")",
		.example = PORT},
	{0},
};

#define ARGS 24
struct argv {
	const char *p[ARGS];
	char numbers[3][24];
};

static void make_argv(const struct measure *m, struct argv *a)
{
	const struct iperf3 *conf = m->conf;
	const char *port = node_text(m->ports, "iperf3");
	size_t n = 0;

	snprintf(a->numbers[0], sizeof a->numbers[0], "%lld", (long long)conf->port);
	snprintf(a->numbers[1], sizeof a->numbers[1], "%lld",
		(long long)(conf->time_ms + 999) / 1000);
	snprintf(a->numbers[2], sizeof a->numbers[2], "%lld", (long long)conf->parallel);
	a->p[n++] = "iperf3";
	a->p[n++] = "-c";
	a->p[n++] = m->address;
	a->p[n++] = "-p";
	a->p[n++] = conf->port ? a->numbers[0] : port ? port : PORT;
	a->p[n++] = "-J";
	a->p[n++] = "--connect-timeout";
	a->p[n++] = CONNECT_MS;
	a->p[n++] = "-t";
	a->p[n++] = a->numbers[1];
	a->p[n++] = "-P";
	a->p[n++] = a->numbers[2];
	if (conf->reverse)
		a->p[n++] = "-R";
	if (conf->udp)
		a->p[n++] = "-u";
	if (conf->bitrate) {
		a->p[n++] = "-b";
		a->p[n++] = conf->bitrate;
	}
	a->p[n] = NULL;
}

/* Reads the pipe to its end and waits for the child. */
static int serve(struct measure *m, struct child *c, int fd, struct buf *out, struct err *e)
{
	struct pollfd fds[2] = {{.fd = fd, .events = POLLIN}, {.fd = c->pidfd, .events = POLLIN}};

	for (bool open = true; open || !child_poll(c);) {
		ssize_t got;

		if (bench_wait(m->bench, open ? fds : fds + 1, 1, INT64_MAX, e) < 0)
			return -1;
		if (!open)
			continue;
		got = buf_read(out, fd, READ_BYTES);
		if (got < 0 && errno == ENOBUFS)
			return err_set(
				e, BLAME_TEST, "iperf3 printed more than %zu bytes", OUTPUT_BYTES);
		open = got > 0 || (got < 0 && (errno == EAGAIN || errno == EINTR));
	}
	return 0;
}

/* One run. 0 with its wait status in *status. */
static int run_once(
	struct measure *m, const struct argv *a, struct buf *out, int *status, struct err *e)
{
	struct child c = CHILD_INIT;
	struct child_opts o = CHILD_OPTS;
	int pipe_fds[2], r;

	if (pipe2(pipe_fds, O_CLOEXEC))
		return err_sys(e, BLAME_INFRA, errno, "make a pipe");
	fcntl(pipe_fds[0], F_SETFL, O_NONBLOCK);
	o.out = o.err = pipe_fds[1];
	o.die_with_us = true;
	r = child_start(&c, a->p, &o, e);
	close(pipe_fds[1]);
	if (!r) {
		r = serve(m, &c, pipe_fds[0], out, e);
		if (r)
			child_stop(&c, STOP_MS);
		*status = c.status;
	}
	close(pipe_fds[0]);
	child_done(&c);
	return r;
}

/* With -J an iperf3 that was refused (a server that is still busy) says so in its document, and its
 * exit status is 0. */
static bool refused(const struct buf *text)
{
	return strstr(buf_str(text), "\"error\":");
}

static int run(struct measure *m, struct buf *out, struct err *e)
{
	AUTOBUF text = BUF_INIT(OUTPUT_BYTES);
	struct argv a = {0};
	int status = 0;

	if (!m->address)
		return err_set(e, BLAME_CONFIG, "iperf3: the lab file gives the board no address");
	make_argv(m, &a);
	for (int i = 0; i < TRIES; i++) {
		int64_t start = clock_ms();

		buf_reset(&text);
		if (run_once(m, &a, &text, &status, e))
			return err_wrap(e, "iperf3");
		if ((!status && !refused(&text)) || clock_ms() - start > EARLY_MS)
			break;
		if (i + 1 < TRIES && bench_pause(m->bench, AGAIN_MS, e))
			return err_wrap(e, "iperf3");
	}
	buf_add(out, buf_str(&text), text.len);
	if (status) {
		struct child c = {.status = status, .reaped = true};
		char how[64], said[160];

		return err_set(e, BLAME_TEST, "iperf3 to %s port %s: %s: %s", m->address, a.p[4],
			child_status_text(&c, how, sizeof how),
			str_printable(
				str_trim(str_make(buf_str(&text), text.len)), said, sizeof said));
	}
	return 0;
}

const struct measure_driver measure_iperf3 = {
	.d = {.name = "iperf3",
		.brief = "network throughput from the lab host to an iperf3 server on the board",
		.params = params,
		.size = sizeof(struct iperf3),
		.proven = "real iperf3 on loopback and in the twin"},
	.parser = "iperf3",
	.run = run,
};
