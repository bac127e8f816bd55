/* SPDX-License-Identifier: MIT */
/*
 * What a judge found, as JSON. Invariant: keys are only ever added; what is not known is null,
 * never 0.
 */
#include "formats.h"
#include "judged.h"

#include <math.h>

static json_t *number(double value)
{
	return isfinite(value) ? json_real(value) : json_null();
}

static json_t *id(int64_t value)
{
	return value ? json_integer(value) : json_null();
}

static json_t *blame(enum err_blame b)
{
	return b == BLAME_NONE ? json_null() : json_string(err_blame_name(b));
}

static json_t *figure_json(const struct judgement *m)
{
	const struct store_series *s = &m->series;
	json_t *labels = json_loads(s->labels, 0, NULL);
	json_t *j = json_object();

	json_object_set_new(j, "kind", json_string(judge_kind_names[m->kind]));
	json_object_set_new(j, "series", id(s->id));
	json_object_set_new(j, "suite", format_json(s->suite));
	json_object_set_new(j, "test", format_json(s->test));
	json_object_set_new(j, "metric", format_json(s->metric));
	json_object_set_new(j, "labels", labels ? labels : json_object());
	json_object_set_new(j, "unit", format_json(s->unit));
	json_object_set_new(j, "better", format_json(s->better));
	json_object_set_new(j, "value", number(m->value));
	json_object_set_new(j, "before", number(m->before));
	json_object_set_new(j, "after", number(m->after));
	json_object_set_new(j, "change_percent", number(100 * m->change));
	json_object_set_new(j, "noise_percent", number(100 * m->noise));
	json_object_set_new(j, "resolution", number(s->resolution > 0 ? s->resolution : NAN));
	json_object_set_new(j, "evidence", number(m->evidence));
	json_object_set_new(j, "confidence", number(m->confidence));
	json_object_set_new(j, "runs_before", json_integer(m->runs_before));
	json_object_set_new(j, "runs_after", json_integer(m->runs_after));
	json_object_set_new(j, "last_good", format_json(m->last_good));
	json_object_set_new(j, "last_good_run", id(m->last_good_run));
	json_object_set_new(j, "first_bad", format_json(m->first_bad));
	json_object_set_new(j, "first_bad_run", id(m->first_bad_run));
	json_object_set_new(j, "suspected", json_boolean(m->suspected));
	json_object_set_new(j, "standing", json_boolean(m->standing));
	json_object_set_new(j, "together", json_boolean(m->together));
	json_object_set_new(j, "blame", blame(m->blame));
	json_object_set_new(j, "why", format_json(m->why));
	return j;
}

static json_t *test_json(const struct judge_test *t)
{
	return json_pack("{s:s, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:I, s:I, s:o}",
		"kind", judge_test_names[t->kind], "suite", format_json(t->suite), "name",
		format_json(t->name), "status", format_json(t->status), "before",
		format_json(t->before), "why", format_json(t->why), "last_good",
		format_json(t->last_good), "last_good_run", id(t->last_good_run), "first_bad",
		format_json(t->first_bad), "first_bad_run", id(t->first_bad_run), "failed_before",
		(json_int_t)t->failed, "runs_before", (json_int_t)t->of, "blame", blame(t->blame));
}

static json_t *counts_json(const struct judge_run *r)
{
	json_t *j = json_object();

	for (int k = 0; k < JUDGE_KINDS; k++)
		json_object_set_new(j, judge_kind_names[k], json_integer((json_int_t)r->counts[k]));
	json_object_set_new(j, "suspected", json_integer((json_int_t)r->suspected));
	json_object_set_new(j, "standing", json_integer((json_int_t)r->standing));
	for (int k = 0; k < JUDGE_TEST_KINDS; k++)
		json_object_set_new(
			j, judge_test_names[k], json_integer((json_int_t)r->test_counts[k]));
	return j;
}

json_t *judged_json(const struct judge_run *r, bool all)
{
	json_t *figures = json_array(), *tests = json_array(), *envs = json_array();

	for (size_t i = 0; i < r->n_figures; i++)
		if (all || r->figures[i].kind != JUDGE_NOISE)
			json_array_append_new(figures, figure_json(&r->figures[i]));
	for (size_t i = 0; i < r->n_tests; i++)
		json_array_append_new(tests, test_json(&r->tests[i]));
	for (size_t i = 0; i < r->n_envs; i++)
		json_array_append_new(
			envs, json_pack("{s:o, s:o, s:o}", "name", format_json(r->envs[i].name),
				      "before", format_json(r->envs[i].before), "now",
				      format_json(r->envs[i].now)));
	return json_pack("{s:I, s:o, s:o, s:o, s:b, s:o, s:o, s:o, s:o, s:o, s:b, s:o, s:o, s:o, "
			 "s:o}",
		"run", (json_int_t)r->run.id, "job", format_json(r->run.job), "board",
		format_json(r->run.board), "type", format_json(r->run.type), "twin", r->run.twin,
		"build", format_json(r->run.build), "build_version",
		format_json(r->run.build_version), "verdict", format_json(r->run.verdict),
		"against", format_json(r->against), "trouble", format_json(r->trouble), "together",
		r->together, "counts", counts_json(r), "tests", tests, "figures", figures,
		"environment", envs);
}
