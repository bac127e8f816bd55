/* SPDX-License-Identifier: MIT */
/*
 * The cache of images: taking a file out, locking one that is being made, pruning. Invariant: a
 * file is removed only while its lock is ours alone, and whoever gets a lock looks whether the name
 * still is the file that it locked.
 */
#include "builds/cache.h"

#include "base/fs.h"
#include "base/mem.h"
#include "base/str.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define LOCK_TRIES  100
#define HALF_MADE_S 3600 /* a link that is being made is renamed at once */

void cache_hold_done(struct cache_hold *h)
{
	vec_each (&h->fds, fd)
		close(*fd);
	vec_done(&h->fds);
}

char *cache_dir(void)
{
	AUTOFREE char *cache = fs_cache_dir();

	return fs_join(cache, "builds");
}

int cache_limit(int64_t *max_bytes, struct err *e)
{
	const char *set = getenv("HILAB_CACHE_MAX");
	int64_t n = CACHE_MAX_BYTES;

	if (set && *set && (str_size_bytes(str_of(set), &n) || n < 0))
		return err_set(e, BLAME_CONFIG,
			"HILAB_CACHE_MAX must be a size like '32GiB', not '%s'", set);
	*max_bytes = n;
	return 0;
}

/* Is path still the file behind fd? It may have been removed while we waited for the lock. */
static bool is_same(int fd, const char *path)
{
	struct stat a, b;

	return !fstat(fd, &a) && !lstat(path, &b) && a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

static int flock_wait(int fd, int how)
{
	int rc;

	do
		rc = flock(fd, how);
	while (rc && errno == EINTR);
	return rc;
}

int cache_take(const char *dir, const char *sha256, struct cache_hold *hold, char **path)
{
	AUTOFREE char *file = fs_join(dir, sha256);
	AUTOCLOSE int fd = open(file, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	char hex[DIGEST_HEX_BYTES];
	struct stat st;

	if (fd < 0 || fstat(fd, &st) || !S_ISREG(st.st_mode) || flock_wait(fd, LOCK_SH) ||
		!is_same(fd, file))
		return 1;
	if (digest_sha256_file(file, hex, NULL) || strcasecmp(hex, sha256))
		return 1;
	futimens(fd, NULL); /* where we may not, it only looks older than it is */
	if (hold) {
		vec_push(&hold->fds, fd);
		fd = -1;
	}
	*path = mem_strdup(file);
	return 0;
}

static bool is_digest(const char *hex, size_t n)
{
	return n == DIGEST_HEX_BYTES - 1 && strspn(hex, "0123456789abcdef") >= n;
}

bool cache_unpacked(const char *dir, const char *sha256, char unpacked[DIGEST_HEX_BYTES])
{
	AUTOFREE char *link = mem_printf("%s/%s.unpacked", dir, sha256);
	char to[DIGEST_HEX_BYTES + 1];
	ssize_t n = readlink(link, to, sizeof to);

	if (n < 0 || !is_digest(to, (size_t)n))
		return false;
	memcpy(unpacked, to, (size_t)n);
	unpacked[n] = 0;
	return true;
}

int cache_set_unpacked(const char *dir, const char *sha256, const char *unpacked, struct err *e)
{
	AUTOFREE char *link = mem_printf("%s/%s.unpacked", dir, sha256);
	AUTOFREE char *new = mem_printf("%s.new-%d", link, (int)getpid());

	unlink(new);
	if (symlink(unpacked, new) || rename(new, link)) {
		int sys = errno;

		unlink(new);
		return err_sys(e, BLAME_INFRA, sys, "write '%s'", link);
	}
	return 0;
}

int cache_lock(const char *dir, const char *sha256, const char *suffix, char **path, struct err *e)
{
	AUTOFREE char *file = mem_printf("%s/%s%s", dir, sha256, suffix);

	if (fs_mkdirs(dir, 0755, e))
		return -1;
	for (int i = 0; i < LOCK_TRIES; i++) {
		int fd = open(file, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0644);

		if (fd < 0 || flock_wait(fd, LOCK_EX)) {
			err_sys(e, BLAME_INFRA, errno, "lock '%s'", file);
			attr_close(&fd);
			return -1;
		}
		if (is_same(fd, file)) {
			*path = mem_strdup(file);
			return fd;
		}
		close(fd);
	}
	return err_set(e, BLAME_INFRA, "lock '%s': others take it away again and again", file);
}

/* ---- pruning ---- */

struct entry {
	char name[96];
	int64_t bytes;
	struct timespec used;
};
struct entries {
	VEC(struct entry) v;
};

/* Ours are a digest and perhaps a suffix; anything else in the folder is somebody's. */
static bool is_ours(const char *name, const char *suffix)
{
	size_t n = strlen(name), tail = strlen(suffix);

	return n == DIGEST_HEX_BYTES - 1 + tail && is_digest(name, n - tail) &&
	       !strcmp(name + n - tail, suffix);
}

static int list(int at, DIR *d, struct entries *files, struct err *e)
{
	struct dirent *de;

	while ((de = readdir(d))) {
		struct entry f = {0};
		struct stat st;

		if (!is_ours(de->d_name, "") && !is_ours(de->d_name, ".part") &&
			!is_ours(de->d_name, ".unpacking"))
			continue;
		if (fstatat(at, de->d_name, &st, AT_SYMLINK_NOFOLLOW) || !S_ISREG(st.st_mode))
			continue;
		if (files->v.n == CACHE_FILES_MAX)
			return err_set(
				e, BLAME_INFRA, "more than %d files in the cache", CACHE_FILES_MAX);
		memcpy(f.name, de->d_name, strlen(de->d_name) + 1);
		f.bytes = st.st_size;
		f.used = st.st_mtim;
		vec_push(&files->v, f);
	}
	return 0;
}

static int by_use(const void *a, const void *b)
{
	const struct entry *x = a, *y = b;

	if (x->used.tv_sec != y->used.tv_sec)
		return x->used.tv_sec < y->used.tv_sec ? -1 : 1;
	if (x->used.tv_nsec != y->used.tv_nsec)
		return x->used.tv_nsec < y->used.tv_nsec ? -1 : 1;
	return strcmp(x->name, y->name);
}

static bool is_kept(const struct map *keep, const char *name)
{
	char sha256[DIGEST_HEX_BYTES] = "";

	memcpy(sha256, name, DIGEST_HEX_BYTES - 1);
	return map_has(keep, sha256);
}

/* 1: in use. */
static int remove_unused(int at, const char *name, struct err *e)
{
	AUTOCLOSE int fd = openat(at, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);

	if (fd < 0)
		return errno == ENOENT ? 0 : err_sys(e, BLAME_INFRA, errno, "remove '%s'", name);
	if (flock(fd, LOCK_EX | LOCK_NB))
		return errno == EWOULDBLOCK ? 1 : err_sys(e, BLAME_INFRA, errno, "lock '%s'", name);
	if (unlinkat(at, name, 0) && errno != ENOENT)
		return err_sys(e, BLAME_INFRA, errno, "remove '%s'", name);
	return 0;
}

static int remove_due(int at, const struct entries *files, int64_t max_bytes,
	const struct map *keep, struct cache_pruned *out, struct err *e)
{
	for (size_t i = 0; i < files->v.n && out->left_bytes > max_bytes; i++) {
		const struct entry *f = &files->v.p[i];
		int rc;

		if (is_kept(keep, f->name)) {
			out->kept++;
			continue;
		}
		rc = remove_unused(at, f->name, e);
		if (rc < 0)
			return -1;
		if (rc) {
			out->in_use++;
			continue;
		}
		out->left_bytes -= f->bytes;
		out->freed_bytes += f->bytes;
		out->left--;
		out->freed++;
	}
	return 0;
}

static bool is_link_due(int at, const char *name)
{
	struct stat st;

	if (fstatat(at, name, &st, AT_SYMLINK_NOFOLLOW) || !S_ISLNK(st.st_mode))
		return false;
	if (is_ours(name, ".unpacked"))
		return faccessat(at, name, F_OK, 0);
	return strstr(name, ".unpacked.new-") == name + DIGEST_HEX_BYTES - 1 &&
	       st.st_mtim.tv_sec < time(NULL) - HALF_MADE_S;
}

/* Links to what is gone, and those that a killed process left half made. */
static void remove_links(int at, DIR *d)
{
	struct dirent *de;

	rewinddir(d);
	while ((de = readdir(d))) {
		if (is_link_due(at, de->d_name))
			unlinkat(at, de->d_name, 0);
	}
}

/* What a kept image unpacks to is kept like it. */
static void add_unpacked(const char *dir, const struct map *keep, struct map *all)
{
	char unpacked[DIGEST_HEX_BYTES];

	map_each (keep, k) {
		map_set(all, k->key, all);
		if (cache_unpacked(dir, k->key, unpacked))
			map_set(all, unpacked, all);
	}
}

int cache_prune(const char *dir, int64_t max_bytes, const struct map *keep,
	struct cache_pruned *out, struct err *e)
{
	struct entries files = {0};
	struct cache_pruned sum = {0};
	struct map all = {0};
	DIR *d = opendir(dir);
	int rc;

	if (!d && errno != ENOENT)
		return err_sys(e, BLAME_INFRA, errno, "read folder '%s'", dir);
	if (!d) {
		*out = sum;
		return 0;
	}
	add_unpacked(dir, keep, &all);
	rc = list(dirfd(d), d, &files, e);
	if (!rc) {
		if (files.v.n)
			qsort(files.v.p, files.v.n, sizeof *files.v.p, by_use);
		sum.left = files.v.n;
		vec_each (&files.v, f)
			sum.left_bytes += f->bytes;
		rc = remove_due(dirfd(d), &files, max_bytes, &all, &sum, e);
	}
	if (!rc) {
		remove_links(dirfd(d), d);
		*out = sum;
	}
	vec_done(&files.v);
	map_done(&all);
	closedir(d);
	return rc ? err_wrap(e, "prune '%s'", dir) : 0;
}
