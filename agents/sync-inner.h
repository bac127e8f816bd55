/* SPDX-License-Identifier: MIT */
#ifndef AGENTS_SYNC_INNER_H
#define AGENTS_SYNC_INNER_H

/* What sync.c and sync-body.c share. */

#include "agents/sync.h"
#include "base/map.h"
#include "base/vec.h"
#include "io/chunks.h"

/*
 * One file. Offsets are the controller's; a byte at x there is at x - ahead here. ahead is not 0
 * only where this host lost what it had already shipped (a power cut): what is appended since goes
 * behind what the controller kept.
 */
struct sync_file {
	char *name;
	uint64_t at;   /* what the controller has, once what is under way arrives */
	uint64_t from; /* the same before what is under way */
	uint64_t need; /* up to here before further events */
	uint64_t size; /* as last looked at */
	uint64_t ahead;
	bool known; /* at is the controller's own word, or follows from it */
	bool under_way, full;
	bool heard; /* of, in the answer that is being read: has is what it said */
	uint64_t has;
	unsigned misses, skip;
};

struct sync_folder {
	int64_t run;
	unsigned part;
	char *dir;
	int watch;                    /* inotify's; -1: could not be watched */
	bool fresh, reaped, gathered; /* gathered: artifacts and status are among the files */
	bool dirty, stale;            /* stale: a file may have come */
	bool over;                    /* to be taken out at the end of the answer */
	enum sync_end end;
	uint64_t events_to; /* the events that the files' needs were taken for */
	VEC(struct sync_file) files;
};

struct sync {
	int notify_fd;
	sync_end_fn *end;
	void *arg;
	bool under_way;
	bool dropped; /* a folder was, since the body was made: its answer may tell nothing new */
	struct map by_id, by_watch; /* -> struct sync_folder, owned by by_id */
	size_t turn;                /* index in by_id of who begins the next body */
};

#define SYNC_EVENTS "events.jsonl"
#define SYNC_STATUS "status"

/* Looks for files that came, and for how far each has grown. */
void sync_measure(struct sync_folder *f);
/* Adds what the folder may send now, at most quantum bytes; true: something was added. */
bool sync_fill(struct sync_folder *f, size_t quantum, bool patient, struct buf *out);
struct sync_file *sync_file(struct sync_folder *f, const char *name);

#endif
