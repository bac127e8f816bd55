/* SPDX-License-Identifier: MIT */
/*
 * A copy of the living store. Invariant: the copy is of one moment, and its name is there only when
 * all of it is on the disk.
 */
#include "inner.h"

#include "base/fs.h"
#include "base/mem.h"
#include "control.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

/* All pages in one step, which is one read transaction: in WAL mode writers go on beside it. */
static int copy_pages(struct store *s, const char *path, struct err *e)
{
	sqlite3_backup *copy;
	sqlite3 *db = NULL;
	int code, failed = 0;

	sqlite3_open_v2(path, &db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, NULL);
	copy = sqlite3_backup_init(db, "main", s->db, "main");
	code = copy ? sqlite3_backup_step(copy, -1) : sqlite3_errcode(db);
	if (copy)
		sqlite3_backup_finish(copy);
	if (code != SQLITE_DONE)
		failed = err_set(e, BLAME_INFRA, "store '%s': copy to '%s': %s", s->path, path,
			sqlite3_errstr(code));
	sqlite3_close(db);
	return failed;
}

static int sync_path(const char *path, int flags, struct err *e)
{
	AUTOCLOSE int fd = open(path, flags | O_RDONLY | O_CLOEXEC);

	if (fd < 0 || fsync(fd))
		return err_sys(e, BLAME_INFRA, errno, "write '%s'", path);
	return 0;
}

int store_backup(struct store *s, const char *path, struct err *e)
{
	AUTOFREE char *part = mem_printf("%s.part", path), *dir = fs_dirname(path);

	if (s->began)
		return err_set(e, BLAME_BUG, "store '%s': no copy inside a turn", s->path);
	if (fs_exists(path))
		return err_sys(e, BLAME_CONFIG, EEXIST, "copy store '%s' to '%s'", s->path, path);
	unlink(part);
	if (copy_pages(s, part, e) || sync_path(part, 0, e))
		goto failed;
	if (rename(part, path)) {
		err_sys(e, BLAME_INFRA, errno, "rename '%s'", part);
		goto failed;
	}
	return sync_path(dir, O_DIRECTORY, e);
failed:
	unlink(part);
	return -1;
}
