/* SPDX-License-Identifier: MIT */
#ifndef AGENTS_WORKER_WORKER_H
#define AGENTS_WORKER_WORKER_H

/*
 * The worker: runs the one job of a job folder on its board, with blocking, straight-line code.
 * Reads plan.json and board.json, leaves console logs, events.jsonl, artifacts/ and, last, status.
 */

#include "agents/bench/console.h"
#include "agents/boot/boot.h"
#include "agents/deploy/deploy.h"
#include "agents/power/power.h"
#include "base/vec.h"
#include "crash.h"
#include "jobs/plan.h"
#include "journal.h"
#include "reports/parse/metric.h"
#include "reports/parse/parse.h"
#include "shell.h"
#include "tally.h"

#define WORKER_CONSOLES   4
#define WORKER_DEPLOYS    4
#define WORKER_RELEASE_MS 30000              /* all of a release */
#define WORKER_ALWAYS_MS  60000              /* `always` steps of a job whose time is up */
#define WORKER_HELD       65536              /* events of one attempt that are kept back */
#define WORKER_TEXT_BYTES ((size_t)64 << 10) /* a text of a step with its variables filled in */

struct worker {
	const char *dir; /* the job folder */
	char run_id[80]; /* names what is staged for it */
	struct bench bench;
	struct journal journal;
	struct arena arena; /* board and drivers' settings */
	struct plan plan;
	const struct node *board; /* board.json */
	const char *board_name, *lab;
	int lock_fd;

	struct power power;
	struct console consoles[WORKER_CONSOLES];
	json_t *line_errors[WORKER_CONSOLES]; /* counters.c: as the run began; NULL: not known */
	size_t n_consoles;
	struct crash crash;                  /* of the main console */
	struct crash sides[WORKER_CONSOLES]; /* of the others; the main one's is not used */
	struct crash_rules crash_rules;
	bool crash_ended; /* the attempt ended by what the kernel did */
	bool explained;   /* the relay told why it ended */
	struct deploy deploys[WORKER_DEPLOYS];
	size_t n_deploys;
	struct boot boot;
	struct shell shells[WORKER_CONSOLES]; /* one a console */

	const struct step *step; /* the one that runs */
	uint64_t step_offset;    /* in its console's log, where it began */
	struct tally tally;
	int64_t start_wall_ms;
	bool switching;      /* a command to the relay is under way */
	bool switch_failed;  /* the last one was not taken */
	int64_t power_on_ms; /* clock_ms of the last switch on, or of the command that restarts */
	bool warm;           /* the last start was not by the power switch */
	bool mode_changed;   /* the boot mode is to be put back */
	unsigned attempt;    /* of the step that runs, from 1 */
	VEC(json_t *) held;  /* events of an attempt that may not be the last one */
	uint64_t power_on_bytes;                   /* the main console had received before it */
	uint64_t power_on_offset[WORKER_CONSOLES]; /* in the log of each, where it began */
	bool app_starts; /* a boot loader may speak once more, though a command runs */
	bool stages_told;
	struct metric_table metrics; /* loaded with the first figure */
	bool metrics_loaded;
	struct parts *parts; /* what came from the others of a job with roles; NULL: nobody asked */
};

/* `hilab worker DIR`. bell: standard output gets a byte after each event, for who follows the
 * folder. Returns the process's exit status (DESIGN 9). */
int worker_main(const char *dir, bool bell);
/*
 * `hilab worker --release DIR`: frees the board of a worker that is gone: undoes deploys, power
 * off, and where there is no status writes one from what the folder tells (canceled: that somebody
 * asked for it, else that it died). Refuses (BLAME_INFRA)
 * while the worker still runs. Safe to repeat.
 */
int worker_release_main(const char *dir, bool canceled);

/* ---- board.c: the board's wiring, opened ---- */
int worker_load(struct worker *w, bool plan_too, struct err *e);
/* Holds the board for the life of this process. Names the holder when it is held. */
int worker_lock(struct worker *w, struct err *e);
int worker_open_power(struct worker *w, struct err *e);
int worker_open_consoles(struct worker *w, struct err *e);
/* Opens the deploy driver of a method, once. */
struct deploy *worker_deploy(struct worker *w, const char *method, struct err *e);
/* The console of the boot chain: "main", else the first; NULL: the board has none. */
struct console *worker_main_console(struct worker *w);
struct console *worker_console(struct worker *w, const char *name, struct err *e);
/* A driver's settings out of a mapping; keys named in skip (NULL-ended) are not the driver's. */
void *worker_conf(struct worker *w, const struct param *rows, size_t size, const char *what,
	const struct node *map, const char *const *skip, struct err *e);
