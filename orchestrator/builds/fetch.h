/* SPDX-License-Identifier: MIT */
#ifndef BUILDS_FETCH_H
#define BUILDS_FETCH_H

/*
 * Images made ready for use: those that a manifest names by URL are fetched over HTTP(S),
 * compressed ones unpacked, both into the cache (cache.h). A download goes on where it stopped;
 * nothing has its final name before its digest was found right.
 */

#include "builds/build.h"
#include "builds/cache.h"

#define FETCH_BYTES_MAX    ((int64_t)8 << 30)  /* preset limit of one image as it is shipped */
#define FETCH_UNPACKED_MAX ((int64_t)16 << 30) /* the same when it is unpacked */
#define FETCH_TIME_MS      ((int64_t)30 * 60 * 1000)

struct fetch_opts {
	const char *cache_dir;      /* NULL: cache_dir() */
	int64_t max_bytes;          /* 0: FETCH_BYTES_MAX */
	int64_t max_unpacked_bytes; /* 0: FETCH_UNPACKED_MAX */
	int64_t timeout_ms;         /* 0: FETCH_TIME_MS */
	const char *token, *ca;     /* download.h; NULL: none, the system's */
	/* What keeps the files in the cache until the caller has done with them. NULL: nothing. */
	struct cache_hold *hold;
	/* Called while bytes arrive or are unpacked; total is 0 when it is not known. Non-zero
	 * return: stop (BLAME_CANCEL). NULL: none. */
	int (*progress)(void *arg, const char *role, int64_t got_bytes, int64_t total_bytes);
	void *arg;
};

/*
 * Where the verified and unpacked file of an image is: its own path or a copy in the cache. *path
 * is heap memory; sha256 gets the digest of that file, which is the manifest's unless it was
 * unpacked; NULL: not asked. o may be NULL. After something was put into the cache the cache is
 * pruned to cache_limit(). Errors: BLAME_BUILD for a wrong digest, a damaged image, no such file or
 * an answer that is not 2xx; BLAME_INFRA for the network, the disk or a limit.
 */
int image_local(const struct image *im, const struct fetch_opts *o, char **path,
	char sha256[DIGEST_HEX_BYTES], struct err *e);
/* Is the image ready for use without a network? Looks for files, reads no digest. */
bool image_ready(const struct image *im, const char *cache_dir);

#endif
