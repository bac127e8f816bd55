/* SPDX-License-Identifier: MIT */
/*
 * Walks the plan. Invariant: every step of the plan has an outcome in the journal (ok, failed,
 * not-run), and once the run has ended only steps that are always done are.
 */
#include "worker.h"

#include "base/clock.h"
#include "base/fs.h"
#include "base/mem.h"
#include "io/digest.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define RESTART_REST_MS  200
#define RESTART_LIMIT_MS 5000

static const struct {
	int (*run)(struct worker *w, const void *conf, struct err *e);
	bool result; /* the step itself is a result, named by it */
	bool passes; /* its result is pass when run returns 0 */
} kinds[STEP_COUNT] = {
	[STEP_POWER] = {step_power, false, false},
	[STEP_DEPLOY] = {step_deploy, false, false},
	[STEP_BOOT] = {step_boot, true, true},
	[STEP_LOADER] = {step_loader, true, false},
	[STEP_LOGIN] = {step_login, true, true},
	[STEP_RUN] = {step_run, true, false},
	[STEP_EXPECT] = {step_expect, true, false},
	[STEP_SEND] = {step_send, false, false},
	[STEP_MEASURE] = {step_measure, true, false},
	[STEP_FETCH] = {step_fetch, false, false},
	[STEP_PUT] = {step_put, false, false},
	[STEP_BOOTMODE] = {step_bootmode, false, false},
	[STEP_BARRIER] = {step_barrier, false, false},
	[STEP_TELL] = {step_tell, false, false},
	[STEP_HEAR] = {step_hear, false, false},
};

/* A step could not be done: what that is as a result. A kernel that gave up did not boot; all else
 * is somebody else's, or has a result of its own (crashed.c), and this one is lost. */
static enum status lost_status(const struct worker *w, const struct err *e)
{
	if (worker_crash_told(w) && kinds[w->step->kind].passes)
		return STATUS_FAIL;
	return e->blame == BLAME_TEST && !w->crash_ended ? STATUS_ERROR : STATUS_MISS;
}

/* One attempt at w->step. */
static int attempt_step(struct worker *w, struct err *e)
{
	const struct step *s = w->step;
	const char *what = arena_printf(&w->arena, "step '%s'", s->name);
	bool dead = worker_crash_told(w);
	struct sampling sampling;
	int r;

	w->crash_ended = w->explained = false;
	bench_push(&w->bench, what, s->timeout_ms);
	worker_sample_begin(w, &sampling);
	if (dead && worker_needs_board(s)) /* nobody is there who could do it */
		r = err_set(e, BLAME_INFRA, "the kernel had given up");
	else
		r = kinds[s->kind].run(w, s->conf, e);
	if (worker_crash_flush(w, r ? NULL : e)) /* it belongs to this step */
		r = -1;
	bench_pop(&w->bench);
	worker_sample_end(w, &sampling, r ? e : NULL);
	if (r) {
		worker_crash_judge(w, dead, e);
		worker_explain(w, e);
	}
	if (!r && w->journal.lost)
		r = err_sys(e, BLAME_INFRA, w->journal.lost, "cannot write the journal of '%s'",
			w->dir);
	if (!r && (s->kind == STEP_BOOT || s->kind == STEP_LOGIN))
		worker_power_seen(w);
	if (!r && kinds[s->kind].passes)
		worker_result(w, s->name, STATUS_PASS, NULL, BLAME_NONE);
	if (!r)
		return 0;
	if (kinds[s->kind].result && e->blame != BLAME_CANCEL)
		worker_result(w, s->name, lost_status(w, e), e->msg, e->blame);
	err_wrap(e, "%s", what);
	tally_error(&w->tally, e);
	return -1;
}

static void tell_end(struct worker *w, size_t index, int64_t took_ms, const struct err *e)
{
	AUTOFREE char *clean = e ? journal_text(e->msg) : NULL;

	bench_event(&w->bench, "step-end", "{s:I, s:s, s:s, s:I, s:I, s:s*, s:s*}", "step",
		(json_int_t)index, "name", w->step->name, "outcome", e ? "failed" : "ok", "took_ms",
		(json_int_t)took_ms, "attempts", (json_int_t)w->attempt, "blame",
		e ? err_blame_name(e->blame) : NULL, "message", clean);
}

