/* SPDX-License-Identifier: MIT */
/*
 * Transactions: of one verb, and of a turn of the event loop that holds many. Invariant: a turn is
 * committed whole or undone whole; once SQLite failed in it nothing more is written until it is
 * undone, because SQLite may have rolled back by itself and what follows would stand alone.
 */
#include "inner.h"

#include "control.h"

static int run_sql(struct store *s, enum store_sql sql, const char *what, struct err *e)
{
	return store_step(s, store_stmt(s, sql, e), what, e);
}

/* Before anything is written. A turn that changes nothing takes no lock. */
static int ready(struct store *s, struct err *e)
{
	if (s->read_only)
		return err_set(e, BLAME_BUG, "store '%s': it was opened to be read only", s->path);
	if (!s->turn)
		return 0;
	if (err_is(&s->broken)) {
		if (e)
			*e = s->broken;
		return -1;
	}
	if (!s->began && run_sql(s, SQL_BEGIN, "begin", e))
		return -1;
	s->began = true;
	return 0;
}

sqlite3_stmt *store_write(struct store *s, enum store_sql sql, struct err *e)
{
	return ready(s, e) ? NULL : store_stmt(s, sql, e);
}

int store_begin(struct store *s, struct err *e)
{
	if (ready(s, e))
		return -1;
	return run_sql(s, s->turn ? SQL_SAVEPOINT : SQL_BEGIN, "begin", e);
}

int store_commit(struct store *s, struct err *e)
{
	if (!run_sql(s, s->turn ? SQL_RELEASE : SQL_COMMIT, "commit", e))
		return 0;
	store_rollback(s);
	return -1;
}

void store_rollback(struct store *s)
{
	/* SQLite has rolled back by itself after some errors. */
	if (sqlite3_get_autocommit(s->db) || err_is(&s->broken))
		return;
	if (s->turn) {
		run_sql(s, SQL_ROLLBACK_TO, "roll back", NULL);
		run_sql(s, SQL_RELEASE, "roll back", NULL);
	} else {
		run_sql(s, SQL_ROLLBACK, "roll back", NULL);
	}
}

int store_turn_begin(struct store *s, struct err *e)
{
	if (s->read_only)
		return err_set(e, BLAME_BUG, "store '%s': it was opened to be read only", s->path);
	s->turn = true;
	return 0;
}

int store_turn_commit(struct store *s, struct err *e)
{
	int failed = 0;

	if (!s->turn)
		return 0;
	if (!err_is(&s->broken) && s->began)
		failed = run_sql(s, SQL_COMMIT, "commit", e);
	if (err_is(&s->broken)) {
		if (e)
			*e = s->broken;
		failed = -1;
	}
	store_turn_undo(s);
	return failed;
}

void store_turn_undo(struct store *s)
{
	s->turn = s->began = false;
	err_clear(&s->broken);
	if (!sqlite3_get_autocommit(s->db))
		run_sql(s, SQL_ROLLBACK, "roll back", NULL);
}

bool store_turn_open(const struct store *s)
{
	return s->turn;
}
