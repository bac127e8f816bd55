/* SPDX-License-Identifier: MIT */
/*
 * The runs of this host, from a command to a folder that may go. Invariant: a run that was taken on
 * has a folder, and every folder comes to have a status that is shipped, however its worker, this
 * process or the disk fares; a board is worked on by one run at a time.
 */
#include "agents/agent-inner.h"

#include "agents/worker/inbox.h"
#include "base/clock.h"
#include "base/fs.h"
#include "base/log.h"
#include "base/mem.h"
#include "io/json.h"

#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

const char *run_state_name(enum run_state s)
{
	static const char *const names[] = {
		"preparing", "waiting", "running", "freeing", "ended", "shipped"};

	return (size_t)s < ARRAY_LEN(names) ? names[s] : "?";
}

/* ---- the table ---- */

#define KEY_BYTES 48

static const char *key_text(char out[KEY_BYTES], int64_t run, unsigned part)
{
	snprintf(out, KEY_BYTES, "%lld-%u", (long long)run, part);
	return out;
}

static struct agent_run *find(const struct agent *a, int64_t run, unsigned part)
{
	char key[KEY_BYTES];

	return map_find(&a->runs, key_text(key, run, part));
}

static struct agent_run *add(struct agent *a, int64_t run, unsigned part, const char *board)
{
	struct agent_run *r = mem_alloc(sizeof *r);
	char key[KEY_BYTES];

	r->agent = a;
	r->run = run;
	r->part = part;
	r->dir = folder_path(a->runs_dir, run, part);
	r->board = mem_strdup(board);
	r->child = (struct child)CHILD_INIT;
	r->state = RUN_WAITING;
	map_set(&a->runs, key_text(key, run, part), r);
	return r;
}

/* The folder stays as it is, and so does a process that still works in it. */
static void let_go(struct agent_run *r)
{
	loop_del(r->watch);
	loop_del(r->timer);
	if (r->child.pidfd >= 0)
		close(r->child.pidfd);
	free(r->unsaid);
	free(r->dir);
	free(r->board);
	free(r);
}

static void take_out(struct agent_run *r)
{
	struct agent *a = r->agent;
	char key[KEY_BYTES];

	sync_drop(a->sync, r->run, r->part);
	map_del(&a->runs, key_text(key, r->run, r->part));
	let_go(r);
}

void runs_done(struct agent *a)
{
	map_each (&a->runs, it)
		let_go(it->value);
	map_done(&a->runs);
}

/* ---- ends ---- */

static void follow(struct agent_run *r, bool fresh)
{
	struct err e = {0};

	if (sync_follow(r->agent->sync, r->run, r->part, r->dir, fresh, &e))
		log_error("run %lld: %s", (long long)r->run, e.msg);
}

/* To the other ended ones; the controller has it all, or does not want it. */
static void retire(struct agent_run *r)
{
	struct agent *a = r->agent;
	struct err e = {0};

	if (folder_retire(r->dir, a->ended_dir, &e))
		log_warn("run %lld: %s", (long long)r->run, e.msg);
	take_out(r);
	folder_prune(a->ended_dir, (size_t)a->opts->keep);
}

void run_ended(struct agent_run *r)
{
	struct agent *a = r->agent;

	r->state = RUN_ENDED;
	log_info("run %lld of board '%s' has ended", (long long)r->run, r->board ? r->board : "?");
	follow(r, false);
	sync_reaped(a->sync, r->run, r->part);
	if (r->forgotten)
		retire(r);
	runs_next(a);
	link_sync(a);
}

static void say(struct agent_run *r)
{
	struct run_status st = *r->unsaid;
	struct err e = {0};

	if (fs_mkdirs(r->dir, 0755, &e) || run_status_save(&st, r->dir, &e)) {
		log_error("run %lld: %s; trying again", (long long)r->run, e.msg);
		return;
	}
	free(r->unsaid);
	r->unsaid = NULL;
	r->agent->unsaid--;
	run_ended(r);
}

void run_fail(struct agent_run *r, enum verdict v, enum err_blame blame, const char *fmt, ...)
{
	struct run_status *st = mem_alloc(sizeof *st);
	va_list ap;

	st->verdict = v;
	st->blame = blame;
	va_start(ap, fmt);
	vsnprintf(st->message, sizeof st->message, fmt, ap);
	va_end(ap);
	snprintf(st->power, sizeof st->power, "unknown");
	st->started_ms = st->ended_ms = clock_wall_ms();
	log_warn("run %lld: %s", (long long)r->run, st->message);
	if (!r->unsaid)
		r->agent->unsaid++;
	free(r->unsaid);
	r->unsaid = st;
	say(r);
}

