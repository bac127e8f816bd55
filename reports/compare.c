/* SPDX-License-Identifier: MIT */
/*
 * Two sets of runs side by side. Invariant: every test and every figure of either side is in it
 * once, and is called a change only where the runs show one.
 */
#include "compare.h"

#include "base/map.h"
#include "base/vec.h"
#include "io/json.h"
#include "names.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const char *const compare_label_names[] = {"broken", "worse", "gone", "different", "fixed",
	"better", "new", "flaky", "noise", "same", NULL};

struct env_values {
	const char *name;
	struct param_strings values[2];
};
struct comparing {
	struct compare *c;
	struct store *s;
	const struct metric_table *table;
	size_t side;
	struct map tests, metrics, envs; /* -> index + 1 */
	VEC(struct compare_test) all_tests;
	VEC(struct compare_metric) all_metrics;
	VEC(struct env_values) all_envs;
};

bool compare_is_change(enum compare_label label)
{
	return label < COMPARE_FLAKY;
}

/* Jobs and types are told apart where a side has several runs. */
static void tell_apart(
	const struct comparing *g, const struct report *r, const char **job, const char **type)
{
	enum compare_kind a = g->c->sides[0].kind, b = g->c->sides[1].kind;
	struct arena *mem = &g->c->arena;

	*job = a != COMPARE_RUN && b != COMPARE_RUN && r->run.job ? arena_strdup(mem, r->run.job)
								  : "";
	*type = a == COMPARE_RELEASE && b == COMPARE_RELEASE && r->run.type
			? arena_strdup(mem, r->run.type)
			: "";
}

static void add_result(
	struct comparing *g, const struct store_result *res, const char *job, const char *type)
{
	struct arena *a = &g->c->arena;
	AUTOFREE char *key = mem_printf("%s\n%s\n%s\n%s", job, type, res->suite, res->name);
	uintptr_t at = (uintptr_t)map_find(&g->tests, key);
	int status = status_parse(res->status);
	struct compare_test *t;

	if (!at) {
		struct compare_test made = {.job = job,
			.type = type,
			.suite = arena_strdup(a, res->suite),
			.name = arena_strdup(a, res->name)};

		vec_push(&g->all_tests, made);
		at = g->all_tests.n;
		map_set(&g->tests, key, (void *)at);
	}
	t = &g->all_tests.p[at - 1];
	t->counts[g->side][status < 0 ? STATUS_MISS : status]++;
	if (res->why && status != STATUS_PASS && (!t->why || g->side))
		t->why = arena_strdup(a, res->why);
}

static const char *plain_labels(struct arena *a, const char *labels)
{
	AUTOJSON *set = json_loads(labels ? labels : "{}", 0, NULL);
	AUTOBUF text = BUF_INIT(BUF_CAP_BYTES);

	json_object_del(set, "cycle");
	if (!set || json_write(set, JSON_COMPACT | JSON_SORT_KEYS, &text, NULL))
		return "{}";
	return arena_strdup(a, buf_str(&text));
}

static int better_of(const struct metric_def *def, const char *told)
{
	for (int i = 0; !def && told && metric_better_names[i]; i++)
		if (!strcmp(metric_better_names[i], told))
			return i;
	return def ? def->better : BETTER_NEITHER;
}

struct figure { /* of one run */
	const char *suite, *test, *name, *unit, *labels, *better;
	double value;
};

static void add_figure(
	struct comparing *g, const struct figure *f, const char *job, const char *type)
{
	struct arena *a = &g->c->arena;
	const char *labels = plain_labels(a, f->labels);
	AUTOFREE char *key = mem_printf("%s\n%s\n%s\n%s\n%s\n%s\n%s", job, type, f->suite, f->test,
		f->name, f->unit, labels);
	uintptr_t at = (uintptr_t)map_find(&g->metrics, key);
	struct compare_values *v;

	if (!isfinite(f->value))
		return;
	if (!at) {
		const struct metric_def *def = g->table ? metric_find(g->table, f->name) : NULL;
		struct compare_metric made = {.job = job,
			.type = type,
			.suite = arena_strdup(a, f->suite),
			.test = arena_strdup(a, f->test),
			.name = arena_strdup(a, f->name),
			.unit = arena_strdup(a, f->unit),
			.labels = labels,
			.def = def,
			.better = better_of(def, f->better)};

		for (int i = 0; i < 2; i++)
			made.sides[i] = arena_alloc(a, sizeof *made.sides[i]);
		vec_push(&g->all_metrics, made);
		at = g->all_metrics.n;
		map_set(&g->metrics, key, (void *)at);
	}
	v = g->all_metrics.p[at - 1].sides[g->side];
	if (v->n < NOISE_VALUES)
		v->v[v->n++] = f->value;
}

