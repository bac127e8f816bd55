/* SPDX-License-Identifier: MIT */
/* The controller's verbs: what goes in comes out, in order, filtered; what is refused. */
#include "storetest.h"

#include "store/inner.h"

static int dump_job(void *arg, const struct store_job *j)
{
	return buf_printf(arg,
		"%lld %s %s %s %s %lld text=%s file=%s params=%s plans=%s wants=%s build=%s "
		"%lld %lld %lld %lld %lld %s %s %s %s n%lld r%lld l%lld %s\n",
		(long long)j->id, j->name, j->kind, j->submitter, j->state, (long long)j->priority,
		j->text ? j->text : "-", j->file ? j->file : "-", j->params,
		j->plans ? j->plans : "-", j->wants ? j->wants : "-", j->build ? j->build : "-",
		(long long)j->timeout_ms, (long long)j->queue_timeout_ms,
		(long long)j->submitted_ms, (long long)j->ended_ms, (long long)j->attempts,
		j->verdict ? j->verdict : "-", j->blame ? j->blame : "-",
		j->message ? j->message : "-", j->canceled_by ? j->canceled_by : "-",
		(long long)j->nightly, (long long)j->retry_of, (long long)j->last_run,
		j->key ? j->key : "-");
}

static int dump_id(void *arg, const struct store_job *j)
{
	return buf_printf(arg, "%lld ", (long long)j->id);
}

static void is_list(struct store *s, struct store_job_filter f, const char *want, const char *name)
{
	AUTOBUF out = BUF_INIT(1 << 16);
	struct err e = {0};

	store_jobs(s, &f, dump_id, &out, &e);
	is_str(buf_str(&out), want, "jobs: %s %s", name, e.msg);
}

static int64_t count_of(struct store *s, const char *sql)
{
	sqlite3_stmt *st;
	int64_t n;

	sqlite3_prepare_v2(s->db, sql, -1, &st, NULL);
	n = sqlite3_step(st) == SQLITE_ROW ? sqlite3_column_int64(st, 0) : -1;
	sqlite3_finalize(st);
	return n;
}

static void test_job(struct store *s)
{
	struct store_job job = storetest_job("alice"), second = storetest_job("bob");
	AUTOBUF out = BUF_INIT(1 << 16);
	struct err e = {0};
	int64_t id = 7;

	job.key = "k1";
	is_int(store_job_add(s, &job, &e), 0, "a job is added %s", e.msg);
	is_int(job.id, 1, "and has number 1");
	is_int(store_job_add(s, &second, &e), 0, "another %s", e.msg);
	is_int(count_of(s, "SELECT count(*) FROM content"), 3,
		"text, plans and wants of both are kept once");
	second.text = "job: other\n";
	is_int(store_job_add(s, &second, &e), 0, "a third, with another text");
	is_int(count_of(s, "SELECT count(*) FROM content"), 4, "which is kept beside the first");
	is_int(store_job_get(s, 1, dump_job, &out, &e), 1, "the first is found %s", e.msg);
	is_str(buf_str(&out),
		"1 smoke job alice queued 5 text=job: smoke\n file=smoke.yaml params={\"a\":1} "
		"plans=[{\"plan\":{}}] wants=[{\"type\":\"t\"}] build=sdk 9 60000 3600000 1000 0 0 "
		"- - - - "
		"n0 r0 l0 k1\n",
		"with all that was said");
	buf_reset(&out);
	is_int(store_job_get(s, 3, dump_job, &out, &e), 1, "the third too");
	has_str(buf_str(&out), "text=job: other\n", "with its own text");
	is_int(store_job_get(s, 99, dump_job, &out, &e), 0, "no job 99");
	is_int(store_job_by_key(s, "alice", "k1", &id, &e), 1, "a key is known");
	is_int(id, 1, "as job 1");
	is_int(store_job_by_key(s, "bob", "k1", &id, &e), 0, "to its submitter only");
	is_int(store_job_add(s, &job, &e), -1, "the same key twice is refused");
	has_str(e.msg, "UNIQUE constraint failed: job.submitter, job.key", "and that is said");
	is_int(job.id, 1, "the number stays");

	job.state = "done", job.attempts = 2, job.ended_ms = 77, job.verdict = "fail";
	job.blame = "test", job.message = "it said no", job.canceled_by = "carol";
	job.last_run = 12, job.name = "not saved";
	is_int(store_job_save(s, &job, &e), 0, "a job is saved %s", e.msg);
	buf_reset(&out);
	store_job_get(s, 1, dump_job, &out, &e);
	has_str(buf_str(&out), "1 smoke job alice done 5 ", "its state is, its name is not");
	has_str(buf_str(&out), " 1000 77 2 fail test it said no carol n0 r0 l12 k1\n",
		"the rest is");
	job.id = 99;
	is_int(store_job_save(s, &job, &e), -1, "a job that is not there is not saved");
	has_str(e.msg, "there is no job 99", "as is said");
	job.id = 1, job.state = "lost";
	is_int(store_job_save(s, &job, &e), -1, "nor a state that is none");
	is_int(e.blame, BLAME_BUG, "which is ours to mend");
}

