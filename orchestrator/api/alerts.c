/* SPDX-License-Identifier: MIT */
/*
 * Calls about alerts and known issues. Invariant: whoever does not see the job that an alert came
 * from does not see the alert; every act is in the audit, with the person's reason.
 */
#include "api/alert.h"
#include "api/calls.h"

#include "base/clock.h"
#include "base/mem.h"
#include "io/json.h"

#include <stdio.h>
#include <string.h>

#define REASON_BYTES_MAX 2000
#define PATTERN_BYTES    500

static int sees(void *arg, const struct store_job *job)
{
	struct {
		struct call *call;
		bool yes;
	} *x = arg;

	x->yes = view_sees_job(x->call, job);
	return 1;
}

static bool sees_alert(struct call *c, const json_t *body)
{
	struct {
		struct call *call;
		bool yes;
	} x = {c, false};

	if (!c->who.labs)
		return true;
	store_job_get(c->server->store, json_int(body, "source", 0), sees, &x, NULL);
	return x.yes;
}

struct listing {
	struct call *call;
	json_t *list;
	int64_t limit, last, left; /* left: rows that may still be looked at */
	bool more;
};

static int add_alert(void *arg, const struct store_alert *row)
{
	struct listing *l = arg;
	struct alert a = {.id = row->id,
		.state = (enum alert_state)alert_state_parse(row->state),
		.nightly = row->nightly,
		.run = row->run,
		.opened_ms = row->opened_ms,
		.changed_ms = row->changed_ms,
		.ended_ms = row->ended_ms};

	if ((int64_t)json_array_size(l->list) == l->limit || !l->left--) {
		l->more = true;
		return 1;
	}
	l->last = row->id;
	a.body = json_loads(row->body, 0, NULL);
	if (a.body && (int)a.state >= 0 && sees_alert(l->call, a.body))
		json_array_append_new(l->list, alert_view(&a));
	json_decref(a.body);
	return 0;
}

void alerts_list(struct call *c)
{
	struct listing l = {.call = c, .limit = LIST_LIMIT, .left = LOOK_LIMIT};
	struct store_alert_filter f = {.type = http_query(c->request, "type")};
	int64_t open = 0;
	struct err e = {0};
	json_t *answer;

	if (!call_query_int(c, "limit", 1, LIST_LIMIT_MAX, &l.limit) ||
		!call_query_int(c, "before", 1, INT64_MAX, &f.before) ||
		!call_query_int(c, "nightly", 1, INT64_MAX, &f.nightly) ||
		!call_query_int(c, "open", 0, 1, &open))
		return;
	f.open = open;
	l.list = json_array();
	if (store_alerts(c->server->store, &f, add_alert, &l, &e) < 0) {
		json_decref(l.list);
		call_err(c, &e);
		return;
	}
	answer = json_pack("{s:o}", "alerts", l.list);
	if (l.more)
		json_object_set_new(answer, "next", json_integer(l.last));
	call_ok(c, 200, answer);
}

/* The alert of the path. False after answering. */
static bool path_alert(struct call *c, struct alert *a)
{
	struct err e = {0};
	int64_t id;
	int r;

	if (!call_id(c, 0, &id))
		return false;
	r = alert_get(c->server, id, a, &e);
	if (r < 0) {
		call_err(c, &e);
		return false;
	}
	if (r && sees_alert(c, a->body))
		return true;
	alert_done(a);
	call_fail(c, 404, "not-found", "there is no alert %lld", (long long)id);
	return false;
}

void alerts_show(struct call *c)
{
	struct alert a = {0};

	if (!path_alert(c, &a))
		return;
	call_ok(c, 200, alert_view(&a));
	alert_done(&a);
}

static const struct param_word {
	const char *key;
	bool text; /* else a number */
} open_keys[] = {
	{"kind", true},
	{"suite", true},
	{"name", true},
	{"test", true},
	{"good", true},
	{"bad", true},
	{"unit", true},
	{"better", true},
	{"before", false},
	{"after", false},
	{"deviation", false},
	{"flake", false},
	{"escape", false},
	{"confidence", false},
};

