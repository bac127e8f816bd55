/* SPDX-License-Identifier: MIT */
#ifndef CLI_JUDGE_H
#define CLI_JUDGE_H

/* Runs judged for a command. */

#include "reports/judge.h"

#define JUDGE_BASELINES                                                                            \
	"history, last-good, reference, build:VERSION, run:N or branch:LINE[@VERSION]"

struct judging_for {
	struct judge judge;
	struct reference_set references;
	struct metric_table metrics; /* of the references */
};
/* baseline: of judge_baseline_parse. keep: the store may be written. */
int judging_begin(
	struct judging_for *j, struct store *s, const char *baseline, bool keep, struct err *e);
void judging_end(struct judging_for *j);

#endif
