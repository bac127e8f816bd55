/* SPDX-License-Identifier: MIT */
#ifndef API_NIGHT_H
#define API_NIGHT_H

/* Between nightlies.c (nights as they run) and nightly-view.c (what came of them). */

#include "api/calls.h"
#include "base/verdict.h"
#include "jobs/nightly.h"

/* One's own schedule; others' need an operator who is bound to no labs. False after answering. */
bool schedule_may(struct call *c, const char *plan);
/* What is begun later is bound to the labs that its submitter is bound to now. */
void schedule_bind(const struct call *c, json_t *entries);
const json_t *schedule_labs(const json_t *entries); /* NULL: all */

#endif
