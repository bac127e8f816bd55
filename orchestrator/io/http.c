/* SPDX-License-Identifier: MIT */
/*
 * The HTTP server: libmicrohttpd without threads, its epoll descriptor and its timeout in our loop.
 * Invariant: libmicrohttpd runs only from the loop, never from inside a function of ours that a
 * caller may use in a callback; those only mark and resume.
 */
#include "http-inner.h"

#include "base/clock.h"
#include "base/fs.h"
#include "base/mem.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netdb.h>
#include <netinet/tcp.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#define BACKLOG      1024
#define ROUNDS_MAX   4  /* of libmicrohttpd in one turn of the loop */
#define ENDED_TURNS  16 /* without a byte read, of a connection whose peer has ended */
#define ALIVE_IDLE_S 60
#define ALIVE_STEP_S 15
#define ALIVE_TRIES  4
#define PEM_BYTES    ((size_t)1 << 20)
#define TLS_VERSIONS "NORMAL:-VERS-ALL:+VERS-TLS1.3:+VERS-TLS1.2"

/* ---- lists of connections ---- */

static void list_remove(struct http_conn *c)
{
	struct http_list *l = c->in;

	if (!l)
		return;
	*(c->prev ? &c->prev->next : &l->first) = c->next;
	*(c->next ? &c->next->prev : &l->last) = c->prev;
	c->next = c->prev = NULL;
	c->in = NULL;
}

void http_list_move(struct http_conn *c, struct http_list *to)
{
	list_remove(c);
	c->in = to;
	c->prev = to->last;
	*(to->last ? &to->last->next : &to->first) = c;
	to->last = c;
}

void http_cut(struct http_conn *c)
{
	shutdown(c->fd, SHUT_RDWR);
	if (c->request) {
		c->request->dead = true;
		http_resume(c->request);
	}
}

static void run(struct http_server *s);

static void on_due(void *arg)
{
	struct http_server *s = arg;

	s->timer = NULL;
	run(s);
}

/* libmicrohttpd runs in left_ms at the latest. */
static void soon(struct http_server *s, int64_t left_ms)
{
	int64_t due = clock_ms() + left_ms;

	if (s->timer && s->due_ms <= due)
		return;
	loop_del(s->timer);
	s->due_ms = due;
	s->timer = loop_timer(s->loop, left_ms, on_due, s);
}

/* libmicrohttpd, when its loop is not its own, is not woken by this. */
void http_resume(struct http_request *r)
{
	if (!r->suspended)
		return;
	r->suspended = false;
	http_list_move(r->conn, &r->server->rest);
	r->server->lib->resume_connection(r->conn->mhd);
	if (!r->server->freeing)
		soon(r->server, 0);
}

static int64_t idle_ms(const struct http_server *s)
{
	return (int64_t)s->idle_s * 1000;
}

/* Cuts those that took too long; comes again when the next one will have. */
static void on_slow(void *arg)
{
	struct http_server *s = arg;
	int64_t now = clock_ms();
	struct http_conn *c;

	s->slow = NULL;
	while ((c = s->reading.first) && c->since_ms + idle_ms(s) <= now) {
		http_list_move(c, &s->rest);
		http_cut(c);
	}
	if (c)
		s->slow = loop_timer(s->loop, c->since_ms + idle_ms(s) - now, on_slow, s);
}

void http_read_from(struct http_conn *c)
{
	struct http_server *s = c->server;

	c->since_ms = clock_ms();
	http_list_move(c, &s->reading);
	if (!s->slow && !s->freeing)
		s->slow = loop_timer(s->loop, idle_ms(s), on_slow, s);
}

/* ---- peers that go ---- */

/*
 * The peer sends no more, which is the end of a stream, and of a request whose reply is due beyond
 * this turn. One whose reply is on its way gets it. What is still to be read is read first:
 * libmicrohttpd reads once for an edge, and misses the end that came with the bytes, so it gets
 * more edges; once all is read, what is not whole never will be.
 */
