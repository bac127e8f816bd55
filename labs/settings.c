/* SPDX-License-Identifier: MIT */
/* Drivers by name and their settings, checked as part of a document. Holds nothing. */
#include "labs/settings.h"

#include <stdio.h>
#include <string.h>

#define DRIVERS_MAX 128 /* of a family, for the message */

const struct driver *settings_driver(const struct driver *const *table, const char *family,
	const char *name, struct loc at, struct diag *diag)
{
	const char *names[DRIVERS_MAX];
	const struct driver *found;
	size_t n = 0;

	if (!table)
		return NULL;
	found = driver_find(table, name);
	if (found)
		return found;
	for (; n < DRIVERS_MAX && table[n]; n++)
		names[n] = table[n]->name;
	diag_unknown(diag, at, family, name, names, n);
	return NULL;
}

int settings_check(const struct driver *const *table, const char *family, const char *name,
	struct loc at, const struct node *settings, struct diag *diag)
{
	static const struct param none[] = {{0}};
	const struct driver *drv = settings_driver(table, family, name, at, diag);
	char what[120];

	if (!drv)
		return table ? -1 : 0;
	snprintf(what, sizeof what, "%s '%s'", family, drv->name);
	return schema_check(drv->params ? drv->params : none, what, settings, diag);
}
