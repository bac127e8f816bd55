/* SPDX-License-Identifier: MIT */
/* Jobs of several parts: all of their boards or none, and their turn comes. */
#include "estate.h"

#define PAIR         "[{\"type\":\"alpha\"},{\"type\":\"alpha\"}]"
#define PAIR_PLANS   "[{\"role\":\"client\",\"plan\":{}},{\"role\":\"server\",\"plan\":{}}]"
#define MIXED        "[{\"type\":\"alpha\"},{\"type\":\"beta\"}]"
#define pair(x, ...) submit(x, .wants = PAIR, .plans = PAIR_PLANS, __VA_ARGS__)

static void all_or_none(void)
{
	struct estate x;
	int64_t job;

	estate_open(&x);
	hello(&x, "desk", "a1");
	job = pair(&x, .priority = 0);
	is_str(job_now(&x, job), "queued - - 0 ", "one board is not enough");
	is_str(waits(&x, job), "client: 1 board of type 'alpha': 1 free", "which it says");
	hello(&x, "rack", "a2");
	is_str(boards_of(&x, job), "a1 a2", "with two it begins, though they have two agents");
	is_str(commands(&x, "desk"), "start 1/0", "each agent is told");
	is_str(commands(&x, "rack"), "start 1/1", "of its part");
	started(&x, 1, 1);
	is_str(job_now(&x, job), "running - - 1 ", "it runs when the first part does");
	started(&x, 1, 0);
	ended(&x, 1, 0, "pass", "none");
	is_str(job_now(&x, job), "running - - 1 ", "it is not over while one runs");
	is_str(board_now(&x, "a1"), "idle good", "but that board is free");
	has_str(commands(&x, "rack"), "inbox 1/1 gone", "and the other is told");
	ended(&x, 1, 1, "pass", "none");
	is_str(job_now(&x, job), "done pass - 1 ", "then it is");
	estate_close(&x);
}

static void one_verdict(void)
{
	static const struct {
		const char *first, *blame, *second, *blame2, *want;
	} cases[] = {
		{"pass", "none", "fail", "test", "done fail test 1 server: so it ended"},
		{"fail", "test", "incomplete", "build",
			"done incomplete build 1 server: so it ended"},
		{"incomplete", "job", "incomplete", "build",
			"done incomplete job 1 client: so it ended"},
		{"incomplete", "build", "canceled", "cancel",
			"done canceled cancel 1 server: so it ended"},
		{"incomplete", "timeout", "pass", "none",
			"done incomplete timeout 1 client: so it ended"},
	};
	struct estate x;

	estate_open(&x);
	hello(&x, "desk", "a1 a2");
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		int64_t job = pair(&x, .priority = 0), run = run_of(&x, job);

		ended(&x, run, 0, cases[i].first, cases[i].blame);
		if (i == 2)
			restart(&x);
		ended(&x, run, 1, cases[i].second, cases[i].blame2);
		is_str(job_now(&x, job), cases[i].want, "%s and %s", cases[i].first,
			cases[i].second);
		if (i == 2)
			hello(&x, "desk", "a1 a2");
	}
	estate_close(&x);
}

static void picks_the_right_boards(void)
{
	struct estate x;
	int64_t job;

	estate_open(&x);
	hello(&x, "desk", "a1 b1:beta");
	/* The first part could have either; only one choice serves both. */
	job = submit(&x, .wants = "[{},{\"type\":\"alpha\"}]", .plans = PAIR_PLANS);
	is_str(boards_of(&x, job), "b1 a1", "a part gives way to one that has no other choice");
	estate_close(&x);

	estate_open(&x);
	json_decref(hello_with(&x, "desk", "a1 b1:beta", 1, NULL));
	job = submit(&x, .wants = MIXED, .plans = PAIR_PLANS);
	is_str(job_now(&x, job), "queued - - 0 ", "an agent that may run one runs no two parts");
	json_decref(hello_with(&x, "rack", "a2 b2:beta", 1, NULL));
	ok(strlen(boards_of(&x, job)) == 5, "two agents run one each: %s", boards_of(&x, job));
	estate_close(&x);
}

static void holds_boards_back(void)
{
	struct estate x;
	int64_t one, two, both, small, urgent;

	estate_open(&x);
	hello(&x, "desk", "a1 a2");
	one = submit(&x);
	two = submit(&x);
	both = pair(&x, .submitter = "bob");
	small = submit(&x, .submitter = "carl");
	ended(&x, run_of(&x, one), 0, "pass", "none");
	is_str(job_now(&x, small), "queued - - 0 ",
		"a board that came free is kept for the job of two boards");
	is_str(board_now(&x, "a1"), "idle good", "and is idle");
	has_str(waits(&x, small), "1 kept free for a job of several boards", "which is said");
	urgent = submit(&x, .submitter = "carl", .priority = 5);
	is_str(boards_of(&x, urgent), "a1", "but not from one of higher priority");
	ended(&x, run_of(&x, urgent), 0, "pass", "none");
	ended(&x, run_of(&x, two), 0, "pass", "none");
	is_str(job_now(&x, both), "assigned - - 1 ", "it begins when the other comes free");
	is_str(job_now(&x, small), "queued - - 0 ", "the small one waits");
	cancel(&x, both, "bob");
	is_str(job_now(&x, small), "assigned - - 1 ", "until then");
	estate_close(&x);
}

