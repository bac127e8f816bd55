/* SPDX-License-Identifier: MIT */
/*
 * The line to the controller: a hello, then one held poll for commands and one sync at a time.
 * Invariant: nothing here waits for an answer, and nothing of the runs depends on one coming; a
 * call that got none drops the whole line, which is made anew after a wait that doubles.
 */
#include "agents/agent-inner.h"

#include "base/clock.h"
#include "base/log.h"
#include "base/mem.h"
#include "io/chunks.h"
#include "io/json.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/random.h>

#define CONNECT_MS     10000
#define CALL_MS        60000 /* a hello, a sync */
#define POLL_MARGIN_MS 20000 /* beyond what the controller may hold a poll */
#define POLL_MAX_S     600   /* whatever it says */
#define HELLO_BYTES    ((size_t)16 << 20)
#define BACKOFF_STEPS  8
#define SYNC_GAP_MS    10 /* a console that trickles is no request for each byte */
#define POLL_GAP_MS    100
#define HELLO_GAP_MS   1000 /* a controller that asks for hellos gets no more than that */

/* ---- waits ---- */

static int64_t backoff_ms(unsigned failures)
{
	unsigned steps = failures < BACKOFF_STEPS ? failures : BACKOFF_STEPS;
	int64_t ms = (int64_t)AGENT_RETRY_MS << steps;
	uint32_t dice = 0;

	if (ms > AGENT_RETRY_MAX_MS)
		ms = AGENT_RETRY_MAX_MS;
	(void)!getrandom(&dice, sizeof dice, 0);
	return ms / 2 + dice % (ms / 2); /* that many agents do not come back as one */
}

static void line_reset(struct agent_line *l)
{
	http_cancel(l->sent);
	loop_del(l->again);
	l->sent = NULL;
	l->again = NULL;
}

static void later(struct agent *a, struct agent_line *l, loop_fn *fn)
{
	loop_del(l->again);
	l->again = loop_timer(a->loop, backoff_ms(l->failures++), fn, a);
}

/* ---- the line as a whole ---- */

static void on_connect(void *arg);
static void hello_again(void *arg);
static void poll_start(struct agent *a);

/* (The client itself goes later: this may be called from within one of its callbacks.) */
static void drop(struct agent *a)
{
	line_reset(&a->hello);
	line_reset(&a->poll);
	if (a->sync_line.sent)
		sync_failed(a->sync);
	line_reset(&a->sync_line);
	line_reset(&a->connect);
	a->up = a->greeted = false;
}

/* No answer. From within the callback of a request, which is dead by then. */
static void lost(struct agent *a, const char *doing, const struct err *e)
{
	if (a->heard || !a->connect.failures)
		log_warn("%s: %s; runs go on, their results wait here", doing, e->msg);
	a->heard = false;
	drop(a);
	later(a, &a->connect, on_connect);
}

static void heard(struct agent *a)
{
	if (!a->heard)
		log_info("the controller at %s answers", a->server);
	a->heard = true;
	a->connect.failures = 0;
}

static int make_client(struct agent *a, struct err *e)
{
	struct http_client_opts o = {
		.ca = a->opts->ca, .connect_ms = CONNECT_MS, .protocol = AGENT_PROTOCOL};

	http_client_free(a->client);
	a->client = NULL;
	free(a->server);
	free(a->token);
	a->server = a->token = NULL;
	if (agent_credentials(a->opts, &a->server, &a->token, e))
		return -1;
	o.base = a->server;
	o.token = a->token;
	a->client = http_client_new(a->loop, &o, e);
	a->up = a->client != NULL;
	return a->up ? 0 : -1;
}

static void on_connect(void *arg)
{
	struct agent *a = arg;
	struct err e = {0};

	a->connect.again = NULL;
	if (make_client(a, &e)) {
		lost(a, "connect", &e);
		return;
	}
	link_hello(a);
	link_sync(a); /* results of runs are taken from any agent, whatever a hello is answered */
}

void link_start(struct agent *a)
{
	on_connect(a);
}