/* Power by word of a job, with its journal event: 0 on, 1 off, 2 cycle. */
int worker_power(struct worker *w, int action, struct err *e);
/* A lock file of this host, for its every user; -1 with errno. */
int worker_open_lock(const char *path);
/* Waits for this board's turn to be switched on, where others hang on the same device. */
int worker_stagger(struct worker *w, struct err *e);
/* A board that talked since it was switched on has power, whatever the relay cannot tell. */
void worker_power_seen(struct worker *w);
void worker_close(struct worker *w);
/* The shell that a login opened on that console; NULL with BLAME_JOB. */
struct shell *worker_shell(struct worker *w, const char *console, struct err *e);
void worker_close_shells(struct worker *w);
/* text as one word of a POSIX shell, behind what out holds. */
void worker_quote(const char *text, struct buf *out);
/* The board starts now: by the power switch, or warm by a command. */
void worker_note_on(struct worker *w, bool warm);

/* ---- counters.c: errors of the serial lines during the run ---- */
void worker_counters_begin(struct worker *w);
void worker_counters_end(struct worker *w);

/* ---- results.c ---- */
void worker_result(
	struct worker *w, const char *name, enum status s, const char *why, enum err_blame blame);
/* False: metric_settle refused it, and it is a warning. p: whose it is; NULL: the board's helper or
 * an instrument told it. */
bool worker_metric(
	struct worker *w, const char *test, const struct parser *p, const struct sink_metric *m);
/* Labels of a figure as the journal and the store have them: a step's (NULL: none), and what was
 * measured over them. New reference. */
json_t *worker_labels(const struct node *common, const struct sink_metric *m);
void worker_env(struct worker *w, const char *name, const char *value);
/* Frames of the board's helper: result, metric. A frame_fn. */
void worker_frame(void *worker, const struct frame *f);
/* Text through a parser; what it finds goes to the journal. */
/* settings: of the parser; NULL: none. */
int worker_parse(struct worker *w, const char *parser, const struct node *settings, struct str text,
	struct err *e);
/* What a step makes of a whole output (run.c): the patterns must be in it, the parser reads it
 * (parse: as a step has it, NULL: none); its result is told. */
int worker_judge_output(struct worker *w, const struct node *parse,
	const struct param_strings *patterns, struct str text, struct err *e);
/* The same of a dialogue without a shell, whose text is kept: r < 0, it could not be held, as said
 * tells; r > 0, it failed by said. */
int worker_told(struct worker *w, int r, const struct err *said, const struct node *parse,
	const struct param_strings *patterns, struct str text, struct err *e);
/* artifacts/STEP.txt */
int worker_artifact(struct worker *w, const char *name, struct str bytes, struct err *e);
/* The same with a file name as it stands. */
int worker_keep(struct worker *w, const char *file, struct str bytes, struct err *e);

/* ---- sample.c: power rails while a step runs ---- */
#define WORKER_SAMPLE_SUFFIX ".rails.txt" /* of the artifact with what was read */
struct sampling {
	struct sampler *sampler; /* NULL: nothing is read */
	bool skip;               /* the lab has no such instrument */
	struct tally before;
	struct err why;
};
/* Opens the instruments that w->step asks for, and starts. */
void worker_sample_begin(struct worker *w, struct sampling *s);
/* Its figures, and the result STEP/rails. broke: the step could not be done; NULL: it was. */
void worker_sample_end(struct worker *w, struct sampling *s, const struct err *broke);

/* ---- attempt.c: the attempts of one step ---- */
enum outcome { OUTCOME_GOOD, OUTCOME_FAILED, OUTCOME_BROKE };
/* Runs w->step until it is good or no attempt is left. Results and figures of attempts that do not
 * count are kept as `attempt` events. OUTCOME_FAILED: a result of it is not good; OUTCOME_BROKE: it
 * could not be done, *e says why. */
enum outcome worker_attempts(
	struct worker *w, int (*run)(struct worker *w, struct err *e), struct err *e);

/* ---- session.c: in place of steps, when people type ---- */
/* Until its time is up (inbox.h) or SIGTERM: neither is an error. */
void worker_session(struct worker *w);

