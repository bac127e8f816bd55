/* SPDX-License-Identifier: MIT */
/*
 * A run read again: its journal cut into steps, the verdict that follows, and what changed against
 * the reading that counts. Invariant: every result, figure and value of both readings is the same,
 * changed, new or gone: in exactly one of these.
 */
#include "reading-inner.h"

#include "agents/worker/worker.h"
#include "base/clock.h"
#include "base/map.h"
#include "base/mem.h"
#include "io/json.h"
#include "store/control.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define READING_SHOWN_BYTES 512

struct item {
	const char *key, *exact; /* exact: all that is compared */
	const char *shown;
	struct reading_change what; /* kind, suite, name, labels, part */
	bool seen;
};
typedef VEC(struct item) item_list;

struct walk {
	struct reading *made;
	struct reader g;
	struct plan plan; /* of the part in hand */
	bool has_plan;
	int64_t step; /* index; -1: none */
	VEC(json_t *) events;
	VEC(const char *) dirs; /* by part; NULL: the run's */
	const char *run_dir, *old_message, *old_blame;
	const char *broke, *broke_blame; /* the first step that could not be done; NULL: none */
	item_list before, after;
	struct map counts;
	int old_bad; /* errors and misses before */
	struct err *e;
};

/* ---- what is compared -------------------------------------------------------------------------
 */

static void add_item(struct walk *w, item_list *list, struct item it)
{
	struct arena *a = &w->made->arena;
	uintptr_t nth;

	it.key = arena_printf(a, "%s\n%u\n%s\n%s\n%s", it.what.kind, it.what.part,
		it.what.suite ? it.what.suite : "", it.what.name, it.key);
	nth = (uintptr_t)map_find(&w->counts, it.key) + 1;
	map_set(&w->counts, it.key, (void *)nth);
	it.key = arena_printf(a, "%s\n%zu", it.key, (size_t)nth);
	vec_push(list, it);
}

static void add_result(struct walk *w, item_list *list, const struct store_result *r)
{
	struct arena *a = &w->made->arena;
	struct item it = {.key = "",
		.what = {.kind = "result",
			.suite = arena_strdup(a, r->suite),
			.name = arena_strdup(a, r->name),
			.part = r->part}};

	it.exact = arena_printf(a, "%s%s%s", r->status, r->why ? ": " : "", r->why ? r->why : "");
	it.shown = it.exact;
	add_item(w, list, it);
}

static void add_metric(struct walk *w, item_list *list, const struct store_metric *m)
{
	struct arena *a = &w->made->arena;
	struct item it = {.key = arena_printf(a, "%s\n%s", m->test, m->labels),
		.what = {.kind = "metric",
			.suite = arena_strdup(a, m->suite),
			.name = arena_strdup(a, m->name),
			.labels = arena_strdup(a, m->labels),
			.part = m->part}};

	it.exact = arena_printf(a, "%.17g %s %.17g %.17g %.17g %s", m->value, m->unit, m->min,
		m->max, m->resolution, m->better ? m->better : "");
	it.shown = arena_printf(a, "%.10g %s", m->value, m->unit);
	if (isfinite(m->min) || isfinite(m->max))
		it.shown = arena_printf(a, "%s (min %.10g, max %.10g)", it.shown, m->min, m->max);
	add_item(w, list, it);
}

static void add_env(struct walk *w, item_list *list, const char *name, const char *value)
{
	struct arena *a = &w->made->arena;
	struct item it = {.key = "", .what = {.kind = "env", .name = arena_strdup(a, name)}};

	it.exact = arena_strdup(a, value);
	it.shown = it.exact;
	add_item(w, list, it);
}

static int on_old_result(void *arg, const struct store_result *r)
{
	struct walk *w = arg;

	w->old_bad += !strcmp(r->status, "error") || !strcmp(r->status, "miss");
	add_result(w, &w->before, r);
	return 0;
}

static int on_old_metric(void *arg, const struct store_metric *m)
{
	struct walk *w = arg;

	add_metric(w, &w->before, m);
	return 0;
}

static int on_old_env(void *arg, const char *name, const char *value)
{
	struct walk *w = arg;

	add_env(w, &w->before, name, value);
	return 0;
}

static void compare(struct walk *w)
{
	VEC(struct reading_change) changes = {0};
	struct map old = {0};

	vec_each (&w->before, it)
		map_set(&old, it->key, it);
	vec_each (&w->after, it) {
		struct item *was = map_find(&old, it->key);

		it->what.after = it->shown;
		it->what.change = was ? "changed" : "new";
		it->what.before = was ? was->shown : NULL;
		if (was)
			was->seen = true;
		if (was && !strcmp(was->exact, it->exact))
			w->made->n_same++;
		else
			vec_push(&changes, it->what);
	}
	vec_each (&w->before, it) {
		it->what.before = it->shown;
		it->what.change = "gone";
		if (!it->seen)
			vec_push(&changes, it->what);
	}
	w->made->n_changes = changes.n;
	w->made->changes = arena_alloc(&w->made->arena, changes.n * sizeof *changes.p + 1);
	if (changes.n)
		memcpy(w->made->changes, changes.p, changes.n * sizeof *changes.p);
	vec_done(&changes);
	map_done(&old);
}