void link_stop(struct agent *a)
{
	drop(a);
	http_client_free(a->client);
	a->client = NULL;
	buf_done(&a->sync_body);
	buf_done(&a->poll_body);
	buf_done(&a->hello_body);
	free(a->server);
	free(a->token);
}

/* What every answer is first looked at for. False: it was dealt with. */
static bool usable(struct agent *a, const struct http_answer *an, const char *doing)
{
	AUTOJSON *j = NULL;
	struct err unwanted = {0};

	if (!an->status) {
		lost(a, doing, &an->e);
		return false;
	}
	heard(a);
	if (an->status != 409)
		return true;
	j = http_answer_json(an, &unwanted);
	if (strcmp(json_text(json_object_get(j, "error"), "code", ""), "hello"))
		return true;
	a->greeted = false;
	if (clock_ms() - a->hello_ms > HELLO_GAP_MS)
		link_hello(a);
	else if (!a->hello.sent && !a->hello.again)
		later(a, &a->hello, hello_again);
	return false;
}

static struct http_sent *post(struct agent *a, const char *path, const char *type, struct buf *body,
	int64_t timeout_ms, http_answer_fn *fn)
{
	struct http_ask ask = {.method = "POST",
		.path = path,
		.type = type,
		.body = str_make(buf_str(body), body->len),
		.timeout_ms = timeout_ms};

	return http_send(a->client, &ask, fn, a);
}

/* ---- hello ---- */

static void hello_again(void *arg)
{
	struct agent *a = arg;

	a->hello.again = NULL;
	link_hello(a);
}

static void take_hello(struct agent *a, const json_t *answer)
{
	const json_t *it;
	size_t i;

	json_array_foreach (json_object_get(answer, "refused"), i, it)
		log_warn("the controller does not take board '%s': %s", json_text(it, "board", "?"),
			json_text(it, "why", "?"));
	json_array_foreach (json_object_get(answer, "forget"), i, it)
		runs_forget(a, json_int(it, "run", -1), (unsigned)json_int(it, "part", 0));
	a->poll_s = json_int(answer, "poll_s", AGENT_POLL_S);
	if (a->poll_s < 1 || a->poll_s > POLL_MAX_S)
		a->poll_s = AGENT_POLL_S;
	a->greeted = true;
	a->ack = 0;
	line_reset(&a->poll);
	poll_start(a);
	link_sync(a);
}

static void on_hello(void *arg, const struct http_answer *an)
{
	struct agent *a = arg;
	AUTOJSON *answer = NULL;
	struct err e = {0};

	a->hello.sent = NULL;
	if (!an->status) {
		lost(a, "hello", &an->e);
		return;
	}
	heard(a);
	if (!http_answer_check(an, &e))
		answer = http_answer_json(an, &e);
	if (answer) {
		take_hello(a, answer);
		return;
	}
	if (!a->hello.failures)
		log_error("hello: %s", e.msg);
	later(a, &a->hello, hello_again);
}

void link_hello(struct agent *a)
{
	AUTOJSON *j = NULL;
	struct err e = {0};

	if (!a->up || a->hello.sent || a->hello.again)
		return;
	j = agent_announce(a);
	buf_done(&a->hello_body);
	buf_init(&a->hello_body, HELLO_BYTES);
	if (json_write(j, JSON_COMPACT, &a->hello_body, &e)) {
		log_error("hello: %s", e.msg);
		return;
	}
	a->hello_ms = clock_ms();
	a->hello.sent = post(a, "/api/v1/agent/hello", NULL, &a->hello_body, CALL_MS, on_hello);
}

/* ---- commands ---- */

static void follow(struct agent *a, const json_t *c)
{
	const char *what = json_text(c, "do", "");
	int64_t run = json_int(c, "run", -1);
	unsigned part = (unsigned)json_int(c, "part", 0);

	if (!strcmp(what, "start"))
		runs_start(a, c);
	else if (!strcmp(what, "cancel"))
		runs_cancel(a, run, part, json_text(c, "why", "asked for"));
	else if (!strcmp(what, "inbox"))
		runs_inbox(a, run, part, json_int(c, "n", -1), json_object_get(c, "line"));
	else if (!strcmp(what, "forget"))
		runs_forget(a, run, part);
	else
		log_warn("the controller asks for '%s', which this version cannot do", what);
}

