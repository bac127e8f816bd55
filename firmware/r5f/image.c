/* SPDX-License-Identifier: MIT */
/* Boot images. Invariant: nothing of a payload is looked at before its header is proven, and never
 * a byte beyond those that are there. */
#include "image.h"

#include "drivers/tests/hil.h"

#include <stdio.h>
#include <string.h>

_Static_assert(sizeof(struct image_header) == IMAGE_HEADER_BYTES, "the header as it is stored");

uint32_t image_crc(const void *bytes, size_t n)
{
	return hil_cksum(bytes, n);
}

size_t image_bytes(const struct image_header *h)
{
	return (size_t)IMAGE_HEADER_BYTES + h->payload_bytes + IMAGE_TRAILER_BYTES;
}

/* A text field ends within itself. */
static int is_text(const char *field, size_t n)
{
	return memchr(field, 0, n) != NULL;
}

const char *image_check_header(
	const struct image_header *h, const struct image_place *at, char why[IMAGE_WHY_BYTES])
{
	uint32_t crc = image_crc(h, offsetof(struct image_header, header_crc));

	if (h->magic != IMAGE_MAGIC)
		snprintf(why, IMAGE_WHY_BYTES, "no image: magic %08lx", (unsigned long)h->magic);
	else if (h->header_crc != crc || h->header_bytes != IMAGE_HEADER_BYTES ||
		 !is_text(h->soc, sizeof h->soc) || !is_text(h->version, sizeof h->version) ||
		 !is_text(h->build_id, sizeof h->build_id))
		snprintf(why, IMAGE_WHY_BYTES, "header damaged: checksum %08lx, it says %08lx",
			(unsigned long)crc, (unsigned long)h->header_crc);
	else if (h->format != IMAGE_FORMAT)
		snprintf(why, IMAGE_WHY_BYTES, "format %lu, this ROM takes %d",
			(unsigned long)h->format, IMAGE_FORMAT);
	else if (strcmp(h->soc, at->soc))
		snprintf(why, IMAGE_WHY_BYTES, "wrong SoC: image of '%s', chip is '%s'", h->soc,
			at->soc);
	else if (h->load < at->first || h->payload_bytes > at->bytes ||
		 h->load - at->first > at->bytes - h->payload_bytes || h->entry < h->load ||
		 h->entry - h->load >= h->payload_bytes)
		snprintf(why, IMAGE_WHY_BYTES, "no place for %lu bytes at %08lx",
			(unsigned long)h->payload_bytes, (unsigned long)h->load);
	else
		return NULL;
	return why;
}

const char *image_check(
	const void *image, size_t n, const struct image_place *at, char why[IMAGE_WHY_BYTES])
{
	struct image_header h;
	uint32_t crc, trailer;

	if (n < sizeof h) {
		snprintf(why, IMAGE_WHY_BYTES, "truncated: %lu bytes are no header",
			(unsigned long)n);
		return why;
	}
	memcpy(&h, image, sizeof h);
	if (image_check_header(&h, at, why))
		return why;
	if (n < image_bytes(&h)) {
		snprintf(why, IMAGE_WHY_BYTES, "truncated: %lu bytes of %lu", (unsigned long)n,
			(unsigned long)image_bytes(&h));
		return why;
	}
	memcpy(&trailer, (const char *)image + sizeof h + h.payload_bytes, sizeof trailer);
	if (trailer != IMAGE_TRAILER) {
		snprintf(why, IMAGE_WHY_BYTES, "truncated: no end mark after %lu bytes",
			(unsigned long)(image_bytes(&h) - IMAGE_TRAILER_BYTES));
		return why;
	}
	crc = image_crc((const char *)image + sizeof h, h.payload_bytes);
	if (crc == h.payload_crc)
		return NULL;
	snprintf(why, IMAGE_WHY_BYTES, "payload damaged: checksum %08lx, the header says %08lx",
		(unsigned long)crc, (unsigned long)h.payload_crc);
	return why;
}
