/* SPDX-License-Identifier: MIT */
#ifndef BASE_FS_H
#define BASE_FS_H

/*
 * Files. Every function that fails fills e with the path in quotes. Paths returned are heap
 * memory of the caller (free()) unless said otherwise.
 */

#include "base/buf.h"
#include "base/err.h"

#include <stdbool.h>

/* Whole file onto the end of out; a file over the room left under out's cap is an error ("larger
 * than N"), noticed before it is read where the size is known. */
int fs_read(const char *path, struct buf *out, struct err *e);
/* Writes beside the target, fsyncs, renames into place: readers see the old file or the new. */
int fs_write(const char *path, const void *data, size_t n, unsigned mode, struct err *e);
/* The same without fsync, for what is worth nothing after a power cut. */
int fs_write_light(const char *path, const void *data, size_t n, unsigned mode, struct err *e);
int fs_mkdirs(const char *path, unsigned mode, struct err *e); /* mkdir -p */
/* rm -r of a folder that we made; does not follow links; absent is fine. */
int fs_remove_tree(const char *path, struct err *e);
int fs_copy(const char *from, const char *to, struct err *e); /* contents; reflink where possible */
/* fsyncs every file and folder of the tree; -1 with errno: at least one could not be. */
int fs_sync_tree(const char *path);
bool fs_exists(const char *path);
bool fs_is_dir(const char *path);
/* write(2) until all is out; -1 with errno. */
int fs_write_all(int fd, const void *data, size_t n);

char *fs_join(const char *dir, const char *name); /* name itself when it is absolute */
char *fs_dirname(const char *path);               /* "." when there is none */
const char *fs_basename(const char *path);        /* borrowed from path */
/* path as given against base file's folder: "x.yaml" beside "dir/lab.yaml" -> "dir/x.yaml". */
char *fs_beside(const char *base_file, const char *path);
/* path as seen from the root folder; it need not exist. */
char *fs_absolute(const char *path);

/* $XDG_STATE_HOME/hilab, $XDG_CONFIG_HOME/hilab, $XDG_CACHE_HOME/hilab with their defaults. */
char *fs_state_dir(void);
char *fs_config_dir(void);
char *fs_cache_dir(void);
/* For locks: $HILAB_RUN_DIR, else /run/lock. Never a user's own: a board has many users. */
char *fs_run_dir(void);
/* A file of the installed data (types, jobs, metric table): "labs/types/x.yaml" under $HILAB_DATA,
 * else the source tree that the binary was built in, else share/hilab beside the bin folder that
 * the binary is in, else PREFIX/share/hilab. */
char *fs_data_path(const char *relative);

#endif
