/* SPDX-License-Identifier: MIT */
#ifndef REPORTS_ALERT_JUDGED_H
#define REPORTS_ALERT_JUDGED_H

/* From what a night was judged to be, to alerts. */

#include "judge.h"
#include "known.h"

#include <jansson.h>

/*
 * Bodies of alerts (alert.h), each with `source` and without policy; runs that no controller made
 * give none. To become worse: figures that regressed, or are suspected to have, and are not known
 * from an earlier run; tests that broke or were lost; a run that did not get through, which is a
 * boot, and then nothing else of that run. Not what is known, what failed now and then before (a
 * flake, whose rate is in the body's `flake` otherwise), what the board's lab is to blame for.
 * New reference.
 */
json_t *alerts_worse(const struct judge *j, const struct known_issues *known);
/* The same for what is good again: their subjects may be open. */
json_t *alerts_better(const struct judge *j);
/* Failed now and then before: at least two turns in what is known of it. */
bool alert_is_flake(const struct judge_test *t);

#endif
