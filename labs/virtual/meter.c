/* SPDX-License-Identifier: MIT */
/*
 * The simulated instrument. Invariant: what a channel reads follows from its power and its figure
 * alone; a fault changes what is said, never what is read after it.
 */
#include "labs/virtual/meter.h"

#include "base/mem.h"
#include "base/vec.h"
#include "labs/virtual/vlab.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#define NOISE 0.004 /* of the figure, at most and either way */

const char *const meter_faults[] = {"ok", "silent", "garbage", "gone", NULL};

struct meter_channel {
	double mv, mw;
	bool on, exact;
	uint32_t noise; /* state of its noise */
};
struct meter_client {
	struct meter *meter;
	int fd;
	struct loop_watch *watch;
	struct buf in;
};
struct meter {
	struct loop *loop;
	int fd, port;
	struct loop_watch *watch;
	enum meter_fault fault;
	VEC(struct meter_channel) channels;
	VEC(struct meter_client *) clients;
};

/* ---- what it reads -------------------------------------------------------------------------- */

/* -1 to 1, the same row of them for the same channel. */
static double next_noise(struct meter_channel *c)
{
	c->noise ^= c->noise << 13;
	c->noise ^= c->noise >> 17;
	c->noise ^= c->noise << 5;
	return (double)c->noise / (double)UINT32_MAX * 2 - 1;
}

static void read_channel(struct meter_channel *c, struct buf *answer)
{
	double watts = c->on ? c->mw / 1e3 : 0, volts = c->on ? c->mv / 1e3 : 0;

	if (!c->exact)
		watts *= 1 + NOISE * next_noise(c);
	buf_printf(answer, "%.9g,%.9g,%.9g\n", volts, volts > 0 ? watts / volts : 0, watts);
}

void meter_answer(struct meter *m, struct str line, struct buf *answer)
{
	struct str rest = line, word = {0}, which = {0};
	uint64_t n;

	if (m->fault == METER_SILENT)
		return;
	str_word(&rest, &word);
	str_word(&rest, &which);
	if (m->fault == METER_GARBAGE && !str_is(word, "*IDN?"))
		buf_puts(answer, "\x7f#?!\n");
	else if (str_is(word, "*IDN?"))
		buf_printf(answer, "hilab,simulated meter,%d,1\n", (int)getpid());
	else if (str_is(word, "MEAS:ALL?") && str_starts(which, "CH") &&
		 !str_u64(str_make(which.p + 2, which.n - 2), &n) && n >= 1 && n <= m->channels.n)
		read_channel(&m->channels.p[n - 1], answer);
	else
		buf_puts(answer, "-113,Undefined header\n");
}

/* ---- its port ------------------------------------------------------------------------------- */

static void client_free(struct meter_client *c)
{
	struct meter *m = c->meter;

	vec_each (&m->clients, p)
		if (*p == c) {
			vec_del(&m->clients, (size_t)(p - m->clients.p));
			break;
		}
	loop_del(c->watch);
	close(c->fd);
	buf_done(&c->in);
	free(c);
}

static void client_ready(void *arg, uint32_t events)
{
	struct meter_client *c = arg;
	AUTOBUF answer = BUF_INIT(VLAB_ANSWER_BYTES);
	ssize_t n = buf_read(&c->in, c->fd, METER_LINE_BYTES);
	struct str rest, line;

	(void)events;
	if (n < 0 && errno == EAGAIN)
		return;
	while (n > 0 && memchr(c->in.data, '\n', c->in.len)) {
		rest = str_make(c->in.data, c->in.len);
		str_line(&rest, &line);
		meter_answer(c->meter, line, &answer);
		buf_eat(&c->in, c->in.len - rest.n);
	}
	/* who does not read what he asked for is hung up on */
	if (n <= 0 || c->meter->fault == METER_GONE ||
		(answer.len && send(c->fd, answer.data, answer.len, MSG_DONTWAIT | MSG_NOSIGNAL) !=
				       (ssize_t)answer.len))
		client_free(c);
}