/* What the caller may say of it; the rest comes from the source. NULL after answering. */
static json_t *body_of(struct call *c)
{
	const json_t *labels = json_object_get(c->body, "labels");
	const json_t *policy = json_object_get(c->body, "policy");
	json_t *body = json_object();

	for (size_t i = 0; i < ARRAY_LEN(open_keys); i++) {
		json_t *v = json_object_get(c->body, open_keys[i].key);

		if (!v)
			continue;
		if (open_keys[i].text ? !json_is_string(v) : !json_is_number(v)) {
			call_fail(c, 400, "invalid", "%s: a %s is needed", open_keys[i].key,
				open_keys[i].text ? "text" : "number");
			json_decref(body);
			return NULL;
		}
		json_object_set(body, open_keys[i].key, v);
	}
	if ((labels && !json_is_object(labels)) || (policy && !json_is_object(policy))) {
		call_fail(c, 400, "invalid", "labels, policy: objects are needed");
		json_decref(body);
		return NULL;
	}
	json_object_set(body, "labels", (json_t *)labels);
	json_object_set(body, "policy", (json_t *)policy);
	json_object_set_new(body, "source", json_integer(json_int(c->body, "source", 0)));
	json_object_set_new(body, "by", json_string(c->who.name));
	return body;
}

void alerts_add(struct call *c)
{
	AUTOJSON *body = body_of(c);
	struct err e = {0};
	char subject[40];
	int64_t id;

	if (!body)
		return;
	if (!sees_alert(c, body)) {
		call_fail(c, 404, "not-found", "there is no job %lld",
			(long long)json_int(body, "source", 0));
		return;
	}
	id = alerts_open(c->server, body, 0, &e);
	if (id < 0) {
		call_err(c, &e);
	} else if (!id) {
		call_fail(c, 409, "conflict", "an alert of that is open already");
	} else {
		snprintf(subject, sizeof subject, "alert %lld", (long long)id);
		call_audit(c, "alert open", subject, json_text(body, "name", NULL));
		call_ok(c, 201, json_pack("{s:I}", "alert", (json_int_t)id));
	}
}

/* The reason that the body gives; NULL after answering. */
static const char *reason_of(struct call *c)
{
	const char *reason = json_text(c->body, "reason", NULL);

	if (reason && *reason && strlen(reason) <= REASON_BYTES_MAX)
		return reason;
	call_fail(c, 400, "invalid", "reason: a text of at most %d bytes is needed",
		REASON_BYTES_MAX);
	return NULL;
}

static void told(struct call *c, struct alert *a, const char *what, const char *reason)
{
	char subject[40];
	struct err e = {0};

	if (alert_save(c->server, a, &e)) {
		call_err(c, &e);
		return;
	}
	snprintf(subject, sizeof subject, "alert %lld", (long long)a->id);
	call_audit(c, what, subject, reason);
	if (!c->answered)
		call_ok(c, 200, alert_view(a));
}

void alerts_acknowledge(struct call *c)
{
	const char *reason = reason_of(c);
	struct alert a = {0};

	if (!reason || !path_alert(c, &a))
		return;
	if (alert_over(a.state)) {
		call_fail(c, 409, "conflict", "the alert is over: it is %s",
			alert_state_name(a.state));
	} else {
		json_object_set_new(a.body, "acknowledged",
			json_pack("{s:s, s:s, s:I}", "who", c->who.name, "reason", reason, "at_ms",
				(json_int_t)clock_wall_ms()));
		told(c, &a, "alert acknowledge", reason);
	}
	alert_done(&a);
}

static void move(struct call *c, enum alert_state to, const char *what)
{
	const char *reason = reason_of(c);
	struct alert a = {0};
	struct err e = {0};
	json_t *pending;

	if (!reason || !path_alert(c, &a))
		return;
	pending = json_incref(json_object_get(a.body, "pending"));
	if (alert_move(a.body, &a.state, to, c->who.name, reason, clock_wall_ms(), &e)) {
		call_fail(c, 409, "conflict", "%s", e.msg);
	} else {
		/* Its run is of no use any more. */
		if (pending)
			sched_cancel(
				c->server->sched, json_int(pending, "job", 0), c->who.name, NULL);
		json_object_del(a.body, "pending");
		if (!alert_over(a.state) && alerts_drive(c->server, &a, &e))
			call_err(c, &e);
		else
			told(c, &a, what, reason);
	}
	json_decref(pending);
	alert_done(&a);
}

