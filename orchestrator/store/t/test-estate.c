/* SPDX-License-Identifier: MIT */
/*
 * What else the controller keeps: boards, agents, leases, tokens, the audit, nightlies, schedules,
 * builds. What goes in comes out; a second save is the same row.
 */
#include "storetest.h"

static const char *or_dash(const char *text)
{
	return text ? text : "-";
}

/* ---- boards and agents ---- */

static int dump_board(void *arg, const struct store_board *b)
{
	return buf_printf(arg, "%s %s %s %s %s %s %s %s %lld %lld %s\n", b->name, or_dash(b->agent),
		or_dash(b->lab), or_dash(b->type), or_dash(b->announced), b->health,
		or_dash(b->reason), or_dash(b->who), (long long)b->since_ms,
		(long long)b->checked_ms, b->power);
}

static int dump_agent(void *arg, const struct store_agent *a)
{
	return buf_printf(arg, "%s %s %s %lld %lld %lld %lld\n", a->name, or_dash(a->lab),
		or_dash(a->version), (long long)a->protocol, (long long)a->max_jobs,
		(long long)a->first_ms, (long long)a->seen_ms);
}

static void test_boards(struct store *s)
{
	struct store_board b = {.name = "b2",
		.agent = "h",
		.lab = "l",
		.type = "t",
		.announced = "{\"soc\":\"x\"}",
		.health = "good",
		.since_ms = 1,
		.checked_ms = 2,
		.power = "off"};
	struct store_agent a = {"h", "l", "0.1", 1, 8, 10, 20};
	AUTOBUF out = BUF_INIT(1 << 16);
	struct err e = {0};

	is_int(store_board_save(s, &b, &e), 0, "a board %s", e.msg);
	is_int(store_board_save(s, &(struct store_board){.name = "b1", .health = "unknown"}, &e), 0,
		"a board of which nothing is known %s", e.msg);
	b.health = "bad", b.reason = "relay", b.who = "run 3", b.power = "unknown";
	is_int(store_board_save(s, &b, &e), 0, "the first is saved again");
	b.health = "fine";
	is_int(store_board_save(s, &b, &e), -1, "a foreign health is refused");
	b.health = "good", b.power = "maybe";
	is_int(store_board_save(s, &b, &e), -1, "and so is a foreign power");
	store_boards(s, dump_board, &out, &e);
	is_str(buf_str(&out),
		"b1 - - - - unknown - - 0 0 unknown\n"
		"b2 h l t {\"soc\":\"x\"} bad relay run 3 1 2 unknown\n",
		"boards by name");
	is_int(store_board_del(s, "b1", &e), 1, "one is deleted");
	is_int(store_board_del(s, "b1", &e), 0, "once");

	is_int(store_agent_save(s, &a, &e), 0, "an agent %s", e.msg);
	a.seen_ms = 30;
	is_int(store_agent_save(s, &a, &e), 0, "is seen again");
	a.name = "g", a.lab = NULL;
	is_int(store_agent_save(s, &a, &e), 0, "another");
	buf_reset(&out);
	store_agents(s, dump_agent, &out, &e);
	is_str(buf_str(&out), "g - 0.1 1 8 10 30\nh l 0.1 1 8 10 30\n", "agents by name");
}

/* ---- leases ---- */

static int dump_lease(void *arg, const struct store_lease *l)
{
	return buf_printf(arg, "%lld %s %s %s %lld %lld\n", (long long)l->job, l->board, l->owner,
		or_dash(l->why), (long long)l->until_ms, (long long)l->hard_ms);
}

static void test_leases(struct store *s)
{
	struct store_job job = storetest_job("alice");
	struct store_lease l = {0, "b2", "alice", "debug", 100, 200};
	AUTOBUF out = BUF_INIT(1 << 16);
	struct err e = {0};

	is_int(store_lease_save(s, &l, &e), -1, "a lease needs its job");
	job.kind = "lease";
	store_job_add(s, &job, &e);
	l.job = job.id;
	is_int(store_lease_save(s, &l, &e), 0, "a lease %s", e.msg);
	l.until_ms = 150;
	is_int(store_lease_save(s, &l, &e), 0, "is renewed");
	store_leases_open(s, dump_lease, &out, &e);
	is_str(buf_str(&out), "1 b2 alice debug 150 200\n", "once in the list of open ones");
	job.state = "done";
	store_job_save(s, &job, &e);
	buf_reset(&out);
	store_leases_open(s, dump_lease, &out, &e);
	is_str(buf_str(&out), "", "not when its job is done");
}

/* ---- who may what ---- */

