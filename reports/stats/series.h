/* SPDX-License-Identifier: MIT */
#ifndef REPORTS_STATS_SERIES_H
#define REPORTS_STATS_SERIES_H

/*
 * A series of somebody else's, in order of time, out of
 *
 *	- one value a line; a blank line, "-", "nan" and "null" are runs without result, "#" begins
 *a comment;
 *	- CSV: a header with a column `value`, and `time` and `unit` where there are (other columns
 *	  are passed over);
 *	- JSON: a list of values or of {"time": ..., "value": ..., "unit": ...}; or an object with
 *	  such a list, or an object with one under "raw", as the only member of its list "series".
 */

#include "base/diag.h"
#include "base/str.h"

#include <stddef.h>

#define SERIES_VALUES ((size_t)1 << 20) /* more are an error */

struct series {
	struct point {
		double value; /* NAN: a run without result */
		char *time;   /* NULL: not told */
	} * points;
	size_t n;
	char *unit; /* NULL: not told */
};

/* 0, or -1 with every damaged line told and nothing in *s. name: of the file, for the errors. */
int series_parse(struct series *s, struct str text, const char *name, struct diag *diag);
void series_done(struct series *s);

#endif