/* ---- the journal ------------------------------------------------------------------------------
 */

static bool is_of_rails(const struct step *step, const char *result)
{
	size_t n = strlen(step->name);

	return step->sample && !strncmp(result, step->name, n) && !strcmp(result + n, "/rails");
}

/* What was gathered belongs to step (NULL: to none). */
static int flush(struct walk *w, const struct step *step)
{
	struct step_events ev = {.p = w->events.p, .n = w->events.n};
	int failed;

	w->g.step = step;
	for (size_t i = 0; i < ev.n; i++) {
		const char *kind = json_text(ev.p[i], "kind", "");

		const char *name = json_text(ev.p[i], "name", "");

		if (!strcmp(kind, "artifact") && str_ends(str_of(name), WORKER_SAMPLE_SUFFIX))
			ev.rails = ev.p[i];
		else if (!strcmp(kind, "artifact"))
			ev.artifact = ev.p[i], ev.artifact_at = i;
		if (step && !strcmp(kind, "result") && !strcmp(name, step->name))
			ev.own = ev.p[i], ev.own_at = i;
		if (step && !strcmp(kind, "result") && is_of_rails(step, name))
			ev.rails_own = ev.p[i];
		ev.named |= json_text(ev.p[i], "parser", NULL) != NULL;
	}
	failed = reading_step(&w->g, &ev, w->e);
	vec_each (&w->events, j)
		json_decref(*j);
	w->events.n = 0;
	return failed;
}

static const struct step *step_of(const struct walk *w)
{
	return w->step >= 0 && (size_t)w->step < w->plan.n ? &w->plan.steps[w->step] : NULL;
}

static int begin_step(struct walk *w, const json_t *j)
{
	const struct step *s;

	if (!w->has_plan && reading_plan(&w->g, &w->plan, w->e))
		return -1;
	w->has_plan = true;
	w->step = json_int(j, "step", -1);
	s = step_of(w);
	if (!s || strcmp(s->name, json_text(j, "name", "")))
		return err_set(w->e, BLAME_INFRA,
			"'%s/plan.json' is not what it ran by: no step "
			"'%.80s' there",
			w->g.dir, json_text(j, "name", ""));
	return 0;
}

static int begin_part(struct walk *w, unsigned part)
{
	if (flush(w, step_of(w)))
		return -1;
	plan_done(&w->plan);
	w->has_plan = false;
	w->step = -1;
	w->g.part = part;
	w->g.dir = part < w->dirs.n && w->dirs.p[part] ? w->dirs.p[part] : w->run_dir;
	if (!w->g.dir)
		return err_set(w->e, BLAME_INFRA, "it has no job folder");
	return 0;
}

static void note_end(struct walk *w, const json_t *j)
{
	struct arena *a = &w->made->arena;

	if (w->broke || strcmp(json_text(j, "outcome", ""), "failed"))
		return;
	w->broke = arena_strdup(a, json_text(j, "message", "a step could not be done"));
	w->broke_blame = arena_strdup(a, json_text(j, "blame", NULL));
}

static int on_event(void *arg, const char *kind, const struct store_event *ev)
{
	struct walk *w = arg;
	json_t *j;
	int failed = 0;

	if ((ev->part != w->g.part || !w->g.dir) && begin_part(w, ev->part))
		return -1;
	j = json_loads(ev->line, 0, NULL);
	if (!j)
		return 0;
	if (!strcmp(kind, "step-start")) {
		failed = flush(w, NULL) || begin_step(w, j);
	} else if (!strcmp(kind, "step-end")) {
		note_end(w, j);
		failed = flush(w, step_of(w));
		w->step = -1;
	} else {
		vec_push(&w->events, json_incref(j));
	}
	json_decref(j);
	return failed ? -1 : 0;
}

static int on_part(void *arg, const struct store_part *p)
{
	struct walk *w = arg;

	if (p->part >= PLAN_ROLES_MAX)
		return 0;
	while (w->dirs.n <= p->part)
		vec_push(&w->dirs, NULL);
	w->dirs.p[p->part] = arena_strdup(&w->made->arena, p->dir);
	return 0;
}

static int on_run(void *arg, const struct store_run *run)
{
	struct walk *w = arg;
	struct arena *a = &w->made->arena;

	w->run_dir = arena_strdup(a, run->dir);
	w->made->verdict = arena_strdup(a, run->verdict);
	w->old_blame = arena_strdup(a, run->blame);
	w->old_message = arena_strdup(a, run->message);
	return 0;
}

/* ---- the verdict ------------------------------------------------------------------------------
 */

