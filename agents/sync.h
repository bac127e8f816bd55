/* SPDX-License-Identifier: MIT */
#ifndef AGENTS_SYNC_H
#define AGENTS_SYNC_H

/*
 * Ships job folders to the controller: many followed folders, one request body at a time
 * (io/chunks.h). Nothing of a folder is kept in memory but where each of its files stands; the
 * files are the queue, so that whatever grows while the controller is away costs disk alone.
 *
 * What is shipped: console-*.log and .idx, worker.log, events.jsonl (whole lines, and none before
 * the console bytes that were there when it was written), the artifacts that events announce
 * (artifacts/, once the worker is gone: until then a later step may write one again) and, when all
 * of that is acknowledged, status. Nothing else: board.json and the inbox hold what is the lab's.
 *
 * Where the controller's copy stands is asked for (a chunk without bytes), not remembered: after a
 * restart of either side, or a request that may or may not have arrived, every file in doubt is
 * asked for before more of it is sent. What the controller answers is the truth.
 */

#include "base/buf.h"
#include "base/err.h"

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#define SYNC_QUANTUM_BYTES ((size_t)256 << 10) /* of one folder, before the next one's turn */
#define SYNC_ARTIFACTS_MAX 65536               /* of one folder */
#define SYNC_SKIP_MAX      64                  /* bodies that a file which was not taken sits out */

struct sync; /* owned by the caller */

enum sync_end {
	SYNC_DONE, /* all of it is with the controller, status too */
	SYNC_GONE, /* the controller does not want it (any more) */
};
/* The folder is not followed any more. Called from within sync_answer, when that has done all else;
 * it may call every function here but sync_free. */
typedef void sync_end_fn(void *arg, int64_t run, unsigned part, enum sync_end how);

struct sync *sync_new(sync_end_fn *end, void *arg, struct err *e);
void sync_free(struct sync *s); /* NULL is fine */

/* Readable when a folder may have grown: then call sync_look. */
int sync_fd(const struct sync *s);
void sync_look(struct sync *s);
/* About once a second: folders that could not be watched (no inotify watch left) are looked at. */
void sync_tick(struct sync *s);

/*
 * Follows dir (copied). fresh: it was only just made, nothing of it can be with the controller. One
 * that is followed already stays as it is. BLAME_INFRA: there is no such folder.
 */
int sync_follow(
	struct sync *s, int64_t run, unsigned part, const char *dir, bool fresh, struct err *e);
void sync_drop(struct sync *s, int64_t run, unsigned part); /* not followed: nothing happens */
/* The worker is reaped, nothing will be written any more and status is there. */
void sync_reaped(struct sync *s, int64_t run, unsigned part);

/*
 * Fills out (empty, with a cap of CHUNKS_BYTES at least) with the next body: true, and the request
 * is under way until sync_answer or sync_failed; false: there is nothing to send, or one is under
 * way. Folders take turns.
 */
bool sync_body(struct sync *s, struct buf *out);
/* The answer to it. -1 (BLAME_BUG): it is none, or the controller took nothing of what was sent; be
 * slow to ask again. */
int sync_answer(struct sync *s, const json_t *answer, struct err *e);
/* There was no answer: the request may or may not have arrived. */
void sync_failed(struct sync *s);

/* Is there a folder that may have something to send, and no request under way? */
bool sync_pending(const struct sync *s);
/* Is there one whose worker is gone, so that its board waits for what is left to be shipped? */
bool sync_urgent(const struct sync *s);
size_t sync_count(const struct sync *s); /* of folders followed */

#endif
