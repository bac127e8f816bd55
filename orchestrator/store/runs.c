/* SPDX-License-Identifier: MIT */
/*
 * Runs, and what was stored of them, row by row. Invariant: a callback's answer other than 0 ends
 * the walk and is returned; texts that it gets are borrowed.
 */
#include "inner.h"

#include "base/verdict.h"

#include <stdlib.h>
#include <string.h>

static const char *text_at(sqlite3_stmt *st, int column)
{
	return (const char *)sqlite3_column_text(st, column);
}

int store_run_add(struct store *s, struct store_run *run, struct err *e)
{
	sqlite3_stmt *st;

	if (store_begin(s, e))
		return -1;
	st = store_stmt(s, SQL_RUN_ADD, e);
	if (!st)
		goto failed;
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
	if (store_step(s, st, "add a run", e))
		goto failed;
	if (store_commit(s, e))
		return -1;
	run->id = sqlite3_last_insert_rowid(s->db);
	return 0;
failed:
	store_rollback(s);
	return -1;
}

/* Why no row was changed: there is no such run, or it has ended before. */
static int run_ended_before(struct store *s, int64_t run, const char *verdict, struct err *e)
{
	sqlite3_stmt *st = store_stmt(s, SQL_RUN_VERDICT, e);
	int answer = 0;

	if (!st)
		return -1;
	sqlite3_bind_int64(st, 1, run);
	if (sqlite3_step(st) != SQLITE_ROW)
		answer = err_set(
			e, BLAME_BUG, "store '%s': there is no run %lld", s->path, (long long)run);
	else if (!text_at(st, 0) || strcmp(text_at(st, 0), verdict))
		answer = err_set(e, BLAME_BUG, "store '%s': run %lld has ended before, as '%s'",
			s->path, (long long)run, text_at(st, 0) ? text_at(st, 0) : "");
	sqlite3_reset(st);
	return answer;
}

int store_run_end(struct store *s, int64_t run, const char *verdict, const char *blame,
	const char *message, int64_t ended_ms, struct err *e)
{
	sqlite3_stmt *st;

	if (verdict_parse(verdict) < 0)
		return err_set(
			e, BLAME_BUG, "verdict '%.60s' is none of ours", verdict ? verdict : "");
	if (store_begin(s, e))
		return -1;
	st = store_stmt(s, SQL_RUN_END, e);
	if (!st)
		goto failed;
	sqlite3_bind_int64(st, 1, run);
	store_bind_text(st, 2, verdict);
	store_bind_text(st, 3, blame && strcmp(blame, "none") ? blame : NULL);
	store_bind_text(st, 4, message && *message ? message : NULL);
	sqlite3_bind_int64(st, 5, ended_ms);
	if (store_step(s, st, "end a run", e))
		goto failed;
	if (!sqlite3_changes(s->db) && run_ended_before(s, run, verdict, e))
		goto failed;
	return store_commit(s, e);
failed:
	store_rollback(s);
	return -1;
}

static int run_row(sqlite3_stmt *st, store_run_fn *fn, void *arg)
{
	struct store_run run = {
		.id = sqlite3_column_int64(st, 0),
		.job = text_at(st, 1),
		.board = text_at(st, 2),
		.type = text_at(st, 3),
		.soc = text_at(st, 4),
		.lab = text_at(st, 5),
		.twin = sqlite3_column_int(st, 6),
		.build = text_at(st, 7),
		.build_version = text_at(st, 8),
		.verdict = text_at(st, 9),
		.blame = text_at(st, 10),
		.message = text_at(st, 11),
		.started_ms = sqlite3_column_int64(st, 12),
		.ended_ms = sqlite3_column_int64(st, 13),
		.dir = text_at(st, 14),
		.params = text_at(st, 15),
	};

	return fn(arg, &run);
}

/* Ends a walk whose last step gave code and whose callback gave answer. */
static int walk_end(struct store *s, sqlite3_stmt *st, int code, int answer, struct err *e)
{
	if (!answer && code != SQLITE_DONE)
		answer = store_fail(s, "read", e);
	sqlite3_reset(st);
	return answer;
}

int store_runs(struct store *s, int64_t limit, store_run_fn *fn, void *arg, struct err *e)
{
	sqlite3_stmt *st = store_stmt(s, SQL_RUN_LIST, e);
	int code = SQLITE_DONE, answer = 0;

	if (!st)
		return -1;
	sqlite3_bind_int64(st, 1, limit > 0 ? limit : -1);
	while (!answer && (code = sqlite3_step(st)) == SQLITE_ROW)
		answer = run_row(st, fn, arg);
	return walk_end(s, st, code, answer, e);
}

int store_run_get(struct store *s, int64_t run, store_run_fn *fn, void *arg, struct err *e)
{
	sqlite3_stmt *st = store_stmt(s, SQL_RUN_GET, e);
	int code, answer = 0;

	if (!st)
		return -1;
	sqlite3_bind_int64(st, 1, run);
	code = sqlite3_step(st);
	if (code == SQLITE_ROW) {
		answer = run_row(st, fn, arg);
		answer = answer ? answer : 1;
	}
	return walk_end(s, st, code == SQLITE_ROW ? SQLITE_DONE : code, answer, e);
}

