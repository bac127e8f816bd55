/* SPDX-License-Identifier: MIT */
#ifndef CLI_FOLLOW_H
#define CLI_FOLLOW_H

/* A job of the controller as a person follows it. */

#include "cli/remote.h"

struct follow_opts {
	bool quiet;         /* nothing but what is wrong */
	bool steps;         /* steps and results as they come; else only the job's states */
	const char *report; /* format of the report at the end; NULL: none */
};
/*
 * Until the job is done; a connection that breaks is made again, and nothing is shown twice.
 * Returns the exit status that goes with the job's verdict, or of what went wrong.
 */
int job_follow(struct remote *r, int64_t job, const struct follow_opts *o);
/* Prints the report of a run. Returns 0 or an exit status. */
int follow_report(struct remote *r, int64_t run, const char *format);

#endif
