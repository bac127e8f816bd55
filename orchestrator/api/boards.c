/* SPDX-License-Identifier: MIT */
/* Calls about boards and agents: views, health, leases. Invariant: a board that a caller may not
 * see is one that does not exist. */
#include "api/calls.h"

#include "base/mem.h"
#include "io/base64.h"
#include "io/json.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A new reference; NULL after answering. */
json_t *board_view(struct call *c, const char *name)
{
	json_t *j = sched_board_json(c->server->sched, name);

	if (j && call_sees(c, json_text(j, "lab", NULL)))
		return j;
	json_decref(j);
	call_fail(c, 404, "not-found", "there is no board '%s'", name);
	return NULL;
}

bool board_get(struct call *c, const char *name)
{
	AUTOJSON *j = board_view(c, name);

	return j != NULL;
}

/* Those of list that the caller may see; takes list. */
static json_t *seen_only(struct call *c, json_t *list)
{
	json_t *seen = json_array(), *one;
	size_t i;

	json_array_foreach (list, i, one) {
		if (call_sees(c, json_text(one, "lab", NULL)))
			json_array_append(seen, one);
	}
	json_decref(list);
	return seen;
}

void boards_list(struct call *c)
{
	call_ok(c, 200,
		json_pack("{s:o}", "boards", seen_only(c, sched_boards_json(c->server->sched))));
}

void boards_show(struct call *c)
{
	json_t *j = board_view(c, c->args[0]);

	if (j)
		call_ok(c, 200, j);
}

void agent_list(struct call *c)
{
	call_ok(c, 200,
		json_pack("{s:o}", "agents", seen_only(c, sched_agents_json(c->server->sched))));
}

void board_told(struct call *c, const char *what, const char *detail)
{
	AUTOFREE char *subject = mem_printf("board %s", c->args[0]);

	call_audit(c, what, subject, detail);
}

void boards_health(struct call *c)
{
	const char *reason = json_text(c->body, "reason", NULL);
	int h = board_health_parse(json_text(c->body, "health", ""));
	AUTOFREE char *said = NULL;
	struct err e = {0};

	if (!board_get(c, c->args[0]))
		return;
	if (h < 0) {
		call_fail(c, 400, "invalid",
			"health: good, unknown, bad, maintenance or retired is needed");
		return;
	}
	if (!reason && h != HEALTH_GOOD) {
		call_fail(c, 400, "invalid", "reason: say why, others will ask");
		return;
	}
	if (sched_board_health(
		    c->server->sched, c->args[0], (enum board_health)h, reason, c->who.name, &e)) {
		call_err(c, &e);
		return;
	}
	said = mem_printf("%s%s%s", board_health_name((enum board_health)h), reason ? ": " : "",
		reason ? reason : "");
	board_told(c, "health", said);
	call_ok(c, 200, sched_board_json(c->server->sched, c->args[0]));
}

void boards_check(struct call *c)
{
	struct err e = {0};
	int64_t job;

	if (!board_get(c, c->args[0]))
		return;
	if (sched_board_check(c->server->sched, c->args[0], c->who.name, &job, &e)) {
		call_err(c, &e);
		return;
	}
	board_told(c, "check", NULL);
	call_ok(c, 201, json_pack("{s:I}", "job", (json_int_t)job));
}

/* ---- leases ---- */

void lease_add(struct call *c)
{
	struct sched_reserve r = {.board = c->args[0],
		.owner = c->who.name,
		.why = json_text(c->body, "why", NULL),
		.for_ms = json_int(c->body, "for_ms", LEASE_FOR_MS),
		.hard_ms = json_int(c->body, "hard_ms", 0),
		.wait = json_flag(c->body, "wait", false),
		.take_over = json_flag(c->body, "take_over", false),
		.labs = c->who.labs};
	struct err e = {0};
	int64_t job;

	if (!board_get(c, c->args[0]))
		return;
	if (r.for_ms < 1000 || r.hard_ms < 0) {
		call_fail(c, 400, "invalid", "for_ms: at least a second is needed");
		return;
	}
	if (r.take_over && !call_is(c, RIGHTS_OPERATOR)) {
		call_fail(c, 403, "denied", "taking over a lease needs an operator");
		return;
	}
	if (sched_lease(c->server->sched, &r, &job, &e)) {
		call_err(c, &e);
		return;
	}
	board_told(c, r.take_over ? "take over" : "reserve", r.why);
	call_ok(c, 201, json_pack("{s:I}", "job", (json_int_t)job));
}

