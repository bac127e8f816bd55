/* SPDX-License-Identifier: MIT */
/*
 * How runs end. Invariant: a run ends once, when its last part has ended or was given up; a board
 * is free when its agent has nothing of its part any more, not before.
 */
#include "inner.h"

#include "base/clock.h"
#include "io/json.h"

#include <string.h>

/* The board and the place on its agent are free. */
static int let_go(struct sched *s, struct sched_part *p, struct err *e)
{
	struct sched_board *b = p->board;
	bool full = !agent_room(p->agent);

	p->lost = false;
	b->part = NULL;
	p->agent->n_parts--;
	if (board_move(s, b, BOARD_IDLE, e))
		return -1;
	if (full)
		sched_slot(s, p->agent);
	sched_offer(s, b);
	return 0;
}

void part_set_status(struct sched_part *p, const json_t *status)
{
	int verdict = verdict_parse(json_text(status, "verdict", ""));
	int blame = err_blame_parse(json_text(status, "blame", "none"));

	p->verdict = verdict < 0 ? VERDICT_INCOMPLETE : verdict;
	p->blame = verdict < 0 || blame < 0 ? BLAME_BUG : (enum err_blame)blame;
	set_text(&p->message,
		verdict < 0 ? "its status says no verdict" : json_text(status, "message", NULL));
	p->power = power_word(json_text(status, "power", NULL));
}

/* It has ended, with the verdict that stands in it. */
static int close_part(struct sched *s, struct sched_part *p, struct err *e)
{
	bool check = p->run->job->kind == KIND_HEALTH;

	p->state = PART_ENDED;
	p->ended_ms = clock_wall_ms();
	p->order = ++p->run->n_ended;
	sched_share(s, p->run->job->who, -1);
	if (part_save(s, p, e) || let_go(s, p, e) || board_power(s, p->board, p->power, e) ||
		board_judge(s, p, check, e))
		return -1;
	tell_board(s, p->board);
	return p->run->n > 1 ? joint_gone(s, p, p->message, e) : 0;
}

/* Its agent never heard of it: nothing holds the board. */
static int close_unsent(struct sched *s, struct sched_part *p, int verdict, enum err_blame blame,
	const char *why, struct err *e)
{
	commands_drop(p->agent, p);
	p->verdict = verdict;
	p->blame = blame;
	p->power = p->board->power;
	set_text(&p->message, why);
	return close_part(s, p, e);
}

int part_stop(struct sched *s, struct sched_part *p, const char *why, struct err *e)
{
	if (p->state == PART_ENDED || p->stopping)
		return 0;
	p->stopping = true;
	if (command_unsent(p))
		return close_unsent(s, p, VERDICT_CANCELED, BLAME_CANCEL, why, e);
	command_add(s, p, "cancel", why);
	return 0;
}

int part_gone(struct sched *s, struct sched_part *p, struct err *e)
{
	struct sched_run *r = p->run;
	bool any = false;

	commands_drop(p->agent, p);
	if (let_go(s, p, e))
		return -1;
	tell_board(s, p->board);
	for (unsigned i = 0; i < r->n; i++)
		any |= r->parts[i].lost;
	if (!r->job && !any)
		run_free(s, r);
	return 0;
}

int sched_part_ended(
	struct sched *s, int64_t run, unsigned part, const json_t *status, struct err *e)
{
	struct sched_part *p = part_find(s, run, part);

	if (!p || (p->state == PART_ENDED && p->lost)) {
		if (part_late(s, run, part, status, e))
			return -1;
		return sched_settle(s, e);
	}
	if (p->state == PART_ENDED)
		return 0;
	commands_drop(p->agent, p);
	part_set_status(p, status);
	command_forget(s, p->agent, run, part);
	if (close_part(s, p, e) || run_settle(s, p->run, e))
		return -1;
	return sched_settle(s, e);
}

/* What its agent has of it is not known any more: that is asked, and the rest is to stop. */
static int lose_part(
	struct sched *s, struct sched_part *p, const struct job_end *end, struct err *e)
{
	p->state = PART_ENDED;
	p->lost = p->stopping = true;
	p->agent->known = false;
	p->ended_ms = clock_wall_ms();
	p->order = ++p->run->n_ended;
	p->verdict = verdict_parse(end->verdict);
	p->blame = end->blame;
	set_text(&p->message, end->message);
	sched_share(s, p->run->job->who, -1);
	commands_drop(p->agent, p);
	command_add(s, p, "cancel", end->message);
	if (part_save(s, p, e) || board_judge(s, p, p->run->job->kind == KIND_HEALTH, e))
		return -1;
	tell_board(s, p->board);
	return 0;
}