/* ---- steps ---- */
/* All of the plan. broken: why not one of them can be done; no error: they can. */
void worker_steps(struct worker *w, const struct err *broken);
int step_power(struct worker *w, const void *conf, struct err *e);
int step_deploy(struct worker *w, const void *conf, struct err *e);
int step_boot(struct worker *w, const void *conf, struct err *e);
int step_loader(struct worker *w, const void *conf, struct err *e);
int step_login(struct worker *w, const void *conf, struct err *e);
int step_run(struct worker *w, const void *conf, struct err *e);
int step_expect(struct worker *w, const void *conf, struct err *e);
int step_send(struct worker *w, const void *conf, struct err *e);
int step_measure(struct worker *w, const void *conf, struct err *e);
int step_fetch(struct worker *w, const void *conf, struct err *e);
int step_put(struct worker *w, const void *conf, struct err *e);
int step_bootmode(struct worker *w, const void *conf, struct err *e);
/* An image of the plan; NULL: it has none of that role. */
const struct plan_image *worker_image(const struct worker *w, const char *role);
/* For a deploy method that needs the board off. */
int worker_make_sure_off(struct worker *w, const char *method, struct err *e);
/* ---- app.c: a firmware without a command line ---- */
/* Has the step's console one? */
bool worker_has_apps(struct worker *w);
/* step_run there: the command is `run NAME ...`. */
struct step_run;
int worker_app_run(struct worker *w, const struct step_run *s, const char *command, struct err *e);
/* ---- parts.c: with the other parts of a job with roles ---- */
int step_barrier(struct worker *w, const void *conf, struct err *e);
int step_tell(struct worker *w, const void *conf, struct err *e);
int step_hear(struct worker *w, const void *conf, struct err *e);
void worker_close_parts(struct worker *w);
/* Back to the lab's default, when w->mode_changed. */
int worker_bootmode_undo(struct worker *w, struct err *e);

/* ---- identity.c, stages.c: after a login ---- */
/* What booted against what was deployed, and the environment. -1: something else booted. */
int worker_identify(struct worker *w, struct err *e);
/* The same of a firmware with a framed command line. */
int worker_identify_firmware(struct worker *w, struct shell *sh, struct err *e);
/* The same of one without: what its loader tells. */
int worker_identify_apps(struct worker *w, struct err *e);
void worker_stages(struct worker *w);

/* ---- crashed.c ---- */
/* Into the journal, once. */
void worker_crash_tell(struct worker *w, const struct crash_report *r);
/* Watches all consoles that are open. */
int worker_crash_watch(struct worker *w, bool twin, struct err *e);
void worker_crash_done(struct worker *w);
/* Whom to tell, from now on. */
void worker_crash_fn(struct worker *w, crash_fn *fn, void *arg);
/* A new boot: what was seen before is over, on all consoles. */
void worker_crash_forget(struct worker *w);
/* crash_flush() of all; -1 with the first error. */
int worker_crash_flush(struct worker *w, struct err *e);
/* Did one of the processors end, so that nobody goes on with the run? */
bool worker_crash_told(const struct worker *w);
/* A crash_fn: into the journal, and as a failed result where the kernel is proven broken. */
int worker_crash(void *worker, const struct crash_report *r, struct err *e);
/* Is s a step that needs the board to stay up? In all others a boot loader may speak. */
bool worker_needs_board(const struct step *s);
/* What the kernel said of itself tells more of a step that could not be done than what was waited
 * for. dead_before: it had given up before the step began. */
void worker_crash_judge(struct worker *w, bool dead_before, struct err *e);
/* ---- dmesg.c ---- */
/* What the kernel said while its console was silenced, into crash. Before the release. */
void worker_dmesg(struct worker *w);

/* How often, as environment of the run; none: nothing. */
void worker_crash_counts(struct worker *w);

/* ---- inquiry.c ---- */
/* A line went away: ends the wait when the board has no power or the relay is gone, too. A bench's
 * inquiry. */
int worker_inquiry(void *worker, struct err *e);
/* A step could not be done: what the bench knows of why goes before what is in *e. */
void worker_explain(struct worker *w, struct err *e);

/* ---- release.c ---- */
/* However the job ended: undo, power off. Bounded, safe to repeat. of_another: of a worker that is
 * gone. */
void worker_release(struct worker *w, bool of_another);
/* Power off; w->power.state tells whether that is known. */
int worker_make_off(struct worker *w, struct err *e);

#endif
