/* SPDX-License-Identifier: MIT */
#ifndef CLI_POLICY_H
#define CLI_POLICY_H

/* What an exit status goes by, where a command's output is not all that matters: --fail-on. */

#include <stdbool.h>

enum policy {                  /* bits */
	POLICY_FAILURE = 1,    /* the thing under test failed */
	POLICY_REGRESSION = 2, /* a figure is worse, and noise does not explain it */
	POLICY_INFRA = 4,      /* the lab, a timeout or a bug, or nothing ran */
	POLICY_MISSING = 8,    /* a result that was there before */
	POLICY_ANY = 15,
};
#define POLICY_WORDS "failure, regression, infra, missing, any or never"

/* "failure,regression" as bits in *policy; NULL: none. -1 after telling. */
int policy_parse(const char *command, const char *words, unsigned *policy);
/* Of what was found, and is asked for, the exit status of the gravest: EXIT_FAIL, EXIT_REGRESSION,
 * EXIT_INCOMPLETE (infra, missing), EXIT_PASS. */
int policy_exit(unsigned policy, unsigned found);

#endif
