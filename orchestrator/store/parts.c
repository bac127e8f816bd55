/* SPDX-License-Identifier: MIT */
/*
 * Parts of runs, and what is sent into their folders. Invariant: a part is keyed by (run, part) and
 * a line of its inbox by (run, part, seq); seq rises by one.
 */
#include "inner.h"

#include "control.h"

static int check_part(struct store *s, unsigned part, struct err *e)
{
	if (part < STORE_PARTS_MAX)
		return 0;
	return err_set(e, BLAME_BUG, "store '%s': part %u of a run: %d at most", s->path, part,
		STORE_PARTS_MAX);
}

/* Both statements number their parameters alike. */
static void bind_part(sqlite3_stmt *st, const struct store_part *p)
{
	sqlite3_bind_int64(st, 1, p->run);
	sqlite3_bind_int64(st, 2, p->part);
	store_bind_id(st, 3, p->job);
	store_bind_text(st, 4, p->role);
	store_bind_text(st, 5, p->agent);
	store_bind_text(st, 6, p->board);
	store_bind_text(st, 7, p->dir);
	store_bind_text(st, 8, p->state);
	store_bind_text(st, 9, p->verdict);
	store_bind_text(st, 10, p->blame);
	store_bind_text(st, 11, p->message);
	store_bind_text(st, 12, p->power);
	sqlite3_bind_int64(st, 13, p->assigned_ms);
	sqlite3_bind_int64(st, 14, p->started_ms);
	sqlite3_bind_int64(st, 15, p->ended_ms);
}

int store_part_add(struct store *s, const struct store_part *p, struct err *e)
{
	sqlite3_stmt *st;

	if (check_part(s, p->part, e))
		return -1;
	st = store_write(s, SQL_PART_ADD, e);
	bind_part(st, p);
	return store_step(s, st, "add a part", e);
}

int store_part_save(struct store *s, const struct store_part *p, struct err *e)
{
	sqlite3_stmt *st = store_write(s, SQL_PART_SAVE, e);
	int changed;

	bind_part(st, p);
	changed = store_step_changes(s, st, "save a part", e);
	if (!changed)
		return err_set(e, BLAME_BUG, "store '%s': there is no part %u of run %lld", s->path,
			p->part, (long long)p->run);
	return changed < 0 ? -1 : 0;
}

static int walk_parts(
	struct store *s, sqlite3_stmt *st, store_part_fn *fn, void *arg, struct err *e)
{
	int answer = 0;

	while (store_row(s, st, &answer, e)) {
		struct store_part p = {
			.run = sqlite3_column_int64(st, 0),
			.part = (unsigned)sqlite3_column_int64(st, 1),
			.job = sqlite3_column_int64(st, 2),
			.role = store_text(st, 3),
			.agent = store_text(st, 4),
			.board = store_text(st, 5),
			.dir = store_text(st, 6),
			.state = store_text(st, 7),
			.verdict = store_text(st, 8),
			.blame = store_text(st, 9),
			.message = store_text(st, 10),
			.power = store_text(st, 11),
			.assigned_ms = sqlite3_column_int64(st, 12),
			.started_ms = sqlite3_column_int64(st, 13),
			.ended_ms = sqlite3_column_int64(st, 14),
		};

		answer = fn(arg, &p);
	}
	return answer;
}

int store_parts(struct store *s, int64_t run, store_part_fn *fn, void *arg, struct err *e)
{
	sqlite3_stmt *st = store_stmt(s, SQL_PARTS, e);

	sqlite3_bind_int64(st, 1, run);
	return walk_parts(s, st, fn, arg, e);
}

int store_parts_open(struct store *s, store_part_fn *fn, void *arg, struct err *e)
{
	return walk_parts(s, store_stmt(s, SQL_PARTS_OPEN, e), fn, arg, e);
}

int store_part_offset(struct store *s, int64_t run, unsigned part, uint64_t *offset, struct err *e)
{
	sqlite3_stmt *st;
	int64_t got;
	int found;

	if (!part)
		return store_run_offset(s, run, offset, e);
	st = store_stmt(s, SQL_PART_OFFSET, e);
	sqlite3_bind_int64(st, 1, run);
	sqlite3_bind_int64(st, 2, part);
	found = store_number(s, st, "read", &got, e);
	if (!found)
		return err_set(e, BLAME_BUG, "store '%s': there is no part %u of run %lld", s->path,
			part, (long long)run);
	if (found > 0)
		*offset = (uint64_t)got;
	return found < 0 ? -1 : 0;
}

int store_inbox_add(
	struct store *s, int64_t run, unsigned part, const char *line, int64_t *seq, struct err *e)
{
	sqlite3_stmt *st = store_write(s, SQL_INBOX_ADD, e);

	sqlite3_bind_int64(st, 1, run);
	sqlite3_bind_int64(st, 2, part);
	store_bind_text(st, 3, line);
	return store_number(s, st, "add a line to an inbox", seq, e) > 0 ? 0 : -1;
}

int store_inbox(struct store *s, int64_t run, unsigned part, int64_t after, store_inbox_fn *fn,
	void *arg, struct err *e)
{
	sqlite3_stmt *st = store_stmt(s, SQL_INBOX, e);
	int answer = 0;

	sqlite3_bind_int64(st, 1, run);
	sqlite3_bind_int64(st, 2, part);
	sqlite3_bind_int64(st, 3, after);
	while (store_row(s, st, &answer, e))
		answer = fn(arg, sqlite3_column_int64(st, 0), store_text(st, 1));
	return answer;
}