static void end_as(struct store_reading *r, enum verdict v, const char *blame, const char *message)
{
	r->verdict = verdict_name(v);
	r->blame = blame;
	r->message = message;
}

static const char *first_with(struct walk *w, int *all, const char *a, const char *b)
{
	const char *found = NULL;

	vec_each (&w->g.results, r) {
		++*all;
		if (!found && (!strcmp(r->status, a) || !strcmp(r->status, b)))
			found = arena_printf(&w->made->arena, "'%s'%s%s", r->name,
				r->why ? ": " : "", r->why ? r->why : "");
	}
	return found;
}

/* As tally.c makes it of what was told, where what broke the run is known from its journal. */
static void judge(struct walk *w)
{
	struct store_reading *r = &w->made->r;
	const int *counts = w->g.counts;
	bool was_incomplete = !strcmp(w->made->verdict, "incomplete");
	int all = 0;
	const char *first = counts[STATUS_FAIL] ? first_with(w, &all, "fail", "fail")
						: first_with(w, &all, "error", "miss");

	if (!strcmp(w->made->verdict, "canceled"))
		end_as(r, VERDICT_CANCELED, w->old_blame, w->old_message);
	else if (counts[STATUS_FAIL])
		end_as(r, VERDICT_FAIL, "test",
			arena_printf(&w->made->arena, "%d of %d results failed, first %s",
				counts[STATUS_FAIL], all, first));
	else if (was_incomplete && (first || !w->old_bad))
		end_as(r, VERDICT_INCOMPLETE, w->old_blame, w->old_message);
	else if (w->broke)
		end_as(r, VERDICT_INCOMPLETE, w->broke_blame, w->broke);
	else if (first)
		end_as(r, VERDICT_INCOMPLETE, "test", first);
	else if (!counts[STATUS_PASS] && !counts[STATUS_DONE])
		end_as(r, VERDICT_INCOMPLETE, "job", "nothing ran");
	else
		end_as(r, VERDICT_PASS, NULL, NULL);
}

/* ------------------------------------------------------------------------------------------------
 */

static void *copy_of(struct arena *a, const void *p, size_t n, size_t of)
{
	void *copy = arena_alloc(a, n * of + 1);

	if (n)
		memcpy(copy, p, n * of);
	return copy;
}

#define COPY(w, r, list)                                                                           \
	((r)->n_##list = (w)->g.list.n, (r)->list = copy_of(&(w)->made->arena, (w)->g.list.p,      \
						(w)->g.list.n, sizeof *(w)->g.list.p))

static void finish(struct walk *w)
{
	struct store_reading *r = &w->made->r;

	vec_each (&w->g.results, res)
		add_result(w, &w->after, res);
	vec_each (&w->g.metrics, m)
		add_metric(w, &w->after, m);
	vec_each (&w->g.envs, env)
		add_env(w, &w->after, env->name, env->value);
	compare(w);
	judge(w);
	COPY(w, r, results);
	COPY(w, r, metrics);
	COPY(w, r, envs);
	COPY(w, w->made, warnings);
	w->made->n_outputs = w->g.outputs;
	r->at_ms = clock_wall_ms();
	r->version = HILAB_VERSION;
}

static int read_run(struct walk *w, struct store *s, int64_t run, struct err *e)
{
	int found = store_run_get(s, run, on_run, w, e);

	if (!found)
		return err_set(e, BLAME_CONFIG, "store '%s' holds no run %lld", store_path(s),
			(long long)run);
	if (found > 0 && !w->made->verdict)
		return err_set(
			e, BLAME_INFRA, "it goes on: it can be read again when it has ended");
	if (found < 0 || store_parts(s, run, on_part, w, e) ||
		store_results(s, run, on_old_result, w, e) ||
		store_metrics(s, run, on_old_metric, w, e) || store_envs(s, run, on_old_env, w, e))
		return -1;
	map_done(&w->counts);
	if (store_events(s, run, NULL, on_event, w, e) || flush(w, step_of(w)))
		return -1;
	finish(w);
	return 0;
}

int reading_make(struct reading *r, struct store *s, int64_t run, const struct metric_table *table,
	struct err *e)
{
	struct reading made = {.r = {.run = run}};
	struct walk w = {
		.made = &made, .g = {.a = &made.arena, .table = table}, .step = -1, .e = e};
	int failed = read_run(&w, s, run, e);

	vec_each (&w.events, j)
		json_decref(*j);
	vec_done(&w.events);
	vec_done(&w.dirs);
	vec_done(&w.before);
	vec_done(&w.after);
	vec_done(&w.g.results);
	vec_done(&w.g.metrics);
	vec_done(&w.g.envs);
	vec_done(&w.g.warnings);
	map_done(&w.counts);
	plan_done(&w.plan);
	if (failed) {
		reading_done(&made);
		return err_wrap(e, "run %lld", (long long)run);
	}
	*r = made;
	return 0;
}

void reading_done(struct reading *r)
{
	arena_done(&r->arena);
}
