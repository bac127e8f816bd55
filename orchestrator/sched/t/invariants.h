/* SPDX-License-Identifier: MIT */
#ifndef SCHED_T_INVARIANTS_H
#define SCHED_T_INVARIANTS_H

/* What must be true of the scheduler between any two turns of test-sim.c. */

#include "sim.h"

/* Could that job begin on that board now? By its own reading of the rules. */
static bool could_begin(const struct sched_job *job, const struct sched_board *b)
{
	const struct want *want = &job->class->wants[0];
	struct board named;

	if (!b->present || !b->agent->online || b->part || b->state != BOARD_IDLE)
		return false;
	if (b->agent->max_jobs && b->agent->n_parts >= b->agent->max_jobs)
		return false;
	named = b->alike->board;
	named.name = b->name;
	if (!match_board(&w.x.types, &want->match, &named, NULL))
		return false;
	if (job->kind == KIND_HEALTH)
		return b->health != HEALTH_RETIRED;
	if (job->kind == KIND_LEASE)
		return b->health < HEALTH_MAINTENANCE;
	return b->health == HEALTH_GOOD ||
	       (b->health == HEALTH_UNKNOWN && strcmp(b->type, "alpha") != 0);
}

static void look_at_waiting(const struct sched_job *job)
{
	map_each (&w.x.sched->boards, it) {
		const struct sched_board *b = it->value;

		if (!could_begin(job, b) || job_refuses(job, b))
			continue;
		if (b->held && b->held->in_queue && b->held->class->n > 1 &&
			job_before(b->held, job))
			continue;
		broke("no job waits beside a board that it could have",
			"job %lld (%s, %s, %d attempts, avoids %zu, prio %d use %u), board %s, %s, "
			"held for %lld prio %d use %u",
			(long long)job->id, job_kind_names[job->kind], job->class->key,
			job->attempts, job->avoid.n, job->priority, job->who->in_use, b->name,
			board_health_name(b->health), b->held ? (long long)b->held->id : 0,
			b->held ? b->held->priority : 0, b->held ? b->held->who->in_use : 0);
	}
}

static void look_at_jobs(void)
{
	struct sched *s = w.x.sched;
	size_t queued = 0;

	ids_each(&s->jobs, slot)
	{
		const struct sched_job *job = slot->value;

		if (job->id > w.n_jobs)
			w.n_jobs = job->id;
		queued += job->in_queue;
		if (job->in_queue != (job->state == JOB_QUEUED) || job->state == JOB_DONE)
			broke("a job waits exactly when it is queued", "job %lld",
				(long long)job->id);
		if (job->attempts > SCHED_ATTEMPTS)
			broke("attempts have a bound", "job %lld", (long long)job->id);
		if ((job->run != NULL) != (job->state != JOB_QUEUED))
			broke("a job that runs has a run", "job %lld", (long long)job->id);
		if (job->in_queue && job->class->n == 1)
			look_at_waiting(job);
	}
	if (queued != s->n_queued)
		broke("the queue's length is known", "%zu, not %zu", s->n_queued, queued);
}

static void look_at_boards(void)
{
	struct sched *s = w.x.sched;
	unsigned parts[AGENTS] = {0}, use[3] = {0};
	static const char *const who[] = {"ann", "bob", "carl"};

	map_each (&s->boards, it) {
		const struct sched_board *b = it->value;
		struct sched_holder h;

		if ((b->part != NULL) != (b->state != BOARD_IDLE))
			broke("a board that is not idle has a part", "%s", b->name);
		if (b->held && (!b->held->in_queue || b->list != LIST_HELD))
			broke("a held board waits for a job that waits", "%s", b->name);
		if (sched_holder(s, b->name, &h) && h.lease && h.until_ms &&
			h.until_ms < w.x.now_ms)
			broke("a lease ends", "%s", b->name);
		if (!b->part)
			continue;
		if (b->part->board != b || (b->part->state == PART_ENDED && !b->part->lost))
			broke("a part has its board", "%s", b->name);
		parts[b->part->agent->name[0] - 'a']++;
		for (int i = 0; i < 3; i++)
			use[i] += b->part->run->job && b->part->state != PART_ENDED &&
				  !strcmp(b->part->run->job->who->name, who[i]);
	}
	for (int i = 0; i < AGENTS; i++) {
		const struct sched_agent *a = map_find(&s->agents, w.hosts[i].name);

		if (a->n_parts != parts[i] || (a->max_jobs && parts[i] > a->max_jobs))
			broke("an agent's parts are counted", "%s: %u, not %u", a->name, a->n_parts,
				parts[i]);
	}
	for (int i = 0; i < 3; i++) {
		const struct account *a = map_find(&s->accounts, who[i]);

		if (a && a->in_use != use[i])
			broke("boards in use are counted", "%s: %u, not %u", a->name, a->in_use,
				use[i]);
	}
}

static void look(void)
{
	look_at_jobs();
	look_at_boards();
}

static int look_at_end(void *arg, const struct store_job *job)
{
	bool late = job->last_run && w.late[job->last_run];
	/* What somebody canceled after it was given up stays so. */
	const char *said = job->last_run && !(late && !strcmp(job->verdict, "canceled"))
				   ? w.said[job->last_run]
				   : NULL;

	(void)arg;
	if (strcmp(job->state, "done") != 0 || w.ends[job->id] != 1) {
		broke("every job ends once", "job %lld: %s, %d times: %s", (long long)job->id,
			job->state, w.ends[job->id], waits(&w.x, job->id));
		return 0;
	}
	if (!strcmp(job->kind, "job") && said && !strcmp(said, "pass") &&
		strcmp(job->verdict, "pass") != 0)
		broke("what passed is a pass", "job %lld: %s", (long long)job->id, job->verdict);
	if (!strcmp(job->kind, "job") && said && !strcmp(said, "fail") &&
		strcmp(job->verdict, "fail") != 0)
		broke("what failed is a fail", "job %lld: %s", (long long)job->id, job->verdict);
	if (!strcmp(job->verdict, "incomplete") && job->blame && !strcmp(job->blame, "infra") &&
		!strcmp(job->kind, "job") && job->attempts != SCHED_ATTEMPTS)
		broke("the lab's fault is tried again", "job %lld: %lld attempts",
			(long long)job->id, (long long)job->attempts);
	return 0;
}

static void look_at_the_end(void)
{
	struct store_job_filter all = {0};
	struct err e = {0};

	if (store_jobs(w.x.store, &all, look_at_end, NULL, &e) < 0)
		DIE(&e);
	map_each (&w.x.sched->boards, it) {
		const struct sched_board *b = it->value;

		if (b->state != BOARD_IDLE || b->held)
			broke("at the end all boards are free", "%s", b->name);
	}
}

#endif
