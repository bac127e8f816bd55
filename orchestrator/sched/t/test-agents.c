/* SPDX-License-Identifier: MIT */
/* Agents that come, go, come back and forget; and servers that do. */
#include "estate.h"

#define MINUTE INT64_C(60000)

static void silence(void)
{
	struct estate x;
	struct err e = {0};
	int64_t job, waiting;

	estate_open(&x);
	turn(&x);
	ok(sched_seen(x.sched, "desk", &e) == -1 && e.blame == BLAME_JOB,
		"an agent says hello first: %s", e.msg);
	commit(&x);
	hello(&x, "desk", "a1 a2");
	job = submit(&x, .timeout_ms = 5 * MINUTE);
	started(&x, 1, 0);
	pass_ms(&x, SCHED_GRACE_MS - 1);
	is_str(board_now(&x, "a2"), "idle good", "a short silence is none");
	seen(&x, "desk");
	pass_ms(&x, SCHED_GRACE_MS - 1);
	is_str(board_now(&x, "a2"), "idle good", "nor are two");
	pass_ms(&x, 1);
	is_str(board_now(&x, "a2"), "idle good offline", "a long one is");
	waiting = submit(&x);
	is_str(waits(&x, waiting), "2 boards of type 'alpha': 2 offline",
		"its boards take no work, and that is said");
	is_str(job_now(&x, job), "running - - 1 ", "what runs goes on");
	seen(&x, "desk");
	is_str(boards_of(&x, waiting), "a2", "when it is heard of again it takes work");
	ended(&x, 1, 0, "pass", "none");
	is_str(job_now(&x, job), "done pass - 1 ", "and what ran has its result");
	estate_close(&x);
}

static void lost(void)
{
	struct estate x;
	int64_t job;

	estate_open(&x);
	hello(&x, "desk", "a1");
	job = submit(&x, .timeout_ms = 5 * MINUTE);
	commands(&x, "desk");
	started(&x, 1, 0);
	pass_ms(&x, 5 * MINUTE + SCHED_LOST_MS - 1);
	is_str(job_now(&x, job), "running - - 1 ", "it is given time to come back");
	restart(&x);
	pass_ms(&x, 1);
	is_str(job_now(&x, job), "queued - - 1 ", "then it is tried again elsewhere");
	is_str(board_now(&x, "a1"), "busy unknown offline", "the board is not free: who knows");
	is_str(waits(&x, job), "1 board of type 'alpha': 1 offline", "nor does it wait for more");
	json_decref(hello_with(&x, "desk", "a1", 0, "[{\"run\":1,\"part\":0}]"));
	is_str(board_now(&x, "a1"), "busy unknown", "when it is back the worker is still there");
	is_str(commands(&x, "desk"), "cancel 1/0", "and is told to stop");
	is_str(waits(&x, job),
		"1 board of type 'alpha': 1 in the hands of an agent that does not answer",
		"until then nobody has the board");
	ok(sched_part_open(x.sched, 1, 0, "desk"), "what it says is still taken");
	ended(&x, 1, 0, "canceled", "cancel");
	is_str(job_now(&x, job), "assigned - - 2 ", "the other attempt goes on");
	is_str(commands(&x, "desk"), "forget 1/0, start 2/0", "on the board that is free now");
	ended(&x, 2, 0, "fail", "test");
	is_str(job_now(&x, job), "done fail test 2 so it ended", "and its verdict counts");
	estate_close(&x);
}

static void repaired(struct estate *x, const char *board)
{
	struct err e = {0};

	turn(x);
	if (sched_board_health(x->sched, board, HEALTH_GOOD, NULL, "bob", &e))
		DIE(&e);
	commit(x);
}

