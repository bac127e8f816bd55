/* SPDX-License-Identifier: MIT */
/* How well boards are, who says so, and when they are checked. */
#include "estate.h"

static void health(struct estate *x, const char *board, enum board_health h, const char *why)
{
	struct err e = {0};

	turn(x);
	if (sched_board_health(x->sched, board, h, why, "bob", &e))
		DIE(&e);
	commit(x);
}

static int64_t on_board(struct estate *x, const char *board, const char *key)
{
	AUTOJSON *j = sched_board_json(x->sched, board);

	return json_int(j, key, 0);
}

static void checked_before_work(void)
{
	struct estate x;
	int64_t job, other;

	estate_open(&x);
	x.checks = true;
	hello(&x, "desk", "a1");
	job = submit(&x);
	is_str(boards_of(&x, job), "a1", "a new board takes work: nothing bad is known of it");
	ended(&x, run_of(&x, job), 0, "incomplete", "infra");
	is_str(job_now(&x, job), "queued - - 1 ", "after an infra failure it takes none");
	is_str(waits(&x, job), "1 board of type 'alpha': 1 waiting for a health check to pass",
		"which the job says");
	other = submit(&x, .priority = 100);
	pass_ms(&x, 0);
	is_int(on_board(&x, "a1", "job"), 3, "its health check comes first, at once");
	is_str(waits(&x, other), "1 board of type 'alpha': 1 busy; the first is due in 60 s",
		"before any job");
	ended(&x, on_board(&x, "a1", "run"), 0, "pass", "none");
	is_str(board_now(&x, "a1"), "reserved good", "it is good again, and has work");
	is_str(job_now(&x, other), "assigned - - 1 ", "first what comes first");
	ended(&x, run_of(&x, other), 0, "pass", "none");
	is_str(job_now(&x, job), "assigned - - 2 ", "then the one that failed");
	estate_close(&x);
}

static void worse_and_worse(void)
{
	static const int64_t gaps_s[] = {30, 30, 60, 120, 240, 480, 960, 1920, 3600, 3600};
	struct estate x;
	int64_t job;

	estate_open(&x);
	x.checks = true;
	hello(&x, "desk", "a1");
	job = submit(&x);
	ended(&x, run_of(&x, job), 0, "incomplete", "infra");
	cancel(&x, job, "ann");
	pass_ms(&x, 0);
	for (size_t i = 0; i < ARRAY_LEN(gaps_s); i++) {
		ended(&x, on_board(&x, "a1", "run"), 0, i % 2 ? "fail" : "incomplete",
			i % 2 ? "test" : "infra");
		is_str(board_now(&x, "a1"), "idle bad", "a check that does not pass: bad");
		if (i == 5) {
			restart(&x);
			hello(&x, "desk", "a1");
		}
		for (int64_t s = 0; s < gaps_s[i]; s += 30) {
			pass_ms(&x, s + 30 < gaps_s[i] ? 30000 : 29999);
			seen(&x, "desk");
		}
		ok(!on_board(&x, "a1", "job"), "it is left alone for %d s", (int)gaps_s[i]);
		pass_ms(&x, 1);
		seen(&x, "desk");
		ok(on_board(&x, "a1", "job"), "and then checked again");
	}
	ended(&x, on_board(&x, "a1", "run"), 0, "pass", "none");
	is_str(board_now(&x, "a1"), "idle good", "one that passes makes all good");
	estate_close(&x);
}

static void without_a_check(void)
{
	struct estate x;
	int64_t job;

	estate_open(&x);
	hello(&x, "desk", "b1:beta");
	job = submit(&x, .wants = "[{\"type\":\"beta\"}]");
	ended(&x, run_of(&x, job), 0, "incomplete", "infra");
	is_str(board_now(&x, "b1"), "reserved unknown", "a job does for a check");
	ended(&x, run_of(&x, job), 0, "pass", "none");
	is_str(board_now(&x, "b1"), "idle good", "when it passes the board is good");
	job = submit(&x, .wants = "[{\"type\":\"beta\"}]");
	ended(&x, run_of(&x, job), 0, "incomplete", "infra");
	ended(&x, run_of(&x, job), 0, "incomplete", "infra");
	is_str(board_now(&x, "b1"), "idle bad", "when not it is bad");
	is_str(job_now(&x, job), "queued - - 2 ", "and takes no work until somebody says so");
	is_int(sched_next_ms(x.sched), x.now_ms + SCHED_GRACE_MS, "nothing is planned for it");
	health(&x, "b1", HEALTH_GOOD, NULL);
	is_str(job_now(&x, job), "assigned - - 3 ", "somebody does");
	estate_close(&x);
}

