/* SPDX-License-Identifier: MIT */
/*
 * Runs, and what was stored of them, row by row. Invariant: a callback's answer other than 0 ends
 * the walk and is returned; texts that it gets are borrowed.
 */
#include "inner.h"

#include "base/verdict.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

int store_run_add(struct store *s, struct store_run *run, struct err *e)
{
	sqlite3_stmt *st = store_write(s, SQL_RUN_ADD, e);

	store_bind_text(st, 1, run->job ? run->job : "");
	store_bind_text(st, 2, run->board);
	store_bind_text(st, 3, run->type);
	store_bind_text(st, 4, run->soc);
	store_bind_text(st, 5, run->lab);
	sqlite3_bind_int(st, 6, run->twin);
	store_bind_text(st, 7, run->build);
	store_bind_text(st, 8, run->build_version);
	store_bind_text(st, 9, run->verdict);
	store_bind_text(st, 10, run->blame);
	store_bind_text(st, 11, run->message);
	sqlite3_bind_int64(st, 12, run->started_ms);
	sqlite3_bind_int64(st, 13, run->ended_ms);
	store_bind_text(st, 14, run->dir);
	store_bind_text(st, 15, run->params ? run->params : "{}");
	store_bind_id(st, 16, run->job_id);
	sqlite3_bind_int64(st, 17, run->attempt);
	if (store_step(s, st, "add a run", e))
		return -1;
	run->id = sqlite3_last_insert_rowid(s->db);
	return 0;
}

/* Why no row was changed: there is no such run, or it has ended before. */
static int run_ended_before(struct store *s, int64_t run, const char *verdict, struct err *e)
{
	sqlite3_stmt *st = store_stmt(s, SQL_RUN_VERDICT, e);
	int answer = 0, found = 0, other = 0;

	sqlite3_bind_int64(st, 1, run);
	while (store_row(s, st, &answer, e)) {
		const char *before = store_text(st, 0);

		found = 1;
		other = !before || strcmp(before, verdict);
		if (other)
			err_set(e, BLAME_BUG, "store '%s': run %lld has ended before, as '%s'",
				s->path, (long long)run, before ? before : "");
	}
	if (answer)
		return -1;
	return found ? -other : store_no_run(s, run, e);
}

static int bad_verdict(const char *verdict, struct err *e)
{
	return err_set(e, BLAME_BUG, "verdict '%.60s' is none of ours", verdict ? verdict : "");
}

/* How it ended: the parameters that both statements share. */
static sqlite3_stmt *bind_end(struct store *s, enum store_sql sql, int64_t run, const char *verdict,
	const char *blame, const char *message, struct err *e)
{
	sqlite3_stmt *st = store_stmt(s, sql, e);

	sqlite3_bind_int64(st, 1, run);
	store_bind_text(st, 2, verdict);
	store_bind_text(st, 3, blame && strcmp(blame, "none") ? blame : NULL);
	store_bind_text(st, 4, message && *message ? message : NULL);
	return st;
}

int store_run_end(struct store *s, int64_t run, const char *verdict, const char *blame,
	const char *message, int64_t ended_ms, struct err *e)
{
	sqlite3_stmt *st;
	int changed;

	if (verdict_parse(verdict) < 0)
		return bad_verdict(verdict, e);
	if (store_begin(s, e))
		return -1;
	st = bind_end(s, SQL_RUN_END, run, verdict, blame, message, e);
	sqlite3_bind_int64(st, 5, ended_ms);
	changed = store_step_changes(s, st, "end a run", e);
	if (changed > 0 && !store_points_make(s, run, e))
		return store_commit(s, e);
	store_rollback(s);
	return changed ? -1 : run_ended_before(s, run, verdict, e);
}

int store_run_late(struct store *s, int64_t run, const char *verdict, const char *blame,
	const char *message, struct err *e)
{
	int changed;

	if (verdict_parse(verdict) < 0)
		return bad_verdict(verdict, e);
	if (store_begin(s, e))
		return -1;
	changed = store_step_changes(s, bind_end(s, SQL_RUN_LATE, run, verdict, blame, message, e),
		"change how a run ended", e);
	if (!changed)
		changed = err_set(e, BLAME_BUG, "store '%s': run %lld has not ended", s->path,
			(long long)run);
	if (changed > 0 && !store_points_make(s, run, e))
		return store_commit(s, e);
	store_rollback(s);
	return -1;
}

static int run_row(sqlite3_stmt *st, store_run_fn *fn, void *arg)
{
	struct store_run run = {
		.id = sqlite3_column_int64(st, 0),
		.job = store_text(st, 1),
		.board = store_text(st, 2),
		.type = store_text(st, 3),
		.soc = store_text(st, 4),
		.lab = store_text(st, 5),
		.twin = sqlite3_column_int(st, 6),
		.build = store_text(st, 7),
		.build_version = store_text(st, 8),
		.verdict = store_text(st, 9),
		.blame = store_text(st, 10),
		.message = store_text(st, 11),
		.started_ms = sqlite3_column_int64(st, 12),
		.ended_ms = sqlite3_column_int64(st, 13),
		.dir = store_text(st, 14),
		.params = store_text(st, 15),
		.job_id = sqlite3_column_int64(st, 16),
		.attempt = sqlite3_column_int64(st, 17),
		.reading = sqlite3_column_int64(st, 18),
	};

	return fn(arg, &run);
}

