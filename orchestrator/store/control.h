/* SPDX-License-Identifier: MIT */
#ifndef STORE_CONTROL_H
#define STORE_CONTROL_H

/*
 * What the controller must not forget: jobs, parts of runs, boards, agents, leases, tokens,
 * nightlies, builds, the audit. Verbs are the domain's; errors as in store.h. Texts that a callback
 * gets are valid during the call only; a callback may call any verb but the one that called it. A
 * verb alone is a transaction; between store_turn_begin and store_turn_commit they all are one.
 * Returns: 0 or -1; "get" 1 found (or what the callback returned), 0 not there, -1; "del" 1
 * deleted, 0 not there, -1; "each" what the callback returned to stop, 0, -1. A save of what is not
 * there is an error (BLAME_BUG); boards, agents, leases, schedules and builds are added by their
 * first save.
 *
 * In a turn a verb that was refused (no such run, a key that is taken: BLAME_BUG) changed nothing
 * and the turn goes on; after one that the disk failed (BLAME_INFRA) every other verb that writes
 * and the commit answer with the same error, and the turn can only be undone.
 */

#include "store/store.h"

/* One commit for all that a turn of the event loop changed; a turn that changed nothing costs
 * nothing. Begin in an open turn does nothing, and so do commit and undo when none is open. A
 * commit that fails undoes the whole turn (disk full: BLAME_INFRA). Numbers that an undone turn
 * gave out are given again. */
int store_turn_begin(struct store *s, struct err *e);
int store_turn_commit(struct store *s, struct err *e);
void store_turn_undo(struct store *s);
bool store_turn_open(const struct store *s);
/* A copy of the living store in a new file (SQLite's online backup), of one moment; writers go on
 * meanwhile. It returns when all is copied: a server does it in a child with a read-only store. A
 * file that is there is not overwritten (BLAME_CONFIG). Not inside a turn. */
int store_backup(struct store *s, const char *path, struct err *e);

/* ---- jobs ---- */

struct store_job {
	int64_t id;       /* 0: none yet */
	const char *name; /* of the job document */
	const char *kind; /* "job", "lease", "health" */
	const char *submitter;
	const char *state;       /* DESIGN 3: queued, assigned, running, canceling, done */
	int64_t priority;        /* -100..100, higher first */
	const char *text, *file; /* the document as submitted, and its name; NULL in lists */
	const char *params;      /* JSON object of what the submitter set */
	const char *plans;       /* JSON: see sched.h; NULL in lists */
	const char *wants;       /* JSON list of struct match, one a part: what a scheduler needs */
	const char *build;       /* "name version"; NULL: none */
	int64_t timeout_ms;      /* of a run */
	int64_t queue_timeout_ms;              /* 0: none */
	int64_t submitted_ms, ended_ms;        /* wall; 0: not yet */
	int64_t attempts;                      /* runs so far */
	const char *verdict, *blame, *message; /* NULL: not yet, none */
	const char *canceled_by;               /* NULL: nobody */
	int64_t nightly;                       /* 0: none */
	int64_t retry_of;                      /* job that it repeats; 0: none */
	int64_t last_run;                      /* 0: none yet */
	const char *key; /* submitter's own: a second submission with it is the same job; NULL */
};
/* Fills id. Texts, plans and wants that are the same in many jobs are kept once. */
int store_job_add(struct store *s, struct store_job *job, struct err *e);
/* Saves state, attempts, ended_ms, verdict, blame, message, canceled_by, last_run. */
int store_job_save(struct store *s, const struct store_job *job, struct err *e);
typedef int store_job_fn(void *arg, const struct store_job *job);
int store_job_get(struct store *s, int64_t id, store_job_fn *fn, void *arg, struct err *e);
/* The job that this submitter gave that key: 1 and its id, 0, -1. */
int store_job_by_key(
	struct store *s, const char *submitter, const char *key, int64_t *id, struct err *e);
struct store_job_filter { /* NULL, 0: any */
	const char *state, *submitter, *kind;
	bool open; /* all but done */
	int64_t nightly;
	int64_t before; /* ids below */
	int64_t limit;
	bool oldest_first;
};
/* In the order of ids. The runs of a job: store_run_list. */
int store_jobs(struct store *s, const struct store_job_filter *f, store_job_fn *fn, void *arg,
	struct err *e);

