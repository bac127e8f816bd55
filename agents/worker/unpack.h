/* SPDX-License-Identifier: MIT */
#ifndef AGENTS_WORKER_UNPACK_H
#define AGENTS_WORKER_UNPACK_H

/* The packings in which the board's helper sends a file: base64 of gzip, or hex. */

#include "base/buf.h"
#include "base/str.h"

#include <stdint.h>

/* Adds the bytes that text stands for to out. -1: text is damaged, or out's cap was passed. */
int unpack_hex(struct str text, struct buf *out);
int unpack_gzip(struct str bytes, struct buf *out);  /* one gzip member, RFC 1952 */
/* A file in the packing that the helper names ("z": gzip in base64, else hex), of that many bytes
 * and that CRC (frame.h). */
int unpack_output(
	struct str text, const char *packing, uint64_t length_bytes, uint32_t crc, struct buf *out);

#endif
