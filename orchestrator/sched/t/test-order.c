/* SPDX-License-Identifier: MIT */
/* Which job comes first, and which board it gets. */
#include "estate.h"

/* Ends whatever has the board, and says which job has it then. */
static int64_t next_on(struct estate *x, const char *board)
{
	AUTOJSON *before = sched_board_json(x->sched, board), *after = NULL;

	ended(x, json_int(before, "run", 0), 0, "pass", "none");
	after = sched_board_json(x->sched, board);
	return json_int(after, "job", 0);
}

static void by_priority_and_age(void)
{
	struct estate x;
	int64_t first, low, normal, later, high;

	estate_open(&x);
	hello(&x, "desk", "a1");
	first = submit(&x);
	low = submit(&x, .priority = -10);
	normal = submit(&x);
	later = submit(&x);
	high = submit(&x, .priority = 10);
	has_str(boards_of(&x, first), "a1", "the first has the board");
	has_str(waits(&x, low), "behind 3 jobs", "the others know their place");
	restart(&x);
	json_decref(hello_with(&x, "desk", "a1", 0, "[{\"run\":1,\"part\":0}]"));
	is_int(next_on(&x, "a1"), high, "higher priority first, though a restart came between");
	is_int(next_on(&x, "a1"), normal, "then the older");
	is_int(next_on(&x, "a1"), later, "then the younger");
	is_int(next_on(&x, "a1"), low, "lower priority last");
	estate_close(&x);
}

static void by_share(void)
{
	struct estate x;
	int64_t ann[4], bob;

	estate_open(&x);
	hello(&x, "desk", "a1 a2");
	for (int i = 0; i < 4; i++)
		ann[i] = submit(&x, .submitter = "ann");
	bob = submit(&x, .submitter = "bob");
	is_int(next_on(&x, "a1"), bob, "who uses no board comes before who uses one");
	is_int(next_on(&x, "a2"), ann[2], "and then again by age");
	is_int(next_on(&x, "a1"), ann[3], "until all are served");
	estate_close(&x);
}

static void by_what_is_wanted(void)
{
	struct estate x;
	int64_t job[7];

	estate_open(&x);
	hello(&x, "desk", "a1 b1:beta c1:gamma");
	job[0] = submit(&x, .wants = "[{\"soc\":\"soc2\"}]");
	is_str(boards_of(&x, job[0]), "b1", "by soc");
	job[1] = submit(&x, .wants = "[{\"name\":\"c1\"}]");
	is_str(boards_of(&x, job[1]), "c1", "by name, though nobody here knows the board's type");
	job[2] = submit(&x, .wants = "[{\"peripherals\":[\"mmc\"],\"tags\":[\"desk\"]}]");
	is_str(boards_of(&x, job[2]), "a1", "by what its type has");
	job[3] = submit(&x, .wants = "[{\"type\":\"alpha\",\"peripherals\":[\"can\"]}]");
	is_str(waits(&x, job[3]), "no board of type 'alpha' with 'can' is known",
		"what nobody has is said");
	job[4] = submit(&x, .wants = "[{\"name\":\"a1\",\"soc\":\"soc2\"}]");
	is_str(waits(&x, job[4]), "board 'a1' has soc 'soc1', not 'soc2'", "of a named board too");
	job[5] = submit(&x, .wants = "[{\"name\":\"z9\"}]");
	is_str(waits(&x, job[5]), "board 'z9' is not known", "and of one that is not there");
	job[6] = submit(&x);
	is_str(waits(&x, job[6]), "1 board of type 'alpha': 1 busy; the first is due in 60 s",
		"what is busy has an end");
	hello(&x, "other", "z9");
	is_str(boards_of(&x, job[5]), "z9", "a board that is there at last is taken");
	estate_close(&x);
}

static void by_what_is_announced(void)
{
	struct estate x;
	AUTOJSON *hello = NULL, *answer = NULL, *shown = NULL;
	struct err e = {0};
	int64_t job;

	estate_open(&x);
	hello = json_pack("{s:s, s:s, s:[{s:s, s:s, s:[s], s:s}]}", "agent", "desk", "lab", "lab",
		"boards", "name", "a1", "type", "alpha", "peripherals", "can", "address",
		"192.0.2.1");
	turn(&x);
	is_int(sched_hello(x.sched, hello, &answer, &e), 0, "a board without its type's mmc");
	commit(&x);
	job = submit(&x, .wants = "[{\"type\":\"alpha\",\"peripherals\":[\"mmc\"]}]");
	is_str(job_now(&x, job), "queued - - 0 ", "is not taken for one that has it");
	job = submit(&x, .wants = "[{\"peripherals\":[\"can\"],\"tags\":[\"desk\"]}]");
	is_str(boards_of(&x, job), "a1", "but for what it has, and its type's tags");
	shown = sched_board_json(x.sched, "a1");
	is_int((long long)json_array_size(json_object_get(shown, "peripherals")), 1,
		"and is shown with that");
	ok(!json_object_get(shown, "address"), "nothing that was not asked for is kept");
	estate_close(&x);
}

