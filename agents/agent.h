/* SPDX-License-Identifier: MIT */
#ifndef AGENTS_AGENT_H
#define AGENTS_AGENT_H

/*
 * The daemon of a lab host: dials out to the controller, starts one worker for each run, ships
 * their folders, frees boards. It opens no console and no relay itself, parses nothing of what
 * workers write, and may be killed at any moment: workers go on, and the next agent adopts their
 * folders. How it talks to the controller: hilab-api(7), "Agents".
 */

#include "base/err.h"

#include <stdint.h>

#define AGENT_POLL_S       50  /* how long the controller may hold a poll */
#define AGENT_RETRY_MS     200 /* first wait after a failed call; doubles */
#define AGENT_RETRY_MAX_MS 15000
#define AGENT_RUNS_MAX     4096 /* folders under way at once */

struct agent_opts {
	const char *server;      /* base URL */
	const char *token_file;  /* 0600, one line */
	const char *ca;          /* PEM; NULL: the system's */
	const char *name;        /* NULL: the host's */
	const char *lab_path;    /* lab file */
	const char *dir;         /* where job folders are; NULL: STATE/agent */
	int64_t max_jobs;        /* at once; 0: as many as boards */
	int64_t cache_max_bytes; /* 0: cache_limit() */
};

/* Until SIGTERM or SIGINT (workers go on; a second one does not change that). SIGHUP reads the lab
 * file again. Returns an exit status of DESIGN 9. */
int agent_main(const struct agent_opts *o);

#endif
