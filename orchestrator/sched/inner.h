/* SPDX-License-Identifier: MIT */
#ifndef SCHED_INNER_H
#define SCHED_INNER_H

/*
 * What the files of this room share. Nobody starts anything in the middle of a change: what came
 * free or came in is noted (sched_offer, sched_place, sched_slot) and sched_settle, the last thing
 * that every verb does, brings boards and jobs together.
 */

#include "ids.h"
#include "sched.h"

#include "agents/worker/inbox.h"

#include "base/heap.h"
#include "base/map.h"
#include "base/vec.h"
#include "base/verdict.h"

#define BACKOFF_MAX_MS ((int64_t)3600 * 1000)
#define COMMANDS_MAX   64                          /* handed out at once */
#define COMMANDS_BYTES ((size_t)4 << 20)           /* of plans in them, but for the last */
#define TYPED_MAX      256                         /* typed lines that wait for an agent */
#define CLASSES_KEPT   1024                        /* that no job is in any more */
#define BARRIERS_MAX   256                         /* of one run */
#define INBOX_MAX      100000                      /* lines into one part */
#define BOARDS_MAX     8192                        /* of one agent */
#define LOOK_MAX       256                         /* boards looked at for one part of several */
#define CHECK_WAITS_MS ((int64_t)24 * 3600 * 1000) /* a health check for its board */
#define AGENTS_MAX     1024
#define TELL_WAITS_MAX 64 /* with more jobs queued an event does not say what its job waits for */
#define SCHED_SELF     "hilab"       /* who submits what nobody asked for */
#define CANCEL_MS      SCHED_LOST_MS /* for a canceled run to end; then it is given up */

enum job_kind { KIND_JOB, KIND_LEASE, KIND_HEALTH };
enum board_list { LIST_NONE, LIST_IDLE, LIST_HELD };
enum part_state { PART_ASSIGNED, PART_RUNNING, PART_ENDED };
enum timer_kind { TIMER_JOB, TIMER_LEASE, TIMER_AGENT, TIMER_BOARD };

struct timer {
	struct heap_item item; /* key: clock_ms at which it is due */
	enum timer_kind kind;
};

struct sched_agent;
struct sched_board;
struct sched_job;
struct sched_run;

struct account { /* a submitter */
	char *name;
	unsigned in_use; /* boards that jobs and leases of it have */
};

/* ---- boards that nobody could tell apart but by name, and what could run on them ---- */

struct pool { /* boards alike, of one agent */
	struct alike *alike;
	struct sched_agent *agent;
	struct sched_board *idle, *idle_last; /* free for any job, longest idle first */
	struct sched_board *held, *held_last; /* free, held back for a job of several parts */
	VEC(struct sched_board *) boards;
};
struct alike {
	char *key;
	struct arena arena;
	struct board board; /* labs' view, without a name */
	const char *lab;    /* in which they are; NULL: not known */
	VEC(struct pool *) pools;
	VEC(struct class *) classes; /* that ask for boards like these */
};
struct want { /* what one part asks for */
	struct match match;
	bool bound; /* to labs, those and no others */
	struct param_strings labs;
	struct sched_board *pin;    /* match names it; NULL: no name */
	VEC(struct alike *) alikes; /* those that match; none with a pin */
};
struct queue { /* jobs of a class, one priority and submitter, oldest first */
	int priority;
	struct account *who;
	struct sched_job *first, *last;
};
struct class
{ /* jobs that ask for the same */
	char *key;
	struct arena arena;
	enum job_kind kind;
	unsigned n; /* parts */
	struct want *wants;
	VEC(struct queue) queues; /* none of them empty */
	size_t n_jobs;            /* queued */
	size_t n_open;            /* all that are not done */
};

/* ---- jobs and runs ---- */

struct sched_job {
	int64_t id;
	enum job_state state; /* by job_move alone */
	enum job_kind kind;
	int priority, attempts;
	char *name, *build, *params; /* build NULL: none */
	char **roles;                /* one a part; NULL: a job of one part */
	struct account *who;
	struct class *class;
	int64_t timeout_ms, queue_timeout_ms, submitted_ms;
	int64_t nightly, retry_of;
	int64_t runs[SCHED_ATTEMPTS];
	struct sched_run *run; /* NULL: queued, done */
	struct sched_job *next, *prev;
	bool in_queue, fresh;
	char *canceled_by;
	char *why; /* of the cancel */
	struct lease *lease;
	struct sched_board *check; /* KIND_HEALTH: of which board */
	VEC(struct sched_board *) avoid, holds;
	struct timer timer; /* queue timeout, end of patience with the run */
};