static int stop_at(void *arg, const struct store_job *j)
{
	(void)j;
	return ++*(int *)arg == 2 ? 5 : 0;
}

/* Jobs 1 (done), 2, 3 are there; 4 to 9 follow. */
static void test_lists(struct store *s)
{
	struct store_nightly night = {
		.plan = "nightly", .submitter = "ci", .entries = "[]", .started_ms = 1};
	AUTOBUF out = BUF_INIT(1 << 16);
	struct err e = {0};
	int n = 0;

	store_nightly_add(s, &night, &e);
	for (int i = 4; i < 10; i++) {
		struct store_job job = storetest_job(i % 2 ? "alice" : "bob");

		job.kind = i == 9 ? "lease" : i == 8 ? "health" : "job";
		job.nightly = i < 7 ? night.id : 0;
		job.state = i == 5 ? "running" : "queued";
		if (store_job_add(s, &job, &e))
			tap_text("add", e.msg);
	}
	is_list(s, (struct store_job_filter){0}, "9 8 7 6 5 4 3 2 1 ", "all, newest first");
	is_list(s, (struct store_job_filter){.oldest_first = true}, "1 2 3 4 5 6 7 8 9 ",
		"oldest first");
	is_list(s, (struct store_job_filter){.open = true}, "9 8 7 6 5 4 3 2 ", "open");
	is_list(s, (struct store_job_filter){.open = true, .oldest_first = true},
		"2 3 4 5 6 7 8 9 ", "open, oldest first");
	is_list(s, (struct store_job_filter){.limit = 3}, "9 8 7 ", "a page");
	is_list(s, (struct store_job_filter){.limit = 3, .before = 7}, "6 5 4 ", "the next");
	is_list(s, (struct store_job_filter){.state = "running"}, "5 ", "of a state");
	is_list(s, (struct store_job_filter){.state = "done"}, "1 ", "of the last state");
	is_list(s, (struct store_job_filter){.state = "done", .open = true}, "",
		"of the last state and open: none");
	is_list(s, (struct store_job_filter){.submitter = "alice"}, "9 7 5 1 ", "of a submitter");
	is_list(s, (struct store_job_filter){.submitter = "alice", .oldest_first = true},
		"1 5 7 9 ", "of a submitter, oldest first");
	is_list(s, (struct store_job_filter){.submitter = "bob", .open = true, .kind = "job"},
		"6 4 3 2 ", "of a submitter, open, of a kind");
	is_list(s, (struct store_job_filter){.kind = "lease"}, "9 ", "of a kind");
	is_list(s, (struct store_job_filter){.nightly = night.id}, "6 5 4 ", "of a nightly");
	is_list(s, (struct store_job_filter){.nightly = night.id, .oldest_first = true, .limit = 1},
		"4 ", "of a nightly, the oldest");
	is_list(s, (struct store_job_filter){.nightly = 99}, "", "of no nightly");
	is_int(store_jobs(s, &(struct store_job_filter){0}, stop_at, &n, &e), 5,
		"a callback stops the walk");
	is_int(n, 2, "there");
	store_jobs(s, &(struct store_job_filter){.state = "running"}, dump_job, &out, &e);
	has_str(buf_str(&out), "text=- file=- params={\"a\":1} plans=- wants=[{\"type\":\"t\"}]",
		"a list has wants, and neither text nor plans");
}

