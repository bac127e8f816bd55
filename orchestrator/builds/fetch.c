/* SPDX-License-Identifier: MIT */
/*
 * Makes images ready: fetches and unpacks them into the cache. Invariant: CACHE/SHA256 exists only
 * with that digest, whoever is killed when; a path is handed out only after its digest was read and
 * found right.
 */
#include "builds/fetch.h"

#include "base/fs.h"
#include "base/mem.h"
#include "builds/download.h"
#include "builds/known.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#define PUT_TRIES 3 /* a prune may take away what we have just put there */

/* One image on its way. */
struct work {
	const struct image *image;
	const struct fetch_opts *opts;
	const char *dir; /* of the cache */
	int64_t total_bytes;
};

static int told_download(void *arg, int64_t got, int64_t total)
{
	const struct work *w = arg;

	return w->opts->progress ? w->opts->progress(w->opts->arg, w->image->role, got, total) : 0;
}

static int told_unpack(void *arg, int64_t got)
{
	const struct work *w = arg;

	return told_download(arg, got, w->total_bytes);
}

static bool has_digest(const char *path, const char *sha256)
{
	char hex[DIGEST_HEX_BYTES];

	return !digest_sha256_file(path, hex, NULL) && !strcasecmp(hex, sha256);
}

static int put(const char *dir, const char *made, const char *sha256, struct err *e)
{
	AUTOFREE char *final = fs_join(dir, sha256);

	if (rename(made, final))
		return err_sys(e, BLAME_INFRA, errno, "rename '%s'", made);
	return 0;
}

/* ---- fetching ---- */

/* With the .part file ours: what an earlier try left may be no beginning of the image (a host that
 * lost power), so a wrong digest after going on is no proof yet. */
static int fill_part(const struct work *w, int fd, const char *part, struct err *e)
{
	const struct fetch_opts *o = w->opts;
	const struct download d = {
		.url = w->image->url,
		.token = o->token,
		.ca = o->ca,
		.max_bytes = o->max_bytes ? o->max_bytes : FETCH_BYTES_MAX,
		.timeout_ms = o->timeout_ms ? o->timeout_ms : FETCH_TIME_MS,
		.progress = told_download,
		.arg = (void *)w,
	};
	bool resumed = true;

	while (resumed) {
		if (download_file(&d, fd, &resumed, e))
			return -1;
		if (has_digest(part, w->image->sha256))
			return 0;
		if (ftruncate(fd, 0))
			return err_sys(e, BLAME_INFRA, errno, "fetch into '%s'", part);
	}
	unlink(part);
	return err_set(e, BLAME_BUILD,
		"image '%s' from '%s' does not have the sha256 of its manifest", w->image->role,
		w->image->url);
}

/* One process fetches an image, others wait for it. */
static int fetch(const struct work *w, struct cache_hold *hold, char **path, struct err *e)
{
	const char *sha256 = w->image->sha256;

	for (int i = 0; cache_take(w->dir, sha256, hold, path); i++) {
		AUTOFREE char *part = NULL;
		AUTOCLOSE int fd = -1;

		if (i == PUT_TRIES)
			return err_set(
				e, BLAME_INFRA, "'%s' does not stay in '%s'", sha256, w->dir);
		fd = cache_lock(w->dir, sha256, ".part", &part, e);
		if (fd < 0)
			return -1;
		if (!cache_take(w->dir, sha256, hold, path)) {
			unlink(part);
			return 0;
		}
		if (fill_part(w, fd, part, e) || put(w->dir, part, sha256, e))
			return -1;
	}
	return 0;
}

/* ---- unpacking ---- */

/* With the .unpacking file ours. */
static int fill_unpacked(struct work *w, int in, int fd, const char *made, struct err *e)
{
	const struct image *im = w->image;
	const int64_t max = w->opts->max_unpacked_bytes;
	char hex[DIGEST_HEX_BYTES];
	struct stat st;

	if (fstat(in, &st) || ftruncate(fd, 0))
		return err_sys(e, BLAME_INFRA, errno, "unpack into '%s'", made);
	w->total_bytes = st.st_size;
	if (packed_unpack(im->packing, in, fd, max ? max : FETCH_UNPACKED_MAX, told_unpack, w, e))
		return err_wrap(e, "unpack image '%s'", im->role);
	if (fsync(fd))
		return err_sys(e, BLAME_INFRA, errno, "unpack into '%s'", made);
	if (digest_sha256_file(made, hex, e))
		return -1;
	if (im->unpacked_sha256 && strcmp(hex, im->unpacked_sha256))
		return err_set(e, BLAME_BUILD,
			"image '%s' unpacks to sha256 %.16s..., the manifest says %.16s...",
			im->role, hex, im->unpacked_sha256);
	if (put(w->dir, made, hex, e))
		return -1;
	return cache_set_unpacked(w->dir, im->sha256, hex, e);
}

