/* SPDX-License-Identifier: MIT */
#ifndef REPORTS_STATS_T_SIMULATE_H
#define REPORTS_STATS_T_SIMULATE_H

/*
 * Series as a nightly sees them, around 100, with a noise of 2 % in one run: normally distributed;
 * 5 % of the runs 30 % too high; rounded to whole steps of 2; two modes 6 % apart, 30 % in the
 * upper one; or each run remembering half of the one before. The same seed gives the same series.
 */

#include <math.h>
#include <stddef.h>
#include <stdint.h>

enum noise_kind { NOISE_GAUSSIAN, NOISE_OUTLIERS, NOISE_QUANTISED, NOISE_BIMODAL, NOISE_MEMORY };
#define NOISE_KINDS 5

static const char *const noise_names[] = {
	"Gaussian 2 %", "5 % outliers of +30 %", "quantised", "bimodal", "AR(1), 0.5"};

/* xorshift64*, Vigna 2016 */
static inline uint64_t simulate_next(uint64_t *state)
{
	*state ^= *state >> 12;
	*state ^= *state << 25;
	*state ^= *state >> 27;
	return *state * 0x2545f4914f6cdd1dULL;
}

static inline double simulate_uniform(uint64_t *state)
{
	return ((double)(simulate_next(state) >> 11) + 0.5) / 9007199254740992.0;
}

static inline double simulate_normal(uint64_t *state)
{
	double radius = sqrt(-2 * log(simulate_uniform(state)));

	return radius * cos(2 * M_PI * simulate_uniform(state));
}

static inline uint64_t simulate_seed(uint64_t seed)
{
	uint64_t state = seed * 0x9e3779b97f4a7c15ULL + 0x632be59bd9b4e019ULL;

	for (int i = 0; i < 8; i++)
		simulate_next(&state);
	return state;
}

/* From value `at` on all is step higher (0.04: 4 %). */
static inline void simulate(
	enum noise_kind kind, uint64_t *state, double *v, size_t n, size_t at, double step)
{
	double before = simulate_normal(state);

	for (size_t i = 0; i < n; i++) {
		double z = simulate_normal(state);

		if (kind == NOISE_OUTLIERS && simulate_uniform(state) < 0.05)
			z += 15;
		else if (kind == NOISE_BIMODAL)
			z = z / 2 + (simulate_uniform(state) < 0.3 ? 3 : 0);
		else if (kind == NOISE_MEMORY)
			z = before / 2 + sqrt(0.75) * z;
		before = z;
		v[i] = 100 * (1 + 0.02 * z) * (i >= at ? 1 + step : 1);
		if (kind == NOISE_QUANTISED)
			v[i] = round(v[i] / 2) * 2;
	}
}

#endif
