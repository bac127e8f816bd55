/* SPDX-License-Identifier: MIT */
/*
 * Nights: many jobs submitted together, watched until the last is done or the deadline cancels what
 * has not begun. Plans with a schedule start by themselves. Invariant: an entry is a job, or says
 * why it is none; a night ends once, with the worst of its jobs.
 */
#include "api/night.h"

#include "api/alert.h"

#include "base/clock.h"
#include "base/log.h"
#include "base/mem.h"
#include "io/json.h"
#include "jobs/nightly.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TICK_MAX_MS     3600000 /* wall clocks are set: looked at again after */
#define POLICY_BYTES    1000
#define DEADLINE_MAX_MS ((int64_t)366 * 24 * 3600000)

static void nights_arm(struct server *s);

/* ---- submitting ---- */

/* Why an entry cannot be a job; heap, NULL: it can. id gets the job's number where nightly is not
 * 0. */
static char *try_entry(
	struct server *s, struct call *as, int64_t nightly, const json_t *entry, int64_t *id)
{
	struct arena a = {0};
	struct diag diag = {0};
	struct store_job job;
	struct err e = {0};
	char at[512];

	if (!submit_body(as, entry, &a, &job, &diag, &e) && nightly) {
		job.nightly = nightly;
		job.key = NULL;
		if (!sched_submit(s->sched, &job, &e))
			*id = job.id;
	}
	if (diag.entries.n)
		err_set(&e, BLAME_JOB, "%s: %s", loc_format(diag.entries.p[0].at, at, sizeof at),
			diag.entries.p[0].text);
	diag_done(&diag);
	arena_done(&a);
	return err_is(&e) ? mem_strdup(e.msg) : NULL;
}

/* Begins a night; the turn is open. Entries that cannot be jobs are marked with their "error".
 * Returns its number, or -1. */
static int64_t night_start(struct server *s, struct call *as, const struct store_schedule *plan,
	json_t *entries, struct err *e)
{
	int64_t deadline_ms = plan->deadline_ms;
	struct store_nightly n = {.plan = plan->plan,
		.submitter = as->who.name,
		.policy = plan->policy,
		.started_ms = clock_wall_ms()};
	AUTOFREE char *text = NULL;
	json_t *entry;
	int64_t id = 0;
	size_t i;

	json_array_foreach (entries, i, entry) {
		AUTOFREE char *why = try_entry(s, as, 0, entry, &id);

		if (why)
			json_object_set_new(entry, "error", json_string(why));
	}
	text = json_dumps(entries, JSON_COMPACT);
	n.entries = text;
	n.deadline_ms = deadline_ms ? n.started_ms + deadline_ms : 0;
	if (store_nightly_add(s->store, &n, e))
		return -1;
	json_array_foreach (entries, i, entry) {
		AUTOFREE char *why = NULL;

		if (json_object_get(entry, "error"))
			continue;
		why = try_entry(s, as, n.id, entry, &id);
		if (why)
			return err_set(e, BLAME_INFRA, "entry %zu: %s", i + 1, why);
	}
	s->nights_open++;
	if (!id) /* no job will end it */
		nights_job_done(s, n.id);
	nights_arm(s);
	return n.id;
}

/* Would every entry be taken? False after answering. */
static bool entries_ok(struct call *c, json_t *entries)
{
	json_t *entry;
	size_t i;

	if (!json_array_size(entries) || json_array_size(entries) > NIGHTLY_ENTRIES_MAX) {
		call_fail(
			c, 400, "invalid", "entries: 1 to %d jobs are needed", NIGHTLY_ENTRIES_MAX);
		return false;
	}
	json_array_foreach (entries, i, entry) {
		struct arena a = {0};
		struct diag diag = {0};
		struct store_job job;
		struct err e = {0};

		if (submit_body(c, entry, &a, &job, &diag, &e)) {
			if (diag.total)
				call_diag(c, &diag);
			else
				call_fail(c, 400, "invalid", "entry %zu: %s", i + 1, e.msg);
		}
		diag_done(&diag);
		arena_done(&a);
		if (c->answered)
			return false;
	}
	return true;
}

static void schedule_save(struct call *c, struct store_schedule sch, json_t *entries)
{
	AUTOFREE char *text = NULL;
	struct cron cron;
	struct err e = {0};

	if (cron_parse(&cron, sch.cron, &e)) {
		call_fail(c, 400, "invalid", "schedule: %s", e.msg);
		return;
	}
	schedule_bind(c, entries);
	sch.entries = text = json_dumps(entries, JSON_COMPACT);
	if (store_schedule_save(c->server->store, &sch, &e)) {
		call_err(c, &e);
		return;
	}
	call_audit(c, "schedule", sch.plan, sch.cron);
	nights_arm(c->server);
	call_ok(c, 201,
		json_pack("{s:I}", "scheduled", (json_int_t)cron_next(&cron, clock_wall_ms())));
}

