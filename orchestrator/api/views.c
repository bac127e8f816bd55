/* SPDX-License-Identifier: MIT */
/*
 * Jobs and runs as the API shows them, and who may see them. Invariant: whoever is bound to some
 * labs sees what ran there, and of their own what is in no lab yet; of nothing else they learn that
 * it exists.
 */
#include "api/api.h"

#include "base/mem.h"
#include "io/json.h"

#include <stdlib.h>
#include <string.h>

static void put_text(json_t *j, const char *key, const char *text)
{
	json_t *value = text ? json_string(text) : NULL;

	if (value)
		json_object_set_new(j, key, value);
}

static void put_ms(json_t *j, const char *key, int64_t ms)
{
	if (ms)
		json_object_set_new(j, key, json_integer(ms));
}

static int add_run(void *arg, const struct store_run *run)
{
	json_array_insert_new(arg, 0, json_integer(run->id)); /* they come newest first */
	return 0;
}

static int add_board(void *arg, const struct store_part *p)
{
	put_text(arg, p->role ? p->role : "", p->board);
	return 0;
}

/* The boards of the last run: a list, by role where the job has roles. */
static json_t *boards_of(struct server *s, int64_t run)
{
	AUTOJSON *by_role = json_object();
	json_t *list = json_array(), *board;
	const char *role;

	store_parts(s->store, run, add_board, by_role, NULL);
	json_object_foreach (by_role, role, board)
		json_array_append(list, board);
	return list;
}

static void put_json(json_t *j, const char *key, const char *text)
{
	json_t *value = text ? json_loads(text, 0, NULL) : NULL;

	if (value)
		json_object_set_new(j, key, value);
}

json_t *view_job(struct server *s, const struct store_job *job, bool whole)
{
	json_t *j = json_object(), *runs = json_array();
	AUTOBUF waits = BUF_INIT(4096);

	json_object_set_new(j, "job", json_integer(job->id));
	put_text(j, "name", job->name);
	put_text(j, "kind", job->kind);
	put_text(j, "submitter", job->submitter);
	put_text(j, "state", job->state);
	json_object_set_new(j, "priority", json_integer(job->priority));
	put_text(j, "build", job->build);
	put_text(j, "verdict", job->verdict);
	put_text(j, "blame", job->blame);
	put_text(j, "message", job->message);
	put_text(j, "canceled_by", job->canceled_by);
	put_ms(j, "submitted_ms", job->submitted_ms);
	put_ms(j, "ended_ms", job->ended_ms);
	put_ms(j, "nightly", job->nightly);
	put_ms(j, "retry_of", job->retry_of);
	json_object_set_new(j, "attempts", json_integer(job->attempts));
	put_json(j, "params", job->params);
	put_json(j, "wants", job->wants);
	if (!strcmp(job->state, "queued")) {
		sched_waits(s->sched, job->id, &waits);
		put_text(j, "waits", buf_str(&waits));
	}
	store_run_list(s->store, &(struct store_run_filter){.job = job->id}, add_run, runs, NULL);
	json_object_set_new(j, "runs", runs);
	json_object_set_new(
		j, "boards", job->last_run ? boards_of(s, job->last_run) : json_array());
	if (whole) {
		put_text(j, "text", job->text);
		put_text(j, "file", job->file);
	}
	return j;
}

static int add_part(void *arg, const struct store_part *p)
{
	json_t *j = json_object();

	json_object_set_new(j, "part", json_integer(p->part));
	put_text(j, "role", p->role);
	put_text(j, "agent", p->agent);
	put_text(j, "board", p->board);
	put_text(j, "state", p->state);
	put_text(j, "verdict", p->verdict);
	put_text(j, "blame", p->blame);
	put_text(j, "message", p->message);
	put_text(j, "power", p->power);
	put_ms(j, "assigned_ms", p->assigned_ms);
	put_ms(j, "started_ms", p->started_ms);
	put_ms(j, "ended_ms", p->ended_ms);
	json_array_append_new(arg, j);
	return 0;
}

json_t *view_run(struct server *s, const struct store_run *run)
{
	json_t *j = json_object(), *parts = json_array();

	json_object_set_new(j, "run", json_integer(run->id));
	put_ms(j, "job", run->job_id);
	put_ms(j, "attempt", run->attempt);
	put_text(j, "name", run->job);
	put_text(j, "board", run->board);
	put_text(j, "type", run->type);
	put_text(j, "soc", run->soc);
	put_text(j, "lab", run->lab);
	json_object_set_new(j, "twin", json_boolean(run->twin));
	put_text(j, "build", run->build);
	put_text(j, "build_version", run->build_version);
	put_text(j, "verdict", run->verdict);
	put_text(j, "blame", run->blame);
	put_text(j, "message", run->message);
	put_ms(j, "started_ms", run->started_ms);
	put_ms(j, "ended_ms", run->ended_ms);
	put_json(j, "params", run->params);
	store_parts(s->store, run->id, add_part, parts, NULL);
	json_object_set_new(j, "parts", parts);
	return j;
}

