/* SPDX-License-Identifier: MIT */
#ifndef REPORTS_READING_INNER_H
#define REPORTS_READING_INNER_H

/* Between reading.c (steps and their outputs) and reading-run.c (the run and what changed). */

#include "base/vec.h"
#include "base/verdict.h"
#include "jobs/plan.h"
#include "reading.h"
#include "reports/parse/parse.h"

#include <jansson.h>

struct reader {
	struct arena *a;
	const struct metric_table *table;
	const char *dir; /* of the part */
	unsigned part;
	const struct step *step;     /* that the events belong to; NULL: none */
	const struct parser *parser; /* that reads */
	struct store_result own;     /* of the step: what its parser's results have in common */
	const char *suite;           /* told by the text */
	const char *step_suite, *step_name; /* of step, which goes with its plan: these stay */
	size_t found, outputs;
	int counts[STATUS_COUNT];
	VEC(struct store_result) results;
	VEC(struct store_metric) metrics;
	VEC(struct store_env) envs;
	VEC(const char *) warnings;
};
/* The events of one step, or between two. */
struct step_events {
	json_t **p;
	size_t n;
	const json_t *artifact, *own; /* the last of each; NULL: none */
	size_t artifact_at, own_at;
	const json_t *rails, *rails_own; /* the same of what was read on power rails meanwhile */
	bool named; /* one of them bears the name of its parser */
};

/* All that they say now. */
int reading_step(struct reader *g, const struct step_events *ev, struct err *e);
int reading_plan(struct reader *g, struct plan *plan, struct err *e);

#endif
