/* SPDX-License-Identifier: MIT */
#ifndef LABS_SETTINGS_H
#define LABS_SETTINGS_H

/* Names of drivers and their settings, where a document gives both. */

#include "base/diag.h"
#include "io/driver.h"

/*
 * The driver called name, or NULL after "unknown FAMILY 'name' (...)" at at. family: "power
 * driver". table may be NULL: nothing is known, nothing is reported, NULL returns.
 */
const struct driver *settings_driver(const struct driver *const *table, const char *family,
	const char *name, struct loc at, struct diag *diag);
/* The same, and settings (NULL: none given) against its rows. -1 when anything was reported. */
int settings_check(const struct driver *const *table, const char *family, const char *name,
	struct loc at, const struct node *settings, struct diag *diag);

#endif
