/* SPDX-License-Identifier: MIT */
/*
 * Any bytes into a real server over a connection: it ends, whatever they are; every request that
 * was handed on is answered or told to have gone; nothing is left under way. The first byte says
 * into what pieces they are cut.
 */
#include "io/http.h"

#include "base/buf.h"
#include "base/mem.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#define GUARD_MS 10000

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

static struct loop *loop;
static struct http_server *server;
static struct http_request *held;
static int n_due; /* replies that are due, streams that have not ended */
static int fd;
static const uint8_t *rest;
static size_t n_rest, step;
static struct loop_watch *out;

static void must(bool good, const char *what)
{
	if (good)
		return;
	fprintf(stderr, "fuzz-http: %s\n", what);
	abort();
}

static void finish(struct http_request *r)
{
	n_due--;
	http_set_user(r, NULL, NULL);
	http_reply_json(r, 200,
		json_pack("{s:s*,s:s*}", "q", http_query(r, "q"), "x", http_header(r, "x")));
}

static void on_gone(void *arg)
{
	if (held == arg)
		held = NULL;
	n_due--;
}

static void on_body(void *arg, struct http_request *r, struct str body)
{
	(void)arg;
	must(body.n <= 100, "a body longer than it may be");
	n_due++;
	finish(r);
}

static int on_piece(void *arg, struct http_request *r, struct str piece)
{
	(void)arg;
	if (piece.n && *piece.p != 'x')
		return 0;
	finish(r);
	return -1;
}

static ssize_t on_pull(void *arg, char *text, size_t max)
{
	int *left = arg;

	if (!*left)
		return -1;
	--*left;
	return snprintf(text, max, "data\n");
}

static void on_done(void *arg)
{
	(void)arg;
	n_due--;
}

static void on_request(void *arg, struct http_request *r)
{
	static int left;

	(void)arg;
	must(*http_path(r) == '/' || *http_path(r) == '*', "a path that is none");
	n_due++;
	http_set_user(r, r, on_gone);
	switch (http_path(r)[1]) {
	case 'b':
		n_due--; /* the server answers one that is too long */
		http_set_user(r, NULL, NULL);
		http_body(r, 100, on_body, NULL);
		break;
	case 'p':
		http_body_pass(r, on_piece, NULL);
		break;
	case 'h':
		held = r;
		break;
	case 's':
		left = 3;
		http_stream(r, "text/plain", on_pull, on_done, &left);
		break;
	default:
		finish(r);
	}
}

static void on_turn(void *arg)
{
	(void)arg;
	if (held)
		finish(held);
	held = NULL;
}

static void on_out(void *arg, uint32_t events)
{
	size_t now = n_rest < step ? n_rest : step;
	ssize_t sent = send(fd, rest, now, MSG_NOSIGNAL);

	(void)arg;
	(void)events;
	if (sent > 0) {
		rest += sent;
		n_rest -= (size_t)sent;
	}
	if (sent >= 0 && n_rest)
		return;
	shutdown(fd, SHUT_WR);
	loop_fd_set(out, EPOLLIN);
}

static void on_event(void *arg, uint32_t events)
{
	char answer[4096];

	if (events & EPOLLOUT)
		on_out(arg, events);
	else if (read(fd, answer, sizeof answer) <= 0)
		loop_stop(loop);
}

static void on_guard(void *arg)
{
	(void)arg;
	must(false, "the connection does not end");
}

static void begin(void)
{
	struct http_opts o = {.address = "127.0.0.1", .on_request = on_request};
	struct err e = {0};

	loop = loop_new(&e);
	server = http_server_new(loop, &o, &e);
	must(server != NULL, e.msg);
	loop_turn(loop, on_turn, NULL);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	struct loop_watch *guard;
	int pair[2];

	if (!n)
		return 0;
	begin();
	must(!socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, pair), "sockets");
	fd = pair[0];
	must(!http_server_add(server, pair[1], NULL), "a connection");
	step = *data ? *data : 65536;
	rest = data + 1;
	n_rest = n - 1;
	n_due = 0;
	out = loop_fd(loop, fd, EPOLLIN | EPOLLOUT, on_event, NULL);
	guard = loop_timer(loop, GUARD_MS, on_guard, NULL);
	loop_run(loop, NULL);
	loop_del(guard);
	loop_del(out);
	close(fd);
	http_server_free(server);
	held = NULL;
	must(n_due <= 0, "a request that was neither answered nor told to have gone");
	loop_free(loop);
	return 0;
}
