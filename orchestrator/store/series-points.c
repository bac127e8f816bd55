/* SPDX-License-Identifier: MIT */
/*
 * What a run gives its series. Invariant: the points of a run are those that its figures make as
 * they count now; whoever changes how it ended or what it found makes them anew in the same
 * transaction, and a state that was kept of a point that changed goes with it.
 */
#include "series-inner.h"

#include <math.h>
#include <string.h>

#define POINTS_FILL_RUNS 64 /* of old runs in one transaction */

static void making_done(struct making *m)
{
	vec_each (&m->points, p)
		vec_done(&p->samples);
	vec_done(&m->points);
	vec_done(&m->had);
	vec_done(&m->has);
	map_done(&m->tools);
	map_done(&m->by_key);
	arena_done(&m->arena);
}

static sqlite3_stmt *bind_key(
	struct making *m, enum store_sql sql, const struct made_point *p, struct err *e)
{
	const char *const key[] = {m->type, m->board, m->job, p->suite, p->metric, p->labels,
		p->tool, p->test, p->params, m->line};
	sqlite3_stmt *st = store_stmt(m->s, sql, e);

	for (size_t i = 0; i < ARRAY_LEN(key); i++)
		store_bind_text(st, (int)i + 1, key[i]);
	sqlite3_bind_int(st, ARRAY_LEN(key) + 1, m->twin);
	store_bind_text(st, ARRAY_LEN(key) + 2, p->unit);
	return st;
}

/* Of the newest that was told: a series that is there takes it over. */
static int save_series(struct making *m, const struct made_point *p, int64_t id, struct err *e)
{
	sqlite3_stmt *st = store_stmt(m->s, SQL_SERIES_SAVE, e);

	sqlite3_bind_int64(st, 1, id);
	store_bind_text(st, 2, p->better);
	sqlite3_bind_double(st, 3, p->resolution);
	return store_step(m->s, st, "save a series", e);
}

static int series_of(struct making *m, const struct made_point *p, int64_t *id, struct err *e)
{
	sqlite3_stmt *st = bind_key(m, SQL_SERIES_FIND, p, e);
	bool same = false;
	int answer = 0;

	*id = 0;
	while (store_row(m->s, st, &answer, e)) {
		*id = sqlite3_column_int64(st, 0);
		same = !strcmp(store_text(st, 1), p->better) &&
		       sqlite3_column_double(st, 2) == p->resolution;
	}
	if (answer < 0)
		return -1;
	if (*id)
		return same ? 0 : save_series(m, p, *id, e);
	st = bind_key(m, SQL_SERIES_ADD, p, e);
	store_bind_text(st, 13, p->better);
	sqlite3_bind_double(st, 14, p->resolution);
	if (store_step(m->s, st, "add a series", e))
		return -1;
	*id = sqlite3_last_insert_rowid(m->s->db);
	return 0;
}

/* Series and time, and with_run the run, are the first parameters of many. */
static sqlite3_stmt *bind_at(
	struct making *m, enum store_sql sql, int64_t series, bool with_run, struct err *e)
{
	sqlite3_stmt *st = store_stmt(m->s, sql, e);

	sqlite3_bind_int64(st, 1, series);
	sqlite3_bind_int64(st, 2, m->at_ms);
	if (with_run)
		sqlite3_bind_int64(st, 3, m->run);
	return st;
}

static int drop_state(struct making *m, int64_t series, struct err *e)
{
	return store_step(m->s, bind_at(m, SQL_STATE_DROP, series, true, e), "drop a state", e);
}

static sqlite3_stmt *bind_point(struct making *m, enum store_sql sql, int64_t series,
	struct made_point *p, double value, struct err *e)
{
	sqlite3_stmt *st = bind_at(m, sql, series, true, e);

	sqlite3_bind_double(st, 4, value);
	if (!isnan(p->min))
		sqlite3_bind_double(st, 5, p->min);
	if (!isnan(p->max))
		sqlite3_bind_double(st, 6, p->max);
	sqlite3_bind_int64(st, 7, (int64_t)p->samples.n);
	return st;
}

