/* SPDX-License-Identifier: MIT */
/*
 * Measures the change point detector: `tool-changes SERIES SEED [DIR]` prints for every cell what
 * was asked and what was reached over that many simulated series, and over the quality control
 * series of the Turing Change Point Dataset in DIR the F1 and covering of its paper (van den Burg
 * and Williams 2020; margin 5, the annotators' places as published with it).
 */
#include "cells.h"

#include "base/buf.h"
#include "base/diag.h"
#include "base/fs.h"
#include "base/mem.h"
#include "reports/stats/series.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define FILE_BYTES ((size_t)4 << 20)
#define MARGIN     5
#define ANNOTATORS 5
#define PLACES     (CHANGES_KEPT + 1)

/* Each annotator's only place; 0: none. */
static const struct annotated {
	const char *name;
	size_t at[ANNOTATORS];
} annotated[] = {
	{"quality_control_1", {143, 144, 144, 146, 144}},
	{"quality_control_2", {0, 98, 99, 97, 97}},
};

static double cpu_seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static bool near_any(size_t place, const size_t *places, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (place <= places[i] + MARGIN && places[i] <= place + MARGIN)
			return true;
	return false;
}

/* The start of the series counts as a place of everybody. */
static double f1(const size_t *found, size_t n, const struct annotated *a)
{
	size_t truths[ANNOTATORS + 1] = {0}, n_truths = 1, right = 0;
	double recall = 0, precision;

	for (size_t i = 0; i < ANNOTATORS; i++) {
		size_t own[2] = {0, a->at[i]}, n_own = a->at[i] ? 2 : 1, hit = 0;

		for (size_t k = 0; k < n_own; k++)
			hit += near_any(own[k], found, n);
		recall += (double)hit / (double)n_own / ANNOTATORS;
		if (a->at[i])
			truths[n_truths++] = a->at[i];
	}
	for (size_t i = 0; i < n; i++)
		right += near_any(found[i], truths, n_truths);
	precision = (double)right / (double)n;
	return 2 * precision * recall / (precision + recall);
}

static double overlap(size_t a, size_t b, size_t c, size_t d)
{
	size_t low = a > c ? a : c, high = b < d ? b : d;
	size_t first = a < c ? a : c, last = b > d ? b : d;

	return high > low ? (double)(high - low) / (double)(last - first) : 0;
}

static double covering(const size_t *found, size_t n, size_t length, const struct annotated *a)
{
	double sum = 0;

	for (size_t i = 0; i < ANNOTATORS; i++) {
		size_t edges[3] = {0, a->at[i] ? a->at[i] : length, length};

		for (size_t k = 0; k < 2; k++) {
			double best = 0;

			for (size_t f = 0; f < n; f++) {
				double o = overlap(edges[k], edges[k + 1], found[f],
					f + 1 < n ? found[f + 1] : length);

				best = o > best ? o : best;
			}
			sum += best * (double)(edges[k + 1] - edges[k]);
		}
	}
	return sum / (double)length / ANNOTATORS;
}

static int outside(const char *dir, const struct annotated *a)
{
	AUTOFREE char *path = mem_printf("%s/%s.json", dir, a->name);
	AUTOBUF text = BUF_INIT(FILE_BYTES);
	size_t found[PLACES] = {0}, n = 1;
	struct series s;
	struct diag diag = {0};
	struct changes c;
	struct err e = {0};

	if (fs_read(path, &text, &e) ||
		series_parse(&s, str_make(buf_str(&text), text.len), path, &diag)) {
		fprintf(stderr, "tool-changes: %s\n", err_is(&e) ? e.msg : "not a series");
		diag_done(&diag);
		return -1;
	}
	changes_init(&c, 0);
	for (size_t i = 0; i < s.n; i++)
		changes_add(&c, s.points[i].value);
	for (size_t i = 0; i < c.n_found; i++)
		found[n++] = (size_t)c.found[i].at;
	printf("%-28s F1 %.3f (>= 0.95)  covering %.3f (>= 0.90)\n", a->name, f1(found, n, a),
		covering(found, n, s.n, a));
	series_done(&s);
	diag_done(&diag);
	return 0;
}

int main(int argc, char **argv)
{
	size_t series = argc > 1 ? strtoul(argv[1], NULL, 10) : 2000;
	uint64_t seed = argc > 2 ? strtoull(argv[2], NULL, 10) : 1;
	double start = cpu_seconds();
	int rc = 0;

	printf("%zu series a cell, %d runs each, seed %llu\n", series, CELL_RUNS,
		(unsigned long long)seed);
	for (enum noise_kind k = 0; k < NOISE_KINDS; k++)
		printf("unchanged, %-22s alarms %5.2f %% (<= 2 %%)\n", noise_names[k],
			100 * false_alarms(k, series, seed));
	for (size_t i = 0; i < STEP_CELLS; i++)
		printf("%g %% on %-12s after %2zu runs found %5.1f %% (>= %g %%)\n",
			100 * step_cells[i].step, noise_names[step_cells[i].kind],
			step_cells[i].after, 100 * steps_found(&step_cells[i], series, seed),
			100 * step_cells[i].want);
	printf("%.1f us of CPU a value\n", (cpu_seconds() - start) * 1e6 /
						   (double)(series * CELL_RUNS) /
						   (NOISE_KINDS + STEP_CELLS));
	for (size_t i = 0; argc > 3 && i < sizeof annotated / sizeof *annotated; i++)
		rc |= outside(argv[3], &annotated[i]);
	return rc ? 1 : 0;
}
