/* SPDX-License-Identifier: MIT */
/*
 * Files of job folders, which agents fill and clients read. Invariant: what is opened here is a
 * regular file right in that folder or in its artifacts/; no link is followed on the way, whoever
 * planted it.
 */
#include "api/api.h"

#include "io/chunks.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define FOLDER (O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)

int folder_at(const char *dir, const char *below, bool make)
{
	int fd = open(dir, FOLDER), sub;

	if (fd < 0 || !below)
		return fd;
	if (make)
		mkdirat(fd, below, 0755);
	sub = openat(fd, below, FOLDER);
	attr_close(&fd);
	return sub;
}

static int open_at(int folder, const char *name, int flags, struct stat *st)
{
	/* A pipe that somebody put there is not to be waited for. */
	int fd = openat(folder, name, flags | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0644);

	if (fd >= 0 && (fstat(fd, st) || !S_ISREG(st->st_mode))) {
		attr_close(&fd);
		errno = ENOENT;
	}
	return fd;
}

int folder_open(const char *dir, const char *name, int flags, uint64_t *size)
{
	const char *slash = strchr(name, '/');
	char below[CHUNK_FILE_BYTES];
	struct stat st;
	int folder, fd;

	if (!chunk_file_ok(name)) {
		errno = ENOENT;
		return -1;
	}
	if (slash) {
		memcpy(below, name, (size_t)(slash - name));
		below[slash - name] = 0;
	}
	folder = folder_at(dir, slash ? below : NULL, flags & O_CREAT);
	if (folder < 0)
		return -1;
	fd = open_at(folder, slash ? slash + 1 : name, flags, &st);
	attr_close(&folder);
	if (fd >= 0 && size)
		*size = (uint64_t)st.st_size;
	return fd;
}
