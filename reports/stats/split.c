/* SPDX-License-Identifier: MIT */
/*
 * Places a change. Invariant: the place is within the bounds asked for wherever they leave one.
 */
#include "split.h"

#include <math.h>

#define SIDE_MIN   2
#define BELL_REACH 12

/* What a change at i explains of the variance, in squares: a step in v is, without memory r, once
 * its height and then 1 - r of it. Out of the question: -1. */
static void gains(const double *v, size_t n, const struct split *s, double *out)
{
	double e[NOISE_VALUES], all = 0, after = 0, r = s->memory;

	for (size_t i = 0; i < n; i++) {
		e[i] = i ? v[i] - r * v[i - 1] : v[0] * (1 - r);
		all += e[i];
	}
	for (size_t i = n; i-- > 0; after += e[i]) {
		double m = (double)(n - i - 1), sum = 1 + (1 - r) * m;
		double squares = 1 + (1 - r) * (1 - r) * m - sum * sum / (double)n;
		double fit = e[i] + (1 - r) * after - sum * all / (double)n;

		out[i] = i >= s->first && i <= s->last && i >= SIDE_MIN && n - i >= SIDE_MIN &&
					 squares > 0
				 ? fit * fit / squares
				 : -1;
	}
}

size_t split_place(const double *v, size_t n, const struct split *s)
{
	double gain[NOISE_VALUES], best = -1, spread = 2 * s->deviation * s->deviation;
	size_t top = n - SIDE_MIN, place;

	gains(v, n, s, gain);
	for (size_t i = 0; i < n; i++)
		if (gain[i] > gain[top])
			top = i;
	place = top;
	if (spread <= 0 || gain[top] < 0)
		return top;
	for (size_t i = 0; i < n; i++) {
		double sum = 0;

		for (size_t k = i > BELL_REACH ? i - BELL_REACH : 0; k < n && k <= i + BELL_REACH;
			k++) {
			double d = (double)k - (double)i;

			if (gain[k] >= 0)
				sum += exp((gain[k] - gain[top]) / spread -
					   d * d / (2 * SPLIT_BELL * SPLIT_BELL));
		}
		if (gain[i] >= 0 && sum > best) {
			best = sum;
			place = i;
		}
	}
	return place;
}
