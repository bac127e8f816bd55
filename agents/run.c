/* SPDX-License-Identifier: MIT */
/*
 * Starts a worker and follows its folder. Invariant: when run_job returns, no worker of that folder
 * runs any more, every whole line of its journal was handed on once and in order, and the folder
 * holds a status.
 */
#include "agents/run.h"

#include "base/clock.h"
#include "base/fs.h"
#include "base/mem.h"
#include "io/child.h"
#include "io/json.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/signalfd.h>
#include <unistd.h>

#define SELF       "/proc/self/exe"
#define LINE_BYTES ((size_t)1 << 20) /* longest journal line taken */
#define READ_BYTES ((size_t)64 << 10)
#define TICK_MS    1000
#define FREE_MS    60000 /* for freeing the board of a dead worker */

struct follow {
	const struct run_opts *opts;
	run_event_fn *fn;
	void *arg;
	struct child worker;
	int signal_fd, events_fd;
	int bell[2];        /* of the worker: something is in its journal. Neither end ever waits */
	struct buf pending; /* from the first byte of a line that is not whole yet */
	uint64_t offset;    /* of pending's first byte in the file */
	unsigned asked;     /* to stop, how often */
};

static void hand_on(struct follow *f)
{
	size_t at = 0;
	char *end;

	while (at < f->pending.len &&
		(end = memchr(f->pending.data + at, '\n', f->pending.len - at))) {
		const char *line = f->pending.data + at;
		AUTOJSON *event = NULL;

		*end = 0;
		event = json_loadb(line, (size_t)(end - line), 0, NULL);
		if (f->fn)
			f->fn(f->arg, line, f->offset + at, event);
		at = (size_t)(end - f->pending.data) + 1;
	}
	buf_eat(&f->pending, at);
	f->offset += at;
}

/* Whatever the journal holds beyond what was handed on. */
static void drain(struct follow *f)
{
	if (f->events_fd < 0) {
		AUTOFREE char *path = fs_join(f->opts->dir, "events.jsonl");

		f->events_fd = open(path, O_RDONLY | O_CLOEXEC);
	}
	if (f->events_fd < 0)
		return;
	for (;;) {
		ssize_t n = buf_read(&f->pending, f->events_fd, READ_BYTES);

		if (n <= 0)
			break;
		hand_on(f);
	}
}

static int open_all(struct follow *f, struct err *e)
{
	struct sigaction hangup;
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	if (!sigaction(SIGHUP, NULL, &hangup) && hangup.sa_handler != SIG_IGN)
		sigaddset(&set, SIGHUP); /* a terminal that is gone; nohup keeps a run */
	if (sigprocmask(SIG_BLOCK, &set, NULL))
		return err_sys(e, BLAME_BUG, errno, "block signals");
	f->signal_fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	if (f->signal_fd < 0 || pipe2(f->bell, O_CLOEXEC | O_NONBLOCK))
		return err_sys(e, BLAME_INFRA, errno, "watch '%s'", f->opts->dir);
	return 0;
}

static int spawn(struct follow *f, struct err *e)
{
	const char *argv[] = {
		f->opts->exe ? f->opts->exe : SELF, "worker", "--bell", f->opts->dir, NULL};
	AUTOFREE char *path = fs_join(f->opts->dir, "worker.log");
	AUTOCLOSE int log = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
	struct child_opts o = CHILD_OPTS;

	o.out = f->bell[1];
	o.err = log;
	return child_start(&f->worker, argv, &o, e);
}

static void on_signal(struct follow *f)
{
	struct signalfd_siginfo info;

	while (read(f->signal_fd, &info, sizeof info) == sizeof info)
		if (info.ssi_signo != SIGHUP || !f->asked)
			child_signal(&f->worker, f->asked++ ? SIGKILL : SIGTERM);
}

static void watch(struct follow *f)
{
	char rung[4096];

	while (!child_poll(&f->worker)) {
		struct pollfd fds[] = {{f->signal_fd, POLLIN, 0}, {f->bell[0], POLLIN, 0},
			{f->worker.pidfd, POLLIN, 0}};

		if (poll(fds, ARRAY_LEN(fds), f->opts->tick ? TICK_MS : -1) < 0)
			continue;
		if (f->opts->tick)
			f->opts->tick(f->arg);
		if (fds[0].revents)
			on_signal(f);
		if (fds[1].revents) {
			while (read(f->bell[0], rung, sizeof rung) > 0)
				; /* how often does not matter */
			drain(f);
		}
	}
	drain(f);
}

/* A worker that left no status: what killed it goes to its log, the board is freed. */
static int clean_up(struct follow *f, struct run_status *out, struct err *e)
{
	const char *exe = f->opts->exe ? f->opts->exe : SELF;
	const char *argv[] = {
		exe, "worker", "--release", f->opts->dir, f->asked > 1 ? "--canceled" : NULL, NULL};
	struct child_opts o = CHILD_OPTS;
	AUTOBUF said = BUF_INIT(READ_BYTES);
	struct err freed = {0};
	char how[64];
	int status, r;

	r = child_run(argv, &o, FREE_MS, NULL, &said, &status, &freed);
	drain(f);
	if (run_status_load(out, f->opts->dir, e) == 0)
		return 0;
	*out = (struct run_status){.verdict = VERDICT_INCOMPLETE,
		.blame = BLAME_BUG,
		.power = "unknown",
		.ended_ms = clock_wall_ms()};
	snprintf(out->message, sizeof out->message,
		"the worker ended (%s) and its board could not be freed: %.300s",
		child_status_text(&f->worker, how, sizeof how), r ? freed.msg : buf_str(&said));
	return run_status_save(out, f->opts->dir, e);
}

static void close_all(struct follow *f)
{
	int *fds[] = {&f->signal_fd, &f->bell[0], &f->bell[1], &f->events_fd};

	for (size_t i = 0; i < ARRAY_LEN(fds); i++)
		attr_close(fds[i]);
	child_done(&f->worker);
	buf_done(&f->pending);
}

int run_job(const struct run_opts *opts, run_event_fn *fn, void *arg, struct run_status *out,
	struct err *e)
{
	struct follow f = {.opts = opts,
		.fn = fn,
		.arg = arg,
		.worker = CHILD_INIT,
		.signal_fd = -1,
		.bell = {-1, -1},
		.events_fd = -1,
		.pending = BUF_INIT(LINE_BYTES)};
	int r;

	r = open_all(&f, e);
	if (!r)
		r = spawn(&f, e);
	if (!r) {
		watch(&f);
		r = run_status_load(out, opts->dir, e);
		if (r)
			r = clean_up(&f, out, e);
	}
	close_all(&f);
	return r ? err_wrap(e, "run the job of '%s'", opts->dir) : 0;
}
