/* SPDX-License-Identifier: MIT */
#ifndef REPORTS_STATS_CHANGES_H
#define REPORTS_STATS_CHANGES_H

/*
 * Change points of a series, judged run by run: each value is added as it comes, and the question
 * asked anew is whether the newest 3 to 24 runs still come from the level before them. The method:
 *
 *	- memory from one run to the next is taken out first (v[i] - r v[i-1], noise.h), where
 *	  there is any; a young series is taken to have some;
 *	- while the runs look normally distributed, the mean of the newest k is held against the
 *	  level's by Student's t with clipped values;
 *	- where they do not (outliers, two modes, a coarse clock), by the sum of their normal scores
 *	  among all (van der Waerden), which is as often extreme for any distribution;
 *	- a change is placed where the generalised likelihood, smoothed over some runs, is greatest,
 *	  and is placed again with each run while the new level is young; one that fades by then is
 *	  taken back.
 *
 * The limits are set by simulation (t/tool-changes measures it): of 100 series of 90 unchanged runs
 * two raise an alarm at most. A series of less than CHANGES_MATURE runs needs stronger evidence,
 *the more the younger it is. Deterministic; a value costs some 20 us; no allocation.
 */

#include "noise.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CHANGES_MATURE 75 /* runs that make a series known */
#define CHANGES_KEPT   32 /* of the newest change points */

struct change {
	uint64_t at;    /* the first value of the new level: 0 is the first value ever added */
	uint64_t found; /* the value with which it was found */
	double before, after; /* means of both levels, without outliers */
	double deviation;     /* of one run within the level before */
	double evidence;      /* of the test, in standard deviations of a normal distribution */
};

/* Plain data: may be kept as bytes between the runs of one build of hilab. */
struct changes {
	double v[NOISE_VALUES]; /* the newest, in order */
	size_t n;               /* of them */
	uint64_t added;         /* ever */
	size_t level;           /* where in v the level of now begins */
	double memory;          /* from run to run, of a settled level */
	double resolution;      /* of the clock or counter; 0: not known */
	struct change found[CHANGES_KEPT];
	size_t n_found;
};

/* resolution: in the unit of the values; 0, negative or NAN: not known. */
void changes_init(struct changes *c, double resolution);
/* Takes a value; one that is not finite is a run without result and passed over (false). True: a
 * change was found with it: found[n_found - 1]. */
bool changes_add(struct changes *c, double value);
/* The level of now: what a single new value is held against. False: not a value yet. */
bool changes_level(const struct changes *c, double *mean, double *deviation, size_t *runs);

#endif
