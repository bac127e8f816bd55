/* SPDX-License-Identifier: MIT */
#ifndef R5F_IMAGE_H
#define R5F_IMAGE_H

/*
 * A boot image for the ROM of the twins' real-time cores: header, payload, trailer, all little
 * endian. Pure: the same code runs in the ROM, in the tool that makes images, and in tests.
 *
 *	0   magic        "HLR5"
 *	4   format       1
 *	8   header bytes (128)
 *	12  load address of the payload
 *	16  entry
 *	20  payload bytes
 *	24  CRC of the payload (that of POSIX cksum)
 *	28  SoC, version, build id: text, zero-filled
 *	124 CRC of the header before it
 *	... payload, then the trailer: magic "5RLH"
 *
 * Of what may be wrong with an image the first of this order is told: magic, header, format, SoC,
 * place, length, payload.
 */

#include <stddef.h>
#include <stdint.h>

#define IMAGE_MAGIC         0x35524C48u /* "HLR5" */
#define IMAGE_TRAILER       0x484C5235u /* "5RLH" */
#define IMAGE_FORMAT        1
#define IMAGE_HEADER_BYTES  128
#define IMAGE_TRAILER_BYTES 4
#define IMAGE_WHY_BYTES     96

struct image_header {
	uint32_t magic, format, header_bytes, load, entry, payload_bytes, payload_crc;
	char soc[16], version[32], build_id[48];
	uint32_t header_crc;
};

struct image_place { /* where a payload may be loaded to */
	uint32_t first, bytes;
	const char *soc; /* of the chip */
};

/* The CRC of POSIX cksum. */
uint32_t image_crc(const void *bytes, size_t n);
/* Of a whole image of `bytes`. */
size_t image_bytes(const struct image_header *h);
/* The header alone. NULL: good, else why it is refused (in why). */
const char *image_check_header(
	const struct image_header *h, const struct image_place *at, char why[IMAGE_WHY_BYTES]);
/* All of it: n bytes are there, which may be more than the image has. */
const char *image_check(
	const void *image, size_t n, const struct image_place *at, char why[IMAGE_WHY_BYTES]);

#endif
