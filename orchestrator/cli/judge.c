/* SPDX-License-Identifier: MIT */
/*
 * `hilab judge`: what a night, or some runs, broke and slowed down. Invariant: of the attempts of a
 * job the last one is judged; the store is written only to keep what was learnt of series, and
 * where it cannot be written the answer is the same.
 */
#include "cli/judge.h"

#include "base/clock.h"
#include "base/str.h"
#include "cli/cli.h"
#include "cli/commands.h"
#include "cli/report.h"
#include "reports/alert-judged.h"
#include "reports/format/judged.h"
#include "store/control.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define SINCE_PRESET "1d"

struct args {
	const char *baseline, *since, *type, *format, *output, *store;
	int64_t night;
	bool json, all;
};

static const struct cli_opt opts[] = {
	{"baseline", 'b', CLI_TEXT, offsetof(struct args, baseline), "NAME",
		JUDGE_BASELINES " (history)"},
	{"night", 0, CLI_COUNT, offsetof(struct args, night), "N", "the runs of that nightly"},
	{"since", 0, CLI_TEXT, offsetof(struct args, since), "DURATION",
		"the runs that started since then: 12h, 7d (" SINCE_PRESET ")"},
	{"type", 't', CLI_TEXT, offsetof(struct args, type), "TYPE",
		"only runs on boards of that type"},
	{"format", 'f', CLI_TEXT, offsetof(struct args, format), "NAME",
		"text, markdown, html or json (text)"},
	{"json", 0, CLI_FLAG, offsetof(struct args, json), NULL, "the same as --format json"},
	{"all", 'a', CLI_FLAG, offsetof(struct args, all), NULL,
		"in JSON every figure, also where nothing changed"},
	{"output", 'o', CLI_TEXT, offsetof(struct args, output), "FILE",
		"write there, and not to standard output"},
	{"store", 0, CLI_TEXT, offsetof(struct args, store), "FILE",
		"the store (HILAB_STORE, or the state folder's hilab.db)"},
	{0},
};

/* ---- which runs ------------------------------------------------------------------------------ */

struct chosen_run {
	int64_t run, job, attempt;
};

struct chosen {
	const struct args *a;
	VEC(struct chosen_run) runs;
	VEC(int64_t) jobs;
};

static int on_run(void *arg, const struct store_run *run)
{
	struct chosen *c = arg;
	struct chosen_run new = {run->id, run->job_id, run->attempt};

	if (!run->verdict || (c->a->type && (!run->type || strcmp(run->type, c->a->type))))
		return 0;
	vec_push(&c->runs, new);
	return 0;
}

static int on_job(void *arg, const struct store_job *job)
{
	struct chosen *c = arg;

	vec_push(&c->jobs, job->id);
	return 0;
}

static int by_job(const void *a, const void *b)
{
	const struct chosen_run *x = a, *y = b;

	if (x->job != y->job)
		return x->job < y->job ? -1 : 1;
	if (x->attempt != y->attempt)
		return x->attempt < y->attempt ? -1 : 1;
	return (x->run > y->run) - (x->run < y->run);
}

static int by_run(const void *a, const void *b)
{
	const struct chosen_run *x = a, *y = b;

	return (x->run > y->run) - (x->run < y->run);
}

/* The last attempt of each job; runs of no job all. */
static void keep_last(struct chosen *c)
{
	size_t kept = 0;

	if (c->runs.n)
		qsort(c->runs.p, c->runs.n, sizeof *c->runs.p, by_job);
	for (size_t i = 0; i < c->runs.n; i++)
		if (!c->runs.p[i].job || i + 1 == c->runs.n ||
			c->runs.p[i].job != c->runs.p[i + 1].job)
			c->runs.p[kept++] = c->runs.p[i];
	c->runs.n = kept;
	if (kept)
		qsort(c->runs.p, kept, sizeof *c->runs.p, by_run);
}

static int on_night(void *arg, const struct store_nightly *n)
{
	(void)n;
	return *(int *)arg = 1;
}

static int choose_night(struct chosen *c, struct store *s, struct err *e)
{
	const struct store_job_filter f = {.nightly = c->a->night};
	int there = 0;

	if (store_nightly_get(s, c->a->night, on_night, &there, e) < 0 ||
		store_jobs(s, &f, on_job, c, e))
		return -1;
	if (!there)
		return err_set(e, BLAME_CONFIG, "store '%s' holds no nightly %lld", store_path(s),
			(long long)c->a->night);
	vec_each (&c->jobs, job) {
		const struct store_run_filter of = {.job = *job};

		if (store_run_list(s, &of, on_run, c, e))
			return -1;
	}
	keep_last(c);
	return 0;
}

