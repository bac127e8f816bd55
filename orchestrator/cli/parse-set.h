/* SPDX-License-Identifier: MIT */
#ifndef CLI_PARSE_SET_H
#define CLI_PARSE_SET_H

/* What --set KEY=VALUE says to a parser. */

#include "cli/cli.h"
#include "reports/parse/parse.h"

/* *settings NULL: none were given. -1 with what is wrong in diag. */
int parse_settings(struct arena *a, const struct parser *p, const struct cli_texts *given,
	const struct node **settings, struct diag *diag);

#endif
