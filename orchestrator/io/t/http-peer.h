/* SPDX-License-Identifier: MIT */
#ifndef IO_T_HTTP_PEER_H
#define IO_T_HTTP_PEER_H

/*
 * The other side of an HTTP connection for tests that share one loop with the server: a socket
 * whose bytes are gathered, and a wait for what they hold. A wait that nothing ends fails after
 * GUARD_MS, so that a test says what it missed instead of hanging.
 */

#include "base/buf.h"
#include "base/fs.h"
#include "base/t/tap.h"
#include "io/loop.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#define GUARD_MS 20000

static struct loop *loop;
static bool (*awaited)(void *arg);
static void *awaited_arg;
static bool guard_fired;

struct peer {
	int fd;
	struct buf in;
	bool eof;
	struct loop_watch *watch;
};

static void peer_turn(void *arg)
{
	(void)arg;
	if (awaited && awaited(awaited_arg))
		loop_stop(loop);
}

static void on_guard(void *arg)
{
	*(struct loop_watch **)arg = NULL;
	guard_fired = true;
	loop_stop(loop);
}

/* The loop runs until done(arg); false: the guard came first. */
__attribute__((unused)) static bool await(bool (*done)(void *), void *arg)
{
	struct loop_watch *guard = loop_timer(loop, GUARD_MS, on_guard, &guard);
	struct loop_watch *turn = loop_turn(loop, peer_turn, NULL);
	struct err e = {0};

	guard_fired = false;
	awaited = done;
	awaited_arg = arg;
	if (!done(arg) && loop_run(loop, &e))
		printf("# %s\n", e.msg);
	awaited = NULL;
	loop_del(guard);
	loop_del(turn);
	return !guard_fired;
}

static void on_peer_bytes(void *arg, uint32_t events)
{
	struct peer *p = arg;
	ssize_t n = buf_read(&p->in, p->fd, 65536);

	(void)events;
	if (n > 0 || (n < 0 && errno == EAGAIN))
		return;
	p->eof = true;
	loop_del(p->watch);
	p->watch = NULL;
}

static void peer_init(struct peer *p, int fd)
{
	*p = (struct peer){.fd = fd};
	buf_init(&p->in, (size_t)256 << 20);
	p->watch = loop_fd(loop, fd, EPOLLIN, on_peer_bytes, p);
}

__attribute__((unused)) static void peer_open(struct peer *p, unsigned port)
{
	struct sockaddr_in at = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	if (connect(fd, (struct sockaddr *)&at, sizeof at))
		perror("connect");
	fcntl(fd, F_SETFL, O_NONBLOCK);
	peer_init(p, fd);
}

/* Small texts: they fit into the socket's buffer. */
__attribute__((unused)) static void peer_say(struct peer *p, const char *text)
{
	if (send(p->fd, text, strlen(text), MSG_NOSIGNAL) != (ssize_t)strlen(text))
		perror("# send");
}

__attribute__((unused)) static void peer_done(struct peer *p)
{
	loop_del(p->watch);
	close(p->fd);
	buf_done(&p->in);
}

/* Stops reading, or begins again. */
__attribute__((unused)) static void peer_listen(struct peer *p, bool on)
{
	loop_fd_set(p->watch, on ? EPOLLIN : 0);
}

struct wanted {
	struct peer *p;
	const char *text;
	int times;
};

static bool has_wanted(void *arg)
{
	struct wanted *w = arg;
	int n = 0;

	for (const char *z = buf_str(&w->p->in); (z = strstr(z, w->text)); z++)
		n++;
	return n >= w->times || w->p->eof;
}

/* What came, once text stands in it so many times, or the connection has ended. */
__attribute__((unused)) static const char *peer_wait(struct peer *p, const char *text, int times)
{
	struct wanted w = {p, text, times};

	await(has_wanted, &w);
	return buf_str(&p->in);
}

static bool has_ended(void *arg)
{
	return ((struct peer *)arg)->eof;
}

__attribute__((unused)) static const char *peer_end(struct peer *p)
{
	await(has_ended, p);
	return p->eof ? buf_str(&p->in) : "(no end)";
}

#endif
