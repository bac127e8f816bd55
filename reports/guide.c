/* SPDX-License-Identifier: MIT */
/*
 * Gathers the figures of a release out of the store. Invariant: every value of a guide was measured
 * by a run of that release, on silicon or on a twin as was asked for, and of one board type; what
 * no such run has is missing.
 */
#include "guide.h"

#include "base/vec.h"
#include "io/json.h"
#include "names.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define LABELS_MAX 32

struct sum { /* of one figure */
	double total, min, max;
	size_t n;
	bool spread; /* more than one sample, or one that told its own */
};
struct by_type {
	struct guide_type t;
	struct sum *sums; /* by figure */
	size_t measured;
};
struct gathering {
	struct guide *g;
	struct guide_release *release;
	const struct guide_ask *ask;
	struct store *s;
	const struct metric_table *table;
	struct by_type types[GUIDE_TYPES];
	size_t n_types, runs;
	struct sum *run; /* of the run at hand */
	VEC(struct guide_env) envs;
	struct err err;
};

static void add_sample(struct sum *s, double value, double min, double max)
{
	if (isnan(min) && isnan(max))
		s->spread |= s->n > 0;
	else
		s->spread = true;
	min = isnan(min) ? value : min;
	max = isnan(max) ? value : max;
	if (!s->n || min < s->min)
		s->min = min;
	if (!s->n || max > s->max)
		s->max = max;
	s->total += value;
	s->n++;
}

static void add_metric(struct gathering *g, const char *name, const char *labels, double value,
	double min, double max)
{
	AUTOJSON *set = json_loads(labels ? labels : "{}", 0, NULL);
	struct sink_label list[LABELS_MAX];
	const struct reference *r = g->g->reference;
	const struct reference_figure *f;
	const char *key;
	json_t *text;
	size_t n = 0;

	json_object_foreach (set, key, text)
		if (n < LABELS_MAX && json_is_string(text) && strcmp(key, "cycle") != 0)
			list[n++] = (struct sink_label){key, json_string_value(text)};
	if (reference_match(r, name, list, n, &f) == REFERENCE_FITS)
		add_sample(&g->run[f - r->figures], value, min, max);
}

static bool has_cycle(const char *labels)
{
	AUTOJSON *set = json_loads(labels ? labels : "{}", 0, NULL);

	return json_object_get(set, "cycle") != NULL;
}

static struct by_type *type_of(struct gathering *g, const char *type)
{
	struct by_type *t;

	for (size_t i = 0; i < g->n_types; i++)
		if (!strcmp(g->types[i].t.type, type))
			return &g->types[i];
	if (g->n_types == GUIDE_TYPES)
		return NULL;
	t = &g->types[g->n_types++];
	t->t.type = arena_strdup(&g->g->arena, type);
	t->sums = arena_alloc(&g->g->arena, (g->g->reference->n + 1) * sizeof *t->sums);
	return t;
}

static void note_env(struct gathering *g, const struct report_env *env)
{
	struct guide_env made = {.name = arena_strdup(&g->g->arena, env->name)};

	vec_each (&g->envs, had)
		if (!strcmp(had->name, env->name)) {
			names_add(&g->g->arena, &had->values, env->value);
			return;
		}
	names_add(&g->g->arena, &made.values, env->value);
	vec_push(&g->envs, made);
}

/* What the run has, in the sums of its type: a run counts once, however many samples it took. */
static void fold(struct gathering *g, struct by_type *t)
{
	for (size_t i = 0; i < g->g->reference->n; i++) {
		struct sum *from = &g->run[i], *to = &t->sums[i];
		double mean = from->n ? from->total / (double)from->n : 0;

		if (!from->n)
			continue;
		t->measured += !to->n;
		add_sample(
			to, mean, from->spread ? from->min : NAN, from->spread ? from->max : NAN);
		*from = (struct sum){0};
	}
}

static void note_run(struct gathering *g, struct by_type *t, const struct store_run *run)
{
	struct arena *a = &g->g->arena;

	/* Runs come newest first. */
	t->t.first_ms = run->started_ms;
	if (!t->t.runs++)
		t->t.last_ms = run->started_ms;
	names_add(a, &t->t.boards, run->board);
	if (run->build)
		names_add(a, &t->t.builds,
			arena_printf(a, "%s%s%s", run->build, run->build_version ? "@" : "",
				run->build_version ? run->build_version : ""));
}

static int take_run(struct gathering *g, const struct store_run *run)
{
	struct by_type *t = type_of(g, run->type ? run->type : "-");
	struct report report;

	if (!t)
		return err_set(&g->err, BLAME_CONFIG,
			"runs of more than %d board types: name one with --type", GUIDE_TYPES);
	if (++g->runs > GUIDE_RUNS)
		return err_set(&g->err, BLAME_CONFIG, "more than %d runs of '%s'", GUIDE_RUNS,
			g->release->name);
	if (report_gather(&report, g->s, run->id, g->table, &g->err) <= 0)
		return -1;
	for (size_t i = 0; i < report.n_metrics; i++) {
		const struct store_metric *m = &report.metrics[i].m;

		if (report.metrics[i].def && !has_cycle(m->labels))
			add_metric(g, report.metrics[i].def->name, m->labels, m->value, m->min,
				m->max);
	}
	for (size_t i = 0; i < report.n_aggregates; i++) {
		const struct aggregate *a = &report.aggregates[i];

		add_metric(g, a->name, a->labels, a->value, a->n > 1 ? a->min : NAN,
			a->n > 1 ? a->max : NAN);
	}
	for (size_t i = 0; i < report.n_envs; i++)
		note_env(g, &report.envs[i]);
	fold(g, t);
	note_run(g, t, &report.run);
	report_done(&report);
	return 0;
}

