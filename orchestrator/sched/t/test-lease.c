/* SPDX-License-Identifier: MIT */
/* Leases: taken, renewed, taken over, and over when they are over. */
#include "estate.h"

#include "jobs/plan.h"

#define HOUR INT64_C(3600000)

static struct err said; /* why the last verb was refused */

static int64_t lease(struct estate *x, struct sched_reserve r)
{
	int64_t job = 0;

	err_clear(&said);
	r.board = r.board ? r.board : "a1";
	r.owner = r.owner ? r.owner : "ann";
	turn(x);
	if (sched_lease(x->sched, &r, &job, &said) && sched_damaged(x->sched))
		DIE(&said);
	commit(x);
	return job;
}
#define reserve(x, ...) lease(x, (struct sched_reserve){__VA_ARGS__})

static struct sched_holder holder(struct estate *x)
{
	struct sched_holder h = {0};

	sched_holder(x->sched, "a1", &h);
	return h;
}

static int64_t renew(struct estate *x, const char *who, int64_t for_ms)
{
	int64_t until = 0;

	err_clear(&said);
	turn(x);
	sched_lease_renew(x->sched, "a1", who, for_ms, &until, &said);
	commit(x);
	return until;
}

static void release(struct estate *x, const char *who)
{
	struct err e = {0};

	turn(x);
	if (sched_lease_end(x->sched, "a1", who, &e))
		DIE(&e);
	commit(x);
}

/* Still says hello where it has to, and passes time. */
static void pass_heard(struct estate *x, int64_t ms)
{
	for (; ms > 0; ms -= 30000) {
		pass_ms(x, ms < 30000 ? ms : 30000);
		seen(x, "desk");
	}
}

static void begins_and_ends(void)
{
	struct estate x;
	struct err e = {0};
	json_t *list;
	int64_t job, other;
	struct plan plan = {0};

	estate_open(&x);
	hello(&x, "desk", "a1");
	job = reserve(&x, .for_ms = HOUR);
	is_str(job_now(&x, job), "assigned - - 1 ", "a free board is leased at once");
	list = sched_commands(x.sched, "desk", 0);
	ok(json_is_true(json_object_get(json_array_get(list, 0), "lease")), "the agent knows it");
	is_int(plan_from_json(&plan, json_object_get(json_array_get(list, 0), "plan"), &e), 0,
		"its plan is one: %s", e.msg);
	ok(plan.session, "of a session");
	is_int(plan.timeout_ms, LEASE_HARD_MS, "that ends when the lease must");
	plan_done(&plan);
	is_str(json_text(json_object_get(json_array_get(list, 1), "line"), "kind", ""), "until",
		"and it is told how long");
	is_int(json_int(json_object_get(json_array_get(list, 1), "line"), "at", 0), x.now_ms + HOUR,
		"by the wall clock");
	is_int(json_int(json_array_get(list, 1), "n", 0), 1, "in the first line of its inbox");
	json_decref(list);
	ok(holder(&x).lease && !holder(&x).session_up, "the owner waits for the session");
	started(&x, 1, 0);
	is_str(board_now(&x, "a1"), "leased good", "the board is leased");
	ok(holder(&x).session_up, "the session is up");
	is_str(holder(&x).owner, "ann", "it is hers");
	other = submit(&x);
	is_str(waits(&x, other), "1 board of type 'alpha': 1 leased; the first is due in 60 min",
		"jobs wait for its end");
	release(&x, "ann");
	ok(!holder(&x).lease, "she has it no more, whatever the session does");
	has_str(buf_str(&x.events), "lease a1 over\n", "streams are cut at once");
	has_str(commands(&x, "desk"), "cancel 1/0", "which is ended");
	ended(&x, 1, 0, "canceled", "cancel");
	is_str(job_now(&x, job), "done pass - 1 released by ann", "a lease that ran is a pass");
	is_str(job_now(&x, other), "assigned - - 1 ", "and the board is the next one's");
	estate_close(&x);
}

static void is_over(void)
{
	struct estate x;
	int64_t job;

	estate_open(&x);
	hello(&x, "desk", "a1");
	job = reserve(&x, .for_ms = HOUR, .hard_ms = 2 * HOUR);
	commands(&x, "desk");
	started(&x, 1, 0);
	pass_heard(&x, HOUR / 2);
	is_int(renew(&x, "ann", HOUR), ESTATE_START_MS + HOUR + HOUR / 2, "it is renewed");
	is_str(commands(&x, "desk"), "inbox 1/0 until", "the session is told");
	restart(&x);
	json_decref(hello_with(&x, "desk", "a1", 0, "[{\"run\":1,\"part\":0,\"inbox\":2}]"));
	is_str(commands(&x, "desk"), "inbox 1/0 until", "again after a restart");
	pass_heard(&x, HOUR / 2);
	ok(holder(&x).lease, "it goes on");
	is_int(renew(&x, "ann", 5 * HOUR), ESTATE_START_MS + 2 * HOUR,
		"no further than its hard end");
	pass_heard(&x, HOUR - 1);
	ok(holder(&x).lease, "to the last");
	pass_ms(&x, 1);
	ok(!holder(&x).lease, "then it is over");
	ended(&x, 1, 0, "pass", "none");
	is_str(job_now(&x, job), "done pass - 1 ", "as it should be");
	estate_close(&x);
}

