/* SPDX-License-Identifier: MIT */
#ifndef AGENTS_RUN_H
#define AGENTS_RUN_H

/*
 * Runs the job of a folder in a worker process of its own and follows it: what `hilab run` stands
 * on. The worker is not bound to this process: should this one die, the worker ends its job.
 */

#include "agents/worker/journal.h"

#include <stdint.h>

struct run_opts {
	const char *dir;         /* a job folder (jobdir.h) */
	const char *exe;         /* the program that has the `worker` command; NULL: this one */
	void (*tick)(void *arg); /* called about once a second, for a live display; NULL: not */
};

/* One whole line of events.jsonl: its text without \n, its offset, and as JSON (NULL where it is
 * none). All borrowed for the call. */
typedef void run_event_fn(void *arg, const char *line, uint64_t offset, const json_t *event);

/*
 * Until the worker has ended and the board is free. The first SIGINT or SIGTERM asks it to cancel,
 * the second one kills it; where it leaves no status, the board is freed by a fresh process and
 * the status says so. fn may be NULL. 0 with *out filled whatever the verdict; -1 when no worker
 * could be started or nothing could be found out. SIGINT, SIGTERM and (unless ignored) SIGHUP stay
 * blocked afterwards: one that comes late must not keep the caller from storing what there is.
 */
int run_job(const struct run_opts *opts, run_event_fn *fn, void *arg, struct run_status *out,
	struct err *e);

#endif
