/* SPDX-License-Identifier: MIT */
/*
 * Jobs, from their submission to their one end. Invariants: a job's state changes by job_move
 * alone, as the table allows; a job that is done is in the store only; nothing leaves "done".
 */
#include "inner.h"

#include "base/clock.h"
#include "io/json.h"

#include <string.h>

static const bool moves[JOB_STATES][JOB_STATES] = {
	[JOB_QUEUED] = {[JOB_ASSIGNED] = true, [JOB_DONE] = true},
	/* back to the queue: another attempt after an infra failure */
	[JOB_ASSIGNED] = {[JOB_QUEUED] = true,
		[JOB_RUNNING] = true,
		[JOB_CANCELING] = true,
		[JOB_DONE] = true},
	[JOB_RUNNING] = {[JOB_QUEUED] = true, [JOB_CANCELING] = true, [JOB_DONE] = true},
	[JOB_CANCELING] = {[JOB_DONE] = true},
};
static const char *const state_names[JOB_STATES] = {
	"queued", "assigned", "running", "canceling", "done"};
const char *const job_kind_names[] = {"job", "lease", "health"};

const char *job_state_name(enum job_state state)
{
	return state < JOB_STATES ? state_names[state] : NULL;
}

int job_state_parse(const char *name)
{
	for (int i = 0; name && i < JOB_STATES; i++)
		if (!strcmp(state_names[i], name))
			return i;
	return -1;
}

bool job_may(enum job_state from, enum job_state to)
{
	return from < JOB_STATES && to < JOB_STATES && moves[from][to];
}

int job_move(struct sched *s, struct sched_job *job, enum job_state to, struct err *e)
{
	if (!job_may(job->state, to)) {
		s->damaged = true;
		return err_set(e, BLAME_BUG, "job %lld cannot go from %s to %s", (long long)job->id,
			state_names[job->state], state_names[to]);
	}
	job->state = to;
	return 0;
}

/* ---- making and keeping ---- */

static int kind_parse(const char *name)
{
	for (size_t i = 0; name && i < 3; i++)
		if (!strcmp(job_kind_names[i], name))
			return (int)i;
	return -1;
}

struct sched_job *job_of(struct sched *s, const struct store_job *row, struct err *e)
{
	int kind = kind_parse(row->kind);
	struct sched_job *job;
	struct class *c;

	if (kind < 0) {
		err_set(e, BLAME_JOB, "'%s' is no kind of job", row->kind ? row->kind : "");
		return NULL;
	}
	c = class_get(s, (enum job_kind)kind, row->wants, e);
	if (!c)
		return NULL;
	job = mem_alloc(sizeof *job);
	job->id = row->id;
	job->kind = (enum job_kind)kind;
	job->priority = (int)row->priority;
	job->attempts = (int)row->attempts;
	job->name = mem_strdup(row->name ? row->name : "");
	job->build = dup_text(row->build);
	job->params = row->params && strcmp(row->params, "{}") ? mem_strdup(row->params) : NULL;
	job->who = sched_account(s, row->submitter ? row->submitter : "");
	job->class = c;
	job->timeout_ms = row->timeout_ms;
	job->queue_timeout_ms = row->queue_timeout_ms;
	job->submitted_ms = row->submitted_ms;
	job->nightly = row->nightly;
	job->retry_of = row->retry_of;
	job->canceled_by = dup_text(row->canceled_by);
	if (job->kind == KIND_HEALTH && c->wants[0].pin) {
		job->check = c->wants[0].pin;
		job->check->check = job;
	}
	class_open(s, c);
	return job;
}

int job_set_roles(struct sched_job *job, const char *plans, struct err *e)
{
	AUTOJSON *list = plans ? json_loads(plans, 0, NULL) : NULL;

	if (json_array_size(list) != job->class->n)
		return err_set(e, BLAME_JOB, "job '%s' has %zu plans for %u boards", job->name,
			json_array_size(list), job->class->n);
	job->roles = mem_array(job->class->n, sizeof *job->roles);
	for (unsigned i = 0; i < job->class->n; i++)
		job->roles[i] = dup_text(json_text(json_array_get(list, i), "role", NULL));
	return 0;
}

#define forget(list, what)                                                                         \
	do {                                                                                       \
		for (size_t at_ = 0; at_ < (list)->n; at_++)                                       \
			if ((list)->p[at_] == (what)) {                                            \
				vec_del(list, at_);                                                \
				break;                                                             \
			}                                                                          \
	} while (0)

void job_free(struct sched *s, struct sched_job *job)
{
	queue_del(s, job);
	several_release(s, job);
	if (job->fresh)
		forget(&s->fresh, job);
	sched_timer_stop(s, &job->timer);
	if (job->check && job->check->check == job) {
		job->check->check = NULL;
		check_plan(s, job->check);
	}
	if (job->run)
		job->run->job = NULL;
	lease_free(s, job->lease);
	ids_del(&s->jobs, job->id);
	for (unsigned i = 0; job->roles && i < job->class->n; i++)
		free(job->roles[i]);
	free(job->roles);
	class_close(s, job->class);
	vec_done(&job->avoid);
	vec_done(&job->holds);
	free(job->name);
	free(job->build);
	free(job->params);
	free(job->canceled_by);
	free(job->why);
	free(job);
}

