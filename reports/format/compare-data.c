/* SPDX-License-Identifier: MIT */
/*
 * A comparison for programs: JSON and CSV. Invariant: every test and figure is in it, what is not
 * known is null or empty, and keys are only ever added.
 */
#include "compare-inner.h"

#include "io/json.h"

#include <math.h>
#include <string.h>

static json_t *number(double v)
{
	return isfinite(v) ? json_real(v) : json_null();
}

static json_t *side_json(const struct compare_side *s)
{
	static const char *const kinds[] = {"run", "board", "release"};
	json_t *runs = json_array();

	for (size_t i = 0; i < s->n; i++)
		json_array_append_new(runs, json_integer((json_int_t)s->runs[i]));
	return json_pack("{s:s, s:s, s:o, s:I, s:b, s:s, s:s, s:s}", "name", s->name, "kind",
		kinds[s->kind], "runs", runs, "left_out", (json_int_t)s->left_out, "twin",
		s->twins > 0, "types", s->types, "boards", s->boards, "builds", s->builds);
}

static json_t *counts_json(const int *counts)
{
	json_t *j = json_object();

	for (int s = 0; s < STATUS_COUNT; s++)
		if (counts[s])
			json_object_set_new(
				j, status_name((enum status)s), json_integer(counts[s]));
	return j;
}

static json_t *test_json(const struct compare_test *t)
{
	return json_pack("{s:s, s:s, s:s, s:s, s:s, s:[o,o], s:o, s:s?}", "label",
		compare_label_names[t->label], "job", t->job, "type", t->type, "suite", t->suite,
		"name", t->name, "counts", counts_json(t->counts[0]), counts_json(t->counts[1]),
		"p", number(t->p), "why", t->why);
}

static json_t *values_json(const struct compare_values *v)
{
	json_t *values = json_array();

	for (size_t i = 0; i < v->n; i++)
		json_array_append_new(values, json_real(v->v[i]));
	return json_pack("{s:o, s:o, s:o}", "mean", number(v->mean), "deviation",
		number(v->deviation), "values", values);
}

static json_t *metric_json(const struct compare_metric *m)
{
	json_t *labels = json_loads(m->labels, 0, NULL);

	return json_pack(
		"{s:s, s:s, s:s, s:s, s:s, s:s, s:s, s:o, s:s, s:[o,o], s:o, s:o, s:o, s:I}",
		"label", compare_label_names[m->label], "job", m->job, "type", m->type, "suite",
		m->suite, "test", m->test, "name", m->name, "unit", m->unit, "labels",
		labels ? labels : json_object(), "better", metric_better_names[m->better], "sides",
		values_json(m->sides[0]), values_json(m->sides[1]), "change", number(m->change),
		"p", number(m->p), "noise", number(m->noise_runs ? m->noise : NAN), "noise_runs",
		(json_int_t)m->noise_runs);
}

static json_t *tallies_json(const size_t *counts)
{
	json_t *j = json_object();

	for (int i = 0; i < COMPARE_LABELS; i++)
		json_object_set_new(j, compare_label_names[i], json_integer((json_int_t)counts[i]));
	return j;
}

int compare_json(const struct compare *c, struct buf *out, struct err *e)
{
	AUTOJSON *j = json_pack("{s:s, s:[o,o], s:b, s:{s:o, s:o}, s:[], s:[], s:[]}", "schema",
		"hilab.compare/1", "sides", side_json(&c->sides[0]), side_json(&c->sides[1]),
		"twin_against_silicon", c->mixed, "counts", "tests", tallies_json(c->test_counts),
		"figures", tallies_json(c->metric_counts), "tests", "figures", "environment");

	if (!j)
		return err_set(e, BLAME_INFRA, "a name of it is not UTF-8");
	for (size_t i = 0; i < c->n_tests; i++)
		json_array_append_new(json_object_get(j, "tests"), test_json(&c->tests[i]));
	for (size_t i = 0; i < c->n_metrics; i++)
		json_array_append_new(json_object_get(j, "figures"), metric_json(&c->metrics[i]));
	for (size_t i = 0; i < c->n_envs; i++)
		json_array_append_new(json_object_get(j, "environment"),
			json_pack("{s:s, s:[s,s]}", "name", c->envs[i].name, "values",
				c->envs[i].values[0], c->envs[i].values[1]));
	if (json_write(j, JSON_INDENT(2), out, e))
		return -1;
	buf_putc(out, '\n');
	return 0;
}

static const char *figure(struct arena *a, double v)
{
	return isfinite(v) ? arena_printf(a, "%.10g", v) : "";
}

void compare_csv(const struct compare *c, struct buf *out)
{
	static const char *const heads[] = {"kind", "label", "type", "job", "suite", "test", "name",
		"unit", "labels", "first_runs", "first", "second_runs", "second", "change", "p"};
	struct arena a = {0};

	format_csv(heads, ARRAY_LEN(heads), out);
	for (size_t i = 0; i < c->n_tests; i++) {
		const struct compare_test *t = &c->tests[i];
		const char *cells[ARRAY_LEN(heads)] = {
			"test", compare_label_names[t->label], t->type, t->job, t->suite, t->name};
		int total[2] = {0, 0};

		for (int side = 0; side < 2; side++)
			for (int s = 0; s < STATUS_COUNT; s++)
				total[side] += t->counts[side][s];
		cells[9] = arena_printf(&a, "%d", total[0]);
		cells[10] = arena_printf(&a, "%d", t->counts[0][STATUS_PASS]);
		cells[11] = arena_printf(&a, "%d", total[1]);
		cells[12] = arena_printf(&a, "%d", t->counts[1][STATUS_PASS]);
		cells[14] = figure(&a, t->p);
		format_csv(cells, ARRAY_LEN(heads), out);
	}
	for (size_t i = 0; i < c->n_metrics; i++) {
		const struct compare_metric *m = &c->metrics[i];
		const char *cells[] = {"figure", compare_label_names[m->label], m->type, m->job,
			m->suite, m->test, m->name, m->unit,
			strcmp(m->labels, "{}") ? m->labels : "",
			arena_printf(&a, "%zu", m->sides[0]->n), figure(&a, m->sides[0]->mean),
			arena_printf(&a, "%zu", m->sides[1]->n), figure(&a, m->sides[1]->mean),
			figure(&a, m->change), figure(&a, m->p)};

		format_csv(cells, ARRAY_LEN(heads), out);
	}
	arena_done(&a);
}
