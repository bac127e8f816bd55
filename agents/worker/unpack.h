/* SPDX-License-Identifier: MIT */
#ifndef AGENTS_WORKER_UNPACK_H
#define AGENTS_WORKER_UNPACK_H

/* The packings in which the board's helper sends a file: base64 of gzip, hex, or lines. */

#include "base/buf.h"
#include "base/str.h"

#include <stdint.h>

/* Adds the bytes that text stands for to out. -1: text is damaged, or out's cap was passed. */
int unpack_hex(struct str text, struct buf *out);
int unpack_gzip(struct str bytes, struct buf *out);  /* one gzip member, RFC 1952 */
/* Printable lines: "|" ends each, and % @ | of theirs are %25 %40 %7C. */
int unpack_lines(struct str text, struct buf *out);
/* A file in the packing that the helper names ("z": gzip in base64, "p": lines, else hex), of that
 * many bytes and that CRC (frame.h). */
int unpack_output(
	struct str text, const char *packing, uint64_t length_bytes, uint32_t crc, struct buf *out);

#endif