int store_run_list(struct store *s, const struct store_run_filter *f, store_run_fn *fn, void *arg,
	struct err *e)
{
	sqlite3_stmt *st = store_stmt(s, f->job ? SQL_RUN_LIST_OF_JOB : SQL_RUN_LIST, e);
	int answer = 0;

	sqlite3_bind_int64(st, 1, f->before > 0 ? f->before : INT64_MAX);
	sqlite3_bind_int64(st, 2, f->limit > 0 ? f->limit : -1);
	if (f->job)
		sqlite3_bind_int64(st, 3, f->job);
	while (store_row(s, st, &answer, e))
		answer = run_row(st, fn, arg);
	return answer;
}

int store_runs(struct store *s, int64_t limit, store_run_fn *fn, void *arg, struct err *e)
{
	const struct store_run_filter f = {.limit = limit};

	return store_run_list(s, &f, fn, arg, e);
}

int store_runs_between(struct store *s, int64_t since_ms, int64_t until_ms, store_run_fn *fn,
	void *arg, struct err *e)
{
	sqlite3_stmt *st = store_stmt(s, SQL_RUNS_BETWEEN, e);
	int answer = 0;

	sqlite3_bind_int64(st, 1, since_ms);
	sqlite3_bind_int64(st, 2, until_ms ? until_ms : INT64_MAX);
	while (store_row(s, st, &answer, e))
		answer = run_row(st, fn, arg);
	return answer;
}

int store_runs_before(struct store *s, const struct store_run *run, int64_t limit, store_run_fn *fn,
	void *arg, struct err *e)
{
	sqlite3_stmt *st = store_stmt(s, SQL_RUNS_BEFORE, e);
	int answer = 0;

	store_bind_text(st, 1, run->job);
	store_bind_text(st, 2, run->type);
	store_bind_text(st, 3, run->board);
	sqlite3_bind_int64(st, 4, run->started_ms);
	sqlite3_bind_int64(st, 5, run->id);
	sqlite3_bind_int64(st, 6, limit > 0 ? limit : -1);
	while (store_row(s, st, &answer, e))
		answer = run_row(st, fn, arg);
	return answer;
}

int store_run_get(struct store *s, int64_t run, store_run_fn *fn, void *arg, struct err *e)
{
	sqlite3_stmt *st = store_stmt(s, SQL_RUN_GET, e);
	int answer = 0;

	sqlite3_bind_int64(st, 1, run);
	while (store_row(s, st, &answer, e)) {
		answer = run_row(st, fn, arg);
		answer = answer ? answer : 1;
	}
	return answer;
}

int store_run_offset(struct store *s, int64_t run, uint64_t *offset, struct err *e)
{
	sqlite3_stmt *st = store_stmt(s, SQL_RUN_OFFSET, e);
	int64_t got;
	int found;

	sqlite3_bind_int64(st, 1, run);
	found = store_number(s, st, "read", &got, e);
	if (!found)
		return store_no_run(s, run, e);
	if (found > 0)
		*offset = (uint64_t)got;
	return found < 0 ? -1 : 0;
}

int store_run_of_dir(struct store *s, const char *dir, int64_t *run, struct err *e)
{
	sqlite3_stmt *st = store_stmt(s, SQL_RUN_OF_DIR, e);
	AUTOFREE char *real = realpath(dir, NULL);

	store_bind_text(st, 1, dir);
	store_bind_text(st, 2, real);
	return store_number(s, st, "read", run, e);
}

int store_run_set_dir(struct store *s, int64_t run, const char *dir, struct err *e)
{
	sqlite3_stmt *st = store_write(s, SQL_RUN_SET_DIR, e);
	int changed;

	sqlite3_bind_int64(st, 1, run);
	store_bind_text(st, 2, dir);
	changed = store_step_changes(s, st, "say where a run is kept", e);
	if (!changed)
		return err_set(
			e, BLAME_BUG, "store '%s': there is no run %lld", s->path, (long long)run);
	return changed < 0 ? -1 : 0;
}

/* What an event's position says (schema.c). */
static unsigned part_of(int64_t position)
{
	return (unsigned)(position >> STORE_PART_BITS) % STORE_PARTS_MAX;
}

static uint64_t offset_of(int64_t position)
{
	return (uint64_t)position & (STORE_OFFSET_MAX - 1);
}

