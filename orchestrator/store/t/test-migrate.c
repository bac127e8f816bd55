/* SPDX-License-Identifier: MIT */
/*
 * Stores of every earlier version, made by the steps that made them and with data in, opened by
 * this one: nothing of theirs is lost and all that is new works. And a migration that the disk or a
 * kill ends half way leaves the store as it was.
 */
#include "storetest.h"

#include "store/inner.h"
#include "store/series.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#define APPLICATION_ID 0x68696c62

/* What a store of version 1 may hold; the columns are those of that day. */
static const char data_1[] =
	"INSERT INTO run(job, board, type, soc, lab, twin, verdict, blame, message, started_ms,"
	" ended_ms, dir, params, events_end) VALUES"
	" ('smoke', 'b1', 't', 'am62axx', 'l', 1, 'fail', 'test', 'no', 1000, 2000, '/d1', '{}', "
	"90),"
	" ('boot', NULL, NULL, NULL, NULL, 0, NULL, NULL, NULL, 3000, 0, '/d2', '{\"a\":1}', 0);"
	"INSERT INTO event VALUES (1, 0, 'result', '{\"kind\":\"result\"}'), (1, 50, 'x', '{}');"
	"INSERT INTO result(run, at_offset, suite, name, status, why, at_ms, log_offset, console)"
	" VALUES (1, 0, 's', 'n', 'fail', 'because', 1500, 12, 'main');"
	"INSERT INTO metric(run, at_offset, suite, test, name, value, unit, labels) VALUES"
	" (1, 50, 's', 't', 'bw', 0.1, 'MB/s', '{}');"
	"INSERT INTO env(run, at_offset, name, value) VALUES (1, 60, 'kernel', '6.1');"
	"INSERT INTO stage VALUES (1, 70, 'login', 2100, 1600);";

static int versions(void)
{
	int n = 0;

	while (store_migrations[n])
		n++;
	return n;
}

static int exec_in(sqlite3 *db, const char *sql)
{
	char *text = NULL;
	int code = sqlite3_exec(db, sql, NULL, NULL, &text);

	if (code)
		tap_text(sql, text);
	sqlite3_free(text);
	return code;
}

/* A store as a hilab of that version left it. runs: so many more of them. */
static int make_version(const char *path, int version, int runs)
{
	char sql[256];
	sqlite3 *db;
	int failed = sqlite3_open(path, &db) || exec_in(db, "PRAGMA journal_mode=WAL");

	for (int i = 0; i < version; i++)
		failed = failed || exec_in(db, store_migrations[i]);
	snprintf(sql, sizeof sql, "PRAGMA user_version=%d; PRAGMA application_id=%d", version,
		APPLICATION_ID);
	failed = failed || exec_in(db, sql) || exec_in(db, data_1);
	snprintf(sql, sizeof sql,
		"WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM n WHERE i<%d)"
		" INSERT INTO run(job, twin, started_ms, ended_ms, params)"
		" SELECT 'more', 0, i, 0, '{}' FROM n",
		runs);
	if (runs)
		failed = failed || exec_in(db, sql);
	sqlite3_close(db);
	return failed;
}

static int version_of(const char *path)
{
	sqlite3_stmt *st;
	sqlite3 *db;
	int version = -1;

	sqlite3_open(path, &db);
	sqlite3_prepare_v2(db, "PRAGMA user_version", -1, &st, NULL);
	if (sqlite3_step(st) == SQLITE_ROW)
		version = sqlite3_column_int(st, 0);
	sqlite3_finalize(st);
	sqlite3_close(db);
	return version;
}

static int dump_run(void *arg, const struct store_run *r)
{
	return buf_printf(arg, "%lld %s %s %s %lld %lld %s %lld %lld\n", (long long)r->id, r->job,
		r->verdict ? r->verdict : "-", r->message ? r->message : "-",
		(long long)r->started_ms, (long long)r->ended_ms, r->params, (long long)r->job_id,
		(long long)r->attempt);
}

