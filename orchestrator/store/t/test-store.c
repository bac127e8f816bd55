/* SPDX-License-Identifier: MIT */
/* The store's verbs: what goes in comes out, twice is once, and files that are refused. */
#include "storetest.h"

#include "store/inner.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static int dump_run(void *arg, const struct store_run *r)
{
	buf_printf(arg, "%lld %s %s %s %s %s %d %s %s %s %s %s %lld %lld %s %s\n", (long long)r->id,
		r->job, r->board, r->type, r->soc, r->lab, r->twin, r->build ? r->build : "-",
		r->build_version ? r->build_version : "-", r->verdict ? r->verdict : "-",
		r->blame ? r->blame : "-", r->message ? r->message : "-", (long long)r->started_ms,
		(long long)r->ended_ms, r->dir, r->params);
	return 0;
}

static int dump_result(void *arg, const struct store_result *r)
{
	buf_printf(arg, "%s %s %s %s %lld %lld %s\n", r->suite, r->name, r->status,
		r->why ? r->why : "-", (long long)r->at_ms, (long long)r->log_offset,
		r->console ? r->console : "-");
	return 0;
}

static int dump_metric(void *arg, const struct store_metric *m)
{
	return buf_printf(arg, "%s %s %s %.17g %s %s %g %g %g\n", m->suite, m->test, m->name,
		m->value, m->unit, m->labels, m->min, m->max, m->resolution);
}

static int dump_env(void *arg, const char *name, const char *value)
{
	return buf_printf(arg, "%s %s\n", name, value);
}

static int dump_stage(void *arg, const struct store_stage *st)
{
	return buf_printf(arg, "%s %lld %lld\n", st->name, (long long)st->ms_since_power_on,
		(long long)st->at_ms);
}

static int stop_first(void *arg, const struct store_run *r)
{
	*(int64_t *)arg = r->id;
	return 7;
}

static const struct store_event events[] = {
	{0, "{\"seq\":0,\"at\":1,\"kind\":\"run-start\",\"job\":\"smoke\"}"},
	{100, "{\"at\":2,\"kind\":\"result\",\"suite\":\"s\",\"name\":\"a\",\"status\":\"pass\"}"},
	{200, "{\"at\":3,\"kind\":\"result\",\"suite\":\"s\",\"name\":\"a\",\"status\":\"fail\","
	      "\"why\":\"it said \\\"no\\\"\",\"log_offset\":12,\"console\":\"main\"}"},
	{400, "{\"at\":4,\"kind\":\"result\",\"suite\":\"s\",\"name\":\"b\",\"status\":\"great\"}"},
	{500, "{\"kind\":\"metric\",\"suite\":\"s\",\"test\":\"t\",\"name\":\"fio.read.bw\","
	      "\"value\":0.1,\"unit\":\"MB/s\",\"labels\":{\"rw\":\"read\",\"bs\":\"4k\"}}"},
	{700, "{\"kind\":\"metric\",\"name\":\"gone\",\"value\":null,\"unit\":\"s\"}"},
	{800, "{\"kind\":\"metric\",\"name\":\"whole\",\"value\":3,\"unit\":\"count\"}"},
	{850, "{\"kind\":\"metric\",\"name\":\"iperf3.bw\",\"value\":1500000,\"min\":1e6,"
	      "\"max\":null,\"resolution\":8,\"unit\":\"bit/s\"}"},
	{870, "{\"kind\":\"metric\",\"name\":\"iperf3.jitter\",\"value\":2,\"unit\":\"MB/s\"}"},
	{900, "{\"kind\":\"env\",\"name\":\"kernel\",\"value\":\"6.1\"}"},
	{1000, "{\"at\":9,\"kind\":\"stage\",\"name\":\"kernel\",\"ms_since_power_on\":2100}"},
	{1100, "{\"at\":9,\"kind\":\"stage\",\"name\":\"login\"}"},
	{1200, "this is no JSON"},
};

