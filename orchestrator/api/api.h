/* SPDX-License-Identifier: MIT */
#ifndef API_API_H
#define API_API_H

/*
 * What the files of this room share: the server, one call of it, and how a call is answered.
 *
 * A turn of the loop is one transaction: calls change the scheduler and the store, their answers
 * are kept (call_ok, call_fail), and at the end of the turn the store commits, then answers,
 * events and commands go out. A commit that fails answers every call of the turn 503 and loads the
 * scheduler again: what nobody was told did not happen.
 */

#include "api/server.h"
#include "base/map.h"
#include "base/vec.h"
#include "io/http.h"
#include "sched/sched.h"

#define API                 "/api/v1"
#define PROTOCOL            1 /* what server, agents and clients speak; the one before is served too */
#define PROTOCOL_OLDEST     1
#define CALL_ARGS           3
#define CALL_FIELDS         4
#define LIST_LIMIT          100
#define LIST_LIMIT_MAX      1000
#define LOOK_LIMIT          5000 /* rows that one call looks at for those that the caller may see */
#define SSE_BYTES           ((size_t)4 << 20) /* of one event on its way */
#define POWER_WAIT_MS       60000
#define CONSOLE_INPUT_BYTES ((size_t)64 << 10) /* of one request */

/* Each has the rights of those before it, but agents, which stand apart. */
enum rights {
	RIGHTS_NONE,
	RIGHTS_VIEWER,
	RIGHTS_SUBMITTER,
	RIGHTS_OPERATOR,
	RIGHTS_ADMIN,
	RIGHTS_AGENT,
	RIGHTS_COUNT
};
const char *rights_name(enum rights r);
int rights_parse(const char *name); /* -1: none of ours */

struct account { /* who calls; in the token table (auth.c), or a call's own */
	int64_t token;
	const char *name;
	enum rights rights;
	const json_t *labs; /* that it may see; NULL: all */
};

struct call;
typedef void call_fn(struct call *c);
enum body {
	BODY_NONE,
	BODY_JSON,
	BODY_BYTES
}; /* BODY_BYTES: the handler takes it from c->request */
struct route {
	const char *method, *path; /* "/api/v1/jobs/{job}"; a last part {name*} takes the rest */
	enum rights rights;        /* the least; RIGHTS_NONE: anybody, also without a token */
	bool agents;               /* an agent's token will do as well */
	enum body body;
	bool writes; /* a turn of the store is begun before fn */
	call_fn *fn;
	const char *brief;
};
extern const struct route api_routes[]; /* ended by a NULL method */

struct call {
	struct server *server;
	struct http_request *request; /* NULL: the client is gone */
	const struct route *route;
	struct account who; /* name NULL: nobody */
	char *args[CALL_ARGS];
	size_t n_args;
	json_t *body; /* BODY_JSON: an object, never NULL then */
	/* The answer, until the turn is over. */
	bool answered, streaming;
	unsigned status;
	json_t *answer;
	struct buf text; /* instead of answer, where text_type is set */
	const char *text_type;
	struct http_field fields[CALL_FIELDS];
	char field_texts[CALL_FIELDS][64];
	size_t n_fields;
	/* What the handler keeps with it; freed with the call. A call whose client went away before
	 * it was answered: gone is called first. */
	void *state;
	void (*gone)(struct call *c);
	struct call *next;
};

/* ---- call.c ---- */
void call_free(struct call *c); /* only when it was answered, or its client is gone */
/* {"error": {"code", "message"}}; a new reference. */
json_t *call_error_json(const char *code, const char *message);
void call_begin(void *server, struct http_request *r); /* an http_fn */

/* ---- answer.c ---- */
/* Each call is answered once, by one of these. The JSON reference is taken. */
void call_ok(struct call *c, unsigned status, json_t *j);
void call_text(
	struct call *c, unsigned status, const char *type, struct buf *text); /* takes text */
void call_fail(struct call *c, unsigned status, const char *code, const char *fmt, ...)
	PRINTF(4, 5);
void call_err(struct call *c, const struct err *e);                   /* by its blame */
void call_diag(struct call *c, struct diag *d);                       /* 422 */
void call_field(struct call *c, const char *name, const char *value); /* a header of the answer */
/* The call is answered by a stream: forgets everything but what stream needs. */
void call_stream(struct call *c, const char *type, http_pull_fn *pull, http_done_fn *done,
	void *arg, struct http_stream **stream);
void call_file(
	struct call *c, const char *type, int fd, uint64_t size); /* Range honoured; takes fd */
