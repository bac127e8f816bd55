/* SPDX-License-Identifier: MIT */
#ifndef REPORTS_PARSE_METRIC_H
#define REPORTS_PARSE_METRIC_H

/*
 * The metric table (reports/metrics.yaml): for each metric its unit, which direction is better
 * and its quantum. Unit and direction come from here, never from a name.
 */

#include "base/arena.h"
#include "base/diag.h"
#include "base/map.h"
#include "io/schema.h"

enum better { BETTER_HIGHER, BETTER_LOWER, BETTER_NEITHER };

struct metric_def {
	const char *name; /* "fio.write.bw" */
	const char *unit; /* the unit it is stored in, "MB/s" */
	int better;       /* enum better */
	double quantum;   /* smallest step the tool can show; 0: not known */
	const char *help;
};
struct metric_table {
	struct arena arena;
	struct map by_name; /* -> struct metric_def */
};
extern const struct param metric_params[];

int metric_table_load(struct metric_table *t, const char *path, struct diag *diag);
void metric_table_done(struct metric_table *t);
const struct metric_def *metric_find(const struct metric_table *t, const char *name);
/* A value in the table's unit: converts between units of one kind (KiB/s to MB/s, us to ms). -1
 * when they are not of one kind (BLAME_BUG). */
int metric_convert(double value, const char *unit, const char *to, double *out, struct err *e);

#endif