static int save_point(struct making *m, struct made_point *p, struct err *e)
{
	double value = metric_make(p->how, p->samples.p, p->samples.n);
	int64_t series;
	int changed;

	if (!isfinite(value)) /* a sum that is too great */
		return 0;
	if (series_of(m, p, &series, e))
		return -1;
	vec_push(&m->has, series);
	changed = store_step_changes(
		m->s, bind_point(m, SQL_POINT_ADD, series, p, value, e), "add a point", e);
	if (changed > 0 &&
		store_step(m->s, bind_at(m, SQL_SERIES_GREW, series, false, e), "save a series", e))
		return -1;
	if (!changed)
		changed = store_step_changes(m->s,
			bind_point(m, SQL_POINT_SAVE, series, p, value, e), "save a point", e);
	if (changed < 0)
		return -1;
	return changed ? drop_state(m, series, e) : 0;
}

static int take_had(struct making *m, struct err *e)
{
	sqlite3_stmt *st = store_stmt(m->s, SQL_POINT_SERIES, e);
	int answer = 0;

	sqlite3_bind_int64(st, 1, m->run);
	while (store_row(m->s, st, &answer, e)) {
		vec_push(&m->had, sqlite3_column_int64(st, 0));
		m->at_ms = sqlite3_column_int64(st, 1);
	}
	return answer < 0 ? -1 : 0;
}

/* A series that nobody measures any more, and never did, goes. */
static int drop_point(struct making *m, int64_t series, struct err *e)
{
	static const enum store_sql after[] = {SQL_SERIES_COUNT, SQL_SERIES_DEL};

	if (store_step(m->s, bind_at(m, SQL_POINT_DEL, series, true, e), "drop a point", e) ||
		drop_state(m, series, e))
		return -1;
	for (size_t i = 0; i < ARRAY_LEN(after); i++) {
		sqlite3_stmt *st = store_stmt(m->s, after[i], e);

		sqlite3_bind_int64(st, 1, series);
		if (store_step(m->s, st, "save a series", e))
			return -1;
	}
	return 0;
}

static int by_number(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return (x > y) - (x < y);
}

static int drop_others(struct making *m, struct err *e)
{
	if (m->has.n)
		qsort(m->has.p, m->has.n, sizeof *m->has.p, by_number);
	vec_each (&m->had, series)
		if ((!m->has.n ||
			    !bsearch(series, m->has.p, m->has.n, sizeof *m->has.p, by_number)) &&
			drop_point(m, *series, e))
			return -1;
	return 0;
}

static int set_made(struct making *m, struct err *e)
{
	sqlite3_stmt *st = store_stmt(m->s, SQL_SERIES_RUN_SET, e);

	sqlite3_bind_int64(st, 1, m->run);
	return store_step(m->s, st, "save a run", e);
}

static int make_all(struct making *m, struct err *e)
{
	if (take_had(m, e) || making_take(m, e))
		return -1;
	vec_each (&m->points, p)
		if (save_point(m, p, e))
			return -1;
	if (drop_others(m, e))
		return -1;
	return m->job ? set_made(m, e) : 0; /* it has ended */
}

int store_points_make(struct store *s, int64_t run, struct err *e)
{
	struct making m = {.s = s, .run = run};
	int failed = make_all(&m, e);

	making_done(&m);
	return failed;
}

int store_points_drop(struct store *s, int64_t run, struct err *e)
{
	struct making m = {.s = s, .run = run};
	int failed = take_had(&m, e) || drop_others(&m, e) ? -1 : 0;

	making_done(&m);
	return failed;
}

/* 1 made those of one run, 0 none is left, -1. */
static int fill_one(struct store *s, struct err *e)
{
	int64_t run;
	int found = store_number(s, store_stmt(s, SQL_SERIES_RUN_UNSET, e), "read", &run, e);

	if (found > 0 && store_points_make(s, run, e))
		return -1;
	return found;
}

int store_points_fill(struct store *s, struct err *e)
{
	int64_t run;
	int more = store_number(s, store_stmt(s, SQL_SERIES_RUN_UNSET, e), "read", &run, e);

	while (more > 0) {
		if (store_begin(s, e))
			return -1;
		for (int i = 0; i < POINTS_FILL_RUNS && more > 0; i++)
			more = fill_one(s, e);
		if (more < 0) {
			store_rollback(s);
			return -1;
		}
		if (store_commit(s, e))
			return -1;
	}
	return more;
}
