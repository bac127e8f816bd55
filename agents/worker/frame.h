/* SPDX-License-Identifier: MIT */
#ifndef AGENTS_WORKER_FRAME_H
#define AGENTS_WORKER_FRAME_H

/*
 * Result frames: how the helper on the board tells the worker something over a console that
 * kernel lines are printed into. One line of text:
 *
 *	@hil LEN CRC RUN SEQ KIND PAYLOAD@
 *
 * LEN and CRC are the length and a CRC-32 of the body "RUN SEQ KIND PAYLOAD", decimal: the CRC of
 * POSIX.1-2017, utility cksum (polynomial 04C11DB7, most significant bit first, start 0, then the
 * length's bytes from the least significant, complemented), or that of a gzip trailer (RFC 1952),
 * as a small busybox has crc32 or gzip and no cksum; both are taken. The body holds no '@' and no
 * control byte. RUN is the token of one board shell: frames of another are ignored. SEQ counts
 * from 0. PAYLOAD is fields joined by "|", with the bytes % @ | in a field as %25 %40 %7C.
 *
 * The decoder takes a frame anywhere in a line, ignores CR and ANSI escapes, does not care how the
 * bytes were cut into reads, and takes a frame also when whole lines were printed at one place
 * inside it (at most FRAME_JOIN_LINES). What fails its checksum is never delivered; the gap shows
 * in the sequence numbers. Pure: no I/O, no clock.
 */

#include "base/buf.h"
#include "base/str.h"

#include <stdint.h>

#define FRAME_BODY_BYTES 4000       /* longest body taken */
#define FRAME_LINE_BYTES 16384      /* of a longer line only the newest half is kept */
#define FRAME_JOIN_LINES 64         /* lines that may stand inside a frame */
#define FRAME_STARTS     32         /* '@' looked at in one line */
#define FRAME_SEQ_MAX    (1u << 20) /* frames of one run */
#define FRAME_FIELDS     24         /* fields of one payload */

struct frame {
	uint32_t seq;
	const char *kind;   /* "result" */
	struct str payload; /* still encoded; borrowed for the call */
};
/* Called once for each sequence number, in order of arrival. */
typedef void frame_fn(void *arg, const struct frame *f);

struct frames;

struct frames *frames_new(const char *run, frame_fn *fn, void *arg);
void frames_free(struct frames *fs); /* NULL is fine */
void frames_feed(struct frames *fs, struct str raw);
bool frames_seen(const struct frames *fs, uint32_t seq);
/* Something that began as a frame and was none: asking again is worth it. */
uint64_t frames_damaged(const struct frames *fs);

/* The CRC that POSIX cksum prints. */
uint32_t frame_cksum(struct str bytes);
/* The CRC of a gzip trailer. */
uint32_t frame_crc32(struct str bytes);
/* Is crc one of the two CRCs of bytes? */
bool frame_crc_is(struct str bytes, uint32_t crc);
/* One frame line with its \n. payload is taken as it stands. */
int frame_format(
	const char *run, uint32_t seq, const char *kind, const char *payload, struct buf *out);
/* Splits and decodes a payload into at most FRAME_FIELDS NUL-terminated texts within out (cleared
 * first). Returns their number. */
size_t frame_fields(struct str payload, struct buf *out, const char *fields[FRAME_FIELDS]);

#endif
