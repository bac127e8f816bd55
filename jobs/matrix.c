/* SPDX-License-Identifier: MIT */
/*
 * `matrix:` of a step. Invariant: product is the number of combinations, at least 1 and at most
 * PLAN_STEPS_MAX, and every value is expanded already.
 */
#include "jobs/compile.h"

#include <string.h>

/* The values of one key; false after it was reported. */
static bool read_values(struct compile *c, struct matrix *m, const char *what, struct node *list)
{
	struct node **items = list->type == NODE_LIST ? list->kids : &list;
	size_t n = list->type == NODE_LIST ? list->n : 1;
	const char **values = arena_alloc(c->x.a, (n + 1) * sizeof *values);
	bool good = true;

	if (!n || list->type == NODE_NULL || list->type == NODE_MAP)
		return !diag_add(c->diag, list->at, "%s: matrix key '%s' needs a list of values",
			what, list->key);
	for (size_t i = 0; i < n; i++) {
		if (items[i]->type != NODE_SCALAR)
			good = !diag_add(c->diag, items[i]->at,
				"%s: a value of matrix key '%s' must be one text", what, list->key);
		else
			values[i] = expand_text(
				&c->x, &c->turn->scope, items[i]->at, items[i]->text, true);
		if (!values[i])
			good = false;
	}
	m->keys[m->n] = arena_strdup(c->x.a, list->key);
	m->values[m->n] = values;
	m->n_values[m->n++] = n;
	return good;
}

static bool read_key(struct compile *c, struct matrix *m, const char *what, struct node *list)
{
	if (!str_is_name(list->key) || strchr(list->key, '.'))
		return !diag_add(c->diag, list->key_at,
			"a matrix key is made of letters, digits, '_', '+' and '-'");
	for (size_t i = 0; i < c->params.n; i++)
		if (!strcmp(c->params.names[i], list->key))
			return !diag_add(c->diag, list->key_at,
				"%s: matrix key '%s' is a param of the job already", what,
				list->key);
	return read_values(c, m, what, list);
}

int matrix_read(struct compile *c, struct matrix *m, const char *what, const struct node *map)
{
	bool good = true;

	*m = (struct matrix){.product = 1};
	if (!map || map->type != NODE_MAP) /* a wrong type is told with the other settings */
		return 0;
	if (map->n > MATRIX_KEYS)
		return diag_add(
			c->diag, map->key_at, "%s: more than %d matrix keys", what, MATRIX_KEYS);
	for (size_t i = 0; i < map->n && good; i++) {
		good = read_key(c, m, what, map->kids[i]);
		if (good)
			m->product *= m->n_values[m->n - 1];
		if (m->product > PLAN_STEPS_MAX)
			return diag_add(c->diag, map->key_at,
				"%s: the matrix makes more than %d steps", what, PLAN_STEPS_MAX);
	}
	return good ? 0 : -1;
}

void matrix_pick(const struct matrix *m, size_t i, const char *picked[MATRIX_KEYS])
{
	for (size_t k = m->n; k-- > 0; i /= m->n_values[k])
		picked[k] = m->values[k][i % m->n_values[k]];
}
