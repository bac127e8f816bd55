/* SPDX-License-Identifier: MIT */
/*
 * Judges runs. Invariant: every figure of a run is told once, and every one that its last runs had
 * and it has not; who is to blame is told only where other boards or an unchanged build say so.
 */
#include "judge-inner.h"

#include "base/map.h"
#include "store/control.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const char *const judge_kind_names[JUDGE_KINDS + 1] = {
	"noise", "regression", "improvement", "moved", "environment", "new", "missing", NULL};
const char *const judge_test_names[JUDGE_TEST_KINDS + 1] = {
	"broke", "lost", "failing", "fixed", "new-failing", NULL};

void judge_init(struct judge *j, struct store *s, const struct judge_baseline *b, bool keep)
{
	*j = (struct judge){.s = s, .keep = keep};
	if (b)
		j->baseline = *b;
}

void judge_done(struct judge *j)
{
	vec_done(&j->runs);
	arena_done(&j->arena);
}

/* ---- what a run needs ------------------------------------------------------------------------ */

static struct store_run copy_run(struct arena *a, const struct store_run *run)
{
	struct store_run copy = *run;
	const char **const texts[] = {&copy.job, &copy.board, &copy.type, &copy.soc, &copy.lab,
		&copy.build, &copy.build_version, &copy.verdict, &copy.blame, &copy.message,
		&copy.dir, &copy.params};

	for (size_t i = 0; i < ARRAY_LEN(texts); i++)
		*texts[i] = arena_strdup(a, *texts[i]);
	return copy;
}

static int on_run(void *arg, const struct store_run *run)
{
	struct judging *g = arg;

	g->r->run = copy_run(&g->j->arena, run);
	return 0;
}

/* Those of the same parameters that ended and were not canceled. */
static int on_before(void *arg, const struct store_run *run)
{
	struct judging *g = arg;
	AUTOFREE char *params = store_series_params(run);

	if (run->verdict && strcmp(run->verdict, "canceled") && run->twin == g->r->run.twin &&
		!strcmp(params, g->params))
		vec_push(&g->before, copy_run(&g->j->arena, run));
	return 0;
}

static int on_series(void *arg, const struct store_series *s)
{
	struct judging *g = arg;
	struct store_series copy = *s;
	const char **const texts[] = {&copy.type, &copy.board, &copy.line, &copy.job, &copy.params,
		&copy.suite, &copy.test, &copy.metric, &copy.labels, &copy.tool, &copy.unit,
		&copy.better};

	if (strcmp(s->type, g->r->run.type ? g->r->run.type : "") ||
		strcmp(s->job, g->r->run.job) || s->twin != g->r->run.twin)
		return 0;
	for (size_t i = 0; i < ARRAY_LEN(texts); i++)
		*texts[i] = arena_strdup(&g->j->arena, *texts[i]);
	vec_push(&g->all, copy);
	return 0;
}

typedef VEC(struct run_point) point_list;

static int on_point(void *arg, int64_t series, const struct store_point *p)
{
	point_list *list = arg;
	struct run_point point = {series, *p};

	point.p.version = NULL; /* the run's own */
	vec_push(list, point);
	return 0;
}

#define RUNS_BEFORE 64

static int gather(struct judging *g)
{
	const struct store_run *run = &g->r->run;
	const struct store_series_filter f = {.type = run->type ? run->type : "", .job = run->job};
	AUTOFREE char *params = store_series_params(run);
	point_list points = {0};

	g->params = arena_strdup(&g->j->arena, params);
	if (store_runs_before(g->j->s, run, RUNS_BEFORE, on_before, g, g->e) ||
		store_series_list(g->j->s, &f, on_series, g, g->e) ||
		store_points_of_run(g->j->s, run->id, on_point, &points, g->e)) {
		vec_done(&points);
		return -1;
	}
	vec_each (&points, p)
		p->p.version = run->build_version;
	g->points = points.p;
	g->n_points = points.n;
	if (g->before.n) {
		g->r->previous = g->before.p[0].id;
		g->r->previous_version = g->before.p[0].build_version;
	}
	return 0;
}

/* ---- how the board is set up ----------------------------------------------------------------- */

/* Of the board and its lab, and steady: a build that changes one of them would be told by itself.
 */
