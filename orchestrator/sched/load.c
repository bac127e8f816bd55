/* SPDX-License-Identifier: MIT */
/*
 * The estate out of the store. Invariant: what is loaded is what was committed; nothing is decided
 * here but what a crash between two turns can have left open, which is nothing: each turn leaves
 * whole states.
 */
#include "inner.h"

#include "base/clock.h"
#include "io/json.h"

#include <string.h>

struct load {
	struct sched *s;
	struct sched_run *run;
	struct sched_job *job;
	struct err *e;
};

static int load_agent(void *arg, const struct store_agent *row)
{
	struct load *l = arg;
	struct sched_agent *a = sched_agent_named(l->s, row->name);

	set_text(&a->lab, row->lab);
	set_text(&a->version, row->version);
	a->protocol = row->protocol;
	a->max_jobs = row->max_jobs;
	a->first_ms = row->first_ms;
	a->seen_ms = row->seen_ms;
	return 0;
}

static int load_board(void *arg, const struct store_board *row)
{
	struct load *l = arg;
	struct sched_board *b = sched_board_named(l->s, row->name);
	int health = board_health_parse(row->health);

	b->stored = true;
	set_text(&b->lab, row->lab);
	set_text(&b->type, row->type);
	b->announced = row->announced ? json_loads(row->announced, 0, NULL) : json_object();
	b->health = health < 0 ? HEALTH_UNKNOWN : (enum board_health)health;
	set_text(&b->reason, row->reason);
	set_text(&b->who, row->who);
	b->since_ms = row->since_ms;
	b->checked_ms = row->checked_ms;
	b->power = power_word(row->power);
	if (!row->agent || !b->type)
		return 0;
	b->agent = sched_agent_named(l->s, row->agent);
	b->present = true;
	vec_push(&b->agent->boards, b);
	board_join(l->s, b);
	return 0;
}

/* ---- jobs and their runs ---- */

static int load_run_id(void *arg, const struct store_run *row)
{
	struct load *l = arg;

	if (row->attempt >= 1 && row->attempt <= SCHED_ATTEMPTS)
		l->job->runs[row->attempt - 1] = row->id;
	return 0;
}

static int load_avoided(void *arg, const struct store_part *row)
{
	struct load *l = arg;

	if (row->verdict && !strcmp(row->verdict, "incomplete") && row->blame &&
		!strcmp(row->blame, "infra"))
		vec_push(&l->job->avoid, sched_board_named(l->s, row->board));
	return 0;
}

static int count_part(void *arg, const struct store_part *row)
{
	unsigned *n = arg;

	*n = row->part + 1 > *n ? row->part + 1 : *n;
	return 0;
}

static int load_part(void *arg, const struct store_part *row)
{
	struct load *l = arg;
	struct sched_part *p = &l->run->parts[row->part];

	p->stored = true;
	p->role = dup_text(row->role);
	p->agent = sched_agent_named(l->s, row->agent);
	p->board = sched_board_named(l->s, row->board);
	p->dir = dup_text(row->dir);
	p->state = !strcmp(row->state, "ended")     ? PART_ENDED
		   : !strcmp(row->state, "running") ? PART_RUNNING
						    : PART_ASSIGNED;
	p->verdict = row->verdict ? verdict_parse(row->verdict) : -1;
	p->blame = row->blame ? (enum err_blame)err_blame_parse(row->blame) : BLAME_NONE;
	p->message = dup_text(row->message);
	p->power = row->power ? power_word(row->power) : NULL;
	p->assigned_ms = row->assigned_ms;
	p->started_ms = row->started_ms;
	p->ended_ms = row->ended_ms;
	p->stopping = l->job->state == JOB_CANCELING;
	if (p->state != PART_ENDED)
		return part_take(l->s, p, l->e);
	p->order = ++l->run->n_ended;
	return 0;
}

/* In the order in which they ended. */
static void set_order(struct sched_run *r)
{
	for (unsigned i = 0; i < r->n; i++) {
		r->parts[i].order = 1;
		for (unsigned k = 0; k < r->n; k++)
			r->parts[i].order +=
				r->parts[k].state == PART_ENDED &&
				(r->parts[k].ended_ms < r->parts[i].ended_ms ||
					(r->parts[k].ended_ms == r->parts[i].ended_ms && k < i));
	}
}