static void arrived(void *arg, uint32_t events)
{
	struct meter *m = arg;
	int fd = accept4(m->fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
	struct meter_client *c;

	(void)events;
	if (fd < 0)
		return;
	if (m->clients.n == METER_CLIENTS || m->fault == METER_GONE) {
		close(fd);
		return;
	}
	c = mem_alloc(sizeof *c);
	c->meter = m;
	c->fd = fd;
	buf_init(&c->in, 2 * METER_LINE_BYTES);
	c->watch = loop_fd(m->loop, fd, EPOLLIN, client_ready, c);
	vec_push(&m->clients, c);
}

static int listen_on(struct meter *m, struct err *e)
{
	struct sockaddr_in at = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	socklen_t n = sizeof at;

	m->fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (m->fd < 0 || bind(m->fd, (struct sockaddr *)&at, sizeof at) < 0 ||
		listen(m->fd, METER_CLIENTS) < 0 ||
		getsockname(m->fd, (struct sockaddr *)&at, &n) < 0)
		return err_sys(e, BLAME_INFRA, errno, "listen for the simulated instrument");
	m->port = ntohs(at.sin_port);
	return 0;
}

struct meter *meter_new(struct loop *l, struct err *e)
{
	struct meter *m = mem_alloc(sizeof *m);

	m->loop = l;
	if (listen_on(m, e) < 0) {
		meter_free(m);
		return NULL;
	}
	m->watch = loop_fd(l, m->fd, EPOLLIN, arrived, m);
	return m;
}

void meter_free(struct meter *m)
{
	if (!m)
		return;
	while (m->clients.n)
		client_free(m->clients.p[0]);
	loop_del(m->watch);
	if (m->fd >= 0)
		close(m->fd);
	vec_done(&m->clients);
	vec_done(&m->channels);
	free(m);
}

int meter_port(const struct meter *m)
{
	return m->port;
}

/* ---- boards --------------------------------------------------------------------------------- */

static int add_channel(struct meter *m, const struct node *rail, struct err *e)
{
	const char *mv = node_text(rail, "mv"), *mw = node_text(rail, "mw");
	struct meter_channel c = {.noise = 2463534242u + (uint32_t)m->channels.n};

	if (!mv || !mw || str_double(str_of(mv), &c.mv) || str_double(str_of(mw), &c.mw) ||
		c.mv < 0 || c.mw < 0)
		return err_set(e, BLAME_CONFIG, "rail '%s' needs its 'mv' and 'mw'", rail->key);
	if (m->channels.n == METER_CHANNELS_MAX)
		return err_set(e, BLAME_CONFIG, "more than %d rails", METER_CHANNELS_MAX);
	vec_push(&m->channels, c);
	return 0;
}

int meter_board(struct meter *m, const struct node *rails, struct arena *a, struct node *board,
	unsigned *first, struct err *e)
{
	struct node *map, *all;

	*first = (unsigned)m->channels.n + 1;
	if (!rails || !rails->n)
		return 0;
	map = vlab_put_map(a, vlab_put_map(a, board, "instruments"), "meter");
	vlab_put(a, map, "driver", "scpi");
	vlab_put(a, map, "address", "127.0.0.1");
	vlab_put(a, map, "port", arena_printf(a, "%d", m->port));
	vlab_put(a, map, "model", "hilab");
	all = vlab_put_map(a, map, "rails");
	node_each (rails, rail) {
		if (add_channel(m, rail, e))
			return -1;
		vlab_put(a, vlab_put_map(a, all, rail->key), "channel",
			arena_printf(a, "%zu", m->channels.n));
	}
	return 0;
}

void meter_power(struct meter *m, const struct node *rails, unsigned first, bool on)
{
	for (size_t i = 0; rails && i < rails->n; i++)
		m->channels.p[first - 1 + i].on = on;
}

static int set_one(
	struct meter *m, const struct node *rails, unsigned first, struct str word, struct err *e)
{
	ptrdiff_t equals = str_chr(word, '=');
	bool volts = str_ends(word, "V"), found = false;
	struct str name, number;
	double value;

	name = str_make(word.p, equals < 0 ? 0 : (size_t)equals);
	number = str_make(word.p + name.n + 1, equals < 0 ? 0 : word.n - name.n - 1 - volts);
	if (!name.n || str_double(number, &value) || value < 0)
		return err_set(e, BLAME_CONFIG, "rail: NAME=MILLIWATTS or NAME=VOLTSV, not '%.*s'",
			STR_ARG(word));
	for (size_t i = 0; rails && i < rails->n; i++) {
		struct meter_channel *c = &m->channels.p[first - 1 + i];

		if (!str_is(name, "*") && !str_is(name, rails->kids[i]->key))
			continue;
		found = c->exact = true;
		*(volts ? &c->mv : &c->mw) = volts ? value * 1e3 : value;
	}
	return found ? 0 : err_set(e, BLAME_CONFIG, "no rail '%.*s'", STR_ARG(name));
}

int meter_set(
	struct meter *m, const struct node *rails, unsigned first, struct str what, struct err *e)
{
	struct str word;

	while (str_word(&what, &word))
		if (set_one(m, rails, first, word, e))
			return -1;
	return 0;
}

int meter_fault(struct meter *m, struct str name, struct err *e)
{
	for (int f = 0; meter_faults[f]; f++)
		if (str_is(name, meter_faults[f])) {
			m->fault = (enum meter_fault)f;
			while (f == METER_GONE && m->clients.n)
				client_free(m->clients.p[0]);
			return 0;
		}
	return err_set(
		e, BLAME_CONFIG, "meter: ok, silent, garbage or gone, not '%.*s'", STR_ARG(name));
}
