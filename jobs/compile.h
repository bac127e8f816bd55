/* SPDX-License-Identifier: MIT */
#ifndef JOBS_COMPILE_H
#define JOBS_COMPILE_H

/* Between compile.c (the job), steps.c (its steps) and matrix.c. */

#include "base/vec.h"
#include "jobs/expand.h"
#include "jobs/spec.h"

#define MATRIX_KEYS 8

struct compile_step {
	struct step s;
	bool implicit; /* s.name was made up here */
};
struct compile {
	struct plan *plan;
	struct expand x; /* into the plan's arena */
	const struct job_tables *tables;
	struct diag *diag;
	struct expand_scope params;
	const char *job;
	int64_t timeout_ms; /* the job's; 0: not known because it was wrong */
	bool has_build;
	struct param *rows[STEP_COUNT]; /* settings_rows of each kind */
	VEC(struct compile_step) steps;
	bool has_shell;  /* a login came after the last boot or power-off */
	bool told_shell; /* that it is missing */
	bool bad;
};

/* All steps of the list into c->plan. Problems set c->bad. */
void compile_steps(struct compile *c, const struct node *list);

/* One entry of `steps:` as it is written. */
struct entry {
	int kind;
	size_t number;           /* from 1 */
	const struct node *node; /* the entry */
	const struct node *map;  /* its settings, shorthand resolved; not expanded */
	char what[64];           /* "step 3 'run'" */
};
/* False after it was reported. */
bool entry_read(struct compile *c, struct entry *en, const struct node *n, size_t number);

struct matrix {
	const char *keys[MATRIX_KEYS];
	const char **values[MATRIX_KEYS];
	size_t n_values[MATRIX_KEYS];
	size_t n, product; /* keys; combinations */
};
/* map: the `matrix:` node, NULL for none. -1 after reporting. what: "step 3 'run'". */
int matrix_read(struct compile *c, struct matrix *m, const char *what, const struct node *map);
/* The values of combination i, in written order, the last key changing fastest. */
void matrix_pick(const struct matrix *m, size_t i, const char *picked[MATRIX_KEYS]);

/*
 * Fills s->conf from s->params by the rows of its kind, as they stand in a plan (no common keys,
 * shorthand resolved, expanded). For plan.c.
 */
int step_fill(struct arena *a, struct step *s, const char *what, struct diag *diag);

/* The entry's settings for one combination, expanded; NULL after reporting. */
struct node *settings_expand(struct compile *c, const struct entry *en, const struct matrix *m,
	const char *const *picked);
/* Rows of the kind, then those of every step, which go to offset common: in one table a misspelt
 * key finds its nearest. */
struct param *settings_rows(struct arena *a, const struct step_spec *spec, size_t common);
/* Where the struct step_common stands behind the kind's own. */
size_t settings_common_at(const struct step_spec *spec);
/* Moves the keys that no row knows out of map, into a mapping of their own: a driver's settings. */
struct node *settings_rest(struct arena *a, const struct param *rows, struct node *map);

#endif
