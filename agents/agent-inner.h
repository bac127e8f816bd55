/* SPDX-License-Identifier: MIT */
#ifndef AGENTS_AGENT_INNER_H
#define AGENTS_AGENT_INNER_H

/* What the files of the agent share: one struct for the daemon, one for each folder. */

#include "agents/agent.h"
#include "agents/sync.h"
#include "agents/worker/journal.h"
#include "base/map.h"
#include "base/vec.h"
#include "io/http-client.h"
#include "labs/lab.h"

#include <jansson.h>

#define AGENT_SELF    "/proc/self/exe"
#define AGENT_FREE_MS 60000 /* for freeing the board of a dead worker */
#define AGENT_TICK_MS 1000
#define AGENT_PLAN    "plan.json"
#define AGENT_START   "start.json" /* the command, where its blobs are still to be fetched */

/*
 * A folder from the command that made it to its removal:
 *
 *	preparing   a child fetches what the plan names by digest
 *	waiting     all is there; for its board, or for one of the max_jobs places
 *	running     its worker runs
 *	freeing     the worker died without a status: a child frees the board and writes one
 *	ended       status is there and is being shipped
 *	shipped     the controller has everything
 *
 * and out once the controller said forget: to ENDED, of which the last few are kept.
 */
enum run_state { RUN_PREPARING, RUN_WAITING, RUN_RUNNING, RUN_FREEING, RUN_ENDED, RUN_SHIPPED };

struct agent_run { /* owned by agent.runs */
	struct agent *agent;
	int64_t run;
	unsigned part;
	char *dir;
	char *board; /* NULL: not known, it never gets one */
	enum run_state state;
	struct child child; /* preparing, running (ours or adopted), freeing */
	struct loop_watch *watch, *timer;
	bool canceled, killed, forgotten;
	/* A status that could not be written yet (disk full), tried again each tick. */
	struct run_status *unsaid;
};

/* One of the three requests: at most one of each is under way. */
struct agent_line {
	struct http_sent *sent;
	struct loop_watch *again; /* a wait before the next try */
	unsigned failures;        /* in a row */
};

struct agent {
	const struct agent_opts *opts;
	char *name, *dir, *runs_dir, *ended_dir, *cache_dir;
	int lock_fd;
	struct loop *loop;
	struct types types;
	struct lab lab;
	struct sync *sync;
	struct map runs; /* "RUN-PART" -> struct agent_run */
	size_t unsaid;   /* of them */
	bool choosing;   /* runs_next is at work */

	/* link.c */
	struct http_client *client;
	bool up;              /* requests may be made of it */
	char *server, *token; /* what client was made of */
	struct agent_line connect, hello, poll, sync_line;
	bool greeted; /* the last hello was answered well since the client was made */
	bool heard;   /* the controller answered something lately: for the log */
	int64_t ack, hello_ms, poll_ms, sync_ms; /* when the last ones went out */
	int64_t poll_s;
	struct buf sync_body, poll_body, hello_body;
	struct loop_watch *tick;
	bool stopping;
};

/* ---- announce.c ---- */
/* What a hello says: names of what is there, no address and no secret. A new reference. */
json_t *agent_announce(const struct agent *a);

/* ---- runs.c ---- */
/* Every one may come again: twice is as once. */
void runs_start(struct agent *a, const json_t *command);
void runs_cancel(struct agent *a, int64_t run, unsigned part, const char *why);
void runs_inbox(struct agent *a, int64_t run, unsigned part, int64_t n, const json_t *line);
void runs_forget(struct agent *a, int64_t run, unsigned part);
/* All folders of DIR, after a start. */
int runs_adopt(struct agent *a, struct err *e);
void runs_tick(struct agent *a);
/* What sync tells: a sync_end_fn. */
void runs_shipped(void *agent, int64_t run, unsigned part, enum sync_end how);
void runs_done(struct agent *a); /* lets go of all; workers go on */
const char *run_state_name(enum run_state s);

/* ---- worker.c: the processes of a folder ---- */
void run_prepare(struct agent_run *r);
void run_work(struct agent_run *r);
void run_free_board(struct agent_run *r);
void run_watch(struct agent_run *r, enum run_state state); /* r->child, which runs */
void run_stop(struct agent_run *r); /* SIGTERM, and SIGKILL when that was not enough */

/* ---- runs.c, for worker.c ---- */
void run_prepared(struct agent_run *r);
/* status is there. */
void run_ended(struct agent_run *r);
/* Ends a run that has no worker (any more) by writing its status. */
void run_fail(struct agent_run *r, enum verdict v, enum err_blame blame, const char *fmt, ...)
	PRINTF(4, 5);
/* Starts whoever waits and may run now. */
void runs_next(struct agent *a);

/* ---- folders.c ---- */
char *folder_path(const char *parent, int64_t run, unsigned part);
/* "17-0" -> 17, 0. */
bool folder_parse(const char *name, int64_t *run, unsigned *part);
/* Writes board.json and plan.json, or start.json in the place of the plan. */
int folder_make(const char *dir, const json_t *plan, bool later, const struct lab *lab,
	const struct board *board, struct err *e);
/* Does the plan name files by digest that must be fetched first? */
bool folder_needs_blobs(const json_t *plan);
/* Out of the way of the runs; keeps the newest keep of those that ended. */
int folder_retire(const char *dir, const char *ended_dir, struct err *e);
void folder_prune(const char *ended_dir, size_t keep);
int64_t folder_free_bytes(const char *dir);

/* ---- procs.c ---- */
/* Our processes that work in a folder ("worker DIR", "worker --release DIR"), found anew after a
 * restart: DIR -> pid. */
struct procs {
	struct map by_dir; /* -> (void *)(intptr_t)pid */
};
void procs_scan(struct procs *p, const char *parent);
void procs_done(struct procs *p);
/* Takes hold of the process of that folder: true with *c filled. */
bool procs_take(const struct procs *p, const char *dir, struct child *c);

/* ---- link.c ---- */
void link_start(struct agent *a);
void link_stop(struct agent *a);
void link_hello(struct agent *a); /* (again) */
void link_sync(struct agent *a);  /* if there is something to ship and nothing under way */

#endif
