/* SPDX-License-Identifier: MIT */
#ifndef REPORTS_STATS_T_CELLS_H
#define REPORTS_STATS_T_CELLS_H

/* What the detector is measured by: alarms of unchanged series, and steps found in time. */

#include "reports/stats/changes.h"
#include "simulate.h"

#define CELL_RUNS 90
#define CELL_NEAR 3 /* runs that a change may be misplaced by */

struct step_cell {
	enum noise_kind kind;
	double step;
	size_t after; /* runs */
	double want;  /* at least this share of the series */
};

static const struct step_cell step_cells[] = {
	{NOISE_GAUSSIAN, 0.04, 5, 0.75},
	{NOISE_GAUSSIAN, 0.04, 8, 0.90},
	{NOISE_GAUSSIAN, 0.04, 12, 0.95},
	{NOISE_MEMORY, 0.04, 12, 0.55},
	{NOISE_MEMORY, 0.08, 8, 0.95},
};
#define STEP_CELLS (sizeof step_cells / sizeof *step_cells)

/* Share of unchanged series that raise any alarm in 90 runs. */
static inline double false_alarms(enum noise_kind kind, size_t series, uint64_t seed)
{
	uint64_t state = simulate_seed(seed);
	double v[CELL_RUNS];
	size_t alarms = 0;

	for (size_t s = 0; s < series; s++) {
		struct changes c;

		simulate(kind, &state, v, CELL_RUNS, CELL_RUNS, 0);
		changes_init(&c, 0);
		for (size_t i = 0; i < CELL_RUNS; i++)
			if (changes_add(&c, v[i])) {
				alarms++;
				break;
			}
	}
	return (double)alarms / (double)series;
}

/* Share of series whose step, `after` runs before the 90th, is known by then and in its place. */
static inline double steps_found(const struct step_cell *cell, size_t series, uint64_t seed)
{
	uint64_t state = simulate_seed(seed);
	size_t at = CELL_RUNS - cell->after, found = 0;
	double v[CELL_RUNS];

	for (size_t s = 0; s < series; s++) {
		struct changes c;
		bool hit = false;

		simulate(cell->kind, &state, v, CELL_RUNS, at, cell->step);
		changes_init(&c, 0);
		for (size_t i = 0; i < CELL_RUNS; i++)
			changes_add(&c, v[i]);
		for (size_t i = 0; i < c.n_found; i++)
			hit = hit ||
			      (c.found[i].at + CELL_NEAR >= at && c.found[i].at <= at + CELL_NEAR);
		found += hit;
	}
	return (double)found / (double)series;
}

#endif
