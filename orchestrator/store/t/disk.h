/* SPDX-License-Identifier: MIT */
#ifndef STORE_T_DISK_H
#define STORE_T_DISK_H

/*
 * A disk between SQLite and the real one (its VFS interface): keeps what was written to a store and
 * to its write-ahead log, and every sync, in order; or kills the process in the middle of the n-th
 * of them; or does not sync, where only a process dies. disk_use() before the first store_open.
 */

#include "base/mem.h"
#include "base/vec.h"

#include <signal.h>
#include <sqlite3.h>
#include <stdbool.h>
#include <string.h>

enum disk_file { DISK_DB, DISK_LOG, DISK_FILES, DISK_OTHER = DISK_FILES };
enum disk_what { DISK_WRITE, DISK_CUT, DISK_SYNC };

struct disk_op {
	enum disk_what what;
	enum disk_file file;
	sqlite3_int64 at; /* DISK_CUT: the new size */
	size_t n;
	char *data; /* n bytes */
};

static struct {
	sqlite3_vfs vfs, *real;
	bool keep, no_sync;
	int kill_at; /* operations left until the process is killed; 0: never */
	VEC(struct disk_op) ops;
} disk;

struct disk_handle {
	sqlite3_file base;
	enum disk_file file;
	sqlite3_file *real; /* behind this struct */
};

static struct disk_handle *disk_of(sqlite3_file *f)
{
	return (struct disk_handle *)f;
}

/* True: the process dies in the middle of this one. */
static bool disk_op(
	struct disk_handle *h, enum disk_what what, sqlite3_int64 at, const void *data, size_t n)
{
	if (h->file == DISK_OTHER)
		return false;
	if (disk.keep) {
		struct disk_op op = {what, h->file, at, n, n ? mem_dup(data, n) : NULL};

		vec_push(&disk.ops, op);
	}
	return disk.kill_at && !--disk.kill_at;
}

static int disk_close(sqlite3_file *f)
{
	return disk_of(f)->real->pMethods ? disk_of(f)->real->pMethods->xClose(disk_of(f)->real)
					  : SQLITE_OK;
}

static int disk_read(sqlite3_file *f, void *to, int n, sqlite3_int64 at)
{
	return disk_of(f)->real->pMethods->xRead(disk_of(f)->real, to, n, at);
}

static int disk_write(sqlite3_file *f, const void *data, int n, sqlite3_int64 at)
{
	struct disk_handle *h = disk_of(f);

	if (disk_op(h, DISK_WRITE, at, data, (size_t)n)) {
		h->real->pMethods->xWrite(h->real, data, n / 2, at);
		raise(SIGKILL);
	}
	return h->real->pMethods->xWrite(h->real, data, n, at);
}

static int disk_truncate(sqlite3_file *f, sqlite3_int64 size)
{
	struct disk_handle *h = disk_of(f);

	if (disk_op(h, DISK_CUT, size, NULL, 0))
		raise(SIGKILL);
	return h->real->pMethods->xTruncate(h->real, size);
}

static int disk_sync(sqlite3_file *f, int flags)
{
	struct disk_handle *h = disk_of(f);

	if (disk_op(h, DISK_SYNC, 0, NULL, 0))
		raise(SIGKILL);
	return disk.no_sync ? SQLITE_OK : h->real->pMethods->xSync(h->real, flags);
}

static int disk_size(sqlite3_file *f, sqlite3_int64 *size)
{
	return disk_of(f)->real->pMethods->xFileSize(disk_of(f)->real, size);
}

static int disk_lock(sqlite3_file *f, int how)
{
	return disk_of(f)->real->pMethods->xLock(disk_of(f)->real, how);
}

static int disk_unlock(sqlite3_file *f, int how)
{
	return disk_of(f)->real->pMethods->xUnlock(disk_of(f)->real, how);
}

static int disk_reserved(sqlite3_file *f, int *out)
{
	return disk_of(f)->real->pMethods->xCheckReservedLock(disk_of(f)->real, out);
}

static int disk_control(sqlite3_file *f, int op, void *arg)
{
	return disk_of(f)->real->pMethods->xFileControl(disk_of(f)->real, op, arg);
}

static int disk_sector(sqlite3_file *f)
{
	return disk_of(f)->real->pMethods->xSectorSize(disk_of(f)->real);
}

static int disk_traits(sqlite3_file *f)
{
	return disk_of(f)->real->pMethods->xDeviceCharacteristics(disk_of(f)->real);
}

static int disk_shm_map(sqlite3_file *f, int page, int size, int extend, void volatile **out)
{
	return disk_of(f)->real->pMethods->xShmMap(disk_of(f)->real, page, size, extend, out);
}

static int disk_shm_lock(sqlite3_file *f, int offset, int n, int flags)
{
	return disk_of(f)->real->pMethods->xShmLock(disk_of(f)->real, offset, n, flags);
}

static void disk_shm_barrier(sqlite3_file *f)
{
	disk_of(f)->real->pMethods->xShmBarrier(disk_of(f)->real);
}

static int disk_shm_unmap(sqlite3_file *f, int remove)
{
	return disk_of(f)->real->pMethods->xShmUnmap(disk_of(f)->real, remove);
}

static const sqlite3_io_methods disk_methods = {
	.iVersion = 2, /* no mapping of files: every write is seen */
	.xClose = disk_close,
	.xRead = disk_read,
	.xWrite = disk_write,
	.xTruncate = disk_truncate,
	.xSync = disk_sync,
	.xFileSize = disk_size,
	.xLock = disk_lock,
	.xUnlock = disk_unlock,
	.xCheckReservedLock = disk_reserved,
	.xFileControl = disk_control,
	.xSectorSize = disk_sector,
	.xDeviceCharacteristics = disk_traits,
	.xShmMap = disk_shm_map,
	.xShmLock = disk_shm_lock,
	.xShmBarrier = disk_shm_barrier,
	.xShmUnmap = disk_shm_unmap,
};

static int disk_open(sqlite3_vfs *vfs, sqlite3_filename name, sqlite3_file *f, int flags, int *out)
{
	struct disk_handle *h = disk_of(f);
	int code;

	(void)vfs;
	h->real = (sqlite3_file *)(h + 1);
	h->file = flags & SQLITE_OPEN_MAIN_DB ? DISK_DB
		  : flags & SQLITE_OPEN_WAL   ? DISK_LOG
					      : DISK_OTHER;
	code = disk.real->xOpen(disk.real, name, h->real, flags, out);
	f->pMethods = code ? NULL : &disk_methods;
	return code;
}

/* All stores that are opened from now on lie on it. */
static void disk_use(void)
{
	disk.real = sqlite3_vfs_find(NULL);
	disk.vfs = *disk.real;
	disk.vfs.zName = "test-disk";
	disk.vfs.szOsFile = (int)sizeof(struct disk_handle) + disk.real->szOsFile;
	disk.vfs.xOpen = disk_open;
	sqlite3_vfs_register(&disk.vfs, 1);
}

#endif