static void on_peer(void *arg, uint32_t events)
{
	struct http_conn *c = arg;
	const struct http_request *r = c->request;
	int left = 0;

	(void)events;
	c->ended = true;
	if (c->in == &c->server->reading && !ioctl(c->fd, FIONREAD, &left) && left &&
		(left != c->unread || ++c->turns < ENDED_TURNS)) {
		if (left != c->unread)
			c->turns = 0;
		c->unread = left;
		shutdown(c->fd, SHUT_RD);
		return; /* and comes again */
	}
	loop_del(c->watch);
	c->watch = NULL;
	if (c->in == &c->server->reading ||
		(r && (r->is_stream || (r->suspended && c->in != &c->server->held))))
		http_cut(c);
}

void http_watch(struct http_conn *c)
{
	if (!c->watch)
		c->watch = loop_fd(c->server->loop, c->fd, EPOLLRDHUP, on_peer, c);
}

static void on_again(void *arg)
{
	struct http_server *s = arg;

	s->again = NULL;
}

/* A request that is answered in the turn in which it came is, also to a peer that has ended. */
static void on_turn(void *arg)
{
	struct http_server *s = arg;
	struct http_conn *next;

	for (struct http_conn *c = s->held.first; c; c = next) {
		next = c->next;
		if (!c->aged) {
			c->aged = true;
			continue;
		}
		http_list_move(c, &s->rest);
		if (c->ended)
			http_cut(c);
	}
	if (s->held.first && !s->again)
		s->again = loop_timer(s->loop, 0, on_again, s);
}

/* ---- libmicrohttpd in the loop ---- */

static void on_ready(void *arg, uint32_t events)
{
	(void)events;
	run(arg);
}

static void run(struct http_server *s)
{
	MHD_UNSIGNED_LONG_LONG left = 0;
	bool timed = true;

	for (int i = 0; i < ROUNDS_MAX && timed && !left; i++) {
		s->lib->run(s->mhd);
		timed = s->lib->get_timeout(s->mhd, &left) == MHD_YES;
	}
	if (timed) /* else one that is still there comes for nothing */
		soon(s, (int64_t)left);
}

static void peer_text(const struct sockaddr *a, char *out)
{
	const struct sockaddr_in6 *six = (const struct sockaddr_in6 *)a;

	*out = 0;
	if (a && a->sa_family == AF_INET)
		inet_ntop(
			AF_INET, &((const struct sockaddr_in *)a)->sin_addr, out, INET6_ADDRSTRLEN);
	else if (a && a->sa_family == AF_INET6 && IN6_IS_ADDR_V4MAPPED(&six->sin6_addr))
		inet_ntop(AF_INET, six->sin6_addr.s6_addr + 12, out, INET6_ADDRSTRLEN);
	else if (a && a->sa_family == AF_INET6)
		inet_ntop(AF_INET6, &six->sin6_addr, out, INET6_ADDRSTRLEN);
}

static void on_connection(void *cls, struct MHD_Connection *mhd, void **context,
	enum MHD_ConnectionNotificationCode what)
{
	struct http_server *s = cls;
	struct http_conn *c = *context;

	if (what == MHD_CONNECTION_NOTIFY_STARTED) {
		c = *context = mem_alloc(sizeof *c);
		c->server = s;
		c->mhd = mhd;
		c->fd = s->lib->get_connection_info(mhd, MHD_CONNECTION_INFO_CONNECTION_FD)
				->connect_fd;
		peer_text(s->lib->get_connection_info(mhd, MHD_CONNECTION_INFO_CLIENT_ADDRESS)
				  ->client_addr,
			c->peer);
		s->n_connections++;
		http_watch(c);
		http_read_from(c);
	} else if (c) {
		/* At its limit libmicrohttpd does not listen; it begins again when it next runs. */
		if (s->n_connections-- == s->connections_max && !s->freeing)
			soon(s, 0);
		list_remove(c);
		loop_del(c->watch);
		free(c);
		*context = NULL;
	}
}

