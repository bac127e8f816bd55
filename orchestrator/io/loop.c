/* SPDX-License-Identifier: MIT */
/*
 * The event loop: epoll for descriptors, signals (signalfd) and children (pidfd), a heap for
 * timers. Invariant: a removed watch is out of epoll and out of the heap at once, has no function
 * any more, and is freed only when no event that epoll already handed over can name it.
 */
#include "io/loop.h"

#include "base/clock.h"
#include "base/heap.h"
#include "base/mem.h"

#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stddef.h>
#include <sys/signalfd.h>
#include <unistd.h>

#define EVENTS_MAX 64 /* handed over at once */

enum kind { FD, TIMER, SIGNAL, CHILD, TURN };

struct loop_watch {
	struct loop *loop;
	struct loop_watch *next, *prev; /* in the loop's list, or the dead ones by next */
	enum kind kind;
	bool dead;
	int fd; /* ours only for SIGNAL */
	union {
		loop_fd_fn *on_fd;
		loop_fn *on_timer; /* and TURN */
		loop_signal_fn *on_signal;
		loop_child_fn *on_child;
	};
	void *arg;
	struct child *child;
	struct heap_item due; /* TIMER */
	uint64_t born;        /* TURN: in which turn */
};

struct loop {
	int epoll;
	struct loop_watch *watches, *dead;
	struct loop_watch *turns;     /* those of the end of a turn, oldest first */
	struct loop_watch *turn_next; /* to be called next in this one */
	uint64_t turn;
	struct heap timers;
	sigset_t blocked; /* by us */
	bool stop, running, doomed;
};

struct loop *loop_new(struct err *e)
{
	int fd = epoll_create1(EPOLL_CLOEXEC);
	struct loop *l;

	if (fd < 0) {
		err_sys(e, BLAME_INFRA, errno, "make an event loop");
		return NULL;
	}
	l = mem_alloc(sizeof *l);
	l->epoll = fd;
	sigemptyset(&l->blocked);
	return l;
}

static void bury(struct loop *l)
{
	for (struct loop_watch *w = l->dead, *next; w; w = next) {
		next = w->next;
		free(w);
	}
	l->dead = NULL;
}

void loop_free(struct loop *l)
{
	if (!l)
		return;
	while (l->watches)
		loop_del(l->watches);
	while (l->turns)
		loop_del(l->turns);
	if (l->running) { /* loop_run is below us on the stack and does the rest */
		l->stop = l->doomed = true;
		return;
	}
	sigprocmask(SIG_UNBLOCK, &l->blocked, NULL);
	bury(l);
	heap_done(&l->timers);
	close(l->epoll);
	free(l);
}

static struct loop_watch *watch_new(struct loop *l, enum kind kind, int fd, void *arg)
{
	struct loop_watch *w = mem_alloc(sizeof *w);

	w->loop = l;
	w->kind = kind;
	w->fd = fd;
	w->arg = arg;
	if (kind == TURN) {
		struct loop_watch **end = &l->turns;

		for (; *end; end = &(*end)->next)
			w->prev = *end;
		*end = w;
		return w;
	}
	w->next = l->watches;
	if (w->next)
		w->next->prev = w;
	l->watches = w;
	return w;
}

/* NULL, with errno, when epoll does not take the descriptor. */
static struct loop_watch *watch_fd(
	struct loop *l, enum kind kind, int fd, uint32_t events, void *arg)
{
	struct loop_watch *w = watch_new(l, kind, fd, arg);
	struct epoll_event ev = {.events = events, .data.ptr = w};
	int sys;

	if (!epoll_ctl(l->epoll, EPOLL_CTL_ADD, fd, &ev))
		return w;
	sys = errno;
	w->fd = -1;
	loop_del(w);
	errno = sys;
	return NULL;
}

struct loop_watch *loop_fd(struct loop *l, int fd, uint32_t events, loop_fd_fn *fn, void *arg)
{
	struct loop_watch *w = watch_fd(l, FD, fd, events, arg);

	if (w)
		w->on_fd = fn;
	return w;
}

void loop_fd_set(struct loop_watch *w, uint32_t events)
{
	struct epoll_event ev = {.events = events, .data.ptr = w};

	if (!w->dead)
		epoll_ctl(w->loop->epoll, EPOLL_CTL_MOD, w->fd, &ev);
}

struct loop_watch *loop_timer(struct loop *l, int64_t after_ms, loop_fn *fn, void *arg)
{
	struct loop_watch *w = watch_new(l, TIMER, -1, arg);
	int64_t now = clock_ms();

	w->on_timer = fn;
	if (after_ms < 0)
		after_ms = 0;
	w->due.key = after_ms > INT64_MAX - now ? INT64_MAX : now + after_ms;
	heap_add(&l->timers, &w->due);
	return w;
}

struct loop_watch *loop_turn(struct loop *l, loop_fn *fn, void *arg)
{
	struct loop_watch *w = watch_new(l, TURN, -1, arg);

	w->on_timer = fn;
	w->born = l->turn;
	return w;
}

