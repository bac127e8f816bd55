/* SPDX-License-Identifier: MIT */
/*
 * What changed, for everybody who follows: a ring of the last events, each with a number, and
 * readers that pull from it at their own pace. Invariant: a reader gets every event that it may
 * see, in order, or is told that it lost some; nothing of a turn is in the ring before its commit.
 */
#include "api/alert.h"

#include "base/mem.h"
#include "io/json.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define EVENTS_RING 4096

struct event {
	uint64_t number;
	char kind[12];
	char *lab; /* NULL: of no lab */
	char *submitter;
	char *text; /* JSON, one line */
};
struct pending {
	char kind[12];
	int64_t id;
	char *name, *lab, *submitter;
};
struct reader {
	struct events *events;
	struct http_stream *stream;
	uint64_t next; /* number */
	struct account who;
	bool cut;     /* the token of who is no more */
	json_t *labs; /* of who, kept */
	char *account;
	struct buf out; /* the event that is being sent */
	struct reader *next_reader, **link;
};
struct events {
	struct server *server;
	struct event ring[EVENTS_RING];
	uint64_t number;             /* of the last one */
	VEC(struct pending) pending; /* of this turn */
	struct reader *readers;
};

struct events *events_new(struct server *s)
{
	struct events *ev = mem_alloc(sizeof *ev);

	ev->server = s;
	return ev;
}

static void pending_clear(struct events *ev)
{
	vec_each (&ev->pending, p) {
		free(p->name);
		free(p->lab);
		free(p->submitter);
	}
	ev->pending.n = 0;
}

void events_free(struct events *ev)
{
	if (!ev)
		return;
	pending_clear(ev);
	vec_done(&ev->pending);
	for (size_t i = 0; i < EVENTS_RING; i++) {
		free(ev->ring[i].lab);
		free(ev->ring[i].submitter);
		free(ev->ring[i].text);
	}
	free(ev);
}

/* Only what it is about is kept: the view is taken when the turn is over, once for all changes. */
void events_add(void *server, const struct sched_event *e)
{
	struct events *ev = ((struct server *)server)->events;
	struct pending p = {.id = e->id};

	vec_each (&ev->pending, old) {
		if (old->id == e->id && !strcmp(old->kind, e->kind) &&
			!strcmp(old->name ? old->name : "", e->name ? e->name : ""))
			return;
	}
	snprintf(p.kind, sizeof p.kind, "%s", e->kind);
	p.name = mem_strdup(e->name);
	p.lab = mem_strdup(e->lab);
	p.submitter = mem_strdup(e->submitter);
	vec_push(&ev->pending, p);
}

static int to_view(void *arg, const struct store_job *job)
{
	struct {
		struct server *s;
		json_t *view;
	} *out = arg;

	out->view = view_job(out->s, job, false);
	return 0;
}

static json_t *view_of(struct server *s, const struct pending *p)
{
	struct {
		struct server *s;
		json_t *view;
	} out = {s, NULL};

	if (!strcmp(p->kind, "job") && store_job_get(s->store, p->id, to_view, &out, NULL) > 0)
		return out.view;
	if (!strcmp(p->kind, "board") && p->name)
		return sched_board_json(s->sched, p->name);
	out.view = json_object();
	if (p->id)
		json_object_set_new(out.view, p->kind, json_integer(p->id));
	else if (p->name)
		json_object_set_new(out.view, p->kind, json_string(p->name));
	return out.view;
}

static void publish(struct events *ev, struct pending *p)
{
	struct event *e = &ev->ring[++ev->number % EVENTS_RING];
	AUTOJSON *view = ev->readers ? view_of(ev->server, p) : NULL;

	free(e->lab);
	free(e->submitter);
	free(e->text);
	e->number = ev->number;
	memcpy(e->kind, p->kind, sizeof e->kind);
	/* Nobody is there: that something was is all that is kept. */
	e->text = view ? json_dumps(view, JSON_COMPACT) : NULL;
	e->lab = p->lab;
	e->submitter = p->submitter;
	p->lab = p->submitter = NULL;
}

struct night_job {
	int64_t nightly;
	bool done, waits;
};

static int take_night(void *arg, const struct store_job *job)
{
	struct night_job *n = arg;

	n->nightly = job->nightly;
	n->done = !strcmp(job->state, "done");
	n->waits = !strcmp(job->state, "queued") && job->attempts;
	return 0;
}

