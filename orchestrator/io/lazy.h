/* SPDX-License-Identifier: MIT */
#ifndef IO_LAZY_H
#define IO_LAZY_H

/*
 * Libraries that are loaded when they are first needed. Being linked to libcurl, and by it to
 * thirty others, costs each process 4 ms as it starts and 4 MiB, libcrypto 1 ms and 1.6 MiB; most
 * processes call neither.
 */

#include "base/attr.h"
#include "base/err.h"

#include <stddef.h>

struct lazy_symbol {
	const char *name;
	size_t offset; /* where in the table the pointer to it goes */
};

/*
 * Loads the library with that soname and fills table, a struct of pointers, one a row of symbols
 * (ended by a NULL name). It stays loaded. 0, or -1 (BLAME_CONFIG) with table untouched.
 */
MUST_CHECK int lazy_load(
	const char *soname, const struct lazy_symbol *symbols, void *table, struct err *e);

#endif
