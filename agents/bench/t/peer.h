/* SPDX-License-Identifier: MIT */
#ifndef AGENTS_BENCH_T_PEER_H
#define AGENTS_BENCH_T_PEER_H

/*
 * A scripted peer on the far side of a PTY, for tests of everything that talks over a serial
 * line. It is a pump of the test's bench, so it runs while the code under test waits: no second
 * process, no time. Either a script (peer_script: lines of wait for this, then send that) or a
 * function that gets all input (peer->input) plays it.
 *
 *	struct peer_line script[] = {{"relay read 0\r", "relay read 0\r\non\r\n>"}, {0}};
 *	peer_open(&p, &bench);
 *	p.script = script;
 *	... serial-relay with port = p.path ...
 */

#include "agents/bench/bench.h"
#include "base/buf.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <termios.h>
#include <unistd.h>

struct peer_line {
	const char *want; /* in the input; all up to its end is taken. NULL: the script's end */
	const char *send; /* NULL: nothing */
	size_t want_bytes, send_bytes; /* 0: as text */
	bool again;                    /* stay at this line */
	bool hang_up;                  /* then close */
};

struct peer {
	int fd;        /* the PTY's own side */
	int other_fd;  /* the far side kept open, so that it may come and go */
	char path[64]; /* of the far side */
	struct bench *bench;
	struct buf got; /* input not yet taken by the script */
	struct buf all; /* all input ever */
	const struct peer_line *script;
	void (*input)(struct peer *p, const char *data, size_t n); /* instead of a script */
	void *arg;
};

__attribute__((unused)) static void peer_send(struct peer *p, const void *data, size_t n)
{
	const char *c = data;

	while (n && p->fd >= 0) {
		ssize_t w = write(p->fd, c, n);

		if (w <= 0)
			break;
		c += w;
		n -= (size_t)w;
	}
}

__attribute__((unused)) static void peer_puts(struct peer *p, const char *s)
{
	peer_send(p, s, strlen(s));
}

__attribute__((unused)) static void peer_close(struct peer *p)
{
	if (p->fd >= 0) {
		bench_pump_del(p->bench, p->fd);
		close(p->fd);
		close(p->other_fd);
	}
	p->fd = p->other_fd = -1;
}

__attribute__((unused)) static void peer_done(struct peer *p)
{
	peer_close(p);
	buf_done(&p->got);
	buf_done(&p->all);
}

static void peer_play(struct peer *p)
{
	while (p->script && p->script->want) {
		const struct peer_line *l = p->script;
		struct str want = {l->want, l->want_bytes ? l->want_bytes : strlen(l->want)};
		ptrdiff_t at = str_find(str_make(buf_str(&p->got), p->got.len), want);

		if (at < 0)
			return;
		buf_eat(&p->got, (size_t)at + want.n);
		if (l->send)
			peer_send(p, l->send, l->send_bytes ? l->send_bytes : strlen(l->send));
		if (l->hang_up) {
			peer_close(p);
			return;
		}
		if (!l->again)
			p->script++;
	}
}

static int peer_pump(void *arg, short revents, struct err *e)
{
	struct peer *p = arg;
	char buf[4096];
	ssize_t n = read(p->fd, buf, sizeof buf);

	(void)revents, (void)e;
	if (n <= 0)
		return 0;
	buf_add(&p->all, buf, (size_t)n);
	if (p->input) {
		p->input(p, buf, (size_t)n);
		return 0;
	}
	buf_add(&p->got, buf, (size_t)n);
	peer_play(p);
	return 0;
}

/* Opens a PTY whose far side is p->path. */
__attribute__((unused)) static void peer_open(struct peer *p, struct bench *b)
{
	struct termios t;

	*p = (struct peer){.bench = b};
	buf_init(&p->got, 1 << 20);
	buf_init(&p->all, 1 << 24);
	p->fd = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC | O_NONBLOCK);
	if (p->fd < 0 || grantpt(p->fd) || unlockpt(p->fd) ||
		ptsname_r(p->fd, p->path, sizeof p->path)) {
		perror("peer: no PTY");
		exit(1);
	}
	p->other_fd = open(p->path, O_RDWR | O_NOCTTY | O_CLOEXEC);
	if (p->other_fd < 0 || tcgetattr(p->other_fd, &t)) {
		perror("peer: far side");
		exit(1);
	}
	cfmakeraw(&t);
	tcsetattr(p->other_fd, TCSANOW, &t);
	bench_pump_add(b, p->fd, peer_pump, p);
}

#endif