static bool is_lab_env(const char *name)
{
	static const char *const names[] = {
		"board.model", "board.revision", "board.serial", "cpu.governor", "boot.medium"};

	for (size_t i = 0; i < ARRAY_LEN(names); i++)
		if (!strcmp(name, names[i]))
			return true;
	return !strncmp(name, "storage.", strlen("storage."));
}

struct env_taking {
	struct judging *g;
	bool now;
};

static int on_env(void *arg, const char *name, const char *value)
{
	struct env_taking *t = arg;
	struct arena *a = &t->g->j->arena;
	struct judge_env env = {0};

	if (!is_lab_env(name))
		return 0;
	vec_each (&t->g->envs, had)
		if (!strcmp(had->name, name)) {
			if (t->now && !had->now)
				had->now = arena_strdup(a, value);
			return 0;
		}
	env.name = arena_strdup(a, name);
	if (t->now)
		env.now = arena_strdup(a, value);
	else
		env.before = arena_strdup(a, value);
	vec_push(&t->g->envs, env);
	return 0;
}

/* Against the last run before that got as far as to tell. What only one of them tells is not known
 * to have changed. */
static int judge_envs(struct judging *g)
{
	struct env_taking t = {g, false};
	size_t kept = 0;

	for (size_t i = 0; i < g->before.n && i < JUDGE_BACK && !g->envs.n; i++)
		if (store_envs(g->j->s, g->before.p[i].id, on_env, &t, g->e))
			return -1;
	t.now = true;
	if (store_envs(g->j->s, g->r->run.id, on_env, &t, g->e))
		return -1;
	vec_each (&g->envs, env)
		if (env->before && env->now && strcmp(env->before, env->now))
			g->envs.p[kept++] = *env;
	g->envs.n = kept;
	return 0;
}

/* ---- figures --------------------------------------------------------------------------------- */

static const struct run_point *point_of(const struct judging *g, int64_t series)
{
	size_t low = 0, high = g->n_points; /* they come by series */

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (g->points[middle].series < series)
			low = middle + 1;
		else
			high = middle;
	}
	return low < g->n_points && g->points[low].series == series ? &g->points[low] : NULL;
}

/* Does the run have the same figure of another tool, in another unit? Then it is not missing. */
static bool has_otherwise(const struct judging *g, const struct store_series *s)
{
	vec_each (&g->all, other)
		if (other->id != s->id && !strcmp(other->metric, s->metric) &&
			!strcmp(other->test, s->test) && !strcmp(other->suite, s->suite) &&
			!strcmp(other->labels, s->labels) && point_of(g, other->id))
			return true;
	return false;
}

/* When the last few runs began that gave figures; 0: there is none. */
static int64_t recent_ms(const struct judging *g)
{
	int64_t since = 0;
	size_t n = 0;

	vec_each (&g->before, b)
		if (strcmp(b->verdict, "incomplete") &&
			!strcmp(b->build ? b->build : "", g->r->run.build ? g->r->run.build : "")) {
			since = b->started_ms;
			if (++n == JUDGE_RECENT)
				break;
		}
	return n ? since : 0;
}

static int on_newest(void *arg, int64_t series, const struct store_point *p)
{
	(void)series;
	return *(int64_t *)arg = p->at_ms, 0;
}

static int judge_missing(struct judging *g, const struct store_series *s, int64_t since)
{
	const struct store_run *run = &g->r->run;
	struct judgement m = {.series = *s, .run = run->id};
	int64_t newest = 0;

	if (s->last_ms < since || s->first_ms >= run->started_ms ||
		strcmp(s->board, run->board ? run->board : "") || strcmp(s->params, g->params) ||
		strcmp(s->line, run->build ? run->build : "") || has_otherwise(g, s))
		return 0;
	if (store_points_back(
		    g->j->s, s->id, run->started_ms, run->id, 1, on_newest, &newest, g->e))
		return -1;
	if (newest < since)
		return 0;
	if (judge_absent(g, &m))
		return -1;
	vec_push(&g->figures, m);
	return 0;
}

static int judge_figures(struct judging *g)
{
	int64_t since = recent_ms(g);

	vec_each (&g->all, s) {
		const struct run_point *p = point_of(g, s->id);
		struct judgement m = {.series = *s, .run = g->r->run.id};

		if (!p)
			continue;
		m.value = p->p.value;
		if (judge_figure(g, &m, &p->p))
			return -1;
		vec_push(&g->figures, m);
	}
	vec_each (&g->all, s)
		if (since && !point_of(g, s->id) && judge_missing(g, s, since))
			return -1;
	return 0;
}

