/* SPDX-License-Identifier: MIT */
/*
 * Alerts as they go on: opened, run again, bisected. Invariant: what was asked for and that it was
 * is stored in one turn, so that no run is lost or made twice by a restart; one run of an alert is
 * under way at a time.
 */
#include "api/alert.h"

#include "base/clock.h"
#include "base/log.h"
#include "base/mem.h"
#include "io/json.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BUILDS_MAX 1024 /* between good and bad that are searched */
#define ASKS_MAX   64   /* of one alert in a row that cannot be met */

struct alerts {
	struct map jobs;   /* number of a pending job -> its alert's, in an int64_t (heap) */
	VEC(int64_t) over; /* of them, in the turns before */
	struct loop_watch *timer;
};

static char *key_of(int64_t job, char *out, size_t n)
{
	snprintf(out, n, "%lld", (long long)job);
	return out;
}

static void watch(struct alerts *al, int64_t job, int64_t alert)
{
	char key[24];
	int64_t *slot = mem_alloc(sizeof *slot);

	*slot = alert;
	free(map_find(&al->jobs, key_of(job, key, sizeof key)));
	map_set(&al->jobs, key, slot);
}

/* ---- one of them ---- */

static int keep(void *arg, const struct store_alert *row)
{
	struct alert *a = arg;

	a->body = json_loads(row->body, 0, NULL);
	a->state = (enum alert_state)alert_state_parse(row->state);
	a->id = row->id;
	a->subject = mem_strdup(row->subject);
	a->type = mem_strdup(row->type);
	a->nightly = row->nightly;
	a->run = row->run;
	a->opened_ms = row->opened_ms;
	a->changed_ms = row->changed_ms;
	a->ended_ms = row->ended_ms;
	return 1;
}

int alert_get(struct server *s, int64_t id, struct alert *a, struct err *e)
{
	int r;

	*a = (struct alert){0};
	r = store_alert_get(s->store, id, keep, a, e);
	if (r > 0 &&
		(!json_is_object(a->body) || alert_state_parse(alert_state_name(a->state)) < 0)) {
		alert_done(a);
		return err_set(e, BLAME_INFRA, "alert %lld is damaged in the store", (long long)id);
	}
	return r;
}

int alert_save(struct server *s, struct alert *a, struct err *e)
{
	AUTOFREE char *body = json_dumps(a->body, JSON_COMPACT);
	struct store_alert row = {.id = a->id, .state = alert_state_name(a->state), .body = body};

	a->changed_ms = clock_wall_ms();
	a->ended_ms = alert_over(a->state) ? a->ended_ms ? a->ended_ms : a->changed_ms : 0;
	row.changed_ms = a->changed_ms;
	row.ended_ms = a->ended_ms;
	return store_alert_save(s->store, &row, e);
}

void alert_done(struct alert *a)
{
	json_decref(a->body);
	free(a->subject);
	free(a->type);
	*a = (struct alert){0};
}

json_t *alert_view(const struct alert *a)
{
	json_t *j = json_pack("{s:I, s:s, s:I, s:I}", "alert", (json_int_t)a->id, "state",
		alert_state_name(a->state), "opened_ms", (json_int_t)a->opened_ms, "changed_ms",
		(json_int_t)a->changed_ms);

	if (a->ended_ms)
		json_object_set_new(j, "ended_ms", json_integer(a->ended_ms));
	if (a->nightly)
		json_object_set_new(j, "nightly", json_integer(a->nightly));
	if (a->run)
		json_object_set_new(j, "run", json_integer(a->run));
	json_object_update_missing(j, a->body);
	return j;
}

/* ---- opening ---- */

struct source {
	json_t *body;
	int64_t run;
	bool found;
};

static void put_missing(json_t *body, const char *key, const char *text)
{
	if (text && *text && !json_object_get(body, key))
		json_object_set_new(body, key, json_string(text));
}

static int take_source(void *arg, const struct store_job *job)
{
	struct source *src = arg;

	src->found = !strcmp(job->kind, "job");
	src->run = job->last_run;
	put_missing(src->body, "job", job->name);
	return 1;
}