static int dump_token(void *arg, const struct store_token *t)
{
	return buf_printf(arg, "%lld %s %s %s %s %lld %lld %lld\n", (long long)t->id, t->account,
		t->rights, or_dash(t->labs), or_dash(t->note), (long long)t->made_ms,
		(long long)t->expires_ms, (long long)t->used_ms);
}

static int dump_audit(void *arg, const struct store_audit *a)
{
	return buf_printf(arg, "%lld %lld %s %s %s %s %s\n", (long long)a->id, (long long)a->at_ms,
		a->account, or_dash(a->from), a->what, a->subject, or_dash(a->detail));
}

static void test_tokens(struct store *s)
{
	struct store_token t = {.account = "alice", .rights = "submitter", .made_ms = 5},
			   agent = {.account = "host",
				   .rights = "agent",
				   .labs = "[\"l\"]",
				   .note = "desk",
				   .made_ms = 6,
				   .expires_ms = 9};
	AUTOBUF out = BUF_INIT(1 << 16);
	struct err e = {0};

	is_int(store_token_add(s, &t, "aa", &e), 0, "a token %s", e.msg);
	is_int(store_token_add(s, &agent, "bb", &e), 0, "another %s", e.msg);
	is_int(store_token_add(s, &agent, "bb", &e), -1, "not twice");
	is_int(agent.id, 2, "it has its number still");
	t.rights = "root";
	is_int(store_token_add(s, &t, "cc", &e), -1, "nor with foreign rights");
	is_int(store_token_find(s, "bb", dump_token, &out, &e), 1, "found by its digest");
	is_str(buf_str(&out), "2 host agent [\"l\"] desk 6 9 0\n", "with all that was said");
	is_int(store_token_find(s, "cc", dump_token, &out, &e), 0, "another is not");
	is_int(store_token_used(s, 2, 8, &e), 0, "it is used");
	is_int(store_token_used(s, 2, 7, &e), 0, "and earlier, told late");
	is_int(store_token_del(s, 1, &e), 1, "the first is deleted");
	is_int(store_token_del(s, 1, &e), 0, "once");
	buf_reset(&out);
	store_tokens(s, dump_token, &out, &e);
	is_str(buf_str(&out), "2 host agent [\"l\"] desk 6 9 8\n", "the other is left");
	store_token_del(s, 2, &e);
	t.rights = "viewer";
	store_token_add(s, &t, "dd", &e);
	is_int(t.id, 3, "a number is not given again");
}

static void test_audit(struct store *s)
{
	struct store_audit a = {.at_ms = 1,
		.account = "alice",
		.from = "127.0.0.1",
		.what = "power on",
		.subject = "board b2"};
	AUTOBUF out = BUF_INIT(1 << 16);
	struct err e = {0};

	is_int(store_audit_add(s, &a, &e), 0, "the audit %s", e.msg);
	a.subject = "job 12", a.from = NULL, a.detail = "why";
	store_audit_add(s, &a, &e);
	a.subject = "board b2", a.detail = NULL;
	store_audit_add(s, &a, &e);
	store_audits(s, &(struct store_audit_filter){.subject = "board b2"}, dump_audit, &out, &e);
	is_str(buf_str(&out),
		"3 1 alice - power on board b2 -\n1 1 alice 127.0.0.1 power on board b2 -\n",
		"of a subject, newest first");
	buf_reset(&out);
	store_audits(s, &(struct store_audit_filter){.limit = 2}, dump_audit, &out, &e);
	is_str(buf_str(&out), "3 1 alice - power on board b2 -\n2 1 alice - power on job 12 why\n",
		"of all, no more than asked for");
	buf_reset(&out);
	store_audits(s, &(struct store_audit_filter){.before = 2}, dump_audit, &out, &e);
	is_str(buf_str(&out), "1 1 alice 127.0.0.1 power on board b2 -\n", "from one on");
	buf_reset(&out);
	store_audits(s, &(struct store_audit_filter){.subject = "board b2", .before = 3},
		dump_audit, &out, &e);
	is_str(buf_str(&out), "1 1 alice 127.0.0.1 power on board b2 -\n", "of a subject too");
}

/* ---- nightlies, schedules, builds ---- */

static int dump_nightly(void *arg, const struct store_nightly *n)
{
	return buf_printf(arg, "%lld %s %s %s %lld %lld %lld %s\n", (long long)n->id, n->plan,
		n->submitter, or_dash(n->entries), (long long)n->started_ms,
		(long long)n->deadline_ms, (long long)n->ended_ms, or_dash(n->verdict));
}

static int dump_schedule(void *arg, const struct store_schedule *c)
{
	return buf_printf(arg, "%s %s %s %s %lld %lld\n", c->plan, c->cron, c->submitter,
		or_dash(c->entries), (long long)c->deadline_ms, (long long)c->last_ms);
}

