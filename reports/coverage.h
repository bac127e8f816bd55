/* SPDX-License-Identifier: MIT */
#ifndef REPORTS_COVERAGE_H
#define REPORTS_COVERAGE_H

/*
 * How much of the published documents the lab can make: of each table's figures, how many have a
 * job, a parser, come back when the table is replayed through it, and have a result in the store;
 * and how many a store of played runs (reports/t/replay.t) has with exactly the values that were
 * drawn.
 */

#include "jobs/job.h"
#include "reference.h"
#include "replay.h"
#include "store/store.h"

struct coverage_counts {
	size_t figures; /* each has a reference: it is one */
	size_t job, parser, parsed, silicon, twin;
	size_t stored; /* by a run, with exactly the values that its seed draws: a proof's store */
};
struct coverage_table {
	const char *soc;
	const struct reference_table *t;
	struct coverage_counts counts;
	char *no_job; /* what is wrong with its job, or that it has none; NULL: it is good */
};
struct coverage {
	size_t n, runs; /* runs: of the store that were looked at */
	struct coverage_table *tables;
	struct coverage_counts all;
	size_t timed;        /* of those stored: times that the lab's clock took */
	double late_ms;      /* the most that one of them is more than what was drawn */
	size_t stored_whole; /* tables all of whose figures are stored */
	size_t whole; /* tables whose figures all have a job and come back from their parser */
};

/* Is the table's job there, does it compile, and do its steps end in a parser of the table, in
 * result frames, or, for times of a boot, boot? -1 with what is wrong in why. */
int coverage_job(const struct reference_table *t, const struct job_tables *tables, struct buf *why);
/* soc NULL: all. store NULL: nothing was measured. -1 with e: the store cannot be read. */
int coverage_make(struct coverage *c, const struct reference_set *refs, const struct replay *replay,
	const struct metric_table *metrics, const struct job_tables *tables, struct store *store,
	const char *soc, uint64_t seed, struct err *e);
void coverage_done(struct coverage *c);

#endif
