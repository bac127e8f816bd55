/* SPDX-License-Identifier: MIT */
#ifndef REPORTS_REPORT_H
#define REPORTS_REPORT_H

/*
 * One run, gathered out of the store: immutable, in one arena. Every text that may be missing is
 * NULL, every list may be empty. Order is that of the journal.
 */

#include "aggregate.h"
#include "base/arena.h"
#include "reports/parse/metric.h"
#include "reports/parse/parse.h"
#include "store/store.h"

struct report_metric { /* in the unit of the metric table where it knows one */
	struct store_metric m;
	const struct metric_def *def; /* NULL: not in the metric table */
};
struct report_env {
	const char *name, *value;
};
struct report_step {
	const char *name, *outcome;  /* "ok", "failed", "not-run" */
	const char *blame, *message; /* NULL: none */
	int64_t ms;                  /* -1: not known */
	int64_t attempts;            /* 0: not run, or not known */
};
struct report_identity { /* what booted against what was deployed */
	const char *role, *want, *got;
	bool same;
};

struct judge_run;
struct report {
	struct arena arena;
	struct store_run run;
	struct store_result *results;
	struct report_metric *metrics;
	struct report_env *envs;
	struct store_stage *stages;
	struct report_step *steps;
	struct report_identity *identities;
	const char **warnings;
	struct aggregate *aggregates; /* of what repeats */
	size_t n_results, n_metrics, n_envs, n_stages, n_steps, n_identities, n_warnings,
		n_aggregates;
	int counts[STATUS_COUNT];       /* results by status */
	const struct judge_run *judged; /* borrowed; NULL: it was not asked for */
};

/* 1 gathered, 0 no such run, -1. table is borrowed and must outlive r; NULL: none. */
int report_gather(struct report *r, struct store *s, int64_t run, const struct metric_table *table,
	struct err *e);
void report_done(struct report *r);

/* Runs, newest first. */
struct report_list {
	struct arena arena;
	struct store_run *runs;
	size_t n;
};
int report_list_gather(struct report_list *l, struct store *s, int64_t limit, struct err *e);
void report_list_done(struct report_list *l);

/* The number of a run by what stands on a command line: a number or "latest". -1: none such. */
int report_find_run(struct store *s, const char *text, int64_t *run, struct err *e);
/* Is the run of that release: its build's NAME, VERSION or NAME@VERSION? */
bool report_is_release(const struct store_run *run, const char *release);

#endif