static struct store_job row_of(const struct sched_job *job)
{
	return (struct store_job){
		.id = job->id,
		.state = job_state_name(job->state),
		.attempts = job->attempts,
		.canceled_by = job->canceled_by,
		.last_run = job->attempts ? job->runs[job->attempts - 1] : 0,
	};
}

int job_save(struct sched *s, struct sched_job *job, struct err *e)
{
	struct store_job row = row_of(job);

	tell_job(s, job, NULL);
	return store_job_save(s->store, &row, e) ? sched_store_failed(s) : 0;
}

int job_end(struct sched *s, struct sched_job *job, const struct job_end *end, struct err *e)
{
	struct store_job row;

	if (job_move(s, job, JOB_DONE, e))
		return -1;
	queue_del(s, job);
	row = row_of(job);
	row.ended_ms = end->ended_ms;
	row.verdict = end->verdict;
	row.blame = end->blame == BLAME_NONE ? NULL : err_blame_name(end->blame);
	row.message = end->message && *end->message ? end->message : NULL;
	if (store_job_save(s->store, &row, e))
		return sched_store_failed(s);
	tell_job(s, job, end);
	if (job->lease)
		tell_lease(s, job->lease, "ended");
	job_free(s, job);
	return 0;
}

/* ---- waiting ---- */

void job_queue(struct sched *s, struct sched_job *job)
{
	queue_add(s, job);
	job_patience(s, job);
	sched_place(s, job);
}

void job_patience(struct sched *s, struct sched_job *job)
{
	int64_t now = clock_wall_ms(), begun = now;

	switch (job->state) {
	case JOB_QUEUED:
		sched_timer_stop(s, &job->timer);
		if (!job->queue_timeout_ms)
			return;
		/* An attempt waits as long as the first one might. */
		begun = job->attempts ? now : job->submitted_ms;
		sched_timer(s, &job->timer, TIMER_JOB, begun + job->queue_timeout_ms - now);
		return;
	case JOB_ASSIGNED:
	case JOB_RUNNING:
		for (unsigned i = 0; job->run && i < job->run->n; i++)
			if (job->run->parts[i].assigned_ms < begun)
				begun = job->run->parts[i].assigned_ms;
		sched_timer(
			s, &job->timer, TIMER_JOB, begun + job->timeout_ms + SCHED_LOST_MS - now);
		return;
	case JOB_CANCELING:
		sched_timer(s, &job->timer, TIMER_JOB, CANCEL_MS);
		return;
	default:
		sched_timer_stop(s, &job->timer);
	}
}

static int give_up(struct sched *s, struct sched_job *job, struct err *e)
{
	struct job_end end = {"incomplete", NULL, BLAME_INFRA, clock_wall_ms()};
	AUTOBUF text = BUF_INIT(4096);

	for (unsigned i = 0; i < job->run->n; i++) {
		const struct sched_part *p = &job->run->parts[i];

		if (p->state != PART_ENDED && !text.len)
			buf_printf(&text, "agent '%s' did not say how it ended on board '%s'",
				p->agent->name, p->board->name);
	}
	end.message = buf_str(&text);
	return run_give_up(s, job->run, &end, e);
}

int job_due(struct sched *s, struct sched_job *job, struct err *e)
{
	struct job_end end = {"incomplete", NULL, BLAME_TIMEOUT, clock_wall_ms()};
	AUTOBUF text = BUF_INIT(4096);
	char waited[40];

	if (job->state != JOB_QUEUED)
		return give_up(s, job, e);
	buf_printf(&text,
		"no board in %s: ", str_format_ms(job->queue_timeout_ms, waited, sizeof waited));
	sched_waits(s, job->id, &text);
	end.message = buf_str(&text);
	return job_end(s, job, &end, e);
}

/* ---- verbs ---- */

static int check_row(const struct sched *s, const struct store_job *row, struct err *e)
{
	if (s->n_queued >= SCHED_QUEUED_MAX)
		return err_set(e, BLAME_INFRA, "%d jobs wait already", SCHED_QUEUED_MAX);
	if (row->priority < -100 || row->priority > 100)
		return err_set(e, BLAME_JOB, "priority %lld is not in -100..100",
			(long long)row->priority);
	if (row->timeout_ms <= 0 || row->queue_timeout_ms < 0)
		return err_set(e, BLAME_JOB, "the job has no timeout");
	return 0;
}