/* Does the run end with this step? */
static bool ends_run(struct worker *w, enum outcome o, const struct err *e)
{
	if (o == OUTCOME_FAILED && w->step->on_failure == ON_FAILURE_STOP) {
		bench_note(&w->bench, "step '%s' failed and ends the run", w->step->name);
		return true;
	}
	return o == OUTCOME_BROKE &&
	       (w->step->on_failure != ON_FAILURE_CONTINUE || e->blame == BLAME_CANCEL ||
		       w->journal.lost || !bench_left_ms(&w->bench));
}

static void set_step(struct worker *w, size_t index)
{
	const struct step *s = &w->plan.steps[index];
	struct console *c = worker_console(w, s->console, NULL);

	w->step = s;
	w->step_offset = c ? c->base_bytes + c->received_bytes : 0;
}

/* Does the run end with it? *why: what broke it, untouched when nothing did. */
static bool run_step(struct worker *w, size_t index, struct err *why)
{
	const struct step *s = &w->plan.steps[index];
	int64_t start = clock_ms();
	struct err e = {0};
	enum outcome o;
	bool ends;

	set_step(w, index);
	bench_event(&w->bench, "step-start", "{s:I, s:s, s:s, s:I}", "step", (json_int_t)index,
		"name", s->name, "step_kind", step_specs[s->kind].name, "timeout_ms",
		(json_int_t)s->timeout_ms);
	o = worker_attempts(w, attempt_step, &e);
	tell_end(w, index, clock_ms() - start, o == OUTCOME_BROKE ? &e : NULL);
	ends = ends_run(w, o, &e);
	if (ends && o == OUTCOME_BROKE)
		*why = e;
	w->step = NULL;
	return ends;
}

/*
 * A step that the run did not come to. What should have been tested and was not because something
 * broke is missing; where the job or somebody said to stop, nobody misses it.
 */
static void leave_out(struct worker *w, size_t index, const struct err *why)
{
	AUTOFREE char *text = mem_printf("not run: %s", why->msg);

	bench_event(&w->bench, "step-end", "{s:I, s:s, s:s}", "step", (json_int_t)index, "name",
		w->plan.steps[index].name, "outcome", "not-run");
	if (!err_is(why) || why->blame == BLAME_CANCEL || !kinds[w->plan.steps[index].kind].result)
		return;
	set_step(w, index);
	worker_result(w, w->step->name, STATUS_MISS, text, why->blame);
	w->step = NULL;
}

/* May a step still be done after the run's end? Where the job's time is up, `always` steps get a
 * little of their own. */
static bool done_always(struct worker *w, const struct step *s, bool *extended)
{
	if (!s->always || err_is(&w->tally.canceled) || w->journal.lost)
		return false;
	if (!*extended && !bench_left_ms(&w->bench)) {
		bench_pop(&w->bench);
		bench_push(&w->bench, "steps that are always done", WORKER_ALWAYS_MS);
		*extended = true;
	}
	return true;
}

void worker_steps(struct worker *w, const struct err *broken)
{
	bool ended = err_is(broken), extended = false;
	struct err why = *broken, later = {0};

	for (size_t i = 0; i < w->plan.n; i++) {
		const struct step *s = &w->plan.steps[i];

		if (!ended || (!err_is(broken) && done_always(w, s, &extended)))
			ended = run_step(w, i, ended ? &later : &why) || ended;
		else
			leave_out(w, i, &why);
	}
}

/* ---- power, deploy, boot --------------------------------------------------------------------- */

int step_power(struct worker *w, const void *conf, struct err *e)
{
	const struct step_power *s = conf;

	return worker_power(w, s->action, e);
}

const struct plan_image *worker_image(const struct worker *w, const char *role)
{
	for (size_t i = 0; i < w->plan.n_images; i++)
		if (!strcmp(w->plan.images[i].role, role))
			return &w->plan.images[i];
	return NULL;
}

/* An image is used only when its digest is the manifest's, looked at right before. */
static int verify(const struct plan_image *im, struct err *e)
{
	char hex[DIGEST_HEX_BYTES];

	if (plan_blob(im->path))
		return err_set(e, BLAME_BUG, "image '%s' was not fetched to this host", im->role);
	if (!im->path || digest_sha256_file(im->path, hex, e)) {
		if (e)
			e->blame = BLAME_BUILD;
		return im->path ? -1 : err_set(e, BLAME_BUILD, "image '%s' has no file", im->role);
	}
	if (im->sha256 && strcmp(hex, im->sha256))
		return err_set(e, BLAME_BUILD,
			"image '%s' ('%s') has sha256 %.12s..., the manifest says %.12s...",
			im->role, im->path, hex, im->sha256);
	return 0;
}

