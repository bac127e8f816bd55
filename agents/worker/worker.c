/* SPDX-License-Identifier: MIT */
/*
 * The worker process: lock, open, run, release, status. Invariant: what it does to the board it
 * wrote down before or will undo from the folder alone, and `status` is the last thing it writes.
 */
#include "worker.h"

#include "base/clock.h"
#include "base/fs.h"
#include "base/mem.h"
#include "io/json.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <sys/signalfd.h>
#include <unistd.h>

static const char *text_or(const char *text, const char *preset)
{
	return text ? text : preset;
}

/* SIGTERM and SIGINT become a descriptor that every wait watches; a closed pipe is an error. */
static int take_signals(struct worker *w, struct err *e)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGINT);
	signal(SIGPIPE, SIG_IGN);
	signal(SIGXFSZ, SIG_IGN); /* a file limit is a full disk like another */
	if (sigprocmask(SIG_BLOCK, &set, NULL))
		return err_sys(e, BLAME_BUG, errno, "block signals");
	w->bench.cancel_fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	return w->bench.cancel_fd < 0 ? err_sys(e, BLAME_BUG, errno, "make a signalfd") : 0;
}

static void set_var(struct worker *w, const char *prefix, const char *name, const char *value)
{
	AUTOFREE char *full = mem_printf("%s.%s", prefix, name);

	if (value)
		bench_var_set(&w->bench, full, value);
}

/* board.NAME, net.address, build.NAME, run.id; deploys and boots add theirs. */
static void set_vars(struct worker *w)
{
	static const char *const board[] = {"name", "type", "soc", "arch", "lab", "revision"};
	const struct node *vars = node_find(w->board, "vars");

	for (size_t i = 0; i < ARRAY_LEN(board); i++)
		set_var(w, "board", board[i], node_text(w->board, board[i]));
	node_each (vars, kid)
		set_var(w, "board", kid->key, kid->text);
	set_var(w, "net", "address", node_text(node_find(w->board, "network"), "address"));
	set_var(w, "build", "name", w->plan.build);
	set_var(w, "build", "version", w->plan.build_version);
	set_var(w, "run", "id", w->run_id);
	set_var(w, "run", "role", w->plan.role);
}

static void begin(struct worker *w)
{
	const char *twin = node_text(w->board, "twin");

	bench_event(&w->bench, "run-start",
		"{s:s, s:s*, s:s, s:s, s:s, s:s, s:b, s:s*, s:s*, s:I, s:I}", "job", w->plan.job,
		"role", w->plan.role, "board", w->board_name, "type",
		text_or(node_text(w->board, "type"), "?"), "soc",
		text_or(node_text(w->board, "soc"), "?"), "lab", w->lab, "twin",
		twin && !strcmp(twin, "true"), "build", w->plan.build, "build_version",
		w->plan.build_version, "steps", (json_int_t)w->plan.n, "pid", (json_int_t)getpid());
}

/* The last words: run-end, then status. Returns the exit status. */
static int finish(struct worker *w, struct run_status *s, const struct err *died)
{
	struct err e = {0};

	tally_verdict(&w->tally, s);
	if (died) {
		s->verdict = died->blame == BLAME_CANCEL ? VERDICT_CANCELED : VERDICT_INCOMPLETE;
		s->blame = died->blame;
		snprintf(s->message, sizeof s->message, "%s", died->msg);
	}
	snprintf(s->power, sizeof s->power, "%s",
		power_state_name(w->power.drv ? w->power.state : POWER_UNKNOWN));
	s->started_ms = w->start_wall_ms;
	s->ended_ms = clock_wall_ms();
	{
		AUTOFREE char *clean = journal_text(s->message);

		snprintf(s->message, sizeof s->message, "%s", clean);
	}
	bench_event(&w->bench, "run-end", "{s:s, s:s, s:s, s:s}", "verdict",
		verdict_name(s->verdict), "blame", err_blame_name(s->blame), "message", s->message,
		"power", s->power);
	if (w->journal.lost && s->verdict != VERDICT_CANCELED) {
		s->verdict = VERDICT_INCOMPLETE;
		s->blame = BLAME_INFRA;
		snprintf(s->message, sizeof s->message, "cannot write the journal: %s",
			strerror(w->journal.lost));
	}
	if (run_status_save(s, w->dir, &e)) {
		fprintf(stderr, "hilab: worker: %s\n", e.msg);
		return EXIT_INCOMPLETE;
	}
	return verdict_exit(s->verdict, s->blame);
}

static int prepare(struct worker *w, struct err *e)
{
	w->lock_fd = -1;
	w->journal.fd = -1;
	w->crash.timer_fd = -1;
	w->start_wall_ms = clock_wall_ms();
	bench_init(&w->bench);
	return take_signals(w, e);
}

static void open_journal(struct worker *w)
{
	w->bench.journal = journal_add;
	w->bench.journal_arg = &w->journal;
}