static bool has_cycle(const char *labels)
{
	AUTOJSON *set = json_loads(labels ? labels : "{}", 0, NULL);

	return json_object_get(set, "cycle") != NULL;
}

static void add_env(struct comparing *g, const struct report_env *env)
{
	uintptr_t at = (uintptr_t)map_find(&g->envs, env->name);

	if (!at) {
		struct env_values made = {.name = arena_strdup(&g->c->arena, env->name)};

		vec_push(&g->all_envs, made);
		at = g->all_envs.n;
		map_set(&g->envs, env->name, (void *)at);
	}
	names_add(&g->c->arena, &g->all_envs.p[at - 1].values[g->side], env->value);
}

static int add_run(struct comparing *g, int64_t run, struct err *e)
{
	const char *job, *type;
	struct report r;

	if (report_gather(&r, g->s, run, g->table, e) <= 0)
		return -1;
	tell_apart(g, &r, &job, &type);
	for (size_t i = 0; i < r.n_results; i++)
		add_result(g, &r.results[i], job, type);
	for (size_t i = 0; i < r.n_metrics && !g->c->mixed; i++) {
		const struct store_metric *m = &r.metrics[i].m;

		if (!has_cycle(m->labels))
			add_figure(g,
				&(struct figure){m->suite, m->test, m->name, m->unit, m->labels,
					m->better, m->value},
				job, type);
	}
	for (size_t i = 0; i < r.n_aggregates && !g->c->mixed; i++) {
		const struct aggregate *m = &r.aggregates[i];

		add_figure(g,
			&(struct figure){m->suite, "", m->name, m->unit, m->labels, NULL, m->value},
			job, type);
	}
	for (size_t i = 0; i < r.n_envs; i++)
		add_env(g, &r.envs[i]);
	report_done(&r);
	return 0;
}

/* ---- what became of it ---- */

static void label_test(struct compare_test *t)
{
	int pass[2], fail[2], ran[2];

	for (int i = 0; i < 2; i++) {
		pass[i] = t->counts[i][STATUS_PASS] + t->counts[i][STATUS_DONE];
		fail[i] = t->counts[i][STATUS_FAIL];
		ran[i] = pass[i] + fail[i];
	}
	t->p = NAN;
	t->label = COMPARE_SAME;
	if (!ran[0] || !ran[1]) {
		if (ran[0] || ran[1])
			t->label = ran[0] ? COMPARE_GONE : COMPARE_NEW;
		return;
	}
	if (ran[0] > 1 || ran[1] > 1)
		t->p = compare_fisher(fail[0], ran[0], fail[1], ran[1]);
	if (fail[0] * ran[1] == fail[1] * ran[0])
		t->label = fail[0] && pass[0] ? COMPARE_FLAKY : COMPARE_SAME;
	else if (fail[0] && pass[0] && fail[1] && pass[1] && !(t->p <= COMPARE_P))
		t->label = COMPARE_FLAKY;
	else
		t->label = fail[1] * ran[0] > fail[0] * ran[1] ? COMPARE_BROKEN : COMPARE_FIXED;
}

static void settle_values(struct compare_values *v)
{
	v->mean = v->deviation = v->min = v->max = NAN;
	for (size_t i = 0; i < v->n; i++) {
		v->min = i && v->min < v->v[i] ? v->min : v->v[i];
		v->max = i && v->max > v->v[i] ? v->max : v->v[i];
	}
	if (v->n > 1)
		noise_level(v->v, v->n, &v->mean, &v->deviation);
	else if (v->n)
		v->mean = v->v[0];
}

/* One step of the clock or counter as a uniform error. */
static double least_deviation(const struct compare_metric *m)
{
	return m->def && m->def->quantum > 0 ? m->def->quantum / sqrt(12) : 0;
}

static void weigh_metric(struct compare_metric *m)
{
	const struct compare_values *a = m->sides[0], *b = m->sides[1];

	m->p = m->change = NAN;
	if (!a->n || !b->n)
		return;
	if (a->mean != 0)
		m->change = (b->mean - a->mean) / fabs(a->mean);
	if (a->n > 1 || b->n > 1)
		m->p = compare_welch(a, b, least_deviation(m));
	else if (m->noise_runs)
		m->p = compare_single(
			b->mean - a->mean, fmax(m->noise, least_deviation(m)), m->noise_runs);
}

/* After the p of all were made false discovery rates. */
static void label_metric(struct compare_metric *m)
{
	const struct compare_values *a = m->sides[0], *b = m->sides[1];

	if (!a->n || !b->n)
		m->label = a->n ? COMPARE_GONE : COMPARE_NEW;
	else if (a->mean == b->mean)
		m->label = COMPARE_SAME;
	else if (isnan(m->p))
		m->label = COMPARE_DIFFERENT;
	else if (m->p > COMPARE_P)
		m->label = COMPARE_NOISE;
	else if (m->better == BETTER_NEITHER)
		m->label = COMPARE_DIFFERENT;
	else
		m->label = (b->mean > a->mean) == (m->better == BETTER_HIGHER) ? COMPARE_BETTER
									       : COMPARE_WORSE;
}