static int load_run(struct load *l, struct sched_job *job, int64_t id)
{
	struct sched *s = l->s;
	unsigned n = 0;

	if (store_parts(s->store, id, count_part, &n, l->e) < 0)
		return -1;
	if (n != job->class->n)
		return err_set(l->e, BLAME_BUG, "run %lld of job %lld has %u parts, not %u",
			(long long)id, (long long)job->id, n, job->class->n);
	l->job = job;
	l->run = job->run = run_new(s, id, job, n);
	if (store_parts(s->store, id, load_part, l, l->e) < 0 || joint_load(s, l->run, l->e))
		return -1;
	set_order(l->run);
	return 0;
}

static int load_attempts(struct load *l, struct sched_job *job)
{
	struct store_run_filter f = {.job = job->id};

	l->job = job;
	if (store_run_list(l->s->store, &f, load_run_id, l, l->e) < 0)
		return -1;
	for (int i = 0; job->state == JOB_QUEUED && i < job->attempts; i++)
		if (store_parts(l->s->store, job->runs[i], load_avoided, l, l->e) < 0)
			return -1;
	return 0;
}

static int load_roles(void *arg, const struct store_job *row)
{
	struct load *l = arg;

	return job_set_roles(l->job, row->plans, l->e) ? -1 : 1;
}

/* A job that this version cannot read must not keep the server from what it can. */
static int end_unread(struct load *l, const struct store_job *row)
{
	AUTOFREE char *text = mem_printf("it cannot be read any more: %s", l->e->msg);
	struct store_job end = *row;

	end.state = job_state_name(JOB_DONE);
	end.ended_ms = clock_wall_ms();
	end.verdict = "incomplete";
	end.blame = err_blame_name(BLAME_BUG);
	end.message = text;
	err_clear(l->e);
	return store_job_save(l->s->store, &end, l->e);
}

static int load_job(void *arg, const struct store_job *row)
{
	struct load *l = arg;
	struct sched *s = l->s;
	struct sched_job *job = job_of(s, row, l->e);
	int state = job_state_parse(row->state);

	if (!job)
		return l->e->blame == BLAME_JOB ? end_unread(l, row) : -1;
	ids_add(&s->jobs, job->id, job);
	job->state = state < 0 ? JOB_QUEUED : (enum job_state)state;
	if (job->kind == KIND_LEASE && job->class->wants[0].pin)
		lease_of(s, job, job->class->wants[0].pin->name, NULL, row->params);
	if (job->attempts && load_attempts(l, job))
		return -1;
	if (job->class->n > 1) {
		l->job = job;
		if (store_job_get(s->store, job->id, load_roles, l, l->e) < 0)
			return -1;
	}
	if (job->state != JOB_QUEUED && load_run(l, job, row->last_run))
		return -1;
	if (job->state == JOB_QUEUED)
		job_queue(s, job);
	else
		job_patience(s, job);
	return 0;
}

static int load_lease(void *arg, const struct store_lease *row)
{
	struct load *l = arg;
	struct sched_job *job = ids_find(&l->s->jobs, row->job);

	if (!job || !job->lease)
		return 0;
	set_text(&job->lease->why, row->why);
	job->lease->until_ms = row->until_ms;
	job->lease->hard_ms = row->hard_ms;
	lease_watch(l->s, job->lease);
	return 0;
}

int sched_load(struct sched *s, struct err *e)
{
	struct store_job_filter open = {.open = true, .oldest_first = true};
	struct load l = {.s = s, .e = e};

	if (store_agents(s->store, load_agent, &l, e) < 0 ||
		store_boards(s->store, load_board, &l, e) < 0 ||
		store_jobs(s->store, &open, load_job, &l, e) < 0 ||
		store_leases_open(s->store, load_lease, &l, e) < 0)
		return err_wrap(e, "load the controller's state");
	return 0;
}
