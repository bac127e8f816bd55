/* SPDX-License-Identifier: MIT */
/* What agents say of runs that were given up: it counts where nothing else came in between. */
#include "estate.h"

#define MINUTE  INT64_C(60000)
#define SILENCE "agent 'desk' did not say how it ended on board 'a1'"
#define LATE    "it came late, before that: " SILENCE
#define THERE   "[{\"run\":%lld,\"part\":0,\"state\":\"ended\"}]"

static int print_run(void *arg, const struct store_run *r)
{
	snprintf(arg, 512, "%s %s %s", r->verdict, r->blame ? r->blame : "-",
		r->message ? r->message : "");
	return 0;
}

static const char *run_now(struct estate *x, int64_t run)
{
	static char text[512];
	struct err e = {0};

	text[0] = 0;
	store_run_get(x->store, run, print_run, text, &e);
	return text;
}

static int print_audit(void *arg, const struct store_audit *a)
{
	snprintf(arg, 512, "%s: %s: %s: %s", a->account, a->what, a->subject, a->detail);
	return 1;
}

static const char *audit_of(struct estate *x, const char *subject)
{
	static char text[512];
	struct err e = {0};

	text[0] = 0;
	store_audits(
		x->store, &(struct store_audit_filter){.subject = subject}, print_audit, text, &e);
	return text;
}

/* Job, run: the agent took it on, and was not heard of any more. */
static void lose(struct estate *x, int64_t run)
{
	commands(x, "desk");
	started(x, run, 0);
	pass_ms(x, MINUTE + SCHED_LOST_MS);
}

static void back(struct estate *x, const char *boards, int64_t run)
{
	char there[80];

	snprintf(there, sizeof there, THERE, (long long)run);
	json_decref(hello_with(x, "desk", boards, 0, there));
}

static void waits_again(bool server_too)
{
	struct estate x;
	int64_t job;

	estate_open(&x);
	hello(&x, "desk", "a1");
	job = submit(&x);
	lose(&x, 1);
	is_str(job_now(&x, job), "queued - - 1 ", "a job whose run was given up waits");
	is_str(run_now(&x, 1), "incomplete infra " SILENCE, "and that is said of the run");
	if (server_too)
		restart(&x);
	back(&x, "a1", 1);
	ended(&x, 1, 0, "pass", "none");
	is_str(run_now(&x, 1), "pass - " LATE, "what comes late is the run's verdict");
	is_str(job_now(&x, job), "done pass - 1 " LATE, "and the job needs no other attempt");
	is_str(board_now(&x, "a1"), "idle good", "nor is the board to blame any more");
	is_str(audit_of(&x, "run 1"),
		"hilab: late result: run 1: pass, blame none; before that incomplete, blame "
		"infra: " SILENCE,
		"the audit keeps both, of the run");
	has_str(audit_of(&x, "job 1"), "late result: job 1: pass", "and of the job");
	ended(&x, 1, 0, "fail", "test");
	is_str(run_now(&x, 1), "pass - " LATE, "it is said once");
	job = submit(&x);
	is_str(boards_of(&x, job), "a1", "the board has work again");
	estate_close(&x);
}

static void over(void)
{
	struct estate x;
	int64_t job;

	estate_open(&x);
	hello(&x, "desk", "a1 a2 a3");
	job = submit(&x);
	for (int64_t run = 1; run <= SCHED_ATTEMPTS; run++) {
		lose(&x, run);
		json_decref(hello_with(&x, "desk", "a1 a2 a3", 0,
			run == 1   ? "[{\"run\":1,\"part\":0}]"
			: run == 2 ? "[{\"run\":1,\"part\":0},{\"run\":2,\"part\":0}]"
				   : "[{\"run\":1,\"part\":0},{\"run\":2,\"part\":0},"
				     "{\"run\":3,\"part\":0}]"));
	}
	has_str(job_now(&x, job), "done incomplete infra 3 ", "a job that was given up thrice");
	ended(&x, 1, 0, "pass", "none");
	has_str(run_now(&x, 1), "pass - it came late", "an earlier run has its verdict");
	has_str(job_now(&x, job), "done incomplete infra 3 ", "which is not the job's");
	ended(&x, 2, 0, "canceled", "cancel");
	has_str(run_now(&x, 2), "incomplete infra agent", "that it was stopped says nothing");
	ended(&x, 3, 0, "fail", "test");
	has_str(run_now(&x, 3), "fail test so it ended; it came late, before that: agent 'desk'",
		"the last run has its verdict");
	has_str(job_now(&x, job), "done fail test 3 so it ended; it came late",
		"and so has the job");
	estate_close(&x);
}

