/* SPDX-License-Identifier: MIT */
#ifndef BUILDS_KNOWN_H
#define BUILDS_KNOWN_H

/*
 * The builds that this host knows by name: manifests in the user's folder (NAME.yaml, put there by
 * `hilab builds add` or by hand) and those made in the tree. NAME.pin beside them keeps a build's
 * images in the cache and its manifest from being replaced.
 */

#include "builds/build.h"

#include "base/map.h"
#include "base/vec.h"

#define KNOWN_MAX         10000
#define KNOWN_ADD_TIME_MS 60000 /* for fetching a manifest */

struct known_build {
	char *name, *path; /* owned */
	bool users;        /* in the user's folder, not the tree's */
	bool pinned;
};
struct known {
	VEC(struct known_build) v; /* by name */
};

char *known_dir(void); /* "builds" in the user's configuration folder; heap */
int known_load(struct known *k, struct err *e);
void known_done(struct known *k);

/*
 * Checks the manifest at a path or an http(s) URL and writes it into the user's folder under its
 * name, in place of one of that name. Relative paths become absolute; those of a manifest that
 * came by URL become URLs beside it, so that it can never name a local file. *name is heap memory,
 * *replaced the version that stood there (heap; NULL: none). What is wrong with the manifest goes
 * to diag, everything else to e; a pinned build is not replaced (BLAME_CONFIG).
 */
int known_add(const char *from, char **name, char **replaced, struct diag *diag, struct err *e);
/* BLAME_BUILD for a name that is not known; unpinning needs only the pin. */
int known_pin(const char *name, bool pin, struct err *e);
bool known_is_pinned(const char *name);
/* Adds the digests of all pinned builds' images, as shipped and unpacked, to keep as keys. A pinned
 * manifest that cannot be read is an error (BLAME_CONFIG): nobody knows what it would keep. */
int known_pinned(struct map *keep, struct err *e);

#endif
