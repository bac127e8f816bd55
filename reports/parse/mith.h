/* SPDX-License-Identifier: MIT */
#ifndef REPORTS_PARSE_MITH_H
#define REPORTS_PARSE_MITH_H

/*
 * What EEMBC's test harness (MITH) prints of each workload, for the suites built on it:
 * "-- NAME:contexts=4", "-- NAME:workloads/sec= 55.5", as th_lib and mith_lib.c write them; and the
 * rows that performance guides make of it, "NAME (workloads/) 41.67".
 */

#include "rows.h"

struct mith {
	char name[ROWS_LABEL_BYTES];     /* of the workload in hand */
	char contexts[ROWS_LABEL_BYTES]; /* "" : not told */
	double rate;
};

/* True when the line completes a workload: its rate is told. */
bool mith_line(struct mith *m, struct str line);
/* "NAME (workloads/) 41.67": true when the line is such a row. */
bool mith_row(struct str line, char name[ROWS_LABEL_BYTES], double *rate);

#endif
