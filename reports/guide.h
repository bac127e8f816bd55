/* SPDX-License-Identifier: MIT */
#ifndef REPORTS_GUIDE_H
#define REPORTS_GUIDE_H

/*
 * The performance guide of a SoC: what the runs of a release measured, by the figures of the
 * published document. A figure is what reference_match makes of a run's metric; a cell is the mean
 * over the runs that have it. Silicon and twins are never in one guide.
 */

#include "layout.h"
#include "report.h"

#define GUIDE_TYPES     16          /* board types in one guide; more are an error */
#define GUIDE_RUNS      10000       /* runs of one release; more are an error */
#define GUIDE_PUBLISHED "published" /* the release of the document itself; none of a twin */

struct guide_value {     /* in the metric's unit */
	size_t runs;     /* that have it; 0: it is missing, all else means nothing */
	double value;    /* mean over the runs of what each has */
	double min, max; /* of all samples; NAN: there was one, and it told none */
	const char *type;
};
struct guide_type {
	const char *type;
	size_t runs;
	int64_t first_ms, last_ms;
	struct param_strings boards, builds; /* each once, in order of time */
};
struct guide_env {
	const char *name;
	struct param_strings values; /* each once */
};
struct guide_release {
	const char *name;
	struct guide_value *values; /* by figure of the reference */
	size_t measured;            /* figures that are not missing */
	struct guide_type *types;   /* that with the most figures first */
	struct guide_env *envs;
	size_t n_types, n_envs;
	size_t left_out; /* runs that were incomplete or canceled: nobody knows what they ran */
};
struct guide {
	struct arena arena;
	const struct reference *reference;
	const struct layout *layout;
	bool twin;
	struct guide_release now, before; /* before.values NULL: nothing to compare with */
};

struct guide_ask {
	/* build NAME, VERSION or NAME@VERSION, or GUIDE_PUBLISHED; before NULL: none */
	const char *release, *before;
	const char *type; /* only runs of that board type; NULL: all of the SoC */
	bool twin;
};

/*
 * r, l and table are borrowed and outlive g. -1 with e: no run of the SoC is of a release
 * (BLAME_CONFIG, with those that there are), or the store cannot be read.
 */
int guide_make(struct guide *g, struct store *s, const struct guide_ask *ask,
	const struct reference *r, const struct layout *l, const struct metric_table *table,
	struct err *e);
void guide_done(struct guide *g);

/* ---- guide-figure.c ---- */
#define GUIDE_FIGURE_BYTES 64
/*
 * A value of f's metric as the document prints f: in its unit, with as many decimals as it or its
 * column has, or as four significant digits need; columns is how many decimals the column has.
 * Returns out.
 */
char *guide_figure(
	const struct reference_figure *f, double value, int columns, char *out, size_t n);
/* Decimals of a printed number; NULL: 0. */
int guide_decimals(const char *printed);

enum guide_change { GUIDE_SAME, GUIDE_BETTER, GUIDE_WORSE, GUIDE_OTHER };
/* By the metric's direction; GUIDE_SAME too where the spans of both overlap. */
enum guide_change guide_change(const struct reference_figure *f, const struct guide_value *now,
	const struct guide_value *before);

#endif
