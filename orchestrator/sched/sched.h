/* SPDX-License-Identifier: MIT */
#ifndef SCHED_SCHED_H
#define SCHED_SCHED_H

/*
 * The controller's mind: which board runs which job. It knows ids, times, what a job wants and
 * what a board has; it sees no bodies, holds no socket and no console, and waits for nothing. Every
 * change goes to the store within the caller's turn (store/control.h): the caller begins a turn,
 * calls, commits, and only then answers anybody or hands out commands; after a commit that failed
 * it calls sched_reload. Two tables of allowed moves (job.c, board.c) are the only way by which a
 * state changes.
 *
 * A free board and a waiting job meet at once, inside the call that brought either. Order: health
 * checks, priority, then the submitter with the fewest boards in use, then age.
 *
 * A job of several parts begins on all its boards or on none. While it waits it holds free boards
 * back from the jobs that come after it, as long as all else that it needs is at work and so will
 * come free; not while it waits for a board that is absent, ill or leased. Its verdict: canceled
 * before incomplete before fail before pass; of several such parts the one that ended first gives
 * blame and message. A part that is incomplete by the test's blame after another one had ended
 * badly counts as its consequence, not by itself.
 *
 * A run that is incomplete by the lab's fault (blame infra) lowers its board's health, and its job
 * is queued again as long as it has had fewer than SCHED_ATTEMPTS runs. It waits for another board
 * than those that failed it, as long as one is in service. What was canceled is not tried again.
 *
 * Errors: -1 with sched_damaged(): the store failed; undo the turn, call sched_reload. Any other -1
 * changed nothing: the request was wrong (BLAME_JOB) or cannot be met now (BLAME_INFRA).
 */

#include "base/err.h"
#include "labs/lab.h"
#include "store/control.h"

#include <jansson.h>

#define SCHED_ATTEMPTS   3 /* runs of one job: two more after an infra failure */
#define SCHED_QUEUED_MAX 100000
#define SCHED_GRACE_MS   60000  /* an agent that was not heard of for so long is offline */
#define SCHED_LOST_MS    600000 /* on top of a run's timeout: then its agent's silence ends it */
#define SCHED_PARTS_MAX  16
#define SCHED_BACKOFF_MS                                                                           \
	30000 /* a board that was not good is checked again after; doubles to 1 h */

enum job_state { JOB_QUEUED, JOB_ASSIGNED, JOB_RUNNING, JOB_CANCELING, JOB_DONE, JOB_STATES };
enum board_state { BOARD_IDLE, BOARD_RESERVED, BOARD_BUSY, BOARD_LEASED, BOARD_STATES };
enum board_health {
	HEALTH_GOOD,
	HEALTH_UNKNOWN,
	HEALTH_BAD,
	HEALTH_MAINTENANCE,
	HEALTH_RETIRED,
	HEALTH_COUNT
};
const char *job_state_name(enum job_state s); /* -1, NULL: none of ours */
const char *board_state_name(enum board_state s);
const char *board_health_name(enum board_health h);
int job_state_parse(const char *name);
int board_health_parse(const char *name);
bool job_may(enum job_state from, enum job_state to);
bool board_may(enum board_state from, enum board_state to);

struct sched;

struct sched_event {      /* texts are borrowed for the call */
	const char *kind; /* "job", "run", "board", "agent", "lease", "nightly" */
	int64_t id;       /* job, run, nightly; 0: named */
	const char *name; /* board, agent; NULL: numbered */
	const char *lab;  /* whose it is, of several "lab-1,lab-2"; NULL: none yet */
	const char *submitter;
	json_t *body; /* as the API shows it; borrowed */
};
struct sched_hooks {
	void *arg;
	/* Something became different, in this turn; told to followers after the commit. NULL: not.
	 */
	void (*event)(void *arg, const struct sched_event *ev);
	bool bare; /* events are wanted without their body: it is NULL, and costs nothing */
	/* Commands wait for that agent: hand them out (sched_commands) after the commit. */
	void (*wake)(void *arg, const char *agent);
	/* Health check of a board type: the job document's path (heap), NULL: there is none.
	 * *every_ms: how long after its last check a good board is checked again; left alone:
	 * never. */
	char *(*health_job)(void *arg, const char *type, int64_t *every_ms);
	/* Compiles the document at path for the board: fills job->name, plans, wants, timeout_ms
	 * (heap, freed by the callee's arena a). -1 with e. */
	int (*compile)(void *arg, struct arena *a, const char *path, const char *board,
		struct store_job *job, struct err *e);
	/* Where the folder of a part is to be kept (heap); role NULL: of the whole run. */
	char *(*part_dir)(void *arg, int64_t run, const char *role);
	int64_t grace_ms; /* 0: SCHED_GRACE_MS */
};

