/* SPDX-License-Identifier: MIT */
#ifndef REPORTS_STATS_LOCATE_H
#define REPORTS_STATS_LOCATE_H

/*
 * Which build brought a change, found by measuring some of them anew. Builds are numbered in their
 * order: 0 is the last one known good, n the first one known bad; each of 1..n is a suspect. What
 * is measured is noisy, so that no single measurement rules anything out: each shifts the
 * probabilities (Bayes), and the next one is made at the build that halves them (Horstein's
 * probabilistic bisection), as often as the noise asks for.
 *
 * The same evidence first says whether there is a change at all: `confirm` weighs re-runs of the
 * bad build against the good level.
 */

#include <stdbool.h>
#include <stddef.h>

#define LOCATE_BUILDS   1024 /* suspects at most */
#define LOCATE_SURE     0.95 /* probability that ends the search */
#define LOCATE_MEASURES 200  /* of one search at most */

/* What a measurement looks like from a good and from a bad build. */
struct evidence {
	bool test; /* a test that fails; else a metric */
	/* metric: both levels, and the deviation of one run (more than 0) */
	double good, bad, deviation;
	/* test: how often it fails on a good build, passes on a bad one; both in (0, 1) */
	double flake, escape;
};
/* A test's rates out of what was counted: fails of good runs, passes of bad ones; one each is
 * added, so that few runs are never certain. */
double evidence_rate(size_t hits, size_t runs);
/* ln(P(seen | bad) / P(seen | good)); positive speaks for bad. value: of the metric, or 1 for a
 * test that failed and 0 for one that passed. Tails as Student's t of 4 degrees, so that one
 * outlier decides nothing. Not finite: 0. */
double evidence_weight(const struct evidence *ev, double value);

enum confirm_answer { CONFIRM_MORE, CONFIRM_YES, CONFIRM_NO };
/* Wald's sequential test with both errors at 1 - LOCATE_SURE: weight is the sum of what the re-runs
 * said. */
enum confirm_answer confirm_answer(double weight);

struct locate {
	size_t n; /* suspects, 1 to LOCATE_BUILDS */
	struct evidence ev;
	size_t measures;
	double log_p[LOCATE_BUILDS];    /* of suspect i + 1; not normalised */
	bool unusable[LOCATE_BUILDS];   /* build i + 1 cannot be measured */
	size_t measured[LOCATE_BUILDS]; /* how often build i + 1 was */
};

/* n in 1..LOCATE_BUILDS, else it is cut to the newest. All suspects are equally likely. */
void locate_init(struct locate *l, size_t n, const struct evidence *ev);
/* What was measured with a build: 0 and n are taken too, and tell nothing. */
void locate_add(struct locate *l, size_t build, double value);
/* That build cannot be deployed or does not boot for another reason: it is never asked again. */
void locate_unusable(struct locate *l, size_t build);
double locate_probability(const struct locate *l, size_t suspect);
/*
 * What to measure next. False: it is over. Then suspects *first..*last have LOCATE_SURE together
 * and cannot be told apart (one, but for builds that cannot be measured), or the measures are used
 * up and they are the smallest group around the likeliest one that has it.
 */
bool locate_next(const struct locate *l, size_t *build, size_t *first, size_t *last);

#endif