struct lease {
	struct sched_job *job;
	char *board, *why;
	int64_t for_ms, hard_for_ms;
	int64_t until_ms, hard_ms; /* wall; 0: not begun */
	struct timer timer;
};

struct sched_part {
	struct sched_run *run;
	unsigned at;
	enum part_state state;
	bool stored;
	bool lost;     /* ended here, but its agent never said so: the board is not free */
	bool stopping; /* its agent was told to cancel it */
	struct sched_agent *agent;
	struct sched_board *board;
	char *role; /* NULL: a job of one part */
	char *dir;
	int verdict; /* enum verdict; -1: not yet */
	enum err_blame blame;
	char *message;
	const char *power; /* "on", "off", "unknown"; NULL: no status came */
	int64_t assigned_ms, started_ms, ended_ms;
	uint64_t seen;   /* events below this offset are done with */
	int64_t inbox_n; /* of the last line sent or known to be there */
	unsigned order;  /* in which it ended, from 1 */
};
struct barrier {
	char *name;
	uint32_t reached[SCHED_PARTS_MAX]; /* how often, by part */
	uint32_t opened;                   /* how often all were there */
};
struct sched_run {
	int64_t id;
	int64_t job_id;
	struct sched_job *job; /* NULL: given up, parts that are lost remain */
	VEC(struct barrier) barriers;
	unsigned n, n_ended;
	struct sched_part parts[];
};

/* ---- the estate ---- */

struct command {
	int64_t seq;
	const char *what; /* "start", "cancel", "inbox", "forget" */
	int64_t run;
	unsigned part;
	int64_t n;    /* inbox: of the line */
	json_t *line; /* inbox: typed, not stored; NULL: in the store */
	char *why;    /* cancel */
	bool sent;
};
struct sched_agent {
	char *name, *lab, *version;
	int64_t protocol, max_jobs, first_ms;
	int64_t seen_ms;  /* wall, for people */
	int64_t seen_at;  /* clock_ms */
	bool known;       /* said hello since this program has state and lost no run of it */
	bool online;      /* known, and heard of lately */
	unsigned n_parts; /* that it has; lost ones too */
	unsigned n_typed;
	bool slot;                        /* in sched->slots */
	VEC(struct sched_board *) boards; /* announced */
	VEC(struct pool *) pools;
	VEC(struct command) commands;
	struct timer timer;
};
struct sched_board {
	char *name;
	struct sched_agent *agent; /* NULL: known by its name only */
	bool present;              /* that agent announces it */
	char *lab, *type;
	json_t *announced;
	struct alike *alike;
	struct pool *pool; /* NULL: not present */
	enum board_health health;
	char *reason, *who;
	int64_t since_ms, checked_ms;
	const char *power;
	enum board_state state;  /* by board_move alone */
	struct sched_part *part; /* that has it */
	struct sched_job *held;  /* for which it is held back */
	struct sched_job *check; /* its health check that is queued or runs */
	bool checkable;          /* its type has a health check */
	bool stored, offered, passed, named;
	VEC(struct class *) pins;        /* classes that ask for this very board */
	struct sched_board *next, *prev; /* in pool->idle or ->held */
	enum board_list list;
	unsigned mark;      /* of the search for several boards */
	struct timer timer; /* next health check */
};

struct sched {
	struct store *store;
	const struct types *types;
	struct sched_hooks hooks;
	struct ids jobs, runs;
	struct map agents, boards, accounts, classes, alikes;
	struct heap timers;
	size_t n_queued;
	size_t n_empty; /* classes that no job is in */
	int64_t seq;    /* of the last command */
	unsigned mark;
	bool damaged; /* a verb of the store failed: only a reload helps */
	VEC(struct sched_board *) offers;
	VEC(struct sched_agent *) slots;
	VEC(struct sched_job *) fresh;
	VEC(struct sched_job *) again;   /* queued, and avoid boards */
	VEC(struct sched_job *) holders; /* queued, and boards are held for them */
};

/* ---- sched.c ---- */
void sched_offer(struct sched *s, struct sched_board *b);         /* may have come free */
void sched_slot(struct sched *s, struct sched_agent *a);          /* may have room for one more */
void sched_place(struct sched *s, struct sched_job *job);         /* queued: is there a board? */
void sched_share(struct sched *s, struct account *who, int more); /* boards in use */
/* A board is not what it was: jobs that hold or avoid boards think again. */
void sched_rethink(struct sched *s);
int sched_settle(struct sched *s, struct err *e);
void sched_timer(struct sched *s, struct timer *t, enum timer_kind kind, int64_t in_ms);
void sched_timer_stop(struct sched *s, struct timer *t);
/* -1, and remembers that memory and store differ. */
int sched_store_failed(struct sched *s);
struct account *sched_account(struct sched *s, const char *name);

