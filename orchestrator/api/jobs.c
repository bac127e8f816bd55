/* SPDX-License-Identifier: MIT */
/* Calls about jobs. Invariant: a job that a caller may not see is one that does not exist. */
#include "api/calls.h"

#include "base/clock.h"
#include "io/json.h"

#include <stdio.h>
#include <string.h>

static void told(struct call *c, const char *what, int64_t job, const char *detail)
{
	char subject[40];

	snprintf(subject, sizeof subject, "job %lld", (long long)job);
	call_audit(c, what, subject, detail);
}

/* The job that this submitter gave that key before. True after answering. */
static bool known_key(struct call *c, const char *key)
{
	struct err e = {0};
	int64_t id;
	int r = key ? store_job_by_key(c->server->store, c->who.name, key, &id, &e) : 0;

	if (r < 0)
		call_err(c, &e);
	else if (r)
		call_ok(c, 200, json_pack("{s:I}", "job", (json_int_t)id));
	return r != 0;
}

void jobs_submit(struct call *c)
{
	struct arena a = {0};
	struct diag diag = {0};
	struct store_job job;
	struct err e = {0};
	int r;

	if (known_key(c, json_text(c->body, "key", NULL)))
		return;
	r = submit_body(c, c->body, &a, &job, &diag, &e);
	if (!r && http_query(c->request, "check")) {
		call_ok(c, 200, json_pack("{s:b}", "ok", 1));
	} else if (!r && !(r = sched_submit(c->server->sched, &job, &e))) {
		told(c, "submit", job.id, job.name);
		call_ok(c, 201, json_pack("{s:I}", "job", (json_int_t)job.id));
	}
	if (diag.total)
		call_diag(c, &diag);
	else if (r)
		call_err(c, &e);
	diag_done(&diag);
	arena_done(&a);
}

struct listing {
	struct call *call;
	json_t *list;
	int64_t last, limit, left; /* left: jobs that may still be looked at */
	bool whole, more;
};

static int add_job(void *arg, const struct store_job *job)
{
	struct listing *l = arg;

	if (!l->left--) {
		l->more = true;
		return 1;
	}
	if (!view_sees_job(l->call, job)) {
		l->last = job->id; /* whoever sees little is told to go on from here */
		return 0;
	}
	if ((int64_t)json_array_size(l->list) == l->limit) {
		l->more = true;
		return 1;
	}
	l->last = job->id;
	json_array_append_new(l->list, view_job(l->call->server, job, l->whole));
	return 0;
}

void jobs_list(struct call *c)
{
	struct listing l = {.call = c, .limit = LIST_LIMIT, .left = LOOK_LIMIT};
	struct store_job_filter f = {.state = http_query(c->request, "state"),
		.submitter = http_query(c->request, "submitter"),
		.kind = http_query(c->request, "kind"),
		.open = http_query(c->request, "open") != NULL};
	struct err e = {0};
	json_t *answer;

	if (!call_query_int(c, "limit", 1, LIST_LIMIT_MAX, &l.limit) ||
		!call_query_int(c, "before", 1, INT64_MAX, &f.before) ||
		!call_query_int(c, "nightly", 1, INT64_MAX, &f.nightly))
		return;
	if (f.state && job_state_parse(f.state) < 0) {
		call_fail(c, 400, "invalid", "there is no state '%s'", f.state);
		return;
	}
	if (!f.kind)
		f.kind = "job";
	l.list = json_array();
	if (store_jobs(c->server->store, &f, add_job, &l, &e) < 0) {
		json_decref(l.list);
		call_err(c, &e);
		return;
	}
	answer = json_pack("{s:o}", "jobs", l.list);
	if (l.more)
		json_object_set_new(answer, "next", json_integer(l.last));
	call_ok(c, 200, answer);
}

/* The job of the path, as a view in *view where that is asked for. False after answering. */
static bool job_get(struct call *c, int64_t *id, json_t **view)
{
	struct listing l = {.call = c, .limit = 1, .left = 1, .whole = true};
	struct err e = {0};
	int r;

	if (!call_id(c, 0, id))
		return false;
	l.list = json_array();
	r = store_job_get(c->server->store, *id, add_job, &l, &e);
	if (r >= 0 && json_array_size(l.list)) {
		if (view)
			*view = json_incref(json_array_get(l.list, 0));
		json_decref(l.list);
		return true;
	}
	json_decref(l.list);
	if (r < 0)
		call_err(c, &e);
	else
		call_fail(c, 404, "not-found", "there is no job %lld", (long long)*id);
	return false;
}

void jobs_show(struct call *c)
{
	json_t *view;
	int64_t id;

	if (job_get(c, &id, &view))
		call_ok(c, 200, view);
}

/* One's own jobs; others' need an operator. False after answering. */
static bool may_touch(struct call *c, const json_t *view)
{
	const char *owner = json_text(view, "submitter", "");

	if (!strcmp(owner, c->who.name) || call_is(c, RIGHTS_OPERATOR))
		return true;
	call_fail(c, 403, "denied", "the job is '%s's: that needs an operator", owner);
	return false;
}

void jobs_cancel(struct call *c)
{
	AUTOJSON *view = NULL;
	struct err e = {0};
	int64_t id;

	if (!job_get(c, &id, &view) || !may_touch(c, view))
		return;
	if (sched_cancel(c->server->sched, id, c->who.name, &e)) {
		call_err(c, &e);
		return;
	}
	told(c, "cancel", id, NULL);
	call_ok(c, 202, NULL);
}

void jobs_retry(struct call *c)
{
	AUTOJSON *view = NULL;
	struct err e = {0};
	int64_t id, again;
	char of[40];

	if (!job_get(c, &id, &view) || !may_touch(c, view))
		return;
	if (sched_retry(c->server->sched, id, c->who.name, c->who.labs, &again, &e)) {
		call_err(c, &e);
		return;
	}
	snprintf(of, sizeof of, "of job %lld", (long long)id);
	told(c, "retry", again, of);
	call_ok(c, 201, json_pack("{s:I}", "job", (json_int_t)again));
}
