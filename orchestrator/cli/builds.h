/* SPDX-License-Identifier: MIT */
#ifndef CLI_BUILDS_H
#define CLI_BUILDS_H

/* Between builds.c (those of this host) and builds-remote.c (those of a controller). */

#include "base/buf.h"

#include <stdbool.h>

struct builds_args {
	bool json, remote, quiet;
	const char *max, *server;
};

/* A verb that is the controller's. Prints the answer onto out; the exit status, after telling. */
int builds_remote(
	const struct builds_args *a, const char *verb, const char *operand, struct buf *out);

#endif
