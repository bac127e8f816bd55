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
#include "parse.h"

enum better { BETTER_HIGHER, BETTER_LOWER, BETTER_NEITHER };
extern const char
	*const metric_better_names[]; /* by it, NULL-ended: "higher", "lower", "neither" */
/* What several samples of one run make when one figure is asked for. */
enum metric_aggregate {
	METRIC_MEAN,
	METRIC_MEDIAN,
	METRIC_MIN,
	METRIC_MAX,
	METRIC_SUM,
};

extern const char *const metric_aggregate_names[]; /* by it, NULL-ended */

struct metric_def {
	const char *name;             /* "fio.write.bw" */
	const char *unit;             /* the unit it is stored in, "MB/s" */
	int better;                   /* enum better */
	double quantum;               /* smallest step the tool can show; 0: not known */
	int aggregate;                /* enum metric_aggregate */
	struct param_strings aliases; /* names that it had before or elsewhere */
	const struct node *units; /* spellings of units that mean something here only; or NULL */
	const char *help;
};
struct metric_table {
	struct arena arena;
	struct map by_name; /* names and aliases -> struct metric_def */
};
extern const struct param metric_params[];

int metric_table_load(struct metric_table *t, const char *path, struct diag *diag);
void metric_table_done(struct metric_table *t);
/* By its name or an alias; its name is the definition's. */
const struct metric_def *metric_find(const struct metric_table *t, const char *name);
/* A unit, in any spelling that means one thing only ("Mbits/sec", "usec"). "KB/s" and "mbps" are
 * not: only a metric says what they are. */
bool metric_unit_known(const char *unit);
/* Converts between units of one kind (KiB/s to MB/s, us to ms), by an exact factor. -1 when one is
 * not known or they are not of one kind (BLAME_BUG). */
int metric_convert(double value, const char *unit, const char *to, double *out, struct err *e);
/* A value in the metric's unit; its own spellings first. */
int metric_value(
	const struct metric_def *def, double value, const char *unit, double *out, struct err *e);
/* What n samples make by enum metric_aggregate (any other: the mean); n at least 1. They are
 * sorted. */
double metric_make(int how, double *samples, size_t n);
/*
 * A figure as it is kept. Where the table knows its name or an alias, m takes the definition's name
 * and unit, and its values are told in it; -1 when its unit is not known or of another kind
 * (BLAME_TEST): then it is no figure of that metric, and m stays. Where the table does not know it,
 * m stays, and a figure of p, when that is a parser with settings, needs a unit that is known and a
 * direction. p NULL: no parser made it.
 */
int metric_settle(
	const struct metric_table *t, const struct parser *p, struct sink_metric *m, struct err *e);

#endif