/* ---- parts of runs: one a board ---- */

struct store_part {
	int64_t run, job;
	unsigned part;    /* from 0 */
	const char *role; /* NULL: the job has no roles */
	const char *agent, *board;
	const char *dir;   /* where the controller keeps its job folder */
	const char *state; /* "assigned", "running", "ended" */
	const char *verdict, *blame, *message, *power; /* out of its status; NULL: not yet */
	int64_t assigned_ms, started_ms, ended_ms;
};
int store_part_add(struct store *s, const struct store_part *p, struct err *e);
int store_part_save(
	struct store *s, const struct store_part *p, struct err *e); /* all but the key */
typedef int store_part_fn(void *arg, const struct store_part *p);
int store_parts(struct store *s, int64_t run, store_part_fn *fn, void *arg, struct err *e);
int store_parts_open(struct store *s, store_part_fn *fn, void *arg, struct err *e); /* not ended */
/* store_run_events and store_run_offset for one part (0 is the whole run of a job without roles,
 * and needs no store_part; the others must have been added). */
int store_part_events(struct store *s, int64_t run, unsigned part, const struct store_event *events,
	size_t n, struct err *e);
int store_part_offset(struct store *s, int64_t run, unsigned part, uint64_t *offset, struct err *e);
/*
 * What a part's events.jsonl, open at fd, has and the store has not: whole lines from the stored
 * offset on, a piece of about INGEST_BYTES a transaction; then fn (NULL: nobody) hears each event
 * of the piece and may stop with -1 and e. sys EMSGSIZE: a line longer than INGEST_LINE_BYTES
 * stands there, what follows it is not taken.
 */
typedef int store_taken_fn(void *arg, const struct store_event *ev, struct err *e);
int store_part_ingest(struct store *s, int64_t run, unsigned part, int fd, const char *path,
	store_taken_fn *fn, void *arg, struct err *e);
/* What is sent into a part's folder (agents/worker/inbox.h): seq from 1 on. */
int store_inbox_add(
	struct store *s, int64_t run, unsigned part, const char *line, int64_t *seq, struct err *e);
typedef int store_inbox_fn(void *arg, int64_t seq, const char *line);
int store_inbox(struct store *s, int64_t run, unsigned part, int64_t after, store_inbox_fn *fn,
	void *arg, struct err *e);

/* ---- boards and agents ---- */

struct store_board {
	const char *name; /* unique in the estate */
	const char *agent, *lab, *type;
	const char *announced; /* JSON: soc, arch, twin, peripherals, tags, revision, consoles */
	const char *health, *reason,
		*who;                 /* DESIGN 3; why, and who said so (an account, "run 17") */
	int64_t since_ms, checked_ms; /* of health; last health check */
	const char *power;            /* "on", "off", "unknown"; NULL: unknown */
};
int store_board_save(struct store *s, const struct store_board *b, struct err *e);
int store_board_del(struct store *s, const char *name, struct err *e); /* 1, 0 not there */
typedef int store_board_fn(void *arg, const struct store_board *b);
int store_boards(struct store *s, store_board_fn *fn, void *arg, struct err *e);
struct store_agent {
	const char *name, *lab, *version;
	int64_t protocol, max_jobs, first_ms, seen_ms;
};
int store_agent_save(struct store *s, const struct store_agent *a, struct err *e);
typedef int store_agent_fn(void *arg, const struct store_agent *a);
int store_agents(struct store *s, store_agent_fn *fn, void *arg, struct err *e);

/* ---- leases ---- */

struct store_lease {
	int64_t job; /* of kind "lease": its state is the lease's */
	const char *board, *owner, *why;
	int64_t until_ms, hard_ms; /* wall: ends unless renewed; ends for good */
};
int store_lease_save(struct store *s, const struct store_lease *l, struct err *e);
typedef int store_lease_fn(void *arg, const struct store_lease *l);
int store_leases_open(struct store *s, store_lease_fn *fn, void *arg, struct err *e);

/* ---- who may what ---- */

