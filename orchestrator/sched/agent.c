/* SPDX-License-Identifier: MIT */
/*
 * Agents: what they announce, and whether they are there. Invariant: after a hello the boards of an
 * agent are those that it named and was not refused, and its commands are what its parts need.
 */
#include "inner.h"

#include "base/clock.h"
#include "base/str.h"
#include "io/json.h"

#include <string.h>

struct sched_agent *sched_agent_named(struct sched *s, const char *name)
{
	struct sched_agent *a = map_find(&s->agents, name);

	if (a)
		return a;
	a = mem_alloc(sizeof *a);
	a->name = mem_strdup(name);
	map_set(&s->agents, name, a);
	return a;
}

void agent_free(struct sched *s, struct sched_agent *a)
{
	commands_drop(a, NULL);
	sched_timer_stop(s, &a->timer);
	vec_done(&a->commands);
	vec_done(&a->boards);
	vec_done(&a->pools);
	free(a->name);
	free(a->lab);
	free(a->version);
	free(a);
}

bool agent_room(const struct sched_agent *a)
{
	return !a->max_jobs || a->n_parts < a->max_jobs;
}

static int save(struct sched *s, struct sched_agent *a, struct err *e)
{
	struct store_agent row = {
		a->name, a->lab, a->version, a->protocol, a->max_jobs, a->first_ms, a->seen_ms};

	return store_agent_save(s->store, &row, e) ? sched_store_failed(s) : 0;
}

static void see(struct sched_agent *a)
{
	a->seen_at = clock_ms();
	a->seen_ms = clock_wall_ms();
}

static int64_t grace_ms(const struct sched *s)
{
	return s->hooks.grace_ms ? s->hooks.grace_ms : SCHED_GRACE_MS;
}

static void come_online(struct sched *s, struct sched_agent *a)
{
	a->online = true;
	sched_timer(s, &a->timer, TIMER_AGENT, grace_ms(s));
	vec_each (&a->boards, b) {
		check_plan(s, *b);
		if (!a->max_jobs)
			sched_offer(s, *b);
	}
	sched_slot(s, a);
	sched_rethink(s);
	tell_agent(s, a);
}

int sched_seen(struct sched *s, const char *agent, struct err *e)
{
	struct sched_agent *a = map_find(&s->agents, agent);

	if (!a || !a->known)
		return err_set(e, BLAME_JOB, "agent '%s' has not said hello", agent);
	see(a);
	if (a->online)
		return 0;
	come_online(s, a);
	if (save(s, a, e))
		return -1;
	return sched_settle(s, e);
}

int agent_due(struct sched *s, struct sched_agent *a, struct err *e)
{
	int64_t silent_ms = clock_ms() - a->seen_at;

	if (!a->online)
		return 0;
	if (silent_ms < grace_ms(s)) {
		sched_timer(s, &a->timer, TIMER_AGENT, grace_ms(s) - silent_ms);
		return 0;
	}
	a->online = false;
	sched_rethink(s);
	tell_agent(s, a);
	return save(s, a, e);
}

/* ---- hello: boards ---- */

static void refuse(json_t *answer, const char *board, const char *fmt, ...) PRINTF(3, 4);
static void refuse(json_t *answer, const char *board, const char *fmt, ...)
{
	AUTOBUF why = BUF_INIT(4096);
	va_list ap;

	va_start(ap, fmt);
	buf_vprintf(&why, fmt, ap);
	va_end(ap);
	json_array_append_new(json_object_get(answer, "refused"),
		json_pack("{s:s, s:s}", "board", board, "why", buf_str(&why)));
}

static bool may_announce(const struct sched_agent *a, const struct sched_board *b, json_t *answer)
{
	if (b && b->named) {
		refuse(answer, b->name, "it is named twice");
		return false;
	}
	if (!b || !b->agent || b->agent == a)
		return true;
	if (b->present && b->agent->online) {
		refuse(answer, b->name, "agent '%s' has it", b->agent->name);
		return false;
	}
	if (b->part) {
		refuse(answer, b->name, "run %lld on it is with agent '%s'",
			(long long)b->part->run->id, b->agent->name);
		return false;
	}
	return true;
}

/* What of an announcement is kept: nothing that is not asked for. */
static json_t *announcement(const json_t *j)
{
	static const char *const keys[] = {
		"soc", "arch", "twin", "peripherals", "tags", "revision", "consoles"};
	json_t *out = json_object();

	for (size_t i = 0; i < ARRAY_LEN(keys); i++)
		if (json_object_get(j, keys[i]))
			json_object_set(out, keys[i], json_object_get(j, keys[i]));
	return out;
}

