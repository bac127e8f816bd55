/* SPDX-License-Identifier: MIT */
#ifndef API_NIGHT_H
#define API_NIGHT_H

/* Between nightlies.c (nights as they run) and nightly-view.c (what came of them). */

#include "api/calls.h"
#include "base/verdict.h"
#include "jobs/nightly.h"

#endif
