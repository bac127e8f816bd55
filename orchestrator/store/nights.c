/* SPDX-License-Identifier: MIT */
/*
 * Nightlies, the schedules that start them, and builds. Invariant: what a nightly was expanded to
 * is a shared text (content.c), which every night of an unchanged plan keeps once.
 */
#include "inner.h"

#include "control.h"

static int nightly_add(struct store *s, const struct store_nightly *n, struct err *e)
{
	sqlite3_stmt *st;
	int64_t entries;

	if (store_content(s, n->entries, &entries, e))
		return -1;
	st = store_stmt(s, SQL_NIGHTLY_ADD, e);
	store_bind_text(st, 1, n->plan);
	store_bind_text(st, 2, n->submitter);
	store_bind_id(st, 3, entries);
	sqlite3_bind_int64(st, 4, n->started_ms);
	sqlite3_bind_int64(st, 5, n->deadline_ms);
	sqlite3_bind_int64(st, 6, n->ended_ms);
	store_bind_text(st, 7, n->verdict);
	store_bind_text(st, 8, n->policy);
	return store_step(s, st, "add a nightly", e);
}

int store_nightly_add(struct store *s, struct store_nightly *n, struct err *e)
{
	int64_t id;

	if (store_begin(s, e))
		return -1;
	if (nightly_add(s, n, e)) {
		store_rollback(s);
		return -1;
	}
	id = sqlite3_last_insert_rowid(s->db);
	if (store_commit(s, e))
		return -1;
	n->id = id;
	return 0;
}

int store_nightly_save(struct store *s, const struct store_nightly *n, struct err *e)
{
	sqlite3_stmt *st = store_write(s, SQL_NIGHTLY_SAVE, e);
	int changed;

	sqlite3_bind_int64(st, 1, n->id);
	sqlite3_bind_int64(st, 2, n->started_ms);
	sqlite3_bind_int64(st, 3, n->deadline_ms);
	sqlite3_bind_int64(st, 4, n->ended_ms);
	store_bind_text(st, 5, n->verdict);
	changed = store_step_changes(s, st, "save a nightly", e);
	if (!changed)
		return err_set(e, BLAME_BUG, "store '%s': there is no nightly %lld", s->path,
			(long long)n->id);
	return changed < 0 ? -1 : 0;
}

static struct store_nightly nightly_row(sqlite3_stmt *st)
{
	return (struct store_nightly){
		.id = sqlite3_column_int64(st, 0),
		.plan = store_text(st, 1),
		.submitter = store_text(st, 2),
		.started_ms = sqlite3_column_int64(st, 3),
		.deadline_ms = sqlite3_column_int64(st, 4),
		.ended_ms = sqlite3_column_int64(st, 5),
		.verdict = store_text(st, 6),
	};
}

int store_nightly_get(struct store *s, int64_t id, store_nightly_fn *fn, void *arg, struct err *e)
{
	sqlite3_stmt *st = store_stmt(s, SQL_NIGHTLY_GET, e);
	int answer = 0;

	sqlite3_bind_int64(st, 1, id);
	while (store_row(s, st, &answer, e)) {
		struct store_nightly n = nightly_row(st);

		n.entries = store_text(st, 7);
		n.policy = store_text(st, 8);
		answer = fn(arg, &n);
		answer = answer ? answer : 1;
	}
	return answer;
}

int store_nightlies(struct store *s, const char *plan, bool open, int64_t limit,
	store_nightly_fn *fn, void *arg, struct err *e)
{
	sqlite3_stmt *st = store_stmt(s, SQL_NIGHTLIES, e);
	int answer = 0;

	store_bind_text(st, 1, plan);
	sqlite3_bind_int(st, 2, open);
	sqlite3_bind_int64(st, 3, limit > 0 ? limit : -1);
	while (store_row(s, st, &answer, e)) {
		struct store_nightly n = nightly_row(st);

		answer = fn(arg, &n);
	}
	return answer;
}

int store_nightlies_unjudged(struct store *s, store_nightly_fn *fn, void *arg, struct err *e)
{
	sqlite3_stmt *st = store_stmt(s, SQL_NIGHTLIES_UNJUDGED, e);
	int answer = 0;

	while (store_row(s, st, &answer, e)) {
		struct store_nightly n = nightly_row(st);

		answer = fn(arg, &n);
	}
	return answer;
}

