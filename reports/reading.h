/* SPDX-License-Identifier: MIT */
#ifndef REPORTS_READING_H
#define REPORTS_READING_H

/*
 * A run read again: the outputs that its job folder keeps, through today's parsers and by the plan
 * that it ran by. What no parser had told (frames, boots, crashes) stays as it was.
 */

#include "base/arena.h"
#include "reports/parse/metric.h"
#include "store/store.h"

/* Of one result, figure or value of the environment, against the reading that counts. */
struct reading_change {
	const char *kind;           /* "result", "metric", "env" */
	const char *change;         /* "changed", "new", "gone" */
	const char *suite, *name;   /* suite NULL: has none */
	const char *labels;         /* of a metric; NULL: has none */
	const char *before, *after; /* as people read it; NULL: was or is not there */
	unsigned part;
};
struct reading {
	struct arena arena;
	struct store_reading r; /* ready to be added; changes is set by the caller */
	const char *verdict;    /* before; r.verdict is the one after */
	struct reading_change *changes;
	size_t n_changes, n_same, n_outputs; /* outputs: that were read again */
	const char **warnings;               /* of today's parsers */
	size_t n_warnings;
};

/*
 * The store is only read. -1 with e, and nothing in r: no such run (BLAME_CONFIG), it has not
 * ended, its folder, its plan or an output is gone or is not what was kept (BLAME_INFRA). table is
 * borrowed and must outlive r.
 */
int reading_make(struct reading *r, struct store *s, int64_t run, const struct metric_table *table,
	struct err *e);
void reading_done(struct reading *r);

#endif
