/* SPDX-License-Identifier: MIT */
/*
 * Jobs for several boards. Invariant: all parts of a job know the same roles in the same order; and
 * what one of them waits for another one does, as far as the job tells.
 */
#include "jobs/compile.h"

#include "base/mem.h"

#include <stdio.h>
#include <string.h>

/* The role with what stands in it expanded, but for its steps. NULL after reporting. */
static struct node *expand_role(struct compile *c, const struct node *role)
{
	struct node *own = node_new(c->x.a, NODE_MAP, expand_loc(&c->x, role->at));
	bool bad = false;

	node_each (role, kid) {
		bool steps = !strcmp(kid->key, "steps");
		struct node *done = steps ? kid : expand_node(&c->x, &c->params, kid, false);

		if (done)
			node_list_add(c->x.a, own, done);
		else
			bad = true;
	}
	return bad ? NULL : own;
}

static bool read_role(struct compile *c, const struct node *role, struct job_role *out)
{
	AUTOFREE char *what = mem_printf("role '%.60s'", role->key);
	struct node *own;

	if (!str_is_name(role->key))
		return compile_complain(c, role->key_at,
			"a role's name is made of letters, digits, '.', '_', '+' and '-'");
	if (role->type != NODE_MAP)
		return compile_complain(c, role->at, "%s must be a mapping of its settings", what);
	own = expand_role(c, role);
	if (!own || schema_fill(c->x.a, job_role_params, what, own, out, c->diag)) {
		c->bad = true;
		return false;
	}
	return true;
}

/* Adds the names of a role's parts. Two roles may come to the same: b-1, and b twice. */
static bool add_names(struct compile *c, const struct node *role, int64_t count)
{
	struct param_strings *all = &c->plan->roles;

	for (int64_t i = 1; i <= (count ? count : 1); i++) {
		const char *name = arena_strdup(c->x.a, role->key);

		if (count)
			name = arena_printf(c->x.a, "%s-%d", role->key, (int)i);
		if (!str_is_name(name))
			return compile_complain(c, role->key_at, "a role's name is too long");
		for (size_t k = 0; k < all->n; k++)
			if (!strcmp(all->p[k], name))
				return compile_complain(
					c, role->key_at, "there is a role '%s' already", name);
		if (all->n == PLAN_ROLES_MAX)
			return compile_complain(
				c, role->key_at, "a job has at most %d parts", PLAN_ROLES_MAX);
		all->p[all->n++] = name;
	}
	return true;
}

size_t roles_pick(struct compile *c, const struct node *map, size_t index,
	const struct node **steps, const struct node **board)
{
	struct plan *p = c->plan;

	p->roles.p = arena_alloc(c->x.a, PLAN_ROLES_MAX * sizeof *p->roles.p);
	if (!map->n)
		compile_complain(c, map->at, "'roles' is empty");
	node_each (map, kid) {
		struct job_role role = {0};
		size_t before = p->roles.n;

		if (!read_role(c, kid, &role) || !add_names(c, kid, role.count) || index < before ||
			index >= p->roles.n)
			continue;
		p->role = p->roles.p[index];
		p->match = role.match;
		*steps = role.steps;
		*board = node_find(kid, "board");
		c->job = arena_printf(c->x.a, "%s/%s", c->job, p->role);
	}
	return p->roles.n;
}

/* ---- do they meet? --------------------------------------------------------------------------- */

static size_t count_barrier(const struct plan *p, const char *point)
{
	size_t n = 0;

	for (size_t i = 0; i < p->n; i++) {
		const struct step_barrier *b = p->steps[i].conf;

		n += p->steps[i].kind == STEP_BARRIER && !strcmp(b->point, point);
	}
	return n;
}

static int check_barrier(const struct plan *plans, size_t n, const struct plan *p,
	const struct step *s, struct diag *diag)
{
	const char *point = ((const struct step_barrier *)s->conf)->point;
	size_t own = count_barrier(p, point);

	for (size_t i = 0; i < n; i++) {
		size_t others = count_barrier(&plans[i], point);

		if (!others)
			return diag_add(diag, s->at, "role '%s' never comes to barrier '%s'",
				plans[i].role, point);
		if (others < own)
			return diag_add(diag, s->at,
				"role '%s' comes to barrier '%s' %zu times, role '%s' %zu times",
				plans[i].role, point, others, p->role, own);
	}
	return 0;
}

static bool tells(const struct plan *teller, const struct plan *p, const struct step_hear *hear)
{
	if (teller == p || (hear->from && strcmp(teller->role, hear->from) != 0))
		return false;
	for (size_t i = 0; i < teller->n; i++) {
		const struct step_tell *tell = teller->steps[i].conf;

		if (teller->steps[i].kind == STEP_TELL && !strcmp(tell->key, hear->key) &&
			(!tell->to || !strcmp(tell->to, p->role)))
			return true;
	}
	return false;
}

static int check_hear(const struct plan *plans, size_t n, const struct plan *p,
	const struct step *s, struct diag *diag)
{
	const struct step_hear *hear = s->conf;

	for (size_t i = 0; i < n; i++)
		if (tells(&plans[i], p, hear))
			return 0;
	if (!hear->from)
		return diag_add(
			diag, s->at, "nobody tells role '%s' what '%s' is", p->role, hear->key);
	return diag_add(diag, s->at, "role '%s' never tells role '%s' what '%s' is", hear->from,
		p->role, hear->key);
}

int roles_meet(const struct plan *plans, size_t n, struct diag *diag)
{
	int rc = 0;

	for (size_t i = 0; i < n; i++)
		for (size_t k = 0; k < plans[i].n; k++) {
			const struct step *s = &plans[i].steps[k];

			if ((s->kind == STEP_BARRIER &&
				    check_barrier(plans, n, &plans[i], s, diag)) ||
				(s->kind == STEP_HEAR && check_hear(plans, n, &plans[i], s, diag)))
				rc = -1;
		}
	return rc;
}
