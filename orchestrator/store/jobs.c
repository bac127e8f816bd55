/* SPDX-License-Identifier: MIT */
/*
 * Jobs. Invariant: a job's document, plans and wants are shared texts (content.c), of which a list
 * reads the wants alone.
 */
#include "inner.h"

#include "control.h"

#include <string.h>

static int add_contents(
	struct store *s, const struct store_job *job, int64_t contents[3], struct err *e)
{
	const char *const texts[] = {job->text, job->plans, job->wants};

	for (size_t i = 0; i < ARRAY_LEN(texts); i++)
		if (store_content(s, texts[i], &contents[i], e))
			return -1;
	return 0;
}

static int add(struct store *s, const struct store_job *job, struct err *e)
{
	int64_t contents[3];
	sqlite3_stmt *st;

	if (add_contents(s, job, contents, e))
		return -1;
	st = store_stmt(s, SQL_JOB_ADD, e);
	store_bind_text(st, 1, job->name);
	store_bind_text(st, 2, job->kind);
	store_bind_text(st, 3, job->submitter);
	store_bind_text(st, 4, job->state);
	sqlite3_bind_int64(st, 5, job->priority);
	store_bind_id(st, 6, contents[0]);
	store_bind_text(st, 7, job->file);
	store_bind_text(st, 8, job->params ? job->params : "{}");
	store_bind_id(st, 9, contents[1]);
	store_bind_id(st, 10, contents[2]);
	store_bind_text(st, 11, job->build);
	sqlite3_bind_int64(st, 12, job->timeout_ms);
	sqlite3_bind_int64(st, 13, job->queue_timeout_ms);
	sqlite3_bind_int64(st, 14, job->submitted_ms);
	sqlite3_bind_int64(st, 15, job->ended_ms);
	sqlite3_bind_int64(st, 16, job->attempts);
	store_bind_text(st, 17, job->verdict);
	store_bind_text(st, 18, job->blame);
	store_bind_text(st, 19, job->message);
	store_bind_text(st, 20, job->canceled_by);
	store_bind_id(st, 21, job->nightly);
	store_bind_id(st, 22, job->retry_of);
	store_bind_id(st, 23, job->last_run);
	store_bind_text(st, 24, job->key);
	return store_step(s, st, "add a job", e);
}

int store_job_add(struct store *s, struct store_job *job, struct err *e)
{
	int64_t id;

	if (store_begin(s, e))
		return -1;
	if (add(s, job, e)) {
		store_rollback(s);
		return -1;
	}
	id = sqlite3_last_insert_rowid(s->db);
	if (store_commit(s, e))
		return -1;
	job->id = id;
	return 0;
}

int store_job_save(struct store *s, const struct store_job *job, struct err *e)
{
	sqlite3_stmt *st = store_write(s, SQL_JOB_SAVE, e);
	int changed;

	sqlite3_bind_int64(st, 1, job->id);
	store_bind_text(st, 2, job->state);
	sqlite3_bind_int64(st, 3, job->attempts);
	sqlite3_bind_int64(st, 4, job->ended_ms);
	store_bind_text(st, 5, job->verdict);
	store_bind_text(st, 6, job->blame);
	store_bind_text(st, 7, job->message);
	store_bind_text(st, 8, job->canceled_by);
	store_bind_id(st, 9, job->last_run);
	changed = store_step_changes(s, st, "save a job", e);
	if (!changed)
		return err_set(e, BLAME_BUG, "store '%s': there is no job %lld", s->path,
			(long long)job->id);
	return changed < 0 ? -1 : 0;
}

/* The columns that lists and single jobs have. */
static struct store_job job_row(sqlite3_stmt *st)
{
	return (struct store_job){
		.id = sqlite3_column_int64(st, 0),
		.name = store_text(st, 1),
		.kind = store_text(st, 2),
		.submitter = store_text(st, 3),
		.state = store_text(st, 4),
		.priority = sqlite3_column_int64(st, 5),
		.params = store_text(st, 6),
		.wants = store_text(st, 7),
		.build = store_text(st, 8),
		.timeout_ms = sqlite3_column_int64(st, 9),
		.queue_timeout_ms = sqlite3_column_int64(st, 10),
		.submitted_ms = sqlite3_column_int64(st, 11),
		.ended_ms = sqlite3_column_int64(st, 12),
		.attempts = sqlite3_column_int64(st, 13),
		.verdict = store_text(st, 14),
		.blame = store_text(st, 15),
		.message = store_text(st, 16),
		.canceled_by = store_text(st, 17),
		.nightly = sqlite3_column_int64(st, 18),
		.retry_of = sqlite3_column_int64(st, 19),
		.last_run = sqlite3_column_int64(st, 20),
		.key = store_text(st, 21),
	};
}

int store_job_get(struct store *s, int64_t id, store_job_fn *fn, void *arg, struct err *e)
{
	sqlite3_stmt *st = store_stmt(s, SQL_JOB_GET, e);
	int answer = 0;

	sqlite3_bind_int64(st, 1, id);
	while (store_row(s, st, &answer, e)) {
		struct store_job job = job_row(st);

		job.file = store_text(st, 22);
		job.text = store_text(st, 23);
		job.plans = store_text(st, 24);
		answer = fn(arg, &job);
		answer = answer ? answer : 1;
	}
	return answer;
}

int store_job_by_key(
	struct store *s, const char *submitter, const char *key, int64_t *id, struct err *e)
{
	sqlite3_stmt *st = store_stmt(s, SQL_JOB_BY_KEY, e);

	store_bind_text(st, 1, submitter);
	store_bind_text(st, 2, key);
	return store_number(s, st, "look for a job's key", id, e);
}

/* The statement whose index leaves the fewest jobs to look at. */
static enum store_sql list_sql(const struct store_job_filter *f)
{
	enum store_sql sql = f->nightly                                          ? SQL_JOBS_NIGHTLY
			     : f->open || (f->state && strcmp(f->state, "done")) ? SQL_JOBS_OPEN
			     : f->submitter ? SQL_JOBS_SUBMITTER
					    : SQL_JOBS;

	return f->oldest_first ? sql + 1 : sql;
}

int store_jobs(struct store *s, const struct store_job_filter *f, store_job_fn *fn, void *arg,
	struct err *e)
{
	sqlite3_stmt *st = store_stmt(s, list_sql(f), e);
	int answer = 0;

	store_bind_text(st, 1, f->state);
	store_bind_text(st, 2, f->submitter);
	store_bind_text(st, 3, f->kind);
	store_bind_id(st, 4, f->nightly);
	sqlite3_bind_int(st, 5, f->open);
	sqlite3_bind_int64(st, 6, f->before > 0 ? f->before : INT64_MAX);
	sqlite3_bind_int64(st, 7, f->limit > 0 ? f->limit : -1);
	while (store_row(s, st, &answer, e)) {
		struct store_job job = job_row(st);

		answer = fn(arg, &job);
	}
	return answer;
}
