/* SPDX-License-Identifier: MIT */
/* The detector: what it finds and leaves alone, at counts that fit a check (tool-changes has the
 * full ones), and the series that no formula likes. */
#include "base/t/tap.h"
#include "cells.h"
#include "reports/stats/split.h"

#include <stdlib.h>

#define SERIES 120
#define SEED   1

static size_t feed(struct changes *c, const double *v, size_t n)
{
	size_t found = 0;

	for (size_t i = 0; i < n; i++)
		found += changes_add(c, v[i]);
	return found;
}

/* With so few series a share is uncertain by some hundredths: both sides have that much room. */
static void test_cells(void)
{
	for (enum noise_kind k = 0; k < NOISE_KINDS; k++) {
		double share = false_alarms(k, SERIES, SEED);

		ok(share <= 0.05, "%d unchanged series, %s: %.3f raise an alarm", SERIES,
			noise_names[k], share);
	}
	for (size_t i = 0; i < STEP_CELLS; i++) {
		const struct step_cell *cell = &step_cells[i];
		double share = steps_found(cell, SERIES, SEED);

		ok(share >= cell->want - 0.08, "a step of %g after %zu runs on %s: %.3f are found",
			cell->step, cell->after, noise_names[cell->kind], share);
	}
}

static void test_odd_series(void)
{
	struct changes c;
	double mean, deviation;
	size_t runs;

	changes_init(&c, 0);
	ok(!changes_level(&c, &mean, &deviation, &runs), "without a value there is no level");
	ok(!changes_add(&c, NAN) && !changes_add(&c, INFINITY) && !c.n,
		"a run without result is passed over");
	ok(!changes_add(&c, 7) && changes_level(&c, &mean, &deviation, &runs) && runs == 1,
		"one value is a level");
	ok(mean == 7 && deviation == 0, "of that value, without noise");
	for (int i = 0; i < 300; i++)
		if (changes_add(&c, 7))
			break;
	is_int(c.n_found, 0, "equal values never change");
	for (int i = 0; i < 12 && !c.n_found; i++)
		changes_add(&c, 7.5);
	ok(c.n_found == 1 && c.found[0].at == 301, "a step of equal values is found in its place");
	ok(c.found[0].before == 7 && c.found[0].after == 7.5, "with both levels");
	changes_init(&c, NAN);
	for (int i = 0; i < 200; i++)
		changes_add(&c, i % 2 ? 1e300 : -1e300);
	ok(isfinite(c.v[0]), "huge values are survived");
	changes_init(&c, 0);
	for (int i = 0; i < 200; i++)
		changes_add(&c, i % 2 ? 5e-324 : 0);
	ok(c.n == NOISE_VALUES && c.added == 200, "tiny ones, too; the oldest values go");
}

static void test_step(void)
{
	uint64_t state = simulate_seed(SEED);
	struct changes c, again;
	double v[CELL_RUNS];

	simulate(NOISE_GAUSSIAN, &state, v, CELL_RUNS, 60, 0.2);
	changes_init(&c, 0);
	feed(&c, v, CELL_RUNS);
	ok(c.n_found == 1 && c.found[0].at == 60, "a step of 20 %% stands where it is");
	ok(c.found[0].found <= 66, "and is found within 6 runs (with %d)",
		(int)c.found[0].found - 60);
	ok(fabs(c.found[0].before - 100) < 1 && fabs(c.found[0].after - 120) < 2,
		"its levels are 100 and 120 (%.1f, %.1f)", c.found[0].before, c.found[0].after);
	changes_init(&again, 0);
	feed(&again, v, CELL_RUNS);
	ok(!memcmp(&c, &again, sizeof c), "the same values give the same state, byte for byte");

	v[30] = 1e6;
	v[75] = 0;
	changes_init(&c, 0);
	feed(&c, v, CELL_RUNS);
	ok(c.n_found == 1 && c.found[0].at >= 59 && c.found[0].at <= 61,
		"single wild values change nothing");
}

static void test_many_levels(void)
{
	uint64_t state = simulate_seed(SEED);
	struct changes c;
	size_t right = 0;

	changes_init(&c, 0);
	for (int i = 0; i < 50 * 40; i++)
		changes_add(&c, (i / 50 % 2 ? 130 : 100) + simulate_normal(&state));
	ok(c.n_found == CHANGES_KEPT || c.n_found == 31, "of many changes the newest are kept");
	for (size_t i = 0; i < c.n_found; i++)
		right += c.found[i].at % 50 == 0;
	ok(right + 1 >= c.n_found, "all but one at most in their place (%zu of %zu)", right,
		c.n_found);
}

/* A quarter that is high and goes: what was told is taken back or followed by the way back. */
static void test_fading(void)
{
	struct changes c;
	uint64_t state = simulate_seed(3);
	double mean, deviation;
	size_t runs;

	changes_init(&c, 0);
	for (int i = 0; i < 160; i++)
		changes_add(&c, 100 + 2 * simulate_normal(&state) + (i >= 80 && i < 87 ? 6 : 0));
	changes_level(&c, &mean, &deviation, &runs);
	ok(fabs(mean - 100) < 1, "after some high runs the level is the old one (%.2f)", mean);
}

static void test_resolution(void)
{
	struct changes coarse, fine;

	changes_init(&coarse, 10);
	changes_init(&fine, 0);
	for (int i = 0; i < 120; i++) {
		double v = i < 100 ? 50 + i % 2 * 0.01 : 50.5 + i % 2 * 0.01;

		changes_add(&coarse, v);
		changes_add(&fine, v);
	}
	is_int(fine.n_found, 1, "a small step over no noise is a change");
	is_int(coarse.n_found, 0, "but not below what the clock can tell");
}

static void test_split(void)
{
	const double v[] = {1, 1, 1, 1, 1, 5, 5, 5};
	struct split s = {.first = 0, .last = 8};

	is_int(split_place(v, 8, &s), 5, "the place of a step");
	s.last = 3;
	is_int(split_place(v, 8, &s), 3, "within the bounds that are asked for");
}

int main(void)
{
	test_cells();
	test_odd_series();
	test_step();
	test_many_levels();
	test_fading();
	test_resolution();
	test_split();
	return tap_done();
}