static void goes_on(void)
{
	struct estate x;
	int64_t job;

	estate_open(&x);
	hello(&x, "desk", "a1");
	job = submit(&x);
	lose(&x, 1);
	hello(&x, "rack", "b1");
	is_str(job_now(&x, job), "assigned - - 2 ", "another attempt has begun");
	back(&x, "a1", 1);
	ended(&x, 1, 0, "pass", "none");
	is_str(run_now(&x, 1), "pass - " LATE, "a late run has its verdict");
	is_str(job_now(&x, job), "assigned - - 2 ", "the attempt goes on");
	ended(&x, 2, 0, "fail", "test");
	is_str(job_now(&x, job), "done fail test 2 so it ended", "and the job goes by it");
	estate_close(&x);
}

static void still_the_lab(void)
{
	struct estate x;
	int64_t job;

	estate_open(&x);
	hello(&x, "desk", "a1");
	job = submit(&x);
	lose(&x, 1);
	back(&x, "a1", 1);
	ended(&x, 1, 0, "incomplete", "infra");
	is_str(run_now(&x, 1), "incomplete infra " SILENCE, "what says the same changes nothing");
	is_str(job_now(&x, job), "assigned - - 2 ", "and the job is tried again");
	is_str(audit_of(&x, "run 1"), "", "nothing is to be told");
	estate_close(&x);
}

static void of_two(void)
{
	struct estate x;
	int64_t job;

	estate_open(&x);
	hello(&x, "desk", "a1 a2");
	job = submit(&x, .wants = "[{\"type\":\"alpha\"},{\"type\":\"alpha\"}]",
		.plans = "[{\"role\":\"a\"},{\"role\":\"b\"}]");
	lose(&x, 1);
	json_decref(hello_with(&x, "desk", "a1 a2", 0,
		"[{\"run\":1,\"part\":0},{\"run\":1,\"part\":1,\"state\":\"ended\"}]"));
	ended(&x, 1, 1, "fail", "test");
	has_str(run_now(&x, 1), "incomplete infra", "one part of two is not the run");
	is_str(job_now(&x, job), "queued - - 1 ", "nor the job");
	ended(&x, 1, 0, "pass", "none");
	has_str(run_now(&x, 1),
		"fail test b: after the run was given up: so it ended; it came late", "both are");
	has_str(job_now(&x, job), "done fail test 1 b: after the run was given up: so it ended",
		"of it too");
	estate_close(&x);
}

static void of_a_check(void)
{
	struct estate x;
	struct err e = {0};
	int64_t check;

	estate_open(&x);
	x.checks = true;
	hello(&x, "desk", "a1");
	pass_ms(&x, 1);
	turn(&x);
	is_int(sched_board_check(x.sched, "a1", "bob", &check, &e), 0, "a check %s", e.msg);
	commit(&x);
	lose(&x, 1);
	is_str(board_now(&x, "a1"), "busy bad offline", "a board whose check was given up is bad");
	back(&x, "a1", 1);
	ended(&x, 1, 0, "pass", "none");
	is_str(board_now(&x, "a1"), "idle good", "until it is heard that it passed");
	has_str(job_now(&x, check), "done pass - 1 ", "the check did");
	estate_close(&x);
}

static void store_verb(void)
{
	struct estate x;
	struct err e = {0};

	estate_open(&x);
	hello(&x, "desk", "a1");
	submit(&x);
	is_int(store_run_late(x.store, 1, "pass", NULL, NULL, &e), -1,
		"a run that goes on has no late end: %s", e.msg);
	is_int(store_run_late(x.store, 77, "pass", NULL, NULL, &e), -1,
		"nor one that is not there");
	is_int(store_run_late(x.store, 1, "good", NULL, NULL, &e), -1, "a verdict is one of ours");
	estate_close(&x);
}

int main(void)
{
	waits_again(false);
	waits_again(true);
	over();
	goes_on();
	still_the_lab();
	of_two();
	of_a_check();
	store_verb();
	return tap_done();
}
