/* SPDX-License-Identifier: MIT */
/*
 * Health checks: jobs of kind "health" on one board. Invariant: a board has at most one that waits
 * or runs. When the next is due follows from what is stored: the longer a board has been bad, the
 * longer it is left alone.
 */
#include "inner.h"

#include "base/clock.h"
#include "io/json.h"

static int64_t due_wall_ms(const struct sched_board *b, int64_t every_ms)
{
	int64_t bad_for_ms = b->checked_ms - b->since_ms, last = b->checked_ms;

	switch (b->health) {
	case HEALTH_GOOD:
		if (!every_ms)
			return 0;
		return (last > b->since_ms ? last : b->since_ms) + every_ms;
	case HEALTH_UNKNOWN:
	case HEALTH_BAD:
		if (b->health == HEALTH_UNKNOWN && last < b->since_ms)
			return b->since_ms; /* at once */
		if (bad_for_ms < SCHED_BACKOFF_MS)
			bad_for_ms = SCHED_BACKOFF_MS;
		return (last > b->since_ms ? last : b->since_ms) +
		       (bad_for_ms < BACKOFF_MAX_MS ? bad_for_ms : BACKOFF_MAX_MS);
	default:
		return 0;
	}
}

static char *check_path(struct sched *s, const struct sched_board *b, int64_t *every_ms)
{
	*every_ms = 0;
	return s->hooks.health_job && s->hooks.compile && b->type
		       ? s->hooks.health_job(s->hooks.arg, b->type, every_ms)
		       : NULL;
}

void check_plan(struct sched *s, struct sched_board *b)
{
	int64_t due, every_ms;
	AUTOFREE char *path = check_path(s, b, &every_ms);

	if (b->checkable != (path != NULL)) {
		b->checkable = path != NULL;
		board_list(s, b);
	}
	due = b->checkable && b->present && !b->check ? due_wall_ms(b, every_ms) : 0;
	if (due)
		sched_timer(s, &b->timer, TIMER_BOARD, due - clock_wall_ms());
	else
		sched_timer_stop(s, &b->timer);
}

static int submit(struct sched *s, struct sched_board *b, const char *path, const char *who,
	struct sched_job **job, struct err *e)
{
	AUTOJSON *wants = json_pack("[{s:s}]", "name", b->name);
	AUTOFREE char *want = json_dumps(wants, JSON_COMPACT);
	struct store_job row = {0};
	struct arena a = {0};
	int rc = s->hooks.compile(s->hooks.arg, &a, path, b->name, &row, e);

	if (!rc) {
		row.kind = job_kind_names[KIND_HEALTH];
		row.submitter = who;
		row.priority = 100;
		row.wants = want;
		row.queue_timeout_ms = CHECK_WAITS_MS;
		rc = job_submit(s, &row, job, e);
	}
	arena_done(&a);
	return rc;
}

static int start(
	struct sched *s, struct sched_board *b, const char *who, int64_t *id, struct err *e)
{
	int64_t every_ms;
	AUTOFREE char *path = check_path(s, b, &every_ms);
	struct sched_job *job = b->check;

	if (!path)
		return err_set(e, BLAME_JOB, "boards of type '%s' have no health check", b->type);
	if (!job && submit(s, b, path, who, &job, e))
		return err_wrap(e, "health check of board '%s'", b->name);
	sched_timer_stop(s, &b->timer);
	*id = job->id;
	return 0;
}

int check_due(struct sched *s, struct sched_board *b, struct err *e)
{
	struct err why = {0};
	int64_t id;

	if (!b->present || !b->agent->online || b->check)
		return 0; /* planned again when that changes */
	if (!start(s, b, SCHED_SELF, &id, &why))
		return 0;
	if (s->damaged) {
		*e = why;
		return -1;
	}
	/* A check that cannot be made says nothing of the board, but somebody has to see it. */
	set_text(&b->reason, why.msg);
	b->checked_ms = clock_wall_ms();
	check_plan(s, b);
	tell_board(s, b);
	return board_save(s, b, e);
}

int sched_board_check(
	struct sched *s, const char *board, const char *who, int64_t *job, struct err *e)
{
	struct sched_board *b = map_find(&s->boards, board);
	int64_t id;

	if (!b || !b->stored || !b->present)
		return err_set(e, BLAME_JOB, "there is no board '%s'", board);
	if (start(s, b, who, &id, e) || sched_settle(s, e))
		return -1;
	*job = id;
	return 0;
}
