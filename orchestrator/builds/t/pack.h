/* SPDX-License-Identifier: MIT */
#ifndef BUILDS_T_PACK_H
#define BUILDS_T_PACK_H

/* Packed bytes for tests, made by the libraries' own one-call compressors. */

#include "base/buf.h"
#include "base/mem.h"
#include "builds/packed.h"

#include <lzma.h>
#include <stdlib.h>
#include <zlib.h>
#include <zstd.h>

/* One stream of how around data onto out. */
static void pack(enum packing how, const void *data, size_t n, struct buf *out)
{
	size_t room = n + n / 8 + 4096, made = 0;
	AUTOFREE unsigned char *to = mem_alloc(room);
	z_stream z = {0};

	switch (how) {
	case PACKING_GZ:
		z.next_in = (unsigned char *)data;
		z.avail_in = (unsigned)n;
		z.next_out = to;
		z.avail_out = (unsigned)room;
		if (deflateInit2(&z, 6, Z_DEFLATED, 16 + MAX_WBITS, 8, Z_DEFAULT_STRATEGY) ||
			deflate(&z, Z_FINISH) != Z_STREAM_END)
			abort();
		made = room - z.avail_out;
		deflateEnd(&z);
		break;
	case PACKING_XZ:
		if (lzma_easy_buffer_encode(1, LZMA_CHECK_CRC64, NULL, data, n, to, &made, room) !=
			LZMA_OK)
			abort();
		break;
	default:
		made = ZSTD_compress(to, room, data, n, 3);
		if (ZSTD_isError(made))
			abort();
	}
	buf_add(out, to, made);
}

#endif
