/* SPDX-License-Identifier: MIT */
/*
 * `hilab run`: one job on one board of this host, with no daemon. Everything is checked before a
 * board is touched; the job folder keeps all, whatever becomes of the store. Invariant: what is
 * printed as the report was read back from the store.
 */
#include "agents/run.h"
#include "agents/boot/boot.h"
#include "agents/deploy/deploy.h"
#include "agents/jobdir.h"
#include "agents/measure/measure.h"
#include "base/clock.h"
#include "base/fs.h"
#include "cli/commands.h"
#include "cli/labfile.h"
#include "cli/params.h"
#include "cli/pick.h"
#include "cli/progress.h"
#include "cli/report.h"
#include "io/json.h"
#include "io/yaml.h"
#include "jobs/images.h"
#include "jobs/job.h"
#include "reports/format/format.h"

#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

struct args {
	const char *lab, *board, *build, *store, *format;
	struct cli_texts params;
	bool json, tap, quiet;
};

static const struct cli_opt opts[] = {
	{"lab", 'l', CLI_TEXT, offsetof(struct args, lab), "FILE",
		"lab file (else the user's or the system's)"},
	{"board", 'b', CLI_TEXT, offsetof(struct args, board), "NAME",
		"this board (else the first that fits)"},
	{"param", 'p', CLI_TEXTS, offsetof(struct args, params), "K=V",
		"set a param of the job; may be repeated"},
	{"build", 0, CLI_TEXT, offsetof(struct args, build), "NAME|FILE",
		"another build than the job names"},
	{"format", 'f', CLI_TEXT, offsetof(struct args, format), "NAME",
		"report format (text, tap, json, junit, markdown, html, csv, kcidb)"},
	{"json", 0, CLI_FLAG, offsetof(struct args, json), NULL, "the report as JSON"},
	{"tap", 0, CLI_FLAG, offsetof(struct args, tap), NULL, "the report as TAP"},
	{"quiet", 'q', CLI_FLAG, offsetof(struct args, quiet), NULL,
		"no progress on standard error"},
	{"store", 0, CLI_TEXT, offsetof(struct args, store), "FILE",
		"store (else $HILAB_STORE or the state folder's)"},
	{0},
};

/* Everything that one `hilab run` holds. */
struct job {
	const struct args *args;
	struct plan plan;
	struct labfile l;
	const struct board *board; /* in l */
	struct store *store;
	struct store_run run;
	struct cache_hold hold; /* the images, until the run has ended */
	char *dir;
	struct metric_table metrics;
	bool has_metrics;
	struct progress progress;
	struct err store_error; /* the first of the store; told once, the run goes on */
};

/* ---- before the board is touched ---- */

static int compile(struct job *j, const char *path)
{
	const struct job_tables tables = {
		deploy_drivers(), boot_drivers(), measure_drivers(), parse_drivers()};
	struct job_setting settings[PARAMS_MAX];
	struct params params;
	struct arena doc_arena = {0};
	struct diag diag = {0};
	const struct node *doc;
	int rc = params_split(&params, &j->args->params, "run");

	for (size_t i = 0; i < params.n; i++)
		settings[i] = (struct job_setting){params.names[i], params.values[i]};
	doc = rc ? NULL : yaml_load(&doc_arena, path, &diag);
	if (doc && doc_kind_of(doc) != DOC_JOB)
		diag_add(&diag, doc->at, "not a job: there is no key 'job'");
	else if (doc)
		job_compile(&j->plan, doc, settings, params.n, &tables, &diag);
	if (diag.total) {
		cli_diag(&diag);
		rc = -1;
	}
	params_done(&params);
	diag_done(&diag);
	arena_done(&doc_arena);
	return rc;
}

static int told_bytes(void *arg, const char *role, int64_t got, int64_t total)
{
	struct job *j = arg;
	char a[32], b[32];

	if (j->progress.live)
		fprintf(stderr, "\r\033[K  fetching %s: %s of %s", role,
			str_format_bytes(got, a, sizeof a),
			total ? str_format_bytes(total, b, sizeof b) : "?");
	j->progress.drawn = j->progress.live;
	return 0;
}

