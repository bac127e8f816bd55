/* SPDX-License-Identifier: MIT */
/*
 * Connections that were answered while their peer still sent. Closed at once, what it sent and
 * nobody read would make the kernel reset the connection, and the peer could lose the answer.
 * Invariant: a lingering connection is read from for nothing, until its end or LINGER_MS.
 */
#include "http-inner.h"

#include "base/mem.h"

#include <fcntl.h>
#include <unistd.h>

#define LINGER_MS   2000
#define LINGERS_MAX 64
#define PIECE_BYTES 16384

struct http_linger {
	struct http_server *server;
	struct http_linger *next, *prev;
	struct loop_watch *watch, *timer;
	int fd;
};

static void end(struct http_linger *g)
{
	struct http_server *s = g->server;

	*(g->prev ? &g->prev->next : &s->lingers) = g->next;
	if (g->next)
		g->next->prev = g->prev;
	s->n_lingers--;
	loop_del(g->watch);
	loop_del(g->timer);
	close(g->fd);
	free(g);
}

static void on_time(void *arg)
{
	struct http_linger *g = arg;

	g->timer = NULL;
	end(g);
}

static void on_bytes(void *arg, uint32_t events)
{
	struct http_linger *g = arg;
	char piece[PIECE_BYTES];

	(void)events;
	if (read(g->fd, piece, sizeof piece) <= 0)
		end(g);
}

/* libmicrohttpd shuts down and closes its descriptor; ours keeps the connection. */
void http_linger(struct http_conn *c)
{
	struct http_server *s = c->server;
	int fd = s->freeing || s->n_lingers >= LINGERS_MAX ? -1 : fcntl(c->fd, F_DUPFD_CLOEXEC, 0);
	struct http_linger *g;

	if (fd < 0)
		return;
	g = mem_alloc(sizeof *g);
	g->server = s;
	g->fd = fd;
	g->next = s->lingers;
	if (g->next)
		g->next->prev = g;
	s->lingers = g;
	s->n_lingers++;
	g->watch = loop_fd(s->loop, fd, EPOLLIN, on_bytes, g);
	g->timer = loop_timer(s->loop, LINGER_MS, on_time, g);
}

void http_linger_end_all(struct http_server *s)
{
	while (s->lingers)
		end(s->lingers);
}