static int choose_since(struct chosen *c, struct store *s, struct err *e)
{
	int64_t ms;

	if (str_duration_ms(str_of(c->a->since ? c->a->since : SINCE_PRESET), &ms))
		return err_set(e, BLAME_CONFIG, "--since '%.60s' is no duration such as 12h or 7d",
			c->a->since);
	if (store_runs_between(s, clock_wall_ms() - ms, 0, on_run, c, e))
		return -1;
	keep_last(c);
	return 0;
}

static int choose(struct chosen *c, struct store *s, char *const *operands, int n, struct err *e)
{
	struct chosen_run run = {0};

	if (!n)
		return c->a->night ? choose_night(c, s, e) : choose_since(c, s, e);
	for (int i = 0; i < n; i++) {
		if (report_find_run(s, operands[i], &run.run, e))
			return -1;
		vec_push(&c->runs, run);
	}
	return 0;
}

/* ---- judged ---------------------------------------------------------------------------------- */

static int judge_all(struct judging_for *j, const struct chosen *c, bool named, struct err *e)
{
	vec_each (&c->runs, r) {
		int found = judge_run(&j->judge, r->run, e);

		if (found < 0)
			return -1;
		if (!found && named)
			return err_set(e, BLAME_CONFIG,
				"store '%s' holds no run %lld that has ended",
				store_path(j->judge.s), (long long)r->run);
	}
	judge_settle(&j->judge);
	return 0;
}

static int write_json(const struct args *a, const struct judge *j, struct buf *out, struct err *e)
{
	json_t *runs = json_array();
	struct known_issues known;
	AUTOJSON *doc = NULL;

	if (known_issues_load(&known, j->s, clock_wall_ms(), e)) {
		json_decref(runs);
		return -1;
	}
	vec_each (&j->runs, r)
		json_array_append_new(runs, judged_json(*r, a->all));
	doc = json_pack("{s:s, s:s, s:I, s:o, s:o, s:o}", "schema", "hilab.judge/1", "baseline",
		a->baseline, "regressions", (json_int_t)judge_regressions(j), "worse",
		alerts_worse(j, &known), "better", alerts_better(j), "runs", runs);
	known_issues_done(&known);
	if (!doc || json_write(doc, JSON_INDENT(2), out, e))
		return doc ? -1 : err_set(e, BLAME_BUG, "what was judged cannot be told as JSON");
	return buf_putc(out, '\n') ? err_set(e, BLAME_BUG, "the answer is too large") : 0;
}

static void write_page(const struct judge_run *const *runs, size_t n, struct buf *out)
{
	struct page page = {0};

	page_begin(&page, &page_html, out, "What broke, slowed down and got better");
	judged_page(runs, n, &page);
	page_end(&page);
}

static int write_answer(const struct args *a, const struct judge *j, struct buf *out, struct err *e)
{
	const struct report_opts ropts = {report_width(STDOUT_FILENO), cli_tty(STDOUT_FILENO)};
	const struct judge_run *const *runs = (const struct judge_run *const *)j->runs.p;

	if (!strcmp(a->format, "json"))
		return write_json(a, j, out, e);
	if (!j->runs.n)
		buf_puts(out, "no run to judge\n");
	else if (!strcmp(a->format, "markdown"))
		judged_markdown(runs, j->runs.n, out);
	else if (!strcmp(a->format, "html"))
		write_page(runs, j->runs.n, out);
	else
		judged_text(runs, j->runs.n, &ropts, out);
	return out->overflow ? err_set(e, BLAME_BUG, "the answer is too large") : 0;
}

/* Tests that broke, then what slowed down. */
static int status_of(const struct judge *j)
{
	size_t broken = 0;

	vec_each (&j->runs, r)
		broken += (*r)->test_counts[JUDGE_BROKE] + (*r)->test_counts[JUDGE_LOST] +
			  (*r)->test_counts[JUDGE_NEW_FAILING];
	return broken ? EXIT_FAIL : judge_regressions(j) ? EXIT_REGRESSION : EXIT_PASS;
}