/* ---- who sees what ---- */

static bool sees_board(struct call *c, const char *board)
{
	AUTOJSON *j = sched_board_json(c->server->sched, board);

	return j && call_sees(c, json_text(j, "lab", NULL));
}

struct look {
	struct call *call;
	bool sees;
	unsigned n;
};

static int look_at_run(void *arg, const struct store_run *run)
{
	struct look *l = arg;

	l->sees = call_sees(l->call, run->lab);
	return 0;
}

/* A run is in the lab of its first part; others may be elsewhere. */
static int look_at_part(void *arg, const struct store_part *p)
{
	struct look *l = arg;

	if (l->n++ && !sees_board(l->call, p->board))
		l->sees = false;
	return 0;
}

bool view_sees_run(struct call *c, int64_t run)
{
	struct look l = {.call = c};

	if (store_run_get(c->server->store, run, look_at_run, &l, NULL) <= 0)
		return false;
	if (l.sees && c->who.labs)
		store_parts(c->server->store, run, look_at_part, &l, NULL);
	return l.sees;
}

bool view_sees_job(struct call *c, const struct store_job *job)
{
	AUTOJSON *wants = NULL;
	const char *board;

	if (!c->who.labs)
		return true;
	if (job->last_run)
		return view_sees_run(c, job->last_run);
	if (!strcmp(job->submitter, c->who.name))
		return true;
	/* It waits for that very board. */
	wants = job->wants ? json_loads(job->wants, 0, NULL) : NULL;
	board = json_text(json_array_get(wants, 0), "name", NULL);
	return board && json_array_size(wants) == 1 && sees_board(c, board);
}

static int look_at_job(void *arg, const struct store_job *job)
{
	struct look *l = arg;

	l->sees = view_sees_job(l->call, job);
	return l->sees;
}

static int look_at_night(void *arg, const struct store_nightly *n)
{
	struct look *l = arg;

	l->sees = n->submitter && !strcmp(n->submitter, l->call->who.name);
	return 0;
}

bool view_sees_night(struct call *c, int64_t nightly)
{
	const struct store_job_filter f = {.nightly = nightly};
	struct look l = {.call = c};

	if (store_nightly_get(c->server->store, nightly, look_at_night, &l, NULL) <= 0)
		return false;
	if (!c->who.labs)
		return true;
	if (!l.sees)
		store_jobs(c->server->store, &f, look_at_job, &l, NULL);
	return l.sees;
}

bool view_sees_subject(struct call *c, const char *subject)
{
	struct look l = {.call = c};
	int64_t id;

	if (!c->who.labs)
		return true;
	if (subject && str_starts(str_of(subject), "board "))
		return sees_board(c, subject + strlen("board "));
	if (subject && str_starts(str_of(subject), "job ") &&
		!str_i64(str_of(subject + strlen("job ")), &id))
		store_job_get(c->server->store, id, look_at_job, &l, NULL);
	if (subject && str_starts(str_of(subject), "run ") &&
		!str_i64(str_of(subject + strlen("run ")), &id))
		return view_sees_run(c, id);
	return l.sees;
}

/* ---- the parts of a run, for their files ---- */

struct pick {
	const char *role; /* NULL: by number */
	unsigned number;
	struct run_part *out;
	bool found;
};

static int pick_part(void *arg, const struct store_part *p)
{
	struct pick *k = arg;

	if (k->found || (k->role ? *k->role && (!p->role || strcmp(p->role, k->role))
				 : p->part != k->number))
		return 0;
	*k->out = (struct run_part){.dir = mem_strdup(p->dir),
		.role = mem_strdup(p->role),
		.state = mem_strdup(p->state),
		.agent = mem_strdup(p->agent),
		.board = mem_strdup(p->board),
		.part = p->part,
		.job = p->job};
	k->found = true;
	return 0;
}

static int pick(struct store *s, int64_t run, struct pick *k, struct err *e)
{
	if (store_parts(s, run, pick_part, k, e) < 0)
		return -1;
	return k->found;
}

int run_part_get(
	struct store *s, int64_t run, const char *role, struct run_part *out, struct err *e)
{
	struct pick k = {.role = role ? role : "", .out = out};

	return pick(s, run, &k, e);
}

int run_part_at(struct store *s, int64_t run, unsigned part, struct run_part *out, struct err *e)
{
	struct pick k = {.number = part, .out = out};

	return pick(s, run, &k, e);
}

void run_part_done(struct run_part *p)
{
	free(p->dir);
	free(p->role);
	free(p->state);
	free(p->agent);
	free(p->board);
	*p = (struct run_part){0};
}