static void poll_again(void *arg)
{
	struct agent *a = arg;

	a->poll.again = NULL;
	poll_start(a);
}

static void on_poll(void *arg, const struct http_answer *an)
{
	struct agent *a = arg;
	AUTOJSON *answer = NULL;
	struct err e = {0};
	const json_t *it, *list;
	size_t i;

	a->poll.sent = NULL;
	if (!usable(a, an, "poll"))
		return;
	if (!http_answer_check(an, &e))
		answer = http_answer_json(an, &e);
	if (!answer) {
		if (!a->poll.failures)
			log_error("poll: %s", e.msg);
		later(a, &a->poll, poll_again);
		return;
	}
	a->hello.failures = 0;
	list = json_object_get(answer, "commands");
	json_array_foreach (list, i, it) {
		int64_t seq = json_int(it, "seq", 0);

		follow(a, it);
		if (seq > a->ack)
			a->ack = seq;
	}
	/* A controller that holds no poll is not to be asked all the time. */
	if (!json_array_size(list) && clock_ms() - a->poll_ms < POLL_GAP_MS) {
		later(a, &a->poll, poll_again);
	} else {
		a->poll.failures = 0;
		poll_start(a);
	}
}

static void poll_start(struct agent *a)
{
	AUTOJSON *j = NULL;

	if (!a->up || !a->greeted || a->poll.sent || a->poll.again)
		return;
	j = json_pack("{s:s, s:I}", "agent", a->name, "ack", (json_int_t)a->ack);
	buf_done(&a->poll_body);
	buf_init(&a->poll_body, HELLO_BYTES);
	json_write(j, JSON_COMPACT, &a->poll_body, NULL);
	a->poll_ms = clock_ms();
	a->poll.sent = post(a, "/api/v1/agent/poll", NULL, &a->poll_body,
		a->poll_s * 1000 + POLL_MARGIN_MS, on_poll);
}

/* ---- sync ---- */

static void sync_again(void *arg)
{
	struct agent *a = arg;

	a->sync_line.again = NULL;
	link_sync(a);
}

static void on_sync(void *arg, const struct http_answer *an)
{
	struct agent *a = arg;
	AUTOJSON *answer = NULL;
	struct err e = {0};
	int rc;

	a->sync_line.sent = NULL;
	buf_done(&a->sync_body);
	rc = an->status ? http_answer_check(an, &e) : -1;
	if (!rc)
		answer = http_answer_json(an, &e);
	if (answer)
		rc = sync_answer(a->sync, answer, &e);
	else
		sync_failed(a->sync);
	if (!usable(a, an, "sync"))
		return;
	if (rc || !answer) {
		if (!a->sync_line.failures)
			log_error("sync: %s", e.msg);
		later(a, &a->sync_line, sync_again);
		return;
	}
	a->sync_line.failures = 0;
	link_sync(a);
}

void link_sync(struct agent *a)
{
	AUTOFREE char *name = NULL, *path = NULL;
	int64_t since = clock_ms() - a->sync_ms;

	if (!a->up || a->sync_line.sent || a->sync_line.again || !sync_pending(a->sync))
		return;
	if (since < SYNC_GAP_MS && !sync_urgent(a->sync)) {
		a->sync_line.again = loop_timer(a->loop, SYNC_GAP_MS - since, sync_again, a);
		return;
	}
	buf_done(&a->sync_body);
	buf_init(&a->sync_body, CHUNKS_BYTES);
	if (!sync_body(a->sync, &a->sync_body)) {
		buf_done(&a->sync_body);
		return;
	}
	a->sync_ms = a->sync_body.len < CHUNKS_BYTES / 2 ? clock_ms() : 0;
	name = http_encode(a->name);
	path = mem_printf("/api/v1/agent/sync?agent=%s", name);
	a->sync_line.sent =
		post(a, path, "application/octet-stream", &a->sync_body, CALL_MS, on_sync);
}
