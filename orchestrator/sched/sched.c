/* SPDX-License-Identifier: MIT */
/*
 * The controller's mind as a whole: its timers, and the end of every change. Invariant: between two
 * calls nothing is left to bring together, unless the store failed; then memory is worth nothing
 * until it is loaded again.
 */
#include "inner.h"

#include "base/clock.h"

/* ---- what came free or came in ---- */

void sched_offer(struct sched *s, struct sched_board *b)
{
	if (b->offered)
		return;
	b->offered = true;
	vec_push(&s->offers, b);
}

void sched_slot(struct sched *s, struct sched_agent *a)
{
	if (a->slot)
		return;
	a->slot = true;
	vec_push(&s->slots, a);
}

void sched_place(struct sched *s, struct sched_job *job)
{
	if (job->fresh)
		return;
	job->fresh = true;
	vec_push(&s->fresh, job);
}

void sched_rethink(struct sched *s)
{
	vec_each (&s->holders, job)
		sched_place(s, *job);
	vec_each (&s->again, job)
		sched_place(s, *job);
}

void sched_share(struct sched *s, struct account *who, int more)
{
	who->in_use += (unsigned)more;
	/* Others may come before those for whom boards are held back now. */
	vec_each (&s->holders, job)
		vec_each (&(*job)->holds, b)
			sched_offer(s, *b);
}

static int settle_one(struct sched *s, struct err *e)
{
	/* An agent with room for one more gives it to the first of all that it could run. */
	if (s->slots.n) {
		struct sched_agent *a = s->slots.p[--s->slots.n];

		a->slot = false;
		return choose_for_agent(s, a, e);
	}
	if (s->offers.n) {
		struct sched_board *b = s->offers.p[--s->offers.n];

		b->offered = false;
		return choose_for_board(s, b, e) < 0 ? -1 : 0;
	}
	if (s->fresh.n) {
		struct sched_job *job = s->fresh.p[--s->fresh.n];

		job->fresh = false;
		return choose_for_job(s, job, e);
	}
	return 1;
}

int sched_settle(struct sched *s, struct err *e)
{
	int rc;

	if (s->damaged)
		return err_set(e, BLAME_BUG, "the state was not loaded again after an error");
	do
		rc = settle_one(s, e);
	while (!rc);
	return rc < 0 ? -1 : 0;
}

int sched_store_failed(struct sched *s)
{
	s->damaged = true;
	return -1;
}

bool sched_damaged(const struct sched *s)
{
	return s->damaged;
}

struct account *sched_account(struct sched *s, const char *name)
{
	struct account *a = map_find(&s->accounts, name);

	if (a)
		return a;
	a = mem_alloc(sizeof *a);
	a->name = mem_strdup(name);
	map_set(&s->accounts, name, a);
	return a;
}

/* ---- time ---- */

void sched_timer(struct sched *s, struct timer *t, enum timer_kind kind, int64_t in_ms)
{
	heap_del(&s->timers, &t->item);
	t->kind = kind;
	t->item.key = clock_ms() + (in_ms > 0 ? in_ms : 0);
	heap_add(&s->timers, &t->item);
}

void sched_timer_stop(struct sched *s, struct timer *t)
{
	heap_del(&s->timers, &t->item);
}

int64_t sched_next_ms(const struct sched *s)
{
	const struct heap_item *top = heap_top(&s->timers);

	return top ? top->key : -1;
}

#define owner(item, type, member) ((type *)(void *)((char *)(item)-offsetof(type, member.item)))

static int on_timer(struct sched *s, struct heap_item *item, struct err *e)
{
	const struct timer *t = (const struct timer *)(const void *)item;

	heap_del(&s->timers, item);
	switch (t->kind) {
	case TIMER_JOB:
		return job_due(s, owner(item, struct sched_job, timer), e);
	case TIMER_LEASE:
		return lease_due(s, owner(item, struct lease, timer), e);
	case TIMER_AGENT:
		return agent_due(s, owner(item, struct sched_agent, timer), e);
	case TIMER_BOARD:
		return check_due(s, owner(item, struct sched_board, timer), e);
	}
	return 0;
}

int sched_tick(struct sched *s, struct err *e)
{
	int64_t now = clock_ms();
	struct heap_item *top;

	/* What a timer sets for now is of the next tick. */
	for (size_t left = s->timers.n; left && (top = heap_top(&s->timers)) && top->key <= now;
		left--)
		if (on_timer(s, top, e))
			return -1;
	return sched_settle(s, e);
}

/* ---- all of it ---- */

static void forget_all(struct sched *s)
{
	struct sched_hooks none = {0};

	s->hooks = none;
	s->offers.n = s->slots.n = s->fresh.n = 0;
	for (size_t i = 0; i < s->jobs.room;) { /* freeing moves others into their slots */
		struct sched_job *job = s->jobs.slots[i].value;

		if (job)
			job_free(s, job);
		else
			i++;
	}
	for (size_t i = 0; i < s->runs.room;) {
		struct sched_run *r = s->runs.slots[i].value;

		if (r)
			run_free(s, r);
		else
			i++;
	}
	map_each (&s->classes, it)
		class_free(it->value);
	map_each (&s->alikes, it)
		alike_free(it->value);
	map_each (&s->boards, it)
		board_free_memory(s, it->value);
	map_each (&s->agents, it)
		agent_free(s, it->value);
	map_each (&s->accounts, it) {
		struct account *a = it->value;

		free(a->name);
		free(a);
	}
	map_done(&s->classes);
	map_done(&s->alikes);
	map_done(&s->boards);
	map_done(&s->agents);
	map_done(&s->accounts);
	ids_done(&s->jobs);
	ids_done(&s->runs);
	heap_done(&s->timers);
	vec_done(&s->offers);
	vec_done(&s->slots);
	vec_done(&s->fresh);
	vec_done(&s->again);
	vec_done(&s->holders);
	s->n_queued = s->n_empty = 0;
	s->damaged = false;
}

int sched_reload(struct sched *s, struct err *e)
{
	struct sched_hooks hooks = s->hooks;

	forget_all(s);
	s->hooks = hooks;
	if (sched_load(s, e)) {
		s->damaged = true;
		return -1;
	}
	return sched_settle(s, e);
}

struct sched *sched_new(
	struct store *store, const struct types *types, const struct sched_hooks *h, struct err *e)
{
	struct sched *s = mem_alloc(sizeof *s);

	s->store = store;
	s->types = types;
	s->hooks = *h;
	/* Rises over restarts too, so that an old acknowledgement drops nothing new. */
	s->seq = clock_wall_ms() * 1000;
	if (!sched_reload(s, e))
		return s;
	sched_free(s);
	return NULL;
}

void sched_free(struct sched *s)
{
	if (!s)
		return;
	forget_all(s);
	free(s);
}