void calls_send(struct server *s, bool committed);                /* the answers of this turn */
/* Arguments. A bad one is answered here and false returned. */
bool call_id(struct call *c, size_t arg, int64_t *id);
bool call_query_int(struct call *c, const char *name, int64_t min, int64_t max, int64_t *value);
/* All of "lab-1,lab-2"? NULL: only who sees all labs. */
bool call_sees(const struct call *c, const char *labs);
bool call_is(const struct call *c, enum rights least);
bool call_speaks(const struct call *c); /* a protocol that is served, or says nothing of any */
/* Into the audit, as this caller's act. */
void call_audit(struct call *c, const char *what, const char *subject, const char *detail);

/* ---- auth.c ---- */
struct auth;
struct auth *auth_new(struct store *s);
void auth_free(struct auth *a);
/* Who that bearer text is; false: nobody. Failures are counted by address. */
bool auth_check(struct auth *a, const char *bearer, const char *peer, struct account *who);
/* ms that this address must wait before it is looked at again; 0: none. */
int64_t auth_wait_ms(struct auth *a, const char *peer);
/* A new token, its text in out (TOKEN_BYTES). */
#define TOKEN_BYTES 64
int auth_add(struct auth *a, struct store_token *t, char out[TOKEN_BYTES], struct err *e);
int auth_del(struct auth *a, int64_t id, struct err *e); /* 1, 0 not there */
/* The token of the user who runs the server, in endpoint.json; made when there is none. */
int auth_local(struct auth *a, const char *known, char out[TOKEN_BYTES], struct err *e);
int auth_save_used(struct auth *a, struct err *e); /* when tokens were used; now and then */

/* ---- events.c: what followers are told ---- */
struct events;
struct events *events_new(struct server *s);
void events_free(struct events *ev);
void events_add(void *server, const struct sched_event *e); /* a sched_hooks.event */
void events_commit(struct server *s, bool committed);       /* hands on, or forgets, this turn's */
void events_follow(struct call *c);                         /* GET /events */
void events_cut_token(struct server *s, int64_t token);

/* ---- follow.c: followers of runs and jobs ---- */
void follow_wake_run(struct server *s, int64_t run); /* bytes came, or it ended */
void follow_wake_job(struct server *s, int64_t job);
void follow_wake_board(struct server *s, const char *board);
void follow_cut_token(struct server *s, int64_t token); /* it was deleted: its streams end */
void follow_job(struct call *c);                        /* GET /jobs/N/events */
void follow_log(struct call *c);                        /* GET /runs/N/log */
void follow_console(struct call *c);                    /* GET /boards/NAME/console */
void follows_commit(struct server *s); /* the turn is over: those who waited for that go on */
void follows_free(struct server *s);

/* ---- agents.c ---- */
void agents_wake(void *server, const char *agent); /* a sched_hooks.wake */
void agents_commit(struct server *s);              /* hands out commands */
void agents_free(struct server *s);
/* Whose call it is; an agent's token is for the agent of that name. NULL after answering. */
const char *agent_named(struct call *c, const char *name);
int agent_seen(
	struct call *c, const char *name); /* -1 after it was answered: it has to say hello */

/* ---- boards.c ---- */
json_t *board_view(struct call *c, const char *name); /* new reference; NULL after answering */
bool board_get(struct call *c, const char *name);     /* false after answering */
void board_told(struct call *c, const char *what, const char *detail); /* audit */
/* Whoever holds the lease of the path's board, or an operator. False after answering. */
bool lease_may(struct call *c, struct sched_holder *h);
/* The window that typed on that board is closed: the next one may. me: "RUN CLIENT". */
void typist_gone(struct server *s, const char *board, const char *me);
/* A session has done what it was told (event power-done). */
void power_done(struct server *s, int64_t run, const json_t *event);
void power_waits_free(struct server *s);

/* ---- builds.c ---- */
bool sha256_ok(const char *sha256);
char *blob_path(const struct server *s, const char *sha256); /* heap */
/* Is that blob here, whole? */
bool blob_there(const struct server *s, const char *sha256);
/* "NAME" or "NAME@VERSION": its images become those of the plan, as blobs. BLAME_BUILD: there is no
 * such build, or it does not go with the plan. */
int build_into(struct server *s, const char *build, struct plan *p, struct err *e);