static bool is_asked(const struct gathering *g, const struct store_run *run)
{
	return run->soc && !strcmp(run->soc, g->g->reference->soc) && run->twin == g->ask->twin &&
	       (!g->ask->type || (run->type && !strcmp(run->type, g->ask->type)));
}

static int on_run(void *arg, const struct store_run *run)
{
	struct gathering *g = arg;

	if (!run->verdict || !is_asked(g, run) || !report_is_release(run, g->release->name))
		return 0;
	if (strcmp(run->verdict, "pass") != 0 && strcmp(run->verdict, "fail") != 0) {
		g->release->left_out++;
		return 0;
	}
	return take_run(g, run);
}

static int by_measured(const void *a, const void *b)
{
	const struct by_type *x = a, *y = b;

	return x->measured != y->measured
		       ? (x->measured < y->measured) - (x->measured > y->measured)
		       : strcmp(x->t.type, y->t.type);
}

/* Each figure of the first type that has it: types are never mixed in one cell. */
static void settle(struct gathering *g)
{
	struct guide_release *to = g->release;
	struct arena *a = &g->g->arena;
	size_t n = g->g->reference->n;

	qsort(g->types, g->n_types, sizeof *g->types, by_measured);
	to->values = arena_alloc(a, (n + 1) * sizeof *to->values);
	to->types = arena_alloc(a, (g->n_types + 1) * sizeof *to->types);
	for (size_t k = 0; k < g->n_types; k++)
		to->types[to->n_types++] = g->types[k].t;
	for (size_t i = 0; i < n; i++)
		for (size_t k = 0; !to->values[i].runs && k < g->n_types; k++) {
			const struct sum *s = &g->types[k].sums[i];

			if (!s->n)
				continue;
			to->values[i] = (struct guide_value){s->n, s->total / (double)s->n,
				s->spread ? s->min : NAN, s->spread ? s->max : NAN,
				g->types[k].t.type};
			to->measured++;
		}
	to->envs = arena_alloc(a, (g->envs.n + 1) * sizeof *to->envs);
	vec_each (&g->envs, env)
		to->envs[to->n_envs++] = *env;
}

/* ---- a release that no run has ---- */

struct known {
	const struct gathering *g;
	struct arena arena;
	struct param_strings names;
};

static int on_known(void *arg, const struct store_run *run)
{
	struct known *k = arg;

	if (is_asked(k->g, run) && run->build)
		names_add(
			&k->arena, &k->names, run->build_version ? run->build_version : run->build);
	return 0;
}

#define KNOWN_SHOWN 8 /* newest releases */

static int no_release(const struct gathering *g, struct err *e)
{
	struct known k = {.g = g};
	AUTOBUF text = BUF_INIT(BUF_CAP_BYTES);

	if (store_runs(g->s, 0, on_known, &k, e)) {
		arena_done(&k.arena);
		return -1;
	}
	for (size_t i = 0; i < k.names.n && i < KNOWN_SHOWN; i++)
		buf_printf(&text, "%s%s", i ? ", " : "", k.names.p[i]);
	err_set(e, BLAME_CONFIG, "no complete run of %s%s%s%s is of release '%s': there %s%s",
		g->g->reference->soc, g->ask->type ? " type " : "",
		g->ask->type ? g->ask->type : "", g->ask->twin ? " on a twin" : " on silicon",
		g->release->name, k.names.n ? "are " : "is none", k.names.n ? buf_str(&text) : "");
	arena_done(&k.arena);
	return -1;
}

/* What the document itself says. */
static int take_published(struct guide *g, struct guide_release *to, struct err *e)
{
	const struct reference *r = g->reference;

	if (g->twin)
		return err_set(e, BLAME_CONFIG,
			"what a twin measured is never held against published figures");
	to->values = arena_alloc(&g->arena, (r->n + 1) * sizeof *to->values);
	for (size_t i = 0; i < r->n; i++) {
		const struct reference_figure *f = &r->figures[i];

		to->values[i] = (struct guide_value){1, f->value, f->min, f->max, to->name};
	}
	to->measured = r->n;
	return 0;
}

static int gather(struct guide *g, struct store *s, const struct guide_ask *ask,
	const struct metric_table *table, struct guide_release *release, struct err *e)
{
	struct gathering with = {.g = g, .release = release, .ask = ask, .s = s, .table = table};
	int failed;

	if (!strcmp(release->name, GUIDE_PUBLISHED))
		return take_published(g, release, e);
	with.run = arena_alloc(&g->arena, (g->reference->n + 1) * sizeof *with.run);
	failed = store_runs(s, 0, on_run, &with, e);
	if (failed && err_is(&with.err))
		*e = with.err;
	if (!failed && !with.runs)
		failed = no_release(&with, e);
	if (!failed)
		settle(&with);
	vec_done(&with.envs);
	return failed ? -1 : 0;
}

int guide_make(struct guide *g, struct store *s, const struct guide_ask *ask,
	const struct reference *r, const struct layout *l, const struct metric_table *table,
	struct err *e)
{
	struct guide made = {.reference = r, .layout = l, .twin = ask->twin};

	made.now.name = ask->release;
	made.before.name = ask->before;
	if (gather(&made, s, ask, table, &made.now, e) ||
		(ask->before && gather(&made, s, ask, table, &made.before, e))) {
		guide_done(&made);
		return -1;
	}
	*g = made;
	return 0;
}

void guide_done(struct guide *g)
{
	arena_done(&g->arena);
	*g = (struct guide){0};
}
