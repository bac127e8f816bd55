/* SPDX-License-Identifier: MIT */
/*
 * Turns: one commit for all of it, or nothing of it. What a refused verb leaves, what a full disk
 * leaves, what another process sees, and who may hold the lock.
 */
#include "storetest.h"

#include "store/inner.h"

#include <sys/wait.h>
#include <unistd.h>

static int count_job(void *n, const struct store_job *j)
{
	(void)j;
	return ++*(int *)n, 0;
}

static int jobs_in(struct store *s)
{
	int n = 0;

	return store_jobs(s, &(struct store_job_filter){0}, count_job, &n, NULL) ? -1 : n;
}

static int64_t add_job(struct store *s, const char *submitter, struct err *e)
{
	struct store_job job = storetest_job(submitter);

	return store_job_add(s, &job, e) ? -1 : job.id;
}

static void test_commit(struct store *s, struct store *reader)
{
	struct store_audit a = {.at_ms = 1, .account = "x", .what = "submit", .subject = "job 1"};
	struct err e = {0};

	ok(!store_turn_open(s), "no turn is open");
	is_int(store_turn_commit(s, &e), 0, "so a commit does nothing");
	store_turn_undo(s);
	is_int(store_turn_begin(s, &e), 0, "a turn begins");
	is_int(store_turn_begin(s, &e), 0, "again: it is the same");
	ok(store_turn_open(s), "it is open");
	is_int(sqlite3_get_autocommit(s->db), 1, "a turn that has changed nothing holds no lock");
	is_int(add_job(s, "a", &e), 1, "a job in it %s", e.msg);
	is_int(add_job(s, "b", &e), 2, "another");
	is_int(storetest_run(s), 1, "a run");
	is_int(storetest_add(s, 1, 0, 3, 10, &e), 0, "its results");
	is_int(store_audit_add(s, &a, &e), 0, "the audit");
	is_int(jobs_in(s), 2, "the turn sees its own");
	is_int(jobs_in(reader), 0, "another process does not");
	is_int(store_turn_commit(s, &e), 0, "it is committed %s", e.msg);
	ok(!store_turn_open(s), "and over");
	is_int(jobs_in(reader), 2, "now the other process sees all of it");
	is_int(storetest_results(reader, 1), 3, "results too");
}

static void test_undo(struct store *s)
{
	struct err e = {0};

	store_turn_begin(s, &e);
	is_int(add_job(s, "a", &e), 3, "a job in a turn");
	is_int(storetest_add(s, 1, 3, 3, 10, &e), 0, "and results");
	store_turn_undo(s);
	ok(!store_turn_open(s), "that is undone");
	is_int(jobs_in(s), 2, "no job");
	is_int(storetest_results(s, 1), 3, "no result");
	is_int(add_job(s, "a", &e), 3, "its number is given again");
	is_int(jobs_in(s), 3, "to a verb that is a transaction by itself");
}

/* What is refused in a turn leaves nothing, and the turn goes on. */
static void test_refused(struct store *s)
{
	const struct store_event bad[] = {
		{500000, "{\"kind\":\"result\",\"name\":\"x\",\"status\":\"pass\"}", 0},
		{(uint64_t)1 << 48, "{}", 0}};
	struct store_job job = storetest_job("k");
	struct err e = {0};

	store_turn_begin(s, &e);
	job.key = "k";
	is_int(store_job_add(s, &job, &e), 0, "a job with a key");
	is_int(store_run_end(s, 1, "fail", NULL, NULL, 5, &e), 0, "a run ends");
	is_int(store_job_add(s, &job, &e), -1, "the key is taken");
	is_int(store_run_end(s, 1, "pass", NULL, NULL, 5, &e), -1, "the run has ended");
	is_int(store_run_events(s, 99, bad, 1, &e), -1, "there is no run 99");
	is_int(store_run_events(s, 1, bad, 2, &e), -1, "an offset is none");
	job.key = NULL, job.state = "none";
	is_int(store_job_add(s, &job, &e), -1, "a state is none");
	is_int(add_job(s, "after", &e), 5, "what follows is stored %s", e.msg);
	is_int(store_turn_commit(s, &e), 0, "and committed %s", e.msg);
	is_int(jobs_in(s), 5, "with what was stored before");
	is_int(storetest_results(s, 1), 3, "and nothing of what was refused");
}

