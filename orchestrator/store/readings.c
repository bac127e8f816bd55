/* SPDX-License-Identifier: MIT */
/*
 * Readings of a run after its worker's own. Invariant: a reading is stored whole or not at all, and
 * nothing that was stored before is changed but which one counts.
 */
#include "inner.h"

#include <math.h>

struct adding {
	struct store *s;
	const struct store_reading *r;
	struct err *e;
};

/* Run and position of row number i, which is of that part. */
static sqlite3_stmt *row_stmt(const struct adding *a, enum store_sql sql, unsigned part, size_t i)
{
	sqlite3_stmt *st = store_stmt(a->s, sql, a->e);
	uint64_t position = UINT64_C(1) << STORE_READING_BIT | (uint64_t)part << STORE_PART_BITS |
			    (uint64_t)a->r->id << STORE_ROW_BITS | i;

	sqlite3_bind_int64(st, 1, a->r->run);
	sqlite3_bind_int64(st, 2, (int64_t)position);
	return st;
}

static int add_result(const struct adding *a, size_t i)
{
	const struct store_result *res = &a->r->results[i];
	sqlite3_stmt *st = row_stmt(a, SQL_READING_RESULT_ADD, res->part, i);

	store_bind_text(st, 3, res->suite);
	store_bind_text(st, 4, res->name);
	store_bind_text(st, 5, res->status);
	store_bind_text(st, 6, res->why);
	sqlite3_bind_int64(st, 7, res->at_ms);
	sqlite3_bind_int64(st, 8, res->log_offset);
	store_bind_text(st, 9, res->console);
	sqlite3_bind_int64(st, 10, a->r->id);
	return store_step(a->s, st, "add a result", a->e);
}

static void bind_told(sqlite3_stmt *st, int at, double value, bool told)
{
	if (told)
		sqlite3_bind_double(st, at, value);
}

static int add_metric(const struct adding *a, size_t i)
{
	const struct store_metric *m = &a->r->metrics[i];
	sqlite3_stmt *st = row_stmt(a, SQL_READING_METRIC_ADD, m->part, i);

	store_bind_text(st, 3, m->suite);
	store_bind_text(st, 4, m->test);
	store_bind_text(st, 5, m->name);
	sqlite3_bind_double(st, 6, m->value);
	store_bind_text(st, 7, m->unit);
	store_bind_text(st, 8, m->labels);
	bind_told(st, 9, m->min, isfinite(m->min));
	bind_told(st, 10, m->max, isfinite(m->max));
	bind_told(st, 11, m->resolution, m->resolution > 0);
	store_bind_text(st, 12, m->better);
	sqlite3_bind_int64(st, 13, a->r->id);
	return store_step(a->s, st, "add a metric", a->e);
}

static int add_env(const struct adding *a, size_t i)
{
	const struct store_env *env = &a->r->envs[i];
	sqlite3_stmt *st = row_stmt(a, SQL_READING_ENV_ADD, env->part, i);

	store_bind_text(st, 3, env->name);
	store_bind_text(st, 4, env->value);
	sqlite3_bind_int64(st, 5, a->r->id);
	return store_step(a->s, st, "add an environment value", a->e);
}

static int use(struct store *s, int64_t run, int64_t reading, struct err *e)
{
	sqlite3_stmt *st = store_stmt(s, SQL_RUN_SET_READING, e);
	int changed;

	sqlite3_bind_int64(st, 1, run);
	sqlite3_bind_int64(st, 2, reading);
	changed = store_step_changes(s, st, "say which reading counts", e);
	if (!changed)
		return err_set(e, BLAME_BUG, "store '%s': there is no run %lld, or it goes on",
			s->path, (long long)run);
	return changed < 0 || store_points_make(s, run, e) ? -1 : 0;
}

static int add_all(struct store *s, struct store_reading *r, struct err *e)
{
	const struct adding a = {s, r, e};
	sqlite3_stmt *st = store_stmt(s, SQL_READING_ADD, e);

	sqlite3_bind_int64(st, 1, r->run);
	sqlite3_bind_int64(st, 2, r->at_ms);
	store_bind_text(st, 3, r->version);
	store_bind_text(st, 4, r->verdict);
	store_bind_text(st, 5, r->blame);
	store_bind_text(st, 6, r->message);
	store_bind_text(st, 7, r->changes);
	if (store_step(s, st, "add a reading", e))
		return -1;
	r->id = sqlite3_last_insert_rowid(s->db);
	if (r->id >> (STORE_PART_BITS - STORE_ROW_BITS))
		return err_set(e, BLAME_BUG, "store '%s': too many readings", s->path);
	for (size_t i = 0; i < r->n_results; i++)
		if (add_result(&a, i))
			return -1;
	for (size_t i = 0; i < r->n_metrics; i++)
		if (add_metric(&a, i))
			return -1;
	for (size_t i = 0; i < r->n_envs; i++)
		if (add_env(&a, i))
			return -1;
	return use(s, r->run, r->id, e);
}

int store_reading_add(struct store *s, struct store_reading *r, struct err *e)
{
	if (r->n_results > READING_ROWS_MAX || r->n_metrics > READING_ROWS_MAX ||
		r->n_envs > READING_ROWS_MAX)
		return err_set(e, BLAME_BUG, "store '%s': a reading of more than %zu rows", s->path,
			READING_ROWS_MAX);
	if (store_begin(s, e))
		return -1;
	if (!add_all(s, r, e))
		return store_commit(s, e);
	store_rollback(s);
	return -1;
}

/* 1 it is, 0, -1. */
static int is_reading(struct store *s, int64_t run, int64_t reading, struct err *e)
{
	sqlite3_stmt *st = store_stmt(s, SQL_READING_FIND, e);
	int64_t one;

	sqlite3_bind_int64(st, 1, run);
	sqlite3_bind_int64(st, 2, reading);
	return store_number(s, st, "read", &one, e);
}

int store_reading_use(struct store *s, int64_t run, int64_t reading, struct err *e)
{
	int found;

	if (store_begin(s, e))
		return -1;
	found = reading ? is_reading(s, run, reading, e) : 1;
	if (!found)
		err_set(e, BLAME_CONFIG, "run %lld has no reading %lld", (long long)run,
			(long long)reading);
	if (found > 0 && !use(s, run, reading, e))
		return store_commit(s, e);
	store_rollback(s);
	return -1;
}

int store_readings(struct store *s, int64_t run, store_reading_fn *fn, void *arg, struct err *e)
{
	sqlite3_stmt *st = store_stmt(s, SQL_READINGS, e);
	int answer = 0;

	sqlite3_bind_int64(st, 1, run);
	while (store_row(s, st, &answer, e)) {
		struct store_reading r = {
			.id = sqlite3_column_int64(st, 0),
			.run = run,
			.at_ms = sqlite3_column_int64(st, 1),
			.version = store_text(st, 2),
			.verdict = store_text(st, 3),
			.blame = store_text(st, 4),
			.message = store_text(st, 5),
			.changes = store_text(st, 6),
			.counts = sqlite3_column_int(st, 7),
		};

		answer = fn(arg, &r);
	}
	return answer;
}