void nights_add(struct call *c)
{
	const char *plan = json_text(c->body, "plan", NULL);
	const char *cron_text = json_text(c->body, "schedule", NULL);
	json_t *entries = json_object_get(c->body, "entries");
	const json_t *policy = json_object_get(c->body, "policy");
	AUTOFREE char *policy_text = policy ? json_dumps(policy, JSON_COMPACT) : NULL;
	int64_t deadline_ms = json_int(c->body, "deadline_ms", 0), id;
	const struct store_schedule sch = {.plan = plan,
		.cron = cron_text,
		.submitter = c->who.name,
		.deadline_ms = deadline_ms,
		.policy = policy_text,
		.last_ms = clock_wall_ms()};
	struct err e = {0};

	if (!plan || !str_is_name(plan)) {
		call_fail(c, 400, "invalid", "plan: the name of the nightly is needed");
		return;
	}
	if (deadline_ms < 0 || deadline_ms > DEADLINE_MAX_MS) {
		call_fail(c, 400, "invalid", "deadline_ms: a time from the start is needed");
		return;
	}
	if (policy && (!json_is_object(policy) || strlen(policy_text) > POLICY_BYTES)) {
		call_fail(c, 400, "invalid", "policy: a small object is needed");
		return;
	}
	if (!entries_ok(c, entries))
		return;
	if (cron_text) {
		if (schedule_may(c, plan))
			schedule_save(c, sch, entries);
		return;
	}
	id = night_start(c->server, c, &sch, entries, &e);
	if (id < 0) {
		call_err(c, &e);
		return;
	}
	call_audit(c, "nightly", plan, NULL);
	call_ok(c, 201, json_pack("{s:I}", "nightly", (json_int_t)id));
}

/* ---- schedules ---- */

struct due {
	struct server *server;
	int64_t now_ms, next_ms;          /* 0: none */
	VEC(struct store_schedule) start; /* heap texts */
};

static int look_at_schedule(void *arg, const struct store_schedule *sch)
{
	struct due *d = arg;
	struct cron cron;
	int64_t at_ms;

	if (cron_parse(&cron, sch->cron, NULL))
		return 0;
	at_ms = cron_next(&cron, sch->last_ms);
	if (at_ms >= 0 && at_ms <= d->now_ms) {
		struct store_schedule kept = *sch;

		/* One start for all that were missed while nobody was here. */
		kept.plan = mem_strdup(sch->plan);
		kept.cron = mem_strdup(sch->cron);
		kept.submitter = mem_strdup(sch->submitter);
		kept.entries = mem_strdup(sch->entries);
		kept.policy = mem_strdup(sch->policy);
		kept.last_ms = d->now_ms;
		vec_push(&d->start, kept);
		at_ms = cron_next(&cron, d->now_ms);
	}
	if (at_ms >= 0 && (!d->next_ms || at_ms < d->next_ms))
		d->next_ms = at_ms;
	return 0;
}

static void start_scheduled(struct server *s, const struct store_schedule *sch)
{
	/* Nobody calls: it is done for the account that scheduled it. */
	struct call as = {.server = s, .who = {.name = sch->submitter, .rights = RIGHTS_ADMIN}};
	json_t *entries = json_loads(sch->entries, 0, NULL);
	const struct store_audit note = {.at_ms = clock_wall_ms(),
		.account = sch->submitter,
		.from = "schedule",
		.what = "nightly",
		.subject = sch->plan};
	struct err e = {0};

	as.who.labs = schedule_labs(entries);

	if (store_schedule_save(s->store, sch, &e) || night_start(s, &as, sch, entries, &e) < 0 ||
		store_audit_add(s->store, &note, &e)) {
		log_error("nightly '%s': %s", sch->plan, e.msg);
		s->spoiled = true;
	} else {
		log_info("nightly '%s' begins with %zu jobs", sch->plan, json_array_size(entries));
	}
	json_decref(entries);
}

/* ---- deadlines ---- */

static int cancel_waiting(void *arg, const struct store_job *job)
{
	VEC(int64_t) *ids = arg;

	vec_push(ids, job->id);
	return 0;
}

/* What has not begun is canceled. */
static void cut(struct server *s, int64_t nightly, const char *who)
{
	const struct store_job_filter f = {.state = "queued", .nightly = nightly};
	VEC(int64_t) ids = {0};

	store_jobs(s->store, &f, cancel_waiting, &ids, NULL);
	vec_each (&ids, id)
		sched_cancel(s->sched, *id, who, NULL);
	vec_done(&ids);
}

struct deadlines {
	int64_t now_ms, next_ms;
	VEC(int64_t) over;
	size_t open;
};

static int look_at_night(void *arg, const struct store_nightly *n)
{
	struct deadlines *d = arg;

	d->open++;
	if (!n->deadline_ms)
		return 0;
	if (n->deadline_ms <= d->now_ms)
		vec_push(&d->over, n->id);
	else if (!d->next_ms || n->deadline_ms < d->next_ms)
		d->next_ms = n->deadline_ms;
	return 0;
}