int job_submit(struct sched *s, struct store_job *row, struct sched_job **out, struct err *e)
{
	struct sched_job *job;

	if (check_row(s, row, e))
		return -1;
	row->id = 0;
	row->state = state_names[JOB_QUEUED];
	row->attempts = row->last_run = row->ended_ms = 0;
	if (!row->submitted_ms)
		row->submitted_ms = clock_wall_ms();
	job = job_of(s, row, e);
	if (!job)
		return -1;
	if (job->class->n > 1 && job_set_roles(job, row->plans, e)) {
		job_free(s, job);
		return -1;
	}
	if (store_job_add(s->store, row, e)) {
		job_free(s, job);
		return sched_store_failed(s);
	}
	job->id = row->id;
	ids_add(&s->jobs, job->id, job);
	job_queue(s, job);
	tell_job(s, job, NULL);
	if (out)
		*out = job;
	return 0;
}

int sched_submit(struct sched *s, struct store_job *job, struct err *e)
{
	if (!job->kind || strcmp(job->kind, job_kind_names[KIND_JOB]))
		return err_set(e, BLAME_BUG, "only jobs are submitted");
	if (job_submit(s, job, NULL, e))
		return -1;
	return sched_settle(s, e);
}

static int stop_queued(
	struct sched *s, struct sched_job *job, const char *who, const char *why, struct err *e)
{
	AUTOFREE char *text = who ? mem_printf("canceled by %s", who) : mem_strdup(why);
	struct job_end end = {"canceled", text, BLAME_CANCEL, clock_wall_ms()};

	set_text(&job->canceled_by, who);
	return job_end(s, job, &end, e);
}

int job_stop(
	struct sched *s, struct sched_job *job, const char *who, const char *why, struct err *e)
{
	struct sched_run *r = job->run;

	if (job->state == JOB_QUEUED)
		return stop_queued(s, job, who, why, e);
	if (job->state == JOB_CANCELING) { /* a lease that was ending may still be canceled */
		if (!who || job->canceled_by)
			return 0;
		set_text(&job->canceled_by, who);
		return job_save(s, job, e);
	}
	if (job_move(s, job, JOB_CANCELING, e))
		return -1;
	set_text(&job->canceled_by, who);
	set_text(&job->why, why);
	job_patience(s, job);
	if (job->lease)
		tell_lease(s, job->lease, "over");
	if (job_save(s, job, e))
		return -1;
	for (unsigned i = 0; i < r->n; i++)
		if (part_stop(s, &r->parts[i], why, e))
			return -1;
	return run_settle(s, r, e);
}

int sched_cancel(struct sched *s, int64_t id, const char *who, struct err *e)
{
	struct sched_job *job = ids_find(&s->jobs, id);
	AUTOFREE char *why = mem_printf("canceled by %s", who);

	if (!job)
		return err_set(e, BLAME_JOB, "job %lld is not there, or over", (long long)id);
	if (job_stop(s, job, who, why, e))
		return -1;
	return sched_settle(s, e);
}

struct again {
	struct arena arena;
	struct store_job job;
};

struct store_job sched_again(struct arena *a, const struct store_job *job)
{
	return (struct store_job){
		.name = arena_strdup(a, job->name),
		.kind = arena_strdup(a, job->kind),
		.state = arena_strdup(a, job->state),
		.priority = job->priority,
		.text = arena_strdup(a, job->text),
		.file = arena_strdup(a, job->file),
		.params = arena_strdup(a, job->params),
		.plans = arena_strdup(a, job->plans),
		.wants = arena_strdup(a, job->wants),
		.build = arena_strdup(a, job->build),
		.timeout_ms = job->timeout_ms,
		.queue_timeout_ms = job->queue_timeout_ms,
		.retry_of = job->id,
	};
}

static int copy(void *arg, const struct store_job *job)
{
	struct again *g = arg;

	g->job = sched_again(&g->arena, job);
	return 1;
}

/* The same wants, each bound to those labs. */
static char *bind_wants(struct arena *a, const char *wants, const json_t *labs)
{
	AUTOJSON *list = json_loads(wants ? wants : "[]", 0, NULL);
	AUTOFREE char *text = NULL;
	json_t *want;
	size_t i;

	json_array_foreach (list, i, want)
		json_object_set(want, "labs", (json_t *)labs);
	text = json_dumps(list, JSON_COMPACT);
	return arena_strdup(a, text);
}

int sched_retry(struct sched *s, int64_t id, const char *who, const json_t *labs, int64_t *again,
	struct err *e)
{
	struct again g = {0};
	int rc = store_job_get(s->store, id, copy, &g, e);

	if (rc < 0)
		sched_store_failed(s);
	else if (!rc)
		rc = err_set(e, BLAME_JOB, "there is no job %lld", (long long)id);
	else if (strcmp(g.job.kind, job_kind_names[KIND_JOB]))
		rc = err_set(e, BLAME_JOB, "job %lld is a %s", (long long)id, g.job.kind);
	else if (strcmp(g.job.state, state_names[JOB_DONE]))
		rc = err_set(e, BLAME_JOB, "job %lld is not over yet", (long long)id);
	else {
		g.job.submitter = who;
		if (labs)
			g.job.wants = bind_wants(&g.arena, g.job.wants, labs);
		rc = sched_submit(s, &g.job, e);
	}
	if (!rc)
		*again = g.job.id;
	arena_done(&g.arena);
	return rc;
}
