/* SPDX-License-Identifier: MIT */
/*
 * What came of a night: every job, and what is wrong, the product's failures apart from the lab's
 * trouble. Invariant: a run is charged to the one or the other by its blame, never to both.
 */
#include "api/night.h"

#include "base/clock.h"
#include "base/mem.h"
#include "io/json.h"
#include "reports/known.h"

#include <stdlib.h>
#include <string.h>

#define WRONG_MAX 1000 /* entries of each list; counts go on */

struct summary {
	struct call *call;
	json_t *jobs, *product, *known, *lab, *counts;
	struct known_issues issues;
	/* of the job that is looked at */
	const struct store_job *job;
	const char *job_name;
	/* of the run */
	struct store_run *run;
	json_t *results;
};

static void count(json_t *counts, const char *key)
{
	json_object_set_new(counts, key, json_integer(json_int(counts, key, 0) + 1));
}

static void text(json_t *j, const char *key, const char *value)
{
	json_t *t = value ? json_string(value) : NULL;

	if (t)
		json_object_set_new(j, key, t);
}

static json_t *of_run(const struct summary *m, const struct store_run *run)
{
	json_t *j =
		json_pack("{s:I, s:I}", "job", (json_int_t)m->job->id, "run", (json_int_t)run->id);

	text(j, "name", m->job->name);
	text(j, "board", run->board);
	text(j, "type", run->type);
	text(j, "blame", run->blame);
	return j;
}

static void add(json_t *list, json_t *j)
{
	if (json_array_size(list) < WRONG_MAX)
		json_array_append_new(list, j);
	else
		json_decref(j);
}

/* The product's: apart where somebody expects it. */
static void add_product(struct summary *m, json_t *j, const struct known_case *what)
{
	const struct store_known *k = known_issues_find(&m->issues, what);

	if (k) {
		json_object_set_new(j, "known", json_integer(k->id));
		text(j, "reason", k->reason);
	}
	add(k ? m->known : m->product, j);
}

static struct known_case case_of(const struct summary *m)
{
	return (struct known_case){.job = m->job->name,
		.type = m->run->type,
		.line = m->run->build,
		.version = m->run->build_version};
}

static int look_at_result(void *arg, const struct store_result *r)
{
	struct summary *m = arg;
	int status = status_parse(r->status);
	struct known_case what;
	json_t *j;

	count(m->results, r->status);
	if (status != STATUS_FAIL && status != STATUS_ERROR)
		return 0;
	j = of_run(m, m->run);
	text(j, "suite", r->suite);
	text(j, "result", r->name);
	text(j, "status", r->status);
	text(j, "why", r->why);
	what = case_of(m);
	what.suite = r->suite;
	what.test = r->name;
	what.message = r->why;
	add_product(m, j, &what);
	return 0;
}

/* Whose trouble is a run that came to no verdict about the product? */
static bool is_lab(const char *blame)
{
	switch (err_blame_parse(blame ? blame : "none")) {
	case BLAME_INFRA:
	case BLAME_TIMEOUT:
	case BLAME_CONFIG:
	case BLAME_BUG:
	case BLAME_NONE:
		return true;
	default:
		return false;
	}
}

static int look_at_run(void *arg, const struct store_run *run)
{
	struct summary *m = arg;
	int verdict = verdict_parse(run->verdict);
	bool last = run->id == m->job->last_run;
	struct known_case what;
	json_t *j;

	m->run = (struct store_run *)run;
	if (verdict == VERDICT_INCOMPLETE) {
		j = of_run(m, run);
		text(j, "message", run->message);
		json_object_set_new(j, "retried", json_boolean(!last));
		what = case_of(m);
		what.message = run->message;
		if (is_lab(run->blame))
			add(m->lab, j);
		else
			add_product(m, j, &what);
	}
	/* What a run that was given up found is not the job's word. */
	if (last)
		store_results(m->call->server->store, run->id, look_at_result, m, NULL);
	return 0;
}

static int look_at_job(void *arg, const struct store_job *job)
{
	struct summary *m = arg;
	json_t *view;

	if (!view_sees_job(m->call, job))
		return 0;
	view = view_job(m->call->server, job, false);
	m->job = job;
	m->results = json_object();
	store_run_list(m->call->server->store, &(struct store_run_filter){.job = job->id},
		look_at_run, m, NULL);
	json_object_set_new(view, "results", m->results);
	json_array_append_new(m->jobs, view);
	count(m->counts, job->verdict ? job->verdict : job->state);
	return 0;
}

static json_t *night_view(const struct store_nightly *n)
{
	json_t *j = json_pack("{s:I, s:s, s:s?, s:I}", "nightly", (json_int_t)n->id, "plan",
		n->plan, "submitter", n->submitter, "started_ms", (json_int_t)n->started_ms);

	if (n->deadline_ms)
		json_object_set_new(j, "deadline_ms", json_integer(n->deadline_ms));
	if (n->ended_ms)
		json_object_set_new(j, "ended_ms", json_integer(n->ended_ms));
	text(j, "verdict", n->verdict);
	return j;
}

/* Entries that became no job: their documents or builds are to blame. */
static void add_unsubmitted(struct summary *m, const char *entries)
{
	AUTOJSON *list = entries ? json_loads(entries, 0, NULL) : NULL;
	json_t *entry;
	size_t i;

	json_array_foreach (list, i, entry) {
		const char *why = json_text(entry, "error", NULL);

		if (!why)
			continue;
		add(m->product, json_pack("{s:s, s:s, s:s}", "name", json_text(entry, "file", "?"),
					"blame", "job", "message", why));
		count(m->counts, "not submitted");
	}
}

