/* SPDX-License-Identifier: MIT */
#ifndef REPORTS_STATS_NOISE_H
#define REPORTS_STATS_NOISE_H

/*
 * What a series does while nothing changes: level, spread, memory from one run to the next, and
 * whether the bell curve describes it. Every function takes n values, NOISE_VALUES at most, leaves
 * them as they are and costs some microseconds.
 */

#include <stdbool.h>
#include <stddef.h>

#define NOISE_VALUES 128 /* of one series that are looked at together */
#define NOISE_CLIP   4.0 /* standard deviations that one value counts at most */

/* Standard normal quantile of 0 < p < 1 (Wichura, algorithm AS 241, PPND7: 7 digits). */
double noise_quantile(double p);

/* Mean and standard deviation with values clipped at NOISE_CLIP deviations (Huber's proposal 2 in
 * three steps from median and MAD). Of n < 2 or equal values the deviation is 0. */
void noise_level(const double *v, size_t n, double *mean, double *deviation);
/* The same, of values that stand in ascending order too. */
void noise_level_sorted(
	const double *v, const double *sorted, size_t n, double *mean, double *deviation);
/* Places in v by ascending value. */
void noise_order(const double *v, size_t n, unsigned char *order);

/* Lag-1 autocorrelation as a first-order process has it, of values clipped at 3 deviations: 0 where
 * it is small, else drawn towards 0.5, as one of so few values is uncertain and too little costs a
 * false alarm; 0.9 at most. */
double noise_memory(const double *v, size_t n);

/* May the values come from a normal distribution? Shapiro-Francia's W' with Royston's
 * approximation (1993), one series of 400 that are is told that it is not. n < 12: no. */
bool noise_is_normal(const double *v, size_t n);

/* Normal scores of v: what normally distributed values of the same ranks would be, ties sharing
 * their mean. out: n. */
void noise_scores(const double *v, size_t n, double *out);

#endif
