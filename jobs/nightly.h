/* SPDX-License-Identifier: MIT */
#ifndef JOBS_NIGHTLY_H
#define JOBS_NIGHTLY_H

/*
 * A nightly plan: a matrix of jobs over board types and builds.
 *
 *	nightly: am62axx
 *	description: all of AM62Ax, every night
 *	schedule: "30 1 * * *"        # server's local time; only for `hilab nightly add`
 *	deadline: 6h                  # what has not begun then is canceled
 *	priority: -10
 *	jobs: [smoke.yaml, {file: boot-time.yaml, params: {cycles: 5}}]     # beside the plan
 *	types: [am62axx-twin, am335x-twin]         # or boards: [...] or soc/tags, as a job's
 *`board:` builds: [am62axx-twin]                     # names or manifests; absent: what each job
 *names params: {size: 64m} exclude: [{job: boot-time, type: am335x-twin}] include: [{job:
 *soak.yaml, type: am62axx-twin, params: {hours: 1}}]
 *
 * A build for another SoC than a type's does not meet it: that entry is left out silently only when
 * another build of the list does; otherwise it is reported.
 */

#include "base/diag.h"
#include "jobs/job.h"
#include "labs/type.h"

#define NIGHTLY_ENTRIES_MAX 10000

struct nightly_entry {        /* one job to submit */
	const char *job_file; /* path */
	const char *job;      /* its name */
	struct match match;   /* laid over the job's own */
	const char *build;    /* as the plan says it; NULL: the job's */
	const struct job_setting *params;
	size_t n_params;
	struct loc at;
};
struct nightly {
	struct arena arena;
	const char *name, *description, *schedule; /* NULL: none */
	int64_t deadline_ms;                       /* 0: none */
	int64_t priority;
	struct nightly_entry *entries;
	size_t n;
};
extern const struct param nightly_params[];

/* Reads and expands; every job is checked with its params. -1 with everything wrong in diag. */
int nightly_load(struct nightly *n, const char *path, const struct types *types,
	const struct job_tables *tables, struct diag *diag);
void nightly_done(struct nightly *n);

/*
 * Five fields: minute hour day-of-month month day-of-week, each a list of numbers, ranges and
 * steps (crontab(5)); names of days and months too. Day of month and day of week are or-ed where
 * both are restricted.
 */
struct cron {
	uint64_t minutes;
	uint32_t hours, days, months, weekdays;
	bool any_day, any_weekday;
};
int cron_parse(struct cron *c, const char *text, struct err *e);
/* The first minute after wall_ms that fits, in local time; -1: none within five years. A minute
 * that the clock leaps over is met by the next one that is there; one that comes twice is due once.
 */
int64_t cron_next(const struct cron *c, int64_t wall_ms);

#endif
