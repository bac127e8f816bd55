/* SPDX-License-Identifier: MIT */
/*
 * The processes of a run: one that fetches, the worker, one that frees the board. Invariant: one at
 * a time works in a folder, none of them is tied to this process but the one that fetches, and when
 * the last has gone the folder holds a status.
 */
#include "agents/agent-inner.h"

#include "base/fs.h"
#include "base/log.h"
#include "base/mem.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define LOG_FILE "worker.log"

static bool has_status(const struct agent_run *r)
{
	AUTOFREE char *path = fs_join(r->dir, "status");

	return fs_exists(path);
}

/* What a worker says outside its journal, and those that help it, goes behind what is there. */
static int start(struct agent_run *r, const char *const *argv, bool tied, const char *const *env,
	struct err *e)
{
	AUTOFREE char *path = fs_join(r->dir, LOG_FILE);
	AUTOCLOSE int log = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
	struct child_opts o = CHILD_OPTS;

	o.out = o.err = log;
	o.die_with_us = tied;
	o.env = env;
	return child_start(&r->child, argv, &o, e);
}

/* ---- ends ---- */

static void prepared(struct agent_run *r, const char *how)
{
	AUTOFREE char *plan = fs_join(r->dir, AGENT_PLAN);

	if (has_status(r))
		run_ended(r);
	else if (r->canceled)
		run_fail(r, VERDICT_CANCELED, BLAME_CANCEL, "canceled before it started");
	else if (fs_exists(plan))
		run_prepared(r);
	else
		run_fail(
			r, VERDICT_INCOMPLETE, BLAME_BUG, "what fetches the images ended: %s", how);
}

static void worker_gone(struct agent_run *r, const char *how)
{
	struct procs procs = {0};
	bool another;

	if (has_status(r)) {
		run_ended(r);
		return;
	}
	/* It may have found that one of an agent before us works here already. */
	procs_scan(&procs, r->agent->runs_dir);
	another = procs_take(&procs, r->dir, &r->child);
	procs_done(&procs);
	if (another) {
		run_watch(r, RUN_RUNNING);
		return;
	}
	log_warn("run %lld: its worker left no status (%s)", (long long)r->run, how);
	run_free_board(r);
}

static void freed(struct agent_run *r, const char *how)
{
	if (has_status(r))
		run_ended(r);
	else
		run_fail(r, VERDICT_INCOMPLETE, BLAME_BUG,
			"the worker died and its board could not be freed (%s): see %s", how,
			LOG_FILE);
}

static void on_gone(void *run, struct child *c)
{
	struct agent_run *r = run;
	enum run_state was = r->state;
	char how[64];

	child_status_text(c, how, sizeof how);
	r->watch = NULL;
	loop_del(r->timer);
	r->timer = NULL;
	child_done(c);
	if (was == RUN_PREPARING)
		prepared(r, how);
	else if (was == RUN_FREEING)
		freed(r, how);
	else
		worker_gone(r, how);
}

void run_watch(struct agent_run *r, enum run_state state)
{
	r->state = state;
	r->watch = loop_child(r->agent->loop, &r->child, on_gone, r);
	if (r->watch)
		return;
	/* No descriptor left for the loop. The worker may well go on; its folder is adopted by the
	 * next agent, which is a better end than one that lets a run fall. */
	log_error("run %lld: its process cannot be watched", (long long)r->run);
	abort();
}

/* ---- starts ---- */

void run_prepare(struct agent_run *r)
{
	const struct agent *a = r->agent;
	AUTOFREE char *max =
		mem_printf("HILAB_CACHE_MAX=%lld", (long long)a->opts->cache_max_bytes);
	const char *env[] = {a->opts->cache_max_bytes ? max : NULL, NULL};
	const char *argv[12] = {AGENT_SELF, "agent", "--prepare", r->dir, "--dir", a->dir};
	size_t n = 6;
	struct err e = {0};

	if (a->opts->server) {
		argv[n++] = "--server";
		argv[n++] = a->opts->server;
	}
	if (a->opts->token_file) {
		argv[n++] = "--token-file";
		argv[n++] = a->opts->token_file;
	}
	if (a->opts->ca) {
		argv[n++] = "--ca";
		argv[n++] = a->opts->ca;
	}
	if (start(r, argv, true, env, &e))
		run_fail(r, VERDICT_INCOMPLETE, BLAME_INFRA, "fetch the images: %s", e.msg);
	else
		run_watch(r, RUN_PREPARING);
}

void run_work(struct agent_run *r)
{
	const char *argv[] = {AGENT_SELF, "worker", r->dir, NULL};
	struct err e = {0};

	if (start(r, argv, false, NULL, &e))
		run_fail(r, VERDICT_INCOMPLETE, BLAME_INFRA, "start a worker: %s", e.msg);
	else
		run_watch(r, RUN_RUNNING);
}

static void too_slow(void *run)
{
	struct agent_run *r = run;

	r->timer = NULL;
	child_signal(&r->child, SIGKILL);
}

void run_free_board(struct agent_run *r)
{
	const char *argv[] = {
		AGENT_SELF, "worker", "--release", r->dir, r->canceled ? "--canceled" : NULL, NULL};
	struct err e = {0};

	if (start(r, argv, false, NULL, &e)) {
		run_fail(r, VERDICT_INCOMPLETE, BLAME_INFRA, "free the board of a dead worker: %s",
			e.msg);
		return;
	}
	run_watch(r, RUN_FREEING);
	r->timer = loop_timer(r->agent->loop, AGENT_FREE_MS, too_slow, r);
}

static void not_obeyed(void *run)
{
	struct agent_run *r = run;

	log_warn("run %lld: its worker does not end: killed", (long long)r->run);
	too_slow(r);
}

void run_stop(struct agent_run *r)
{
	if (r->state == RUN_FREEING)
		return; /* as fast as it can be */
	child_signal(&r->child, SIGTERM);
	if (!r->timer)
		r->timer = loop_timer(r->agent->loop, r->agent->opts->kill_after_ms, not_obeyed, r);
}