int store_results(struct store *s, int64_t run, store_result_fn *fn, void *arg, struct err *e)
{
	sqlite3_stmt *st = store_stmt(s, SQL_RESULT_LIST, e);
	int answer = 0;

	sqlite3_bind_int64(st, 1, run);
	while (store_row(s, st, &answer, e)) {
		struct store_result r = {
			.suite = store_text(st, 0),
			.name = store_text(st, 1),
			.status = store_text(st, 2),
			.why = store_text(st, 3),
			.at_ms = sqlite3_column_int64(st, 4),
			.log_offset = sqlite3_column_int64(st, 5),
			.console = store_text(st, 6),
			.part = part_of(sqlite3_column_int64(st, 7)),
		};

		answer = fn(arg, &r);
	}
	return answer;
}

int store_result_counts(struct store *s, int64_t run, store_count_fn *fn, void *arg, struct err *e)
{
	sqlite3_stmt *st = store_stmt(s, SQL_RESULT_COUNTS, e);
	int answer = 0;

	sqlite3_bind_int64(st, 1, run);
	while (store_row(s, st, &answer, e))
		answer = fn(arg, store_text(st, 0), sqlite3_column_int64(st, 1));
	return answer;
}

static double real_or(sqlite3_stmt *st, int column, double preset)
{
	return sqlite3_column_type(st, column) == SQLITE_NULL ? preset
							      : sqlite3_column_double(st, column);
}

int store_metrics(struct store *s, int64_t run, store_metric_fn *fn, void *arg, struct err *e)
{
	sqlite3_stmt *st = store_stmt(s, SQL_METRIC_LIST, e);
	int answer = 0;

	sqlite3_bind_int64(st, 1, run);
	while (store_row(s, st, &answer, e)) {
		struct store_metric m = {
			.suite = store_text(st, 0),
			.test = store_text(st, 1),
			.name = store_text(st, 2),
			.unit = store_text(st, 3),
			.value = sqlite3_column_double(st, 4),
			.labels = store_text(st, 5),
			.part = part_of(sqlite3_column_int64(st, 6)),
			.min = real_or(st, 7, NAN),
			.max = real_or(st, 8, NAN),
			.resolution = real_or(st, 9, 0),
			.better = store_text(st, 10),
		};

		answer = fn(arg, &m);
	}
	return answer;
}

int store_envs(struct store *s, int64_t run, store_env_fn *fn, void *arg, struct err *e)
{
	sqlite3_stmt *st = store_stmt(s, SQL_ENV_LIST, e);
	int answer = 0;

	sqlite3_bind_int64(st, 1, run);
	while (store_row(s, st, &answer, e))
		answer = fn(arg, store_text(st, 0), store_text(st, 1));
	return answer;
}

int store_stages(struct store *s, int64_t run, store_stage_fn *fn, void *arg, struct err *e)
{
	sqlite3_stmt *st = store_stmt(s, SQL_STAGE_LIST, e);
	int answer = 0;

	sqlite3_bind_int64(st, 1, run);
	while (store_row(s, st, &answer, e)) {
		struct store_stage stage = {
			.name = store_text(st, 0),
			.ms_since_power_on = sqlite3_column_int64(st, 1),
			.at_ms = sqlite3_column_int64(st, 2),
			.part = part_of(sqlite3_column_int64(st, 3)),
		};

		answer = fn(arg, &stage);
	}
	return answer;
}

static int walk_events(
	struct store *s, sqlite3_stmt *st, store_event_fn *fn, void *arg, struct err *e)
{
	int answer = 0;

	while (store_row(s, st, &answer, e)) {
		int64_t position = sqlite3_column_int64(st, 1);
		struct store_event ev = {offset_of(position), store_text(st, 2), part_of(position)};

		answer = fn(arg, store_text(st, 0), &ev);
	}
	return answer;
}

int store_events(struct store *s, int64_t run, const char *kind, store_event_fn *fn, void *arg,
	struct err *e)
{
	sqlite3_stmt *st = store_stmt(s, SQL_EVENT_LIST, e);

	sqlite3_bind_int64(st, 1, run);
	store_bind_text(st, 2, kind);
	return walk_events(s, st, fn, arg, e);
}

int store_events_from(struct store *s, int64_t run, unsigned part, uint64_t offset, int64_t limit,
	store_event_fn *fn, void *arg, struct err *e)
{
	sqlite3_stmt *st = store_stmt(s, SQL_EVENT_LIST_FROM, e);

	if (offset >= STORE_OFFSET_MAX || part >= STORE_PARTS_MAX)
		return 0;
	sqlite3_bind_int64(st, 1, run);
	sqlite3_bind_int64(st, 2, (int64_t)((uint64_t)part << STORE_PART_BITS | offset));
	sqlite3_bind_int64(st, 3, (int64_t)((uint64_t)(part + 1) << STORE_PART_BITS));
	sqlite3_bind_int64(st, 4, limit > 0 ? limit : -1);
	return walk_events(s, st, fn, arg, e);
}