/* ---- class.c ---- */
/* The class of a list of matches; NULL with e (BLAME_JOB). */
struct class *class_get(struct sched *s, enum job_kind kind, const char *wants, struct err *e);
void class_free(struct class *c);
void class_open(struct sched *s, struct class *c); /* one more open job is of it */
void class_close(struct sched *s, struct class *c);
void alike_free(struct alike *k);
void queue_add(struct sched *s, struct sched_job *job);
void queue_del(struct sched *s, struct sched_job *job);
/* Comes a before b? */
bool job_before(const struct sched_job *a, const struct sched_job *b);
bool job_avoids(const struct sched_job *job, const struct sched_board *b);
/* It avoids the board, and there is another one to wait for. */
bool job_refuses(const struct sched_job *job, const struct sched_board *b);
/* The first job of the class that does not refuse the board; NULL: none. */
struct sched_job *class_best(const struct class *c, const struct sched_board *b);
/* Puts the board where its announcement says, or nowhere (not present). */
void board_join(struct sched *s, struct sched_board *b);
void board_leave(struct sched *s, struct sched_board *b);
bool want_fits(const struct sched *s, const struct want *w, const struct sched_board *b);
bool want_in(const struct want *w, const char *lab); /* may its boards be of that lab? */

/* ---- board.c ---- */
int board_move(struct sched *s, struct sched_board *b, enum board_state to, struct err *e);
/* Puts it among the idle or held ones of its pool, or takes it out. */
void board_list(struct sched *s, struct sched_board *b);
bool board_serves(const struct sched_board *b); /* its health lets ordinary jobs on */
bool board_free(const struct sched_board *b);   /* idle, there, nobody's; its agent online */
/* May a job of that kind have it now, but for the agent's limit and who it is held for? */
bool board_takes(const struct sched_board *b, const struct sched_job *job);
bool agent_room(const struct sched_agent *a);
struct sched_board *sched_board_named(struct sched *s, const char *name); /* made when absent */
const char *power_word(const char *word); /* "on", "off", or "unknown" for all else */
int board_power(struct sched *s, struct sched_board *b, const char *power, struct err *e);
int board_save(struct sched *s, struct sched_board *b, struct err *e);
int board_set_health(struct sched *s, struct sched_board *b, enum board_health h,
	const char *reason, const char *who, struct err *e);
/* What a run on it says of its health. */
int board_judge(struct sched *s, struct sched_part *p, bool check, struct err *e);
void board_free_memory(struct sched *s, struct sched_board *b);

/* ---- check.c ---- */
void check_plan(struct sched *s, struct sched_board *b); /* when is the next one due */
int check_due(struct sched *s, struct sched_board *b, struct err *e);

/* ---- choose.c ---- */
int choose_for_board(struct sched *s, struct sched_board *b, struct err *e);
int choose_for_agent(struct sched *s, struct sched_agent *a, struct err *e);
int choose_for_job(struct sched *s, struct sched_job *job, struct err *e);

/* ---- several.c: jobs of several parts ---- */
/* 1 started, 0 it waits (and may hold boards back), -1. */
int several_try(struct sched *s, struct sched_job *job, struct err *e);
void several_release(struct sched *s, struct sched_job *job); /* what it holds */
void several_drop(struct sched *s, struct sched_board *b);    /* b is not held any more */

/* ---- job.c ---- */
extern const char *const job_kind_names[];
struct job_end {
	const char *verdict, *message;
	enum err_blame blame;
	int64_t ended_ms;
};
int job_move(struct sched *s, struct sched_job *job, enum job_state to, struct err *e);
/* A new job into store and queue; fills row->id. out may be NULL. Nothing is started yet. */
int job_submit(struct sched *s, struct store_job *row, struct sched_job **out, struct err *e);
int job_save(struct sched *s, struct sched_job *job, struct err *e);
int job_end(struct sched *s, struct sched_job *job, const struct job_end *end, struct err *e);
/* Makes the job of a row; not in the queue yet. */
struct sched_job *job_of(struct sched *s, const struct store_job *row, struct err *e);
int job_set_roles(struct sched_job *job, const char *plans, struct err *e);
void job_free(struct sched *s, struct sched_job *job);
void job_queue(struct sched *s, struct sched_job *job);
/* Ends or stops it. who NULL: a rule, not a person (the run's own verdict stands). */
int job_stop(
	struct sched *s, struct sched_job *job, const char *who, const char *why, struct err *e);
