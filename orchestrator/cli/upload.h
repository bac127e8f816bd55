/* SPDX-License-Identifier: MIT */
#ifndef CLI_UPLOAD_H
#define CLI_UPLOAD_H

/* What a job needs of this host's files, brought to the controller: only what it has not got. */

#include "cli/params.h"
#include "cli/remote.h"

/*
 * The build that "NAME", "NAME@VERSION", a manifest or its folder names. A name that is no file
 * here is handed on as it is. Else its images are hashed and those the controller lacks sent
 * (resumed where an earlier try stopped). Heap: "NAME@VERSION" for POST /jobs; NULL after telling,
 * with *exit_status.
 */
char *upload_build(struct remote *r, const char *build, bool quiet, int *exit_status);
/*
 * What the `put` steps of a job document send: {STEP: SHA256}, a new reference (an empty object:
 * none does); NULL after telling. Problems of the document are left for the controller to tell.
 * build, unless NULL, gets the build that it names, params put in (heap; NULL: none).
 */
json_t *upload_puts(struct remote *r, const char *job_path, const struct params *params, bool quiet,
	char **build, int *exit_status);

#endif
