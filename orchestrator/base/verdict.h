/* SPDX-License-Identifier: MIT */
#ifndef BASE_VERDICT_H
#define BASE_VERDICT_H

/*
 * How things end, and by what name and number that is told: a result by its status (as KCIDB has
 * them), a run by its verdict, a command by its exit status. One table each, for all who write or
 * read them.
 */

#include "base/err.h"

enum status {
	STATUS_PASS,
	STATUS_FAIL,
	STATUS_ERROR,
	STATUS_MISS,
	STATUS_SKIP,
	STATUS_DONE,
	STATUS_COUNT
};
const char *status_name(enum status s); /* "pass" */
int status_parse(const char *name);     /* -1: none of ours, or NULL */

enum verdict { VERDICT_PASS, VERDICT_FAIL, VERDICT_INCOMPLETE, VERDICT_CANCELED, VERDICT_COUNT };
const char *verdict_name(enum verdict v);
int verdict_parse(const char *name); /* -1: none of ours, or NULL */

/* The exit status of every command. */
enum exit_status {
	EXIT_PASS = 0,
	EXIT_FAIL = 1,       /* the thing under test failed */
	EXIT_USAGE = 2,      /* usage, or input that is not valid */
	EXIT_INCOMPLETE = 3, /* lab failure, timeout, bug, nothing ran */
	EXIT_REGRESSION = 4, /* where judging was asked for */
	EXIT_BUILD = 5,      /* a build that cannot be used */
	EXIT_CANCELED = 130,
};
/* The one that goes with a run's end. */
enum exit_status verdict_exit(enum verdict v, enum err_blame blame);
/* The same by their names; NULL: the run has not ended, nobody is to blame. */
enum exit_status verdict_exit_of(const char *verdict, const char *blame);
/* The one of a command that an error ended. */
enum exit_status blame_exit(enum err_blame blame);

#endif
