/* SPDX-License-Identifier: MIT */
/*
 * What agents ask: hello, poll, sync. Invariant: what `have` says is in the file, and what the
 * store took of it is committed, before the agent reads it.
 */
#include "api/calls.h"

#include "base/clock.h"
#include "base/fs.h"
#include "base/log.h"
#include "base/mem.h"
#include "io/chunks.h"
#include "io/json.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define POLL_MAX_S        55
#define EVENTS_PIECE      ((size_t)1 << 20)
#define EVENTS_LINE_BYTES ((size_t)16 << 20)

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

/* Whose call it is; an agent's token is for the agent of that name. NULL after answering. */
static const char *agent_name(struct call *c, const char *name)
{
	if (!name || !*name)
		call_fail(c, 400, "invalid", "which agent? 'agent' is needed");
	else if (c->who.rights == RIGHTS_AGENT && strcmp(name, c->who.name) != 0)
		call_fail(c, 403, "denied", "the token is for the agent '%s', not '%s'",
			c->who.name, name);
	else
		return name;
	return NULL;
}

void agent_hello(struct call *c)
{
	const char *name = agent_name(c, json_text(c->body, "agent", NULL));
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

/* -1 after it was answered: an agent that has to say hello. */
static int seen(struct call *c, const char *name)
{
	struct err e = {0};

	if (map_has(&c->server->polls, name) && !sched_seen(c->server->sched, name, &e))
		return 0;
	call_fail(c, 409, "hello", "this controller does not know the agent '%s' yet", name);
	return -1;
}

void agent_poll(struct call *c)
{
	const char *name = agent_name(c, json_text(c->body, "agent", NULL));
	struct server *s = c->server;
	json_t *commands;
	struct poll *p;

	if (!name || seen(c, name))
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

/* ---- sync ---- */

struct intake { /* one sync request */
	struct call *call;
	const char *agent;
	json_t *have;
	struct run_part part; /* of the last chunk */
	int64_t run;          /* 0: part is not filled */
	unsigned number;
};

/* The part that a chunk is of; false: the agent may forget it. */
static bool intake_part(struct intake *in, const struct chunk *ch)
{
	struct server *s = in->call->server;

	if (!sched_part_open(s->sched, ch->run, ch->part, in->agent))
		return false;
	if (in->run == ch->run && in->number == ch->part)
		return true;
	run_part_done(&in->part);
	in->run = 0;
	if (run_part_at(s->store, ch->run, ch->part, &in->part, NULL) <= 0)
		return false;
	in->run = ch->run;
	in->number = ch->part;
	return true;
}

/* What the journal says that others must know. */
static int journal_line(
	struct server *s, const struct chunk *ch, const struct store_event *ev, struct err *e)
{
	AUTOJSON *j = json_loads(ev->line, 0, NULL);
	const char *kind = json_text(j, "kind", "");

	if (!strcmp(kind, "run-start"))
		return sched_part_started(s->sched, ch->run, ch->part, e);
	if (!strcmp(kind, "power-done"))
		power_done(s, ch->run, j);
	if (!strcmp(kind, "barrier") || !strcmp(kind, "tell") || !strcmp(kind, "power") ||
		!strcmp(kind, "power-done"))
		return sched_part_event(s->sched, ch->run, ch->part, ev->offset, j, e);
	return 0;
}

/* Whole lines of the journal that the store has not got yet. */
static int take_journal(struct intake *in, const struct chunk *ch, const char *path, struct err *e)
{
	struct server *s = in->call->server;
	VEC(struct store_event) events = {0};
	AUTOCLOSE int fd = open(path, O_RDONLY | O_CLOEXEC);
	AUTOFREE char *piece = NULL;
	uint64_t offset;
	ssize_t got;
	int r;

	if (store_part_offset(s->store, ch->run, ch->part, &offset, e))
		return -1;
	piece = mem_alloc(EVENTS_PIECE + 1);
	got = fd < 0 ? -1 : pread(fd, piece, EVENTS_PIECE, (off_t)offset);
	if (got < 0)
		return err_sys(e, BLAME_INFRA, errno, "read '%s'", path);
	for (char *at = piece, *nl; (nl = memchr(at, '\n', (size_t)(piece + got - at)));
		at = nl + 1) {
		struct store_event ev = {.offset = offset + (uint64_t)(at - piece), .line = at};

		*nl = 0;
		for (char *p = at; p < nl; p++)
			if (!*p)
				*p = ' '; /* a NUL would end the text early */
		vec_push(&events, ev);
	}
	r = events.n ? store_part_events(s->store, ch->run, ch->part, events.p, events.n, e) : 0;
	for (size_t i = 0; !r && i < events.n; i++)
		r = journal_line(s, ch, &events.p[i], e);
	if (!r && events.n && (size_t)got == EVENTS_PIECE)
		r = 1; /* there is more */
	vec_done(&events);
	return r;
}

/* Puts the bytes where they belong; *size is what the file has then. */
static int write_chunk(const char *path, const struct chunk *ch, uint64_t *size, struct err *e)
{
	AUTOCLOSE int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0644);
	struct stat st;
	size_t done = 0;

	if (fd < 0 || fstat(fd, &st))
		return err_sys(e, BLAME_INFRA, errno, "open '%s'", path);
	*size = (uint64_t)st.st_size;
	if (ch->offset != *size)
		return 0; /* the answer says where to go on */
	while (done < ch->bytes.n) {
		ssize_t n = pwrite(
			fd, ch->bytes.p + done, ch->bytes.n - done, (off_t)(ch->offset + done));

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return err_sys(e, BLAME_INFRA, n ? errno : ENOSPC, "write '%s'", path);
		done += (size_t)n;
	}
	*size += done;
	return 0;
}

/* The worker's last word. It is one chunk: a file renamed into place. One without bytes asks what
 * there is of it: nothing that counts, as long as the part is open. */
static int take_status(struct intake *in, const struct chunk *ch, uint64_t *size, struct err *e)
{
	AUTOFREE char *path = fs_join(in->part.dir, "status");
	AUTOJSON *status = json_parse(ch->bytes, "status", e);
	struct server *s = in->call->server;
	char *dir;

	*size = 0;
	if (ch->offset || !ch->bytes.n)
		return 0;
	if (!status || !json_is_object(status)) {
		json_decref(status);
		status = json_pack("{s:s, s:s, s:s}", "verdict", "incomplete", "blame", "bug",
			"message", "the worker's status cannot be read");
	}
	err_clear(e);
	if (fs_write(path, ch->bytes.p, ch->bytes.n, 0644, e) ||
		sched_part_ended(s->sched, ch->run, ch->part, status, e))
		return -1;
	dir = mem_strdup(in->part.dir);
	vec_push(&s->synced, dir);
	*size = ch->bytes.n;
	return 0;
}

static int take_chunk(struct intake *in, const struct chunk *ch, uint64_t *size, struct err *e)
{
	AUTOFREE char *path = fs_join(in->part.dir, ch->file);
	AUTOFREE char *folder = fs_dirname(path);
	int more = 0;

	if (fs_mkdirs(folder, 0755, e))
		return -1;
	if (!strcmp(ch->file, "status"))
		return take_status(in, ch, size, e);
	if (write_chunk(path, ch, size, e))
		return -1;
	if (!strcmp(ch->file, "events.jsonl"))
		while ((more = take_journal(in, ch, path, e)) > 0)
			;
	return more;
}

static int take_chunks(struct intake *in, struct str body, struct err *e)
{
	struct server *s = in->call->server;
	struct chunk ch;
	int r;

	while ((r = chunk_parse(&body, &ch, e)) > 0) {
		json_t *have = json_pack("{s:I, s:i, s:s}", "run", (json_int_t)ch.run, "part",
			(int)ch.part, "file", ch.file);
		uint64_t size = 0;

		json_array_append_new(in->have, have);
		if (!intake_part(in, &ch)) {
			json_object_set_new(have, "gone", json_true());
			continue;
		}
		if (take_chunk(in, &ch, &size, e))
			return -1;
		json_object_set_new(have, "bytes", json_integer((json_int_t)size));
		follow_wake_run(s, ch.run);
	}
	return r;
}

static void on_sync(void *arg, struct http_request *r, struct str body)
{
	struct intake in = {.call = arg};
	struct err e = {0};

	in.agent = http_query(r, "agent");
	in.have = json_array();
	if (server_turn(in.call) || seen(in.call, in.agent)) {
		json_decref(in.have);
		return;
	}
	if (take_chunks(&in, body, &e)) {
		json_decref(in.have);
		if (e.blame == BLAME_JOB)
			call_fail(in.call, 400, "invalid", "%s", e.msg);
		else
			call_err(in.call, &e);
	} else {
		call_ok(in.call, 200, json_pack("{s:o}", "have", in.have));
	}
	run_part_done(&in.part);
}

void agent_sync(struct call *c)
{
	if (agent_name(c, http_query(c->request, "agent")))
		http_body(c->request, CHUNKS_BYTES + CHUNK_BYTES, on_sync, c);
}
