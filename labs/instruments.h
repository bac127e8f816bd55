/* SPDX-License-Identifier: MIT */
#ifndef LABS_INSTRUMENTS_H
#define LABS_INSTRUMENTS_H

/* The `instruments:` section of a board in a lab file (agents/measure/instrument.h). */

#include "base/diag.h"
#include "io/driver.h"

/* All that is wrong with it goes to diag. table: of instrument drivers; NULL: drivers and their
 * settings are not checked. a: memory for the check. */
int instruments_check(struct arena *a, const struct driver *const *table, const struct node *map,
	struct diag *diag);

#endif