void alerts_accept(struct call *c)
{
	move(c, ALERT_ACCEPTED, "alert accept");
}

void alerts_reopen(struct call *c)
{
	move(c, ALERT_SUSPECTED, "alert reopen");
}

/* ---- known issues ---- */

static int add_known(void *arg, const struct store_known *k)
{
	const char *const texts[][2] = {{"job", k->job}, {"suite", k->suite}, {"test", k->test},
		{"message", k->message}, {"type", k->type}, {"line", k->line},
		{"from_version", k->from_version}, {"to_version", k->to_version},
		{"reason", k->reason}, {"who", k->who}};
	json_t *j = json_pack(
		"{s:I, s:I}", "known", (json_int_t)k->id, "made_ms", (json_int_t)k->made_ms);

	for (size_t i = 0; i < ARRAY_LEN(texts); i++)
		if (texts[i][1])
			json_object_set_new(j, texts[i][0], json_string(texts[i][1]));
	if (k->expires_ms)
		json_object_set_new(j, "expires_ms", json_integer(k->expires_ms));
	json_array_append_new(arg, j);
	return 0;
}

void knowns_list(struct call *c)
{
	json_t *list = json_array();
	int64_t all = 0;
	struct err e = {0};

	if (!call_query_int(c, "all", 0, 1, &all)) {
		json_decref(list);
		return;
	}
	if (store_knowns(c->server->store, all ? 0 : clock_wall_ms(), add_known, list, &e) < 0) {
		json_decref(list);
		call_err(c, &e);
		return;
	}
	call_ok(c, 200, json_pack("{s:o}", "known", list));
}

void knowns_add(struct call *c)
{
	struct store_known k = {.who = c->who.name,
		.made_ms = clock_wall_ms(),
		.expires_ms = json_int(c->body, "expires_ms", 0)};
	const struct {
		const char *key, **to;
	} texts[] = {{"job", &k.job}, {"suite", &k.suite}, {"test", &k.test},
		{"message", &k.message}, {"type", &k.type}, {"line", &k.line},
		{"from_version", &k.from_version}, {"to_version", &k.to_version}};
	struct err e = {0};
	char subject[40];
	bool any = false;

	for (size_t i = 0; i < ARRAY_LEN(texts); i++) {
		*texts[i].to = json_text(c->body, texts[i].key, NULL);
		if (*texts[i].to && strlen(*texts[i].to) > PATTERN_BYTES) {
			call_fail(c, 400, "invalid", "%s: at most %d bytes", texts[i].key,
				PATTERN_BYTES);
			return;
		}
		any = any || (*texts[i].to && i < 4);
	}
	k.reason = reason_of(c);
	if (!k.reason)
		return;
	if (!any) {
		call_fail(c, 400, "invalid",
			"one of job, suite, test, message is needed: what goes wrong");
		return;
	}
	if (k.expires_ms && k.expires_ms <= k.made_ms) {
		call_fail(c, 400, "invalid", "expires_ms: a time to come is needed");
		return;
	}
	if (store_known_add(c->server->store, &k, &e)) {
		call_err(c, &e);
		return;
	}
	snprintf(subject, sizeof subject, "known %lld", (long long)k.id);
	call_audit(c, "known add", subject, k.reason);
	call_ok(c, 201, json_pack("{s:I}", "known", (json_int_t)k.id));
}

void knowns_del(struct call *c)
{
	struct err e = {0};
	char subject[40];
	int64_t id;
	int r;

	if (!call_id(c, 0, &id))
		return;
	r = store_known_del(c->server->store, id, &e);
	if (r < 0) {
		call_err(c, &e);
	} else if (!r) {
		call_fail(c, 404, "not-found", "there is no known issue %lld", (long long)id);
	} else {
		snprintf(subject, sizeof subject, "known %lld", (long long)id);
		call_audit(c, "known delete", subject, NULL);
		call_ok(c, 200, NULL);
	}
}
