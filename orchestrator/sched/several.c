/* SPDX-License-Identifier: MIT */
/*
 * Jobs of several parts, which start all together or not at all. So that they do not starve behind
 * jobs that need one board, a waiting one holds free boards back from all jobs that come after it,
 * but only while everything else that it needs is at work: boards that run a job come free by
 * themselves, boards that are absent, ill or leased may not for long, and nobody waits beside a
 * held board for those. Invariant: a board is held for at most one job, which is queued, and stands
 * in that job's holds.
 */
#include "inner.h"

struct candidates {
	struct sched_board *p[LOOK_MAX];
	size_t n;
};
struct search {
	struct sched *s;
	struct sched_job *job;
	unsigned n;
	bool count_room; /* agents' limits count */
	struct sched_board *got[SCHED_PARTS_MAX];
	struct candidates *parts;
};

static bool may_take(const struct sched_job *job, const struct sched_board *b)
{
	return board_takes(b, job) && agent_room(b->agent) &&
	       (!b->held || b->held == job || job_before(job, b->held));
}

/* It will come free by itself. */
static bool at_work(const struct sched_job *job, const struct sched_board *b)
{
	return may_take(job, b) ||
	       (b->present && b->agent->online && board_serves(b) && b->part && !b->part->lost &&
		       b->part->run->job && b->part->run->job->kind != KIND_LEASE) ||
	       (board_free(b) && board_serves(b) && !agent_room(b->agent));
}

typedef bool fits_fn(const struct sched_job *job, const struct sched_board *b);

static void look(const struct sched *s, struct candidates *c, const struct sched_job *job,
	const struct want *w, fits_fn *fits)
{
	c->n = 0;
	if (w->pin) {
		if (want_fits(s, w, w->pin) && fits(job, w->pin) && !job_refuses(job, w->pin))
			c->p[c->n++] = w->pin;
		return;
	}
	vec_each (&w->alikes, k)
		vec_each (&(*k)->pools, pool) {
			unsigned taken = 0;

			/* As many as there are parts are enough of boards that are alike. */
			for (size_t i = 0;
				i < (*pool)->boards.n && taken < job->class->n && c->n < LOOK_MAX;
				i++) {
				struct sched_board *b = (*pool)->boards.p[i];

				if (fits(job, b) && !job_avoids(job, b)) {
					c->p[c->n++] = b;
					taken++;
				}
			}
		}
}

static int taker(const struct search *x, const struct sched_board *b)
{
	for (unsigned i = 0; i < x->n; i++)
		if (x->got[i] == b)
			return (int)i;
	return -1;
}

static int64_t room_left(const struct search *x, const struct sched_agent *a)
{
	int64_t left = a->max_jobs - a->n_parts;

	if (!x->count_room || !a->max_jobs)
		return SCHED_PARTS_MAX;
	for (unsigned i = 0; i < x->n; i++)
		left -= x->got[i] && x->got[i]->agent == a;
	return left;
}

/* Finds part a board, moving other parts to other boards where that helps. */
static bool augment(struct search *x, unsigned part)
{
	struct candidates *c = &x->parts[part];

	for (size_t i = 0; i < c->n; i++) {
		struct sched_board *b = c->p[i];
		int other = taker(x, b);

		if (b->mark == x->s->mark)
			continue;
		b->mark = x->s->mark;
		if (other >= 0) {
			if (!augment(x, (unsigned)other))
				continue;
		} else if (room_left(x, b->agent) <= 0) {
			unsigned k = 0;

			/* Another part of it that could go to another agent makes room. */
			while (k < x->n && (k == part || !x->got[k] ||
						   x->got[k]->agent != b->agent || !augment(x, k)))
				k++;
			if (k == x->n)
				continue;
		}
		x->got[part] = b;
		return true;
	}
	return false;
}

/* The number of parts that can have a board at once; got says which. */
static unsigned search(struct search *x, fits_fn *fits)
{
	unsigned found = 0;

	for (unsigned i = 0; i < x->n; i++) {
		x->got[i] = NULL;
		look(x->s, &x->parts[i], x->job, &x->job->class->wants[i], fits);
	}
	for (unsigned i = 0; i < x->n; i++) {
		x->s->mark++;
		found += augment(x, i);
	}
	return found;
}

/* ---- holding back ---- */

void several_drop(struct sched *s, struct sched_board *b)
{
	struct sched_job *job = b->held;

	if (!job)
		return;
	b->held = NULL;
	for (size_t i = 0; i < job->holds.n; i++)
		if (job->holds.p[i] == b) {
			vec_del(&job->holds, i);
			break;
		}
	for (size_t i = 0; !job->holds.n && i < s->holders.n; i++)
		if (s->holders.p[i] == job) {
			vec_del(&s->holders, i);
			break;
		}
}

void several_release(struct sched *s, struct sched_job *job)
{
	while (job->holds.n) {
		struct sched_board *b = job->holds.p[job->holds.n - 1];

		several_drop(s, b);
		board_list(s, b);
		sched_offer(s, b);
	}
}

static void hold(struct sched *s, struct sched_job *job, struct sched_board *b)
{
	if (b->held == job)
		return;
	several_drop(s, b);
	if (!job->holds.n)
		vec_push(&s->holders, job);
	vec_push(&job->holds, b);
	b->held = job;
	board_list(s, b);
}

static bool wanted(const struct search *x, const struct sched_board *b)
{
	return taker(x, b) >= 0;
}

/* Exactly the boards of the search are held. */
static void hold_found(struct sched *s, struct sched_job *job, const struct search *x)
{
	for (size_t i = 0; i < job->holds.n;) {
		struct sched_board *b = job->holds.p[i];

		if (wanted(x, b)) {
			i++;
			continue;
		}
		several_drop(s, b);
		board_list(s, b);
		sched_offer(s, b);
	}
	for (unsigned i = 0; i < x->n; i++)
		if (x->got[i])
			hold(s, job, x->got[i]);
}

int several_try(struct sched *s, struct sched_job *job, struct err *e)
{
	struct search x = {.s = s, .job = job, .n = job->class->n, .count_room = true};
	struct search later = {.s = s, .job = job, .n = job->class->n};
	int rc = 0;

	x.parts = later.parts = mem_array(x.n, sizeof *x.parts);
	if (search(&x, may_take) == x.n)
		rc = run_start(s, job, x.got, e) ? -1 : 1;
	else if (search(&later, at_work) == x.n)
		hold_found(s, job, &x);
	else
		several_release(s, job);
	free(x.parts);
	return rc;
}
