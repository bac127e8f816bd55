/* SPDX-License-Identifier: MIT */
/* The life of a job on one board: every way through it, each of which ends once. */
#include "estate.h"

static void passes(void)
{
	struct estate x;
	int64_t job, run;

	estate_open(&x);
	job = submit(&x);
	is_str(job_now(&x, job), "queued - - 0 ", "it waits");
	is_str(waits(&x, job), "no board of type 'alpha' is known", "for a board that nobody has");
	hello(&x, "desk", "a1");
	is_str(job_now(&x, job), "assigned - - 1 ", "a board that comes takes it");
	is_str(boards_of(&x, job), "a1", "that board");
	is_str(board_now(&x, "a1"), "reserved good", "which is reserved");
	run = run_of(&x, job);
	is_str(commands(&x, "desk"), "start 1/0", "the agent is told");
	is_str(commands(&x, "desk"), "", "once");
	ok(sched_part_open(x.sched, run, 0, "desk"), "its folder is expected");
	ok(!sched_part_open(x.sched, run, 0, "other"), "from that agent");
	started(&x, run, 0);
	is_str(job_now(&x, job), "running - - 1 ", "it runs");
	is_str(board_now(&x, "a1"), "busy good", "on a busy board");
	ended(&x, run, 0, "pass", "none");
	is_str(job_now(&x, job), "done pass - 1 ", "and passes");
	is_str(board_now(&x, "a1"), "idle good", "the board is free");
	is_str(commands(&x, "desk"), "forget 1/0", "the folder may go");
	ok(!sched_part_open(x.sched, run, 0, "desk"), "nothing of it is expected any more");
	ok(!sched_job_json(x.sched, job), "the memory has forgotten it");
	ended(&x, run, 0, "fail", "test");
	is_str(job_now(&x, job), "done pass - 1 ", "another end changes nothing");
	has_str(buf_str(&x.events), "job 1 queued\n", "told: queued");
	has_str(buf_str(&x.events), "job 1 assigned\n", "told: assigned");
	has_str(buf_str(&x.events), "job 1 running\n", "told: running");
	has_str(buf_str(&x.events), "job 1 done\n", "told: done");
	estate_close(&x);
}

static void fails_and_goes_wrong(void)
{
	struct estate x;
	int64_t job;

	estate_open(&x);
	hello(&x, "desk", "a1");
	job = submit(&x);
	ended(&x, run_of(&x, job), 0, "fail", "test");
	is_str(job_now(&x, job), "done fail test 1 so it ended", "a failure is not tried again");
	job = submit(&x);
	ended(&x, run_of(&x, job), 0, "incomplete", "build");
	is_str(job_now(&x, job), "done incomplete build 1 so it ended", "nor is a bad build");
	job = submit(&x);
	ended(&x, run_of(&x, job), 0, "no-such", "none");
	is_str(job_now(&x, job), "done incomplete bug 1 its status says no verdict",
		"a status without a verdict is not a pass");
	is_str(board_now(&x, "a1"), "idle good", "none of that is the board's fault");
	estate_close(&x);
}

static void is_tried_again_elsewhere(void)
{
	struct estate x;
	int64_t job;
	char first[16], second[16];

	estate_open(&x);
	hello(&x, "desk", "a1 a2 a3");
	job = submit(&x);
	snprintf(first, sizeof first, "%s", boards_of(&x, job));
	ended(&x, run_of(&x, job), 0, "incomplete", "infra");
	is_str(job_now(&x, job), "assigned - - 2 ", "it is tried again at once");
	snprintf(second, sizeof second, "%s", boards_of(&x, job));
	ok(strcmp(first, second) != 0, "on another board");
	is_str(board_now(&x, first), "idle unknown", "the first is not trusted any more");
	ended(&x, run_of(&x, job), 0, "incomplete", "infra");
	ok(strcmp(first, boards_of(&x, job)) && strcmp(second, boards_of(&x, job)),
		"the third time on a third one");
	ended(&x, run_of(&x, job), 0, "incomplete", "infra");
	is_str(job_now(&x, job), "done incomplete infra 3 so it ended", "three times, no more");
	job = submit(&x);
	is_str(job_now(&x, job), "assigned - - 1 ",
		"without a health check a board that is unknown serves");
	ended(&x, run_of(&x, job), 0, "pass", "none");
	estate_close(&x);
}

