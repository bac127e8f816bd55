/* SPDX-License-Identifier: MIT */
/*
 * What agents ask: hello, poll. Invariant: an agent has one held request at most, and commands go
 * out after the commit of the turn that made them.
 */
#include "api/calls.h"

#include "base/clock.h"
#include "base/log.h"
#include "base/mem.h"
#include "io/json.h"

#include <stdlib.h>
#include <string.h>

#define POLL_MAX_S 55

/* An agent's held request. */
struct poll {
	struct server *server;
	char *agent;
	struct call *call;        /* NULL: none is held now */
	struct loop_watch *timer; /* of the held call */
	int64_t ack;
};

static struct poll *poll_of(struct server *s, const char *agent)
{
	struct poll *p = map_find(&s->polls, agent);

	if (p)
		return p;
	p = mem_alloc(sizeof *p);
	p->server = s;
	p->agent = mem_strdup(agent);
	map_set(&s->polls, agent, p);
	return p;
}

void agents_free(struct server *s)
{
	map_each (&s->polls, en) {
		struct poll *p = en->value;

		loop_del(p->timer);
		free(p->agent);
		free(p);
	}
	map_done(&s->polls);
	map_each (&s->kept, en)
		free(en->value);
	map_done(&s->kept);
}

void agents_wake(void *server, const char *agent)
{
	struct server *s = server;

	map_set(&s->waking, agent, s);
}

/* Answers a held poll. Outside of a turn's calls: the answer goes out at the end of this turn, or
 * of the one that is made here. */
static void poll_answer(struct poll *p, json_t *commands)
{
	struct call *c = p->call;

	loop_del(p->timer);
	p->timer = NULL;
	p->call = NULL;
	if (!c) {
		json_decref(commands);
		return;
	}
	c->gone = NULL;
	call_ok(c, 200, json_pack("{s:o}", "commands", commands ? commands : json_array()));
}

static void poll_timeout(void *arg)
{
	struct poll *p = arg;

	p->timer = NULL;
	poll_answer(p, NULL);
}

static void poll_gone(struct call *c)
{
	struct poll *p = map_find(&c->server->polls, c->state);

	if (!p || p->call != c)
		return;
	loop_del(p->timer);
	p->timer = NULL;
	p->call = NULL;
}

/* After the commit: hands out what waits, at once. */
void agents_commit(struct server *s)
{
	bool any = false;

	map_each (&s->waking, en) {
		struct poll *p = map_find(&s->polls, en->key);
		json_t *commands = p && p->call ? sched_commands(s->sched, en->key, p->ack) : NULL;

		if (commands)
			poll_answer(p, commands);
		any |= commands != NULL;
	}
	map_done(&s->waking);
	s->waking = (struct map){0};
	if (any)
		calls_send(s, true);
}

/* An agent that only waits is heard of within the grace. */
static int64_t poll_s(const struct server *s)
{
	int64_t most = s->conf.grace_ms * 11 / 12000;

	return most < POLL_MAX_S ? most : POLL_MAX_S;
}

const char *agent_named(struct call *c, const char *name)
{
	if (!name || !*name)
		call_fail(c, 400, "invalid", "which agent? 'agent' is needed");
	else if (c->who.rights != RIGHTS_AGENT && c->who.labs)
		call_fail(c, 403, "denied", "an agent's token is needed");
	else if (c->who.rights == RIGHTS_AGENT && strcmp(name, c->who.name) != 0)
		call_fail(c, 403, "denied", "the token is for the agent '%s', not '%s'",
			c->who.name, name);
	else
		return name;
	return NULL;
}

void agent_hello(struct call *c)
{
	const char *name = agent_named(c, json_text(c->body, "agent", NULL));
	struct server *s = c->server;
	struct err e = {0};
	json_t *answer;

	if (!name)
		return;
	if (!call_sees(c, json_text(c->body, "lab", NULL))) {
		call_fail(c, 403, "denied", "the token is not for that lab");
		return;
	}
	if (sched_hello(s->sched, c->body, &answer, &e)) {
		call_err(c, &e);
		return;
	}
	log_info("agent '%s' says hello with %zu boards", name,
		json_array_size(json_object_get(c->body, "boards")));
	poll_of(s, name)->ack = 0;
	json_object_set_new(answer, "protocol", json_integer(PROTOCOL));
	json_object_set_new(answer, "poll_s", json_integer(poll_s(s)));
	json_object_set_new(answer, "grace_ms", json_integer(s->conf.grace_ms));
	call_ok(c, 200, answer);
}

int agent_seen(struct call *c, const char *name)
{
	struct err e = {0};

	if (map_has(&c->server->polls, name) && !sched_seen(c->server->sched, name, &e))
		return 0;
	call_fail(c, 409, "hello", "this controller does not know the agent '%s' yet", name);
	return -1;
}

void agent_poll(struct call *c)
{
	const char *name = agent_named(c, json_text(c->body, "agent", NULL));
	struct server *s = c->server;
	json_t *commands;
	struct poll *p;

	if (!name || agent_seen(c, name))
		return;
	p = poll_of(s, name);
	poll_answer(p, NULL); /* the one before: the agent gave up on it */
	p->ack = json_int(c->body, "ack", 0);
	commands = sched_commands(s->sched, name, p->ack);
	if (commands) {
		call_ok(c, 200, json_pack("{s:o}", "commands", commands));
		return;
	}
	c->state = mem_strdup(name);
	c->gone = poll_gone;
	p->call = c;
	p->timer = loop_timer(s->loop, poll_s(s) * 1000, poll_timeout, p);
}
