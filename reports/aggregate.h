/* SPDX-License-Identifier: MIT */
#ifndef REPORTS_AGGREGATE_H
#define REPORTS_AGGREGATE_H

/*
 * What repeats in a run, as the published tables print it: what the samples of one metric that
 * differ in nothing but their cycle make (`aggregate:` of the metric table), their least and
 * greatest.
 */

#include "base/arena.h"
#include "reports/parse/metric.h"
#include "store/store.h"

struct report_metric;

struct aggregate {
	const char *suite, *name, *unit;
	const char *labels; /* JSON object, without the cycle */
	size_t n;           /* samples, at least 1 */
	int how;            /* enum metric_aggregate; the mean where the table does not know it */
	double value;       /* what they make by it */
	double avg, min, max;
};

/* Of all metrics that have a label `cycle`, in order of their first sample; in a. */
size_t aggregate_all(
	struct arena *a, const struct report_metric *metrics, size_t n, struct aggregate **out);

#endif