static int take_unpacked(
	const struct work *w, struct cache_hold *hold, char **path, char sha256[DIGEST_HEX_BYTES])
{
	const char *want = w->image->unpacked_sha256;
	char hex[DIGEST_HEX_BYTES];

	if (!cache_unpacked(w->dir, w->image->sha256, hex) || (want && strcmp(hex, want)) ||
		cache_take(w->dir, hex, hold, path))
		return 1;
	memcpy(sha256, hex, sizeof hex);
	return 0;
}

static int unpack(struct work *w, const char *from, struct cache_hold *hold, char **path,
	char sha256[DIGEST_HEX_BYTES], struct err *e)
{
	for (int i = 0; take_unpacked(w, hold, path, sha256); i++) {
		AUTOFREE char *made = NULL;
		AUTOCLOSE int fd = -1, in = -1;

		if (i == PUT_TRIES)
			return err_set(e, BLAME_INFRA, "what '%s' unpacks to does not stay in '%s'",
				from, w->dir);
		fd = cache_lock(w->dir, w->image->sha256, ".unpacking", &made, e);
		if (fd < 0)
			return -1;
		if (!take_unpacked(w, hold, path, sha256)) {
			unlink(made);
			return 0;
		}
		in = open(from, O_RDONLY | O_CLOEXEC | O_NOCTTY);
		if (in < 0)
			return err_sys(e, BLAME_INFRA, errno, "read '%s'", from);
		if (fill_unpacked(w, in, fd, made, e)) {
			unlink(made);
			return -1;
		}
	}
	return 0;
}

/* ---- both ---- */

/* The image as it is shipped. */
static int shipped(const struct work *w, struct cache_hold *hold, char **path, struct err *e)
{
	if (!w->image->path)
		return fetch(w, hold, path, e);
	if (image_verify(w->image, e))
		return -1;
	*path = mem_strdup(w->image->path);
	return 0;
}

static int ready(struct work *w, char **path, char sha256[DIGEST_HEX_BYTES], struct err *e)
{
	struct cache_hold source = {0};
	AUTOFREE char *from = NULL;
	int rc;

	if (w->image->packing == PACKING_NONE) {
		snprintf(sha256, DIGEST_HEX_BYTES, "%s", w->image->sha256);
		return shipped(w, w->opts->hold, path, e);
	}
	if (!take_unpacked(w, w->opts->hold, path, sha256))
		return 0;
	rc = shipped(w, &source, &from, e);
	if (!rc)
		rc = unpack(w, from, w->opts->hold, path, sha256, e);
	cache_hold_done(&source);
	return rc;
}

/* The cache's bound. What goes wrong here costs disk, not the image that was asked for. */
static void bound_cache(const char *dir, int64_t max)
{
	struct cache_pruned pruned;
	struct map keep = {0};

	if (!known_pinned(&keep, NULL))
		cache_prune(dir, max, &keep, &pruned, NULL);
	map_done(&keep);
}

int image_local(const struct image *im, const struct fetch_opts *o, char **path,
	char sha256[DIGEST_HEX_BYTES], struct err *e)
{
	struct cache_hold own = {0}; /* for as long as we prune */
	struct fetch_opts opts = o ? *o : (struct fetch_opts){0};
	AUTOFREE char *dir = o && o->cache_dir ? mem_strdup(o->cache_dir) : cache_dir();
	struct work w = {.image = im, .opts = &opts, .dir = dir};
	bool puts = !image_ready(im, dir);
	char hex[DIGEST_HEX_BYTES];
	int64_t max;
	int rc;

	if (cache_limit(&max, e))
		return -1;
	if (!opts.hold)
		opts.hold = &own;
	rc = ready(&w, path, hex, e);
	if (!rc && puts)
		bound_cache(dir, max);
	cache_hold_done(&own);
	if (rc)
		return -1;
	if (sha256)
		memcpy(sha256, hex, sizeof hex);
	return 0;
}

bool image_ready(const struct image *im, const char *cache_dir)
{
	char hex[DIGEST_HEX_BYTES];
	AUTOFREE char *file = NULL;

	if (im->packing == PACKING_NONE) {
		file = im->path ? mem_strdup(im->path) : fs_join(cache_dir, im->sha256);
		return fs_exists(file);
	}
	if (!cache_unpacked(cache_dir, im->sha256, hex))
		return false;
	file = fs_join(cache_dir, hex);
	return fs_exists(file);
}
