/* SPDX-License-Identifier: MIT */
#ifndef CLI_PARAMS_H
#define CLI_PARAMS_H

/* What --param K=V says. */

#include "cli/cli.h"

#include <jansson.h>

#define PARAMS_MAX 64

struct params {
	char *names[PARAMS_MAX];
	const char *values[PARAMS_MAX]; /* borrowed from the command line */
	size_t n;
};
/* -1 after telling on standard error; params_done is due in any case. */
int params_split(struct params *p, const struct cli_texts *given, const char *what);
void params_done(struct params *p);
json_t *params_json(const struct params *p); /* new reference */

#endif
