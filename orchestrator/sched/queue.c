/* SPDX-License-Identifier: MIT */
/*
 * The order in which jobs wait: priority, then the submitter with the fewest boards in use, then
 * age. Invariant: a queued job is in exactly one queue of its class, which holds its submitter's
 * jobs of that priority, oldest first; what others use changes only which head is taken.
 */
#include "inner.h"

#include <string.h>

bool job_before(const struct sched_job *a, const struct sched_job *b)
{
	if ((a->kind == KIND_HEALTH) != (b->kind == KIND_HEALTH))
		return a->kind == KIND_HEALTH;
	if (a->priority != b->priority)
		return a->priority > b->priority;
	if (a->who->in_use != b->who->in_use)
		return a->who->in_use < b->who->in_use;
	return a->id < b->id;
}

static struct queue *queue_of(struct class *c, const struct sched_job *job)
{
	vec_each (&c->queues, q)
		if (q->priority == job->priority && q->who == job->who)
			return q;
	vec_push(&c->queues, ((struct queue){job->priority, job->who, NULL, NULL}));
	return &c->queues.p[c->queues.n - 1];
}

void queue_add(struct sched *s, struct sched_job *job)
{
	struct queue *q = queue_of(job->class, job);
	struct sched_job *after = q->last;

	/* New ones are the youngest; one that comes again goes where its age puts it. */
	if (after && after->id > job->id && q->first->id > job->id)
		after = NULL;
	while (after && after->id > job->id)
		after = after->prev;
	job->prev = after;
	job->next = after ? after->next : q->first;
	*(job->next ? &job->next->prev : &q->last) = job;
	*(after ? &after->next : &q->first) = job;
	job->in_queue = true;
	job->class->n_jobs++;
	s->n_queued++;
	if (job->avoid.n)
		vec_push(&s->again, job);
}

void queue_del(struct sched *s, struct sched_job *job)
{
	struct class *c = job->class;
	struct queue *q;

	if (!job->in_queue)
		return;
	q = queue_of(c, job);
	*(job->prev ? &job->prev->next : &q->first) = job->next;
	*(job->next ? &job->next->prev : &q->last) = job->prev;
	job->next = job->prev = NULL;
	job->in_queue = false;
	if (!q->first) {
		*q = c->queues.p[c->queues.n - 1];
		c->queues.n--;
	}
	c->n_jobs--;
	s->n_queued--;
	for (size_t i = 0; job->avoid.n && i < s->again.n; i++)
		if (s->again.p[i] == job) {
			vec_del(&s->again, i);
			break;
		}
}

bool job_avoids(const struct sched_job *job, const struct sched_board *b)
{
	vec_each (&job->avoid, it)
		if (*it == b)
			return true;
	return false;
}

/* Is there a board in service that it does not avoid? Then it waits for that one. */
static bool has_other(const struct sched_job *job)
{
	const struct want *w = &job->class->wants[0];

	if (w->pin)
		return false;
	vec_each (&w->alikes, k)
		vec_each (&(*k)->pools, pool)
			vec_each (&(*pool)->boards, b)
				if (board_serves(*b) && (*b)->agent->online && !job_avoids(job, *b))
					return true;
	return false;
}

bool job_refuses(const struct sched_job *job, const struct sched_board *b)
{
	return job->avoid.n && job_avoids(job, b) && has_other(job);
}

struct sched_job *class_best(const struct class *c, const struct sched_board *b)
{
	struct sched_job *best = NULL;

	vec_each (&c->queues, q) {
		struct sched_job *job = q->first;

		while (job && c->n == 1 && job->avoid.n && job_refuses(job, b))
			job = job->next;
		if (job && (!best || job_before(job, best)))
			best = job;
	}
	return best;
}
