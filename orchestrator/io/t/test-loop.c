/* SPDX-License-Identifier: MIT */
/* The event loop: order, removal from inside callbacks, signals, children. */
#include "io/loop.h"

#include "base/buf.h"
#include "base/clock.h"
#include "base/t/tap.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

static struct loop *l;
static struct buf trace = BUF_INIT(BUF_CAP_BYTES);

static void note(void *text)
{
	buf_puts(&trace, text);
}
static void stop(void *text)
{
	buf_puts(&trace, text);
	loop_stop(l);
}
static void again(void *left)
{
	buf_puts(&trace, "r");
	if (--*(int *)left)
		loop_timer(l, 0, again, left);
	else
		loop_stop(l);
}

static const char *run(void)
{
	struct err e = {0};

	buf_reset(&trace);
	return loop_run(l, &e) ? "failed" : buf_str(&trace);
}

static void timers(void)
{
	int left = 3;
	struct loop_watch *w;

	loop_timer(l, 30, stop, "3");
	loop_timer(l, 10, note, "1");
	w = loop_timer(l, 15, note, "x");
	loop_timer(l, 20, note, "2");
	loop_timer(l, 0, note, "a");
	loop_timer(l, 0, note, "b");
	loop_timer(l, -5, note, "c");
	loop_timer(l, INT64_MAX, note, "never");
	loop_del(w);
	is_str(run(), "abc123", "timers in order, equal ones as they were added");
	again(&left);
	is_str(run(), "rr", "a timer that starts another");
	loop_stop(l);
	is_str(run(), "", "a stop before the run");
}

struct pair {
	int fd[2];
	struct loop_watch *w;
	struct pair *other;
	int calls;
};

static void pair_open(struct pair *p)
{
	if (pipe2(p->fd, O_CLOEXEC | O_NONBLOCK))
		perror("pipe");
}

static void pair_close(struct pair *p)
{
	close(p->fd[0]);
	close(p->fd[1]);
}

static void kill_other(void *arg, uint32_t events)
{
	struct pair *p = arg;

	(void)events;
	p->calls++;
	loop_del(p->other->w);
	loop_del(p->w);
	loop_stop(l);
}

static void removal(void)
{
	struct pair a, b;

	a = (struct pair){.other = &b};
	b = (struct pair){.other = &a};
	pair_open(&a);
	pair_open(&b);
	a.w = loop_fd(l, a.fd[0], EPOLLIN, kill_other, &a);
	b.w = loop_fd(l, b.fd[0], EPOLLIN, kill_other, &b);
	ok(write(a.fd[1], "x", 1) == 1 && write(b.fd[1], "x", 1) == 1, "both are ready");
	run();
	is_int(a.calls + b.calls, 1, "one removes the other, whose event is pending, and itself");
	ok(!loop_fd(l, 9999, EPOLLIN, kill_other, &a) && errno == EBADF, "no descriptor");
	loop_del(NULL);
	pair_close(&a);
	pair_close(&b);
}

static void on_pair(void *arg, uint32_t events)
{
	struct pair *p = arg;
	char c;

	p->calls++;
	if (events & EPOLLIN && read(p->fd[0], &c, 1) == 1)
		buf_putc(&trace, c);
	else if (events & EPOLLHUP)
		stop("H");
}

static void descriptors(void)
{
	struct pair p = {.calls = 0};

	pair_open(&p);
	p.w = loop_fd(l, p.fd[0], 0, on_pair, &p);
	ok(write(p.fd[1], "xy", 2) == 2, "ready");
	loop_timer(l, 5, stop, "t");
	is_str(run(), "t", "not watched");
	loop_fd_set(p.w, EPOLLIN);
	close(p.fd[1]);
	is_str(run(), "xyH", "watched until the end");
	loop_del(p.w);
	close(p.fd[0]);
}

static void on_signal(void *arg, int sig)
{
	(void)arg;
	buf_printf(&trace, "s%d", sig);
	loop_stop(l);
}

static void signals(void)
{
	struct loop_watch *w = loop_signal(l, SIGUSR1, on_signal, NULL);
	sigset_t now;

	ok(w != NULL, "a signal");
	kill(getpid(), SIGUSR1);
	buf_reset(&trace);
	is_str(run(), SIGUSR1 == 10 ? "s10" : "s?", "arrives");
	kill(getpid(), SIGUSR1);
	loop_del(w);
	sigprocmask(SIG_BLOCK, NULL, &now);
	ok(sigismember(&now, SIGUSR1), "it stays blocked");
	ok(!loop_signal(l, 9999, on_signal, NULL), "no such signal");
}

static void on_child(void *arg, struct child *c)
{
	char text[64];

	(void)arg;
	ok(c->reaped, "reaped");
	buf_puts(&trace, child_status_text(c, text, sizeof text));
	child_done(c);
	loop_stop(l);
}

static void children(void)
{
	static const char *const argv[] = {"sh", "-c", "exit 4", NULL};
	struct child c = CHILD_INIT, none = CHILD_INIT;

	is_int(child_start(&c, argv, NULL, NULL), 0, "a child");
	ok(loop_child(l, &c, on_child, NULL) != NULL, "watched");
	is_str(run(), "exit status 4", "its end");
	ok(!loop_child(l, &none, on_child, NULL), "no child");
}

static struct loop_watch *first, *second;

static void turn_adds(void *text)
{
	buf_puts(&trace, text);
	loop_turn(l, note, "+");
}
static void turn_removes(void *text)
{
	buf_puts(&trace, text);
	loop_del(second);
	loop_del(first);
	loop_timer(l, 0, stop, "t");
}

static void turns(void)
{
	struct loop_watch *w;

	w = loop_turn(l, note, "E");
	loop_timer(l, 0, note, "a");
	loop_timer(l, 0, stop, "b");
	loop_timer(l, 0, note, "c");
	is_str(run(), "abE", "the end of a turn comes also when it is the last");
	loop_timer(l, 0, stop, "d");
	is_str(run(), "cdE", "at the end of each");
	loop_del(w);
	first = loop_turn(l, turn_removes, "1");
	second = loop_turn(l, note, "2");
	w = loop_turn(l, turn_adds, "3");
	loop_timer(l, 0, note, "a");
	is_str(run(), "a13t3+",
		"one that removes itself and the next; one added is for the next turn");
}

static void free_all(void *arg)
{
	buf_puts(&trace, "f");
	loop_free(arg);
}

static void alone(void)
{
	struct err e = {0};

	loop_free(l);
	loop_free(NULL);
	l = loop_new(&e);
	is_int(loop_run(l, &e), -1, "nothing to wait for");
	is_str(e.msg, "run the event loop: nothing to wait for", "says so");
	loop_timer(l, 0, free_all, l);
	loop_timer(l, 0, note, "x");
	is_str(run(), "f", "freed from inside");
}

int main(void)
{
	sigset_t now;

	l = loop_new(NULL);
	timers();
	removal();
	descriptors();
	signals();
	children();
	turns();
	alone();
	sigprocmask(SIG_BLOCK, NULL, &now);
	ok(!sigismember(&now, SIGUSR1), "no signal stays blocked");
	buf_done(&trace);
	return tap_done();
}