void runs_shipped(void *agent, int64_t run, unsigned part, enum sync_end how)
{
	struct agent_run *r = find(agent, run, part);

	if (!r)
		return;
	if (how == SYNC_GONE) {
		runs_forget(agent, run, part);
		return;
	}
	r->state = RUN_SHIPPED;
	if (r->forgotten)
		retire(r);
}

/* ---- starts ---- */

/* Those that are not over. */
static size_t active(const struct agent *a)
{
	size_t n = 0;

	map_each (&a->runs, it)
		n += ((const struct agent_run *)it->value)->state < RUN_ENDED;
	return n;
}

static size_t busy(const struct agent *a)
{
	size_t n = 0;

	map_each (&a->runs, it) {
		const struct agent_run *r = it->value;

		n += r->state == RUN_RUNNING || r->state == RUN_FREEING;
	}
	return n;
}

static bool board_free(const struct agent_run *want)
{
	map_each (&want->agent->runs, it) {
		const struct agent_run *r = it->value;

		if (r != want && (r->state == RUN_RUNNING || r->state == RUN_FREEING) && r->board &&
			want->board && !strcmp(r->board, want->board))
			return false;
	}
	return true;
}

/* Not more of them than the network and this host can use. */
static void prepare_next(struct agent *a)
{
	size_t n = 0;

	map_each (&a->runs, it) {
		const struct agent_run *r = it->value;

		n += r->state == RUN_PREPARING && r->child.pid;
	}
	for (size_t i = 0; i < a->runs.n && n < AGENT_PREPARE_MAX; i++) {
		struct agent_run *r = a->runs.entries[i].value;

		if (r->state != RUN_PREPARING || r->child.pid || r->unsaid)
			continue;
		run_prepare(r);
		n++;
	}
}

void runs_next(struct agent *a)
{
	size_t places = a->opts->max_jobs ? (size_t)a->opts->max_jobs : AGENT_RUNS_MAX;
	size_t n = busy(a);

	if (a->choosing)
		return; /* the one below us looks again */
	a->choosing = true;
	prepare_next(a);
	/* A run that cannot be started changes the table: look again from the front. */
	for (size_t i = 0; i < a->runs.n && n < places && !a->stopping;) {
		struct agent_run *r = a->runs.entries[i].value;

		if (r->state != RUN_WAITING || r->unsaid || !board_free(r)) {
			i++;
			continue;
		}
		run_work(r);
		n = busy(a);
		i = 0;
	}
	a->choosing = false;
}

void run_prepared(struct agent_run *r)
{
	r->state = RUN_WAITING;
	runs_next(r->agent);
}

/* Enough disk for a run? Folders that the controller has all of go before a run is refused. */
static bool has_room(struct agent *a)
{
	int64_t want = a->opts->min_free_bytes;

	if (folder_free_bytes(a->dir) >= want)
		return true;
	for (size_t i = a->runs.n; i-- > 0;) {
		struct agent_run *r = a->runs.entries[i].value;

		if (r->state == RUN_SHIPPED)
			retire(r);
	}
	folder_prune(a->ended_dir, 0);
	return folder_free_bytes(a->dir) >= want;
}

static void take_on(struct agent_run *r, const json_t *plan)
{
	struct agent *a = r->agent;
	const struct board *b = lab_find(&a->lab, r->board);
	bool later = folder_needs_blobs(plan);
	struct err e = {0};

	if (!b) {
		run_fail(r, VERDICT_INCOMPLETE, BLAME_INFRA, "lab '%s' has no board '%s'",
			a->lab.name, r->board);
	} else if (!has_room(a)) {
		run_fail(r, VERDICT_INCOMPLETE, BLAME_INFRA,
			"the disk of agent '%s' is full: less than %lld MiB are free", a->name,
			(long long)(a->opts->min_free_bytes >> 20));
	} else if (folder_make(r->dir, plan, later, &a->lab, b, &e)) {
		run_fail(r, VERDICT_INCOMPLETE, BLAME_INFRA, "job folder: %s", e.msg);
	} else {
		follow(r, true);
		r->state = later ? RUN_PREPARING : RUN_WAITING;
		runs_next(a);
	}
}

void runs_start(struct agent *a, const json_t *command)
{
	int64_t run = json_int(command, "run", -1), part = json_int(command, "part", -1);
	const char *board = json_text(command, "board", NULL);
	const json_t *plan = json_object_get(command, "plan");
	AUTOFREE char *ended = NULL;

	if (run < 1 || part < 0 || part > INT32_MAX || !board || !json_is_object(plan)) {
		log_error("a start without run, part, board or plan is not followed");
		return;
	}
	ended = folder_path(a->ended_dir, run, (unsigned)part);
	if (find(a, run, (unsigned)part) || fs_exists(ended))
		return;
	if (active(a) >= AGENT_RUNS_MAX) {
		log_error("more than %d runs: run %lld is not taken on", AGENT_RUNS_MAX,
			(long long)run);
		return;
	}
	log_info("run %lld on board '%s'", (long long)run, board);
	take_on(add(a, run, (unsigned)part, board), plan);
}