/* Loads everything that is not done. types is borrowed. */
struct sched *sched_new(
	struct store *s, const struct types *types, const struct sched_hooks *h, struct err *e);
void sched_free(struct sched *s);
int sched_reload(struct sched *s, struct err *e); /* forgets, loads again; agents say hello again */
bool sched_damaged(const struct sched *s);
/* clock_ms of when sched_tick is due; -1: not before something else happens. */
int64_t sched_next_ms(const struct sched *s);
int sched_tick(struct sched *s, struct err *e); /* timeouts: queue, lease, lost agent, checks */

/* ---- agents ---- */
/*
 * An agent says what it has: {"agent","lab","version","protocol","max_jobs","boards":[{"name",
 * "type","soc","arch","twin","peripherals","tags","revision","consoles"}],"runs":[{"run","part",
 * "state":"running"|"ended","inbox":N}]}. peripherals and tags: all that the board
 * has, its type's among them; absent: its type's. runs: every folder that was not forgotten, those
 * with a status as "ended"; a run that is not in it is not there any more. Boards of it that are
 * not named any more are taken off (health and history stay). A board that another living agent has
 * is refused: named in the answer. *answer:
 * {"refused":[{"board","why"}],"forget":[{"run","part"}]}; a new reference. Everything that the
 * agent must still do comes by sched_commands afterwards.
 */
int sched_hello(struct sched *s, const json_t *hello, json_t **answer, struct err *e);
/*
 * Any request of it. BLAME_JOB: it has to say hello first, as after a restart of the server, and
 * after a run of it was given up: the hello says whether the run is there (its board comes free
 * when it ends) or not (the board is free). Otherwise one that was silent, however long, is simply
 * back: its commands have waited for it, none was lost.
 */
int sched_seen(struct sched *s, const char *agent, struct err *e);
/*
 * What the agent has to do, as a list with rising "seq"; those up to ack are dropped. NULL:
 *nothing.
 *	{"seq","do":"start","run","part","role","board","plan":{...},"lease":bool}
 *	{"seq","do":"cancel","run","part","why"}    one that never came here ends as canceled
 *	{"seq","do":"inbox","run","part","n":SEQ,"line":{...}}      see agents/worker/inbox.h
 *	{"seq","do":"forget","run","part"}     all of it is stored here: its folder may go
 * Every one may come again after a restart of either side: doing it twice does nothing.
 */
json_t *sched_commands(struct sched *s, const char *agent, int64_t ack);

/* ---- jobs ---- */
/*
 * job->plans: JSON list [{"role": NULL or name, "plan": plan_to_json}]; job->wants: the list of
 * their matches in the same order, each with the "labs" that its board may be in (absent: any);
 * kind, name, submitter, priority, timeouts, text, params set by the caller. Fills job->id. A job
 * that no board of the estate could ever take is accepted with a reason that it waits for (the
 * board may be announced later).
 */
int sched_submit(struct sched *s, struct store_job *job, struct err *e);
/* 0 done or under way; -1 with BLAME_JOB: there is no such job, or it is over. */
int sched_cancel(struct sched *s, int64_t job, const char *who, struct err *e);
/* labs: those that it may run in now, a list of names; NULL: as before. */
/* What is submitted to run that job once more, with all texts in a: no submitter yet, and what else
 * is to differ is the caller's to set. */
