/* SPDX-License-Identifier: MIT */
/*
 * Leases: jobs of kind "lease" on one very board, whose plan is a session. Invariant: a lease is
 * over at its until or its hard end, whatever its session, its agent and its owner do; from then
 * on nobody has the board through it.
 */
#include "inner.h"

#include "base/clock.h"
#include "io/json.h"
#include "jobs/plan.h"

#include <string.h>

struct lease *lease_of(struct sched *s, struct sched_job *job, const char *board, const char *why,
	const char *params)
{
	AUTOJSON *j = params ? json_loads(params, 0, NULL) : NULL;
	struct lease *l = mem_alloc(sizeof *l);

	(void)s;
	l->job = job;
	l->board = mem_strdup(board);
	l->why = dup_text(why);
	l->for_ms = json_int(j, "for_ms", LEASE_FOR_MS);
	l->hard_for_ms = job->timeout_ms;
	job->lease = l;
	return l;
}

void lease_free(struct sched *s, struct lease *l)
{
	if (!l)
		return;
	sched_timer_stop(s, &l->timer);
	free(l->board);
	free(l->why);
	free(l);
}

static int save(struct sched *s, const struct lease *l, struct err *e)
{
	struct store_lease row = {
		l->job->id, l->board, l->job->who->name, l->why, l->until_ms, l->hard_ms};

	return store_lease_save(s->store, &row, e) ? sched_store_failed(s) : 0;
}

void lease_watch(struct sched *s, struct lease *l)
{
	if (l->until_ms)
		sched_timer(s, &l->timer, TIMER_LEASE, l->until_ms - clock_wall_ms());
}

/* Lines into a session are not stored: its end is told again, what was typed is lost. */
void lease_tell_until(struct sched *s, struct lease *l)
{
	struct sched_part *p = l->job->run ? &l->job->run->parts[0] : NULL;
	AUTOJSON *line = NULL;

	if (!p || p->state == PART_ENDED || !l->until_ms)
		return;
	line = json_pack("{s:s, s:I}", "kind", "until", "at", (json_int_t)l->until_ms);
	command_inbox(s, p, p->inbox_n + 1, line);
}

int lease_begun(struct sched *s, struct sched_job *job, struct err *e)
{
	struct lease *l = job->lease;
	int64_t now = clock_wall_ms();

	l->hard_ms = now + l->hard_for_ms;
	l->until_ms = now + l->for_ms;
	lease_watch(s, l);
	lease_tell_until(s, l);
	tell_lease(s, l, "begun");
	return save(s, l, e);
}

int lease_due(struct sched *s, struct lease *l, struct err *e)
{
	if (clock_wall_ms() < l->until_ms) {
		lease_watch(s, l);
		return 0;
	}
	return job_stop(s, l->job, NULL, "the lease was over", e);
}

/* ---- taking one ---- */

static struct lease *lease_on(const struct sched_board *b)
{
	struct sched_job *job = b && b->part && b->part->run ? b->part->run->job : NULL;

	return job && job->lease && job->state != JOB_CANCELING ? job->lease : NULL;
}

static int check_times(
	const struct sched_reserve *r, int64_t *for_ms, int64_t *hard_ms, struct err *e)
{
	char text[40];

	*hard_ms = r->hard_ms ? r->hard_ms : LEASE_HARD_MS;
	*for_ms = r->for_ms ? r->for_ms : LEASE_FOR_MS;
	if (*for_ms > *hard_ms && !r->for_ms)
		*for_ms = *hard_ms;
	if (*hard_ms < 1000 || *hard_ms > LEASE_HARD_MS || *for_ms < 1000 || *for_ms > *hard_ms)
		return err_set(e, BLAME_JOB, "a lease is for 1 s up to its hard end, which is %s",
			str_format_ms(*hard_ms > LEASE_HARD_MS ? LEASE_HARD_MS : *hard_ms, text,
				sizeof text));
	return 0;
}

static int held_by(const struct sched_board *b, struct err *e)
{
	const struct sched_job *job = b->part ? b->part->run->job : NULL;
	char until[CLOCK_ISO_BYTES];

	if (job && job->lease)
		return err_set(e, BLAME_JOB, "board '%s' is leased by %s until %s", b->name,
			job->who->name, clock_iso(job->lease->until_ms, until, sizeof until));
	if (job)
		return err_set(e, BLAME_JOB, "board '%s' is busy with job %lld of %s", b->name,
			(long long)job->id, job->who->name);
	if (b->part)
		return err_set(e, BLAME_JOB,
			"board '%s' may still be in the hands of agent '%s', which does not answer",
			b->name, b->agent->name);
	if (!b->agent->online)
		return err_set(e, BLAME_JOB, "board '%s': its agent '%s' is offline", b->name,
			b->agent->name);
	if (!agent_room(b->agent))
		return err_set(e, BLAME_JOB, "board '%s': its agent '%s' runs %u jobs, its limit",
			b->name, b->agent->name, b->agent->n_parts);
	return err_set(e, BLAME_JOB, "board '%s' is kept free for job %lld of %s", b->name,
		(long long)b->held->id, b->held->who->name);
}

static int check_board(
	struct sched *s, const struct sched_reserve *r, struct sched_board *b, struct err *e)
{
	const struct lease *l = lease_on(b);

