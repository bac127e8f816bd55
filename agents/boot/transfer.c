/* SPDX-License-Identifier: MIT */
/*
 * A program between a file and a console. Invariant: no shell is involved, the program never
 * outlives the call, and each byte that the board says while it runs goes to it once, in order.
 */
#include "transfer.h"

#include "base/clock.h"
#include "base/mem.h"
#include "io/child.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#define WORDS_MAX 32
#define STOP_MS   2000

struct transfer {
	struct console *console;
	struct child child;
	int to, from, said; /* the program's stdin, stdout, stderr; -1: closed */
	struct buf queue, words;
};

static void shut(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

/* What the board said, as much of it as the program takes now. */
static void feed(struct transfer *t)
{
	while (t->to >= 0 && t->queue.len) {
		ssize_t n = write(t->to, t->queue.data, t->queue.len);

		if (n < 0 && (errno == EAGAIN || errno == EINTR))
			return;
		if (n <= 0)
			shut(&t->to);
		else
			buf_eat(&t->queue, (size_t)n);
	}
}

static void on_bytes(void *arg, struct str raw, uint64_t offset, int64_t at_ms)
{
	struct transfer *t = arg;

	(void)offset;
	(void)at_ms;
	buf_add(&t->queue, raw.p, raw.n);
	feed(t);
}

static void listen_to(struct transfer *t)
{
	char bytes[512];
	ssize_t n;

	while ((n = read(t->said, bytes, sizeof bytes)) > 0) {
		size_t room = t->words.cap - t->words.len;

		buf_add(&t->words, bytes, (size_t)n < room ? (size_t)n : room);
	}
}

/* What the program sends, to the board. 0: nothing now, 1: some, -1. */
static int pass_on(struct transfer *t, struct err *e)
{
	char bytes[1100]; /* about a block */
	ssize_t n = t->from < 0 ? 0 : read(t->from, bytes, sizeof bytes);

	if (n <= 0) {
		if (n == 0 || errno != EAGAIN)
			shut(&t->from);
		return 0;
	}
	return console_send(t->console, str_make(bytes, (size_t)n), e) ? -1 : 1;
}

static int serve(struct transfer *t, int64_t until_ms, struct err *e)
{
	while (!child_poll(&t->child)) {
		int64_t left = until_ms - clock_ms();
		struct pollfd fds[] = {{.fd = t->child.pidfd, .events = POLLIN},
			{.fd = t->from, .events = POLLIN}, {.fd = t->said, .events = POLLIN},
			{.fd = t->queue.len ? t->to : -1, .events = POLLOUT}};

		if (left <= 0)
			return err_set(e, BLAME_INFRA, "the transfer does not come to its end");
		if (bench_wait(t->console->bench, fds, ARRAY_LEN(fds), left, e) < 0)
			return -1;
		feed(t);
		listen_to(t);
		if (fds[2].revents & POLLHUP)
			shut(&t->said);
		if (pass_on(t, e) < 0)
			return -1;
	}
	while (t->from >= 0) { /* what is left in the pipe */
		int r = pass_on(t, e);

		if (r <= 0)
			return r;
	}
	return 0;
}

/* A pipe of which ours does not block. */
static int make_pipe(int *ours, int *its, bool to_it, struct err *e)
{
	int fds[2];

	if (pipe2(fds, O_CLOEXEC))
		return err_sys(e, BLAME_INFRA, errno, "pipe");
	*ours = fds[to_it];
	*its = fds[!to_it];
	fcntl(*ours, F_SETFL, O_NONBLOCK);
	return 0;
}

static int start(
	struct transfer *t, const struct param_strings *words, const char *file, struct err *e)
{
	const char *argv[WORDS_MAX + 2];
	struct child_opts o = {.in = -1, .out = -1, .err = -1, .die_with_us = true};
	int r;

	if (!words->n || words->n > WORDS_MAX)
		return err_set(e, BLAME_CONFIG, "a program has 1 to %d words", WORDS_MAX);
	for (size_t i = 0; i < words->n; i++)
		argv[i] = words->p[i];
	argv[words->n] = file;
	argv[words->n + 1] = NULL;
	r = make_pipe(&t->to, &o.in, true, e) || make_pipe(&t->from, &o.out, false, e) ||
			    make_pipe(&t->said, &o.err, false, e)
		    ? -1
		    : child_start(&t->child, argv, &o, e);
	shut(&o.in);
	shut(&o.out);
	shut(&o.err);
	return r;
}

static int judge(struct transfer *t, const char *program, struct err *e)
{
	char status[64], said[120];
	struct str text = str_trim(str_make(buf_str(&t->words), t->words.len));

	if (WIFEXITED(t->child.status) && !WEXITSTATUS(t->child.status))
		return 0;
	/* of its progress on one line the end alone is of interest */
	while (str_chr(text, '\r') >= 0)
		text = str_make(
			text.p + str_chr(text, '\r') + 1, text.n - (size_t)str_chr(text, '\r') - 1);
	return err_set(e, BLAME_INFRA, "'%s' ended with %s%s%s", program,
		child_status_text(&t->child, status, sizeof status), text.n ? ": " : "",
		str_printable(text, said, sizeof said));
}

int transfer_run(struct console *c, const struct param_strings *words, const char *file,
	int64_t timeout_ms, struct err *e)
{
	struct transfer t = {.console = c, .child = CHILD_INIT, .to = -1, .from = -1, .said = -1};
	int r = -1;

	buf_init(&t.queue, TRANSFER_QUEUE_BYTES);
	buf_init(&t.words, TRANSFER_SAID_BYTES);
	if (!start(&t, words, file, e)) {
		console_tap(c, on_bytes, &t);
		r = serve(&t, clock_ms() + timeout_ms, e);
		console_untap(c, on_bytes, &t);
		listen_to(&t);
		if (r)
			child_stop(&t.child, STOP_MS);
		else
			r = judge(&t, words->p[0], e);
	}
	child_done(&t.child);
	shut(&t.to);
	shut(&t.from);
	shut(&t.said);
	buf_done(&t.queue);
	buf_done(&t.words);
	return r;
}
