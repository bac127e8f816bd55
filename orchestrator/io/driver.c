/* SPDX-License-Identifier: MIT */
/* Family tables: finding a driver by its name. Nothing is kept here. */
#include "io/driver.h"

#include <string.h>

#define NAMES_MAX 128 /* of a family, for the message */

const struct driver *driver_find(const struct driver *const *table, const char *name)
{
	for (; *table; table++)
		if (!strcmp((*table)->name, name))
			return *table;
	return NULL;
}

const struct driver *driver_get(
	const struct driver *const *table, const char *family, const char *name, struct err *e)
{
	const struct driver *found = driver_find(table, name);
	const char *names[NAMES_MAX] = {0}, *near;
	AUTOBUF known = BUF_INIT(ERR_MSG_BYTES);
	size_t n = 0;

	if (found)
		return found;
	for (; n < NAMES_MAX && table[n]; n++) {
		names[n] = table[n]->name;
		buf_printf(&known, "%s%s", n ? ", " : "", names[n]);
	}
	near = str_nearest(name, names, n);
	if (near)
		err_set(e, BLAME_CONFIG, "unknown %s '%s' (did you mean '%s'?)", family, name,
			near);
	else
		err_set(e, BLAME_CONFIG, "unknown %s '%s' (known: %s)", family, name,
			n ? buf_str(&known) : "none");
	return NULL;
}
