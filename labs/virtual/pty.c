/* SPDX-License-Identifier: MIT */
/*
 * Serial ports that a daemon plays. Invariant: while plugged in, a PTY's master, slave and link or
 * a socket's listener and name are all there; while not, none is. A socket's `master` is the host's
 * connection, -1 while there is none. Whatever is in `queue` has a wake-up pending: the master's
 * EPOLLOUT, or the pace timer.
 */
#include "labs/virtual/pty.h"

#include "base/buf.h"
#include "base/clock.h"
#include "base/fs.h"
#include "base/mem.h"
#include "base/vec.h"
#include "labs/virtual/vlab.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/sockios.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/inotify.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <termios.h>
#include <unistd.h>

#define READ_BYTES    4096
#define PACE_MS       10 /* bytes of this much time leave in one write */
#define PRESET_BAUD   115200
#define BITS_PER_BYTE 10 /* start, eight, stop */

struct pty {
	struct pty_hub *hub;
	char *link;
	bool socket, plugged;
	bool telling; /* on_bytes is being called: what is written now is for who wrote those */
	int listener; /* of a socket, else -1 */
	struct loop_watch *listener_watch;
	int master, slave; /* -1: unplugged; a socket has no slave */
	int wd;            /* the hub's watch of the slave */
	struct loop_watch *watch, *timer;
	struct buf queue;
	uint64_t dropped_bytes;
	bool paced;
	pty_read_fn *on_bytes;
	void *arg;
};

struct pty_hub {
	struct loop *loop;
	int inotify;
	bool sockets;
	struct loop_watch *watch;
	VEC(struct pty *) ptys; /* plugged in ones */
};

/* ---- the hub ------------------------------------------------------------------------------ */

static void hub_event(void *arg, uint32_t events)
{
	struct pty_hub *h = arg;
	char raw[4096] __attribute__((aligned(8)));
	ssize_t n;

	(void)events;
	while ((n = read(h->inotify, raw, sizeof raw)) > 0) {
		for (char *at = raw; at < raw + n;) {
			const struct inotify_event *ev = (const void *)at;

			at += sizeof *ev + ev->len;
			vec_each (&h->ptys, p)
				if ((*p)->wd == ev->wd && (*p)->slave >= 0)
					ioctl((*p)->slave, TIOCNXCL);
		}
	}
}

struct pty_hub *pty_hub_new(struct loop *l, struct err *e)
{
	struct pty_hub *h = mem_alloc(sizeof *h);

	h->loop = l;
	h->inotify = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
	if (h->inotify < 0) {
		err_sys(e, BLAME_INFRA, errno, "watch serial ports");
		free(h);
		return NULL;
	}
	h->watch = loop_fd(l, h->inotify, EPOLLIN, hub_event, h);
	return h;
}

void pty_hub_sockets(struct pty_hub *h, bool on)
{
	h->sockets = on;
}

void pty_hub_free(struct pty_hub *h)
{
	if (!h)
		return;
	loop_del(h->watch);
	close(h->inotify);
	vec_done(&h->ptys);
	free(h);
}

static void lose_host(struct pty *p);
static void meet_host(struct pty *p);

/* ---- towards the host ----------------------------------------------------------------------- */

static int baud_of(int slave)
{
	static const struct {
		speed_t code;
		int baud;
	} rates[] = {{B300, 300}, {B600, 600}, {B1200, 1200}, {B2400, 2400}, {B4800, 4800},
		{B9600, 9600}, {B19200, 19200}, {B38400, 38400}, {B57600, 57600}, {B115200, 115200},
		{B230400, 230400}, {B460800, 460800}, {B500000, 500000}, {B921600, 921600},
		{B1000000, 1000000}, {B1500000, 1500000}, {B2000000, 2000000}, {B3000000, 3000000},
		{B4000000, 4000000}};
	struct termios t;

	if (tcgetattr(slave, &t) < 0)
		return PRESET_BAUD;
	for (size_t i = 0; i < ARRAY_LEN(rates); i++)
		if (rates[i].code == cfgetospeed(&t))
			return rates[i].baud;
	return PRESET_BAUD;
}

/* Hands at most max bytes of the queue to the kernel. */
static void hand_over(struct pty *p, size_t max)
{
	size_t n = p->queue.len < max ? p->queue.len : max;
	ssize_t done = 0;

	if (n && p->socket)
		done = send(p->master, p->queue.data, n, MSG_DONTWAIT | MSG_NOSIGNAL);
	else if (n)
		done = write(p->master, p->queue.data, n);
	if (done > 0)
		buf_eat(&p->queue, (size_t)done);
	else if (done < 0 && p->socket && errno != EAGAIN && errno != EINTR)
		buf_reset(&p->queue); /* a host that has gone, as `ready` is about to see */
}