struct loop_watch *loop_signal(struct loop *l, int sig, loop_signal_fn *fn, void *arg)
{
	struct loop_watch *w;
	sigset_t set, old;
	int fd, sys;

	sigemptyset(&set);
	if (sigaddset(&set, sig))
		return NULL;
	fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	if (fd < 0)
		return NULL;
	w = watch_fd(l, SIGNAL, fd, EPOLLIN, arg);
	if (!w) {
		sys = errno;
		close(fd);
		errno = sys;
		return NULL;
	}
	w->on_signal = fn;
	sigprocmask(SIG_BLOCK, &set, &old);
	if (!sigismember(&old, sig))
		sigaddset(&l->blocked, sig);
	return w;
}

struct loop_watch *loop_child(struct loop *l, struct child *c, loop_child_fn *fn, void *arg)
{
	struct loop_watch *w = watch_fd(l, CHILD, c->pidfd, EPOLLIN, arg);

	if (w) {
		w->child = c;
		w->on_child = fn;
	}
	return w;
}

/* What has come and nobody read must not hit the process once the signal is let through. */
static void drain(int fd)
{
	struct signalfd_siginfo info;

	while (read(fd, &info, sizeof info) == sizeof info)
		;
}

void loop_del(struct loop_watch *w)
{
	struct loop *l;

	if (!w || w->dead)
		return;
	l = w->loop;
	w->dead = true;
	if (w->kind == TIMER)
		heap_del(&l->timers, &w->due);
	else if (w->fd >= 0)
		epoll_ctl(l->epoll, EPOLL_CTL_DEL, w->fd, NULL);
	if (w->kind == SIGNAL && w->fd >= 0) {
		drain(w->fd);
		close(w->fd);
	}
	if (l->turn_next == w)
		l->turn_next = w->next;
	if (w->prev)
		w->prev->next = w->next;
	else if (w->kind == TURN)
		l->turns = w->next;
	else
		l->watches = w->next;
	if (w->next)
		w->next->prev = w->prev;
	w->next = l->dead;
	l->dead = w;
	if (!l->running)
		bury(l);
}

static void dispatch(struct loop_watch *w, uint32_t events)
{
	struct signalfd_siginfo info;
	loop_child_fn *on_child;
	struct child *c;
	void *arg = w->arg;

	switch (w->kind) {
	case FD:
		w->on_fd(arg, events);
		break;
	case SIGNAL:
		if (read(w->fd, &info, sizeof info) == sizeof info)
			w->on_signal(arg, (int)info.ssi_signo);
		break;
	case CHILD:
		c = w->child;
		on_child = w->on_child;
		if (!child_poll(c))
			break;
		loop_del(w);
		on_child(arg, c);
		break;
	case TIMER:
	case TURN:
		break;
	}
}

/* Those that are due now; not those that their functions add. */
static void run_timers(struct loop *l)
{
	int64_t now = clock_ms();
	uint64_t end = l->timers.seq;
	struct heap_item *top;

	while (!l->stop && (top = heap_top(&l->timers)) && top->key <= now && top->seq < end) {
		struct loop_watch *w =
			(struct loop_watch *)((char *)top - offsetof(struct loop_watch, due));
		loop_fn *fn = w->on_timer;
		void *arg = w->arg;

		loop_del(w);
		fn(arg);
	}
}

/* Also when somebody called loop_stop in this turn; not those added in it by each other. */
static void end_turn(struct loop *l)
{
	l->turn++;
	l->turn_next = l->turns;
	while (l->turn_next) {
		struct loop_watch *w = l->turn_next;

		l->turn_next = w->next;
		if (w->born != l->turn)
			w->on_timer(w->arg);
	}
}

static int wait_ms(const struct loop *l)
{
	const struct heap_item *top = heap_top(&l->timers);
	int64_t left;

	if (!top)
		return -1;
	left = top->key - clock_ms();
	return left <= 0 ? 0 : left > INT_MAX ? INT_MAX : (int)left;
}

int loop_run(struct loop *l, struct err *e)
{
	struct epoll_event events[EVENTS_MAX];
	int rc = 0, n;

	if (l->running)
		return err_set(e, BLAME_BUG, "run the event loop: it runs already");
	l->running = true;
	while (!l->stop) {
		if (!l->watches) {
			rc = err_set(e, BLAME_BUG, "run the event loop: nothing to wait for");
			break;
		}
		n = epoll_wait(l->epoll, events, EVENTS_MAX, wait_ms(l));
		if (n < 0 && errno != EINTR) {
			rc = err_sys(e, BLAME_BUG, errno, "run the event loop");
			break;
		}
		for (int i = 0; i < n && !l->stop; i++) {
			struct loop_watch *w = events[i].data.ptr;

			if (!w->dead)
				dispatch(w, events[i].events);
		}
		run_timers(l);
		end_turn(l);
		bury(l);
	}
	l->running = l->stop = false;
	if (l->doomed)
		loop_free(l);
	return rc;
}

void loop_stop(struct loop *l)
{
	l->stop = true;
}