/* Whoever holds the lease, or an operator. False after answering. */
bool lease_may(struct call *c, struct sched_holder *h)
{
	if (!board_get(c, c->args[0]))
		return false;
	if (!sched_holder(c->server->sched, c->args[0], h) || !h->lease) {
		call_fail(c, 409, "conflict", "'%s' is not reserved: hilab reserve %s", c->args[0],
			c->args[0]);
		return false;
	}
	if (!strcmp(h->owner, c->who.name) || call_is(c, RIGHTS_OPERATOR))
		return true;
	call_fail(c, 403, "denied", "'%s' is reserved by %s", c->args[0], h->owner);
	return false;
}

void lease_renew(struct call *c)
{
	int64_t for_ms = json_int(c->body, "for_ms", LEASE_FOR_MS), until_ms;
	struct sched_holder h;
	struct err e = {0};

	if (!lease_may(c, &h))
		return;
	if (for_ms < 0 || for_ms > LEASE_HARD_MS) {
		call_fail(c, 400, "invalid", "for_ms: a time up to %d h is needed",
			(int)(LEASE_HARD_MS / 3600000));
		return;
	}
	if (sched_lease_renew(c->server->sched, c->args[0], h.owner, for_ms, &until_ms, &e)) {
		call_err(c, &e);
		return;
	}
	board_told(c, "renew", NULL);
	call_ok(c, 200, json_pack("{s:I}", "until_ms", (json_int_t)until_ms));
}

void lease_end(struct call *c)
{
	struct sched_holder h;
	struct err e = {0};

	if (!lease_may(c, &h))
		return;
	if (sched_lease_end(c->server->sched, c->args[0], c->who.name, &e)) {
		call_err(c, &e);
		return;
	}
	board_told(c, "release", NULL);
	call_ok(c, 200, json_pack("{s:I}", "job", (json_int_t)h.job));
}

/* ---- into a session ---- */

/* As lease_may, and its worker runs. */
static bool may_drive(struct call *c, struct sched_holder *h)
{
	if (!lease_may(c, h))
		return false;
	if (h->session_up)
		return true;
	call_fail(c, 409, "conflict", "the session on '%s' has not begun yet", c->args[0]);
	return false;
}

static bool session_do(struct call *c, json_t *line)
{
	struct err e = {0};
	int r = sched_lease_do(c->server->sched, c->args[0], line, &e);

	json_decref(line);
	if (r)
		call_err(c, &e);
	return !r;
}

/* A power action whose end is awaited; they end in the order in which they were sent. */
struct power_wait {
	struct server *server;
	struct call *call; /* NULL: its client is gone */
	struct loop_watch *timer;
	int64_t run;
	struct power_wait *next;
};

static void power_wait_end(struct power_wait *w)
{
	struct power_wait **p = &w->server->power_waits;

	while (*p && *p != w)
		p = &(*p)->next;
	if (*p)
		*p = w->next;
	loop_del(w->timer);
	if (w->call) {
		w->call->gone = NULL;
		free(w->call->state);
		w->call->state = NULL;
	}
	free(w);
}

static void power_late(void *arg)
{
	struct power_wait *w = arg;
	struct call *c = w->call;

	w->timer = NULL;
	power_wait_end(w);
	if (c)
		call_fail(c, 504, "unavailable", "the lab of '%s' did not answer in %d s",
			c->args[0], POWER_WAIT_MS / 1000);
}

static void power_gone(struct call *c)
{
	/* It stays in the queue: the answer that comes is still its own. */
	(*(struct power_wait **)c->state)->call = NULL;
}

