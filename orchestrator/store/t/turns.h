/* SPDX-License-Identifier: MIT */
#ifndef STORE_T_TURNS_H
#define STORE_T_TURNS_H

/* Turns that touch many tables, and whether a store holds whole ones only. */

#include "storetest.h"

#include "store/inner.h"

#define TURN_AUDITS  3
#define TURN_RESULTS 4

static int turn_verbs(struct store *s, int i, const char *who, struct err *e)
{
	AUTOFREE char *text = mem_printf("job: turn-%d\n", i);
	struct store_job job = storetest_job(who);
	struct store_run run = {.job = "smoke", .started_ms = 1, .attempt = 1};
	struct store_part p = {.agent = "host", .board = "b1", .state = "assigned"};
	struct store_audit a = {.at_ms = i, .account = who, .what = "submit", .subject = "job"};
	struct store_board b = {.name = "b1", .health = "good", .since_ms = i};

	job.text = text;
	if (store_job_add(s, &job, e))
		return -1;
	run.job_id = p.job = job.id;
	if (store_run_add(s, &run, e))
		return -1;
	p.run = run.id;
	for (p.part = 0; p.part < 2; p.part++)
		if (store_part_add(s, &p, e))
			return -1;
	if (storetest_add(s, run.id, 0, TURN_RESULTS, 1500, e))
		return -1;
	for (int n = 0; n < TURN_AUDITS; n++)
		if (store_audit_add(s, &a, e))
			return -1;
	job.state = "running", job.attempts = 1, job.last_run = run.id;
	return store_board_save(s, &b, e) || store_job_save(s, &job, e) ? -1 : 0;
}

/* Turn number i, from 1: one job, one run with two parts and results, the audit and a board. */
static UNUSED int turn_make(struct store *s, int i, struct err *e)
{
	if (store_turn_begin(s, e))
		return -1;
	if (turn_verbs(s, i, "turn", e)) {
		store_turn_undo(s);
		return -1;
	}
	return store_turn_commit(s, e);
}

/* The same, undone. */
static UNUSED void turn_undone(struct store *s, int i)
{
	store_turn_begin(s, NULL);
	turn_verbs(s, i, "undone", NULL);
	store_turn_undo(s);
}

static int64_t turns_number(struct store *s, const char *sql)
{
	sqlite3_stmt *st = NULL;
	int64_t n = -1;

	if (!sqlite3_prepare_v2(s->db, sql, -1, &st, NULL) && sqlite3_step(st) == SQLITE_ROW)
		n = sqlite3_column_int64(st, 0);
	sqlite3_finalize(st);
	return n;
}

/* In one read transaction: another process may be writing. */
static int64_t turns_whole(struct store *s)
{
	int64_t n = turns_number(s, "SELECT count(*) FROM job");
	const struct {
		const char *sql;
		int64_t want;
	} checks[] = {
		{"SELECT count(*) FROM pragma_integrity_check WHERE integrity_check<>'ok'", 0},
		{"SELECT count(*) FROM pragma_foreign_key_check", 0},
		{"SELECT coalesce(max(id), 0) FROM job", n},
		{"SELECT count(*) FROM job j JOIN content c ON c.id=j.text"
		 " WHERE c.text='job: turn-' || j.id || char(10) AND j.state='running'",
			n},
		{"SELECT count(*) FROM run WHERE job_id=id", n},
		{"SELECT count(*) FROM part WHERE job=run", 2 * n},
		{"SELECT count(*) FROM result", TURN_RESULTS * n},
		{"SELECT count(*) FROM event", TURN_RESULTS * n},
		{"SELECT count(*) FROM audit WHERE account='turn'", TURN_AUDITS * n},
		{"SELECT count(*) FROM audit", TURN_AUDITS * n},
		{"SELECT coalesce(max(since_ms), 0) FROM board", n},
	};

	for (size_t i = 0; i < ARRAY_LEN(checks); i++) {
		int64_t got = turns_number(s, checks[i].sql);

		if (got == checks[i].want)
			continue;
		printf("# %s: %lld, not %lld\n", checks[i].sql, (long long)got,
			(long long)checks[i].want);
		return -1;
	}
	return n;
}

/* How many turns are there; -1 when one is torn or out of order, or the file is damaged. */
static UNUSED int64_t turns_in(struct store *s)
{
	int64_t n;

	sqlite3_exec(s->db, "BEGIN", NULL, NULL, NULL);
	n = turns_whole(s);
	sqlite3_exec(s->db, "COMMIT", NULL, NULL, NULL);
	return n;
}

#endif
