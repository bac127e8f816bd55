/* SPDX-License-Identifier: MIT */
/*
 * What the parts of a run have to do with each other: barriers, messages, and that one is gone.
 * Invariant: everything sent is in the store with what caused it, in one turn, so that an event is
 * done with exactly when it is stored.
 */
#include "inner.h"

#include "io/json.h"

#include <string.h>

static int send_line(struct sched *s, struct sched_part *p, const json_t *line, struct err *e)
{
	AUTOFREE char *text = json_dumps(line, JSON_COMPACT | JSON_PRESERVE_ORDER);
	int64_t n;

	if (p->state == PART_ENDED || p->inbox_n >= INBOX_MAX || strlen(text) > INBOX_LINE_BYTES)
		return 0;
	if (store_inbox_add(s->store, p->run->id, p->at, text, &n, e))
		return sched_store_failed(s);
	command_inbox(s, p, n, NULL);
	return 0;
}

static struct barrier *barrier_get(struct sched_run *r, const char *name)
{
	vec_each (&r->barriers, b)
		if (!strcmp(b->name, name))
			return b;
	if (r->barriers.n >= BARRIERS_MAX)
		return NULL;
	vec_push(&r->barriers, ((struct barrier){.name = mem_strdup(name)}));
	return &r->barriers.p[r->barriers.n - 1];
}

/* True when it was the last that the others waited for. A point that stands in several steps is
 * a new barrier each time: a part that is ahead by one cannot open it for the others twice. */
static bool reach(struct sched_run *r, unsigned part, const char *name)
{
	struct barrier *b = barrier_get(r, name);

	if (!b || part >= r->n)
		return false;
	b->reached[part]++;
	for (unsigned i = 0; i < r->n; i++)
		if (b->reached[i] <= b->opened)
			return false;
	b->opened++;
	return true;
}

static int on_barrier(struct sched *s, struct sched_part *p, const json_t *event, struct err *e)
{
	const char *name = json_text(event, "name", NULL);
	AUTOJSON *go = NULL;

	if (!name || !reach(p->run, p->at, name))
		return 0;
	go = json_pack("{s:s, s:s}", "kind", "go", "barrier", name);
	for (unsigned i = 0; i < p->run->n; i++)
		if (send_line(s, &p->run->parts[i], go, e))
			return -1;
	return 0;
}

static int on_tell(struct sched *s, struct sched_part *p, const json_t *event, struct err *e)
{
	const char *to = json_text(event, "to", NULL);
	AUTOJSON *line =
		json_pack("{s:s, s:s, s:s, s:s}", "kind", "message", "from", p->role ? p->role : "",
			"key", json_text(event, "key", ""), "value", json_text(event, "value", ""));

	for (unsigned i = 0; i < p->run->n; i++) {
		struct sched_part *other = &p->run->parts[i];

		if (to ? !other->role || strcmp(other->role, to) != 0 : other == p)
			continue;
		if (send_line(s, other, line, e))
			return -1;
	}
	return 0;
}

int joint_gone(struct sched *s, struct sched_part *p, const char *why, struct err *e)
{
	AUTOJSON *line = json_pack("{s:s, s:s, s:s}", "kind", "gone", "role",
		p->role ? p->role : "", "why", why ? why : verdict_name((enum verdict)p->verdict));

	for (unsigned i = 0; i < p->run->n; i++)
		if (send_line(s, &p->run->parts[i], line, e))
			return -1;
	return 0;
}

int sched_part_event(struct sched *s, int64_t run, unsigned part, uint64_t offset,
	const json_t *event, struct err *e)
{
	struct sched_part *p = part_find(s, run, part);
	const char *kind = json_text(event, "kind", "");
	int rc = 0;

	if (!p || p->state == PART_ENDED || offset < p->seen)
		return 0;
	p->seen = offset + 1;
	if (!strcmp(kind, "barrier"))
		rc = on_barrier(s, p, event, e);
	else if (!strcmp(kind, "tell"))
		rc = on_tell(s, p, event, e);
	else if (!strcmp(kind, "power"))
		rc = board_power(s, p->board, json_text(event, "state", ""), e);
	return rc ? -1 : sched_settle(s, e);
}

static int reached(void *arg, const char *kind, const struct store_event *ev)
{
	AUTOJSON *event = json_loads(ev->line, 0, NULL);
	const char *name = json_text(event, "name", NULL);

	(void)kind;
	if (name)
		reach(arg, ev->part, name);
	return 0;
}

int joint_load(struct sched *s, struct sched_run *r, struct err *e)
{
	for (unsigned i = 0; i < r->n; i++)
		if (store_part_offset(s->store, r->id, i, &r->parts[i].seen, e))
			return sched_store_failed(s);
	if (r->n > 1 && store_events(s->store, r->id, "barrier", reached, r, e) < 0)
		return sched_store_failed(s);
	return 0;
}
