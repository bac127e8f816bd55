/* SPDX-License-Identifier: MIT */
/*
 * Walks the plan. Invariant: every step of the plan has an outcome in the journal (ok, failed,
 * not-run); the first step that cannot be done is the last one that is tried, while a test that
 * fails lets the next one run.
 */
#include "worker.h"

#include "base/clock.h"
#include "base/fs.h"
#include "base/mem.h"
#include "io/digest.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static const struct {
	int (*run)(struct worker *w, const void *conf, struct err *e);
	bool result; /* the step itself is a result, named by it */
	bool passes; /* its result is pass when run returns 0 */
} kinds[STEP_COUNT] = {
	[STEP_POWER] = {step_power, false, false},
	[STEP_DEPLOY] = {step_deploy, false, false},
	[STEP_BOOT] = {step_boot, true, true},
	[STEP_LOGIN] = {step_login, true, true},
	[STEP_RUN] = {step_run, true, false},
	[STEP_EXPECT] = {step_expect, true, false},
	[STEP_SEND] = {step_send, false, false},
	[STEP_MEASURE] = {step_measure, true, false},
};

/* A step could not be done: what that is as a result. A kernel that gave up is the thing under
 * test; everything else is somebody else's, and the result is lost. */
static enum status lost_status(const struct worker *w, const struct err *e)
{
	if (w->crash.told)
		return STATUS_FAIL;
	return e->blame == BLAME_TEST ? STATUS_ERROR : STATUS_MISS;
}

static int run_step(struct worker *w, size_t index)
{
	const struct step *s = &w->plan.steps[index];
	const char *what = arena_printf(&w->arena, "step '%s'", s->name);
	int64_t start = clock_ms();
	struct err e = {0};
	int r;

	struct console *c = worker_console(w, s->console, NULL);

	w->step = s;
	w->step_offset = c ? c->base_bytes + c->received_bytes : 0;
	bench_event(&w->bench, "step-start", "{s:I, s:s, s:s, s:I}", "step", (json_int_t)index,
		"name", s->name, "step_kind", step_specs[s->kind].name, "timeout_ms",
		(json_int_t)s->timeout_ms);
	bench_push(&w->bench, what, s->timeout_ms);
	r = kinds[s->kind].run(w, s->conf, &e);
	bench_pop(&w->bench);
	if (r && w->crash.told) /* whatever was waited for does not matter any more */
		err_set(&e, BLAME_BUILD, "the kernel gave up: %s", w->crash.what);
	if (!r && w->journal.lost)
		r = err_sys(&e, BLAME_INFRA, w->journal.lost, "cannot write the journal of '%s'",
			w->dir);
	if (!r && (s->kind == STEP_BOOT || s->kind == STEP_LOGIN))
		worker_power_seen(w);
	if (!r && kinds[s->kind].passes)
		worker_result(w, s->name, STATUS_PASS, NULL, BLAME_NONE);
	if (r && kinds[s->kind].result && e.blame != BLAME_CANCEL)
		worker_result(w, s->name, lost_status(w, &e), e.msg, e.blame);
	if (r) {
		AUTOFREE char *clean = journal_text(e.msg);

		err_wrap(&e, "%s", what);
		tally_error(&w->tally, &e);
		bench_event(&w->bench, "step-end", "{s:I, s:s, s:s, s:I, s:s, s:s}", "step",
			(json_int_t)index, "name", s->name, "outcome", "failed", "took_ms",
			(json_int_t)(clock_ms() - start), "blame", err_blame_name(e.blame),
			"message", clean);
	} else {
		bench_event(&w->bench, "step-end", "{s:I, s:s, s:s, s:I}", "step",
			(json_int_t)index, "name", s->name, "outcome", "ok", "took_ms",
			(json_int_t)(clock_ms() - start));
	}
	w->step = NULL;
	return r;
}

int worker_steps(struct worker *w)
{
	size_t i = 0;
	int r = 0;

	while (!r && i < w->plan.n)
		r = run_step(w, i++);
	for (; i < w->plan.n; i++)
		bench_event(&w->bench, "step-end", "{s:I, s:s, s:s}", "step", (json_int_t)i, "name",
			w->plan.steps[i].name, "outcome", "not-run");
	return r;
}

/* ---- power, deploy, boot --------------------------------------------------------------------- */

int step_power(struct worker *w, const void *conf, struct err *e)
{
	const struct step_power *s = conf;

	return worker_power(w, s->action, e);
}

static const struct plan_image *find_image(const struct worker *w, const char *role)
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

int step_deploy(struct worker *w, const void *conf, struct err *e)
{
	const struct step_deploy *s = conf;
	struct deploy *dp = worker_deploy(w, s->method, e);
	AUTOFREE struct deploy_image *images = mem_array(s->images.n + 1, sizeof *images);

	if (!dp)
		return -1;
	for (size_t i = 0; i < s->images.n; i++) {
		const struct plan_image *im = find_image(w, s->images.p[i]);

		if (!im)
			return err_set(e, BLAME_JOB, "build '%s' has no image '%s'",
				w->plan.build ? w->plan.build : "(none)", s->images.p[i]);
		if (verify(im, e))
			return -1;
		images[i] = (struct deploy_image){im->role, im->path};
	}
	if (dp->drv->wants_power_off && w->power.state != POWER_OFF && worker_power(w, 1, e))
		return -1;
	if (dp->drv->stage(dp, images, s->images.n, e) || (dp->drv->vars && dp->drv->vars(dp, e)))
		return err_wrap(e, "deploy by '%s'", s->method);
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
	expect_skip(w->boot.console->expect);
	if (drv->wants_power && worker_power(w, 2, e))
		return -1;
	r = drv->start(&w->boot, e);
	if (w->boot.loader_version)
		worker_env(w, "boot-loader", w->boot.loader_version);
	return r;
}