/* Two masters on one card destroy it: unknown is not off. */
int worker_make_sure_off(struct worker *w, const char *method, struct err *e)
{
	if (!w->power.drv)
		return err_set(e, BLAME_CONFIG,
			"deploy by '%s' needs the board off, and board '%s' has no power control",
			method, w->board_name);
	if (w->power.state == POWER_OFF)
		return 0;
	if (worker_make_off(w, e))
		return err_wrap(e, "deploy by '%s' needs the board off", method);
	bench_event(&w->bench, "power", "{s:s}", "state", power_state_name(w->power.state));
	if (w->power.state != POWER_OFF)
		return err_set(e, BLAME_INFRA,
			"deploy by '%s' needs the board off, and its relay cannot tell", method);
	return 0;
}

int step_deploy(struct worker *w, const void *conf, struct err *e)
{
	const struct step_deploy *s = conf;
	struct deploy *dp = worker_deploy(w, s->method, e);
	AUTOFREE struct deploy_image *images = mem_array(s->images.n + 1, sizeof *images);

	if (!dp)
		return -1;
	for (size_t i = 0; i < s->images.n; i++) {
		const struct plan_image *im = worker_image(w, s->images.p[i]);

		if (!im)
			return err_set(e, BLAME_JOB, "build '%s' has no image '%s'",
				w->plan.build ? w->plan.build : "(none)", s->images.p[i]);
		if (verify(im, e))
			return -1;
		images[i] = (struct deploy_image){im->role, im->path};
	}
	if (dp->drv->wants_power_off && worker_make_sure_off(w, s->method, e))
		return -1;
	if (dp->drv->stage(dp, images, s->images.n, e) || (dp->drv->vars && dp->drv->vars(dp, e)))
		return err_wrap(e, "deploy by '%s'", s->method);
	return 0;
}

/* The running system restarts itself. From here on the old shell is gone, and stages count from the
 * command. */
static int restart(struct worker *w, const char *reset, struct err *e)
{
	struct console *c = w->boot.console;
	AUTOBUF command = BUF_INIT(WORKER_TEXT_BYTES);

	if (!worker_shell(w, w->step->console, e) || bench_expand(&w->bench, reset, &command, e) ||
		console_quiet(c, RESTART_REST_MS, RESTART_LIMIT_MS, e) < 0)
		return -1;
	expect_skip(c->expect);
	if (console_type(c, buf_str(&command), true, e))
		return err_wrap(e, "restart");
	worker_close_shells(w);
	worker_note_on(w, true);
	return 0;
}

int step_boot(struct worker *w, const void *conf, struct err *e)
{
	const struct step_boot *s = conf;
	const struct node *map = node_find(node_find(w->board, "boot"), s->method);
	const struct boot_driver *drv;
	int r;

	drv = (const struct boot_driver *)driver_get(boot_drivers(), "boot driver", s->method, e);
	if (!drv)
		return -1;
	if (s->until && !drv->prompt)
		return err_set(
			e, BLAME_JOB, "boot method '%s' has no prompt to stop at", s->method);
	if (!map)
		return err_set(e, BLAME_CONFIG, "the type of board '%s' has no boot method '%s'",
			w->board_name, s->method);
	free((char *)w->boot.loader_version);
	w->boot = (struct boot){.drv = drv,
		.bench = &w->bench,
		.console = worker_console(w, w->step->console, e),
		.conf = worker_conf(w, drv->d.params, drv->d.size, "boot settings", map, NULL, e)};
	if (!w->boot.console || !w->boot.conf)
		return -1;
	if (s->via != BOOT_ON) /* else what it said since its power-on counts */
		expect_skip(w->boot.console->expect);
	if (s->via == BOOT_WARM       ? restart(w, s->reset, e)
		: s->via == BOOT_COLD ? drv->wants_power && worker_power(w, 2, e)
				      : 0)
		return -1;
	r = s->until ? drv->prompt(&w->boot, e) : drv->start(&w->boot, e);
	w->boot.at_prompt = !r && s->until;
	if (w->boot.loader_version)
		worker_env(
			w, w->boot.framed_prompt ? "rom" : "boot-loader", w->boot.loader_version);
	return r;
}
