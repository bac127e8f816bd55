/* SPDX-License-Identifier: MIT */
#ifndef IO_LOOP_H
#define IO_LOOP_H

/*
 * The event loop of the daemons (epoll). One thread. Callbacks run one at a time; from inside
 * any callback every function here may be called, also one that removes the very watch that is
 * running or one whose event is already pending (pending events of removed watches are dropped).
 */

#include "base/err.h"
#include "io/child.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/epoll.h>

struct loop;
struct loop_watch; /* owned by the loop; dead after its del */

struct loop *loop_new(struct err *e); /* NULL on failure */
void loop_free(
	struct loop *l); /* removes every watch; NULL is fine. Descriptors stay the caller's */

typedef void loop_fd_fn(void *arg, uint32_t events); /* EPOLLIN | EPOLLOUT | EPOLLHUP ... */
typedef void loop_fn(void *arg);
typedef void loop_signal_fn(void *arg, int sig);
typedef void loop_child_fn(void *arg, struct child *c);

struct loop_watch *loop_fd(struct loop *l, int fd, uint32_t events, loop_fd_fn *fn, void *arg);
void loop_fd_set(struct loop_watch *w, uint32_t events);
/* At the end of every turn: after the last callback of what was ready together, before the loop
 * waits again. It may call anything; what it makes ready is the next turn's. */
struct loop_watch *loop_turn(struct loop *l, loop_fn *fn, void *arg);
/* Once, after_ms from now (monotonic). The watch is dead once it fired. */
struct loop_watch *loop_timer(struct loop *l, int64_t after_ms, loop_fn *fn, void *arg);
/* A signalfd: blocks sig in this process for the loop's life. */
struct loop_watch *loop_signal(struct loop *l, int sig, loop_signal_fn *fn, void *arg);
/* When c has ended; reaped before fn runs. The watch is dead then. */
struct loop_watch *loop_child(struct loop *l, struct child *c, loop_child_fn *fn, void *arg);
void loop_del(struct loop_watch *w); /* NULL is fine */

/* Runs until loop_stop. */
int loop_run(struct loop *l, struct err *e);
void loop_stop(struct loop *l);

#endif
