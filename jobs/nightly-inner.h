/* SPDX-License-Identifier: MIT */
#ifndef JOBS_NIGHTLY_INNER_H
#define JOBS_NIGHTLY_INNER_H

/* Between nightly.c (the document), nightly-use.c (jobs, boards and builds that it names) and
 * nightly-matrix.c (what meets what). */

#include "base/map.h"
#include "base/vec.h"
#include "jobs/nightly.h"

struct nightly_target { /* where jobs run; all NULL: where each of them says */
	const char *type, *board, *soc;
	const struct type *of; /* NULL: no type, or it is not known */
	struct loc at;
	bool met;      /* by a job */
	bool no_build; /* it was told that none meets it */
};
struct nightly_build {
	const char *name; /* as the plan says it; NULL: each job's own */
	const char *use;  /* the same, but paths are seen from here */
	const char *soc;  /* NULL: its manifest is not here */
	struct loc at;
	bool met;
};
struct nightly_use {         /* a job as the plan uses it */
	const char *written; /* its file as the plan has it */
	const char *file, *name;
	const char *type, *soc; /* its own wish; NULL: none */
	struct param_strings tags;
	bool several;      /* boards, each of its own wish: it runs where it says */
	const char *build; /* its own; NULL: it deploys nothing */
	struct param_strings types, builds; /* only with these; none: with all */
	struct job_setting *params;
	size_t n_params;
	struct loc at;
	bool met; /* by a target */
};
struct nightly_exclude {
	const char *job, *type, *board, *build;
};

struct nightly_reading {
	struct nightly *out;
	struct arena *a;  /* out's */
	const char *file; /* the plan's, in a */
	const struct types *types;
	const struct job_tables *tables;
	struct diag *diag;
	const struct node *params; /* the plan's; NULL: none */
	struct param_strings tags;
	struct map declared; /* params of all jobs */
	VEC(struct nightly_use) uses;
	VEC(struct nightly_target) targets;
	VEC(struct nightly_build) builds;
	VEC(struct nightly_entry) entries;
	bool bad;        /* something was told */
	bool incomplete; /* a job is wrong: nobody knows what it would have met */
	bool unread;     /* and not even its params are known */
};

/* Tells what is wrong; -1. */
int nightly_tell(struct nightly_reading *r, struct loc at, const char *fmt, ...) PRINTF(3, 4);
/* The same for a word that is none of names. */
int nightly_unknown(struct nightly_reading *r, struct loc at, const char *what, const char *word,
	const char *const *names, size_t n);

/* ---- nightly-use.c ---- */
/* Each returns -1 after telling. */
int nightly_target(struct nightly_reading *r, struct nightly_target *t);
int nightly_build(struct nightly_reading *r, const struct node *text, struct nightly_build *b);
/* params: the plan's for this job; NULL: none. use has written and at. */
int nightly_use(struct nightly_reading *r, const struct node *params, struct nightly_use *use);

/* ---- nightly-matrix.c ---- */
/* All combinations but those of the list; NULL: none is left out. */
void nightly_matrix(struct nightly_reading *r, const struct node *exclude);
/* One more job to submit. */
int nightly_entry_add(struct nightly_reading *r, const struct nightly_use *use,
	const struct nightly_target *t, const char *build);
bool nightly_fits(const struct nightly_reading *r, const struct nightly_use *use,
	const struct nightly_target *t);
/* The SoC on which the job would run; NULL: not known. */
const char *nightly_soc(const struct nightly_reading *r, const struct nightly_use *use,
	const struct nightly_target *t);

#endif
