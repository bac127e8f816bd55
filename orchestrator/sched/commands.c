/* SPDX-License-Identifier: MIT */
/*
 * What an agent has to do. Invariant: all of it follows from the states in the store, but for what
 * somebody typed: a list that is lost is made again when the agent says hello.
 */
#include "inner.h"

#include "io/json.h"

#include <string.h>

static void drop(struct sched_agent *a, size_t i)
{
	struct command *c = &a->commands.p[i];

	if (c->line) {
		json_decref(c->line);
		a->n_typed--;
	}
	free(c->why);
	vec_del(&a->commands, i);
}

static void add(struct sched *s, struct sched_agent *a, struct command c)
{
	c.seq = ++s->seq;
	vec_push(&a->commands, c);
	if (s->hooks.wake)
		s->hooks.wake(s->hooks.arg, a->name);
}

void command_add(struct sched *s, struct sched_part *p, const char *what, const char *why)
{
	add(s, p->agent,
		(struct command){
			.what = what, .run = p->run->id, .part = p->at, .why = dup_text(why)});
}

void command_inbox(struct sched *s, struct sched_part *p, int64_t n, json_t *line)
{
	if (line) {
		json_object_set_new(line, "n", json_integer(n));
		p->agent->n_typed++;
	}
	p->inbox_n = n;
	add(s, p->agent,
		(struct command){.what = "inbox",
			.run = p->run->id,
			.part = p->at,
			.n = n,
			.line = json_incref(line)});
}

void command_forget(struct sched *s, struct sched_agent *a, int64_t run, unsigned part)
{
	add(s, a, (struct command){.what = "forget", .run = run, .part = part});
}

bool command_unsent(const struct sched_part *p)
{
	vec_each (&p->agent->commands, c)
		if (c->run == p->run->id && c->part == p->at && !strcmp(c->what, "start"))
			return !c->sent && p->state == PART_ASSIGNED;
	return false;
}

void commands_drop(struct sched_agent *a, const struct sched_part *p)
{
	for (size_t i = a->commands.n; i--;)
		if (!p || (a->commands.p[i].run == p->run->id && a->commands.p[i].part == p->at))
			drop(a, i);
}

static int add_line(void *arg, int64_t seq, const char *line)
{
	void **pair = arg;

	(void)line;
	command_inbox(pair[0], pair[1], seq, NULL);
	return 0;
}

int commands_again(struct sched *s, struct sched_part *p, bool there, int64_t inbox, struct err *e)
{
	void *pair[] = {s, p};

	commands_drop(p->agent, p);
	if (!there)
		command_add(s, p, "start", NULL);
	if (p->inbox_n < inbox)
		p->inbox_n = inbox;
	if (part_leases(p))
		lease_tell_until(s, p->run->job->lease);
	else if (store_inbox(s->store, p->run->id, p->at, inbox, add_line, pair, e))
		return sched_store_failed(s);
	if (p->stopping)
		command_add(s, p, "cancel", p->run->job ? p->run->job->why : p->message);
	return 0;
}

/* ---- handing out ---- */

struct body {
	const struct sched_part *part;
	json_t *out;
	size_t bytes;
};

static int add_plan(void *arg, const struct store_job *job)
{
	struct body *b = arg;
	AUTOJSON *list = job->plans ? json_loads(job->plans, 0, NULL) : NULL;
	json_t *one = json_array_get(list, b->part->at);

	json_object_set_new(b->out, "job", json_integer(job->id));
	json_object_set(b->out, "plan", json_object_get(one, "plan"));
	b->bytes += job->plans ? strlen(job->plans) : 0;
	return 1;
}

static bool start_body(struct sched *s, const struct sched_part *p, json_t *out, size_t *bytes)
{
	struct body body = {p, out, 0};

	if (store_job_get(s->store, p->run->job_id, add_plan, &body, NULL) != 1)
		return false;
	*bytes += body.bytes;
	json_object_set_new(out, "role", p->role ? json_string(p->role) : json_null());
	json_object_set_new(out, "board", json_string(p->board->name));
	json_object_set_new(out, "lease", json_boolean(part_leases(p)));
	return true;
}

struct line {
	int64_t n;
	json_t *out;
};

static int read_line(void *arg, int64_t seq, const char *text)
{
	struct line *l = arg;
	json_t *j;

	if (seq != l->n)
		return 1;
	j = json_loads(text, 0, NULL);
	json_object_set_new(j, "n", json_integer(seq));
	json_object_set_new(l->out, "line", j);
	return 1;
}

static bool inbox_body(struct sched *s, const struct command *c, json_t *out)
{
	struct line line = {c->n, out};

	json_object_set_new(out, "n", json_integer(c->n));
	if (c->line)
		return !json_object_set(out, "line", c->line);
	return store_inbox(s->store, c->run, c->part, c->n - 1, read_line, &line, NULL) == 1;
}

/* Is there still something to tell? */
static bool is_due(const struct sched *s, const struct command *c)
{
	const struct sched_part *p = part_find(s, c->run, c->part);

	if (!strcmp(c->what, "start"))
		return p && p->state == PART_ASSIGNED;
	if (!strcmp(c->what, "inbox"))
		return p && p->state != PART_ENDED;
	return true;
}

/* NULL: the store cannot be read now. */
static json_t *body_of(struct sched *s, const struct command *c, size_t *bytes)
{
	json_t *out = json_pack("{s:I, s:s, s:I, s:i}", "seq", (json_int_t)c->seq, "do", c->what,
		"run", (json_int_t)c->run, "part", (int)c->part);
	bool good = true;

	if (!strcmp(c->what, "start"))
		good = start_body(s, part_find(s, c->run, c->part), out, bytes);
	else if (!strcmp(c->what, "inbox"))
		good = inbox_body(s, c, out);
	else if (c->why)
		json_object_set_new(out, "why", json_string(c->why));
	if (good)
		return out;
	json_decref(out);
	return NULL;
}

json_t *sched_commands(struct sched *s, const char *agent, int64_t ack)
{
	struct sched_agent *a = map_find(&s->agents, agent);
	json_t *list = json_array();
	size_t bytes = 0;

	for (size_t i = 0; a && i < a->commands.n;)
		if ((a->commands.p[i].seq <= ack && a->commands.p[i].sent) ||
			!is_due(s, &a->commands.p[i]))
			drop(a, i);
		else
			i++;
	for (size_t i = 0; a && i < a->commands.n; i++) {
		json_t *one;

		if (json_array_size(list) >= COMMANDS_MAX || bytes > COMMANDS_BYTES)
			break;
		one = body_of(s, &a->commands.p[i], &bytes);
		if (!one)
			break; /* in order, or not at all: the next poll asks again */
		a->commands.p[i].sent = true;
		json_array_append_new(list, one);
	}
	if (json_array_size(list))
		return list;
	json_decref(list);
	return NULL;
}