static int dump_result(void *arg, const struct store_result *r)
{
	return buf_printf(arg, "%s %s %s %s %lld %lld %s %u\n", r->suite, r->name, r->status,
		r->why, (long long)r->at_ms, (long long)r->log_offset, r->console, r->part);
}

static int dump_metric(void *arg, const struct store_metric *m)
{
	return buf_printf(arg, "%s %.17g %s %u %g %g %g\n", m->name, m->value, m->unit, m->part,
		m->min, m->max, m->resolution);
}

static int dump_env(void *arg, const char *name, const char *value)
{
	return buf_printf(arg, "%s %s\n", name, value);
}

static int dump_stage(void *arg, const struct store_stage *st)
{
	return buf_printf(
		arg, "%s %lld %u\n", st->name, (long long)st->ms_since_power_on, st->part);
}

static int dump_event(void *arg, const char *kind, const struct store_event *ev)
{
	return buf_printf(
		arg, "%s %llu %u %s\n", kind, (unsigned long long)ev->offset, ev->part, ev->line);
}

static int dump_series(void *arg, const struct store_series *series)
{
	return buf_printf(arg, "%s %s %lld %lld\n", series->job, series->metric,
		(long long)series->points, (long long)series->last_ms);
}

static void check_old(struct store *s)
{
	AUTOBUF out = BUF_INIT(1 << 16);
	struct err e = {0};
	uint64_t offset = 0;

	store_runs(s, 0, dump_run, &out, &e);
	is_str(buf_str(&out), "2 boot - - 3000 0 {\"a\":1} 0 0\n1 smoke fail no 1000 2000 {} 0 0\n",
		"its runs are there, of no job");
	buf_reset(&out);
	store_results(s, 1, dump_result, &out, &e);
	store_metrics(s, 1, dump_metric, &out, &e);
	store_envs(s, 1, dump_env, &out, &e);
	store_stages(s, 1, dump_stage, &out, &e);
	store_events(s, 1, NULL, dump_event, &out, &e);
	is_str(buf_str(&out),
		"s n fail because 1500 12 main 0\nbw 0.10000000000000001 MB/s 0 nan nan 0\nkernel "
		"6.1\n"
		"login 2100 0\nresult 0 0 {\"kind\":\"result\"}\nx 50 0 {}\n",
		"and all that was stored of them");
	store_run_offset(s, 1, &offset, &e);
	is_int((long long)offset, 90, "up to where it was stored");
	buf_reset(&out);
	store_series_list(s, NULL, dump_series, &out, &e);
	is_str(buf_str(&out), "smoke bw 1 1000\n", "its figure is in a series");
}

static void check_new(struct store *s)
{
	const struct store_event more = {
		90, "{\"kind\":\"env\",\"name\":\"a\",\"value\":\"b\"}", 0};
	struct store_job job = storetest_job("alice");
	struct err e = {0};
	struct store_part p = {
		.run = 2, .part = 1, .agent = "h", .board = "b", .state = "assigned"};

	is_int(store_run_events(s, 2, &more, 1, &e), 0, "an old run goes on %s", e.msg);
	is_int(store_run_end(s, 2, "pass", NULL, NULL, 9, &e), 0, "and ends %s", e.msg);
	is_int(store_job_add(s, &job, &e), 0, "a job is added %s", e.msg);
	p.job = job.id;
	is_int(store_part_add(s, &p, &e), 0, "a part %s", e.msg);
	is_int(storetest_run(s), 3, "a new run has the next number");
}

static void test_version(int version)
{
	AUTOFREE char *name = mem_printf("v%d.db", version);
	AUTOFREE char *path = mem_strdup(storetest_path(name));
	struct err e = {0};
	struct store *s;

	is_int(make_version(path, version, 0), 0, "a store of version %d", version);
	ok(!store_open(path, true, &e), "cannot be read before it was brought up to date");
	has_str(e.msg, "older than this hilab", "as is said");
	is_int(version_of(path), version, "and is not changed by that");
	err_clear(&e);
	s = store_open(path, false, &e);
	if (ok(s != NULL, "it is opened %s", e.msg))
		check_old(s);
	store_close(s);
	is_int(version_of(path), versions(), "it has our version");
	s = store_open(path, false, &e);
	if (ok(s != NULL, "it is opened again"))
		check_new(s);
	store_close(s);
}