static void test_roundtrip(struct store *s)
{
	struct store_run run = {.job = "smoke",
		.board = "b1",
		.type = "am62axx-twin",
		.soc = "am62axx",
		.lab = "virtual",
		.twin = true,
		.build = "am62axx-twin",
		.build_version = "1",
		.started_ms = 1000,
		.dir = "/d",
		.params = "{\"a\":\"1\"}"};
	AUTOBUF out = BUF_INIT(1 << 16);
	struct err e = {0};
	uint64_t offset = 9;
	int64_t first = 0;

	is_int(store_run_add(s, &run, &e), 0, "a run is added %s", e.msg);
	is_int(run.id, 1, "and has number 1");
	is_int(store_run_offset(s, 1, &offset, &e), 0, "its offset is known");
	is_int((long long)offset, 0, "and 0");
	is_int(store_run_events(s, 1, events, 4, &e), 0, "events are stored %s", e.msg);
	is_int(store_run_events(s, 1, events, ARRAY_LEN(events), &e), 0, "again, with more %s",
		e.msg);
	is_int(store_run_events(s, 1, events, ARRAY_LEN(events), &e), 0, "and again");
	store_run_offset(s, 1, &offset, &e);
	is_int((long long)offset, 1200 + 15 + 1, "the offset is behind the last line");

	store_results(s, 1, dump_result, &out, &e);
	is_str(buf_str(&out),
		"s a pass - 2 -1 -\n"
		"s a fail it said \"no\" 3 12 main\n"
		"s b miss status 'great' is none of ours 4 -1 -\n",
		"results: each once, two of one name both, a foreign status is a miss");
	buf_reset(&out);
	store_metrics(s, 1, dump_metric, &out, &e);
	is_str(buf_str(&out),
		"s t fio.read.bw 0.10000000000000001 MB/s {\"bs\":\"4k\",\"rw\":\"read\"} nan nan "
		"0\n"
		"  whole 3 count {} nan nan 0\n"
		"  iperf3.bw 1.5 Mbit/s {} 1 nan 8e-06\n",
		"metrics: to the last bit, in the table's unit, labels sorted, no figure out of "
		"null, none in a unit of another kind");
	is_int(store_run_set_dir(s, 1, "/d", &e), 0, "its folder may be said later %s", e.msg);
	is_int(store_run_set_dir(s, 77, "/d", &e), -1, "of a run that is there");
	buf_reset(&out);
	store_envs(s, 1, dump_env, &out, &e);
	store_stages(s, 1, dump_stage, &out, &e);
	is_str(buf_str(&out), "kernel 6.1\nkernel 2100 9\n",
		"environment, and stages that were seen");

	is_int(store_run_end(s, 1, "fail", "test", "it said no", 5000, &e), 0, "the run ends");
	is_int(store_run_end(s, 1, "fail", "test", "it said no", 5000, &e), 0, "twice is fine");
	is_int(store_run_end(s, 1, "pass", NULL, NULL, 6000, &e), -1, "but not otherwise");
	has_str(e.msg, "run 1 has ended before, as 'fail'", "and that is said");
	is_int(store_run_end(s, 1, "good", NULL, NULL, 6000, &e), -1,
		"a foreign verdict is refused");
	is_int(store_run_late(s, 1, "pass", NULL, "late", &e), 0, "what came late is %s", e.msg);
	is_int(store_run_end(s, 1, "pass", NULL, NULL, 6000, &e), 0, "how it ended");
	is_int(store_run_late(s, 1, "fail", "test", "it said no", &e), 0, "and again");
	is_int(store_run_end(s, 77, "pass", NULL, NULL, 6000, &e), -1, "a run that is not there");
	has_str(e.msg, "there is no run 77", "is named");
	buf_reset(&out);
	is_int(store_run_get(s, 1, dump_run, &out, &e), 1, "the run is found");
	is_str(buf_str(&out),
		"1 smoke b1 am62axx-twin am62axx virtual 1 am62axx-twin 1 fail test it said no "
		"1000 "
		"5000 /d {\"a\":\"1\"}\n",
		"with all that was said");
	is_int(store_run_get(s, 2, dump_run, &out, &e), 0, "no run 2");
	is_int(storetest_run(s), 2, "a second run");
	is_int(store_runs(s, 0, stop_first, &first, &e), 7, "a callback stops the walk");
	is_int(first, 2, "which begins with the newest");
	is_int(store_run_events(s, 77, events, 1, &e), -1, "events of no run are refused");
	is_int(store_run_offset(s, 77, &offset, &e), -1, "and so is its offset");
}

static void refuse(const char *path, bool read_only, const char *part)
{
	struct err e = {0};
	struct store *s = store_open(path, read_only, &e);

	ok(!s, "'%s' is refused", fs_basename(path));
	has_str(e.msg, part, "as '%s'", part);
	has_str(e.msg, path, "with its path");
	store_close(s);
}