void power_done(struct server *s, int64_t run, const json_t *event)
{
	struct power_wait *w = s->power_waits;
	struct call *c;

	while (w && w->run != run)
		w = w->next;
	if (!w)
		return;
	c = w->call;
	power_wait_end(w);
	if (!c)
		return;
	if (json_flag(event, "ok", false))
		call_ok(c, 200, sched_board_json(s->sched, c->args[0]));
	else
		call_fail(c, 502, "unavailable", "%s",
			json_text(event, "message", "the power could not be switched"));
}

void power_waits_free(struct server *s)
{
	while (s->power_waits) {
		s->power_waits->call = NULL;
		power_wait_end(s->power_waits);
	}
}

void boards_power(struct call *c)
{
	static const char *const actions[] = {"on", "off", "cycle"};
	const char *action = json_text(c->body, "action", "");
	struct power_wait *w, **p;
	struct sched_holder h;
	bool known = false;

	for (size_t i = 0; i < ARRAY_LEN(actions); i++)
		known |= !strcmp(actions[i], action);
	if (!known) {
		call_fail(c, 400, "invalid", "action: on, off or cycle is needed");
		return;
	}
	if (!may_drive(c, &h) ||
		!session_do(c, json_pack("{s:s, s:s}", "kind", "power", "action", action)))
		return;
	board_told(c, "power", action);
	if (c->answered)
		return;
	w = mem_alloc(sizeof *w);
	w->server = c->server;
	w->call = c;
	w->run = h.run;
	w->timer = loop_timer(c->server->loop, POWER_WAIT_MS, power_late, w);
	for (p = &c->server->power_waits; *p; p = &(*p)->next)
		;
	*p = w;
	c->state = mem_dup(&w, sizeof w);
	c->gone = power_gone;
}

void boards_power_show(struct call *c)
{
	json_t *j = board_view(c, c->args[0]);

	if (!j)
		return;
	call_ok(c, 200, json_pack("{s:s}", "power", json_text(j, "power", "unknown")));
	json_decref(j);
}

/* ---- typing ---- */

/* One writer: the client that typed first, until it is taken from it. False after answering. */
static bool may_type(struct call *c, const struct sched_holder *h)
{
	const char *client = http_query(c->request, "client");
	AUTOFREE char *me = mem_printf("%lld %s", (long long)h->run, client ? client : "-");
	char *now = map_find(&c->server->writers, c->args[0]);

	if (now && !strcmp(now, me))
		return true;
	/* Another session's writer is nobody. */
	if (now && strtoll(now, NULL, 10) == h->run && !http_query(c->request, "take")) {
		call_fail(c, 409, "busy", "somebody else types on '%s'; take it over with --take",
			c->args[0]);
		return false;
	}
	map_set(&c->server->writers, c->args[0], mem_strdup(me));
	board_told(c, "type", client);
	free(now);
	return true;
}

void typist_gone(struct server *s, const char *board, const char *me)
{
	char *now = map_find(&s->writers, board);

	if (now && !strcmp(now, me))
		free(map_del(&s->writers, board));
}

static void on_typed(void *arg, struct http_request *r, struct str body)
{
	struct call *c = arg;
	const char *console = http_query(r, "console");
	AUTOBUF data = BUF_INIT(2 * CONSOLE_INPUT_BYTES);
	struct sched_holder h;

	if (!may_drive(c, &h) || !may_type(c, &h))
		return;
	console = console ? console : "main";
	if (http_query(r, "break") &&
		!session_do(c, json_pack("{s:s, s:s}", "kind", "break", "console", console)))
		return;
	if (body.n) {
		base64_add(&data, body);
		if (!session_do(c, json_pack("{s:s, s:s, s:s}", "kind", "input", "console", console,
					   "data", buf_str(&data))))
			return;
	}
	call_ok(c, 200, NULL);
}

void boards_type(struct call *c)
{
	http_body(c->request, CONSOLE_INPUT_BYTES, on_typed, c);
}
