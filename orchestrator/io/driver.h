/* SPDX-License-Identifier: MIT */
#ifndef IO_DRIVER_H
#define IO_DRIVER_H

/*
 * The common head of every ops struct in a family table (power, console, deploy, parsers,
 * report formats ...). Tables are sorted by name and end with NULL; a test walks them all.
 */

#include "io/schema.h"

struct driver {
	const char *name;           /* "serial-relay" */
	const char *brief;          /* one line, no full stop */
	const struct param *params; /* its settings; NULL: none */
	size_t size;                /* bytes of the settings struct that params fill */
	const char
		*proven; /* against what its tests run: "peer script over a PTY", "real iperf3" */
};

/* One family, for `hilab bench` and the table test: a list of heads. */
struct family {
	const char *name; /* "power" */
	const char *brief;
	const struct driver *const *(*drivers)(void); /* NULL-ended, sorted by name */
	const char *folder; /* where its files and pages are: "agents/power" */
};

/* By name, or NULL. */
const struct driver *driver_find(const struct driver *const *table, const char *name);
/* By name; on failure the error lists the nearest or all names. family: "power driver". */
const struct driver *driver_get(
	const struct driver *const *table, const char *family, const char *name, struct err *e);

#endif
