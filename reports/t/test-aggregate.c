/* SPDX-License-Identifier: MIT */
/* What the samples of several cycles make, by the metric table's word. */
#include "reports/report.h"

#include "base/t/tap.h"

#include <math.h>

static const double samples[] = {4, 1, 7, 2};

static void check(int how, size_t n, double want)
{
	const struct metric_def def = {.name = "m", .unit = "s", .aggregate = how};
	static const char *const labels[] = {
		"{\"cycle\":\"1\"}", "{\"cycle\":\"2\"}", "{\"cycle\":\"3\"}", "{\"cycle\":\"4\"}"};
	struct report_metric metrics[5] = {0};
	struct aggregate *all;
	struct arena a = {0};

	for (size_t i = 0; i < n; i++) {
		metrics[i].def = how < 0 ? NULL : &def;
		metrics[i].m = (struct store_metric){.suite = "s",
			.name = "m",
			.unit = "s",
			.value = samples[i],
			.labels = labels[i]};
	}
	metrics[n].m = (struct store_metric){
		.suite = "s", .name = "m", .unit = "s", .value = 99, .labels = "{}"};
	is_int((long long)aggregate_all(&a, metrics, n + 1, &all), 1, "one aggregate");
	ok(all[0].n == n && fabs(all[0].value - want) < 1e-12 && all[0].min == 1, "%s of %zu: %g",
		how < 0 ? "no word" : metric_aggregate_names[how], n, all[0].value);
	arena_done(&a);
}

int main(void)
{
	check(-1, 4, 3.5);
	check(METRIC_MEAN, 4, 3.5);
	check(METRIC_MEDIAN, 4, 3);
	check(METRIC_MEDIAN, 3, 4);
	check(METRIC_MIN, 4, 1);
	check(METRIC_MAX, 4, 7);
	check(METRIC_SUM, 4, 14);
	return tap_done();
}
