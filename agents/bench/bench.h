/* SPDX-License-Identifier: MIT */
#ifndef AGENTS_BENCH_BENCH_H
#define AGENTS_BENCH_BENCH_H

/*
 * What every bench driver stands on: the worker's one object, with the stack of deadlines, the
 * one wait, cancel, and variables. A worker has exactly one; it dies with the process.
 *
 * Every wait for anything outside the process goes through bench_wait, so that the nearest
 * deadline and a cancel end it wherever it is. While `releasing` is set cancel is no longer
 * looked at and only deadlines pushed since then count: release steps always run, bounded.
 */

#include "base/buf.h"
#include "base/err.h"
#include "base/map.h"
#include "base/str.h"

#include <jansson.h>
#include <poll.h>
#include <stdbool.h>
#include <stdint.h>

#define BENCH_DEADLINES 8  /* job, step, connection, and a few to spare */
#define BENCH_PUMPS     16 /* consoles of a board, and what else must always be served */

struct deadline {
	const char *what; /* "job", "step 'boot'"; borrowed */
	int64_t at_ms;    /* monotonic */
	int64_t length_ms;
};

/* Called by bench_wait for descriptors that must be served whatever is waited for (consoles). */
typedef int bench_pump_fn(void *arg, short revents, struct err *e);

struct bench {
	struct deadline deadlines[BENCH_DEADLINES];
	unsigned n_deadlines;
	unsigned release_base; /* deadlines below this index do not count while releasing */
	bool releasing;
	bool canceled;
	int cancel_fd; /* a signalfd for SIGTERM and SIGINT; -1: none */
	struct {
		int fd;
		bench_pump_fn *fn;
		void *arg;
	} pumps[BENCH_PUMPS];
	unsigned n_pumps;
	/* Set by the worker: see bench_inquire. */
	int (*inquiry)(void *arg, struct err *e);
	void *inquiry_arg;
	bool inquiry_due, inquiring;
	/* Journal: takes the reference to event; NULL: dropped. Set by the worker. */
	void (*journal)(void *arg, json_t *event);
	void *journal_arg;
	struct map vars; /* name -> heap text, owned; see bench_var_set */
};

void bench_init(struct bench *b); /* cancel_fd is -1 until set */
void bench_done(struct bench *b);

/* Nested deadlines. timeout_ms from now. what is borrowed until the pop. */
void bench_push(struct bench *b, const char *what, int64_t timeout_ms);
void bench_pop(struct bench *b);
/* Milliseconds to the nearest deadline that counts (>= 0), INT64_MAX when there is none. */
int64_t bench_left_ms(const struct bench *b);
/* From now on cancel is ignored and the deadlines pushed so far no longer count. */
void bench_release_begin(struct bench *b);

/*
 * The one wait: until one of fds is ready, or timeout_ms (INT64_MAX: no own limit) has passed.
 * All pumps are served meanwhile. Returns the number of ready fds, 0 when timeout_ms passed, or -1:
 * a deadline (BLAME_TIMEOUT, "step 'boot': not done in 30 s"), a cancel (BLAME_CANCEL) or a pump's
 * error.
 */
int bench_wait(struct bench *b, struct pollfd *fds, unsigned n, int64_t timeout_ms, struct err *e);
/* Waits for at least one pump to be served, or timeout_ms. 1 served, 0 timeout, -1 as above. */
int bench_wait_pump(struct bench *b, int64_t timeout_ms, struct err *e);
/* Waits ms, serving everything. */
int bench_pause(struct bench *b, int64_t ms, struct err *e);

void bench_pump_add(struct bench *b, int fd, bench_pump_fn *fn, void *arg);
void bench_pump_del(struct bench *b, int fd);

/* A journal event {"kind": kind, ...}: fields as for json_pack's object, its braces may be left
 * out ("s:s, s:I"); b->journal may be NULL. */
void bench_event(struct bench *b, const char *kind, const char *fields, ...);
/* A "note" event, for people who follow. */
void bench_note(struct bench *b, const char *fmt, ...) PRINTF(2, 3);

/*
 * Something of the bench went away: the wait that goes on, or the next one, calls `inquiry` once,
 * outside of all pumps, so that it may itself wait; -1 ends the wait with its error. Not while it
 * already asks, nor while releasing.
 */
void bench_inquire(struct bench *b);

/* Variables of the run ("image.kernel", "net.server"): set by deploy, board and build; used by boot
 * commands and steps as ${name}. */
void bench_var_set(struct bench *b, const char *name, const char *value);
const char *bench_var_find(const struct bench *b, const char *name);
/* Text with each ${name} replaced; `$${` gives `${`. An unknown name is an error (blame job) that
 * offers the nearest. */
int bench_expand(const struct bench *b, const char *text, struct buf *out, struct err *e);

#endif