/* From a held lock to a released board. */
static void run(struct worker *w)
{
	struct err e = {0};

	bench_push(&w->bench, "job", w->plan.timeout_ms);
	w->bench.inquiry = worker_inquiry;
	w->bench.inquiry_arg = w;
	if (worker_open_power(w, &e) || worker_open_consoles(w, &e))
		tally_error(&w->tally, &e);
	worker_counters_begin(w);
	if (w->plan.session && !err_is(&e))
		worker_session(w);
	else
		worker_steps(w, &e); /* a session has none */
	worker_dmesg(w);
	worker_crash_counts(w);
	worker_release(w, false);
	worker_counters_end(w);
}

int worker_main(const char *dir, bool bell)
{
	struct worker w = {.dir = dir};
	struct run_status status = {0};
	AUTOFREE char *status_path = fs_join(dir, "status");
	AUTOFREE char *board_path = fs_join(dir, "board.json");
	struct err e = {0}, opened = {0};
	int rc;
	bool failed;

	if (!fs_exists(board_path))
		return fprintf(stderr,
			       "hilab: worker: '%s' is no job folder: there is no board.json\n",
			       dir),
		       2;
	if (fs_exists(status_path))
		return fprintf(stderr, "hilab: worker: '%s' holds a run that has ended\n", dir), 2;
	failed = prepare(&w, &e) || worker_load(&w, true, &e) || worker_lock(&w, &e);
	if (e.sys == EALREADY || journal_open(&w.journal, dir, &opened)) {
		/* nobody can be told but by word, or another worker is at it in this folder */
		fprintf(stderr, "hilab: worker: %s\n", failed ? e.msg : opened.msg);
		worker_close(&w);
		return EXIT_INCOMPLETE;
	}
	open_journal(&w);
	if (bell)
		w.journal.bell_fd = STDOUT_FILENO;
	if (failed) {
		/* the board is not ours: nothing to release */
		tally_error(&w.tally, &e);
	} else {
		set_vars(&w);
		begin(&w);
		run(&w);
	}
	rc = finish(&w, &status, NULL);
	worker_close(&w);
	return rc;
}

/* ---- for a worker that is gone --------------------------------------------------------------- */

/* What the folder tells of a worker that left no status: the step it was in. */
static void read_journal(struct worker *w, struct buf *last_step)
{
	AUTOFREE char *path = fs_join(w->dir, "events.jsonl");
	AUTOBUF text = BUF_INIT(BUF_CAP_BYTES);
	struct str rest, line;

	if (fs_read(path, &text, NULL))
		return;
	rest = str_make(buf_str(&text), text.len);
	while (str_line(&rest, &line)) {
		AUTOJSON *ev = json_loadb(line.p, line.n, 0, NULL);
		const char *kind = json_text(ev, "kind", "");
		int status;

		if (!strcmp(kind, "step-start")) {
			buf_reset(last_step);
			buf_printf(last_step, "in step '%s'", json_text(ev, "name", "?"));
		} else if (!strcmp(kind, "step-end")) {
			buf_reset(last_step);
			buf_printf(last_step, "after step '%s'", json_text(ev, "name", "?"));
		} else if (!strcmp(kind, "session-start")) {
			buf_reset(last_step);
			buf_puts(last_step, "in its session");
		} else if (!strcmp(kind, "run-start")) {
			w->start_wall_ms = json_int(ev, "at", w->start_wall_ms);
		} else if (!strcmp(kind, "bootmode")) {
			w->mode_changed = true;
		} else if (!strcmp(kind, "result")) {
			status = status_parse(json_text(ev, "status", ""));
			if (status >= 0)
				w->tally.counts[status]++;
		}
	}
}

int worker_release_main(const char *dir, bool canceled)
{
	struct worker w = {.dir = dir};
	struct run_status status = {0};
	AUTOFREE char *status_path = fs_join(dir, "status");
	AUTOBUF last_step = BUF_INIT(4096);
	bool ended = fs_exists(status_path);
	struct err e = {0}, died = {0};
	int rc = 0;

	if (prepare(&w, &e) || worker_load(&w, false, &e) || worker_lock(&w, &e) ||
		(!ended && journal_open(&w.journal, dir, &e))) {
		fprintf(stderr, "hilab: worker: release '%s': %s\n", dir, e.msg);
		worker_close(&w);
		return EXIT_INCOMPLETE;
	}
	read_journal(&w, &last_step);
	if (!ended) /* `status` is the last word: nothing comes after it */
		open_journal(&w);
	worker_release(&w, true);
	if (ended && w.power.drv && w.power.state != POWER_OFF) {
		fprintf(stderr, "hilab: worker: release '%s': power is %s\n", dir,
			power_state_name(w.power.state));
		rc = EXIT_INCOMPLETE;
	} else if (!ended) {
		err_set(&died, canceled ? BLAME_CANCEL : BLAME_BUG, "the worker %s %s",
			canceled ? "was killed" : "died",
			last_step.len ? buf_str(&last_step) : "before its first step");
		rc = finish(&w, &status, &died);
	}
	worker_close(&w);
	return rc;
}
