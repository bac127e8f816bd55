/* SPDX-License-Identifier: MIT */
#ifndef REPORTS_TREND_T_YEAR_H
#define REPORTS_TREND_T_YEAR_H

/*
 * A lab's nights without a store: types with series each, one run a night. One series of `odds` has
 * a step somewhere; the others only their noise. The same seed gives the same year.
 */

#include "base/mem.h"
#include "reports/stats/t/simulate.h"
#include "reports/trend.h"

#include <stdio.h>

#define YEAR_FROM_MS INT64_C(1764547200000) /* 2025-12-01 */
#define YEAR_DAY_MS  INT64_C(86400000)

struct year {
	size_t types, series, nights, odds;
	uint64_t seed;
};

static inline void year_points(const struct year *y, size_t type, size_t k, uint64_t *state,
	char (*versions)[16], struct store_point *p)
{
	double level = 10 * exp(3 * simulate_uniform(state)),
	       noise = 0.002 + 0.02 * simulate_uniform(state);
	bool moves = k % y->odds == 0;
	size_t at = y->nights / 4 + (size_t)(simulate_uniform(state) * (double)y->nights / 2);
	double step = simulate_uniform(state) < 0.5 ? 0.9 : 1.15;

	for (size_t i = 0; i < y->nights; i++) {
		double v = level * (1 + noise * simulate_normal(state)) *
			   (moves && i >= at ? step : 1);

		p[i] = (struct store_point){(int64_t)(i * y->types + type + 1),
			YEAR_FROM_MS + (int64_t)i * YEAR_DAY_MS, versions[i], v, v * (1 - noise),
			v * (1 + noise), 3};
	}
}

static inline void year_add(struct trend *t, const struct year *y)
{
	static const char *const areas[] = {"fio", "lmbench", "netperf", "boot", "openssl"};
	struct store_point *p = mem_array(y->nights, sizeof *p);
	char(*versions)[16] = mem_array(y->nights, sizeof *versions);
	uint64_t state = simulate_seed(y->seed);

	for (size_t i = 0; i < y->nights; i++)
		snprintf(versions[i], sizeof *versions, "11.02.%03zu", i);
	for (size_t type = 0; type < y->types; type++)
		for (size_t k = 0; k < y->series; k++) {
			char name[32], board[32], metric[32], labels[64];

			snprintf(name, sizeof name, "type-%02zu", type);
			snprintf(board, sizeof board, "board-%02zu", type);
			snprintf(metric, sizeof metric, "%s.metric_%zu", areas[k % 5], k / 10);
			snprintf(
				labels, sizeof labels, "{\"bs\":\"%zuk\",\"rw\":\"read\"}", k % 10);
			year_points(y, type, k, &state, versions, p);
			trend_add(t,
				&(struct store_series){.id = (int64_t)(type * y->series + k + 1),
					.type = name,
					.board = board,
					.line = "sdk",
					.job = "nightly",
					.params = "{}",
					.suite = areas[k % 5],
					.test = "all",
					.metric = metric,
					.labels = labels,
					.tool = "",
					.unit = "MB/s",
					.better = k % 3 ? "higher" : "lower"},
				p, y->nights, NULL);
		}
	free(versions);
	free(p);
}

#endif
