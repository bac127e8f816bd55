/* SPDX-License-Identifier: MIT */
/*
 * What is said of a run after it was given up. Invariant: it is taken once and hides nothing: the
 * part says that it came late, the run says what was believed until then, and the audit keeps both.
 * It takes back only what the silence caused: what a person did, and what another attempt came to,
 * stand.
 */
#include "inner.h"

#include "base/clock.h"

#include <stdio.h>
#include <string.h>

struct belief {
	enum verdict verdict;
	enum err_blame blame;
	char *message; /* NULL: none */
};
struct late {
	struct sched *s;
	struct err *e;
	struct sched_part said; /* what its status says */
	struct sched_run *run;  /* as the store has it, with that in its place */
	int64_t job;
	struct sched_board *board; /* NULL: not known any more */
	bool known, first;
	bool canceled;        /* the job, by a person or before it came to more */
	bool check;           /* the job is a health check */
	struct belief before; /* of the run */
	struct belief now;
};

static bool is_infra(int verdict, enum err_blame blame)
{
	return verdict == VERDICT_INCOMPLETE && blame == BLAME_INFRA;
}

static const char *blame_text(enum err_blame blame)
{
	return blame == BLAME_NONE ? NULL : err_blame_name(blame);
}

static enum err_blame blame_of(const char *name)
{
	int blame = err_blame_parse(name ? name : "none");

	return blame < 0 ? BLAME_BUG : (enum err_blame)blame;
}

/* ---- the part ---- */

static int save_part(struct late *l, const struct store_part *row)
{
	const struct sched_part *said = &l->said;
	AUTOFREE char *text = mem_printf("after the run was given up%s%s",
		said->message ? ": " : "", said->message ? said->message : "");
	struct store_part new = *row;

	new.verdict = verdict_name((enum verdict)said->verdict);
	new.blame = blame_text(said->blame);
	new.message = text;
	new.power = said->power;
	return store_part_save(l->s->store, &new, l->e);
}

static int take_part(void *arg, const struct store_part *row)
{
	struct late *l = arg;
	struct sched_part *p;

	if (row->part >= SCHED_PARTS_MAX)
		return 0;
	p = &l->run->parts[row->part];
	l->run->n = row->part + 1; /* they come in their order */
	p->role = dup_text(row->role);
	p->ended_ms = row->ended_ms;
	p->verdict = verdict_parse(row->verdict);
	p->blame = blame_of(row->blame);
	p->message = dup_text(row->message);
	if (row->part != l->said.at)
		return 0;
	l->known = true;
	l->first = !row->power;
	l->job = row->job;
	l->board = map_find(&l->s->boards, row->board);
	p->verdict = l->said.verdict;
	p->blame = l->said.blame;
	set_text(&p->message, l->said.message);
	return l->first ? save_part(l, row) : 0;
}

/* ---- the run ---- */

static int take_run(void *arg, const struct store_run *row)
{
	struct late *l = arg;
	int verdict = verdict_parse(row->verdict);

	l->before.verdict = verdict < 0 ? VERDICT_INCOMPLETE : (enum verdict)verdict;
	l->before.blame = blame_of(row->blame);
	l->before.message = dup_text(row->message);
	return 0;
}

static int take_job(void *arg, const struct store_job *row)
{
	struct late *l = arg;

	l->canceled = row->canceled_by || (row->verdict && !strcmp(row->verdict, "canceled"));
	l->check = !strcmp(row->kind, job_kind_names[KIND_HEALTH]);
	return 1;
}

static int record(struct late *l, const char *what, int64_t id)
{
	AUTOFREE char *subject = mem_printf("%s %lld", what, (long long)id);
	AUTOFREE char *detail = mem_printf("%s, blame %s; before that %s, blame %s: %s",
		verdict_name(l->now.verdict), err_blame_name(l->now.blame),
		verdict_name(l->before.verdict), err_blame_name(l->before.blame),
		l->before.message ? l->before.message : "");
	struct store_audit a = {.at_ms = clock_wall_ms(),
		.account = SCHED_SELF,
		.what = "late result",
		.subject = subject,
		.detail = detail};

	return store_audit_add(l->s->store, &a, l->e);
}

/* In the order in which they ended, as far as that is stored. */
static void set_orders(struct sched_run *r)
{
	for (unsigned i = 0; i < r->n; i++)
		for (unsigned k = 0; k < r->n; k++)
			r->parts[i].order +=
				r->parts[k].ended_ms < r->parts[i].ended_ms ||
				(r->parts[k].ended_ms == r->parts[i].ended_ms && k < i);
}

