/* SPDX-License-Identifier: MIT */
#ifndef BUILDS_DOWNLOAD_H
#define BUILDS_DOWNLOAD_H

/*
 * HTTP(S) downloads by libcurl: bounded in size, time and stalls; no other protocol is spoken.
 * libcurl is loaded by the first of these functions that needs it (BLAME_CONFIG: it is not there).
 */

#include "base/buf.h"
#include "base/err.h"

#include <stdint.h>

#define DOWNLOAD_STALL_S   30 /* with less than DOWNLOAD_STALL_BPS: given up */
#define DOWNLOAD_STALL_BPS 1024
#define DOWNLOAD_TRIES     3

struct download {
	const char *url;
	const char *token;             /* sent as bearer to the host of url alone; NULL: none */
	const char *ca;                /* PEM of who may sign its certificate; NULL: the system's */
	int64_t max_bytes, timeout_ms; /* both needed; the time is for each try */
	/* Called while bytes arrive; total is 0 when the server does not say. Non-zero return: stop
	 * (BLAME_CANCEL). NULL: none. */
	int (*progress)(void *arg, int64_t got_bytes, int64_t total_bytes);
	void *arg;
};

/*
 * The whole of url in the file behind fd, which may hold a beginning of it: the download goes on
 * there (*resumed says so; NULL: not asked). Errors: BLAME_BUILD for an answer that is not 2xx,
 * BLAME_INFRA for the network, the disk or a limit.
 */
int download_file(const struct download *d, int fd, bool *resumed, struct err *e);
/* The same onto the end of out. */
int download_text(const struct download *d, struct buf *out, struct err *e);
/* relative as a link on the page at base would be; heap, NULL with e (BLAME_BUILD). */
char *download_join(const char *base, const char *relative, struct err *e);
/* libcurl's; NULL: it is not there. */
const char *download_version(void);
bool download_is_url(const char *text); /* begins with http:// or https:// */

#endif
