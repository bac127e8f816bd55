/* SPDX-License-Identifier: MIT */
#ifndef BUILDS_FETCH_H
#define BUILDS_FETCH_H

/*
 * Images that a manifest names by URL, fetched over HTTP(S) into a cache keyed by SHA-256. A
 * download goes on where it stopped; nothing has its final name before its digest was found right.
 */

#include "builds/build.h"

#define FETCH_BYTES_MAX ((int64_t)8 << 30) /* preset limit of one image */
#define FETCH_TIME_MS   ((int64_t)30 * 60 * 1000)
#define FETCH_STALL_S   30 /* with less than FETCH_STALL_BPS: given up */
#define FETCH_STALL_BPS 1024
#define FETCH_TRIES     3

struct fetch_opts {
	const char *cache_dir; /* NULL: "builds" in the user's cache folder */
	int64_t max_bytes;     /* 0: FETCH_BYTES_MAX */
	int64_t timeout_ms;    /* 0: FETCH_TIME_MS */
	/* Called while bytes arrive; total is 0 when the server does not say. Non-zero return: stop
	 * (BLAME_CANCEL). NULL: none. */
	int (*progress)(void *arg, const char *role, int64_t got_bytes, int64_t total_bytes);
	void *arg;
};

/*
 * Where the verified file of an image is: its own path, or the fetched copy. *path is heap memory.
 * o may be NULL. Errors: BLAME_BUILD for a wrong digest, no such file or an answer that is not 2xx;
 * BLAME_INFRA for the network, the disk or a limit.
 */
int image_local(const struct image *im, const struct fetch_opts *o, char **path, struct err *e);

#endif