static int dump_part(void *arg, const struct store_part *p)
{
	return buf_printf(arg, "%lld.%u j%lld %s %s %s %s %s %s %s %s %s %lld %lld %lld\n",
		(long long)p->run, p->part, (long long)p->job, p->role ? p->role : "-", p->agent,
		p->board, p->dir, p->state, p->verdict ? p->verdict : "-",
		p->blame ? p->blame : "-", p->message ? p->message : "-", p->power ? p->power : "-",
		(long long)p->assigned_ms, (long long)p->started_ms, (long long)p->ended_ms);
}

static int dump_line(void *arg, int64_t seq, const char *line)
{
	return buf_printf(arg, "%lld %s\n", (long long)seq, line);
}

static int dump_run_id(void *arg, const struct store_run *r)
{
	return buf_printf(arg, "%lld:%lld/%lld ", (long long)r->id, (long long)r->job_id,
		(long long)r->attempt);
}

static void test_parts(struct store *s)
{
	struct store_part p = {.job = 2,
		.role = "server",
		.agent = "host1",
		.board = "b1",
		.dir = "/runs/1/server",
		.state = "assigned",
		.assigned_ms = 10};
	struct store_run run = {.job = "smoke", .dir = "/runs/1", .job_id = 2, .attempt = 1};
	AUTOBUF out = BUF_INIT(1 << 16);
	struct err e = {0};
	int64_t seq = 0;

	is_int(store_run_add(s, &run, &e), 0, "a job's run %s", e.msg);
	p.run = run.id;
	is_int(store_part_add(s, &p, &e), 0, "its first part %s", e.msg);
	p.part = 1, p.role = NULL, p.board = "b2";
	is_int(store_part_add(s, &p, &e), 0, "its second %s", e.msg);
	is_int(store_part_add(s, &p, &e), -1, "not twice");
	p.part = 4096;
	is_int(store_part_add(s, &p, &e), -1, "nor far beyond");
	p.part = 1, p.state = "ended", p.verdict = "incomplete", p.blame = "infra";
	p.message = "relay", p.power = "unknown", p.started_ms = 20, p.ended_ms = 30;
	is_int(store_part_save(s, &p, &e), 0, "a part is saved %s", e.msg);
	store_parts(s, run.id, dump_part, &out, &e);
	is_str(buf_str(&out),
		"1.0 j2 server host1 b1 /runs/1/server assigned - - - - 10 0 0\n"
		"1.1 j2 - host1 b2 /runs/1/server ended incomplete infra relay unknown 10 20 30\n",
		"parts of a run");
	buf_reset(&out);
	store_parts_open(s, dump_part, &out, &e);
	is_str(buf_str(&out), "1.0 j2 server host1 b1 /runs/1/server assigned - - - - 10 0 0\n",
		"open parts");
	p.run = 77;
	is_int(store_part_save(s, &p, &e), -1, "a part of no run is not saved");
	has_str(e.msg, "there is no part 1 of run 77", "as is said");
	is_int(store_part_add(s, &p, &e), -1, "and not added");

	run.attempt = 2;
	store_run_add(s, &run, &e);
	storetest_run(s);
	buf_reset(&out);
	store_run_list(s, &(struct store_run_filter){.job = 2}, dump_run_id, &out, &e);
	is_str(buf_str(&out), "2:2/2 1:2/1 ", "a job's attempts, newest first");
	buf_reset(&out);
	store_run_list(
		s, &(struct store_run_filter){.before = 3, .limit = 1}, dump_run_id, &out, &e);
	is_str(buf_str(&out), "2:2/2 ", "a page of runs");
	buf_reset(&out);
	store_runs(s, 1, dump_run_id, &out, &e);
	is_str(buf_str(&out), "3:0/0 ", "a run of no job");

	for (int i = 0; i < 3; i++)
		store_inbox_add(s, 1, 0, i == 1 ? "{\"kind\":\"go\"}" : "{}", &seq, &e);
	is_int(seq, 3, "lines of an inbox are numbered");
	store_inbox_add(s, 1, 1, "{\"other\":1}", &seq, &e);
	is_int(seq, 1, "each part's from 1");
	is_int(store_inbox_add(s, 99, 0, "{}", &seq, &e), -1, "not of a run that is not there");
	buf_reset(&out);
	store_inbox(s, 1, 0, 1, dump_line, &out, &e);
	is_str(buf_str(&out), "2 {\"kind\":\"go\"}\n3 {}\n", "those after one");
}