static void test_refused(void)
{
	AUTOFREE char *good = mem_strdup(storetest_path("good.db"));
	AUTOFREE char *path = mem_strdup(storetest_path("other.db"));
	struct err e = {0};
	struct store *s;
	sqlite3 *db;
	char page[5000];
	int fd, version;

	refuse(storetest_path("none.db"), true, "No such file");
	fs_write(storetest_path("text.db"), "this is a text, and not even a short one", 40, 0644,
		&e);
	refuse(storetest_path("text.db"), false, "not a database");
	refuse("/proc/version/x.db", false, "open");

	sqlite3_open(path, &db);
	sqlite3_exec(db, "CREATE TABLE theirs(x); PRAGMA user_version=1", NULL, NULL, NULL);
	sqlite3_close(db);
	refuse(path, false, "another program's database");

	s = store_open(good, false, &e);
	ok(s != NULL, "a store is made");
	storetest_run(s);
	sqlite3_exec(s->db, "PRAGMA user_version=99", NULL, NULL, NULL);
	store_close(s);
	refuse(good, false, "newer than this hilab");
	sqlite3_open(good, &db);
	for (version = 0; store_migrations[version];)
		version++;
	snprintf(page, sizeof page, "PRAGMA user_version=%d", version);
	sqlite3_exec(db, page, NULL, NULL, NULL);
	sqlite3_close(db);

	s = store_open(good, true, &e);
	ok(s != NULL, "a store is opened to be read %s", e.msg);
	is_int(storetest_add(s, 1, 0, 1, 10, &e), -1, "and not written to");
	has_str(e.msg, "read only", "which is said");
	store_close(s);

	fd = open(good, O_RDWR);
	memset(page, 0x5a, sizeof page);
	ok(pwrite(fd, page, sizeof page, 4096) == sizeof page, "pages are overwritten");
	close(fd);
	s = store_open(good, false, &e);
	if (s)
		ok(storetest_add(s, 1, 0, 1, 10, &e) == -1 || storetest_results(s, 1) == -1,
			"damage is noticed when it is met");
	else
		ok(true, "damage is noticed at once");
	has_str(e.msg, good, "damage is told with the path: %s", e.msg);
	store_close(s);
}

/* A folder that nobody may write to: as another user where the test runs as root. */
static void test_not_writable(void)
{
	AUTOFREE char *path = mem_strdup(storetest_path("locked/x.db")), *readable = NULL;
	struct store *s;
	int status = 0;
	pid_t pid;

	fs_mkdirs(storetest_path("locked"), 0755, NULL);
	readable = mem_strdup(storetest_path("locked/r?%41.db"));
	s = store_open(readable, false, NULL);
	storetest_run(s);
	store_close(s);
	chmod(storetest_path("locked"), 0555);
	chmod(storetest_dir, 0755);
	pid = fork();
	if (!pid) {
		struct err e = {0};

		if (!getuid() && (setgid(65534) || setuid(65534)))
			_exit(2);
		if (store_open(path, false, &e))
			_exit(3);
		_exit(!strstr(e.msg, path) ? 4 : !store_open(readable, true, &e) ? 5 : 0);
	}
	waitpid(pid, &status, 0);
	ok(WIFEXITED(status) && !WEXITSTATUS(status),
		"a folder that cannot be written to: an error with the path, but reading goes (%d)",
		status);
}

static void test_held(void)
{
	AUTOFREE char *path = mem_strdup(storetest_path("held.db"));
	struct err e = {0};
	struct store *a = store_open(path, false, &e), *b = store_open(path, false, &e);
	int64_t run = storetest_run(a);

	ok(a && b, "two processes' worth of connections %s", e.msg);
	sqlite3_busy_timeout(b->db, 1);
	is_int(store_begin(a, &e), 0, "one writes");
	is_int(storetest_add(b, run, 0, 1, 10, &e), -1, "the other's wait ends");
	has_str(e.msg, "another process has held it", "and says so");
	is_int(storetest_results(b, run), 0, "reading goes on meanwhile");
	store_rollback(a);
	is_int(storetest_add(b, run, 0, 1, 10, &e), 0, "afterwards it can");
	is_int(storetest_results(a, run), 1, "and the first one sees it");
	store_close(a);
	store_close(b);
}

int main(void)
{
	struct err e = {0};
	struct store *s = store_open(storetest_path("a.db"), false, &e);

	if (ok(s != NULL, "a store is made %s", e.msg))
		test_roundtrip(s);
	store_close(s);
	s = store_open(storetest_path("a.db"), true, &e);
	ok(s && storetest_results(s, 1) == 3, "it is there after closing");
	store_close(s);
	test_refused();
	test_not_writable();
	test_held();
	setenv("HILAB_STORE", storetest_path("env.db"), 1);
	s = store_open(NULL, false, &e);
	ok(s && !strcmp(store_path(s), storetest_path("env.db")), "HILAB_STORE names it");
	store_close(s);
	storetest_done();
	return tap_done();
}