static void is_over_alone(void)
{
	struct estate x;
	int64_t job;

	estate_open(&x);
	hello(&x, "desk", "a1");
	job = reserve(&x, .for_ms = HOUR);
	commands(&x, "desk");
	started(&x, 1, 0);
	sched_free(x.sched);
	x.now_ms += HOUR;
	clock_set_test(x.now_ms);
	x.sched = estate_sched(&x);
	pass_ms(&x, 0);
	ok(!holder(&x).lease, "it ends while the server is away and the agent is too");
	pass_ms(&x, SCHED_LOST_MS);
	has_str(job_now(&x, job), "done incomplete infra 1 agent 'desk' did not say how it ended",
		"an agent that does not come back does not hold it open");
	estate_close(&x);
}

static void whose_it_is(void)
{
	struct estate x;
	int64_t job, next, last;

	estate_open(&x);
	ok(!reserve(&x, .wait = true), "a board that is not there: %s", said.msg);
	hello(&x, "desk", "a1");
	job = reserve(&x, .for_ms = HOUR);
	started(&x, 1, 0);
	ok(!reserve(&x, .owner = "bob"), "one that is leased is refused");
	has_str(said.msg, "board 'a1' is leased by ann until 2027-01-15T09:00:00.000Z",
		"with who and until when");
	ok(!reserve(&x, .owner = "ann"), "to herself too: %s", said.msg);
	ok(!renew(&x, "bob", HOUR), "another renews nothing: %s", said.msg);
	next = reserve(&x, .owner = "bob", .wait = true);
	is_str(job_now(&x, next), "queued - - 0 ", "but may wait");
	last = reserve(&x, .owner = "eve", .take_over = true);
	ok(!holder(&x).lease, "an operator takes it over: it is over for its owner");
	ended(&x, 1, 0, "canceled", "cancel");
	is_str(job_now(&x, job), "done pass - 1 the board was taken over by eve", "who is told");
	is_str(holder(&x).owner, "eve", "and goes to the operator");
	cancel(&x, last, "eve");
	is_str(holder(&x).owner, "bob", "then to who waited");
	estate_close(&x);
}

static void on_boards(void)
{
	struct estate x;
	struct err e = {0};
	int64_t job;

	estate_open(&x);
	hello(&x, "desk", "a1");
	job = submit(&x);
	ok(!reserve(&x, .for_ms = HOUR), "a busy board is refused");
	is_str(said.msg, "board 'a1' is busy with job 1 of ann", "with its job");
	ended(&x, 1, 0, "pass", "none");
	turn(&x);
	sched_board_health(x.sched, "a1", HEALTH_MAINTENANCE, "new cable", "bob", &e);
	commit(&x);
	ok(!reserve(&x, .for_ms = HOUR), "one in maintenance");
	is_str(said.msg, "board 'a1' is in maintenance by bob: new cable", "with the reason");
	job = reserve(&x, .owner = "bob");
	is_str(job_now(&x, job), "assigned - - 1 ", "but to who works on it");
	release(&x, "bob");
	turn(&x);
	sched_board_health(x.sched, "a1", HEALTH_BAD, "smoke", "bob", &e);
	commit(&x);
	job = reserve(&x, .for_ms = 1000);
	is_str(job_now(&x, job), "assigned - - 1 ", "a bad board may be looked at");
	release(&x, "ann");
	ok(!reserve(&x, .for_ms = 2 * LEASE_HARD_MS), "not for ever: %s", said.msg);
	ok(!reserve(&x, .for_ms = 10), "nor for nothing: %s", said.msg);
	pass_ms(&x, SCHED_GRACE_MS);
	ok(!reserve(&x, .for_ms = HOUR), "an offline board is refused: %s", said.msg);
	estate_close(&x);
}

static int type_a(struct estate *x, struct err *e)
{
	AUTOJSON *line =
		json_pack("{s:s, s:s, s:s}", "kind", "input", "console", "main", "data", "YQ==");

	err_clear(e);
	if (sched_lease_do(x->sched, "a1", line, e))
		return -1;
	return (int)json_int(line, "n", 0);
}

static void typing(void)
{
	struct estate x;
	struct err e = {0};
	int n = 0;

	estate_open(&x);
	hello(&x, "desk", "a1");
	is_int(type_a(&x, &e), -1, "nobody has it: %s", e.msg);
	reserve(&x, .for_ms = HOUR);
	is_int(type_a(&x, &e), -1, "its session is not up: %s", e.msg);
	commands(&x, "desk");
	started(&x, 1, 0);
	is_int(type_a(&x, &e), 2, "what is typed is a line, whose number is told");
	is_str(commands(&x, "desk"), "inbox 1/0 input", "for the agent");
	while (n < 10000 && type_a(&x, &e) > 0)
		n++;
	is_int(n, 256, "an agent that fetches nothing is not typed to for ever");
	is_int(e.blame, BLAME_INFRA, "%s", e.msg);
	restart(&x);
	json_decref(hello_with(&x, "desk", "a1", 0, "[{\"run\":1,\"part\":0,\"inbox\":2}]"));
	is_str(commands(&x, "desk"), "inbox 1/0 until", "what was typed is not kept");
	is_int(type_a(&x, &e), 4, "numbers go on where the folder is");
	pass_ms(&x, SCHED_GRACE_MS);
	is_int(type_a(&x, &e), -1, "nobody is there: %s", e.msg);
	estate_close(&x);
}

int main(void)
{
	begins_and_ends();
	is_over();
	is_over_alone();
	whose_it_is();
	on_boards();
	typing();
	return tap_done();
}