	(void)s;
	if (!b || !b->stored || !b->present)
		return err_set(e, BLAME_JOB, "there is no board '%s'", r->board);
	if (b->health == HEALTH_RETIRED ||
		(b->health == HEALTH_MAINTENANCE && (!b->who || strcmp(b->who, r->owner) != 0)))
		return err_set(e, BLAME_JOB, "board '%s' is in %s%s%s%s%s", b->name,
			board_health_name(b->health), b->who ? " by " : "", b->who ? b->who : "",
			b->reason ? ": " : "", b->reason ? b->reason : "");
	if (l && !strcmp(l->job->who->name, r->owner))
		return err_set(
			e, BLAME_JOB, "board '%s' is leased by %s already", b->name, r->owner);
	if (r->wait || r->take_over)
		return 0;
	if (board_free(b) && agent_room(b->agent) && !b->held)
		return 0;
	return held_by(b, e);
}

static char *session_plans(const char *board, int64_t hard_ms)
{
	AUTOJSON *j = json_pack("[{s:n, s:{s:i, s:b, s:s, s:I, s:{s:s}, s:{}, s:[], s:[]}}]",
		"role", "plan", "plan", PLAN_VERSION, "session", 1, "job", "lease", "timeout_ms",
		(json_int_t)hard_ms, "board", "name", board, "params", "images", "steps");

	return json_dumps(j, JSON_COMPACT | JSON_PRESERVE_ORDER);
}

static int submit(struct sched *s, const struct sched_reserve *r, int64_t for_ms, int64_t hard_ms,
	struct sched_job **job, struct err *e)
{
	AUTOFREE char *plans = session_plans(r->board, hard_ms);
	AUTOJSON *wants = json_pack("[{s:s, s:O*}]", "name", r->board, "labs", (json_t *)r->labs);
	AUTOJSON *params = json_pack("{s:I}", "for_ms", (json_int_t)for_ms);
	AUTOFREE char *want = json_dumps(wants, JSON_COMPACT);
	AUTOFREE char *param = json_dumps(params, JSON_COMPACT);
	struct store_job row = {
		.name = "lease",
		.kind = job_kind_names[KIND_LEASE],
		.submitter = r->owner,
		.priority = r->take_over ? 100 : 0,
		.params = param,
		.plans = plans,
		.wants = want,
		.timeout_ms = hard_ms,
	};

	if (job_submit(s, &row, job, e))
		return -1;
	return save(s, lease_of(s, *job, r->board, r->why, param), e);
}

int sched_lease(struct sched *s, const struct sched_reserve *r, int64_t *job, struct err *e)
{
	struct sched_board *b = map_find(&s->boards, r->board);
	struct sched_job *new;
	int64_t for_ms, hard_ms;
	struct lease *old;

	if (check_times(r, &for_ms, &hard_ms, e) || check_board(s, r, b, e))
		return -1;
	old = lease_on(b);
	if (submit(s, r, for_ms, hard_ms, &new, e))
		return -1;
	*job = new->id;
	if (r->take_over && old) {
		AUTOFREE char *why = mem_printf("the board was taken over by %s", r->owner);

		if (job_stop(s, old->job, NULL, why, e))
			return -1;
	}
	return sched_settle(s, e);
}

static struct lease *get(const struct sched *s, const char *board, struct err *e)
{
	struct lease *l = lease_on(map_find(&s->boards, board));

	if (!l)
		err_set(e, BLAME_JOB, "board '%s' is not leased", board);
	return l;
}

int sched_lease_renew(struct sched *s, const char *board, const char *owner, int64_t for_ms,
	int64_t *until_ms, struct err *e)
{
	struct lease *l = get(s, board, e);
	int64_t until = clock_wall_ms() + (for_ms ? for_ms : LEASE_FOR_MS);

	if (!l)
		return -1;
	if (strcmp(l->job->who->name, owner) != 0)
		return err_set(
			e, BLAME_JOB, "board '%s' is leased by %s", board, l->job->who->name);
	if (for_ms < 0)
		return err_set(e, BLAME_JOB, "a lease is not renewed for less than nothing");
	l->until_ms = until < l->hard_ms ? until : l->hard_ms;
	lease_watch(s, l);
	lease_tell_until(s, l);
	tell_lease(s, l, "renewed");
	if (save(s, l, e))
		return -1;
	*until_ms = l->until_ms;
	return 0;
}

int sched_lease_end(struct sched *s, const char *board, const char *who, struct err *e)
{
	struct lease *l = get(s, board, e);
	AUTOFREE char *why = mem_printf("released by %s", who);

	if (!l || job_stop(s, l->job, NULL, why, e))
		return -1;
	return sched_settle(s, e);
}

int sched_lease_do(struct sched *s, const char *board, json_t *line, struct err *e)
{
	struct lease *l = get(s, board, e);
	struct sched_part *p;

	if (!l)
		return -1;
	p = &l->job->run->parts[0];
	if (p->state != PART_RUNNING)
		return err_set(e, BLAME_INFRA, "board '%s': its session has not begun", board);
	if (!p->agent->online)
		return err_set(e, BLAME_INFRA, "board '%s': its agent '%s' is offline", board,
			p->agent->name);
	if (p->agent->n_typed >= TYPED_MAX)
		return err_set(e, BLAME_INFRA,
			"board '%s': its agent '%s' does not fetch what is typed", board,
			p->agent->name);
	command_inbox(s, p, p->inbox_n + 1, line);
	return 0;
}

bool sched_holder(const struct sched *s, const char *board, struct sched_holder *out)
{
	const struct sched_board *b = map_find(&s->boards, board);
	const struct sched_part *p = b ? b->part : NULL;
	const struct sched_job *job = p ? p->run->job : NULL;
	const struct lease *l = lease_on(b);

	if (!b || !b->stored)
		return false;
	*out = (struct sched_holder){.run = p ? p->run->id : 0, .job = p ? p->run->job_id : 0};
	if (!job)
		return true;
	out->owner = job->who->name;
	out->lease = l != NULL;
	out->session_up = l && p->state == PART_RUNNING;
	out->until_ms = l ? l->until_ms : 0;
	return true;
}
