/* SPDX-License-Identifier: MIT */
/*
 * Runs: attempts of jobs, one part a board. Invariant: a board has at most one part, which counts
 * on its agent until that agent has nothing of it any more.
 */
#include "inner.h"

#include "base/clock.h"
#include "io/json.h"

#include <string.h>

struct sched_run *run_new(struct sched *s, int64_t id, struct sched_job *job, unsigned n)
{
	struct sched_run *r = mem_alloc(sizeof *r + n * sizeof r->parts[0]);

	r->id = id;
	r->n = n;
	r->job = job;
	r->job_id = job ? job->id : 0;
	for (unsigned i = 0; i < n; i++)
		r->parts[i] = (struct sched_part){.run = r, .at = i, .verdict = -1};
	ids_add(&s->runs, id, r);
	return r;
}

void run_free(struct sched *s, struct sched_run *r)
{
	ids_del(&s->runs, r->id);
	for (unsigned i = 0; i < r->n; i++) {
		free(r->parts[i].dir);
		free(r->parts[i].role);
		free(r->parts[i].message);
	}
	vec_each (&r->barriers, b)
		free(b->name);
	vec_done(&r->barriers);
	free(r);
}

struct sched_part *part_find(const struct sched *s, int64_t run, unsigned part)
{
	struct sched_run *r = ids_find(&s->runs, run);

	return r && part < r->n ? &r->parts[part] : NULL;
}

bool sched_part_open(const struct sched *s, int64_t run, unsigned part, const char *agent)
{
	const struct sched_part *p = part_find(s, run, part);

	return p && p->agent && (p->state != PART_ENDED || p->lost) &&
	       !strcmp(p->agent->name, agent);
}

int part_save(struct sched *s, const struct sched_part *p, struct err *e)
{
	static const char *const states[] = {"assigned", "running", "ended"};
	struct store_part row = {
		.run = p->run->id,
		.job = p->run->job_id,
		.part = p->at,
		.role = p->role,
		.agent = p->agent->name,
		.board = p->board->name,
		.dir = p->dir,
		.state = states[p->state],
		.verdict = p->verdict < 0 ? NULL : verdict_name((enum verdict)p->verdict),
		.blame = p->blame == BLAME_NONE ? NULL : err_blame_name(p->blame),
		.message = p->message,
		.power = p->power,
		.assigned_ms = p->assigned_ms,
		.started_ms = p->started_ms,
		.ended_ms = p->ended_ms,
	};
	bool new = p->state == PART_ASSIGNED && !p->stored;

	if (new ? store_part_add(s->store, &row, e) : store_part_save(s->store, &row, e))
		return sched_store_failed(s);
	return 0;
}

/* ---- beginning ---- */

int part_take(struct sched *s, struct sched_part *p, struct err *e)
{
	struct sched_board *b = p->board;

	if (b->part) {
		s->damaged = true;
		return err_set(e, BLAME_BUG, "board '%s' is in run %lld already", b->name,
			(long long)b->part->run->id);
	}
	b->part = p;
	p->agent->n_parts++;
	if (p->run->job)
		sched_share(s, p->run->job->who, 1);
	if (board_move(s, b, BOARD_RESERVED, e))
		return -1;
	if (p->state == PART_ASSIGNED)
		return 0;
	return board_move(s, b, part_leases(p) ? BOARD_LEASED : BOARD_BUSY, e);
}

bool part_leases(const struct sched_part *p)
{
	return p->run->job && p->run->job->kind == KIND_LEASE;
}

/* What the boards have different, once each: "lab" or "lab-1,lab-2"; heap, NULL: nothing. */
typedef const char *board_text_fn(const struct sched_board *b);

static const char *type_of(const struct sched_board *b)
{
	return b->type;
}

static const char *soc_of(const struct sched_board *b)
{
	return json_text(b->announced, "soc", NULL);
}

static const char *lab_of(const struct sched_board *b)
{
	return b->lab;
}

static char *join(struct sched_board *const *boards, unsigned n, board_text_fn *text)
{
	AUTOBUF out = BUF_INIT(1 << 16);

	for (unsigned i = 0; i < n; i++) {
		const char *own = boards[i] ? text(boards[i]) : NULL;
		bool had = !own;

		for (unsigned k = 0; k < i && !had; k++) {
			const char *other = boards[k] ? text(boards[k]) : NULL;

			had = other && !strcmp(other, own);
		}
		if (!had)
			buf_printf(&out, "%s%s", out.len ? "," : "", own);
	}
	return out.len ? mem_strdup(buf_str(&out)) : NULL;
}

