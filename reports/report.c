/* SPDX-License-Identifier: MIT */
/*
 * Gathers one run out of the store. Invariant: a report holds every result and every figure of its
 * run, in the journal's order; nothing is left out and nothing is filled in.
 */
#include "report.h"

#include "base/vec.h"
#include "io/json.h"

#include <stdio.h>
#include <string.h>

struct gather {
	struct report *r;
	const struct metric_table *table;
	int64_t step, step_start_ms; /* the step that runs; ms -1: none */
	char role[128];              /* of the part whose events come, "server/"; "": it has none */
	VEC(struct store_result) results;
	VEC(struct report_metric) metrics;
	VEC(struct report_env) envs;
	VEC(struct store_stage) stages;
	VEC(struct report_step) steps;
	VEC(struct report_identity) identities;
	VEC(const char *) warnings;
};

static struct store_run copy_run(struct arena *a, const struct store_run *run)
{
	struct store_run copy = *run;

	copy.job = arena_strdup(a, run->job);
	copy.board = arena_strdup(a, run->board);
	copy.type = arena_strdup(a, run->type);
	copy.soc = arena_strdup(a, run->soc);
	copy.lab = arena_strdup(a, run->lab);
	copy.build = arena_strdup(a, run->build);
	copy.build_version = arena_strdup(a, run->build_version);
	copy.verdict = arena_strdup(a, run->verdict);
	copy.blame = arena_strdup(a, run->blame);
	copy.message = arena_strdup(a, run->message);
	copy.dir = arena_strdup(a, run->dir);
	copy.params = arena_strdup(a, run->params);
	return copy;
}

static int on_run(void *arg, const struct store_run *run)
{
	struct report *r = arg;

	r->run = copy_run(&r->arena, run);
	return 0;
}

static int on_result(void *arg, const struct store_result *res)
{
	struct gather *g = arg;
	struct arena *a = &g->r->arena;
	struct store_result copy = *res;
	int status = status_parse(res->status);

	copy.suite = arena_strdup(a, res->suite);
	copy.name = arena_strdup(a, res->name);
	copy.status = arena_strdup(a, res->status);
	copy.why = arena_strdup(a, res->why);
	copy.console = arena_strdup(a, res->console);
	g->r->counts[status < 0 ? STATUS_MISS : status]++;
	vec_push(&g->results, copy);
	return 0;
}

static int on_metric(void *arg, const struct store_metric *m)
{
	struct gather *g = arg;
	struct arena *a = &g->r->arena;
	struct report_metric copy = {*m, g->table ? metric_find(g->table, m->name) : NULL};

	copy.m.suite = arena_strdup(a, m->suite);
	copy.m.test = arena_strdup(a, m->test);
	copy.m.name = arena_strdup(a, m->name);
	copy.m.unit = arena_strdup(a, m->unit);
	/* In the table's unit, whatever the tool printed; a unit of another kind stays as it is. */
	if (copy.def && !metric_value(copy.def, m->value, m->unit, &copy.m.value, NULL)) {
		metric_value(copy.def, m->min, m->unit, &copy.m.min, NULL);
		metric_value(copy.def, m->max, m->unit, &copy.m.max, NULL);
		metric_value(copy.def, m->resolution, m->unit, &copy.m.resolution, NULL);
		copy.m.unit = copy.def->unit;
	}
	copy.m.labels = arena_strdup(a, m->labels);
	copy.m.better = arena_strdup(a, m->better);
	vec_push(&g->metrics, copy);
	return 0;
}

static int on_env(void *arg, const char *name, const char *value)
{
	struct gather *g = arg;
	struct report_env copy = {
		arena_strdup(&g->r->arena, name), arena_strdup(&g->r->arena, value)};

	/* Every fio of a run tells its version; what differs is kept, what repeats is not. */
	vec_each (&g->envs, had)
		if (!strcmp(had->name, name) && !strcmp(had->value, value))
			return 0;
	vec_push(&g->envs, copy);
	return 0;
}

static int on_stage(void *arg, const struct store_stage *stage)
{
	struct gather *g = arg;
	struct store_stage copy = *stage;

	copy.name = arena_strdup(&g->r->arena, stage->name);
	vec_push(&g->stages, copy);
	return 0;
}

