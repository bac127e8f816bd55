/* SPDX-License-Identifier: MIT */
#ifndef API_SERVER_H
#define API_SERVER_H

/*
 * The controller: one event loop, HTTP(S) for clients and agents, the scheduler, the store. It
 * holds no console and opens no relay. Its interface is hilab-api(7).
 */

#include "io/schema.h"
#include "jobs/job.h"

#include <stdint.h>

#define SERVER_PORT 8420

/* The configuration file, server.yaml. */
struct server_health {    /* one entry of `health:` */
	const char *job;  /* job document of the check */
	int64_t every_ms; /* 0: only when a board was not good, and on demand */
};
struct server_conf {
	const char *listen; /* ADDRESS:PORT; port 0: a free one */
	const char *cert, *key;
	bool plain; /* plain HTTP although others than this host can reach it */
	const char *store, *dir;
	const struct node *health; /* type -> server_health; "default" for the others */
	int64_t connections, per_address;
	int64_t quota_bytes; /* of one account's blobs that no build names yet */
	int64_t blobs_bytes; /* of all */
	int64_t grace_ms;    /* an agent that was not heard of for so long is offline */
	int64_t run_bytes;   /* of what an agent ships of one board's run */
};
extern const struct param server_params[], server_health_params[];

struct server_opts {
	const char *config; /* NULL: server.yaml in the configuration folder where there is one */
	const char *listen; /* NULL: as configured */
	const char *dir;    /* NULL: as configured, else STATE/server */
	int ready_fd;       /* gets "ready URL\n" and is closed; -1: none */
	const struct job_tables *tables;
};
/* Until SIGTERM or SIGINT. Returns an exit status of DESIGN 9. */
int server_main(const struct server_opts *o);

#endif