/* In a child: its exit says what went wrong. */
static int migrate_fails(const char *path)
{
	struct err e = {0};

	return store_open(path, false, &e) ? 1 : strstr(e.msg, path) ? 0 : 2;
}

static int limit_pages(sqlite3 *db, char **text, const sqlite3_api_routines *api)
{
	(void)text, (void)api;
	return sqlite3_exec(db, "PRAGMA max_page_count=20", NULL, NULL, NULL);
}

static int kill_at(void *arg)
{
	(void)arg;
	raise(SIGKILL);
	return 0;
}

static int kill_on_commit(sqlite3 *db, char **text, const sqlite3_api_routines *api)
{
	(void)text, (void)api;
	/* At the first commit that changed something. */
	sqlite3_commit_hook(db, kill_at, NULL);
	return 0;
}

static int in_child(const char *path, int (*hook)(sqlite3 *, char **, const sqlite3_api_routines *))
{
	pid_t pid = fork();
	int status = 0;

	if (!pid) {
		sqlite3_auto_extension((void (*)(void))hook);
		_exit(migrate_fails(path));
	}
	waitpid(pid, &status, 0);
	return status;
}

static void test_interrupted(int version)
{
	AUTOFREE char *name = mem_printf("half%d.db", version);
	AUTOFREE char *path = mem_strdup(storetest_path(name));
	struct err e = {0};
	struct store *s;
	int status;

	is_int(make_version(path, version, 0), 0, "a store of version %d", version);
	status = in_child(path, kill_on_commit);
	ok(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL, "its migration is killed (%d)",
		status);
	is_int(version_of(path), version, "and it keeps its version");
	s = store_open(path, false, &e);
	if (ok(s != NULL, "it is opened later %s", e.msg)) {
		check_old(s);
		check_new(s);
	}
	store_close(s);
}

/* New tables need room; new columns may fit in what is there. */
static void test_full(int version)
{
	AUTOFREE char *name = mem_printf("full%d.db", version);
	AUTOFREE char *path = mem_strdup(storetest_path(name));
	int status, now;

	is_int(make_version(path, version, 0), 0, "a store of version %d", version);
	status = in_child(path, limit_pages);
	now = version_of(path);
	if (version == 1)
		ok(WIFEXITED(status) && !WEXITSTATUS(status), "has no room for the new tables (%d)",
			status);
	if (WIFEXITED(status) && !WEXITSTATUS(status))
		is_int(now, version, "and keeps its version");
	else
		is_int(now, versions(), "or is migrated whole");
}

/* Two processes that both find an old store. */
static void test_two(int version)
{
	AUTOFREE char *name = mem_printf("two%d.db", version);
	AUTOFREE char *path = mem_strdup(storetest_path(name));
	int status, good = 0;
	pid_t pids[4];

	make_version(path, version, 2000);
	for (size_t i = 0; i < ARRAY_LEN(pids); i++) {
		pids[i] = fork();
		if (!pids[i])
			_exit(store_open(path, false, NULL) ? 0 : 1);
	}
	for (size_t i = 0; i < ARRAY_LEN(pids); i++) {
		waitpid(pids[i], &status, 0);
		good += WIFEXITED(status) && !WEXITSTATUS(status);
	}
	is_int(good, ARRAY_LEN(pids), "so many processes open a store of version %d at once",
		version);
	is_int(version_of(path), versions(), "one of them migrates it");
}

int main(void)
{
	ok(versions() > 1, "there are earlier versions");
	for (int v = 1; v < versions(); v++) {
		test_version(v);
		test_interrupted(v);
		test_full(v);
		test_two(v);
	}
	storetest_done();
	return tap_done();
}