static void cannot_be_read(void)
{
	struct store_job job = {.name = "old",
		.kind = "job",
		.submitter = "ann",
		.state = "queued",
		.wants = "[{\"colour\":\"red\"}]",
		.plans = PLAN,
		.params = "{}",
		.timeout_ms = 1};
	struct estate x;
	struct err e = {0};

	estate_open(&x);
	store_job_add(x.store, &job, &e);
	restart(&x);
	has_str(job_now(&x, job.id), "done incomplete bug 0 it cannot be read any more",
		"a job that nobody can read does not keep the server down");
	estate_close(&x);
}

static void refuses(void)
{
	static const char *const bad[] = {"", "{}", "[]", "[1]", "[{\"colour\":\"red\"}]",
		"[{\"type\":[\"a\"]}]", "[{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{}]"};
	struct estate x;

	estate_open(&x);
	turn(&x);
	for (size_t i = 0; i < ARRAY_LEN(bad); i++) {
		struct store_job job = {.name = "j",
			.kind = "job",
			.submitter = "ann",
			.wants = bad[i],
			.plans = PLAN,
			.timeout_ms = 1};
		struct err e = {0};

		ok(sched_submit(x.sched, &job, &e) == -1 && e.blame == BLAME_JOB,
			"wants '%.20s' are refused: %s", bad[i], e.msg);
	}
	for (int i = 0; i < 4; i++) {
		struct store_job job = {.name = "j",
			.kind = i == 3 ? "lease" : "job",
			.submitter = "ann",
			.wants = i == 2 ? "[{},{}]" : ALPHA,
			.plans = PLAN,
			.priority = i == 0 ? 101 : 0,
			.timeout_ms = i == 1 ? 0 : 1};
		struct err e = {0};

		ok(sched_submit(x.sched, &job, &e) == -1 && !sched_damaged(x.sched),
			"and so is: %s", e.msg);
	}
	commit(&x);
	is_str(waits(&x, 1), "", "nothing of them is left");
	estate_close(&x);
}

static void within_the_limit(void)
{
	struct estate x;
	int64_t low, normal, high;

	estate_open(&x);
	json_decref(hello_with(&x, "desk", "a1 a2 b1:beta", 1, NULL));
	submit(&x);
	low = submit(&x, .priority = -1);
	normal = submit(&x, .wants = "[{\"type\":\"beta\"}]");
	has_str(waits(&x, normal), "1 on an agent that runs as many jobs as it may",
		"an agent at its limit takes no more");
	high = submit(&x, .wants = "[{\"name\":\"a2\"}]", .priority = 1);
	ended(&x, 1, 0, "pass", "none");
	is_str(boards_of(&x, high), "a2", "then the best of all that it could run");
	ended(&x, 2, 0, "pass", "none");
	is_str(boards_of(&x, normal), "b1", "whatever board that is on");
	ended(&x, 3, 0, "pass", "none");
	is_str(job_now(&x, low), "assigned - - 1 ", "and then the next");
	json_decref(hello_with(&x, "other", "a3 a4", 0, NULL));
	estate_close(&x);
}

static void spreads_over_agents(void)
{
	struct estate x;
	char first[16];
	int64_t job;

	estate_open(&x);
	hello(&x, "desk", "a1 a2");
	hello(&x, "rack", "a3 a4");
	snprintf(first, sizeof first, "%s", boards_of(&x, submit(&x)));
	job = submit(&x);
	ok((first[1] < '3') != (boards_of(&x, job)[1] < '3'), "two jobs go to two agents");
	estate_close(&x);
}

int main(void)
{
	by_priority_and_age();
	by_share();
	by_what_is_wanted();
	by_what_is_announced();
	cannot_be_read();
	refuses();
	within_the_limit();
	spreads_over_agents();
	return tap_done();
}
