/* SPDX-License-Identifier: MIT */
/* What there is, as the API shows it, and word of every change to those who follow. */
#include "inner.h"

#include "io/json.h"

#include <string.h>

static json_t *text_or_null(const char *text)
{
	return text && *text ? json_string(text) : json_null();
}

static json_t *time_or_null(int64_t ms)
{
	return ms ? json_integer(ms) : json_null();
}

#define set(j, key, value) json_object_set_new(j, key, value)

/* ---- boards ---- */

static bool has_text(const json_t *list, const char *word)
{
	for (size_t i = 0; i < json_array_size(list); i++)
		if (!strcmp(json_string_value(json_array_get(list, i)), word))
			return true;
	return false;
}

/* The type's words and the board's own, without those that the board takes away. */
static json_t *words(const struct param_strings *types, const struct param_strings *own)
{
	json_t *out = json_array();
	const struct param_strings *both[] = {types, own};

	for (size_t k = 0; k < ARRAY_LEN(both); k++)
		for (size_t i = 0; both[k] && i < both[k]->n; i++) {
			const char *word = both[k]->p[i];
			bool taken = *word == '-' || has_text(out, word);

			for (size_t m = 0; m < own->n; m++)
				taken |= own->p[m][0] == '-' && !strcmp(own->p[m] + 1, word);
			if (!taken)
				json_array_append_new(out, json_string(word));
		}
	return out;
}

static json_t *board_body(const struct sched_board *b)
{
	const struct sched_part *p = b->part;
	const struct sched_job *job = p ? p->run->job : NULL;
	json_t *j = json_object();

	set(j, "board", json_string(b->name));
	set(j, "agent", text_or_null(b->agent && b->present ? b->agent->name : NULL));
	set(j, "lab", text_or_null(b->lab));
	set(j, "type", text_or_null(b->type));
	set(j, "soc", text_or_null(json_text(b->announced, "soc", NULL)));
	set(j, "twin", json_boolean(json_flag(b->announced, "twin", false)));
	set(j, "online", json_boolean(b->present && b->agent->online));
	set(j, "state", json_string(board_state_name(b->state)));
	set(j, "health", json_string(board_health_name(b->health)));
	set(j, "reason", text_or_null(b->reason));
	set(j, "who", text_or_null(b->who));
	set(j, "since_ms", json_integer(b->since_ms));
	set(j, "checked_ms", time_or_null(b->checked_ms));
	set(j, "power", json_string(b->power));
	if (b->alike) {
		const struct board *view = &b->alike->board;

		set(j, "peripherals", words(&view->type->peripherals, &view->peripherals));
		set(j, "tags", words(&view->type->tags, &view->tags));
	} else {
		set(j, "peripherals", json_array());
		set(j, "tags", json_array());
	}
	set(j, "revision", text_or_null(json_text(b->announced, "revision", NULL)));
	set(j, "job", job ? json_integer(job->id) : json_null());
	set(j, "run", p ? json_integer(p->run->id) : json_null());
	set(j, "owner", text_or_null(job ? job->who->name : NULL));
	set(j, "until_ms", time_or_null(job && job->lease ? job->lease->until_ms : 0));
	return j;
}

json_t *sched_board_json(const struct sched *s, const char *board)
{
	const struct sched_board *b = map_find(&s->boards, board);

	return b && b->stored ? board_body(b) : NULL;
}

json_t *sched_boards_json(const struct sched *s)
{
	json_t *list = json_array();

	map_each (&s->boards, it) {
		const struct sched_board *b = it->value;

		if (b->stored && (b->present || b->part))
			json_array_append_new(list, board_body(b));
	}
	return list;
}

/* ---- agents ---- */

static json_t *agent_body(const struct sched_agent *a)
{
	json_t *j = json_object();

	set(j, "agent", json_string(a->name));
	set(j, "lab", text_or_null(a->lab));
	set(j, "version", text_or_null(a->version));
	set(j, "protocol", json_integer(a->protocol));
	set(j, "online", json_boolean(a->online));
	set(j, "first_ms", json_integer(a->first_ms));
	set(j, "seen_ms", json_integer(a->seen_ms));
	set(j, "max_jobs", a->max_jobs ? json_integer(a->max_jobs) : json_null());
	set(j, "jobs", json_integer(a->n_parts));
	set(j, "boards", json_integer((json_int_t)a->boards.n));
	return j;
}

