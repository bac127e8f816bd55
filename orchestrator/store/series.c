/* SPDX-License-Identifier: MIT */
/*
 * Series as they are read, and what the judge keeps of them. Invariant: a list is a walk along an
 * index in the index's order, and the points of a series are one stretch of their table.
 */
#include "series.h"

#include "inner.h"

#include "base/buf.h"

#include <math.h>
#include <string.h>

#define SERIES_PATTERN_BYTES ((size_t)4096)

/* As SQLite's GLOB wants it: '[' is a letter like any other. NULL: any. */
static const char *pattern(const char *text, struct buf *out)
{
	if (!text || !strchr(text, '['))
		return text;
	for (; *text; text++)
		if (*text == '[')
			buf_puts(out, "[[]");
		else
			buf_putc(out, *text);
	return buf_str(out);
}

static struct store_series series_row(sqlite3_stmt *st)
{
	return (struct store_series){
		.id = sqlite3_column_int64(st, 0),
		.type = store_text(st, 1),
		.board = store_text(st, 2),
		.job = store_text(st, 3),
		.suite = store_text(st, 4),
		.metric = store_text(st, 5),
		.labels = store_text(st, 6),
		.tool = store_text(st, 7),
		.test = store_text(st, 8),
		.params = store_text(st, 9),
		.line = store_text(st, 10),
		.twin = sqlite3_column_int(st, 11),
		.unit = store_text(st, 12),
		.better = store_text(st, 13),
		.resolution = sqlite3_column_double(st, 14),
		.points = sqlite3_column_int64(st, 15),
		.first_ms = sqlite3_column_int64(st, 16),
		.last_ms = sqlite3_column_int64(st, 17),
	};
}

static enum store_sql list_sql(const struct store_series_filter *f)
{
	if (f->run)
		return SQL_SERIES_LIST_OF_RUN;
	return f->type && !strpbrk(f->type, "*?[") ? SQL_SERIES_LIST_OF_TYPE : SQL_SERIES_LIST;
}

int store_series_list(struct store *s, const struct store_series_filter *f, store_series_fn *fn,
	void *arg, struct err *e)
{
	static const struct store_series_filter everything;
	const struct store_series_filter *want = f ? f : &everything;
	const char *const texts[] = {
		want->type, want->board, want->line, want->job, want->suite, want->metric};
	sqlite3_stmt *st = store_stmt(s, list_sql(want), e);
	struct buf patterns[ARRAY_LEN(texts)];
	int answer = 0;

	for (size_t i = 0; i < ARRAY_LEN(texts); i++) {
		patterns[i] = (struct buf)BUF_INIT(SERIES_PATTERN_BYTES);
		store_bind_text(st, (int)i + 1, pattern(texts[i], &patterns[i]));
	}
	if (want->twin)
		sqlite3_bind_int(st, 7, want->twin > 0);
	sqlite3_bind_int64(st, 8, want->since_ms ? want->since_ms : INT64_MIN);
	sqlite3_bind_int64(st, 9, want->until_ms ? want->until_ms : INT64_MAX);
	if (want->run)
		sqlite3_bind_int64(st, 10, want->run);
	while (store_row(s, st, &answer, e)) {
		struct store_series series = series_row(st);

		answer = fn(arg, &series);
	}
	for (size_t i = 0; i < ARRAY_LEN(texts); i++)
		buf_done(&patterns[i]);
	return answer;
}

static double told(sqlite3_stmt *st, int column)
{
	return sqlite3_column_type(st, column) == SQLITE_NULL ? NAN
							      : sqlite3_column_double(st, column);
}

static int walk_points(
	struct store *s, sqlite3_stmt *st, store_point_fn *fn, void *arg, struct err *e)
{
	int answer = 0;

	while (store_row(s, st, &answer, e)) {
		struct store_point p = {
			.run = sqlite3_column_int64(st, 1),
			.at_ms = sqlite3_column_int64(st, 2),
			.version = store_text(st, 3),
			.value = sqlite3_column_double(st, 4),
			.min = told(st, 5),
			.max = told(st, 6),
			.samples = sqlite3_column_int64(st, 7),
		};

		answer = fn(arg, sqlite3_column_int64(st, 0), &p);
	}
	return answer;
}

int store_points(struct store *s, int64_t series, int64_t since_ms, int64_t until_ms,
	store_point_fn *fn, void *arg, struct err *e)
{
	sqlite3_stmt *st = store_stmt(s, SQL_POINTS, e);

	sqlite3_bind_int64(st, 1, series);
	sqlite3_bind_int64(st, 2, since_ms ? since_ms : INT64_MIN);
	sqlite3_bind_int64(st, 3, until_ms ? until_ms : INT64_MAX);
	return walk_points(s, st, fn, arg, e);
}

int store_points_back(struct store *s, int64_t series, int64_t at_ms, int64_t run, int64_t limit,
	store_point_fn *fn, void *arg, struct err *e)
{
	sqlite3_stmt *st = store_stmt(s, SQL_POINTS_BACK, e);

	sqlite3_bind_int64(st, 1, series);
	sqlite3_bind_int64(st, 2, at_ms);
	sqlite3_bind_int64(st, 3, run);
	sqlite3_bind_int64(st, 4, limit > 0 ? limit : -1);
	return walk_points(s, st, fn, arg, e);
}

int store_points_of_run(struct store *s, int64_t run, store_point_fn *fn, void *arg, struct err *e)
{
	sqlite3_stmt *st = store_stmt(s, SQL_POINTS_OF_RUN, e);

	sqlite3_bind_int64(st, 1, run);
	return walk_points(s, st, fn, arg, e);
}

int store_series_state_get(
	struct store *s, int64_t series, store_series_state_fn *fn, void *arg, struct err *e)
{
	sqlite3_stmt *st = store_stmt(s, SQL_STATE_GET, e);
	int answer = 0;

	sqlite3_bind_int64(st, 1, series);
	while (store_row(s, st, &answer, e)) {
		struct store_series_state state = {
			.version = store_text(st, 0),
			.at_ms = sqlite3_column_int64(st, 1),
			.run = sqlite3_column_int64(st, 2),
			.points = sqlite3_column_int64(st, 3),
			.bytes = sqlite3_column_blob(st, 4),
			.n = (size_t)sqlite3_column_bytes(st, 4),
		};

		answer = fn(arg, series, &state);
		answer = answer ? answer : 1;
	}
	return answer;
}

int store_series_state_save(
	struct store *s, int64_t series, const struct store_series_state *state, struct err *e)
{
	sqlite3_stmt *st = store_write(s, SQL_STATE_SAVE, e);

	sqlite3_bind_int64(st, 1, series);
	store_bind_text(st, 2, state->version);
	sqlite3_bind_int64(st, 3, state->at_ms);
	sqlite3_bind_int64(st, 4, state->run);
	sqlite3_bind_int64(st, 5, state->points);
	if (st)
		sqlite3_bind_blob64(st, 6, state->n ? state->bytes : "", state->n, SQLITE_STATIC);
	return store_step_changes(s, st, "keep the state of a series", e);
}
