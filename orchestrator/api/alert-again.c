/* SPDX-License-Identifier: MIT */
/*
 * An earlier job once more, on a board and with a build of choice. Invariant: but for those two
 * its plan is the same, also where the document has changed since.
 */
#include "api/alert.h"

#include "base/mem.h"
#include "io/json.h"

#include <stdlib.h>
#include <string.h>

struct again {
	struct server *server;
	struct arena arena;
	struct store_job job;
	bool found;
};

static int copy(void *arg, const struct store_job *job)
{
	struct again *g = arg;

	g->found = true;
	g->job = sched_again(&g->arena, job);
	g->job.submitter = arena_strdup(&g->arena, job->submitter);
	g->job.priority = ALERT_PRIORITY;
	g->job.queue_timeout_ms = ALERT_QUEUE_MS;
	return 1;
}

/* A board of the alert's type that is not that one and in service; one that is idle before others.
 * Borrowed from boards; NULL: none. */
static const char *another(const json_t *boards, const json_t *body, const char *not_board)
{
	const char *best = NULL;
	const json_t *b;
	size_t i;

	json_array_foreach ((json_t *)boards, i, b) {
		const char *name = json_text(b, "board", ""), *health = json_text(b, "health", "");

		if (!strcmp(name, not_board) || !json_flag(b, "online", false) ||
			strcmp(json_text(b, "type", ""), json_text(body, "type", "")) ||
			(strcmp(health, "good") && strcmp(health, "unknown")))
			continue;
		if (!strcmp(json_text(b, "state", ""), "idle"))
			return name;
		best = best ? best : name;
	}
	return best;
}

/* The images of that version into the plan. */
static int change_build(
	struct again *g, const char *line, const char *version, json_t *entry, struct err *e)
{
	AUTOFREE char *build = mem_printf("%s@%s", line, version);
	struct plan p = {0};
	int r;

	if (plan_from_json(&p, json_object_get(entry, "plan"), e))
		return -1;
	r = build_into(g->server, build, &p, e);
	if (!r) {
		json_object_set_new(entry, "plan", plan_to_json(&p));
		g->job.build = arena_printf(&g->arena, "%s %s", p.build, p.build_version);
	}
	plan_done(&p);
	return r;
}

static const char *text_of(struct arena *a, const json_t *j)
{
	AUTOFREE char *text = json_dumps(j, JSON_COMPACT);

	return arena_strdup(a, text);
}

/* Plans and wants as the ask has them. 0, -1 with e. */
static int change(struct again *g, const struct alert *a, const struct alert_ask *ask,
	const char *board, struct err *e)
{
	AUTOJSON *plans = json_loads(g->job.plans ? g->job.plans : "[]", 0, NULL);
	AUTOJSON *wants = json_loads(g->job.wants ? g->job.wants : "[]", 0, NULL);
	const char *line = json_text(a->body, "line", "");
	json_t *entry = json_array_get(plans, 0), *want = json_array_get(wants, 0);

	if (json_array_size(plans) != 1 || !want)
		return err_set(e, BLAME_JOB, "a job of several boards is not run again by itself");
	if (ask->version && *line && change_build(g, line, ask->version, entry, e))
		return -1;
	if (board) {
		json_object_set_new(want, "name", json_string(board));
		json_object_set_new(json_object_get(json_object_get(entry, "plan"), "board"),
			"name", json_string(board));
	}
	g->job.plans = text_of(&g->arena, plans);
	g->job.wants = text_of(&g->arena, wants);
	return 0;
}

int alert_again(struct server *s, const struct alert *a, const struct alert_ask *ask, int64_t *job,
	struct buf *why, struct err *e)
{
	AUTOJSON *boards = ask->not_board ? sched_boards_json(s->sched) : NULL;
	const char *board = ask->not_board ? another(boards, a->body, ask->not_board) : ask->board;
	struct again g = {.server = s};
	struct err not = {0};
	int r = store_job_get(s->store, json_int(a->body, "source", 0), copy, &g, e);

	if (r >= 0 && ask->not_board && !board)
		buf_printf(why, "there is no other board of the type");
	else if (r >= 0 && !g.found)
		buf_printf(why, "the job that saw it is not there any more");
	else if (r >= 0 && change(&g, a, ask, board, &not ))
		buf_printf(why, "%s", not .msg);
	else if (r >= 0 && sched_submit(s->sched, &g.job, &not ))
		buf_printf(why, "%s", not .msg);
	else if (r >= 0)
		*job = g.job.id;
	arena_done(&g.arena);
	if (r < 0 || sched_damaged(s->sched))
		return r < 0 ? -1 : err_set(e, BLAME_INFRA, "%s", not .msg);
	return !why->len;
}
