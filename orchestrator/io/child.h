/* SPDX-License-Identifier: MIT */
#ifndef IO_CHILD_H
#define IO_CHILD_H

/*
 * Child processes by posix_spawn, always from an argv, never through a shell. A child gets its
 * own process group (so that all it starts can be killed with it), default signal dispositions,
 * an empty signal mask and no descriptors but the three named (ours are O_CLOEXEC throughout).
 */

#include "base/buf.h"
#include "base/err.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct child_opts {
	int in, out, err; /* descriptors to give it as 0, 1, 2; -1: /dev/null. Not closed for the
			     caller */
	const char *dir;  /* working folder, NULL: ours */
	const char *const *env; /* extra "K=V", NULL-ended; NULL: none */
	bool die_with_us;       /* (the child gets SIGKILL when the spawning process ends) only for
				   programs that must not outlive it */
};
#define CHILD_OPTS                                                                                 \
	{                                                                                          \
		.in = -1, .out = -1, .err = -1                                                     \
	}

struct child {
	pid_t pid;  /* 0: none */
	int pidfd;  /* readable when it has ended; -1: none */
	int status; /* wait status once reaped */
	bool reaped;
};
#define CHILD_INIT                                                                                 \
	{                                                                                          \
		.pidfd = -1                                                                        \
	}

/* argv is NULL-ended; argv[0] is looked up in PATH when it has no slash. A program that is not
 * there is an error here, not in the child. */
int child_start(
	struct child *c, const char *const *argv, const struct child_opts *o, struct err *e);
/* Reaps if it has ended: 1 ended, 0 still running. */
int child_poll(struct child *c);
/* Signals its process group. */
void child_signal(struct child *c, int sig);
/* Waits at most ms, then SIGTERM, then after grace_ms SIGKILL; reaped when this returns. */
void child_stop(struct child *c, int64_t grace_ms);
/* Frees the struct's descriptors; kills and reaps a child that still runs. */
void child_done(struct child *c);
/* "exit status 3", "killed by signal 9 (SIGKILL)". Returns out. */
char *child_status_text(const struct child *c, char *out, size_t n);

/*
 * Runs to its end with output gathered. Deadline passed: killed, BLAME_TIMEOUT. The exit status
 * goes to *status (-signal when killed); a non-zero status is no error here. out, err_out may be
 * NULL (dropped); a child that prints past their caps is killed (BLAME_INFRA).
 */
int child_run(const char *const *argv, const struct child_opts *o, int64_t timeout_ms,
	struct buf *out, struct buf *err_out, int *status, struct err *e);

#endif