struct store_token {
	int64_t id;
	const char *account, *rights; /* "viewer" "submitter" "operator" "admin" "agent" */
	const char *labs;             /* JSON list that it may see; NULL: all */
	const char *note;
	int64_t made_ms, expires_ms, used_ms; /* 0: never */
};
/* Only the SHA-256 of a token is kept. */
int store_token_add(struct store *s, struct store_token *t, const char *sha256, struct err *e);
int store_token_del(struct store *s, int64_t id, struct err *e); /* 1 deleted, 0 not there */
typedef int store_token_fn(void *arg, const struct store_token *t);
int store_token_find(
	struct store *s, const char *sha256, store_token_fn *fn, void *arg, struct err *e);
int store_tokens(struct store *s, store_token_fn *fn, void *arg, struct err *e);
/* Writes: not for every request, once a while is enough. */
int store_token_used(struct store *s, int64_t id, int64_t used_ms, struct err *e);

struct store_audit {
	int64_t id, at_ms;
	const char *account, *from; /* who, from which address; "hilab" for the controller itself */
	const char *what;           /* "submit", "power on", "health bad" */
	const char *subject;        /* "board am62a-1", "job 12" */
	const char *detail;         /* NULL: none */
};
int store_audit_add(struct store *s, const struct store_audit *a, struct err *e);
typedef int store_audit_fn(void *arg, const struct store_audit *a);
struct store_audit_filter { /* NULL, 0: any */
	const char *subject;
	int64_t before; /* ids below */
	int64_t limit;
};
/* Newest first. */
int store_audits(struct store *s, const struct store_audit_filter *f, store_audit_fn *fn, void *arg,
	struct err *e);

/* ---- nightlies ---- */

struct store_nightly {
	int64_t id;       /* one night */
	const char *plan; /* name of the plan */
	const char *submitter;
	const char *entries; /* JSON: what was expanded (jobs/nightly.h); NULL in lists */
	int64_t started_ms, deadline_ms, ended_ms; /* wall; 0: none, not yet */
	const char *verdict;                       /* NULL: not yet */
	const char *policy; /* JSON: what is done about what became worse; NULL: nothing, or in
			     * lists */
};
int store_nightly_add(struct store *s, struct store_nightly *n, struct err *e);
/* Saves started_ms, deadline_ms, ended_ms, verdict. */
int store_nightly_save(struct store *s, const struct store_nightly *n, struct err *e);
typedef int store_nightly_fn(void *arg, const struct store_nightly *n);
int store_nightly_get(struct store *s, int64_t id, store_nightly_fn *fn, void *arg, struct err *e);
/* Those that are over and whose alerts were not opened; oldest first. */
int store_nightlies_unjudged(struct store *s, store_nightly_fn *fn, void *arg, struct err *e);
int store_nightly_judged(struct store *s, int64_t id, struct err *e);
/* Newest first; plan NULL: any; open: not ended; limit 0: all. */
int store_nightlies(struct store *s, const char *plan, bool open, int64_t limit,
	store_nightly_fn *fn, void *arg, struct err *e);
/* A plan that the controller starts by itself. */
struct store_schedule {
	const char *plan, *cron, *submitter, *entries;
	int64_t deadline_ms; /* of each night, from its start; 0: none */
	int64_t last_ms;     /* when it was last due; 0: never */
	const char *policy;  /* of each night; NULL: none */
};
int store_schedule_save(struct store *s, const struct store_schedule *c, struct err *e);
int store_schedule_del(struct store *s, const char *plan, struct err *e); /* 1, 0 not there */
typedef int store_schedule_fn(void *arg, const struct store_schedule *c);
int store_schedules(struct store *s, store_schedule_fn *fn, void *arg, struct err *e);

/* ---- builds ---- */

struct store_build {
	const char *name, *version, *soc;
	const char *manifest; /* JSON, images by sha256 */
	const char *owner;
	int64_t added_ms, used_ms, bytes;
	bool pinned;
};
int store_build_save(struct store *s, const struct store_build *b, struct err *e);
int store_build_del(
	struct store *s, const char *name, const char *version, struct err *e); /* 1, 0 */
typedef int store_build_fn(void *arg, const struct store_build *b);
/* Newest first; name, version NULL: any. */
int store_builds(struct store *s, const char *name, const char *version, store_build_fn *fn,
	void *arg, struct err *e);

#endif