static void by_people(void)
{
	struct estate x;
	struct err e = {0};
	AUTOJSON *j = NULL;
	int64_t job;

	estate_open(&x);
	x.checks = true;
	hello(&x, "desk", "a1");
	job = submit(&x);
	health(&x, "a1", HEALTH_MAINTENANCE, "new cable");
	is_str(job_now(&x, job), "assigned - - 1 ", "what runs goes on");
	ended(&x, run_of(&x, job), 0, "incomplete", "infra");
	is_str(board_now(&x, "a1"), "idle maintenance", "no run changes what a person said");
	j = sched_board_json(x.sched, "a1");
	is_str(json_text(j, "reason", ""), "new cable", "the reason is shown");
	is_str(json_text(j, "who", ""), "bob", "and the person");
	is_str(waits(&x, job), "1 board of type 'alpha': 1 in maintenance or retired",
		"a job says that it waits for that");
	restart(&x);
	hello(&x, "desk", "a1");
	is_str(board_now(&x, "a1"), "idle maintenance", "a restart does not end it");
	health(&x, "a1", HEALTH_UNKNOWN, "try it");
	pass_ms(&x, 0);
	ok(on_board(&x, "a1", "job") && on_board(&x, "a1", "job") != job,
		"unknown: it is checked first");
	turn(&x);
	ok(sched_board_health(x.sched, "zz", HEALTH_GOOD, NULL, "bob", &e) == -1,
		"a board that is not there: %s", e.msg);
	commit(&x);
	estate_close(&x);
}

static void on_demand_and_in_time(void)
{
	struct estate x;
	struct err e = {0};
	int64_t job = 0, same = 0;

	estate_open(&x);
	x.checks = true;
	x.check_every_ms = 3600000;
	restart(&x);
	hello(&x, "desk", "a1 b1:beta");
	turn(&x);
	is_int(sched_board_check(x.sched, "a1", "bob", &job, &e), 0, "a check on demand");
	is_int(sched_board_check(x.sched, "a1", "ann", &same, &e), 0, "twice");
	is_int(same, job, "is the same check");
	ok(sched_board_check(x.sched, "b1", "bob", &same, &e) == -1 && !sched_damaged(x.sched),
		"not of a type that has none: %s", e.msg);
	commit(&x);
	is_str(boards_of(&x, job), "a1", "it runs");
	ended(&x, run_of(&x, job), 0, "pass", "none");
	for (int i = 0; i < 119; i++) {
		pass_ms(&x, 30000);
		seen(&x, "desk");
	}
	pass_ms(&x, 29999);
	seen(&x, "desk");
	ok(!on_board(&x, "a1", "job"), "then it rests for its time");
	pass_ms(&x, 1);
	ok(on_board(&x, "a1", "job"), "and is checked again");
	estate_close(&x);
}

static void canceled(void)
{
	struct estate x;
	int64_t job;

	estate_open(&x);
	x.checks = true;
	hello(&x, "desk", "a1");
	health(&x, "a1", HEALTH_UNKNOWN, "try it");
	pass_ms(&x, 0);
	job = on_board(&x, "a1", "job");
	cancel(&x, job, "ann");
	is_str(board_now(&x, "a1"), "idle unknown", "a check that was canceled says nothing");
	pass_ms(&x, 29999);
	ok(!on_board(&x, "a1", "job"), "it is not made again at once");
	pass_ms(&x, 1);
	ok(on_board(&x, "a1", "job"), "but after a while");
	estate_close(&x);
}

int main(void)
{
	checked_before_work();
	worse_and_worse();
	without_a_check();
	by_people();
	on_demand_and_in_time();
	canceled();
	return tap_done();
}