json_t *sched_agents_json(const struct sched *s)
{
	json_t *list = json_array();

	map_each (&s->agents, it)
		json_array_append_new(list, agent_body(it->value));
	return list;
}

/* ---- jobs and runs ---- */

static json_t *job_body(
	const struct sched *s, const struct sched_job *job, const struct job_end *end)
{
	AUTOBUF waits = BUF_INIT(1 << 16);
	json_t *j = json_object(), *runs = json_array(), *boards = json_array();

	for (int i = 0; i < job->attempts && i < SCHED_ATTEMPTS; i++)
		json_array_append_new(runs, json_integer(job->runs[i]));
	for (unsigned i = 0; job->run && i < job->run->n; i++)
		json_array_append_new(boards, json_string(job->run->parts[i].board->name));
	set(j, "job", json_integer(job->id));
	set(j, "name", json_string(job->name));
	set(j, "kind", json_string(job_kind_names[job->kind]));
	set(j, "submitter", json_string(job->who->name));
	set(j, "state", json_string(job_state_name(job->state)));
	set(j, "priority", json_integer(job->priority));
	set(j, "build", text_or_null(job->build));
	set(j, "submitted_ms", json_integer(job->submitted_ms));
	set(j, "ended_ms", time_or_null(end ? end->ended_ms : 0));
	set(j, "attempts", json_integer(job->attempts));
	set(j, "verdict", text_or_null(end ? end->verdict : NULL));
	set(j, "blame", text_or_null(end && end->blame ? err_blame_name(end->blame) : NULL));
	set(j, "message", text_or_null(end ? end->message : NULL));
	set(j, "canceled_by", text_or_null(job->canceled_by));
	set(j, "nightly", time_or_null(job->nightly));
	set(j, "retry_of", time_or_null(job->retry_of));
	if (s && job->state == JOB_QUEUED) {
		sched_waits(s, job->id, &waits);
		set(j, "waits", json_string(buf_str(&waits)));
	}
	set(j, "runs", runs);
	set(j, "boards", boards);
	set(j, "params", job->params ? json_loads(job->params, 0, NULL) : json_object());
	return j;
}

json_t *sched_job_json(const struct sched *s, int64_t id)
{
	const struct sched_job *job = ids_find(&s->jobs, id);

	return job ? job_body(s, job, NULL) : NULL;
}

static json_t *part_body(const struct sched_part *p)
{
	static const char *const states[] = {"assigned", "running", "ended"};
	json_t *j = json_object();

	set(j, "part", json_integer(p->at));
	set(j, "role", text_or_null(p->role));
	set(j, "board", json_string(p->board->name));
	set(j, "agent", json_string(p->agent->name));
	set(j, "state", json_string(states[p->state]));
	set(j, "verdict",
		p->verdict < 0 ? json_null() : json_string(verdict_name((enum verdict)p->verdict)));
	set(j, "blame", text_or_null(p->blame ? err_blame_name(p->blame) : NULL));
	set(j, "message", text_or_null(p->message));
	set(j, "started_ms", time_or_null(p->started_ms));
	set(j, "ended_ms", time_or_null(p->ended_ms));
	return j;
}

static json_t *run_body(const struct sched_run *r, const struct job_end *end)
{
	const struct sched_board *b = r->parts[0].board;
	json_t *j = json_object(), *parts = json_array(), *boards = json_array();

	for (unsigned i = 0; i < r->n; i++) {
		json_array_append_new(parts, part_body(&r->parts[i]));
		json_array_append_new(boards, json_string(r->parts[i].board->name));
	}
	set(j, "run", json_integer(r->id));
	set(j, "job", json_integer(r->job_id));
	set(j, "attempt", json_integer(r->job ? r->job->attempts : 0));
	set(j, "boards", boards);
	set(j, "type", text_or_null(b->type));
	set(j, "lab", text_or_null(b->lab));
	set(j, "verdict", text_or_null(end ? end->verdict : NULL));
	set(j, "blame", text_or_null(end && end->blame ? err_blame_name(end->blame) : NULL));
	set(j, "message", text_or_null(end ? end->message : NULL));
	set(j, "started_ms", json_integer(r->parts[0].assigned_ms));
	set(j, "ended_ms", time_or_null(end ? end->ended_ms : 0));
	set(j, "parts", parts);
	return j;
}

