/* SPDX-License-Identifier: MIT */
#ifndef STORE_SERIES_INNER_H
#define STORE_SERIES_INNER_H

/* The points of one run on their way from its figures (series-take.c) into the tables
 * (series-points.c). */

#include "inner.h"

#include "base/arena.h"
#include "base/map.h"
#include "base/vec.h"

struct made_point {
	const char *suite, *test, *metric, *unit, *labels, *tool, *params;
	const char *better;
	double resolution;
	double min, max; /* NAN: not told */
	int how;         /* enum metric_aggregate */
	VEC(double) samples;
};

struct making {
	struct store *s;
	int64_t run, at_ms;
	struct arena arena;
	const char *job, *board, *type, *line, *version, *params;
	bool twin;
	struct map tools;  /* "part name" -> version */
	struct map by_key; /* -> index + 1 */
	VEC(struct made_point) points;
	VEC(int64_t) had, has; /* series */
};

/* Fills all but had and has; points of a run that goes on or does not count are none. */
int making_take(struct making *m, struct err *e);

#endif
