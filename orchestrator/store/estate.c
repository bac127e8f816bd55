/* SPDX-License-Identifier: MIT */
/*
 * Boards, agents and leases. Invariant: one row each, saved whole; a lease lasts as long as its
 * job, whose state says whether it is open.
 */
#include "inner.h"

#include "control.h"

int store_board_save(struct store *s, const struct store_board *b, struct err *e)
{
	sqlite3_stmt *st = store_write(s, SQL_BOARD_SAVE, e);

	store_bind_text(st, 1, b->name);
	store_bind_text(st, 2, b->agent);
	store_bind_text(st, 3, b->lab);
	store_bind_text(st, 4, b->type);
	store_bind_text(st, 5, b->announced);
	store_bind_text(st, 6, b->health);
	store_bind_text(st, 7, b->reason);
	store_bind_text(st, 8, b->who);
	sqlite3_bind_int64(st, 9, b->since_ms);
	sqlite3_bind_int64(st, 10, b->checked_ms);
	store_bind_text(st, 11, b->power ? b->power : "unknown");
	return store_step(s, st, "save a board", e);
}

int store_board_del(struct store *s, const char *name, struct err *e)
{
	sqlite3_stmt *st = store_write(s, SQL_BOARD_DEL, e);

	store_bind_text(st, 1, name);
	return store_step_changes(s, st, "delete a board", e);
}

int store_boards(struct store *s, store_board_fn *fn, void *arg, struct err *e)
{
	sqlite3_stmt *st = store_stmt(s, SQL_BOARDS, e);
	int answer = 0;

	while (store_row(s, st, &answer, e)) {
		struct store_board b = {
			.name = store_text(st, 0),
			.agent = store_text(st, 1),
			.lab = store_text(st, 2),
			.type = store_text(st, 3),
			.announced = store_text(st, 4),
			.health = store_text(st, 5),
			.reason = store_text(st, 6),
			.who = store_text(st, 7),
			.since_ms = sqlite3_column_int64(st, 8),
			.checked_ms = sqlite3_column_int64(st, 9),
			.power = store_text(st, 10),
		};

		answer = fn(arg, &b);
	}
	return answer;
}

int store_agent_save(struct store *s, const struct store_agent *a, struct err *e)
{
	sqlite3_stmt *st = store_write(s, SQL_AGENT_SAVE, e);

	store_bind_text(st, 1, a->name);
	store_bind_text(st, 2, a->lab);
	store_bind_text(st, 3, a->version);
	sqlite3_bind_int64(st, 4, a->protocol);
	sqlite3_bind_int64(st, 5, a->max_jobs);
	sqlite3_bind_int64(st, 6, a->first_ms);
	sqlite3_bind_int64(st, 7, a->seen_ms);
	return store_step(s, st, "save an agent", e);
}

int store_agents(struct store *s, store_agent_fn *fn, void *arg, struct err *e)
{
	sqlite3_stmt *st = store_stmt(s, SQL_AGENTS, e);
	int answer = 0;

	while (store_row(s, st, &answer, e)) {
		struct store_agent a = {
			.name = store_text(st, 0),
			.lab = store_text(st, 1),
			.version = store_text(st, 2),
			.protocol = sqlite3_column_int64(st, 3),
			.max_jobs = sqlite3_column_int64(st, 4),
			.first_ms = sqlite3_column_int64(st, 5),
			.seen_ms = sqlite3_column_int64(st, 6),
		};

		answer = fn(arg, &a);
	}
	return answer;
}

int store_lease_save(struct store *s, const struct store_lease *l, struct err *e)
{
	sqlite3_stmt *st = store_write(s, SQL_LEASE_SAVE, e);

	sqlite3_bind_int64(st, 1, l->job);
	store_bind_text(st, 2, l->board);
	store_bind_text(st, 3, l->owner);
	store_bind_text(st, 4, l->why);
	sqlite3_bind_int64(st, 5, l->until_ms);
	sqlite3_bind_int64(st, 6, l->hard_ms);
	return store_step(s, st, "save a lease", e);
}

int store_leases_open(struct store *s, store_lease_fn *fn, void *arg, struct err *e)
{
	sqlite3_stmt *st = store_stmt(s, SQL_LEASES_OPEN, e);
	int answer = 0;

	while (store_row(s, st, &answer, e)) {
		struct store_lease l = {
			.job = sqlite3_column_int64(st, 0),
			.board = store_text(st, 1),
			.owner = store_text(st, 2),
			.why = store_text(st, 3),
			.until_ms = sqlite3_column_int64(st, 4),
			.hard_ms = sqlite3_column_int64(st, 5),
		};

		answer = fn(arg, &l);
	}
	return answer;
}