static void on_log(void *cls, const char *fmt, va_list ap)
{
	struct http_server *s = cls;

	vsnprintf(s->said, sizeof s->said, fmt, ap);
	s->said[strcspn(s->said, "\n")] = 0;
}

/* ---- starting and ending ---- */

static void keep_alive(int fd)
{
	static const int on = 1, idle = ALIVE_IDLE_S, step = ALIVE_STEP_S, tries = ALIVE_TRIES;

	/* What is accepted inherits these. */
	setsockopt(fd, SOL_SOCKET, SO_KEEPALIVE, &on, sizeof on);
	setsockopt(fd, IPPROTO_TCP, TCP_KEEPIDLE, &idle, sizeof idle);
	setsockopt(fd, IPPROTO_TCP, TCP_KEEPINTVL, &step, sizeof step);
	setsockopt(fd, IPPROTO_TCP, TCP_KEEPCNT, &tries, sizeof tries);
}

static int listen_on(const struct http_opts *o, unsigned *port, struct err *e)
{
	struct addrinfo want = {
		.ai_flags = AI_PASSIVE | AI_NUMERICSERV, .ai_socktype = SOCK_STREAM};
	struct sockaddr_storage at;
	socklen_t n = sizeof at;
	struct addrinfo *a;
	char text[16];
	int fd, rc;

	snprintf(text, sizeof text, "%u", o->port);
	rc = getaddrinfo(o->address, text, &want, &a);
	if (rc)
		return err_set(e, BLAME_CONFIG, "listen on '%s' port %u: %s", o->address, o->port,
			gai_strerror(rc));
	fd = socket(a->ai_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	if (fd >= 0) {
		setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &(int){1}, sizeof(int));
		setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &(int){0}, sizeof(int));
		keep_alive(fd);
	}
	if (fd < 0 || bind(fd, a->ai_addr, a->ai_addrlen) || listen(fd, BACKLOG) ||
		getsockname(fd, (struct sockaddr *)&at, &n)) {
		err_sys(e, BLAME_CONFIG, errno, "listen on '%s' port %u", o->address, o->port);
		if (fd >= 0)
			close(fd);
		fd = -1;
	} else {
		*port = ntohs(at.ss_family == AF_INET6 ? ((struct sockaddr_in6 *)&at)->sin6_port
						       : ((struct sockaddr_in *)&at)->sin_port);
	}
	freeaddrinfo(a);
	return fd;
}

static int start(struct http_server *s, const struct http_opts *o, int fd, const char *cert,
	const char *key, struct err *e)
{
	struct MHD_OptionItem tls[] = {{MHD_OPTION_HTTPS_MEM_KEY, 0, (void *)key},
		{MHD_OPTION_HTTPS_MEM_CERT, 0, (void *)cert},
		{MHD_OPTION_HTTPS_PRIORITIES, 0, TLS_VERSIONS}, {MHD_OPTION_END, 0, NULL}};
	unsigned flags = MHD_USE_EPOLL | MHD_ALLOW_SUSPEND_RESUME | MHD_USE_ERROR_LOG;

	s->mhd = s->lib->start_daemon(cert ? flags | MHD_USE_TLS : flags, 0, NULL, NULL,
		http_on_access, s, MHD_OPTION_EXTERNAL_LOGGER, on_log, s, MHD_OPTION_LISTEN_SOCKET,
		fd, MHD_OPTION_CONNECTION_MEMORY_LIMIT, HTTP_HEAD_BYTES,
		MHD_OPTION_CONNECTION_LIMIT, s->connections_max, MHD_OPTION_PER_IP_CONNECTION_LIMIT,
		o->per_address_max, MHD_OPTION_CONNECTION_TIMEOUT, s->idle_s,
		MHD_OPTION_SIGPIPE_HANDLED_BY_APP, 1, MHD_OPTION_URI_LOG_CALLBACK, http_on_target,
		s, MHD_OPTION_NOTIFY_COMPLETED, http_on_end, s, MHD_OPTION_NOTIFY_CONNECTION,
		on_connection, s, MHD_OPTION_ARRAY, cert ? tls : &tls[3], MHD_OPTION_END);
	if (!s->mhd)
		return err_set(e, BLAME_CONFIG, "start the HTTP server: %s",
			*s->said ? s->said : "libmicrohttpd does not start");
	s->watch = loop_fd(s->loop,
		s->lib->get_daemon_info(s->mhd, MHD_DAEMON_INFO_EPOLL_FD)->epoll_fd, EPOLLIN,
		on_ready, s);
	s->turn = loop_turn(s->loop, on_turn, s);
	run(s);
	return 0;
}

