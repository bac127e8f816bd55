/* SPDX-License-Identifier: MIT */
#ifndef BUILDS_CACHE_H
#define BUILDS_CACHE_H

/*
 * The folder in which fetched and unpacked images are kept, keyed by SHA-256 and bounded in size.
 *
 *	SHA256             a whole file that had this digest when it was put there
 *	SHA256.part        a download on its way; flock(2)ed while somebody fetches
 *	SHA256.unpacking   the same for an unpacking
 *	SHA256.unpacked    symbolic link to the digest of what SHA256 unpacks to
 *
 * Nothing else in the folder is touched. A file in use carries a shared flock(2); what is unlocked
 * and longest not used goes first.
 */

#include "base/err.h"
#include "base/map.h"
#include "base/vec.h"
#include "io/digest.h"

#include <stdint.h>

#define CACHE_MAX_BYTES ((int64_t)32 << 30) /* preset; HILAB_CACHE_MAX=SIZE sets another */
#define CACHE_FILES_MAX 100000

/* Locks on the files that this process uses; they end with it. */
struct cache_hold {
	VEC(int) fds;
};
void cache_hold_done(struct cache_hold *h);

char *cache_dir(void); /* "builds" in the user's cache folder; heap */
/* What HILAB_CACHE_MAX says, else CACHE_MAX_BYTES. BLAME_CONFIG when it is no size. */
int cache_limit(int64_t *max_bytes, struct err *e);

/*
 * The cached file of a digest, read and found right, marked as used now. hold NULL: its lock ends
 * here. 0: *path (heap); 1: not there, or damaged.
 */
int cache_take(const char *dir, const char *sha256, struct cache_hold *hold, char **path);
/* The digest that sha256 unpacked to. False when that is not known. */
bool cache_unpacked(const char *dir, const char *sha256, char unpacked[DIGEST_HEX_BYTES]);
int cache_set_unpacked(const char *dir, const char *sha256, const char *unpacked, struct err *e);
/*
 * Opens DIR/SHA256SUFFIX for writing, made where absent, and waits until it is ours alone. Returns
 * the descriptor, whose closing unlocks; *path (heap) is its name.
 */
int cache_lock(const char *dir, const char *sha256, const char *suffix, char **path, struct err *e);

struct cache_pruned {
	int64_t left_bytes, freed_bytes;
	size_t left, freed, kept, in_use; /* files; kept and in_use only of those that were due */
};
/*
 * Removes the files longest not used until no more than max_bytes are left, but none whose digest
 * is a key of keep (nor what it unpacks to) and none in use. No such folder is an empty one.
 */
int cache_prune(const char *dir, int64_t max_bytes, const struct map *keep,
	struct cache_pruned *out, struct err *e);

#endif