static int take_run(void *arg, const struct store_run *run)
{
	struct source *src = arg;

	put_missing(src->body, "type", run->type);
	put_missing(src->body, "board", run->board);
	put_missing(src->body, "line", run->build);
	put_missing(src->body, "bad", run->build_version);
	if (!json_object_get(src->body, "twin"))
		json_object_set_new(src->body, "twin", json_boolean(run->twin));
	return 1;
}

struct line {
	const char *good, *bad;
	json_t *list; /* from bad to good, while between */
	bool in, whole;
};

static int take_build(void *arg, const struct store_build *b)
{
	struct line *l = arg;

	l->in = l->in || !strcmp(b->version, l->bad);
	if (!l->in)
		return 0;
	json_array_insert_new(l->list, 0, json_string(b->version));
	l->whole = !strcmp(b->version, l->good);
	return l->whole || json_array_size(l->list) > BUILDS_MAX;
}

/* The builds from good to bad, where the controller has them all in that order. */
static void put_builds(struct server *s, json_t *body)
{
	const char *line = json_text(body, "line", NULL);
	struct line l = {.good = json_text(body, "good", NULL),
		.bad = json_text(body, "bad", NULL),
		.list = json_array()};

	if (line && l.good && l.bad && strcmp(l.good, l.bad))
		store_builds(s->store, line, NULL, take_build, &l, NULL);
	if (l.whole)
		json_object_set(body, "builds", l.list);
	json_decref(l.list);
}

static bool is_known_kind(const char *kind)
{
	return !strcmp(kind, "metric") || !strcmp(kind, "test") || !strcmp(kind, "boot");
}

/* Did its source say anything of it? */
static int is_there(struct server *s, const json_t *body, struct err *e)
{
	struct alert_value v;
	bool there;

	if (alert_value_of(s, body, json_int(body, "source", 0), &v, e))
		return -1;
	there = isfinite(v.value);
	free(v.board);
	return there ? 0
		     : err_set(e, BLAME_JOB, "job %lld tells nothing of '%s' in suite '%s'",
			       (long long)json_int(body, "source", 0), json_text(body, "name", ""),
			       json_text(body, "suite", ""));
}

int64_t alerts_open(struct server *s, json_t *body, int64_t nightly, struct err *e)
{
	struct source src = {.body = body};
	AUTOFREE char *subject = NULL, *text = NULL;
	struct store_alert row = {.nightly = nightly, .opened_ms = clock_wall_ms()};
	struct alert a = {0};
	int r;

	if (!is_known_kind(json_text(body, "kind", "")))
		return err_set(e, BLAME_JOB, "kind: metric, test or boot");
	r = store_job_get(s->store, json_int(body, "source", 0), take_source, &src, e);
	if (r < 0)
		return -1;
	if (!src.found || !src.run)
		return err_set(e, BLAME_JOB, "source: a job that has run is needed");
	if (store_run_get(s->store, src.run, take_run, &src, e) < 0 || is_there(s, body, e))
		return -1;
	put_builds(s, body);
	subject = alert_subject(body);
	text = json_dumps(body, JSON_COMPACT);
	if (strlen(text) > ALERT_BODY_BYTES)
		return err_set(e, BLAME_JOB, "an alert of more than %zu bytes", ALERT_BODY_BYTES);
	row.subject = subject;
	row.state = alert_state_name(ALERT_SUSPECTED);
	row.type = json_text(body, "type", NULL);
	row.run = json_int(body, "run", src.run);
	row.changed_ms = row.opened_ms;
	row.body = text;
	if (store_alert_add(s->store, &row, e)) {
		bool is_open = e && e->blame == BLAME_JOB;

		if (is_open)
			err_clear(e);
		return is_open ? 0 : -1;
	}
	r = alert_get(s, row.id, &a, e);
	if (r > 0)
		r = alerts_drive(s, &a, e);
	alert_done(&a);
	return r < 0 ? -1 : row.id;
}

/* ---- going on ---- */