/* 1: the run is believed to have ended otherwise now. */
static int believe(struct late *l, int64_t run)
{
	const struct sched_part *p;
	AUTOFREE char *text = NULL;

	for (unsigned i = 0; i < l->run->n; i++)
		if (l->run->parts[i].verdict < 0)
			return 0;
	set_orders(l->run);
	p = run_decisive(l->run, &text);
	l->now.verdict = (enum verdict)p->verdict;
	l->now.blame = p->blame;
	/* It was canceled because it was given up: that says nothing new. */
	if ((p->verdict == VERDICT_CANCELED && !l->canceled) ||
		(l->now.verdict == l->before.verdict && l->now.blame == l->before.blame))
		return 0;
	l->now.message = mem_printf("%s%sit came late, before that: %s", text ? text : "",
		text ? "; " : "", l->before.message ? l->before.message : "nothing was known");
	if (store_run_late(l->s->store, run, verdict_name(l->now.verdict), blame_text(l->now.blame),
		    l->now.message, l->e) ||
		record(l, "run", run))
		return -1;
	tell_late(l->s, "run", run, l->board, l->now.message);
	return 1;
}

/* ---- the job ---- */

static int save_job(void *arg, const struct store_job *row)
{
	struct late *l = arg;
	struct store_job new = *row;

	if (strcmp(row->state, job_state_name(JOB_DONE)) != 0 || l->canceled ||
		row->last_run != l->run->id || strcmp(row->verdict, "incomplete") != 0 ||
		!strcmp(row->kind, job_kind_names[KIND_LEASE]))
		return 0;
	new.verdict = verdict_name(l->now.verdict);
	new.blame = blame_text(l->now.blame);
	new.message = l->now.message;
	if (store_job_save(l->s->store, &new, l->e) || record(l, "job", row->id))
		return -1;
	tell_late(l->s, "job", row->id, l->board, l->now.message);
	return 1;
}

/* Where nothing came after that run, its job ended as it did, or needs no other attempt. */
static int change_job(struct late *l)
{
	struct sched_job *job = ids_find(&l->s->jobs, l->job);
	struct job_end end = {
		verdict_name(l->now.verdict), l->now.message, l->now.blame, clock_wall_ms()};

	if (!job)
		return store_job_get(l->s->store, l->job, save_job, l, l->e) < 0 ? -1 : 0;
	if (job->state != JOB_QUEUED || job->kind != KIND_JOB || !job->attempts ||
		job->runs[job->attempts - 1] != l->run->id || l->now.verdict == VERDICT_CANCELED ||
		is_infra(l->now.verdict, l->now.blame))
		return 0;
	return record(l, "job", job->id) || job_end(l->s, job, &end, l->e) ? -1 : 0;
}

/* ---- the board ---- */

/* Its silence was held against the board. */
static int change_board(struct late *l)
{
	struct sched_board *b = l->board;
	AUTOFREE char *who = mem_printf("run %lld", (long long)l->run->id);

	if (!b || !b->who || strcmp(b->who, who) != 0 || b->health >= HEALTH_MAINTENANCE ||
		is_infra(l->said.verdict, l->said.blame) || l->said.verdict == VERDICT_CANCELED)
		return 0;
	l->said.run = l->run;
	l->said.board = b;
	if (l->check)
		return board_judge(l->s, &l->said, true, l->e);
	if (l->said.verdict == VERDICT_PASS && !b->checkable)
		return board_set_health(l->s, b, HEALTH_GOOD, NULL, who, l->e);
	return b->health == HEALTH_BAD
		       ? board_set_health(l->s, b, HEALTH_UNKNOWN, b->reason, who, l->e)
		       : 0;
}

/* ---- all of it ---- */

static void late_done(struct late *l)
{
	for (unsigned i = 0; i < l->run->n; i++) {
		free(l->run->parts[i].role);
		free(l->run->parts[i].message);
	}
	free(l->run);
	free(l->said.message);
	free(l->before.message);
	free(l->now.message);
}

static int take(struct late *l, int64_t run)
{
	struct store *store = l->s->store;
	int changed;

	if (store_parts(store, run, take_part, l, l->e) < 0)
		return -1;
	if (!l->known || !l->first)
		return 0;
	if (store_run_get(store, run, take_run, l, l->e) < 0 ||
		store_job_get(store, l->job, take_job, l, l->e) < 0)
		return -1;
	changed = believe(l, run);
	if (changed < 0 || (changed && change_job(l)))
		return -1;
	return change_board(l);
}

int part_late(struct sched *s, int64_t run, unsigned part, const json_t *status, struct err *e)
{
	struct late l = {.s = s, .e = e, .said = {.at = part}};
	struct sched_part *p;
	int rc;

	l.run = mem_alloc(sizeof *l.run + SCHED_PARTS_MAX * sizeof l.run->parts[0]);
	l.run->id = run;
	part_set_status(&l.said, status);
	rc = take(&l, run);
	p = part_find(s, run, part);
	if (rc)
		sched_store_failed(s);
	else if (!l.known)
		rc = err_set(e, BLAME_JOB, "there is no part %u of run %lld", part, (long long)run);
	else if (p && p->lost) {
		struct sched_agent *a = p->agent;

		rc = board_power(s, p->board, l.said.power, e) || part_gone(s, p, e) ? -1 : 0;
		if (!rc)
			command_forget(s, a, run, part);
	}
	late_done(&l);
	return rc;
}
