/* SPDX-License-Identifier: MIT */
#ifndef CLI_PICK_H
#define CLI_PICK_H

/* Which board of a lab a job gets. */

#include "cli/labfile.h"

/*
 * The first board that qualifies, or the named one when it does. NULL: none, and for each board (or
 * the named one) it was told on standard error why not.
 */
const struct board *pick_board(const struct labfile *l, const struct match *want, const char *name);

#endif
