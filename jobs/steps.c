/* SPDX-License-Identifier: MIT */
/*
 * The steps of a job. Invariant: a step of the plan has its kind's settings filled and checked, a
 * name that no other step has, and a deadline within the job's.
 */
#include "jobs/compile.h"

#include "base/mem.h"
#include "labs/settings.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool check_timeout(struct compile *c, const struct making *mk)
{
	char step[32], job[32];
	int64_t own = mk->common.timeout_ms;

	if (!own || !c->timeout_ms || own <= c->timeout_ms)
		return true;
	return compile_complain(c, node_find(mk->map, "timeout")->at,
		"%s: its timeout of %s is longer than the whole job's, %s", mk->en->what,
		str_format_ms(own, step, sizeof step),
		str_format_ms(c->timeout_ms, job, sizeof job));
}

/* Fills mk->s and mk->common from mk->map, which keeps only what the kind owns. */
static bool fill_step(struct compile *c, struct making *mk)
{
	const struct step_spec *spec = &step_specs[mk->en->kind];
	size_t common_at = settings_common_at(spec);
	char *conf = arena_alloc(c->x.a, common_at + sizeof mk->common);
	const struct param *rows = c->rows[mk->en->kind];
	struct node *known = node_new(c->x.a, NODE_MAP, mk->map->at), *rest = NULL;
	struct node *own = node_new(c->x.a, NODE_MAP, mk->map->at);

	node_each (mk->map, kid)
		node_list_add(c->x.a, known, kid);
	if (mk->en->kind == STEP_MEASURE)
		rest = settings_rest(c->x.a, rows, known);
	if (schema_fill(c->x.a, rows, mk->en->what, known, conf, c->diag)) {
		c->bad = true;
		return false;
	}
	memcpy(&mk->common, conf + common_at, sizeof mk->common);
	if (rest)
		((struct step_measure *)(void *)conf)->settings = rest;
	for (size_t i = 0; i < mk->map->n; i++) {
		const struct param *row = step_common_params;

		while (row->name && strcmp(row->name, mk->map->kids[i]->key))
			row++;
		if (!row->name)
			node_list_add(c->x.a, own, mk->map->kids[i]);
	}
	mk->s.kind = (enum step_kind)mk->en->kind;
	mk->s.conf = conf;
	mk->s.params = own;
	mk->s.at = expand_loc(&c->x, mk->en->node->at);
	mk->s.timeout_ms = mk->common.timeout_ms ? mk->common.timeout_ms : spec->timeout_ms;
	mk->s.retry = mk->common.retry;
	mk->s.always = mk->common.always;
	if (node_find(mk->map, "on-failure"))
		mk->s.on_failure = mk->common.on_failure ? ON_FAILURE_CONTINUE : ON_FAILURE_STOP;
	mk->s.labels = labels_over(c->x.a, c->turn->labels, mk->common.labels);
	return true;
}

static bool compile_one(struct compile *c, const struct entry *en, const struct matrix *m,
	const char *const *picked)
{
	struct making mk = {.en = en, .m = m, .picked = picked};
	struct compile_step step = {0};
	bool good;

	mk.map = settings_expand(c, en, m, picked);
	if (!mk.map || !fill_step(c, &mk)) {
		c->bad = true;
		if (en->kind == STEP_LOGIN)
			c->any_shell = true; /* a later `run` is not to blame */
		return false;
	}
	good = names_set(c, &mk, &step.implicit);
	good = check_timeout(c, &mk) && good;
	good = labels_check(c, mk.common.labels) && good;
	good = sample_set(c, &mk) && good;
	good = kinds_check(c, &mk) && good;
	if (!good)
		c->bad = true;
	step.s = mk.s;
	vec_push(&c->steps, step);
	return good;
}

/* Every combination, in the turn that is set. */
static bool compile_matrix(struct compile *c, const struct entry *en)
{
	const char *picked[MATRIX_KEYS];
	struct matrix m;

	if (matrix_read(c, &m, en->what, node_find(en->map, "matrix"))) {
		c->bad = true;
		return false;
	}
	if (c->steps.n + m.product > PLAN_STEPS_MAX)
		return compile_complain(c, en->node->at, "more than %d steps", PLAN_STEPS_MAX);
	for (size_t i = 0; i < m.product; i++) {
		matrix_pick(&m, i, picked);
		if (!compile_one(c, en, &m, picked))
			return false; /* the same would be said of every combination */
	}
	return true;
}

bool compile_entry(struct compile *c, const struct node *n, size_t number)
{
	const struct turn *outer = c->turn;
	struct entry en;
	size_t times;
	bool good = true;

	if (n->type == NODE_MAP && node_find(n, "group"))
		return compile_group(c, n, number);
	if (!entry_read(c, &en, n, number)) {
		c->any_shell = true;
		return false;
	}
	times = repeat_read(c, en.map);
	if (!times)
		return compile_matrix(c, &en);
	for (size_t i = 0; i < times && good && !c->x.full; i++) {
		struct turn t = turn_begin(c, i + 1, NULL);

		c->turn = &t;
		good = compile_matrix(c, &en);
		c->turn = outer;
	}
	return good;
}

void compile_steps(struct compile *c, const struct node *list)
{
	struct plan *p = c->plan;
	struct turn outermost = {.scope = c->params};

	c->turn = &outermost;
	for (int kind = 0; kind < STEP_COUNT; kind++)
		c->rows[kind] = settings_rows(
			c->x.a, &step_specs[kind], settings_common_at(&step_specs[kind]));
	if (!list->n)
		compile_complain(c, list->at, "a job needs at least one step");
	for (size_t i = 0; i < list->n && !c->x.full; i++)
		compile_entry(c, list->kids[i], i + 1);
	names_settle(c);
	map_done(&c->shells);
	c->turn = NULL;
	p->steps = arena_alloc(c->x.a, (c->steps.n + 1) * sizeof *p->steps);
	for (size_t i = 0; i < c->steps.n; i++)
		p->steps[i] = c->steps.p[i].s;
	p->n = c->steps.n;
}