static int read_pem(const char *path, struct buf *out, struct err *e)
{
	return path && fs_read(path, out, e) ? err_wrap(e, "start the HTTP server") : 0;
}

struct http_server *http_server_new(struct loop *l, const struct http_opts *o, struct err *e)
{
	const struct mhd_calls *lib = mhd_load(e);
	struct buf cert = BUF_INIT(PEM_BYTES), key = BUF_INIT(PEM_BYTES);
	struct http_server *s;
	int fd = -1;

	if (!lib)
		return NULL;
	s = mem_alloc(sizeof *s);
	s->lib = lib;
	s->loop = l;
	s->connections_max = o->connections_max ? o->connections_max : HTTP_CONNECTIONS_MAX;
	s->idle_s = o->idle_s ? o->idle_s : HTTP_IDLE_S;
	s->stall_s = o->stall_s ? o->stall_s : HTTP_STALL_S;
	s->on_request = o->on_request;
	s->arg = o->arg;
	signal(SIGPIPE, SIG_IGN); /* sendfile knows no MSG_NOSIGNAL */
	if (!o->cert != !o->key)
		err_set(e, BLAME_CONFIG, "start the HTTP server: certificate and key go together");
	else if (!read_pem(o->cert, &cert, e) && !read_pem(o->key, &key, e))
		fd = listen_on(o, &s->port, e);
	if (fd < 0 || start(s, o, fd, o->cert ? buf_str(&cert) : NULL, buf_str(&key), e)) {
		if (fd >= 0)
			close(fd);
		free(s);
		s = NULL;
	}
	if (key.data)
		explicit_bzero(key.data, key.len);
	buf_done(&key);
	buf_done(&cert);
	return s;
}

int http_server_add(struct http_server *s, int fd, struct err *e)
{
	struct sockaddr_storage peer = {.ss_family = AF_UNSPEC};
	socklen_t n = sizeof peer;

	getpeername(fd, (struct sockaddr *)&peer, &n);
	if (s->lib->add_connection(s->mhd, fd, (struct sockaddr *)&peer, n) != MHD_YES)
		return err_sys(e, BLAME_INFRA, errno, "add a connection");
	soon(s, 0);
	return 0;
}

unsigned http_server_port(const struct http_server *s)
{
	return s->port;
}

unsigned http_server_requests(const struct http_server *s)
{
	return s->n_requests;
}

void http_server_quiesce(struct http_server *s)
{
	if (!s->quiesced)
		close(s->lib->quiesce_daemon(s->mhd));
	s->quiesced = true;
}

static void resume_all(struct http_list *l)
{
	for (struct http_conn *c = l->first, *next; c; c = next) {
		next = c->next;
		http_cut(c);
	}
}

void http_server_free(struct http_server *s)
{
	if (!s)
		return;
	s->freeing = true;
	/* libmicrohttpd does not stop while a connection is suspended. */
	resume_all(&s->held);
	resume_all(&s->rest);
	loop_del(s->watch);
	s->lib->stop_daemon(s->mhd);
	http_linger_end_all(s);
	loop_del(s->turn);
	loop_del(s->timer);
	loop_del(s->slow);
	loop_del(s->again);
	free(s);
}
