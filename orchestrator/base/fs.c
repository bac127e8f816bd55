/* SPDX-License-Identifier: MIT */
/*
 * Files: read whole, write whole and atomically, copy, remove. Invariant: a file that fs_write
 * made is there completely or not at all.
 */
#include "base/fs.h"

#include "base/mem.h"
#include "base/str.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define CHUNK_BYTES ((size_t)1 << 16)
#define TREE_DEPTH  32

int fs_read(const char *path, struct buf *out, struct err *e)
{
	char room[32];
	AUTOCLOSE int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
	struct stat st;
	ssize_t n;

	if (fd < 0 || fstat(fd, &st))
		return err_sys(e, BLAME_CONFIG, errno, "read '%s'", path);
	if (S_ISDIR(st.st_mode))
		return err_set(e, BLAME_CONFIG, "read '%s': it is a folder", path);
	if (st.st_size > (off_t)(out->cap - out->len))
		goto large;
	while ((n = buf_read(out, fd, CHUNK_BYTES)) > 0)
		;
	if (!n)
		return 0;
	if (errno != ENOBUFS)
		return err_sys(e, BLAME_INFRA, errno, "read '%s'", path);
	/* The cap is reached exactly at the end of the file? */
	if (!read(fd, room, 1)) {
		out->overflow = false;
		return 0;
	}
large:
	return err_set(e, BLAME_CONFIG, "read '%s': larger than %s", path,
		str_format_bytes((int64_t)out->cap, room, sizeof room));
}

int fs_write_all(int fd, const void *data, size_t n)
{
	const char *p = data;

	while (n) {
		ssize_t done = write(fd, p, n);

		if (done < 0 && errno == EINTR)
			continue;
		if (done < 0)
			return -1;
		p += done;
		n -= (size_t)done;
	}
	return 0;
}

static int replace(
	const char *path, const void *data, size_t n, unsigned mode, bool sync, struct err *e)
{
	AUTOFREE char *tmp = mem_printf("%s.new-%d", path, (int)getpid());
	int fd = open(tmp, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, mode);
	int sys = 0;

	if (fd < 0)
		return err_sys(e, BLAME_INFRA, errno, "write '%s'", path);
	if (fs_write_all(fd, data, n) || (sync && fsync(fd)))
		sys = errno;
	if (close(fd) && !sys)
		sys = errno;
	if (!sys && rename(tmp, path))
		sys = errno;
	if (sys) {
		unlink(tmp);
		return err_sys(e, BLAME_INFRA, sys, "write '%s'", path);
	}
	return 0;
}

int fs_write_light(const char *path, const void *data, size_t n, unsigned mode, struct err *e)
{
	return replace(path, data, n, mode, false, e);
}

int fs_write(const char *path, const void *data, size_t n, unsigned mode, struct err *e)
{
	AUTOFREE char *dir = fs_dirname(path);
	int dirfd;

	if (replace(path, data, n, mode, true, e))
		return -1;
	dirfd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (dirfd >= 0) {
		fsync(dirfd);
		close(dirfd);
	}
	return 0;
}

static int open_at_rest(const char *path, int type)
{
	if (type != FTW_F && type != FTW_D && type != FTW_DP)
		return -1;
	return open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
}

static int begin_sync(const char *path, const struct stat *st, int type, struct FTW *at)
{
	AUTOCLOSE int fd = type == FTW_F && st->st_size ? open_at_rest(path, type) : -1;

	(void)at;
	if (fd >= 0)
		(void)!sync_file_range(fd, 0, 0, SYNC_FILE_RANGE_WRITE);
	return 0;
}

static int end_sync(const char *path, const struct stat *st, int type, struct FTW *at)
{
	AUTOCLOSE int fd = open_at_rest(path, type);

	(void)st;
	(void)at;
	return type != FTW_SL && (fd < 0 || fsync(fd)) ? -1 : 0;
}

/* All are on their way before one is waited for: the file system then commits once, not once a
 * file. */
int fs_sync_tree(const char *path)
{
	nftw(path, begin_sync, 8, FTW_PHYS);
	return nftw(path, end_sync, 8, FTW_PHYS | FTW_DEPTH);
}

int fs_mkdirs(const char *path, unsigned mode, struct err *e)
{
	AUTOFREE char *part = mem_strdup(path);

	for (char *p = part + (*part == '/');; p++) {
		char c = *p;

		if (c && c != '/')
			continue;
		*p = 0;
		if (*part && mkdir(part, mode) && errno != EEXIST)
			return err_sys(e, BLAME_INFRA, errno, "make folder '%s'", part);
		if (!c)
			break;
		*p = '/';
	}
	if (!fs_is_dir(path))
		return err_set(e, BLAME_INFRA, "make folder '%s': a file is in its place", path);
	return 0;
}

static int remove_in(int at, const char *name, int depth)
{
	struct dirent *d;
	int fd, rc = 0;
	DIR *dir;

	if (!unlinkat(at, name, 0) || errno == ENOENT)
		return 0;
	if ((errno != EISDIR && errno != EPERM) || depth > TREE_DEPTH)
		return -1;
	fd = openat(at, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0)
		return -1;
	dir = fdopendir(fd);
	if (!dir) {
		close(fd);
		return -1;
	}
	while (!rc && (d = readdir(dir)))
		if (strcmp(d->d_name, ".") && strcmp(d->d_name, ".."))
			rc = remove_in(fd, d->d_name, depth + 1);
	closedir(dir);
	return rc ? rc : unlinkat(at, name, AT_REMOVEDIR);
}

int fs_remove_tree(const char *path, struct err *e)
{
	if (remove_in(AT_FDCWD, path, 0))
		return err_sys(e, BLAME_INFRA, errno, "remove '%s'", path);
	return 0;
}

int fs_copy(const char *from, const char *to, struct err *e)
{
	AUTOCLOSE int in = open(from, O_RDONLY | O_CLOEXEC);
	AUTOCLOSE int out = -1;
	ssize_t n;

	if (in < 0)
		return err_sys(e, BLAME_INFRA, errno, "copy '%s'", from);
	out = open(to, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
	if (out < 0)
		return err_sys(e, BLAME_INFRA, errno, "copy '%s' to '%s'", from, to);
	while ((n = copy_file_range(in, NULL, out, NULL, (size_t)1 << 30, 0)) > 0)
		;
	if (n < 0 &&
		(errno == EXDEV || errno == EINVAL || errno == EOPNOTSUPP || errno == ENOSYS)) {
		AUTOFREE char *chunk = mem_alloc(CHUNK_BYTES);

		while ((n = read(in, chunk, CHUNK_BYTES)) > 0)
			if (fs_write_all(out, chunk, (size_t)n))
				return err_sys(
					e, BLAME_INFRA, errno, "copy '%s' to '%s'", from, to);
	}
	if (n < 0 || fsync(out))
		return err_sys(e, BLAME_INFRA, errno, "copy '%s' to '%s'", from, to);
	return 0;
}

bool fs_exists(const char *path)
{
	return !access(path, F_OK);
}

bool fs_is_dir(const char *path)
{
	struct stat st;

	return !stat(path, &st) && S_ISDIR(st.st_mode);
}