int store_run_offset(struct store *s, int64_t run, uint64_t *offset, struct err *e)
{
	sqlite3_stmt *st = store_stmt(s, SQL_RUN_OFFSET, e);
	int code, failed = 0;

	if (!st)
		return -1;
	sqlite3_bind_int64(st, 1, run);
	code = sqlite3_step(st);
	if (code == SQLITE_ROW)
		*offset = (uint64_t)sqlite3_column_int64(st, 0);
	else if (code == SQLITE_DONE)
		failed = err_set(
			e, BLAME_BUG, "store '%s': there is no run %lld", s->path, (long long)run);
	else
		failed = store_fail(s, "read", e);
	sqlite3_reset(st);
	return failed;
}

int store_run_of_dir(struct store *s, const char *dir, int64_t *run, struct err *e)
{
	sqlite3_stmt *st = store_stmt(s, SQL_RUN_OF_DIR, e);
	AUTOFREE char *real = realpath(dir, NULL);
	int code, answer = 0;

	if (!st)
		return -1;
	store_bind_text(st, 1, dir);
	store_bind_text(st, 2, real);
	code = sqlite3_step(st);
	if (code == SQLITE_ROW)
		*run = sqlite3_column_int64(st, 0), answer = 1;
	return walk_end(s, st, code == SQLITE_ROW ? SQLITE_DONE : code, answer, e);
}

int store_results(struct store *s, int64_t run, store_result_fn *fn, void *arg, struct err *e)
{
	sqlite3_stmt *st = store_stmt(s, SQL_RESULT_LIST, e);
	int code = SQLITE_DONE, answer = 0;

	if (!st)
		return -1;
	sqlite3_bind_int64(st, 1, run);
	while (!answer && (code = sqlite3_step(st)) == SQLITE_ROW) {
		struct store_result r = {
			.suite = text_at(st, 0),
			.name = text_at(st, 1),
			.status = text_at(st, 2),
			.why = text_at(st, 3),
			.at_ms = sqlite3_column_int64(st, 4),
			.log_offset = sqlite3_column_int64(st, 5),
			.console = text_at(st, 6),
		};

		answer = fn(arg, &r);
	}
	return walk_end(s, st, code, answer, e);
}

int store_metrics(struct store *s, int64_t run, store_metric_fn *fn, void *arg, struct err *e)
{
	sqlite3_stmt *st = store_stmt(s, SQL_METRIC_LIST, e);
	int code = SQLITE_DONE, answer = 0;

	if (!st)
		return -1;
	sqlite3_bind_int64(st, 1, run);
	while (!answer && (code = sqlite3_step(st)) == SQLITE_ROW) {
		struct store_metric m = {
			.suite = text_at(st, 0),
			.test = text_at(st, 1),
			.name = text_at(st, 2),
			.unit = text_at(st, 3),
			.value = sqlite3_column_double(st, 4),
			.labels = text_at(st, 5),
		};

		answer = fn(arg, &m);
	}
	return walk_end(s, st, code, answer, e);
}

int store_envs(struct store *s, int64_t run, store_env_fn *fn, void *arg, struct err *e)
{
	sqlite3_stmt *st = store_stmt(s, SQL_ENV_LIST, e);
	int code = SQLITE_DONE, answer = 0;

	if (!st)
		return -1;
	sqlite3_bind_int64(st, 1, run);
	while (!answer && (code = sqlite3_step(st)) == SQLITE_ROW)
		answer = fn(arg, text_at(st, 0), text_at(st, 1));
	return walk_end(s, st, code, answer, e);
}

int store_stages(struct store *s, int64_t run, store_stage_fn *fn, void *arg, struct err *e)
{
	sqlite3_stmt *st = store_stmt(s, SQL_STAGE_LIST, e);
	int code = SQLITE_DONE, answer = 0;

	if (!st)
		return -1;
	sqlite3_bind_int64(st, 1, run);
	while (!answer && (code = sqlite3_step(st)) == SQLITE_ROW) {
		struct store_stage stage = {
			.name = text_at(st, 0),
			.ms_since_power_on = sqlite3_column_int64(st, 1),
			.at_ms = sqlite3_column_int64(st, 2),
		};

		answer = fn(arg, &stage);
	}
	return walk_end(s, st, code, answer, e);
}

int store_events(struct store *s, int64_t run, const char *kind, store_event_fn *fn, void *arg,
	struct err *e)
{
	sqlite3_stmt *st = store_stmt(s, SQL_EVENT_LIST, e);
	int code = SQLITE_DONE, answer = 0;

	if (!st)
		return -1;
	sqlite3_bind_int64(st, 1, run);
	store_bind_text(st, 2, kind);
	while (!answer && (code = sqlite3_step(st)) == SQLITE_ROW) {
		struct store_event ev = {(uint64_t)sqlite3_column_int64(st, 1), text_at(st, 2)};

		answer = fn(arg, text_at(st, 0), &ev);
	}
	return walk_end(s, st, code, answer, e);
}