static void settle_tests(struct comparing *g)
{
	struct compare *c = g->c;

	vec_each (&g->all_tests, t)
		label_test(t);
	c->tests = arena_alloc(&c->arena, (g->all_tests.n + 1) * sizeof *c->tests);
	for (int label = 0; label < COMPARE_LABELS; label++)
		vec_each (&g->all_tests, t)
			if ((int)t->label == label) {
				c->tests[c->n_tests++] = *t;
				c->test_counts[label]++;
			}
}

static int by_change(const void *a, const void *b)
{
	const struct compare_metric *x = a, *y = b;
	double u = isnan(x->change) ? 0 : fabs(x->change);
	double v = isnan(y->change) ? 0 : fabs(y->change);

	return (u < v) - (u > v);
}

static int settle_metrics(struct comparing *g, struct err *e)
{
	struct compare *c = g->c;
	AUTOFREE double *p = mem_alloc((g->all_metrics.n + 1) * sizeof *p);

	if (compare_noise(c, g->s, g->all_metrics.p, g->all_metrics.n, e))
		return -1;
	for (size_t i = 0; i < g->all_metrics.n; i++) {
		struct compare_metric *m = &g->all_metrics.p[i];

		for (int side = 0; side < 2; side++)
			settle_values(m->sides[side]);
		weigh_metric(m);
		p[i] = m->p;
	}
	compare_adjust(p, g->all_metrics.n);
	for (size_t i = 0; i < g->all_metrics.n; i++) {
		g->all_metrics.p[i].p = p[i];
		label_metric(&g->all_metrics.p[i]);
	}
	c->metrics = arena_alloc(&c->arena, (g->all_metrics.n + 1) * sizeof *c->metrics);
	for (int label = 0; label < COMPARE_LABELS; label++) {
		size_t from = c->n_metrics;

		vec_each (&g->all_metrics, m)
			if ((int)m->label == label) {
				c->metrics[c->n_metrics++] = *m;
				c->metric_counts[label]++;
			}
		if (compare_is_change((enum compare_label)label))
			qsort(c->metrics + from, c->n_metrics - from, sizeof *c->metrics,
				by_change);
	}
	return 0;
}

static void settle_envs(struct comparing *g)
{
	struct compare *c = g->c;

	c->envs = arena_alloc(&c->arena, (g->all_envs.n + 1) * sizeof *c->envs);
	vec_each (&g->all_envs, v) {
		const char *a = names_join(&c->arena, &v->values[0], 0);
		const char *b = names_join(&c->arena, &v->values[1], 0);

		if (strcmp(a, b) != 0)
			c->envs[c->n_envs++] = (struct compare_env){v->name, {a, b}};
	}
}

static int gather(struct comparing *g, struct err *e)
{
	for (g->side = 0; g->side < 2; g->side++)
		for (size_t i = g->c->sides[g->side].n; i > 0; i--)
			if (add_run(g, g->c->sides[g->side].runs[i - 1], e))
				return -1;
	settle_tests(g);
	settle_envs(g);
	return settle_metrics(g, e);
}

static int check_sides(const struct compare *c, struct err *e)
{
	for (size_t i = 0; i < c->sides[0].n; i++)
		for (size_t k = 0; k < c->sides[1].n; k++)
			if (c->sides[0].runs[i] == c->sides[1].runs[k])
				return err_set(e, BLAME_CONFIG,
					"run %lld is on both sides: '%s' and '%s'",
					(long long)c->sides[0].runs[i], c->sides[0].name,
					c->sides[1].name);
	return 0;
}

int compare_make(struct compare *c, struct store *s, const struct compare_ask *ask,
	const struct metric_table *table, struct err *e)
{
	struct compare made = {0};
	struct comparing g = {.c = &made, .s = s, .table = table};
	int failed = compare_side_find(&made.sides[0], &made.arena, s, ask, 0, e) ||
		     compare_side_find(&made.sides[1], &made.arena, s, ask, 1, e) ||
		     check_sides(&made, e);

	made.mixed = !failed && !made.sides[0].twins != !made.sides[1].twins;
	if (!failed)
		failed = gather(&g, e);
	vec_done(&g.all_tests);
	vec_done(&g.all_metrics);
	vec_done(&g.all_envs);
	map_done(&g.tests);
	map_done(&g.metrics);
	map_done(&g.envs);
	if (failed)
		compare_done(&made);
	else
		*c = made;
	return failed ? -1 : 0;
}

void compare_done(struct compare *c)
{
	arena_done(&c->arena);
	*c = (struct compare){0};
}