static int use_build(struct job *j)
{
	const char *name = j->args->build ? j->args->build : j->plan.build;
	const struct fetch_opts fetch = {.hold = &j->hold, .progress = told_bytes, .arg = j};
	struct build build = {0};
	struct diag diag = {0};
	struct err e = {0};
	AUTOFREE char *path = NULL;
	int rc = -1;

	if (!name)
		return 0;
	path = build_locate(name, &e);
	if (!path)
		return cli_fail(-1, "run: %s", e.msg);
	if (build_load(&build, path, &diag))
		cli_diag(&diag);
	else if (plan_use_build(&j->plan, &build, j->board->type->soc, &fetch, &e))
		cli_fail(-1, "run: %s: %s", err_blame_name(e.blame), e.msg);
	else
		rc = 0;
	progress_done(&j->progress);
	build_done(&build);
	diag_done(&diag);
	return rc;
}

/* STATE/runs/DAY-TIME-JOB-PID: a name that a person finds and that no other run has. */
static char *folder_name(const char *job)
{
	AUTOFREE char *state = fs_state_dir();
	time_t now = clock_wall_ms() / 1000;
	char stamp[32] = "";
	struct tm tm;

	if (gmtime_r(&now, &tm))
		strftime(stamp, sizeof stamp, "%Y%m%d-%H%M%S", &tm);
	return mem_printf("%s/runs/%s-%s-%d", state, stamp, job, (int)getpid());
}

static int make_run(struct job *j, struct err *e)
{
	json_t *params = j->plan.params ? node_to_json(j->plan.params) : json_object();
	AUTOFREE char *text = json_dumps(params, JSON_COMPACT | JSON_SORT_KEYS);
	AUTOFREE char *parent = NULL;
	const struct type *type = j->board->type;
	int rc;

	json_decref(params);
	j->dir = folder_name(j->plan.job);
	parent = fs_dirname(j->dir);
	if (fs_mkdirs(parent, 0755, e) || jobdir_make(j->dir, &j->plan, &j->l.lab, j->board, e))
		return -1;
	j->run = (struct store_run){
		.job = j->plan.job,
		.board = j->board->name,
		.type = type->name,
		.soc = type->soc,
		.lab = j->l.lab.name,
		.twin = type->twin,
		.build = j->plan.build,
		.build_version = j->plan.build_version,
		.started_ms = clock_wall_ms(),
		.dir = j->dir,
		.params = text,
	};
	rc = store_run_add(j->store, &j->run, e);
	j->run.params = NULL;
	return rc;
}

/* ---- while it runs ---- */

static void ingest(struct job *j)
{
	struct err e = {0};

	if (err_is(&j->store_error))
		return;
	if (store_ingest(j->store, j->run.id, j->dir, &e) < 0) {
		j->store_error = e;
		progress_done(&j->progress);
		cli_fail(-1,
			"run: results are not being stored: %s (the run goes on, its folder keeps "
			"them)",
			e.msg);
	}
}

/* While the worker talks to the board: a file of this size is read in the time that a quick job
 * takes from power-on to its prompt. */
static void load_metrics(struct job *j)
{
	struct err e = {0};

	if (j->has_metrics)
		return;
	j->has_metrics = true;
	if (report_load_metrics(&j->metrics, &e)) {
		progress_done(&j->progress);
		cli_fail(-1, "run: %s (units are as the tools gave them)", e.msg);
	}
}

static void on_event(void *arg, const char *line, uint64_t offset, const json_t *event)
{
	struct job *j = arg;

	(void)line, (void)offset;
	load_metrics(j);
	if (!event) {
		progress_tick(&j->progress);
		return;
	}
	progress_event(&j->progress, event);
	if (!strcmp(json_text(event, "kind", ""), "step-end"))
		ingest(j);
}

