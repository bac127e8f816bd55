/* SPDX-License-Identifier: MIT */
#ifndef REPORTS_STATS_SPLIT_H
#define REPORTS_STATS_SPLIT_H

#include "noise.h"

/* Where in a series its level changes, given that it does. */
struct split {
	size_t first, last; /* places that come into question: the first value of the new level */
	double memory;      /* r of v[i] = r v[i-1] + ... */
	double deviation; /* of one value that remains without memory; 0: the likeliest place alone
			   */
};

/*
 * The place that is likeliest to be within some runs of the change: the generalised least squares
 * gain of each place as its log-likelihood, smoothed by a bell of SPLIT_BELL runs. n <=
 * NOISE_VALUES, at least 4; at least 2 values are left on each side.
 */
#define SPLIT_BELL 6.0
size_t split_place(const double *v, size_t n, const struct split *s);

#endif