/* A run that was given up before its agent had it. */
static void never_had(void)
{
	struct estate x;
	struct err e = {0};
	int64_t job;

	estate_open(&x);
	hello(&x, "desk", "a1");
	job = submit(&x, .timeout_ms = MINUTE);
	pass_ms(&x, MINUTE + SCHED_LOST_MS);
	is_str(job_now(&x, job), "queued - - 1 ", "what nobody fetched is tried again");
	is_str(board_now(&x, "a1"), "idle unknown offline", "and nobody has the board");
	seen(&x, "desk");
	is_str(board_now(&x, "a1"), "reserved unknown",
		"an agent that lost no run is back at once");
	is_str(commands(&x, "desk"), "start 2/0", "and is told what to do");
	/* This time the start was fetched, but it was lost on the way. */
	pass_ms(&x, MINUTE + SCHED_LOST_MS);
	is_str(board_now(&x, "a1"), "reserved bad offline", "what was fetched may run");
	turn(&x);
	ok(sched_seen(x.sched, "desk", &e) == -1 && e.blame == BLAME_JOB,
		"an agent that lost a run says hello first: %s", e.msg);
	commit(&x);
	is_str(job_now(&x, job), "queued - - 2 ", "until then its board is nobody's");
	hello(&x, "desk", "a1");
	is_str(board_now(&x, "a1"), "idle bad", "which says that it does not run");
	repaired(&x, "a1");
	is_str(commands(&x, "desk"), "start 3/0", "a repaired board goes on");
	started(&x, 3, 0);
	/* Its agent is heard of all the time and never says how it ended. */
	for (int i = 0; i < 12; i++) {
		seen(&x, "desk");
		pass_ms(&x, SCHED_GRACE_MS - 1);
	}
	is_str(job_now(&x, job),
		"done incomplete infra 3 agent 'desk' did not say how it ended on board 'a1'",
		"an agent that is there but says nothing");
	is_str(commands(&x, "desk"), "cancel 3/0", "is told to stop");
	turn(&x);
	ok(sched_seen(x.sched, "desk", &e) == -1, "is asked what it has");
	commit(&x);
	json_decref(
		hello_with(&x, "desk", "a1", 0, "[{\"run\":3,\"part\":0,\"state\":\"running\"}]"));
	is_str(board_now(&x, "a1"), "busy unknown", "has the board as long as it runs");
	seen(&x, "desk");
	is_str(commands(&x, "desk"), "cancel 3/0", "is told again");
	ended(&x, 3, 0, "canceled", "cancel");
	is_str(board_now(&x, "a1"), "idle unknown", "and then the board is free");
	job = submit(&x);
	is_str(job_now(&x, job), "assigned - - 1 ", "for the next job");
	estate_close(&x);
}

static int print_part(void *arg, const struct store_part *p)
{
	snprintf(arg, 256, "%s %s %s", p->state, p->verdict, p->message);
	return 0;
}

static void late(void)
{
	struct estate x;
	struct err e = {0};
	char text[256] = "";
	int64_t job;

	estate_open(&x);
	hello(&x, "desk", "a1");
	job = submit(&x, .timeout_ms = MINUTE, .wants = "[{\"name\":\"a1\"}]");
	commands(&x, "desk");
	started(&x, 1, 0);
	pass_ms(&x, MINUTE + SCHED_LOST_MS);
	cancel(&x, job, "bob");
	restart(&x);
	json_decref(
		hello_with(&x, "desk", "a1", 0, "[{\"run\":1,\"part\":0,\"state\":\"ended\"}]"));
	is_str(board_now(&x, "a1"), "busy unknown", "after a restart the run is known");
	ended(&x, 1, 0, "fail", "test");
	store_parts(x.store, 1, print_part, text, &e);
	is_str(text, "ended fail after the run was given up: so it ended",
		"what came late is kept beside what was said before");
	is_str(job_now(&x, job), "done canceled cancel 1 canceled by bob", "which stands");
	is_str(board_now(&x, "a1"), "idle unknown", "and the board is free");
	ended(&x, 1, 0, "pass", "none");
	store_parts(x.store, 1, print_part, text, &e);
	has_str(text, "ended fail", "once");
	turn(&x);
	ok(sched_part_ended(x.sched, 77, 0, NULL, &e) == -1 && e.blame == BLAME_JOB,
		"what nobody ran has no end: %s", e.msg);
	commit(&x);
	estate_close(&x);
}

static void canceled_and_lost(void)
{
	struct estate x;
	int64_t job;

	estate_open(&x);
	hello(&x, "desk", "a1");
	job = submit(&x, .timeout_ms = 100 * MINUTE);
	commands(&x, "desk");
	started(&x, 1, 0);
	cancel(&x, job, "bob");
	pass_ms(&x, SCHED_LOST_MS - 1);
	is_str(job_now(&x, job), "canceling - - 1 ", "a cancel is given time");
	pass_ms(&x, 1);
	is_str(job_now(&x, job), "done canceled cancel 1 canceled by bob",
		"but not as long as the run");
	hello(&x, "desk", "a1");
	is_str(board_now(&x, "a1"), "idle unknown", "an agent that has nothing frees the board");
	estate_close(&x);
}