/* ---- what else the controller says ---- */

void runs_cancel(struct agent *a, int64_t run, unsigned part, const char *why)
{
	struct agent_run *r = find(a, run, part);
	AUTOFREE char *ended = folder_path(a->ended_dir, run, part);

	if (run < 1 || (!r && fs_exists(ended)))
		return;
	if (!r) /* its start never came, or its folder is lost: say so, as any other run would */
		r = add(a, run, part, NULL);
	if (r->canceled || r->unsaid || r->state >= RUN_ENDED)
		return;
	r->canceled = true;
	log_info("run %lld is canceled: %s", (long long)run, why);
	if (!r->child.pid)
		run_fail(r, VERDICT_CANCELED, BLAME_CANCEL, "canceled before it started: %s", why);
	else
		run_stop(r);
}

void runs_inbox(struct agent *a, int64_t run, unsigned part, int64_t n, const json_t *line)
{
	struct agent_run *r = find(a, run, part);
	AUTOJSON *copy = json_copy((json_t *)line);
	struct err e = {0};

	if (!r || r->unsaid || r->state >= RUN_ENDED || !copy)
		return;
	json_object_set_new(copy, "n", json_integer(n));
	if (inbox_append(r->dir, copy, &e))
		log_error("run %lld: %s", (long long)run, e.msg);
}

void runs_forget(struct agent *a, int64_t run, unsigned part)
{
	struct agent_run *r = find(a, run, part);

	if (!r)
		return;
	r->forgotten = true;
	if (r->state >= RUN_ENDED)
		retire(r);
	else /* it was given up: its board is wanted for others */
		runs_cancel(a, run, part, "the controller gave it up");
}

void runs_tick(struct agent *a)
{
	size_t before;

	do { /* one that was said may take itself out of the table */
		struct agent_run *r = NULL;

		before = a->unsaid;
		for (size_t i = 0; i < a->runs.n && !r; i++) {
			r = a->runs.entries[i].value;
			if (!r->unsaid)
				r = NULL;
		}
		if (r)
			say(r);
	} while (a->unsaid < before); /* else the disk is full for the others too */
}

/* ---- after a start ---- */

static char *board_of(const char *dir)
{
	AUTOFREE char *path = fs_join(dir, "board.json");
	AUTOJSON *j = json_read(path, NULL);

	return mem_strdup(json_text(j, "name", NULL));
}

static bool has(const struct agent_run *r, const char *name)
{
	AUTOFREE char *path = fs_join(r->dir, name);

	return fs_exists(path);
}

/* A folder that was being made as the power went may hold half of it. */
static bool has_whole(const struct agent_run *r, const char *name)
{
	AUTOFREE char *path = fs_join(r->dir, name);
	AUTOJSON *j = fs_exists(path) ? json_read(path, NULL) : NULL;

	return j && r->board;
}

static void adopt(struct agent_run *r, const struct procs *procs)
{
	follow(r, false);
	if (procs_take(procs, r->dir, &r->child)) {
		run_watch(r, RUN_RUNNING);
		log_info("run %lld: adopted, process %d", (long long)r->run, (int)r->child.pid);
	} else if (has(r, "status")) {
		run_ended(r);
	} else if (has(r, "events.jsonl")) {
		run_free_board(r); /* a journal is opened only with the board in hand, or soon */
	} else if (has_whole(r, AGENT_PLAN)) {
		r->state = RUN_WAITING;
	} else if (has_whole(r, AGENT_START)) {
		r->state = RUN_PREPARING;
	} else { /* never whole, its start will come again */
		fs_remove_tree(r->dir, NULL);
		take_out(r);
	}
}

int runs_adopt(struct agent *a, struct err *e)
{
	struct procs procs = {0};
	DIR *d = opendir(a->runs_dir);
	struct dirent *entry;

	if (!d)
		return err_sys(e, BLAME_INFRA, errno, "read '%s'", a->runs_dir);
	procs_scan(&procs, a->runs_dir);
	while ((entry = readdir(d))) {
		int64_t run;
		unsigned part;
		AUTOFREE char *dir = NULL, *board = NULL;

		if (!folder_parse(entry->d_name, &run, &part))
			continue;
		dir = folder_path(a->runs_dir, run, part);
		board = board_of(dir);
		adopt(add(a, run, part, board), &procs);
	}
	closedir(d);
	procs_done(&procs);
	runs_next(a);
	return 0;
}
