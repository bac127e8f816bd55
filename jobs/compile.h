/* SPDX-License-Identifier: MIT */
#ifndef JOBS_COMPILE_H
#define JOBS_COMPILE_H

/* Between compile.c (the job), steps.c (its steps) and matrix.c. */

#include "base/map.h"
#include "base/vec.h"
#include "jobs/expand.h"
#include "jobs/spec.h"

#define MATRIX_KEYS 8
#define GROUP_DEPTH 4 /* groups within groups, and a step's own repeat */

struct compile_step {
	struct step s;
	bool implicit; /* s.name was made up here */
};
/* One turn of a group, or of a step that repeats. */
struct turn {
	const struct turn *outer;  /* NULL: outermost */
	const char *name, *suite;  /* of the group; NULL: none */
	const struct node *labels; /* all that a step in it bears; NULL: none */
	const char *cycle; /* "3", in a repeat within another one "2-3"; NULL: nothing repeats */
	struct expand_scope scope; /* params, and ${cycle} */
	unsigned depth;
};
struct compile {
	struct plan *plan;
	const struct node *doc;
	struct expand x; /* into the plan's arena */
	const struct job_tables *tables;
	struct diag *diag;
	struct expand_scope params;
	const struct turn *turn; /* the one that steps are compiled in */
	const char *job;
	int64_t timeout_ms; /* the job's; 0: not known because it was wrong */
	bool has_build;
	struct param *rows[STEP_COUNT]; /* settings_rows of each kind */
	VEC(struct compile_step) steps;
	struct map shells; /* consoles on which a login came after the last boot or power-off */
	bool any_shell;    /* a login was wrong: no step after it is to blame */
	bool told_shell;   /* that it is missing */
	bool at_prompt;    /* the last boot ended at the boot loader's prompt */
	bool bad;
};

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

/* One combination of one entry on its way to a step. */
struct making {
	const struct entry *en;
	const struct matrix *m;
	const char *const *picked;
	struct node *map; /* expanded settings */
	struct step_common common;
	struct step s;
};

/* ---- roles.c ---- */
/* Makes c->plan the part of that index, and *steps its steps; returns how many parts there are, as
 * far as they can be made out. */
size_t roles_pick(struct compile *c, const struct node *map, size_t index,
	const struct node **steps, const struct node **board);
/* Do the parts meet: barriers that all come to, and nothing heard that nobody tells? */
int roles_meet(const struct plan *plans, size_t n, struct diag *diag);

/* All steps of the list into c->plan. Problems set c->bad. */
void compile_steps(struct compile *c, const struct node *list);
/* One entry of a list of steps; false when something was wrong with it. */
bool compile_entry(struct compile *c, const struct node *n, size_t number);

/* ---- group.c ---- */
bool compile_group(struct compile *c, const struct node *n, size_t number);
/* How often `repeat` of map says; 0: it is not there. What is wrong with it the schema tells. */
size_t repeat_read(struct compile *c, const struct node *map);
/* labels, and those of outer that are not among them; either may be NULL. */
const struct node *labels_over(
	struct arena *a, const struct node *outer, const struct node *labels);
/* A turn within c->turn; number 0: it does not repeat. */
struct turn turn_begin(struct compile *c, size_t number, const struct node *labels);

/* ---- names.c ---- */
/* Sets the step's name, suite and console; false after reporting. implicit: the name was made up.
 */
bool names_set(struct compile *c, struct making *mk, bool *implicit);
/* Explicit names must differ; those made up take the next free number. */
void names_settle(struct compile *c);

/* ---- kinds.c ---- */
/* What each kind checks beyond its rows; false after reporting. */
bool kinds_check(struct compile *c, const struct making *mk);
/* Adds to diag and sets c->bad; always false. */
bool compile_complain(struct compile *c, struct loc at, const char *fmt, ...) PRINTF(3, 4);

/*
 * Fills s->conf from s->params by the rows of its kind, as they stand in a plan (no common keys,
 * shorthand resolved, expanded). For plan.c.
 */
int step_fill(struct arena *a, struct step *s, const char *what, struct diag *diag);

/* ---- sample.c ---- */
/* mk->s.sample out of what a step says; false after reporting. */
bool sample_set(struct compile *c, struct making *mk);

/* Labels are names, each for one text. False after reporting. */
bool labels_check(struct compile *c, const struct node *labels);
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
