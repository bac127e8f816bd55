/* SPDX-License-Identifier: MIT */
#ifndef BUILDS_BUILD_H
#define BUILDS_BUILD_H

/*
 * A build: a versioned set of images, described by a manifest. An image is used only after its
 * SHA-256 was found to be the manifest's.
 *
 *	build: am62axx-twin
 *	version: "11.00.1"
 *	soc: am62axx
 *	images:
 *	  kernel: {path: Image, sha256: ..., version: "...", release: 6.1.0-37-arm64}
 *	  rootfs: {url: "https://...", sha256: ..., compression: xz}
 */

#include "base/arena.h"
#include "base/diag.h"
#include "builds/packed.h"
#include "io/schema.h"

/* Of a GNU build id, in bytes: SHA-1 makes 20. */
#define BUILD_ID_MAX 64

struct image {
	const char *role;
	const char *path;     /* local file, resolved beside the manifest; NULL: only a URL */
	const char *url;      /* NULL: none */
	const char *sha256;   /* 64 hex digits, of the file as it is shipped */
	enum packing packing; /* PACKING_NONE: used as it is shipped */
	const char *unpacked_sha256; /* NULL: not told */
	const char *version;         /* text that the running image shows; NULL: not known */
	const char *release;         /* kernel: uname -r; NULL: not known */
	const char *build_id; /* kernel, modules: GNU build id, lower-case hex; NULL: not known */
	const char *module;   /* modules: the one that is asked for the others; NULL: none */
	struct loc at;
};
struct build {
	struct arena arena;
	const char *name, *version, *soc;
	struct image *images;
	size_t n;
};
extern const struct param build_params[], image_params[];

int build_load(struct build *b, const char *path, struct diag *diag);
/* The same from memory; name stands for the file in positions. */
int build_parse(struct build *b, const char *name, struct str text, struct diag *diag);
int build_check(const struct node *doc, struct diag *diag);
void build_done(struct build *b);
const struct image *build_find(const struct build *b, const char *role);
/* Where "name" is: a path when it has a slash or ends in .yaml, else NAME.yaml in the user's builds
 * folder (known_dir), else in the tree's build/images. Heap; NULL with e. */
char *build_locate(const char *name, struct err *e);
/* Digest of the local file, as it is shipped, against the manifest: BLAME_BUILD when it differs or
 * is not there. */
int image_verify(const struct image *im, struct err *e);

#endif
