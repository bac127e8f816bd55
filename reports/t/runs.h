/* SPDX-License-Identifier: MIT */
#ifndef REPORTS_T_RUNS_H
#define REPORTS_T_RUNS_H

/*
 * Which jobs, with which params, print all published tables: as few as there may be. A job that is
 * named with some params is also one with more; what a step prints stands with every run of it.
 */

#include "reports/coverage.h"

#include <string.h>

#define SETTINGS_MAX 16

/* A job with params, and the tables' texts that it prints. */
struct run {
	const char *soc, *job;
	struct job_setting settings[SETTINGS_MAX];
	size_t n;
	VEC(const struct replay_table *) tables;
	VEC(const struct replay_show *) shows;
};
static VEC(struct run) runs;

static const struct reference_table *table_of(const struct replay_table *t)
{
	for (size_t i = 0; i < t->reference->n_tables; i++)
		if (!strcmp(t->reference->tables[i].section, t->section) &&
			!strcmp(t->reference->tables[i].table, t->table))
			return &t->reference->tables[i];
	return NULL;
}

static void add_settings(struct run *r, const struct node *params)
{
	node_each (params, kid) {
		size_t i = 0;

		while (i < r->n && strcmp(r->settings[i].name, kid->key))
			i++;
		if (i == r->n && r->n < SETTINGS_MAX)
			r->settings[r->n++] = (struct job_setting){kid->key, kid->text, kid->at};
	}
}

/* Is b the same job, with all the params of a? */
static bool is_within(const struct run *a, const struct run *b)
{
	bool within = !strcmp(a->job, b->job);

	for (size_t i = 0; within && i < a->n; i++) {
		size_t k = 0;

		while (k < b->n && strcmp(a->settings[i].name, b->settings[k].name))
			k++;
		within = k < b->n && !strcmp(a->settings[i].value, b->settings[k].value);
	}
	return within;
}

/* The job and params that print a show; false: none does. */
static bool run_of(struct run *r, const struct replay_table *t, const struct replay_show *show)
{
	const struct reference_table *rt = table_of(t);

	*r = (struct run){.soc = t->soc, .job = rt ? rt->job : NULL};
	if (!show->step || !r->job)
		return false;
	add_settings(r, show->params);
	add_settings(r, rt->job_params);
	return true;
}

/* A run of its own, unless another one has all its params; those that it has all of go. */
static void add_run(const struct replay_table *t, const struct replay_show *show)
{
	struct run r;
	size_t kept = 0;

	if (!run_of(&r, t, show))
		return;
	for (size_t i = 0; i < runs.n; i++)
		if (is_within(&r, &runs.p[i]))
			return;
	for (size_t i = 0; i < runs.n; i++)
		if (!is_within(&runs.p[i], &r))
			runs.p[kept++] = runs.p[i];
	runs.n = kept;
	vec_push(&runs, r);
}

/* What one step prints, in every run that prints it. */
static void add_show(const struct replay_table *t, const struct replay_show *show)
{
	struct run r;

	for (size_t i = 0; run_of(&r, t, show) && i < runs.n; i++)
		if (is_within(&r, &runs.p[i])) {
			vec_push(&runs.p[i].tables, t);
			vec_push(&runs.p[i].shows, show);
		}
}

static void find_runs(const struct replay *replay)
{
	void (*const fn[])(const struct replay_table *, const struct replay_show *) = {
		add_run, add_show};

	for (size_t f = 0; f < ARRAY_LEN(fn); f++)
		for (size_t i = 0; i < replay->n; i++)
			for (size_t k = 0; k < replay->tables[i].n; k++)
				fn[f](&replay->tables[i], &replay->tables[i].shows[k]);
}

static void drop_runs(void)
{
	vec_each (&runs, r) {
		vec_done(&r->tables);
		vec_done(&r->shows);
	}
	vec_done(&runs);
}

#endif