/* Where the store cannot be written the next judge reads again what this one did. */
static void keep_states(struct judging *g)
{
	if (!g->states.n || store_turn_begin(g->j->s, NULL))
		return;
	vec_each (&g->states, st)
		if (judge_keep(g, st)) {
			store_turn_undo(g->j->s);
			return;
		}
	store_turn_commit(g->j->s, NULL);
}

/* ---- together -------------------------------------------------------------------------------- */

#define TOGETHER_TESTS  3   /* at least, and half of all */
#define TOGETHER_STANDS 2.5 /* evidence of a figure that goes along */

struct tally {
	size_t known, worse, better;
};

/* Figures of one test go together anyway: tests are counted, each by half of its figures. */
static void find_together(struct judging *g)
{
	struct map tests = {0};
	size_t known = 0, worse = 0, better = 0;

	vec_each (&g->figures, m) {
		const char *key = arena_printf(&g->j->arena, "%s\n%s\n%.*s", m->series.suite,
			m->series.test, (int)strcspn(m->series.metric, "."), m->series.metric);
		struct tally *t = map_find(&tests, key);

		if (isnan(m->evidence) || !strcmp(m->series.better, "neither"))
			continue;
		if (!t) {
			t = arena_alloc(&g->j->arena, sizeof *t);
			map_set(&tests, key, t);
		}
		t->known++;
		t->worse += m->evidence >= TOGETHER_STANDS && m->worse && !m->standing;
		t->better += m->evidence >= TOGETHER_STANDS && !m->worse && !m->standing;
	}
	map_each (&tests, entry) {
		const struct tally *t = entry->value;

		known++;
		worse += 2 * t->worse >= t->known;
		better += 2 * t->better >= t->known;
	}
	map_done(&tests);
	g->r->together = (worse >= TOGETHER_TESTS && 2 * worse >= known) ||
			 (better >= TOGETHER_TESTS && 2 * better >= known);
}

/* ---- a run ----------------------------------------------------------------------------------- */

static void *settled(struct arena *a, const void *p, size_t bytes)
{
	void *copy = arena_alloc(a, bytes + 1);

	if (bytes)
		memcpy(copy, p, bytes);
	return copy;
}

static void take_lists(struct judging *g)
{
	struct arena *a = &g->j->arena;
	struct judge_run *r = g->r;

	r->figures = settled(a, g->figures.p, g->figures.n * sizeof *g->figures.p);
	r->n_figures = g->figures.n;
	r->tests = settled(a, g->tests.p, g->tests.n * sizeof *g->tests.p);
	r->n_tests = g->tests.n;
	r->envs = settled(a, g->envs.p, g->envs.n * sizeof *g->envs.p);
	r->n_envs = g->envs.n;
}

static void judging_done(struct judging *g)
{
	free(g->points);
	vec_done(&g->all);
	vec_done(&g->figures);
	vec_done(&g->tests);
	vec_done(&g->envs);
	vec_done(&g->before);
	vec_done(&g->states);
	vec_done(&g->base);
}

static int judge_all(struct judging *g)
{
	if (gather(g) || judge_base_find(g) || judge_envs(g) || judge_figures(g) || judge_tests(g))
		return -1;
	find_together(g);
	keep_states(g);
	take_lists(g);
	return 0;
}

int judge_run(struct judge *j, int64_t run, struct err *e)
{
	struct judge_run *r;
	struct judging g = {.j = j, .e = e};
	int found, failed;

	if (j->runs.n == JUDGE_RUNS)
		return err_set(e, BLAME_CONFIG, "more than %zu runs to judge at once", JUDGE_RUNS);
	r = g.r = arena_alloc(&j->arena, sizeof *r);
	found = store_run_get(j->s, run, on_run, &g, e);
	if (found <= 0 || !r->run.verdict)
		return found < 0 ? -1 : 0;
	failed = judge_all(&g);
	judging_done(&g);
	if (failed)
		return err_wrap(e, "judge run %lld", (long long)run);
	vec_push(&j->runs, r);
	return 1;
}

size_t judge_regressions(const struct judge *j)
{
	size_t n = 0;

	vec_each (&j->runs, r)
		n += (*r)->counts[JUDGE_REGRESSION];
	return n;
}