char *run_labs(const struct sched_run *r)
{
	struct sched_board *boards[SCHED_PARTS_MAX];

	for (unsigned i = 0; i < r->n; i++)
		boards[i] = r->parts[i].board;
	return join(boards, r->n, lab_of);
}

static int add_run(struct sched *s, struct sched_job *job, struct sched_board *const *boards,
	int64_t *id, struct err *e)
{
	const char *version = job->build ? strrchr(job->build, ' ') : NULL;
	AUTOFREE char *build =
		version ? mem_strndup(job->build, (size_t)(version - job->build)) : NULL;
	AUTOBUF names = BUF_INIT(1 << 16);
	AUTOFREE char *type = join(boards, job->class->n, type_of);
	AUTOFREE char *soc = join(boards, job->class->n, soc_of);
	AUTOFREE char *lab = join(boards, job->class->n, lab_of);
	AUTOFREE char *dir = NULL;
	struct store_run row = {
		.job = job->name,
		.type = type,
		.soc = soc,
		.lab = lab,
		.build = build ? build : job->build,
		.build_version = version ? version + 1 : NULL,
		.started_ms = clock_wall_ms(),
		.params = job->params ? job->params : "{}",
		.job_id = job->id,
		.attempt = job->attempts + 1,
	};

	for (unsigned i = 0; i < job->class->n; i++) {
		buf_printf(&names, "%s%s", i ? "," : "", boards[i]->name);
		row.twin |= json_flag(boards[i]->announced, "twin", false);
	}
	row.board = buf_str(&names);
	if (store_run_add(s->store, &row, e))
		return sched_store_failed(s);
	*id = row.id;
	dir = s->hooks.part_dir ? s->hooks.part_dir(s->hooks.arg, row.id, NULL) : NULL;
	if (dir && store_run_set_dir(s->store, row.id, dir, e))
		return sched_store_failed(s);
	return 0;
}

static int begin_part(struct sched *s, struct sched_part *p, struct sched_board *b, struct err *e)
{
	struct sched_job *job = p->run->job;

	if (b->held) {
		several_drop(s, b);
		sched_rethink(s);
	}
	p->board = b;
	p->agent = b->agent;
	p->assigned_ms = clock_wall_ms();
	p->role = job->roles ? dup_text(job->roles[p->at]) : NULL;
	if (s->hooks.part_dir)
		p->dir = s->hooks.part_dir(s->hooks.arg, p->run->id, p->role);
	if (part_take(s, p, e) || part_save(s, p, e))
		return -1;
	p->stored = true;
	command_add(s, p, "start", NULL);
	tell_board(s, b);
	return 0;
}

int run_start(
	struct sched *s, struct sched_job *job, struct sched_board *const *boards, struct err *e)
{
	struct sched_run *r;
	int64_t id = 0;

	if (job->attempts >= SCHED_ATTEMPTS) {
		s->damaged = true;
		return err_set(e, BLAME_BUG, "job %lld had all its attempts", (long long)job->id);
	}
	if (add_run(s, job, boards, &id, e) || job_move(s, job, JOB_ASSIGNED, e))
		return -1;
	queue_del(s, job);
	several_release(s, job);
	r = run_new(s, id, job, job->class->n);
	job->run = r;
	job->runs[job->attempts++] = id;
	for (unsigned i = 0; i < r->n; i++)
		if (begin_part(s, &r->parts[i], boards[i], e))
			return -1;
	job_patience(s, job);
	if (job_save(s, job, e))
		return -1;
	tell_run(s, r, NULL);
	return job->lease ? lease_begun(s, job, e) : 0;
}

int sched_part_started(struct sched *s, int64_t run, unsigned part, struct err *e)
{
	struct sched_part *p = part_find(s, run, part);
	struct sched_job *job;

	if (!p || p->state != PART_ASSIGNED)
		return 0;
	job = p->run->job;
	p->state = PART_RUNNING;
	p->started_ms = clock_wall_ms();
	if (part_save(s, p, e) ||
		board_move(s, p->board, part_leases(p) ? BOARD_LEASED : BOARD_BUSY, e))
		return -1;
	tell_board(s, p->board);
	if (job->state == JOB_ASSIGNED && (job_move(s, job, JOB_RUNNING, e) || job_save(s, job, e)))
		return -1;
	if (job->lease)
		tell_lease(s, job->lease, "up");
	return sched_settle(s, e);
}
