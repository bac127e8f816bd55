/* SPDX-License-Identifier: MIT */
/*
 * Is a series worth the detector's time? A year of ten thousand series takes it minutes, and nearly
 * all of them have done nothing. Invariant: it errs towards yes; what it turns away has no
 * step that the detector finds (t/test-trend counts it on simulated series).
 */
#include "trend.h"

#include "base/mem.h"

#include <math.h>
#include <string.h>

#define SCREEN_LIMIT 4.2 /* deviations; the detector asks for more, and for a step of 1.2 */
#define SCREEN_RUNS  48  /* a series of fewer costs little */
#define SCREEN_LEVEL 8

static const size_t newest[] = {3, 5, 8, 12, 24};
static const size_t levels[] = {8, 32, 104};

/* The smaller of what neighbours and what all differ by: memory makes the first small, a step the
 * second large. */
static double noise_of(const struct store_point *p, size_t n, double *room)
{
	double near, far, median;

	for (size_t i = 1; i < n; i++)
		room[i - 1] = fabs(p[i].value - p[i - 1].value);
	near = trend_median(room, n - 1) / M_SQRT2;
	for (size_t i = 0; i < n; i++)
		room[i] = p[i].value;
	median = trend_median(room, n);
	for (size_t i = 0; i < n; i++)
		room[i] = fabs(p[i].value - median);
	far = trend_median(room, n);
	return 1.4826 * fmin(near, far);
}

/* sums[i]: of the first i values. */
static bool stands_out(const double *sums, size_t n, size_t i, double noise)
{
	for (size_t k = 0; k < ARRAY_LEN(newest) && i + newest[k] <= n; k++)
		for (size_t l = 0; l < ARRAY_LEN(levels); l++) {
			double runs = (double)newest[k];
			size_t from = i > levels[l] ? i - levels[l] : 0;
			double is = (sums[i + newest[k]] - sums[i]) / runs;
			double was = (sums[i] - sums[from]) / (double)(i - from);

			if (fabs(is - was) >=
				SCREEN_LIMIT * noise * sqrt(1 / runs + 1 / (double)(i - from)))
				return true;
		}
	return false;
}

static bool is_constant(const struct store_point *p, size_t n)
{
	for (size_t i = 1; i < n; i++)
		if (p[i].value != p[0].value)
			return false;
	return true;
}

bool trend_may_change(const struct store_point *p, size_t n)
{
	double *room, noise;
	bool may = n < SCREEN_RUNS;

	if (may || is_constant(p, n))
		return may;
	room = mem_array(n + 1, sizeof *room);
	noise = noise_of(p, n, room);
	room[0] = 0;
	for (size_t i = 0; i < n; i++)
		room[i + 1] = room[i] + (p[i].value - p[0].value);
	for (size_t i = SCREEN_LEVEL; i + newest[0] <= n && !may; i++)
		may = stands_out(room, n, i, noise);
	free(room);
	return may;
}