static int dump_event(void *arg, const char *kind, const struct store_event *ev)
{
	return buf_printf(arg, "%s %u@%llu ", kind, ev->part, (unsigned long long)ev->offset);
}

static int dump_result(void *arg, const struct store_result *r)
{
	return buf_printf(arg, "%s.%u ", r->name, r->part);
}

static int dump_count(void *arg, const char *status, int64_t n)
{
	return buf_printf(arg, "%s=%lld ", status, (long long)n);
}

static void test_part_events(struct store *s)
{
	static const char pass[] =
		"{\"kind\":\"result\",\"suite\":\"s\",\"name\":\"a\",\"status\":\"pass\"}";
	static const char fail[] =
		"{\"kind\":\"result\",\"suite\":\"s\",\"name\":\"b\",\"status\":\"fail\"}";
	const struct store_event one[] = {{0, pass, 0}, {100, "{\"kind\":\"x\"}", 0}},
				 two[] = {{0, fail, 0}, {200, pass, 0}},
				 far[] = {{(uint64_t)1 << 48, pass, 0}};
	AUTOBUF out = BUF_INIT(1 << 16);
	struct err e = {0};
	uint64_t offset = 0;

	is_int(store_part_events(s, 1, 0, one, 2, &e), 0, "events of part 0 %s", e.msg);
	is_int(store_part_events(s, 1, 1, two, 2, &e), 0, "of part 1, at the same offset %s",
		e.msg);
	is_int(store_part_events(s, 1, 1, two, 2, &e), 0, "again");
	store_part_offset(s, 1, 0, &offset, &e);
	is_int((long long)offset, 113, "part 0 is stored up to there");
	is_int(store_run_offset(s, 1, &offset, &e), 0, "which is the run's own");
	is_int((long long)offset, 113, "offset");
	store_part_offset(s, 1, 1, &offset, &e);
	is_int((long long)offset, 200 + (long long)sizeof pass, "part 1 up to there");
	is_int(store_part_events(s, 1, 2, one, 1, &e), -1, "a part that was not added has none");
	has_str(e.msg, "there is no part 2 of run 1", "as is said");
	is_int(store_part_offset(s, 1, 2, &offset, &e), -1, "and no offset");
	is_int(store_part_events(s, 1, 1, far, 1, &e), -1, "an offset that is none is refused");

	store_events(s, 1, NULL, dump_event, &out, &e);
	is_str(buf_str(&out), "result 0@0 x 0@100 result 1@0 result 1@200 ", "all, part by part");
	buf_reset(&out);
	store_events_from(s, 1, 0, 1, 0, dump_event, &out, &e);
	is_str(buf_str(&out), "x 0@100 ", "one part's from an offset on");
	buf_reset(&out);
	store_events_from(s, 1, 1, 0, 1, dump_event, &out, &e);
	is_str(buf_str(&out), "result 1@0 ", "no more than asked for");
	buf_reset(&out);
	store_results(s, 1, dump_result, &out, &e);
	is_str(buf_str(&out), "a.0 b.1 a.1 ", "results say their part");
	buf_reset(&out);
	store_result_counts(s, 1, dump_count, &out, &e);
	is_str(buf_str(&out), "fail=1 pass=2 ", "and are counted");
}

int main(void)
{
	struct err e = {0};
	struct store *s = store_open(storetest_path("control.db"), false, &e);

	if (ok(s != NULL, "a store is made %s", e.msg)) {
		test_job(s);
		test_lists(s);
		test_parts(s);
		test_part_events(s);
	}
	store_close(s);
	storetest_done();
	return tap_done();
}