json_t *sched_counts_json(const struct sched *s)
{
	json_t *j = json_object(), *boards = json_object();
	size_t states[BOARD_STATES] = {0}, offline = 0, online = 0, ill = 0;

	map_each (&s->boards, it) {
		const struct sched_board *b = it->value;

		if (!b->stored || !b->present)
			continue;
		states[b->state]++;
		offline += !b->agent->online;
		ill += b->health != HEALTH_GOOD;
	}
	map_each (&s->agents, it)
		online += ((struct sched_agent *)it->value)->online;
	for (int i = 0; i < BOARD_STATES; i++)
		set(boards, board_state_name((enum board_state)i),
			json_integer((json_int_t)states[i]));
	set(boards, "offline", json_integer((json_int_t)offline));
	set(boards, "not_good", json_integer((json_int_t)ill));
	set(j, "queued", json_integer((json_int_t)s->n_queued));
	set(j, "running", json_integer((json_int_t)(s->jobs.n - s->n_queued)));
	set(j, "boards", boards);
	set(j, "agents",
		json_pack("{s:I, s:I}", "online", (json_int_t)online, "offline",
			(json_int_t)(s->agents.n - online)));
	return j;
}

/* ---- word of changes ---- */

static void tell(struct sched *s, struct sched_event ev, json_t *body)
{
	ev.body = body;
	s->hooks.event(s->hooks.arg, &ev);
	json_decref(body);
}

void tell_job(struct sched *s, struct sched_job *job, const struct job_end *end)
{
	const struct sched_board *b = job->run ? NULL : job->class->wants[0].pin;
	AUTOFREE char *labs = job->run ? run_labs(job->run) : NULL;

	if (s->hooks.event)
		tell(s,
			(struct sched_event){.kind = "job",
				.id = job->id,
				.lab = b ? b->lab : labs,
				.submitter = job->who->name},
			s->hooks.bare
				? NULL
				: job_body(s->n_queued < TELL_WAITS_MAX ? s : NULL, job, end));
}

void tell_run(struct sched *s, const struct sched_run *r, const struct job_end *end)
{
	AUTOFREE char *labs = run_labs(r);

	if (s->hooks.event)
		tell(s,
			(struct sched_event){.kind = "run",
				.id = r->id,
				.lab = labs,
				.submitter = r->job ? r->job->who->name : NULL},
			s->hooks.bare ? NULL : run_body(r, end));
}

void tell_late(struct sched *s, const char *kind, int64_t id, const struct sched_board *b,
	const char *message)
{
	if (s->hooks.event)
		tell(s, (struct sched_event){.kind = kind, .id = id, .lab = b ? b->lab : NULL},
			json_pack("{s:I, s:b, s:s}", kind, (json_int_t)id, "late", 1, "message",
				message));
}

void tell_board(struct sched *s, const struct sched_board *b)
{
	if (s->hooks.event)
		tell(s, (struct sched_event){.kind = "board", .name = b->name, .lab = b->lab},
			s->hooks.bare ? NULL : board_body(b));
}

void tell_agent(struct sched *s, const struct sched_agent *a)
{
	if (s->hooks.event)
		tell(s, (struct sched_event){.kind = "agent", .name = a->name, .lab = a->lab},
			s->hooks.bare ? NULL : agent_body(a));
}

void tell_lease(struct sched *s, const struct lease *l, const char *state)
{
	const struct sched_board *b = map_find(&s->boards, l->board);

	if (s->hooks.event)
		tell(s,
			(struct sched_event){.kind = "lease",
				.name = l->board,
				.lab = b ? b->lab : NULL,
				.submitter = l->job->who->name},
			json_pack("{s:s, s:s, s:I, s:s, s:I, s:I, s:s?}", "board", l->board,
				"state", state, "job", (json_int_t)l->job->id, "owner",
				l->job->who->name, "until_ms", (json_int_t)l->until_ms, "hard_ms",
				(json_int_t)l->hard_ms, "why", l->why));
}
