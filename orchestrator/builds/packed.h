/* SPDX-License-Identifier: MIT */
#ifndef BUILDS_PACKED_H
#define BUILDS_PACKED_H

/*
 * Compressed files: gzip (RFC 1952, zlib), xz (liblzma) and zstd (RFC 8878, libzstd), unpacked as
 * a stream with a bound on what comes out.
 */

#include "base/err.h"

#include <stdint.h>

enum packing {
	PACKING_NONE, /* used as it is, whatever its bytes look like */
	PACKING_AUTO, /* by its first bytes; none of the three is an error */
	PACKING_GZ,
	PACKING_XZ,
	PACKING_ZSTD,
	PACKING_COUNT
};
extern const char *const packing_names[PACKING_COUNT + 1]; /* NULL-ended */

#define PACKED_MEMORY_BYTES ((uint64_t)256 << 20) /* what an xz or zstd stream may ask for */

/*
 * Unpacks all of in (from where it stands) onto the end of out. Several streams one after the
 * other count as one file. tell is called with the packed bytes read so far; non-zero: stop
 * (BLAME_CANCEL); NULL: none. Errors: BLAME_BUILD for damaged, cut off or other than packed bytes
 * and for more than max_bytes of output; BLAME_INFRA for reading and writing.
 */
int packed_unpack(enum packing how, int in, int out, int64_t max_bytes,
	int (*tell)(void *arg, int64_t read_bytes), void *arg, struct err *e);

#endif