/* Looks at everything that has a time; *next_ms: when to look again. */
static void look(struct server *s, int64_t *next_ms)
{
	struct due due = {.server = s, .now_ms = clock_wall_ms()};
	struct deadlines d = {.now_ms = due.now_ms};

	store_schedules(s->store, look_at_schedule, &due, NULL);
	store_nightlies(s->store, NULL, true, 0, look_at_night, &d, NULL);
	s->nights_open = d.open;
	if (due.start.n || d.over.n) {
		struct err e = {0};

		if (store_turn_begin(s->store, &e))
			log_error("%s", e.msg);
		vec_each (&due.start, sch)
			start_scheduled(s, sch);
		vec_each (&d.over, id)
			cut(s, *id, "the night's deadline");
	}
	vec_each (&due.start, sch) {
		free((char *)sch->plan);
		free((char *)sch->cron);
		free((char *)sch->submitter);
		free((char *)sch->entries);
		free((char *)sch->policy);
	}
	vec_done(&due.start);
	vec_done(&d.over);
	*next_ms = due.next_ms;
	if (d.next_ms && (!*next_ms || d.next_ms < *next_ms))
		*next_ms = d.next_ms;
}

static void on_time(void *arg)
{
	struct server *s = arg;

	s->nights_timer = NULL;
	nights_arm(s);
}

/* Soon, in a turn of its own: what was begun or scheduled just now is committed then. */
static void on_look(void *arg)
{
	struct server *s = arg;
	int64_t next_ms, wait_ms;

	s->nights_timer = NULL;
	look(s, &next_ms);
	wait_ms = next_ms ? next_ms - clock_wall_ms() : TICK_MAX_MS;
	wait_ms = wait_ms < 0 ? 0 : wait_ms > TICK_MAX_MS ? TICK_MAX_MS : wait_ms;
	s->nights_timer = loop_timer(s->loop, wait_ms, on_time, s);
}

static void nights_arm(struct server *s)
{
	loop_del(s->nights_timer);
	s->nights_timer = loop_timer(s->loop, 0, on_look, s);
}

void nights_begin(struct server *s)
{
	nights_arm(s);
}

/* ---- the end of a night ---- */

struct closing {
	int64_t nightly;
	size_t open, failed, incomplete, canceled;
};

static int weigh(void *arg, const struct store_job *job)
{
	struct closing *c = arg;
	int v = verdict_parse(job->verdict);

	if (strcmp(job->state, "done"))
		c->open++;
	c->failed += v == VERDICT_FAIL;
	c->incomplete += v == VERDICT_INCOMPLETE;
	c->canceled += v == VERDICT_CANCELED;
	return 0;
}

static int has_errors(void *arg, const struct store_nightly *n)
{
	struct store_nightly *out = arg;

	*out = (struct store_nightly){.id = n->id,
		.started_ms = n->started_ms,
		.deadline_ms = n->deadline_ms,
		.ended_ms = n->ended_ms};
	out->entries = n->entries && strstr(n->entries, "\"error\":") ? "errors" : NULL;
	return 0;
}

void nights_job_done(struct server *s, int64_t nightly)
{
	const struct store_job_filter f = {.nightly = nightly};
	struct closing c = {.nightly = nightly};
	struct store_nightly n = {0};
	struct err e = {0};

	if (!nightly || store_jobs(s->store, &f, weigh, &c, &e) < 0 || c.open ||
		store_nightly_get(s->store, nightly, has_errors, &n, &e) <= 0 || n.ended_ms)
		return;
	n.ended_ms = clock_wall_ms();
	n.verdict = verdict_name(c.failed                                  ? VERDICT_FAIL
				 : c.incomplete || c.canceled || n.entries ? VERDICT_INCOMPLETE
									   : VERDICT_PASS);
	n.entries = NULL;
	if (store_nightly_save(s->store, &n, &e))
		log_error("nightly %lld: %s", (long long)nightly, e.msg);
	else
		log_info("nightly %lld: %s", (long long)nightly, n.verdict);
	if (!err_is(&e) && !store_turn_open(s->store)) /* else it has no jobs */
		alerts_night(s, nightly);
}

struct canceling {
	struct call *call;
	VEC(int64_t) ids;
};

static int cancel_seen(void *arg, const struct store_job *job)
{
	struct canceling *x = arg;

	if (view_sees_job(x->call, job))
		vec_push(&x->ids, job->id);
	return 0;
}

void nights_cancel(struct call *c)
{
	struct store_job_filter of = {.open = true};
	struct canceling x = {.call = c};
	struct err e = {0};

	if (!call_id(c, 0, &of.nightly))
		return;
	if (!view_sees_night(c, of.nightly)) {
		call_fail(c, 404, "not-found", "there is no nightly %s", c->args[0]);
		return;
	}
	if (store_jobs(c->server->store, &of, cancel_seen, &x, &e) < 0)
		call_err(c, &e);
	vec_each (&x.ids, id) {
		if (!c->answered && sched_cancel(c->server->sched, *id, c->who.name, &e))
			call_err(c, &e);
	}
	vec_done(&x.ids);
	if (c->answered)
		return;
	call_audit(c, "nightly cancel", c->args[0], NULL);
	call_ok(c, 202, NULL);
}