static void leave_agent(struct sched_board *b)
{
	struct sched_agent *a = b->agent;

	for (size_t i = 0; a && i < a->boards.n; i++)
		if (a->boards.p[i] == b) {
			vec_del(&a->boards, i);
			return;
		}
}

static int announce(struct sched *s, struct sched_agent *a, struct sched_board *b, const json_t *j,
	struct err *e)
{
	AUTOJSON *now = announcement(j);
	const char *type = json_text(j, "type", "");

	b->named = true;
	if (b->present && b->agent == a && !strcmp(b->type, type) &&
		json_equal(now, b->announced) && b->lab && a->lab && !strcmp(b->lab, a->lab))
		return 0;
	if (b->present) {
		leave_agent(b);
		board_leave(s, b);
	}
	b->agent = a;
	set_text(&b->lab, a->lab);
	free(b->type);
	b->type = mem_strdup(type);
	json_decref(b->announced);
	b->announced = json_incref(now);
	b->present = true;
	vec_push(&a->boards, b);
	board_join(s, b);
	tell_board(s, b);
	return board_save(s, b, e);
}

static int take_off(struct sched *s, struct sched_agent *a, struct err *e)
{
	for (size_t i = 0; i < a->boards.n;) {
		struct sched_board *b = a->boards.p[i];

		if (b->named) {
			b->named = false;
			i++;
			continue;
		}
		board_leave(s, b);
		vec_del(&a->boards, i);
		sched_timer_stop(s, &b->timer);
		sched_rethink(s);
		tell_board(s, b);
		if (board_save(s, b, e))
			return -1;
	}
	return 0;
}

static int hello_boards(
	struct sched *s, struct sched_agent *a, const json_t *list, json_t *answer, struct err *e)
{
	for (size_t i = 0; i < json_array_size(list); i++) {
		const json_t *j = json_array_get(list, i);
		const char *name = json_text(j, "name", "");
		struct sched_board *b = map_find(&s->boards, name);

		if (!str_is_name(name) || !str_is_name(json_text(j, "type", ""))) {
			refuse(answer, name, "its name or type is no name");
			continue;
		}
		if (!may_announce(a, b, answer))
			continue;
		if (announce(s, a, sched_board_named(s, name), j, e))
			return -1;
	}
	return take_off(s, a, e);
}

/* ---- hello: runs ---- */

#define RUN_KEY_BYTES 48
static char *run_key(int64_t run, unsigned part, char *out)
{
	snprintf(out, RUN_KEY_BYTES, "%lld/%u", (long long)run, part);
	return out;
}

static int renew_part(struct sched *s, struct sched_part *p, const json_t *there, struct err *e)
{
	AUTOJSON *gone = NULL;

	if (p->lost && !there)
		return part_gone(s, p, e);
	if (!there && (p->state == PART_RUNNING || p->stopping)) {
		gone = json_pack("{s:s, s:s, s:o, s:s}", "verdict",
			p->stopping ? "canceled" : "incomplete", "blame",
			p->stopping ? "cancel" : "infra", "message",
			json_sprintf("agent '%s' does not have it any more", p->agent->name),
			"power", "unknown");
		return sched_part_ended(s, p->run->id, p->at, gone, e);
	}
	return commands_again(s, p, there != NULL, json_int(there, "inbox", 0), e);
}

struct parts {
	VEC(struct {
		int64_t run;
		unsigned part;
	})
	ids;
};

static int hello_parts(
	struct sched *s, struct sched_agent *a, const struct map *runs, struct err *e)
{
	char key[RUN_KEY_BYTES];
	struct parts found = {0};
	int rc = 0;

	/* Parts may end on the way and take their runs along. */
	ids_each(&s->runs, slot)
	{
		struct sched_run *r = slot->value;

		for (unsigned i = 0; i < r->n; i++)
			if (r->parts[i].agent == a &&
				(r->parts[i].state != PART_ENDED || r->parts[i].lost)) {
				vec_push(&found.ids, ((__typeof__(*found.ids.p)){r->id, i}));
			}
	}
	vec_each (&found.ids, it) {
		struct sched_part *p = part_find(s, it->run, it->part);

		if (p && !rc && (p->state != PART_ENDED || p->lost))
			rc = renew_part(s, p, map_find(runs, run_key(it->run, it->part, key)), e);
	}
	vec_done(&found.ids);
	return rc;
}

