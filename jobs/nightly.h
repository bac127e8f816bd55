/* SPDX-License-Identifier: MIT */
#ifndef JOBS_NIGHTLY_H
#define JOBS_NIGHTLY_H

/*
 * A nightly: a matrix of jobs over board types (or boards) and builds.
 *
 *	nightly: am62axx
 *	description: all of AM62Ax, every night
 *	schedule: 30 1 * * *         # the server's local time; for `hilab nightly add`
 *	deadline: 6h                 # what has not begun then is canceled
 *	priority: -10
 *	jobs:                        # beside the plan
 *	  - smoke.yaml
 *	  - {file: boot-time.yaml, params: {cycles: 5}, types: [am62axx-sk]}
 *	types: [am62axx-sk, am62axx-sk-twin]
 *	builds: [am62axx-11.00, am62axx-11.01]
 *	params: {size: 64m}          # for those jobs that declare them
 *	confirm: {same: 5, locate: 60} # runs of what became worse
 *	exclude: [{job: boot-time, build: am62axx-11.00}]
 *	include: [{file: soak.yaml, board: am62a-3, params: {hours: 1}}]
 *
 * Jobs, types and builds of different SoCs may stand in one plan: those that do not meet are left
 * out, and one that meets nothing at all is an error.
 */

#include "base/diag.h"
#include "jobs/job.h"
#include "labs/type.h"

#include <jansson.h>

#define NIGHTLY_ENTRIES_MAX 10000

struct nightly_entry {      /* one job to submit */
	const char *file;   /* path of its document */
	const char *job;    /* its name */
	struct match match; /* laid over the job's own */
	const char *build;  /* name, or path of a manifest; NULL: it deploys nothing */
	const struct job_setting *params;
	size_t n_params;
	struct loc at; /* in the plan */
};
/* How often at most what became worse is run again before and after it is believed; 0: not. */
struct nightly_confirm {
	int64_t same;   /* with the build that it was seen with, on its board */
	int64_t good;   /* with the last good build, on its board */
	int64_t other;  /* on another board of the type */
	int64_t locate; /* with the builds between */
};
struct nightly {
	struct arena arena;
	const char *name, *description, *schedule; /* NULL: none */
	int64_t deadline_ms;                       /* from its start; 0: none */
	int64_t priority;
	struct nightly_confirm confirm;
	struct nightly_entry *entries;
	size_t n;
};
/* Rows of the top level, of an entry of `jobs:`, of `exclude:` and of `include:`, of `confirm:`. */
extern const struct param nightly_params[], nightly_job_params[], nightly_exclude_params[],
	nightly_include_params[], nightly_confirm_params[];

/* As a controller takes it: {"same": 5, ...}; a new reference. */
json_t *nightly_policy(const struct nightly_confirm *c);
/* What a plan that says nothing of it has. */
struct nightly_confirm nightly_confirm_preset(void);

/*
 * Reads and expands; every job is compiled with its params. types NULL: they are not checked. -1
 * with everything wrong in diag and nothing to be freed.
 */
int nightly_load(struct nightly *n, const char *path, const struct types *types,
	const struct job_tables *tables, struct diag *diag);
/* The same for a document that is read already, and needs to live only for the call. */
int nightly_read(struct nightly *n, const struct node *doc, const struct types *types,
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
