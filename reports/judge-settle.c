/* SPDX-License-Identifier: MIT */
/*
 * Whether a build or a board is to blame. Invariant: it is told only where something tells it:
 * other boards of the type that ran the same build, a build that did not change, a board that was
 * set up otherwise.
 */
#include "judge-inner.h"

#include "base/map.h"

#include <stdlib.h>
#include <string.h>

static bool same_text(const char *a, const char *b)
{
	return !strcmp(a ? a : "", b ? b : "");
}

/* Do both tell of the same job and build on two boards of a type? */
static bool is_peer(const struct judge_run *a, const struct judge_run *b)
{
	return a != b && a->run.twin == b->run.twin && same_text(a->run.type, b->run.type) &&
	       same_text(a->run.job, b->run.job) && same_text(a->run.build, b->run.build) &&
	       same_text(a->run.build_version, b->run.build_version) &&
	       !same_text(a->run.board, b->run.board);
}

static bool moved(const struct judgement *m)
{
	return m->kind == JUDGE_REGRESSION || m->kind == JUDGE_IMPROVEMENT ||
	       m->kind == JUDGE_MOVED || m->kind == JUDGE_ENVIRONMENT;
}

static const struct judgement *find_figure(const struct judge_run *r, const struct store_series *s)
{
	for (size_t i = 0; i < r->n_figures; i++) {
		const struct store_series *o = &r->figures[i].series;

		if (!strcmp(o->metric, s->metric) && !strcmp(o->test, s->test) &&
			!strcmp(o->suite, s->suite) && !strcmp(o->labels, s->labels))
			return &r->figures[i];
	}
	return NULL;
}

static const struct judge_test *find_test(const struct judge_run *r, const struct judge_test *t)
{
	for (size_t i = 0; i < r->n_tests; i++)
		if (!strcmp(r->tests[i].suite, t->suite) && !strcmp(r->tests[i].name, t->name))
			return &r->tests[i];
	return NULL;
}

/* What the peers say: how many there are, and how many say the same. */
struct peers {
	size_t n, same;
};

static enum err_blame blame_of(const struct peers *p, const struct judge_run *r)
{
	if (p->n)
		return p->same ? BLAME_BUILD : BLAME_INFRA;
	if (!r->previous)
		return BLAME_NONE;
	/* The same build as in the run before: it cannot be what changed. */
	if (r->run.build_version && same_text(r->run.build_version, r->previous_version))
		return BLAME_INFRA;
	return r->run.build_version ? BLAME_BUILD : BLAME_NONE;
}

static void settle_figure(struct judge *j, const struct judge_run *r, struct judgement *m)
{
	struct peers p = {0};

	vec_each (&j->runs, other) {
		const struct judgement *o =
			is_peer(r, *other) ? find_figure(*other, &m->series) : NULL;

		if (!o || o->kind == JUDGE_NEW || o->kind == JUDGE_MISSING)
			continue;
		p.n++;
		p.same += moved(o) && o->worse == m->worse;
	}
	m->blame = m->standing && !p.n ? m->blame : blame_of(&p, r);
}

/* Most figures of the run moved, or the board is set up otherwise: is it the build all the same? */
static bool is_environment(struct judge *j, struct judge_run *r, const char **why)
{
	struct peers p = {0};

	if (r->n_envs) {
		*why = arena_printf(&j->arena, "%s was '%s', is '%s'", r->envs[0].name,
			r->envs[0].before, r->envs[0].now);
		return true;
	}
	if (!r->together)
		return false;
	vec_each (&j->runs, other)
		if (is_peer(r, *other)) {
			p.n++;
			p.same += (*other)->together;
		}
	*why = p.same ? "most figures moved, on other boards too"
	       : p.n  ? "most figures of this board moved, and of no other"
		      : "most figures of this board moved together";
	return !p.same && blame_of(&p, r) == BLAME_INFRA;
}

static void settle_figures(struct judge *j, struct judge_run *r)
{
	const char *why = NULL;
	bool environment = is_environment(j, r, &why);

	for (size_t i = 0; i < r->n_figures; i++) {
		struct judgement *m = &r->figures[i];

		if (m->kind == JUDGE_MISSING)
			m->blame = !strcmp(r->run.verdict, "incomplete") &&
						   err_blame_parse(r->run.blame) > 0
					   ? (enum err_blame)err_blame_parse(r->run.blame)
					   : BLAME_NONE;
		if (!moved(m))
			continue;
		settle_figure(j, r, m);
		if (m->standing)
			continue;
		m->together = r->together;
		if (!m->why)
			m->why = why;
		if (!environment)
			continue;
		m->kind = JUDGE_ENVIRONMENT;
		m->blame = BLAME_INFRA;
		m->why = why;
	}
}

static void settle_test(struct judge *j, const struct judge_run *r, struct judge_test *t)
{
	int blame = err_blame_parse(r->run.blame);
	struct peers p = {0};

	vec_each (&j->runs, other)
		if (is_peer(r, *other)) {
			const struct judge_test *o = find_test(*other, t);

			p.n++;
			p.same += o && o->kind != JUDGE_FIXED;
		}
	if (t->kind == JUDGE_FIXED)
		return;
	if (!strcmp(t->suite, "run") && blame > 0)
		t->blame = (enum err_blame)blame;
	else if (!strcmp(t->status, "error"))
		t->blame = BLAME_TEST;
	else if (!strcmp(t->status, "miss"))
		t->blame = BLAME_INFRA;
	else
		t->blame = blame_of(&p, r);
}

static void count(struct judge_run *r)
{
	for (size_t i = 0; i < r->n_figures; i++) {
		const struct judgement *m = &r->figures[i];

		r->suspected += m->suspected && m->kind == JUDGE_REGRESSION;
		r->standing += m->standing && m->kind == JUDGE_REGRESSION;
		if (!m->suspected && !m->standing)
			r->counts[m->kind]++;
	}
	for (size_t i = 0; i < r->n_tests; i++)
		r->test_counts[r->tests[i].kind]++;
}

void judge_settle(struct judge *j)
{
	/* What the boards say of each other is taken before any of it is changed. */
	vec_each (&j->runs, r)
		for (size_t i = 0; i < (*r)->n_tests; i++)
			settle_test(j, *r, &(*r)->tests[i]);
	vec_each (&j->runs, r)
		settle_figures(j, *r);
	vec_each (&j->runs, r)
		count(*r);
}
