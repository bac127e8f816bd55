/* SPDX-License-Identifier: MIT */
/* Judgements as alerts. Invariant: a body says all that alert-next.c weighs with, or leaves it out
 * where nobody knows it. */
#include "alert-judged.h"

#include "alert.h"
#include "reports/stats/locate.h"

#include <math.h>
#include <string.h>

#define FLAKE_FAILS 2    /* of the runs before: fewer are one bad night */
#define NOISE_LEAST 1e-3 /* of the level: a series without noise is not infinitely sure */

static void put(json_t *j, const char *key, const char *text)
{
	json_t *t = text && *text ? json_string(text) : NULL;

	if (t)
		json_object_set_new(j, key, t);
}

static void put_number(json_t *j, const char *key, double value)
{
	if (isfinite(value))
		json_object_set_new(j, key, json_real(value));
}

static json_t *body_of(const struct judge_run *r, const char *kind)
{
	json_t *b = json_pack("{s:s, s:I, s:I, s:b}", "kind", kind, "source",
		(json_int_t)r->run.job_id, "run", (json_int_t)r->run.id, "twin", r->run.twin);

	put(b, "job", r->run.job);
	put(b, "type", r->run.type);
	put(b, "board", r->run.board);
	put(b, "line", r->run.build);
	put(b, "bad", r->run.build_version);
	return b;
}

/* Where two builds are told, the change lies between them. */
static void put_builds(json_t *b, const char *good, const char *bad)
{
	put(b, "good", good);
	put(b, "bad", bad);
}

static json_t *figure_body(const struct judge_run *r, const struct judgement *f)
{
	json_t *b = body_of(r, "metric");
	json_t *labels = json_loads(f->series.labels ? f->series.labels : "{}", 0, NULL);
	double noise = f->noise > NOISE_LEAST ? f->noise : NOISE_LEAST;

	put(b, "suite", f->series.suite);
	put(b, "test", f->series.test);
	put(b, "name", f->series.metric);
	put(b, "unit", f->series.unit);
	put(b, "better", f->series.better);
	put(b, "tool", f->series.tool);
	if (labels)
		json_object_set_new(b, "labels", labels);
	put_builds(b, f->last_good, f->first_bad);
	put_number(b, "before", f->before);
	put_number(b, "after", f->after);
	put_number(b, "deviation", noise * fabs(f->before));
	put_number(b, "confidence", f->confidence);
	return b;
}

static bool is_boot(const struct judge_test *t)
{
	return !strcmp(t->suite, "run") && !strcmp(t->name, "verdict");
}

static json_t *test_body(const struct judge_run *r, const struct judge_test *t)
{
	json_t *b = body_of(r, is_boot(t) ? "boot" : "test");

	if (!is_boot(t)) {
		put(b, "suite", t->suite);
		put(b, "name", t->name);
	}
	put(b, "why", t->why);
	put_builds(b, t->last_good, t->first_bad);
	put_number(b, "flake", evidence_rate(t->failed, t->of));
	return b;
}

bool alert_is_flake(const struct judge_test *t)
{
	return t->failed >= FLAKE_FAILS && t->failed < t->of;
}

static bool is_known(
	const struct judge_run *r, const struct judge_test *t, const struct known_issues *known)
{
	const struct known_case c = {.job = r->run.job,
		.suite = t->suite,
		.test = t->name,
		.message = is_boot(t) ? r->run.message : t->why,
		.type = r->run.type,
		.line = r->run.build,
		.version = r->run.build_version};

	return known && known_issues_find(known, &c);
}

static bool is_lab(enum err_blame blame)
{
	return blame == BLAME_INFRA || blame == BLAME_CONFIG || blame == BLAME_BUG;
}

static bool is_worse(const struct judge_test *t)
{
	return (t->kind == JUDGE_BROKE || t->kind == JUDGE_LOST) && !is_lab(t->blame);
}

static void add_tests(
	json_t *list, const struct judge_run *r, const struct known_issues *known, bool *through)
{
	*through = true;
	for (size_t i = 0; i < r->n_tests; i++)
		*through = *through && !(is_boot(&r->tests[i]) && r->tests[i].kind != JUDGE_FIXED);
	for (size_t i = 0; i < r->n_tests; i++) {
		const struct judge_test *t = &r->tests[i];

		/* What a run that ended early did not come to says nothing more. */
		if ((*through || is_boot(t)) && is_worse(t) && !alert_is_flake(t) &&
			!is_known(r, t, known))
			json_array_append_new(list, test_body(r, t));
	}
}

static void add_figures(json_t *list, const struct judge_run *r)
{
	for (size_t i = 0; i < r->n_figures; i++) {
		const struct judgement *f = &r->figures[i];

		if (f->kind == JUDGE_REGRESSION && !f->standing && isfinite(f->before) &&
			isfinite(f->after))
			json_array_append_new(list, figure_body(r, f));
	}
}

json_t *alerts_worse(const struct judge *j, const struct known_issues *known)
{
	json_t *list = json_array();

	vec_each (&j->runs, at) {
		const struct judge_run *r = *at;
		bool through;

		if (!r->run.job_id)
			continue;
		add_tests(list, r, known, &through);
		if (through && !r->together)
			add_figures(list, r);
	}
	return list;
}

json_t *alerts_better(const struct judge *j)
{
	json_t *list = json_array();

	vec_each (&j->runs, at) {
		const struct judge_run *r = *at;

		if (!r->run.job_id)
			continue;
		for (size_t i = 0; i < r->n_tests; i++)
			if (r->tests[i].kind == JUDGE_FIXED)
				json_array_append_new(list, test_body(r, &r->tests[i]));
		for (size_t i = 0; i < r->n_figures; i++)
			if (r->figures[i].kind == JUDGE_IMPROVEMENT && !r->figures[i].suspected &&
				!r->figures[i].standing)
				json_array_append_new(list, figure_body(r, &r->figures[i]));
	}
	return list;
}
