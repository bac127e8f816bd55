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
	bool avoid;      /* boards that it avoids do not count */
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

static void look(struct search *x, struct candidates *c, const struct want *w, fits_fn *fits)
{
	const struct sched_job *job = x->job;

	c->n = 0;
	if (w->pin) {
		if (want_fits(x->s, w, w->pin) && fits(job, w->pin))
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

				if (fits(job, b) && !(x->avoid && job_avoids(job, b))) {
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

/* A board that no part has, of an agent with room. */
static struct sched_board *untaken(const struct search *x, unsigned part)
{
	const struct candidates *c = &x->parts[part];

	for (size_t i = 0; i < c->n; i++)
		if (c->p[i]->mark != x->s->mark && taker(x, c->p[i]) < 0 &&
			room_left(x, c->p[i]->agent) > 0)
			return c->p[i];
	return NULL;
}

static bool augment(struct search *x, unsigned part);

/* Can a part of that agent go to another agent? Then there is room for one more. */
static bool make_room(struct search *x, unsigned part, const struct sched_agent *a)
{
	for (unsigned k = 0; k < x->n; k++)
		if (k != part && x->got[k] && x->got[k]->agent == a && augment(x, k))
			return true;
	return false;
}

/* Finds part a board, moving other parts to other boards where that is needed. */
static bool augment(struct search *x, unsigned part)
{
	struct sched_board *free = untaken(x, part);
	struct candidates *c = &x->parts[part];

	if (free)
		free->mark = x->s->mark;
	for (size_t i = 0; !free && i < c->n; i++) {
		struct sched_board *b = c->p[i];
		int other = taker(x, b);

		if (b->mark == x->s->mark)
			continue;
		b->mark = x->s->mark;
		if (other >= 0 ? augment(x, (unsigned)other) : make_room(x, part, b->agent))
			free = b;
	}
	if (free)
		x->got[part] = free;
	return free != NULL;
}

/* The number of parts that can have a board at once; got says which. */
static unsigned search(struct search *x, fits_fn *fits)
{
	unsigned found = 0;

	for (unsigned i = 0; i < x->n; i++) {
		x->got[i] = NULL;
		look(x, &x->parts[i], &x->job->class->wants[i], fits);
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
	if (b->held)
		sched_rethink(s);
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

/* 1 started, 0 it holds what there is and waits for the rest, -1; 2: that would be in vain. */
static int try_once(struct sched *s, struct sched_job *job, bool avoid, struct err *e)
{
	struct search x = {
		.s = s, .job = job, .n = job->class->n, .count_room = true, .avoid = avoid};
	struct search later = {.s = s, .job = job, .n = job->class->n, .avoid = avoid};
	int rc = 2;

	x.parts = later.parts = mem_array(x.n, sizeof *x.parts);
	if (search(&x, may_take) == x.n)
		rc = run_start(s, job, x.got, e) ? -1 : 1;
	else if (search(&later, at_work) == x.n) {
		hold_found(s, job, &x);
		rc = 0;
	}
	free(x.parts);
	return rc;
}

int several_try(struct sched *s, struct sched_job *job, struct err *e)
{
	int rc = try_once(s, job, true, e);

	if (rc == 2 && job->avoid.n)
		rc = try_once(s, job, false, e);
	if (rc != 2)
		return rc;
	several_release(s, job);
	return 0;
}
