/* SPDX-License-Identifier: MIT */
/* What a queued job waits for, in words. Invariant: it is read from what the choice is made from,
 * so that it cannot say something else than what happens. */
#include "inner.h"

#include "base/clock.h"

#include <string.h>

struct tally {
	unsigned all, busy, leased, lost, held, full, offline, ill, maintenance, free;
	int64_t due_ms; /* when the first of the busy and leased ones must be free; 0: not known */
	const struct sched_job *holder;
	const struct sched_board *one; /* any of them */
};

static void count_part(struct tally *t, const struct sched_part *p)
{
	const struct sched_job *job = p->run->job;
	int64_t due;

	if (!job) {
		t->lost++;
		return;
	}
	due = job->lease ? job->lease->until_ms : p->assigned_ms + job->timeout_ms;
	if (job->lease)
		t->leased++;
	else
		t->busy++;
	if (!t->due_ms || due < t->due_ms)
		t->due_ms = due;
}

static void count(struct tally *t, const struct sched_job *job, const struct sched_board *b)
{
	t->all++;
	t->one = b;
	if (!b->agent->online)
		t->offline++;
	else if (b->health >= HEALTH_MAINTENANCE)
		t->maintenance++;
	else if (b->part)
		count_part(t, b->part);
	else if (job->kind == KIND_JOB && !board_serves(b))
		t->ill++;
	else if (!agent_room(b->agent))
		t->full++;
	else if (b->held && b->held != job && !job_before(job, b->held)) {
		t->held++;
		t->holder = b->held;
	} else
		t->free++;
}

static void count_want(
	const struct sched *s, struct tally *t, const struct sched_job *job, const struct want *w)
{
	if (w->pin) {
		if (w->pin->present && want_fits(s, w, w->pin))
			count(t, job, w->pin);
		return;
	}
	vec_each (&w->alikes, k)
		vec_each (&(*k)->pools, pool)
			vec_each (&(*pool)->boards, b)
				count(t, job, *b);
}

/* ---- words ---- */

static void put_words(struct buf *out, const char *one, const struct param_strings *words)
{
	for (size_t i = 0; i < words->n; i++)
		buf_printf(out, "%s '%s'", i ? "," : one, words->p[i]);
}

static void put_want(struct buf *out, const struct want *w)
{
	const struct match *m = &w->match;

	if (m->type)
		buf_printf(out, " of type '%s'", m->type);
	if (m->soc)
		buf_printf(out, " with soc '%s'", m->soc);
	put_words(out, " with", &m->peripherals);
	put_words(out, " tagged", &m->tags);
	put_words(out, " in lab", &w->labs);
}

static void put_none(const struct sched *s, struct buf *out, const struct want *w)
{
	const struct sched_board *b = w->pin;
	struct board named;

	if (!b) {
		buf_puts(out, "no board");
		put_want(out, w);
		buf_puts(out, " is known");
	} else if (!want_in(w, b->lab)) {
		buf_printf(out, "board '%s' is not known", b->name); /* to whom it is not shown */
	} else if (!b->present || !b->alike) {
		buf_printf(out,
			b->stored ? "board '%s' is not in any lab now" : "board '%s' is not known",
			b->name);
	} else {
		named = b->alike->board;
		named.name = b->name;
		buf_printf(out, "board '%s' ", b->name);
		match_board(s->types, &w->match, &named, out);
	}
}

static void put_count(struct buf *out, unsigned n, const char *what, bool *any)
{
	if (!n)
		return;
	buf_printf(out, "%s%u %s", *any ? ", " : "", n, what);
	*any = true;
}

static void put_tally(struct buf *out, const struct tally *t, const struct want *w)
{
	int64_t due_ms = t->due_ms ? t->due_ms - clock_wall_ms() : 0;
	char text[40];
	bool any = false;

	if (w->pin)
		buf_printf(out, "board '%s': ", w->pin->name);
	else {
		buf_printf(out, "%u board%s", t->all, t->all == 1 ? "" : "s");
		put_want(out, w);
		buf_puts(out, ": ");
	}
	put_count(out, t->busy, "busy", &any);
	put_count(out, t->leased, "leased", &any);
	put_count(out, t->offline, "offline", &any);
	put_count(out, t->ill, "waiting for a health check to pass", &any);
	put_count(out, t->maintenance, "in maintenance or retired", &any);
	put_count(out, t->full, "on an agent that runs as many jobs as it may", &any);
	put_count(out, t->lost, "in the hands of an agent that does not answer", &any);
	put_count(out, t->held, "kept free for a job of several boards", &any);
	put_count(out, t->free, "free", &any);
	if (due_ms > 0)
		buf_printf(
			out, "; the first is due in %s", str_format_ms(due_ms, text, sizeof text));
}

/* Queued jobs that come before it and ask for the same boards. */
static unsigned before(const struct class *c, const struct sched_job *job)
{
	unsigned n = 0;

	vec_each (&c->queues, q)
		for (const struct sched_job *it = q->first; it; it = it->next)
			n += it != job && job_before(it, job);
	return n;
}

static bool meets(const struct class *c, const struct class *other)
{
	const struct want *w = &c->wants[0];

	for (unsigned i = 0; i < other->n; i++) {
		if (w->pin && other->wants[i].pin == w->pin)
			return true;
		vec_each (&w->alikes, k)
			vec_each (&other->wants[i].alikes, it)
				if (*it == *k)
					return true;
	}
	return false;
}

void sched_waits(const struct sched *s, int64_t id, struct buf *out)
{
	const struct sched_job *job = ids_find(&s->jobs, id);
	const struct want *worst;
	struct tally least = {0};
	unsigned ahead = 0;

	if (!job || job->state != JOB_QUEUED)
		return;
	/* Of several parts, the one with the fewest boards that it could have now. */
	worst = &job->class->wants[0];
	for (unsigned i = 0; i < job->class->n; i++) {
		struct tally t = {0};

		count_want(s, &t, job, &job->class->wants[i]);
		if (!i || t.free < least.free || (!t.all && least.all)) {
			least = t;
			worst = &job->class->wants[i];
		}
	}
	if (job->roles && job->roles[worst - job->class->wants])
		buf_printf(out, "%s: ", job->roles[worst - job->class->wants]);
	if (!least.all) {
		put_none(s, out, worst);
		return;
	}
	put_tally(out, &least, worst);
	map_each (&s->classes, it) {
		const struct class *c = it->value;

		if (c->n_jobs && meets(job->class, c))
			ahead += before(c, job);
	}
	if (ahead)
		buf_printf(out, "; behind %u job%s", ahead, ahead == 1 ? "" : "s");
}