int alerts_drive(struct server *s, struct alert *a, struct err *e)
{
	struct alert_ask ask;

	for (int i = 0; i < ASKS_MAX && alert_next(a->body, &a->state, &ask, clock_wall_ms());
		i++) {
		AUTOBUF why = BUF_INIT(ERR_MSG_BYTES);
		int64_t job = 0;
		int r = alert_again(s, a, &ask, &job, &why, e);

		if (r < 0)
			return -1;
		if (r) {
			alert_pending(a->body, &ask, job);
			watch(s->alerts, job, a->id);
		} else {
			alert_cannot(a->body, &ask, buf_str(&why));
		}
	}
	return alert_save(s, a, e);
}

static int told(struct server *s, struct alert *a, int64_t job, struct err *e)
{
	struct alert_value v;

	if (json_int(json_object_get(a->body, "pending"), "job", 0) != job)
		return 0; /* it was given up: opened again, say */
	if (alert_value_of(s, a->body, job, &v, e))
		return -1;
	alert_told(a->body, v.run, v.board, v.value, v.unusable);
	free(v.board);
	return alerts_drive(s, a, e);
}

static int go_on(struct server *s, int64_t job, struct err *e)
{
	char key[24];
	int64_t *id = map_find(&s->alerts->jobs, key_of(job, key, sizeof key));
	struct alert a;
	int r;

	if (!id)
		return 0;
	r = alert_get(s, *id, &a, e);
	if (r > 0) {
		r = told(s, &a, job, e);
		alert_done(&a);
	}
	if (r >= 0)
		free(map_del(&s->alerts->jobs, key));
	return r;
}

/* In a turn of its own. What the store refused is made up for when the server begins again.
 */
static void on_look(void *arg)
{
	struct server *s = arg;
	struct alerts *al = s->alerts;
	struct err e = {0};

	al->timer = NULL;
	if (store_turn_begin(s->store, &e)) {
		log_error("alerts: %s", e.msg);
		return;
	}
	vec_each (&al->over, job) {
		err_clear(&e);
		if (go_on(s, *job, &e) < 0) {
			log_error("alerts: job %lld: %s", (long long)*job, e.msg);
			s->spoiled = true;
		}
	}
	al->over.n = 0;
}

bool alerts_await(struct server *s, int64_t job)
{
	char key[24];

	return s->alerts && s->alerts->jobs.n &&
	       map_has(&s->alerts->jobs, key_of(job, key, sizeof key));
}

void alerts_job_done(struct server *s, int64_t job)
{
	struct alerts *al = s->alerts;

	if (!alerts_await(s, job))
		return;
	vec_push(&al->over, job);
	if (!al->timer)
		al->timer = loop_timer(s->loop, 0, on_look, s);
}

/* ---- beginning ---- */

struct restoring {
	struct server *server;
	struct alerts *al;
};

static int is_done(void *arg, const struct store_job *job)
{
	*(bool *)arg = !strcmp(job->state, "done");
	return 1;
}

static int restore(void *arg, const struct store_alert *row)
{
	struct restoring *x = arg;
	AUTOJSON *body = json_loads(row->body, 0, NULL);
	int64_t job = json_int(json_object_get(body, "pending"), "job", 0);
	bool done = false;

	if (!job)
		return 0;
	watch(x->al, job, row->id);
	if (store_job_get(x->server->store, job, is_done, &done, NULL) <= 0 || done)
		vec_push(&x->al->over, job);
	return 0;
}

struct alerts *alerts_new(struct server *s, struct err *e)
{
	const struct store_alert_filter open = {.open = true};
	struct restoring x = {s, mem_alloc(sizeof *x.al)};

	if (store_alerts(s->store, &open, restore, &x, e) < 0) {
		alerts_free(x.al);
		return NULL;
	}
	if (x.al->over.n)
		x.al->timer = loop_timer(s->loop, 0, on_look, s);
	return x.al;
}

void alerts_free(struct alerts *al)
{
	if (!al)
		return;
	map_each (&al->jobs, en)
		free(en->value);
	map_done(&al->jobs);
	vec_done(&al->over);
	free(al);
}