int store_nightly_judged(struct store *s, int64_t id, struct err *e)
{
	sqlite3_stmt *st = store_write(s, SQL_NIGHTLY_JUDGED, e);

	sqlite3_bind_int64(st, 1, id);
	return store_step(s, st, "say that a nightly was judged", e);
}

static int schedule_save(struct store *s, const struct store_schedule *c, struct err *e)
{
	sqlite3_stmt *st;
	int64_t entries;

	if (store_content(s, c->entries, &entries, e))
		return -1;
	st = store_stmt(s, SQL_SCHEDULE_SAVE, e);
	store_bind_text(st, 1, c->plan);
	store_bind_text(st, 2, c->cron);
	store_bind_text(st, 3, c->submitter);
	store_bind_id(st, 4, entries);
	sqlite3_bind_int64(st, 5, c->deadline_ms);
	sqlite3_bind_int64(st, 6, c->last_ms);
	store_bind_text(st, 7, c->policy);
	return store_step(s, st, "save a schedule", e);
}

int store_schedule_save(struct store *s, const struct store_schedule *c, struct err *e)
{
	if (store_begin(s, e))
		return -1;
	if (!schedule_save(s, c, e))
		return store_commit(s, e);
	store_rollback(s);
	return -1;
}

int store_schedule_del(struct store *s, const char *plan, struct err *e)
{
	sqlite3_stmt *st = store_write(s, SQL_SCHEDULE_DEL, e);

	store_bind_text(st, 1, plan);
	return store_step_changes(s, st, "delete a schedule", e);
}

int store_schedules(struct store *s, store_schedule_fn *fn, void *arg, struct err *e)
{
	sqlite3_stmt *st = store_stmt(s, SQL_SCHEDULES, e);
	int answer = 0;

	while (store_row(s, st, &answer, e)) {
		struct store_schedule c = {
			.plan = store_text(st, 0),
			.cron = store_text(st, 1),
			.submitter = store_text(st, 2),
			.deadline_ms = sqlite3_column_int64(st, 3),
			.last_ms = sqlite3_column_int64(st, 4),
			.entries = store_text(st, 5),
			.policy = store_text(st, 6),
		};

		answer = fn(arg, &c);
	}
	return answer;
}

int store_build_save(struct store *s, const struct store_build *b, struct err *e)
{
	sqlite3_stmt *st = store_write(s, SQL_BUILD_SAVE, e);

	store_bind_text(st, 1, b->name);
	store_bind_text(st, 2, b->version);
	store_bind_text(st, 3, b->soc);
	store_bind_text(st, 4, b->manifest);
	store_bind_text(st, 5, b->owner);
	sqlite3_bind_int64(st, 6, b->added_ms);
	sqlite3_bind_int64(st, 7, b->used_ms);
	sqlite3_bind_int64(st, 8, b->bytes);
	sqlite3_bind_int(st, 9, b->pinned);
	return store_step(s, st, "save a build", e);
}

int store_build_del(struct store *s, const char *name, const char *version, struct err *e)
{
	sqlite3_stmt *st = store_write(s, SQL_BUILD_DEL, e);

	store_bind_text(st, 1, name);
	store_bind_text(st, 2, version);
	return store_step_changes(s, st, "delete a build", e);
}

int store_builds(struct store *s, const char *name, const char *version, store_build_fn *fn,
	void *arg, struct err *e)
{
	sqlite3_stmt *st = store_stmt(s, SQL_BUILDS, e);
	int answer = 0;

	store_bind_text(st, 1, name);
	store_bind_text(st, 2, version);
	while (store_row(s, st, &answer, e)) {
		struct store_build b = {
			.name = store_text(st, 0),
			.version = store_text(st, 1),
			.soc = store_text(st, 2),
			.manifest = store_text(st, 3),
			.owner = store_text(st, 4),
			.added_ms = sqlite3_column_int64(st, 5),
			.used_ms = sqlite3_column_int64(st, 6),
			.bytes = sqlite3_column_int64(st, 7),
			.pinned = sqlite3_column_int(st, 8),
		};

		answer = fn(arg, &b);
	}
	return answer;
}