int job_due(struct sched *s, struct sched_job *job, struct err *e);
void job_patience(struct sched *s, struct sched_job *job); /* sets its timer by its state */

/* ---- run.c ---- */
int run_start(
	struct sched *s, struct sched_job *job, struct sched_board *const *boards, struct err *e);
struct sched_run *run_new(struct sched *s, int64_t id, struct sched_job *job, unsigned n);
void run_free(struct sched *s, struct sched_run *r);
/* The part has this board and counts on its agent, from now on. */
int part_take(struct sched *s, struct sched_part *p, struct err *e);
bool part_leases(const struct sched_part *p); /* it is a lease's session */
char *run_labs(const struct sched_run *r); /* heap: of its boards, "lab-1,lab-2"; NULL: none */
struct sched_part *part_find(const struct sched *s, int64_t run, unsigned part);
int part_save(struct sched *s, const struct sched_part *p, struct err *e);
/* ---- ending.c ---- */
/* Ends all parts that have not ended; the boards stay taken until the agents say so. */
int run_give_up(struct sched *s, struct sched_run *r, const struct job_end *end, struct err *e);
/* The agent is asked to stop it; one that it was never told of ends at once. */
int part_stop(struct sched *s, struct sched_part *p, const char *why, struct err *e);
/* Ends the run and its job when all parts have ended. */
int run_settle(struct sched *s, struct sched_run *r, struct err *e);
/* The agent has nothing of it any more: the board is free. */
int part_gone(struct sched *s, struct sched_part *p, struct err *e);

/* What its status says, into the part. */
void part_set_status(struct sched_part *p, const json_t *status);
/* The part by which the run is judged, and what is said of it (heap, may be NULL). */
const struct sched_part *run_decisive(const struct sched_run *r, char **text);

/* ---- late.c ---- */
/* The end of a part that was given up, also before a restart. */
int part_late(struct sched *s, int64_t run, unsigned part, const json_t *status, struct err *e);

/* ---- joint.c: barriers and messages ---- */
int joint_load(struct sched *s, struct sched_run *r, struct err *e);
int joint_gone(struct sched *s, struct sched_part *p, const char *why, struct err *e);

/* ---- agent.c ---- */
struct sched_agent *sched_agent_named(struct sched *s, const char *name); /* made when absent */
int agent_due(struct sched *s, struct sched_agent *a, struct err *e);
void agent_free(struct sched *s, struct sched_agent *a);

/* ---- commands.c ---- */
void command_add(struct sched *s, struct sched_part *p, const char *what, const char *why);
void command_inbox(struct sched *s, struct sched_part *p, int64_t n, json_t *line);
void command_forget(struct sched *s, struct sched_agent *a, int64_t run, unsigned part);
/* Was its start never handed out? Then it is taken back. */
bool command_unsent(const struct sched_part *p);
void commands_drop(struct sched_agent *a, const struct sched_part *p); /* p NULL: all */
/* All that its open parts need, anew. inbox: per part, sched_part.inbox_n. */
int commands_again(struct sched *s, struct sched_part *p, bool there, int64_t inbox, struct err *e);

/* ---- lease.c ---- */
int lease_begun(struct sched *s, struct sched_job *job, struct err *e); /* the board is its own */
int lease_due(struct sched *s, struct lease *l, struct err *e);
struct lease *lease_of(struct sched *s, struct sched_job *job, const char *board, const char *why,
	const char *params);
void lease_free(struct sched *s, struct lease *l);
void lease_watch(struct sched *s, struct lease *l);
void lease_tell_until(struct sched *s, struct lease *l);

/* ---- view.c ---- */
void tell_job(struct sched *s, struct sched_job *job, const struct job_end *end);
void tell_run(struct sched *s, const struct sched_run *r, const struct job_end *end);
void tell_board(struct sched *s, const struct sched_board *b);
void tell_agent(struct sched *s, const struct sched_agent *a);
void tell_lease(struct sched *s, const struct lease *l, const char *state);

/* A job or run that is over is not what it was said to be. */
void tell_late(struct sched *s, const char *kind, int64_t id, const struct sched_board *b,
	const char *message);

/* ---- load.c ---- */
int sched_load(struct sched *s, struct err *e);

static inline char *dup_text(const char *text)
{
	return text && *text ? mem_strdup(text) : NULL;
}
static inline void set_text(char **to, const char *text)
{
	char *new = dup_text(text);

	free(*to);
	*to = new;
}

#endif