/* Events come part by part: what one of several did bears its role. */
static const char *of_role(struct gather *g, const char *text)
{
	return text ? arena_printf(&g->r->arena, "%s%s", g->role, text) : NULL;
}

static void on_run_start(struct gather *g, const json_t *j)
{
	const char *role = json_text(j, "role", NULL);

	snprintf(g->role, sizeof g->role, "%s%s", role ? role : "", role ? "/" : "");
	g->step_start_ms = -1;
}

/* How long a step took: `ms` of an event is the time since the run's start. */
static void on_step_start(struct gather *g, const json_t *j)
{
	g->step = json_int(j, "step", -1);
	g->step_start_ms = json_int(j, "ms", -1);
}

static void on_step_end(struct gather *g, const json_t *j)
{
	int64_t end_ms = json_int(j, "ms", -1);
	bool timed = g->step_start_ms >= 0 && g->step == json_int(j, "step", -1) &&
		     end_ms >= g->step_start_ms;
	struct arena *a = &g->r->arena;
	struct report_step step = {
		.name = of_role(g, json_text(j, "name", "-")),
		.outcome = arena_strdup(a, json_text(j, "outcome", "not-run")),
		.blame = arena_strdup(a, json_text(j, "blame", NULL)),
		.message = arena_strdup(a, json_text(j, "message", NULL)),
		.ms = timed ? end_ms - g->step_start_ms : -1,
		.attempts = json_int(j, "attempts", 0),
	};

	g->step_start_ms = -1;
	vec_push(&g->steps, step);
}

static void on_identity(struct gather *g, const json_t *j)
{
	struct arena *a = &g->r->arena;
	struct report_identity id = {
		.role = of_role(g, json_text(j, "role", "-")),
		.want = arena_strdup(a, json_text(j, "want", NULL)),
		.got = arena_strdup(a, json_text(j, "got", NULL)),
		.same = json_flag(j, "same", false),
	};

	vec_push(&g->identities, id);
}

/* Of a crash one line: its kind, what came of it and where the log has it; the excerpt stays with
 * the events. */
static void on_warn(struct gather *g, const json_t *j)
{
	const char *kind = json_text(j, "crash", NULL), *line = json_text(j, "line", NULL);
	const char *reason = json_text(j, "reason", NULL), *console = json_text(j, "console", NULL);
	AUTOBUF text = BUF_INIT(BUF_CAP_BYTES);

	if (!kind || !line) {
		vec_push(&g->warnings, of_role(g, json_text(j, "text", "")));
		return;
	}
	buf_printf(&text, "crash %s (%s", kind, json_text(j, "rule", "-"));
	if (reason)
		buf_printf(&text, ": %s", reason);
	if (console)
		buf_printf(&text, ", console %s at byte %lld", console,
			(long long)json_int(j, "log_offset", 0));
	else
		buf_puts(&text, ", the kernel's log");
	buf_printf(&text, "): %s", line);
	vec_push(&g->warnings, of_role(g, buf_str(&text)));
}

/* The store has not taken it (store_run_events): it is told why. */
static void on_refused(struct gather *g, const json_t *j)
{
	const struct metric_def *def =
		g->table ? metric_find(g->table, json_text(j, "name", "")) : NULL;
	double value = json_num(j, "value", NAN);
	const char *unit = json_text(j, "unit", "");
	struct err e = {0};

	if (!def || !isfinite(value) || !metric_value(def, value, unit, &value, &e))
		return;
	vec_push(&g->warnings,
		of_role(g, arena_printf(&g->r->arena, "%s: %s: %.10g %s is not stored", def->name,
				   e.msg, value, unit)));
}

static int on_event(void *arg, const char *kind, const struct store_event *ev)
{
	struct gather *g = arg;
	AUTOJSON *j = json_loads(ev->line, 0, NULL);

	if (!strcmp(kind, "run-start"))
		on_run_start(g, j);
	else if (!strcmp(kind, "step-start"))
		on_step_start(g, j);
	else if (!strcmp(kind, "step-end"))
		on_step_end(g, j);
	else if (!strcmp(kind, "identity"))
		on_identity(g, j);
	else if (!strcmp(kind, "metric"))
		on_refused(g, j);
	else if (!strcmp(kind, "warn"))
		on_warn(g, j);
	return 0;
}

