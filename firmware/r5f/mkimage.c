/* SPDX-License-Identifier: MIT */
/*
 * Makes a boot image (image.h) out of a raw payload; runs on the host.
 * usage: mkimage PAYLOAD IMAGE SOC VERSION BUILD-ID LOAD ENTRY
 */
#include "image.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PAYLOAD_MAX ((size_t)16 << 20)

static void put_text(char *field, size_t n, const char *text)
{
	if (strlen(text) >= n) {
		fprintf(stderr, "mkimage: '%s' is longer than %zu bytes\n", text, n - 1);
		exit(1);
	}
	strcpy(field, text);
}

static size_t read_payload(const char *path, char *payload)
{
	FILE *f = fopen(path, "rb");
	size_t n = f ? fread(payload, 1, PAYLOAD_MAX + 1, f) : 0;

	if (!f || ferror(f) || !n || n > PAYLOAD_MAX) {
		fprintf(stderr, "mkimage: cannot use '%s'\n", path);
		exit(1);
	}
	fclose(f);
	return n;
}

int main(int argc, char **argv)
{
	struct image_header h = {
		.magic = IMAGE_MAGIC, .format = IMAGE_FORMAT, .header_bytes = IMAGE_HEADER_BYTES};
	uint32_t trailer = IMAGE_TRAILER;
	char *payload = malloc(PAYLOAD_MAX + 1);
	FILE *f;

	if (argc != 8 || !payload) {
		fprintf(stderr, "usage: mkimage PAYLOAD IMAGE SOC VERSION BUILD-ID LOAD ENTRY\n");
		return 2;
	}
	h.payload_bytes = (uint32_t)read_payload(argv[1], payload);
	h.payload_crc = image_crc(payload, h.payload_bytes);
	put_text(h.soc, sizeof h.soc, argv[3]);
	put_text(h.version, sizeof h.version, argv[4]);
	put_text(h.build_id, sizeof h.build_id, argv[5]);
	h.load = (uint32_t)strtoul(argv[6], NULL, 0);
	h.entry = (uint32_t)strtoul(argv[7], NULL, 0);
	h.header_crc = image_crc(&h, offsetof(struct image_header, header_crc));
	f = fopen(argv[2], "wb");
	if (!f || fwrite(&h, sizeof h, 1, f) != 1 || fwrite(payload, h.payload_bytes, 1, f) != 1 ||
		fwrite(&trailer, sizeof trailer, 1, f) != 1 || fclose(f)) {
		fprintf(stderr, "mkimage: cannot write '%s'\n", argv[2]);
		return 1;
	}
	free(payload);
	return 0;
}