static void waits_for_another_board(void)
{
	struct estate x;
	int64_t busy, job;

	estate_open(&x);
	hello(&x, "desk", "a1 a2");
	busy = submit(&x);
	started(&x, run_of(&x, busy), 0);
	job = submit(&x);
	ended(&x, run_of(&x, job), 0, "incomplete", "infra");
	is_str(job_now(&x, job), "queued - - 1 ", "it waits for the board that is busy");
	restart(&x);
	hello(&x, "desk", "a1 a2");
	is_str(job_now(&x, busy), "assigned - - 2 ", "what the agent lost is tried again");
	estate_close(&x);
}

static void is_canceled(void)
{
	struct estate x;
	struct err e = {0};
	int64_t job, run;

	estate_open(&x);
	job = submit(&x);
	cancel(&x, job, "bob");
	is_str(job_now(&x, job), "done canceled cancel 0 canceled by bob", "while it is queued");
	hello(&x, "desk", "a1");
	job = submit(&x);
	cancel(&x, job, "bob");
	is_str(job_now(&x, job), "done canceled cancel 1 canceled by bob",
		"while nobody was told of it");
	is_str(board_now(&x, "a1"), "idle good", "the board is free at once");
	is_str(commands(&x, "desk"), "", "and nobody is told");
	job = submit(&x);
	run = run_of(&x, job);
	commands(&x, "desk");
	cancel(&x, job, "bob");
	is_str(job_now(&x, job), "canceling - - 1 ", "while it is assigned: the agent is asked");
	is_str(commands(&x, "desk"), "cancel 2/0", "to stop it");
	cancel(&x, job, "carl");
	is_str(commands(&x, "desk"), "", "once");
	started(&x, run, 0);
	is_str(job_now(&x, job), "canceling - - 1 ", "a start on the way changes nothing");
	ended(&x, run, 0, "canceled", "cancel");
	is_str(job_now(&x, job), "done canceled cancel 1 canceled by bob", "by whom it was");
	job = submit(&x);
	started(&x, run_of(&x, job), 0);
	cancel(&x, job, "bob");
	ended(&x, run_of(&x, job), 0, "incomplete", "infra");
	is_str(job_now(&x, job), "done canceled cancel 1 canceled by bob",
		"one that is stopped is not tried again");
	job = submit(&x);
	started(&x, run_of(&x, job), 0);
	cancel(&x, job, "bob");
	ended(&x, run_of(&x, job), 0, "pass", "none");
	is_str(job_now(&x, job), "done pass - 1 ", "a cancel that is late does not undo a pass");
	turn(&x);
	ok(sched_cancel(x.sched, job, "bob", &e) == -1 && e.blame == BLAME_JOB,
		"what is over is not canceled");
	ok(!sched_damaged(x.sched), "which does no harm");
	commit(&x);
	estate_close(&x);
}

static void is_repeated(void)
{
	struct estate x;
	struct err e = {0};
	int64_t job, again = 0;

	estate_open(&x);
	hello(&x, "desk", "a1");
	job = submit(&x);
	turn(&x);
	ok(sched_retry(x.sched, job, "bob", NULL, &again, &e) == -1, "not while it is open");
	commit(&x);
	ended(&x, run_of(&x, job), 0, "fail", "test");
	turn(&x);
	is_int(sched_retry(x.sched, job, "bob", NULL, &again, &e), 0, "one that is over is repeated");
	commit(&x);
	is_str(job_now(&x, again), "assigned - - 1 ", "as a job of its own");
	estate_close(&x);
}

static void waits_no_longer(void)
{
	struct estate x;
	int64_t job;

	estate_open(&x);
	job = submit(&x, .wants = "[{\"type\":\"beta\"}]", .queue_timeout_ms = 60000);
	pass_ms(&x, 59999);
	is_str(job_now(&x, job), "queued - - 0 ", "it waits as long as it may");
	restart(&x);
	is_int(sched_next_ms(x.sched), x.now_ms + 1, "a restart does not make that longer");
	pass_ms(&x, 1);
	is_str(job_now(&x, job),
		"done incomplete timeout 0 no board in 60 s: no board of type 'beta' is known",
		"and then says what it waited for");
	estate_close(&x);
}

int main(void)
{
	passes();
	fails_and_goes_wrong();
	is_tried_again_elsewhere();
	waits_for_another_board();
	is_canceled();
	is_repeated();
	waits_no_longer();
	return tap_done();
}
