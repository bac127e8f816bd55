/* SPDX-License-Identifier: MIT */
#ifndef AGENTS_JOBDIR_H
#define AGENTS_JOBDIR_H

/*
 * The job folder, the whole interface between a worker and whoever started it. In:
 * plan.json, board.json (0600: it holds the lab's secrets), files/ (what `put` steps send). Out:
 * console-NAME.log and .idx, events.jsonl, artifacts/, worker.log (what the process itself said),
 * and status last.
 */

#include "jobs/plan.h"

/* Makes dir (it must not hold a job yet) and what goes in. */
int jobdir_make(const char *dir, const struct plan *plan, const struct lab *lab,
	const struct board *board, struct err *e);

#endif