static void restarts(void)
{
	struct estate x;
	AUTOJSON *before = NULL, *after = NULL, *answer = NULL;
	int64_t one, two;

	estate_open(&x);
	hello(&x, "desk", "a1 a2 a3");
	one = submit(&x);
	two = submit(&x);
	submit(&x);
	cancel(&x, 3, "bob");
	submit(&x, .wants = "[{\"type\":\"beta\"}]");
	commands(&x, "desk");
	started(&x, 1, 0);
	cancel(&x, two, "bob");
	before = sched_boards_json(x.sched);
	restart(&x);
	is_str(board_now(&x, "a1"), "busy good offline", "nobody is there after a restart");
	/* The first job's worker runs, the second one was never started. */
	answer = hello_with(&x, "desk", "a1 a2 a3", 0,
		"[{\"run\":1,\"part\":0,\"state\":\"running\"},{\"run\":9,\"part\":0}]");
	after = sched_boards_json(x.sched);
	is_int(json_int(json_array_get(json_object_get(answer, "forget"), 0), "run", 0), 9,
		"a folder that nobody knows may go");
	is_str(job_now(&x, one), "running - - 1 ", "what runs is left alone");
	is_str(job_now(&x, two), "done canceled cancel 1 canceled by bob",
		"a cancel of what was never started is done");
	is_str(commands(&x, "desk"), "forget 2/0", "there is nothing else to do");
	ok(json_equal(json_array_get(before, 0), json_array_get(after, 0)) &&
			json_equal(json_array_get(before, 2), json_array_get(after, 2)),
		"the boards look as before");
	estate_close(&x);
}

static void told_again(void)
{
	struct estate x;
	int64_t ack = 0;
	json_t *list;

	estate_open(&x);
	hello(&x, "desk", "a1 a2");
	submit(&x);
	list = sched_commands(x.sched, "desk", 0);
	ack = json_int(json_array_get(list, 0), "seq", 0);
	is_str(json_text(json_object_get(json_array_get(list, 0), "plan"), "job", ""), "j",
		"a start brings its plan");
	is_str(json_text(json_array_get(list, 0), "board", ""), "a1", "and its board");
	json_decref(list);
	list = sched_commands(x.sched, "desk", ack - 1);
	is_int((long long)json_array_size(list), 1, "what is not acknowledged is told again");
	json_decref(list);
	submit(&x);
	list = sched_commands(x.sched, "desk", ack);
	is_int(json_int(json_array_get(list, 0), "run", 0), 2, "what is, is not");
	json_decref(list);
	restart(&x);
	hello(&x, "desk", "a1 a2");
	list = sched_commands(x.sched, "desk", ack);
	is_int((long long)json_array_size(list), 2,
		"an acknowledgement from before a restart drops nothing");
	json_decref(list);
	ok(!sched_commands(x.sched, "nobody", 0), "nothing for who is not known");
	estate_close(&x);
}

static void boards_move(void)
{
	struct estate x;
	AUTOJSON *answer = NULL, *again = NULL, *shown = NULL;
	struct err e = {0};

	estate_open(&x);
	hello(&x, "desk", "a1 a2");
	turn(&x);
	sched_board_health(x.sched, "a2", HEALTH_BAD, "smoke", "bob", &e);
	commit(&x);
	answer = hello_with(&x, "rack", "a1 a3 a3", 0, NULL);
	is_int((long long)json_array_size(json_object_get(answer, "refused")), 2,
		"a board that another agent has, and one that is named twice, are refused");
	has_str(json_text(json_array_get(json_object_get(answer, "refused"), 0), "why", ""),
		"agent 'desk' has it", "with the reason");
	hello(&x, "desk", "a1:beta");
	is_str(board_now(&x, "a2"), "idle bad offline", "one that is not named is taken off");
	shown = sched_boards_json(x.sched);
	is_int((long long)json_array_size(shown), 2, "and not shown");
	again = hello_with(&x, "rack", "a2 a3", 0, NULL);
	is_str(board_now(&x, "a2"), "idle bad", "another may have it; it is as bad as it was");
	is_int(submit(&x, .wants = "[{\"type\":\"beta\"}]"), 1, "a board may become another type");
	is_str(boards_of(&x, 1), "a1", "and is found as that");
	estate_close(&x);
}

static void foreign(void)
{
	static const char *const bad[] = {"{}", "{\"agent\":\"a/b\",\"lab\":\"l\"}",
		"{\"agent\":\"a\"}", "{\"agent\":\"a\",\"lab\":\"l\",\"max_jobs\":-1}"};
	struct estate x;
	AUTOJSON *answer = NULL;

	estate_open(&x);
	turn(&x);
	for (size_t i = 0; i < ARRAY_LEN(bad); i++) {
		AUTOJSON *hello = json_loads(bad[i], 0, NULL);
		struct err e = {0};

		ok(sched_hello(x.sched, hello, &answer, &e) == -1 && e.blame == BLAME_JOB &&
				!answer,
			"%s: %s", bad[i], e.msg);
	}
	commit(&x);
	answer = hello_with(&x, "desk", "a/1 a2:b/d", 0, "[7,{\"run\":\"x\"},{\"run\":-1}]");
	is_int((long long)json_array_size(json_object_get(answer, "refused")), 2,
		"boards whose names are none are refused");
	estate_close(&x);
}

int main(void)
{
	silence();
	lost();
	never_had();
	late();
	canceled_and_lost();
	restarts();
	told_again();
	boards_move();
	foreign();
	return tap_done();
}