/* To be written where that may be: a store is not made by looking at it. */
static struct store *open_store(const char *path, bool *keep, struct err *e)
{
	struct store *s = store_open(path, true, e), *writer;

	if (!s && e->blame != BLAME_CONFIG)
		return NULL;
	if (!s && e->sys)
		return NULL; /* it is not there */
	writer = store_open(path, false, NULL);
	*keep = writer != NULL;
	if (!writer)
		return s;
	store_close(s);
	err_clear(e);
	return writer;
}

static int judge(const struct args *a, char *const *operands, int n, struct buf *out, struct err *e)
{
	struct chosen c = {.a = a};
	struct judging_for j = {0};
	bool keep = false;
	struct store *s = open_store(a->store, &keep, e);
	int status = -1;

	if (s && !judging_begin(&j, s, a->baseline, keep, e)) {
		if (!choose(&c, s, operands, n, e) && !judge_all(&j, &c, n > 0, e) &&
			!write_answer(a, &j.judge, out, e))
			status = status_of(&j.judge);
		judging_end(&j);
	}
	vec_done(&c.runs);
	vec_done(&c.jobs);
	store_close(s);
	return status;
}

static bool is_format(const char *name)
{
	return !strcmp(name, "text") || !strcmp(name, "markdown") || !strcmp(name, "html") ||
	       !strcmp(name, "json");
}

static int run(int argc, char **argv)
{
	struct args a = {.baseline = "history"};
	AUTOBUF out = BUF_INIT(REPORT_OUT_BYTES);
	struct err e = {0};
	char **operands;
	int n, status, judged;

	n = cli_parse(&judge_command, argc, argv, &a, &operands, &status);
	if (n < 0)
		return status;
	a.format = a.format ? a.format : a.json ? "json" : "text";
	if (!is_format(a.format))
		return cli_fail(EXIT_USAGE, "judge: '%s' is none of text, markdown, html and json",
			a.format);
	if ((n > 0) + (a.night > 0) + (a.since != NULL) > 1)
		return cli_fail(EXIT_USAGE,
			"judge: runs, --night and --since: only one of them says what to judge");
	judged = judge(&a, operands, n, &out, &e);
	if (judged < 0)
		return cli_fail(blame_exit(e.blame), "judge: %s", e.msg);
	status = report_out(&out, a.output);
	return status ? status : judged;
}

const struct cli_command judge_command = {
	.name = "judge",
	.brief = "tell what a night broke and slowed down",
	.usage = "[RUN...]",
	.details =
		"Each test and figure of the runs against a baseline: what broke, what slowed "
		"down\n"
		"and what got better, since which run and build, how sure that is, and whether "
		"the\n"
		"build or the board is to blame. With a change: the noise of the figure by itself\n"
		"and the step of the clock behind it.\n"
		"\n"
		"Baselines: history is the figure's own (a change is told once the runs since "
		"make\n"
		"it sure, with the run where it began; one run that stands out is suspected);\n"
		"last-good is the last other build that passed the job on the board; build:VERSION "
		"a\n"
		"release; run:N one run; branch:LINE[@VERSION] another line as it was where this "
		"one\n"
		"began; reference what was published (never for twins).\n"
		"\n"
		"What is told of a figure\n"
		"  with no history, or one run only     new\n"
		"  all runs before equal                a change of a step of the clock, and of "
		"0.1 %\n"
		"  in another unit, by another tool     new, with what it was; never compared\n"
		"  on another board than before         new; the same board set up otherwise "
		"(revision,\n"
		"                                       storage card, governor): environment\n"
		"  most of a board's at once            environment, unless the build changed and "
		"no\n"
		"                                       other board says otherwise\n"
		"  absent, there in the 3 runs before   missing; not when the run did not get "
		"through\n"
		"                                       (that is told once)\n"
		"  of a run that comes late             judged where it was measured, with what "
		"was\n"
		"                                       before it; later runs are judged anew\n"
		"  of a run that was canceled           none\n"
		"\n"
		"Exit status: 0, 1 tests broke or were lost, 4 figures regressed (not those that "
		"are\n"
		"suspected or known since earlier runs), 2 and 3 as everywhere.",
	.example = "hilab judge\nhilab judge --night 12 --format markdown -o summary.md\n"
		   "hilab judge latest --baseline build:09.02",
	.opts = opts,
	.max_operands = -1,
	.run = run,
};