/* Of a run that the memory does not hold: is its end expected still? */
struct ghost {
	struct sched *s;
	struct sched_agent *agent;
	int64_t run;
	unsigned part;
	bool expected;
	struct err *e;
};

static int haunt(void *arg, const struct store_part *row)
{
	struct ghost *g = arg;
	struct sched_board *b;
	struct sched_run *r;
	struct sched_part *p;

	if (row->part != g->part || strcmp(row->agent, g->agent->name))
		return 0;
	b = map_find(&g->s->boards, row->board);
	if (row->power || !b || b->part)
		return 1;
	r = ids_find(&g->s->runs, row->run);
	if (!r) {
		r = run_new(g->s, row->run, NULL, SCHED_PARTS_MAX);
		r->job_id = row->job;
		for (unsigned i = 0; i < r->n; i++)
			r->parts[i].state = PART_ENDED;
	}
	p = &r->parts[row->part];
	p->agent = g->agent;
	p->board = b;
	p->lost = p->stopping = true;
	p->message = dup_text(row->message);
	g->expected = true;
	return part_take(g->s, p, g->e) || commands_again(g->s, p, true, 0, g->e) ? -1 : 1;
}

static int hello_runs(
	struct sched *s, struct sched_agent *a, const json_t *runs, json_t *answer, struct err *e)
{
	struct map by_key = {0};
	char key[RUN_KEY_BYTES];
	int rc;

	for (size_t i = 0; i < json_array_size(runs); i++) {
		json_t *j = json_array_get(runs, i);

		map_set(&by_key,
			run_key(json_int(j, "run", 0), (unsigned)json_int(j, "part", 0), key), j);
	}
	rc = hello_parts(s, a, &by_key, e);
	map_done(&by_key);
	if (rc)
		return -1;
	for (size_t i = 0; i < json_array_size(runs); i++) {
		const json_t *j = json_array_get(runs, i);
		int64_t run = json_int(j, "run", 0);
		struct ghost ghost = {s, a, run, (unsigned)json_int(j, "part", 0), false, e};
		struct sched_part *p = part_find(s, run, ghost.part);

		if (p && p->agent == a && (p->state != PART_ENDED || p->lost))
			continue;
		if (!(p && p->agent) && ghost.part < SCHED_PARTS_MAX &&
			store_parts(s->store, run, haunt, &ghost, e) < 0)
			return sched_store_failed(s);
		if (!ghost.expected)
			json_array_append_new(json_object_get(answer, "forget"),
				json_pack("{s:I, s:i}", "run", (json_int_t)run, "part",
					(int)ghost.part));
	}
	return 0;
}

/* ---- hello ---- */

static int check_hello(const struct sched *s, const json_t *hello, struct err *e)
{
	const char *name = json_text(hello, "agent", "");

	if (!str_is_name(name) || !str_is_name(json_text(hello, "lab", "")))
		return err_set(e, BLAME_JOB, "hello: the agent's or its lab's name is no name");
	if (!map_find(&s->agents, name) && s->agents.n >= AGENTS_MAX)
		return err_set(e, BLAME_JOB, "hello: %d agents are known already", AGENTS_MAX);
	if (json_array_size(json_object_get(hello, "boards")) > BOARDS_MAX)
		return err_set(e, BLAME_JOB, "hello: more than %d boards", BOARDS_MAX);
	if (json_int(hello, "max_jobs", 0) < 0)
		return err_set(e, BLAME_JOB, "hello: max_jobs is below 0");
	return 0;
}

int sched_hello(struct sched *s, const json_t *hello, json_t **answer, struct err *e)
{
	AUTOJSON *out = json_pack("{s:[], s:[]}", "refused", "forget");
	struct sched_agent *a;

	if (check_hello(s, hello, e))
		return -1;
	a = sched_agent_named(s, json_text(hello, "agent", ""));
	commands_drop(a, NULL);
	set_text(&a->lab, json_text(hello, "lab", ""));
	set_text(&a->version, json_text(hello, "version", NULL));
	a->protocol = json_int(hello, "protocol", 0);
	a->max_jobs = json_int(hello, "max_jobs", 0);
	a->known = true;
	see(a);
	if (!a->first_ms)
		a->first_ms = a->seen_ms;
	if (save(s, a, e) || hello_boards(s, a, json_object_get(hello, "boards"), out, e) ||
		hello_runs(s, a, json_object_get(hello, "runs"), out, e))
		return -1;
	come_online(s, a);
	if (sched_settle(s, e))
		return -1;
	*answer = json_incref(out);
	return 0;
}
