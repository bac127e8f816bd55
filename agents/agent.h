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

#include "io/schema.h"

#include <stdint.h>

#define AGENT_PROTOCOL     1
#define AGENT_POLL_S       50  /* how long the controller may hold a poll, unless it says so */
#define AGENT_RETRY_MS     200 /* first wait after a failed call; doubles */
#define AGENT_RETRY_MAX_MS 15000
#define AGENT_RUNS_MAX     4096  /* runs that are not over, at once */
#define AGENT_FILES_MAX    65536 /* descriptors: one for each process of a run, and some more */
#define AGENT_PREPARE_MAX  8     /* processes that fetch, at once */
#define AGENT_PREPARE_MS   ((int64_t)15 * 60 * 1000) /* for fetching what a plan names */

/* A config file: the same as the command's options. Texts are the caller's. */
struct agent_opts {
	const char *server;      /* base URL; NULL: the server of this user on this host */
	const char *token_file;  /* 0600, one line; NULL: that server's own */
	const char *ca;          /* PEM; NULL: the system's */
	const char *name;        /* NULL: the host's */
	const char *lab_path;    /* lab file */
	const char *dir;         /* where job folders are; NULL: STATE/agent */
	int64_t max_jobs;        /* at once; 0: as many as boards */
	int64_t cache_max_bytes; /* 0: cache_limit() */
	int64_t keep;            /* ended folders that stay when the controller has them */
	int64_t kill_after_ms;   /* from a cancel that is not obeyed to a SIGKILL */
	int64_t min_free_bytes;  /* with less disk than this no run starts */
	int ready_fd;            /* gets "ready NAME\n" and is closed; -1: none */
};
extern const struct param agent_params[];

/* Until SIGTERM or SIGINT (workers go on; a second one does not change that). SIGHUP reads the lab
 * file again. Returns an exit status of DESIGN 9. */
int agent_main(const struct agent_opts *o);
/*
 * Fetches what the start.json of a job folder names by digest, and writes its plan.json with the
 * files' places, or a status that says why it cannot be. The agent runs this in a process of its
 * own, so that a slow download keeps nobody waiting. Returns an exit status of DESIGN 9.
 */
int agent_prepare_main(const struct agent_opts *o, const char *dir);

/* The base URL and the token of the controller as o says, or as the server of this user on this
 * host says: heap, both; -1 with e (BLAME_INFRA: that server does not run). token may come out
 * NULL.
 */
int agent_credentials(const struct agent_opts *o, char **server, char **token, struct err *e);

#endif
