/* SPDX-License-Identifier: MIT */
#ifndef CLI_PROGRESS_H
#define CLI_PROGRESS_H

/*
 * A run as a person follows it, on standard error: a line a step, what came of it below; on a
 * terminal also a live line with what is going on and for how long.
 */

#include "reports/parse/metric.h"

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#define PROGRESS_STEP_BYTES 96

struct progress {
	bool live; /* a terminal: the last line is redrawn */
	bool colour;
	bool quiet;    /* print nothing */
	bool drawn;    /* a live line stands there now */
	int64_t run;   /* its number in the store, told with its start */
	int64_t steps; /* of the plan; 0: not known yet */
	int64_t step_index;
	int64_t step_start_ms; /* since run start, of the step that runs */
	int64_t step_timeout_ms;
	int64_t run_start_mono_ms;
	char role[64];                  /* stands before what it did; "": the job has none */
	char step[PROGRESS_STEP_BYTES]; /* "" between steps */
	bool headed; /* the step's line stands already; its outcome comes below */
	int worst;   /* worst status among the results of this step; -1: none yet */
	const struct metric_table *metrics; /* for units; borrowed, NULL: as the tool gave them */
};

void progress_init(struct progress *p, const struct metric_table *metrics, bool quiet);
/* One event of the journal. */
void progress_event(struct progress *p, const json_t *event);
/* Redraws the live line; call it about once a second. */
void progress_tick(struct progress *p);
void progress_done(struct progress *p);

#endif