static int finish(struct job *j, const struct run_status *st)
{
	AUTOBUF out = BUF_INIT(REPORT_OUT_BYTES);
	struct err e = {0};
	int status = verdict_exit(st->verdict, st->blame);

	progress_done(&j->progress);
	load_metrics(j);
	/* Once more: the disk may have room by now. */
	err_clear(&j->store_error);
	ingest(j);
	if (err_is(&j->store_error)) {
		cli_fail(-1,
			"run: nothing is lost: the results are in '%s'; store them with 'hilab "
			"import %s'",
			j->dir, j->dir);
		return status == EXIT_PASS ? EXIT_INCOMPLETE : status;
	}
	if (report_show(j->store, j->run.id, j->args->format, &j->metrics, &out, NULL, &e))
		return cli_fail(
			status == EXIT_PASS ? EXIT_INCOMPLETE : status, "run: report: %s", e.msg);
	if (cli_out(&out) && status == EXIT_PASS)
		return EXIT_INCOMPLETE;
	return status;
}

static int start(struct job *j)
{
	const struct run_opts ro = {.dir = j->dir};
	struct run_status st = {0};
	struct err e = {0};
	int failed;

	j->progress.run = j->run.id;
	failed = run_job(&ro, on_event, j, &st, &e);
	(void)store_light(j->store, false, NULL); /* where it fails, so will what comes */
	if (failed) {
		progress_done(&j->progress);
		store_run_end(j->store, j->run.id, verdict_name(VERDICT_INCOMPLETE),
			err_blame_name(e.blame), e.msg, clock_wall_ms(), NULL);
		return cli_fail(EXIT_INCOMPLETE, "run: %s: %s", err_blame_name(e.blame), e.msg);
	}
	return finish(j, &st);
}

static int prepare_and_start(struct job *j, const char *path)
{
	struct err e = {0};

	if (compile(j, path))
		return EXIT_USAGE;
	j->board = pick_board(&j->l, &j->plan.match, j->args->board);
	if (!j->board)
		return EXIT_USAGE;
	if (use_build(j))
		return EXIT_BUILD;
	j->store = store_open(j->args->store, false, &e);
	if (!j->store || store_light(j->store, true, &e) || make_run(j, &e))
		return cli_fail(EXIT_INCOMPLETE, "run: %s", e.msg);
	return start(j);
}

static int run_file(const struct args *a, const char *path)
{
	struct job j = {.args = a};
	struct err e = {0};
	int status;

	if (!driver_get(report_formats(), "report format", a->format, &e))
		return cli_fail(EXIT_USAGE, "run: %s", e.msg);
	if (labfile_load(&j.l, a->lab))
		return EXIT_USAGE;
	progress_init(&j.progress, &j.metrics, a->quiet);
	status = prepare_and_start(&j, path);
	metric_table_done(&j.metrics);
	store_close(j.store);
	cache_hold_done(&j.hold);
	plan_done(&j.plan);
	labfile_done(&j.l);
	free(j.dir);
	return status;
}

static int run(int argc, char **argv)
{
	struct args a = {0};
	char **operands;
	int status;

	if (cli_parse(&run_command, argc, argv, &a, &operands, &status) >= 0) {
		if (!a.format)
			a.format = a.json ? "json" : a.tap ? "tap" : "text";
		status = run_file(&a, operands[0]);
	}
	free(a.params.p);
	return status;
}

const struct cli_command run_command = {
	.name = "run",
	.brief = "run a job on a board of this host, without a controller",
	.usage = "JOB.yaml",
	.details = "Compiles the job, picks a board of the lab file that fits, runs it and prints "
		   "the report.\n"
		   "Ctrl-C cancels: what was deployed is taken back, the board is switched off. A "
		   "second\n"
		   "Ctrl-C kills the worker; the board is switched off all the same.",
	.example = "  hilab run jobs/am62axx/smoke.yaml --lab desk.yaml --param size=256m",
	.opts = opts,
	.min_operands = 1,
	.max_operands = 1,
	.run = run,
};