static void pace(void *arg)
{
	struct pty *p = arg;
	size_t slice = (size_t)baud_of(p->slave) * PACE_MS / 1000 / BITS_PER_BYTE;

	p->timer = NULL;
	hand_over(p, slice ? slice : 1);
	if (p->queue.len)
		p->timer = loop_timer(p->hub->loop, PACE_MS, pace, p);
}

static void drain(struct pty *p)
{
	if (p->paced) {
		if (!p->timer && p->queue.len)
			pace(p);
		return;
	}
	hand_over(p, p->queue.len);
	loop_fd_set(p->watch, p->queue.len ? EPOLLIN | EPOLLOUT : EPOLLIN);
}

void pty_write(struct pty *p, struct str bytes)
{
	if (p->socket && p->plugged && !p->telling)
		meet_host(p);
	if (p->master < 0)
		return;
	if (bytes.n > p->queue.cap) {
		p->dropped_bytes += bytes.n - p->queue.cap;
		bytes.p += bytes.n - p->queue.cap;
		bytes.n = p->queue.cap;
	}
	if (p->queue.len + bytes.n > p->queue.cap) {
		size_t over = p->queue.len + bytes.n - p->queue.cap;

		buf_eat(&p->queue, over);
		p->dropped_bytes += over;
	}
	buf_add(&p->queue, bytes.p, bytes.n);
	drain(p);
}

void pty_pace(struct pty *p, bool paced)
{
	p->paced = paced;
	loop_del(p->timer);
	p->timer = NULL;
	if (p->master >= 0) {
		loop_fd_set(p->watch, EPOLLIN);
		drain(p);
	}
}

/* Takes what the host has sent. False: nothing more will come of this host. */
static bool take(struct pty *p)
{
	char bytes[READ_BYTES];
	ssize_t n = read(p->master, bytes, sizeof bytes);

	if (n <= 0)
		return n < 0 && (errno == EAGAIN || errno == EINTR);
	if (p->on_bytes) {
		p->telling = true;
		p->on_bytes(p->arg, str_make(bytes, (size_t)n));
		p->telling = false;
	}
	return true;
}

static void ready(void *arg, uint32_t events)
{
	struct pty *p = arg;

	if (events & EPOLLOUT && !p->paced)
		drain(p);
	if (events & EPOLLIN || (p->socket && events & (EPOLLHUP | EPOLLERR)))
		if (!take(p) && p->socket)
			lose_host(p);
}

/* ---- a socket's host ------------------------------------------------------------------------ */

static void lose_host(struct pty *p)
{
	if (p->master < 0)
		return;
	loop_del(p->watch);
	loop_del(p->timer);
	p->watch = p->timer = NULL;
	close(p->master);
	p->master = -1;
	buf_reset(&p->queue);
}

static bool host_left(const struct pty *p)
{
	struct pollfd look = {.fd = p->master};

	return poll(&look, 1, 0) > 0 && look.revents & (POLLHUP | POLLERR);
}

static void accept_host(struct pty *p)
{
	int fd = accept4(p->listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);

	if (fd < 0)
		return;
	if (p->master >= 0) {
		close(fd); /* a port is one host's */
		return;
	}
	p->master = fd;
	p->watch = loop_fd(p->hub->loop, fd, EPOLLIN, ready, p);
}

/*
 * Before bytes go out: a host that has connected hears them even when the loop has not come round
 * to it, for power may have been switched meanwhile. One that left is let go of, unless it left
 * bytes behind; those are for `ready` to take.
 */
static void meet_host(struct pty *p)
{
	int unread = 0;

	if (p->master >= 0 && host_left(p) && !ioctl(p->master, FIONREAD, &unread) && !unread)
		lose_host(p);
	if (p->master < 0)
		accept_host(p);
}

static void arrived(void *arg, uint32_t events)
{
	struct pty *p = arg;

	(void)events;
	if (p->master >= 0 && host_left(p)) {
		while (p->master >= 0 && take(p))
			;
		lose_host(p);
	}
	if (p->plugged)
		accept_host(p);
}

static int listen_as(struct pty *p, struct err *e)
{
	AUTOFREE char *dir = fs_dirname(p->link);
	int fd = vlab_listen(dir, fs_basename(p->link), e);

	if (fd < 0)
		return err_wrap(e, "serial port '%s'", p->link);
	p->listener = fd;
	p->listener_watch = loop_fd(p->hub->loop, fd, EPOLLIN, arrived, p);
	p->plugged = true;
	return 0;
}

/* ---- the cable ------------------------------------------------------------------------------ */

