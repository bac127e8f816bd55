/* SPDX-License-Identifier: MIT */
#ifndef REPORTS_AGGREGATE_H
#define REPORTS_AGGREGATE_H

/*
 * What repeats in a run, as the published tables print it: average, least and greatest of the
 * samples of one metric that differ in nothing but their cycle.
 */

#include "base/arena.h"
#include "store/store.h"

struct report_metric;

struct aggregate {
	const char *suite, *name, *unit;
	const char *labels; /* JSON object, without the cycle */
	size_t n;           /* samples, at least 1 */
	double avg, min, max;
};

/* Of all metrics that have a label `cycle`, in order of their first sample; in a. */
size_t aggregate_all(
	struct arena *a, const struct report_metric *metrics, size_t n, struct aggregate **out);

#endif