/* What its night and its alert make of how it is now. */
static void look_at_job(struct server *s, int64_t job)
{
	struct night_job n = {0};

	if ((!s->nights_open && !alerts_await(s, job)) ||
		store_job_get(s->store, job, take_night, &n, NULL) <= 0)
		return;
	if (n.done)
		alerts_job_done(s, job);
	if (!n.nightly)
		return;
	if (n.done)
		nights_job_done(s, n.nightly);
	else if (n.waits)
		nights_begin(s); /* it waits again: the deadline may have passed meanwhile */
}

void events_commit(struct server *s, bool committed)
{
	struct events *ev = s->events;

	if (!ev->pending.n)
		return;
	if (committed) {
		vec_each (&ev->pending, p) {
			if (!strcmp(p->kind, "job")) {
				follow_wake_job(s, p->id);
				look_at_job(s, p->id);
			}
			if (!strcmp(p->kind, "run"))
				follow_wake_run(s, p->id);
			if (!strcmp(p->kind, "lease") && p->name)
				follow_wake_board(s, p->name);
			publish(ev, p);
		}
		for (struct reader *r = ev->readers; r; r = r->next_reader)
			http_stream_wake(r->stream);
	}
	pending_clear(ev);
}

/* ---- a reader ---- */

static bool may_see(const struct reader *r, const struct event *e)
{
	const struct call as = {.who = r->who};

	/* What is in no lab yet is its submitter's. */
	return e->lab || !e->submitter ? call_sees(&as, e->lab)
				       : !r->who.labs || !strcmp(e->submitter, r->who.name);
}

/* The next event that it may see, into out. False: there is none now. */
static bool take(struct reader *r)
{
	struct events *ev = r->events;

	buf_reset(&r->out);
	if (ev->number >= EVENTS_RING && r->next <= ev->number - EVENTS_RING) {
		r->next = ev->number - EVENTS_RING + 1;
		buf_puts(&r->out, "event: lost\ndata: {}\n\n");
		return true;
	}
	while (r->next <= ev->number) {
		const struct event *e = &ev->ring[r->next++ % EVENTS_RING];

		if (!e->text) {
			r->next = ev->number + 1;
			buf_puts(&r->out, "event: lost\ndata: {}\n\n");
			return true;
		}
		if (!may_see(r, e))
			continue;
		buf_printf(&r->out, "id: %llu\nevent: %s\ndata: %s\n\n",
			(unsigned long long)e->number, e->kind, e->text);
		return true;
	}
	return false;
}

static ssize_t pull(void *arg, char *out, size_t max)
{
	struct reader *r = arg;
	size_t n;

	if (r->cut)
		return -1;
	if (!r->out.len && !take(r))
		return r->events->server->stopping ? -1 : 0;
	n = r->out.len < max ? r->out.len : max;
	memcpy(out, r->out.data, n);
	buf_eat(&r->out, n);
	return (ssize_t)n;
}

static void done(void *arg)
{
	struct reader *r = arg;

	*r->link = r->next_reader;
	if (r->next_reader)
		r->next_reader->link = r->link;
	buf_done(&r->out);
	json_decref(r->labs);
	free(r->account);
	free(r);
}

void events_cut_token(struct server *s, int64_t token)
{
	for (struct reader *r = s->events->readers; r; r = r->next_reader)
		if (r->who.token == token) {
			r->cut = true;
			http_stream_wake(r->stream);
		}
}

void events_follow(struct call *c)
{
	const char *last = http_header(c->request, "Last-Event-ID");
	struct events *ev = c->server->events;
	struct reader *r = mem_alloc(sizeof *r);
	uint64_t number;

	r->events = ev;
	r->next = ev->number + 1;
	if (last && !str_u64(str_of(last), &number) && number < ev->number)
		r->next = number + 1;
	r->who = c->who;
	r->labs = json_incref((json_t *)c->who.labs);
	r->account = mem_strdup(c->who.name);
	r->who.name = r->account;
	r->out = (struct buf)BUF_INIT(SSE_BYTES);
	buf_puts(&r->out, ": following\n\n");
	r->next_reader = ev->readers;
	r->link = &ev->readers;
	if (ev->readers)
		ev->readers->link = &r->next_reader;
	ev->readers = r;
	call_stream(c, "text/event-stream", pull, done, r, &r->stream);
}
