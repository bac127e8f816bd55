/* SPDX-License-Identifier: MIT */
#ifndef IO_CHUNKS_H
#define IO_CHUNKS_H

/*
 * How an agent ships job folders: "these bytes at this offset of that file", many to a request.
 * The body is a sequence of
 *
 *	{"run":17,"part":0,"file":"console-main.log","offset":4096,"bytes":512}\n
 *
 * each followed by its bytes, then "\n". Files are named from the job folder, with at most one
 * slash ("artifacts/fio.json"); `status` comes last and only when the worker is gone.
 * The answer is {"have":[{"run":17,"part":0,"file":"console-main.log","bytes":4608}, ...]}: what
 * the controller now holds of each file named. It is always the truth: a chunk that does not begin
 * where the file ends is not taken, and the agent goes on where "have" says; one without bytes only
 * asks. A run that the controller does not know, or knows as ended, is answered with "gone": true.
 */

#include "base/buf.h"
#include "base/err.h"
#include "base/str.h"

#include <stdint.h>

#define CHUNK_BYTES      ((size_t)256 << 10) /* of one chunk */
#define CHUNKS_BYTES     ((size_t)4 << 20)   /* of one request */
#define CHUNK_HEAD_BYTES 512
#define CHUNK_FILE_BYTES 160

struct chunk {
	int64_t run;
	unsigned part;
	char file[CHUNK_FILE_BYTES];
	uint64_t offset;
	struct str bytes; /* borrowed from the body */
};

/* May a file of a job folder be called that? Letters, digits and "._-+" in one part or in
 * "artifacts/NAME"; no part begins with a dot. */
bool chunk_file_ok(const char *file);
void chunk_format(struct buf *out, const struct chunk *c);
/*
 * The next chunk of *rest, which is moved past it. 1 one, 0 the end, -1 with e (BLAME_JOB) where
 * the bytes are none of ours.
 */
int chunk_parse(struct str *rest, struct chunk *c, struct err *e);

#endif