/* Every verb that writes answers as the first failure did, until the turn is undone. */
static void test_full(struct store *s, struct store *reader)
{
	struct store_agent a = {.name = "host"};
	struct err e = {0}, again = {0};
	int before = jobs_in(s), n = 0;
	char pages[64];

	snprintf(pages, sizeof pages, "PRAGMA max_page_count=%d", 60);
	sqlite3_exec(s->db, pages, NULL, NULL, NULL);
	store_turn_begin(s, &e);
	while (n < 100 && !storetest_add(s, 1, 100 + n, 1, 3000, &e))
		n++;
	ok(n > 0 && n < 100, "no room after %d verbs of a turn", n);
	has_str(e.msg, "no room left on its disk", "is said");
	ok(store_turn_open(s), "the turn is open still");
	is_int(add_job(s, "late", &again), -1, "what follows is not stored");
	is_str(again.msg, e.msg, "for the same reason");
	is_int(store_agent_save(s, &a, &again), -1, "whatever it is");
	is_int(store_turn_commit(s, &again), -1, "nor is the turn committed");
	is_str(again.msg, e.msg, "for the same reason");
	ok(!store_turn_open(s), "it is over");
	is_int(jobs_in(s), before, "and nothing of it is there");
	is_int(storetest_results(s, 1), 3, "no result either");
	is_int(storetest_results(reader, 1), 3, "nor for others");
	sqlite3_exec(s->db, "PRAGMA max_page_count=1000000", NULL, NULL, NULL);
	store_turn_begin(s, &e);
	is_int(storetest_add(s, 1, 100, n + 1, 3000, &e), 0, "with room again");
	is_int(store_turn_commit(s, &e), 0, "a later turn works");
	is_int(storetest_results(reader, 1), 3 + n + 1, "whole");
}

static void test_busy(struct store *s, const char *path)
{
	struct err e = {0};
	struct store *other = store_open(path, false, &e);
	int before = jobs_in(s);

	sqlite3_busy_timeout(s->db, 1);
	store_turn_begin(other, &e);
	add_job(other, "other", &e);
	store_turn_begin(s, &e);
	is_int(add_job(s, "a", &e), -1, "another process holds the store");
	has_str(e.msg, "another process has held it", "which is said");
	is_int(e.blame, BLAME_INFRA, "as an infrastructure failure");
	is_int(jobs_in(s), before, "reading goes on");
	store_turn_undo(other);
	is_int(add_job(s, "a", &e), -1, "the turn stays as it is");
	is_int(store_turn_commit(s, &e), -1, "and is not committed");
	store_turn_begin(s, &e);
	ok(add_job(s, "a", &e) > 0, "the next one works");
	is_int(store_turn_commit(s, &e), 0, "whole");
	is_int(jobs_in(other), before + 1, "for the other process too");
	store_close(other);
	sqlite3_busy_timeout(s->db, STORE_BUSY_MS);
}

static int save_all(void *arg, const struct store_job *j)
{
	struct store_job done = *j;

	done.state = "done";
	return store_job_save(arg, &done, NULL);
}

static void test_nested(struct store *s, struct store *reader)
{
	struct err e = {0};
	int n = 0;

	store_turn_begin(s, &e);
	is_int(store_jobs(s, &(struct store_job_filter){.state = "queued"}, save_all, s, &e), 0,
		"a callback may write %s", e.msg);
	store_jobs(s, &(struct store_job_filter){.open = true}, count_job, &n, &e);
	is_int(n, 0, "all are saved");
	store_turn_commit(s, &e);
	store_jobs(reader, &(struct store_job_filter){.open = true}, count_job, &n, &e);
	is_int(n, 0, "and committed");
	store_turn_begin(s, &e);
	add_job(s, "left", &e);
}

int main(void)
{
	AUTOFREE char *path = mem_strdup(storetest_path("turn.db"));
	struct err e = {0};
	struct store *s = store_open(path, false, &e), *reader = store_open(path, true, &e);
	int before;

	if (!ok(s && reader, "a writer and a reader %s", e.msg))
		return tap_done();
	test_commit(s, reader);
	test_undo(s);
	test_refused(s);
	test_full(s, reader);
	test_busy(s, path);
	before = jobs_in(s);
	test_nested(s, reader);
	store_close(s);
	is_int(jobs_in(reader), before, "a turn that is open when the store closes is undone");
	is_int(store_turn_begin(reader, &e), -1, "a reader has no turn");
	is_int(add_job(reader, "r", &e), -1, "and adds no job");
	has_str(e.msg, "read only", "as is said");
	store_close(reader);
	storetest_done();
	return tap_done();
}