int pty_pair(int *master, int *slave, char name[PTY_NAME_BYTES], struct err *e)
{
	char path[PTY_NAME_BYTES];
	int m = posix_openpt(O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC), s = -1;

	if (m < 0)
		return err_sys(e, BLAME_INFRA, errno, "make a PTY");
	if (grantpt(m) < 0 || unlockpt(m) < 0 || ptsname_r(m, path, sizeof path) ||
		(s = open(path, O_RDWR | O_NOCTTY | O_CLOEXEC)) < 0) {
		int sys = errno;

		close(m);
		return err_sys(e, BLAME_INFRA, sys, "open the slave of a PTY");
	}
	*master = m;
	*slave = s;
	snprintf(name, PTY_NAME_BYTES, "%s", path);
	return 0;
}

/* A link beside the place, renamed onto it: who looks finds the old port or the new one. */
static int put_link(const char *target, const char *link, struct err *e)
{
	AUTOFREE char *beside = mem_printf("%s.new", link);

	unlink(beside);
	if (symlink(target, beside) < 0 || rename(beside, link) < 0) {
		int sys = errno;

		unlink(beside);
		return err_sys(e, BLAME_INFRA, sys, "make the link '%s'", link);
	}
	return 0;
}

int pty_plug(struct pty *p, struct err *e)
{
	char name[PTY_NAME_BYTES];
	struct termios t;
	int m = -1, s = -1;

	if (p->plugged)
		return 0;
	if (p->socket)
		return listen_as(p, e);
	if (pty_pair(&m, &s, name, e) < 0)
		return err_wrap(e, "serial port '%s'", p->link);
	if (tcgetattr(s, &t) == 0) {
		cfmakeraw(&t);
		cfsetspeed(&t, B115200);
		tcsetattr(s, TCSANOW, &t);
	}
	if (put_link(name, p->link, e) < 0) {
		close(m);
		close(s);
		return -1;
	}
	p->master = m;
	p->slave = s;
	p->wd = inotify_add_watch(p->hub->inotify, name, IN_CLOSE);
	p->watch = loop_fd(p->hub->loop, m, EPOLLIN, ready, p);
	vec_push(&p->hub->ptys, p);
	p->plugged = true;
	return 0;
}

void pty_unplug(struct pty *p)
{
	if (!p->plugged)
		return;
	p->plugged = false;
	unlink(p->link);
	if (p->socket) {
		lose_host(p);
		loop_del(p->listener_watch);
		p->listener_watch = NULL;
		close(p->listener);
		p->listener = -1;
		return;
	}
	vec_each (&p->hub->ptys, other)
		if (*other == p) {
			vec_del(&p->hub->ptys, (size_t)(other - p->hub->ptys.p));
			break;
		}
	if (p->wd >= 0)
		inotify_rm_watch(p->hub->inotify, p->wd);
	loop_del(p->watch);
	loop_del(p->timer);
	p->watch = p->timer = NULL;
	close(p->slave);
	close(p->master);
	p->master = p->slave = p->wd = -1;
	buf_reset(&p->queue);
}

struct pty *pty_new(struct pty_hub *h, const struct pty_opts *o, struct err *e)
{
	struct pty *p = mem_alloc(sizeof *p);

	p->hub = h;
	p->link = mem_strdup(o->link);
	p->master = p->slave = p->wd = p->listener = -1;
	p->socket = h->sockets;
	p->paced = o->paced;
	p->on_bytes = o->on_bytes;
	p->arg = o->arg;
	buf_init(&p->queue, o->queue_bytes ? o->queue_bytes : PTY_QUEUE_BYTES);
	if (pty_plug(p, e) < 0) {
		pty_free(p);
		return NULL;
	}
	return p;
}

void pty_free(struct pty *p)
{
	if (!p)
		return;
	pty_unplug(p);
	buf_done(&p->queue);
	free(p->link);
	free(p);
}

/* ---- what is known about it ----------------------------------------------------------------- */

bool pty_plugged(const struct pty *p)
{
	return p->plugged;
}

uint64_t pty_dropped_bytes(const struct pty *p)
{
	return p->dropped_bytes;
}

size_t pty_queued_bytes(const struct pty *p)
{
	return p->queue.len;
}

bool pty_drained(const struct pty *p)
{
	struct pollfd look = {.fd = p->slave, .events = POLLIN};
	int unread = 0;

	if (p->master < 0)
		return true;
	if (p->socket)
		return !p->queue.len && (ioctl(p->master, SIOCOUTQ, &unread) || !unread);
	/* poll, not FIONREAD: it also sees bytes that are still on their way through the kernel */
	return !p->queue.len && poll(&look, 1, 0) == 0;
}

const char *pty_link(const struct pty *p)
{
	return p->link;
}
