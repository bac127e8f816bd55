/* SPDX-License-Identifier: MIT */
#ifndef JOBS_SPEC_H
#define JOBS_SPEC_H

/* The structs that the rows of spec.c fill while a job is compiled. */

#include "jobs/job.h"

#define JOB_TIMEOUT_MAX_MS ((int64_t)7 * 24 * 3600 * 1000)

struct job_head { /* job_params */
	const char *name, *description, *build;
	struct match match;
	const struct node *params, *steps, *roles, *crash;
	int64_t timeout_ms;
};
struct job_role { /* job_role_params */
	struct match match;
	int64_t count; /* 0: not given: one, called as the role is */
	const struct node *steps;
};
struct job_param {          /* job_param_params */
	const char *preset; /* NULL: must be given */
	const char *help, *example;
	struct param_strings choices;
};
struct step_common { /* step_common_params */
	const char *name, *suite, *console;
	int64_t timeout_ms; /* 0: the kind's */
	int64_t retry, repeat;
	int on_failure; /* index in stop, continue */
	bool always;
	const struct node *labels, *matrix, *sample;
};
struct group { /* group_params */
	const char *name, *suite;
	int64_t repeat;
	const struct node *labels, *steps;
};

/* The kind called name, or -1. */
int step_kind_find(const char *name);

#endif
