/* SPDX-License-Identifier: MIT */
/*
 * Which job a free board gets, and which free board a job. Invariant: when these have looked at all
 * that came free or came in, no job waits beside a board that it could have, but for a board that
 * is held back for a job that comes before it.
 */
#include "inner.h"

/* A class head that wants the board, in the order of jobs. */
struct heads {
	struct sched_job *p[8]; /* the best so far; more are found by asking again */
	size_t n;
};

static void consider(struct heads *h, struct sched_job *job, const struct sched_job *after,
	struct sched_board *b)
{
	size_t at = h->n;

	if (!job || !board_takes(b, job) || (after && !job_before(after, job)))
		return;
	if (b->held && b->held != job && !job_before(job, b->held))
		return;
	while (at && job_before(job, h->p[at - 1]))
		at--;
	if (at == ARRAY_LEN(h->p))
		return;
	if (h->n == ARRAY_LEN(h->p))
		h->n--;
	for (size_t i = h->n; i > at; i--)
		h->p[i] = h->p[i - 1];
	h->p[at] = job;
	h->n++;
}

/* The first of the jobs at the heads of classes that come after that one (NULL: all). */
static void find_heads(struct heads *h, struct sched_board *b, const struct sched_job *after)
{
	h->n = 0;
	vec_each (&b->pins, c)
		if ((*c)->n_jobs)
			consider(h, class_best(*c, b), after, b);
	if (!board_serves(b))
		return;
	vec_each (&b->alike->classes, c)
		if ((*c)->n_jobs)
			consider(h, class_best(*c, b), after, b);
}

static int try_job(struct sched *s, struct sched_job *job, struct sched_board *b, struct err *e)
{
	if (job->class->n > 1)
		return several_try(s, job, e);
	if (!agent_room(b->agent) || !want_fits(s, &job->class->wants[0], b))
		return 0;
	return run_start(s, job, &b, e) ? -1 : 1;
}

int choose_for_board(struct sched *s, struct sched_board *b, struct err *e)
{
	const struct sched_job *after = NULL;
	struct heads h;

	if (!board_free(b) || !agent_room(b->agent))
		return 0;
	do {
		find_heads(&h, b, after);
		for (size_t i = 0; i < h.n; i++) {
			int rc = try_job(s, h.p[i], b, e);

			if (rc < 0)
				return -1;
			if (rc) { /* with this board or others: shares have changed */
				sched_offer(s, b);
				return 1;
			}
			if (b->held == h.p[i])
				return 0;
			after = h.p[i];
		}
	} while (h.n == ARRAY_LEN(h.p));
	return 0;
}

/* The first job that one of the agent's boards could begin with. */
static struct sched_board *best_board(struct sched_agent *a)
{
	struct sched_board *best = NULL;
	struct sched_job *first = NULL;
	struct heads h;

	vec_each (&a->pools, pool) {
		struct sched_board *b = (*pool)->idle ? (*pool)->idle : (*pool)->held;

		if (!b || b->passed)
			continue;
		find_heads(&h, b, NULL);
		if (h.n && (!first || job_before(h.p[0], first))) {
			first = h.p[0];
			best = b;
		}
	}
	vec_each (&a->boards, it) {
		struct sched_board *b = *it;

		if (!b->pins.n || b->passed || !board_free(b))
			continue;
		find_heads(&h, b, NULL);
		if (h.n && (!first || job_before(h.p[0], first))) {
			first = h.p[0];
			best = b;
		}
	}
	return best;
}

int choose_for_agent(struct sched *s, struct sched_agent *a, struct err *e)
{
	struct sched_board *b;
	int rc = 0;

	vec_each (&a->boards, it)
		(*it)->passed = false;
	while (rc >= 0 && a->online && agent_room(a) && (b = best_board(a))) {
		rc = choose_for_board(s, b, e);
		b->passed = true; /* what it did not take now it does not take */
	}
	/* Those that avoid boards are passed over where boards are looked at by their likes. */
	vec_each (&s->again, job)
		sched_place(s, *job);
	return rc < 0 ? -1 : 0;
}

/* ---- a board for a job ---- */

static struct sched_board *first_of(struct pool *pool, const struct sched_job *job)
{
	for (struct sched_board *b = pool->idle; b; b = b->next)
		if (!job->avoid.n || !job_refuses(job, b))
			return b;
	for (struct sched_board *b = pool->held; b; b = b->next)
		if (job_before(job, b->held) && (!job->avoid.n || !job_refuses(job, b)))
			return b;
	return NULL;
}

/* Of boards that nobody waits for, one on the agent that does the least. */
static struct sched_board *find_board(struct sched *s, const struct sched_job *job)
{
	const struct want *w = &job->class->wants[0];
	struct sched_board *best = NULL;

	if (w->pin) {
		struct sched_board *b = w->pin;

		return board_takes(b, job) && agent_room(b->agent) && want_fits(s, w, b) &&
				       (!b->held || job_before(job, b->held))
			       ? b
			       : NULL;
	}
	vec_each (&w->alikes, k)
		vec_each (&(*k)->pools, pool) {
			const struct sched_agent *a = (*pool)->agent;
			struct sched_board *b;

			if (!a->online || !agent_room(a) ||
				(best && a->n_parts >= best->agent->n_parts))
				continue;
			b = first_of(*pool, job);
			best = b ? b : best;
		}
	return best;
}

int choose_for_job(struct sched *s, struct sched_job *job, struct err *e)
{
	struct sched_board *b;

	if (!job->in_queue)
		return 0;
	if (job->class->n > 1)
		return several_try(s, job, e) < 0 ? -1 : 0;
	b = find_board(s, job);
	return b ? run_start(s, job, &b, e) : 0;
}