static int dump_build(void *arg, const struct store_build *b)
{
	return buf_printf(arg, "%s %s %s %s %s %lld %lld %lld %d\n", b->name, b->version,
		or_dash(b->soc), b->manifest, or_dash(b->owner), (long long)b->added_ms,
		(long long)b->used_ms, (long long)b->bytes, b->pinned);
}

static void test_nightlies(struct store *s)
{
	struct store_nightly n = {.plan = "full",
		.submitter = "ci",
		.entries = "[1]",
		.started_ms = 10,
		.deadline_ms = 20};
	struct store_schedule c = {"full", "0 3 * * *", "ci", "[1]", 7, 0};
	AUTOBUF out = BUF_INIT(1 << 16);
	struct err e = {0};

	is_int(store_nightly_add(s, &n, &e), 0, "a nightly %s", e.msg);
	is_int(n.id, 1, "has number 1");
	n.ended_ms = 30, n.verdict = "fail";
	is_int(store_nightly_save(s, &n, &e), 0, "it ends");
	n.ended_ms = 0, n.verdict = NULL;
	store_nightly_add(s, &n, &e);
	n.plan = "small";
	store_nightly_add(s, &n, &e);
	is_int(store_nightly_get(s, 1, dump_nightly, &out, &e), 1, "it is found");
	is_str(buf_str(&out), "1 full ci [1] 10 20 30 fail\n", "with its entries");
	is_int(store_nightly_get(s, 9, dump_nightly, &out, &e), 0, "no nightly 9");
	n.id = 9;
	is_int(store_nightly_save(s, &n, &e), -1, "which is not saved either");
	buf_reset(&out);
	store_nightlies(s, "full", false, 0, dump_nightly, &out, &e);
	is_str(buf_str(&out), "2 full ci - 10 20 0 -\n1 full ci - 10 20 30 fail\n", "of a plan");
	buf_reset(&out);
	store_nightlies(s, NULL, true, 1, dump_nightly, &out, &e);
	is_str(buf_str(&out), "3 small ci - 10 20 0 -\n", "the newest that is open");

	is_int(store_schedule_save(s, &c, &e), 0, "a schedule %s", e.msg);
	c.last_ms = 99, c.entries = NULL;
	is_int(store_schedule_save(s, &c, &e), 0, "is due");
	c.plan = "another";
	store_schedule_save(s, &c, &e);
	buf_reset(&out);
	store_schedules(s, dump_schedule, &out, &e);
	is_str(buf_str(&out), "another 0 3 * * * ci - 7 99\nfull 0 3 * * * ci - 7 99\n",
		"schedules by plan");
	is_int(store_schedule_del(s, "full", &e), 1, "one is deleted");
	is_int(store_schedule_del(s, "full", &e), 0, "once");
}

static void test_builds(struct store *s)
{
	struct store_build b = {"sdk", "1", "am62axx", "{}", "alice", 10, 20, 1 << 20, false};
	AUTOBUF out = BUF_INIT(1 << 16);
	struct err e = {0};

	is_int(store_build_save(s, &b, &e), 0, "a build %s", e.msg);
	b.version = "2", b.added_ms = 11, b.soc = NULL, b.bytes = (int64_t)1 << 40;
	store_build_save(s, &b, &e);
	b.pinned = true, b.used_ms = 25;
	is_int(store_build_save(s, &b, &e), 0, "is pinned");
	b.name = "other", b.added_ms = 12;
	store_build_save(s, &b, &e);
	store_builds(s, "sdk", NULL, dump_build, &out, &e);
	is_str(buf_str(&out),
		"sdk 2 - {} alice 11 25 1099511627776 1\n"
		"sdk 1 am62axx {} alice 10 20 1048576 0\n",
		"of a name, newest first");
	buf_reset(&out);
	store_builds(s, "sdk", "1", dump_build, &out, &e);
	is_str(buf_str(&out), "sdk 1 am62axx {} alice 10 20 1048576 0\n", "that very one");
	is_int(store_build_del(s, "sdk", "1", &e), 1, "it is deleted");
	is_int(store_build_del(s, "sdk", "1", &e), 0, "once");
}

int main(void)
{
	struct err e = {0};
	struct store *s = store_open(storetest_path("estate.db"), false, &e);

	if (ok(s != NULL, "a store is made %s", e.msg)) {
		test_boards(s);
		test_leases(s);
		test_tokens(s);
		test_audit(s);
		test_nightlies(s);
		test_builds(s);
	}
	store_close(s);
	storetest_done();
	return tap_done();
}