static void holds_nothing_in_vain(void)
{
	struct estate x;
	struct err e = {0};
	int64_t busy, both, small;

	estate_open(&x);
	hello(&x, "desk", "a1 b1:beta");
	turn(&x);
	sched_board_health(x.sched, "b1", HEALTH_MAINTENANCE, "new cable", "bob", &e);
	commit(&x);
	both = submit(&x, .wants = MIXED, .plans = PAIR_PLANS);
	small = submit(&x);
	is_str(boards_of(&x, small), "a1", "nothing is held while a board is in maintenance");
	turn(&x);
	sched_board_health(x.sched, "b1", HEALTH_GOOD, NULL, "bob", &e);
	commit(&x);
	busy = submit(&x);
	ended(&x, run_of(&x, small), 0, "pass", "none");
	is_str(job_now(&x, both), "assigned - - 1 ", "the older one has its turn");
	ended(&x, run_of(&x, both), 0, "pass", "none");
	ended(&x, run_of(&x, busy), 0, "pass", "none");
	estate_close(&x);

	estate_open(&x);
	hello(&x, "desk", "a1 a2");
	busy = submit(&x);
	both = pair(&x, .submitter = "bob");
	small = submit(&x, .submitter = "carl");
	is_str(job_now(&x, small), "queued - - 0 ", "one board is held, the other at work");
	turn(&x);
	sched_board_health(x.sched, "a1", HEALTH_RETIRED, "broken", "bob", &e);
	commit(&x);
	is_str(boards_of(&x, small), "a2", "when that will not come back the held one goes");
	estate_close(&x);
}

static void two_of_them(void)
{
	struct estate x;
	int64_t one, first, second;

	estate_open(&x);
	hello(&x, "desk", "a1 a2 a3");
	one = submit(&x, .submitter = "zoe");
	submit(&x, .submitter = "zoe");
	first = submit(&x,
		.wants = "[{\"type\":\"alpha\"},{\"type\":\"alpha\"},{\"type\":\"alpha\"}]",
		.plans = "[{\"role\":\"a\",\"plan\":{}},{\"role\":\"b\",\"plan\":{}},"
			 "{\"role\":\"c\",\"plan\":{}}]");
	second = pair(&x, .submitter = "bob");
	ended(&x, run_of(&x, one), 0, "pass", "none");
	is_str(job_now(&x, second), "queued - - 0 ", "what is held for one is not another's");
	cancel(&x, first, "ann");
	is_str(job_now(&x, second), "assigned - - 1 ", "but comes to it when that one goes");
	estate_close(&x);
}

static void again_elsewhere(void)
{
	struct estate x;
	int64_t job;

	estate_open(&x);
	hello(&x, "desk", "a1 a2 a3");
	job = pair(&x, .priority = 0);
	is_str(boards_of(&x, job), "a1 a2", "two of three boards");
	ended(&x, run_of(&x, job), 0, "incomplete", "infra");
	ended(&x, run_of(&x, job), 1, "incomplete", "test");
	is_str(job_now(&x, job), "assigned - - 2 ", "the lab is to blame, so it is tried again");
	ok(!strstr(boards_of(&x, job), "a1"), "without the board that was at fault: %s",
		boards_of(&x, job));
	is_str(board_now(&x, "a1"), "idle unknown", "which is not trusted");
	is_str(board_now(&x, "a2"), "reserved good", "the other one is");
	estate_close(&x);
}

static void is_canceled(void)
{
	struct estate x;
	int64_t job;

	estate_open(&x);
	hello(&x, "desk", "a1");
	hello(&x, "rack", "a2");
	job = pair(&x, .priority = 0);
	commands(&x, "desk");
	cancel(&x, job, "bob");
	is_str(job_now(&x, job), "canceling - - 1 ", "a part that began is stopped");
	is_str(board_now(&x, "a2"), "idle good", "one that nobody was told of is over");
	is_str(commands(&x, "rack"), "", "and nobody is");
	ended(&x, 1, 0, "canceled", "cancel");
	is_str(job_now(&x, job), "done canceled cancel 1 canceled by bob", "then it is over");
	estate_close(&x);
}

int main(void)
{
	all_or_none();
	one_verdict();
	picks_the_right_boards();
	holds_boards_back();
	holds_nothing_in_vain();
	two_of_them();
	again_elsewhere();
	is_canceled();
	return tap_done();
}
