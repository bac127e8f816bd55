/* SPDX-License-Identifier: MIT */
#ifndef REPORTS_NAMES_H
#define REPORTS_NAMES_H

/* Lists of names, each once: the boards, builds or types of several runs. */

#include "io/schema.h"

/* A copy in a, unless it is there or NULL. */
void names_add(struct arena *a, struct param_strings *list, const char *text);
/* "a, b and 3 more", of which shown are told (0: all); "-" where there are none. In a. */
const char *names_join(struct arena *a, const struct param_strings *list, size_t shown);

#endif