int run_give_up(struct sched *s, struct sched_run *r, const struct job_end *end, struct err *e)
{
	for (unsigned i = 0; i < r->n; i++) {
		struct sched_part *p = &r->parts[i];
		int rc = 0;

		if (p->state != PART_ENDED)
			rc = command_unsent(p) ? close_unsent(s, p, verdict_parse(end->verdict),
							 end->blame, end->message, e)
					       : lose_part(s, p, end, e);
		if (rc)
			return -1;
	}
	return run_settle(s, r, e);
}

/* ---- one verdict ---- */

/* It could not go on, and not by its board, after another one had ended badly: most likely it
 * waited for that one, whose end then says what happened. */
static bool may_follow(const struct sched_run *r, const struct sched_part *p)
{
	if (p->verdict != VERDICT_INCOMPLETE || p->blame != BLAME_TEST)
		return false;
	for (unsigned i = 0; i < r->n; i++)
		if (r->parts[i].order < p->order && r->parts[i].verdict != VERDICT_PASS)
			return true;
	return false;
}

/*
 * Of several parts: canceled before incomplete before fail before pass; among those the one that
 * ended first gives blame and message, because what came after it may be its consequence.
 */
const struct sched_part *run_decisive(const struct sched_run *r, char **text)
{
	static const int weight[VERDICT_COUNT] = {
		[VERDICT_PASS] = 0,
		[VERDICT_FAIL] = 1,
		[VERDICT_INCOMPLETE] = 2,
		[VERDICT_CANCELED] = 3,
	};
	const struct sched_part *best = &r->parts[0];

	for (unsigned i = 1; i < r->n; i++) {
		const struct sched_part *p = &r->parts[i];
		int more = (may_follow(r, p) ? 0 : weight[p->verdict]) -
			   (may_follow(r, best) ? 0 : weight[best->verdict]);

		if (more > 0 || (!more && p->order < best->order))
			best = p;
	}
	*text = best->role && best->message ? mem_printf("%s: %s", best->role, best->message)
					    : dup_text(best->message);
	return best;
}

static int try_again(struct sched *s, struct sched_job *job, struct sched_run *r, struct err *e)
{
	for (unsigned i = 0; i < r->n; i++)
		if (r->parts[i].verdict == VERDICT_INCOMPLETE && r->parts[i].blame == BLAME_INFRA)
			vec_push(&job->avoid, r->parts[i].board);
	job->run = NULL;
	r->job = NULL;
	if (job_move(s, job, JOB_QUEUED, e) || job_save(s, job, e))
		return -1;
	job_queue(s, job);
	return 0;
}

static int end_job(struct sched *s, struct sched_job *job, struct sched_run *r, struct job_end *end,
	struct err *e)
{
	AUTOFREE char *by = NULL;
	bool stopped = job->state == JOB_CANCELING;

	if (stopped && !job->canceled_by && job->kind == KIND_LEASE &&
		!strcmp(end->verdict, "canceled"))
		*end = (struct job_end){"pass", job->why, BLAME_NONE, end->ended_ms};
	/* One that came too late does not undo what ran. */
	else if (stopped && (job->canceled_by || job->kind != KIND_LEASE) &&
		 strcmp(end->verdict, "pass") && strcmp(end->verdict, "fail")) {
		by = job->canceled_by ? mem_printf("canceled by %s", job->canceled_by)
				      : dup_text(job->why);
		*end = (struct job_end){"canceled", by, BLAME_CANCEL, end->ended_ms};
	} else if (!stopped && job->kind == KIND_JOB && job->attempts < SCHED_ATTEMPTS &&
		   !strcmp(end->verdict, "incomplete") && end->blame == BLAME_INFRA)
		return try_again(s, job, r, e);
	return job_end(s, job, end, e);
}

int run_settle(struct sched *s, struct sched_run *r, struct err *e)
{
	struct sched_job *job = r->job;
	const struct sched_part *p;
	AUTOFREE char *text = NULL;
	struct job_end end;
	bool lost = false;

	if (r->n_ended < r->n || !job)
		return 0;
	p = run_decisive(r, &text);
	end = (struct job_end){
		verdict_name((enum verdict)p->verdict), text, p->blame, clock_wall_ms()};
	if (store_run_end(s->store, r->id, end.verdict, err_blame_name(end.blame), text ? text : "",
		    end.ended_ms, e))
		return sched_store_failed(s);
	tell_run(s, r, &end);
	if (end_job(s, job, r, &end, e))
		return -1;
	for (unsigned i = 0; i < r->n; i++)
		lost |= r->parts[i].lost;
	if (!lost)
		run_free(s, r);
	return 0;
}