struct store_job sched_again(struct arena *a, const struct store_job *job);
int sched_retry(struct sched *s, int64_t job, const char *who, const json_t *labs, int64_t *again,
	struct err *e);
/* Adds why a queued job waits: "2 boards of type 'x' are busy; the first is due in 3 min". */
void sched_waits(const struct sched *s, int64_t job, struct buf *out);

/* ---- what comes out of the agents' folders ---- */
int sched_part_started(struct sched *s, int64_t run, unsigned part, struct err *e);
/* An event of the worker that is for the other parts (barrier, message), or tells of power. Again
 * with an event already seen does nothing: (run, part, offset) is its identity. */
int sched_part_event(struct sched *s, int64_t run, unsigned part, uint64_t offset,
	const json_t *event, struct err *e);
/*
 * The worker is gone and this is its status. One that comes after the run was given up is taken
 * too: the run's verdict becomes what it says, its message says what was believed before, the audit
 * keeps both (subject "run N"). So does the verdict of its job, when that was last in this run and
 * ended incomplete, or waits for another attempt, which is not needed then. A job that somebody
 * canceled, and one whose next attempt has begun, go by that. "canceled" says nothing new of a run
 * that was told to stop because it was given up.
 */
int sched_part_ended(
	struct sched *s, int64_t run, unsigned part, const json_t *status, struct err *e);
/* Whose folder is that? false: not known, or ended. */
bool sched_part_open(const struct sched *s, int64_t run, unsigned part, const char *agent);

/* ---- boards ---- */
int sched_board_health(struct sched *s, const char *board, enum board_health h, const char *reason,
	const char *who, struct err *e);
int sched_board_check(struct sched *s, const char *board, const char *who, int64_t *job,
	struct err *e); /* a health check now */

/*
 * ---- leases: a job of kind "lease" on that very board, whose plan is a session ----
 * Events of kind "lease" say in "state": "begun" (the board is its owner's), "up" (the session
 * runs), "renewed", "over" (streams are to be cut now), "ended" (the board is free).
 */
struct sched_reserve {
	const char *board, *owner, *why;
	int64_t for_ms,
		hard_ms;    /* until it must be renewed; 0 hard_ms: no longer than the maximum */
	bool wait;          /* else a board that is not idle is refused, with the holder named */
	bool take_over;     /* ends the lease of another owner (operators) */
	const json_t *labs; /* in which the board must be then, too; NULL: any */
};
#define LEASE_FOR_MS  ((int64_t)3600 * 1000)
#define LEASE_HARD_MS ((int64_t)24 * 3600 * 1000)
int sched_lease(struct sched *s, const struct sched_reserve *r, int64_t *job, struct err *e);
int sched_lease_renew(struct sched *s, const char *board, const char *owner, int64_t for_ms,
	int64_t *until_ms, struct err *e);
int sched_lease_end(struct sched *s, const char *board, const char *who, struct err *e);
/* Sends a line into the session of the board's lease (inbox.h). BLAME_JOB: it has none. Typed bytes
 * are not stored: they go out by wake/commands at once and are lost when the agent is not there.
 * line is kept; its "n" is set, by which an event may answer it. BLAME_INFRA: its session or its
 * agent is not there. */
int sched_lease_do(struct sched *s, const char *board, json_t *line, struct err *e);
struct sched_holder { /* of a board; texts borrowed until the next change */
	int64_t job, run;
	const char *owner;      /* NULL: nobody */
	bool lease, session_up; /* the session's worker runs */
	int64_t until_ms;
};
bool sched_holder(const struct sched *s, const char *board, struct sched_holder *out);

/* ---- views: new references, as the API shows them ---- */
json_t *sched_board_json(const struct sched *s, const char *board); /* NULL: no such board */
json_t *sched_boards_json(const struct sched *s);
json_t *sched_agents_json(const struct sched *s);
json_t *sched_job_json(const struct sched *s, int64_t job); /* open jobs only; with "waits" */
/* {"queued": n, "running": n, "boards": {"idle": ..}, "agents": {"online": ..}} */
json_t *sched_counts_json(const struct sched *s);

#endif