static void *keep(struct arena *a, const void *p, size_t n, size_t of)
{
	void *copy = arena_alloc(a, n * of + 1);

	if (n)
		memcpy(copy, p, n * of);
	return copy;
}

#define KEEP(g, list)                                                                              \
	((g)->r->n_##list = (g)->list.n, (g)->r->list = keep(&(g)->r->arena, (g)->list.p,          \
						 (g)->list.n, sizeof *(g)->list.p))

static int gather_lists(struct gather *g, struct store *s, int64_t run, struct err *e)
{
	if (store_results(s, run, on_result, g, e) || store_metrics(s, run, on_metric, g, e) ||
		store_envs(s, run, on_env, g, e) || store_stages(s, run, on_stage, g, e) ||
		store_events(s, run, NULL, on_event, g, e))
		return -1;
	KEEP(g, results);
	KEEP(g, metrics);
	KEEP(g, envs);
	KEEP(g, stages);
	KEEP(g, steps);
	KEEP(g, identities);
	KEEP(g, warnings);
	g->r->n_aggregates =
		aggregate_all(&g->r->arena, g->r->metrics, g->r->n_metrics, &g->r->aggregates);
	return 0;
}

int report_gather(struct report *r, struct store *s, int64_t run, const struct metric_table *table,
	struct err *e)
{
	struct report made = {0};
	struct gather g = {&made, table, .step_start_ms = -1};
	int found = store_run_get(s, run, on_run, &made, e);

	if (found > 0 && gather_lists(&g, s, run, e))
		found = -1;
	vec_done(&g.results);
	vec_done(&g.metrics);
	vec_done(&g.envs);
	vec_done(&g.stages);
	vec_done(&g.steps);
	vec_done(&g.identities);
	vec_done(&g.warnings);
	if (found > 0)
		*r = made;
	else
		report_done(&made);
	return found;
}

void report_done(struct report *r)
{
	arena_done(&r->arena);
}

struct list_gather {
	struct arena *arena;
	VEC(struct store_run) runs;
};

static int on_listed(void *arg, const struct store_run *run)
{
	struct list_gather *g = arg;
	struct store_run copy = copy_run(g->arena, run);

	vec_push(&g->runs, copy);
	return 0;
}

int report_list_gather(struct report_list *l, struct store *s, int64_t limit, struct err *e)
{
	struct report_list made = {0};
	struct list_gather g = {.arena = &made.arena};
	int failed = store_runs(s, limit, on_listed, &g, e);

	made.n = g.runs.n;
	made.runs = keep(&made.arena, g.runs.p, g.runs.n, sizeof *g.runs.p);
	vec_done(&g.runs);
	if (failed)
		report_list_done(&made);
	else
		*l = made;
	return failed;
}

void report_list_done(struct report_list *l)
{
	arena_done(&l->arena);
}

static int on_first(void *arg, const struct store_run *run)
{
	*(int64_t *)arg = run->id;
	return 0;
}

int report_find_run(struct store *s, const char *text, int64_t *run, struct err *e)
{
	int64_t id = 0;

	if (!strcmp(text, "latest")) {
		if (store_runs(s, 1, on_first, &id, e))
			return -1;
		if (!id)
			return err_set(e, BLAME_CONFIG, "store '%s' holds no run", store_path(s));
	} else if (str_i64(str_of(text), &id) || id < 1) {
		return err_set(e, BLAME_CONFIG, "'%.60s' is no run: a number or 'latest'", text);
	}
	*run = id;
	return 0;
}

bool report_is_release(const struct store_run *run, const char *release)
{
	const char *version = run->build_version;
	size_t n = run->build ? strlen(run->build) : 0;

	if (!run->build)
		return false;
	if (!strcmp(run->build, release) || (version && !strcmp(version, release)))
		return true;
	return version && !strncmp(release, run->build, n) && release[n] == '@' &&
	       !strcmp(release + n + 1, version);
}
