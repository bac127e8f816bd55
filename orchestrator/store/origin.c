/* SPDX-License-Identifier: MIT */
/*
 * Where runs came from that were measured elsewhere. Invariant: one part of the same bytes is one
 * run, also when two bring it in at once; a run that was measured here has no origin, and is never
 * taken out.
 */
#include "inner.h"

int store_origin_add(struct store *s, int64_t run, const struct store_origin *o, struct err *e)
{
	sqlite3_stmt *st = store_write(s, SQL_ORIGIN_ADD, e);

	sqlite3_bind_int64(st, 1, run);
	store_bind_text(st, 2, o->source);
	store_bind_text(st, 3, o->sha256);
	store_bind_text(st, 4, o->part);
	store_bind_text(st, 5, o->format);
	store_bind_text(st, 6, o->who);
	sqlite3_bind_int64(st, 7, o->at_ms);
	return store_step(s, st, "add where a run came from", e);
}

int store_origin_find(
	struct store *s, const char *sha256, const char *part, int64_t *run, struct err *e)
{
	/* In a turn that adds what is not there nobody else may add it in between. */
	sqlite3_stmt *st =
		s->turn ? store_write(s, SQL_ORIGIN_FIND, e) : store_stmt(s, SQL_ORIGIN_FIND, e);

	store_bind_text(st, 1, sha256);
	store_bind_text(st, 2, part);
	return store_number(s, st, "look for an imported run", run, e);
}

int store_origin_get(struct store *s, int64_t run, store_origin_fn *fn, void *arg, struct err *e)
{
	sqlite3_stmt *st = store_stmt(s, SQL_ORIGIN_GET, e);
	int answer = 0;

	sqlite3_bind_int64(st, 1, run);
	while (store_row(s, st, &answer, e)) {
		struct store_origin o = {
			.source = store_text(st, 0),
			.sha256 = store_text(st, 1),
			.part = store_text(st, 2),
			.format = store_text(st, 3),
			.who = store_text(st, 4),
			.at_ms = sqlite3_column_int64(st, 5),
		};

		answer = fn(arg, &o);
		answer = answer ? answer : 1;
	}
	return answer;
}

int store_origin_del(struct store *s, int64_t run, struct err *e)
{
	sqlite3_stmt *st;
	int taken = -1;

	if (store_begin(s, e))
		return -1;
	if (!store_points_drop(s, run, e)) {
		st = store_stmt(s, SQL_ORIGIN_DEL, e);
		sqlite3_bind_int64(st, 1, run);
		taken = store_step_changes(s, st, "take an imported run out", e);
	}
	if (taken > 0)
		return store_commit(s, e) ? -1 : 1;
	store_rollback(s);
	return taken;
}