/* ---- blobs.c ---- */
/* What the account has uploaded of it so far. */
int64_t upload_have(const struct server *s, const struct account *who, const char *sha256);
/* A build names it: it does not count in the account's quota any more. */
void upload_named(const struct server *s, const struct account *who, const char *sha256);

/* ---- folder.c: files that agents ship ---- */
/* The folder of a part, or one below it: a descriptor that only names it; -1 with errno. make:
 * below is made where it is missing. */
int folder_at(const char *dir, const char *below, bool make);
/* A regular file of it by a name that chunk_file_ok lets pass; with O_CREAT it (and artifacts/) is
 * made. size may be NULL. -1 with errno: ENOENT also where it is no file of ours. */
int folder_open(const char *dir, const char *name, int flags, uint64_t *size);

/* ---- nightlies.c ---- */
void nights_begin(struct server *s); /* looks at schedules and deadlines, soon */
/* A job of that nightly (0: none) is done, and committed. */
void nights_job_done(struct server *s, int64_t nightly);

/* ---- submit.c ---- */
struct submit { /* one job document on its way into the queue; borrowed texts */
	const char *text, *file;
	const json_t *params, *board, *files; /* NULL: none */
	const json_t *labs;                   /* in which it may run, names; NULL: in all */
	const char *build;                    /* NULL: the document's */
};
/* Compiles into job (name, plans, wants, build, timeout_ms, params, text, file; all in a). -1 with
 * diag or e. */
int submit_compile(struct server *s, const struct submit *in, struct arena *a,
	struct store_job *job, struct diag *diag, struct err *e);
/* The same of a POST /jobs body, with what the submitter says beside it (priority, key ...). */
int submit_body(struct call *c, const json_t *body, struct arena *a, struct store_job *job,
	struct diag *diag, struct err *e);
char *health_job(void *server, const char *type, int64_t *every_ms); /* sched_hooks */
int health_compile(void *server, struct arena *a, const char *path, const char *board,
	struct store_job *job, struct err *e);

/* ---- views.c ---- */
json_t *view_job(struct server *s, const struct store_job *job, bool whole);
json_t *view_run(struct server *s, const struct store_run *run);
/* May the caller see it? */
bool view_sees_job(struct call *c, const struct store_job *job);
bool view_sees_run(struct call *c, int64_t run);
bool view_sees_night(struct call *c, int64_t nightly);
bool view_sees_subject(struct call *c, const char *subject); /* of an entry of the audit */

struct run_part { /* one part as the files of a run need it; heap texts */
	char *dir, *role, *state, *agent, *board;
	unsigned part;
	int64_t job;
};
/* The part with that role ("" or NULL: the first), or that number. 1, 0, -1; run_part_done it
 * after 1. */
int run_part_get(
	struct store *s, int64_t run, const char *role, struct run_part *out, struct err *e);
int run_part_at(struct store *s, int64_t run, unsigned part, struct run_part *out, struct err *e);
void run_part_done(struct run_part *p);

struct server {
	struct loop *loop;
	struct http_server *http;
	struct store *store;
	struct sched *sched;
	struct types types;
	const struct job_tables *tables;
	struct server_conf conf;
	struct arena conf_arena;
	char *dir; /* STATE/server */
	struct auth *auth;
	struct events *events;
	struct alerts *alerts;
	struct output *outputs;              /* child processes that read for us */
	struct call *waiting, **waiting_end; /* answered, not sent */
	struct map polls;                    /* agent -> struct poll */
	struct map waking;                   /* agents with commands, this turn */
	struct map writers;                  /* board -> "RUN CLIENT" (heap): who types there */
	struct power_wait *power_waits;
	VEC(struct follow *) follows;
	VEC(char *) synced; /* folders of runs that ended in this turn: on disk before the commit */
	struct map kept;    /* "RUN.PART" of open parts -> struct kept (intake.c) */
	struct loop_watch *tick;
	int64_t tick_ms;
	size_t nights_open;
	struct loop_watch *nights_timer;
	bool spoiled; /* what this turn did is not to be kept */
	bool stopping;
	int exit_status;
};
/* Begins the turn's transaction. -1: the call was answered 503. */
int server_turn(struct call *c);
/* Of a turn of the loop (arg: the server): commits what calls changed, then tells of it. */
void server_turn_end(void *arg);
void server_stop(struct server *s); /* ends and frees all that it has */
/* STATE/server/runs/RUN[/ROLE]; heap. */
char *server_part_dir(void *server, int64_t run, const char *role);
/* The scheduler's next wish may have changed. */
void server_arm(struct server *s);

#endif