static int take_night(void *arg, const struct store_nightly *n)
{
	struct {
		struct summary *m;
		json_t *view;
	} *out = arg;

	out->view = night_view(n);
	/* In no lab: the submitter's own. */
	if (!out->m->call->who.labs ||
		!strcmp(n->submitter ? n->submitter : "", out->m->call->who.name))
		add_unsubmitted(out->m, n->entries);
	return 0;
}

void nights_show(struct call *c)
{
	struct summary m = {.call = c,
		.jobs = json_array(),
		.product = json_array(),
		.known = json_array(),
		.lab = json_array(),
		.counts = json_object()};
	struct {
		struct summary *m;
		json_t *view;
	} out = {&m, NULL};
	struct store_job_filter f = {.oldest_first = true};
	struct err e = {0};
	int r = -1;

	if (!call_id(c, 0, &f.nightly))
		goto out;
	if (!view_sees_night(c, f.nightly)) {
		call_fail(c, 404, "not-found", "there is no nightly %s", c->args[0]);
		goto out;
	}
	r = known_issues_load(&m.issues, c->server->store, clock_wall_ms(), &e);
	if (r >= 0)
		r = store_nightly_get(c->server->store, f.nightly, take_night, &out, &e);
	if (r > 0)
		r = store_jobs(c->server->store, &f, look_at_job, &m, &e) < 0 ? -1 : 1;
	if (r < 0) {
		call_err(c, &e);
	} else if (!r) {
		call_fail(c, 404, "not-found", "there is no nightly %lld", (long long)f.nightly);
	} else {
		json_object_set(out.view, "jobs", m.jobs);
		json_object_set(out.view, "product", m.product);
		json_object_set(out.view, "known", m.known);
		json_object_set(out.view, "lab", m.lab);
		json_object_set(out.view, "counts", m.counts);
		call_ok(c, 200, json_incref(out.view));
	}
out:
	json_decref(out.view);
	json_decref(m.jobs);
	json_decref(m.product);
	json_decref(m.known);
	known_issues_done(&m.issues);
	json_decref(m.lab);
	json_decref(m.counts);
}

struct nights {
	struct call *call;
	json_t *list;
};

static int add_night(void *arg, const struct store_nightly *n)
{
	struct nights *l = arg;

	if (view_sees_night(l->call, n->id))
		json_array_append_new(l->list, night_view(n));
	return 0;
}

void nights_list(struct call *c)
{
	int64_t limit = LIST_LIMIT;
	struct nights l = {.call = c};
	struct err e = {0};

	if (!call_query_int(c, "limit", 1, LIST_LIMIT_MAX, &limit))
		return;
	l.list = json_array();
	if (store_nightlies(c->server->store, http_query(c->request, "plan"), false, limit,
		    add_night, &l, &e) < 0) {
		json_decref(l.list);
		call_err(c, &e);
		return;
	}
	call_ok(c, 200, json_pack("{s:o}", "nightlies", l.list));
}

static int add_schedule(void *arg, const struct store_schedule *sch)
{
	struct nights *l = arg;
	struct cron cron;
	int64_t next = cron_parse(&cron, sch->cron, NULL) ? 0 : cron_next(&cron, sch->last_ms);

	if (l->call->who.labs && strcmp(sch->submitter ? sch->submitter : "", l->call->who.name))
		return 0;
	json_array_append_new(
		l->list, json_pack("{s:s, s:s, s:s?, s:I, s:I}", "plan", sch->plan, "schedule",
				 sch->cron, "submitter", sch->submitter, "last_ms",
				 (json_int_t)sch->last_ms, "next_ms", (json_int_t)next));
	return 0;
}

void schedule_list(struct call *c)
{
	struct nights l = {c, json_array()};
	struct err e = {0};

	if (store_schedules(c->server->store, add_schedule, &l, &e) < 0) {
		json_decref(l.list);
		call_err(c, &e);
		return;
	}
	call_ok(c, 200, json_pack("{s:o}", "schedules", l.list));
}

void schedule_bind(const struct call *c, json_t *entries)
{
	json_t *entry;
	size_t i;

	json_array_foreach (entries, i, entry) {
		json_object_del(entry, "labs");
		if (c->who.labs)
			json_object_set(entry, "labs", (json_t *)c->who.labs);
	}
}

const json_t *schedule_labs(const json_t *entries)
{
	return json_object_get(json_array_get(entries, 0), "labs");
}

struct owner {
	const char *plan;
	char *name; /* NULL: nobody */
};

static int take_owner(void *arg, const struct store_schedule *sch)
{
	struct owner *o = arg;

	if (!o->name && !strcmp(sch->plan, o->plan))
		o->name = mem_strdup(sch->submitter ? sch->submitter : "");
	return 0;
}

bool schedule_may(struct call *c, const char *plan)
{
	struct owner o = {.plan = plan};
	struct err e = {0};

	if (store_schedules(c->server->store, take_owner, &o, &e) < 0)
		call_err(c, &e);
	else if (o.name && strcmp(o.name, c->who.name) &&
		 (!call_is(c, RIGHTS_OPERATOR) || c->who.labs))
		call_fail(c, 403, "denied", "'%s' is scheduled by somebody else", plan);
	free(o.name);
	return !c->answered;
}

void schedule_del(struct call *c)
{
	struct err e = {0};
	int r;

	if (!schedule_may(c, c->args[0]))
		return;
	r = store_schedule_del(c->server->store, c->args[0], &e);
	if (r < 0) {
		call_err(c, &e);
	} else if (!r) {
		call_fail(c, 404, "not-found", "there is no schedule '%s'", c->args[0]);
	} else {
		call_audit(c, "schedule delete", c->args[0], NULL);
		call_ok(c, 200, NULL);
	}
}
