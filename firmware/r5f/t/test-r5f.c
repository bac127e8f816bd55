/* SPDX-License-Identifier: MIT */
/* The firmware's parts that need no hardware: boot images, XMODEM, rows of tables, checksums. */
#include "base/t/tap.h"
#include "firmware/r5f/image.c"
#include "firmware/r5f/table.c"
#include "firmware/r5f/xmodem.c"

#define PAYLOAD 1000

static const struct image_place place = {0, 1 << 20, "am275x"};

/* ---- images ---------------------------------------------------------------------------------- */

static uint8_t image[IMAGE_HEADER_BYTES + PAYLOAD + IMAGE_TRAILER_BYTES];

static void seal(struct image_header *h)
{
	h->header_crc = image_crc(h, offsetof(struct image_header, header_crc));
	memcpy(image, h, sizeof *h);
}

static struct image_header make(void)
{
	struct image_header h = {.magic = IMAGE_MAGIC,
		.format = IMAGE_FORMAT,
		.header_bytes = IMAGE_HEADER_BYTES,
		.payload_bytes = PAYLOAD,
		.soc = "am275x",
		.version = "1",
		.build_id = "ab"};
	uint32_t trailer = IMAGE_TRAILER;

	for (size_t i = 0; i < PAYLOAD; i++)
		image[sizeof h + i] = (uint8_t)(i * 7);
	memcpy(image + sizeof h + PAYLOAD, &trailer, sizeof trailer);
	h.payload_crc = image_crc(image + sizeof h, PAYLOAD);
	seal(&h);
	return h;
}

static void refused(size_t n, const char *begins, const char *name)
{
	char why[IMAGE_WHY_BYTES] = "";
	const char *said = image_check(image, n, &place, why);

	ok(said && !strncmp(said, begins, strlen(begins)), "%s is refused: %s", name,
		said ? said : "no");
}

static void images(void)
{
	char why[IMAGE_WHY_BYTES];
	struct image_header h;

	is_int(image_crc("123456789", 9), 930766865, "the checksum is that of cksum");
	make();
	ok(!image_check(image, sizeof image, &place, why), "a good image is taken");
	ok(!image_check(image, sizeof image, &place, why), "and again");
	for (size_t n = 0; n < sizeof image; n += 97)
		refused(n, "truncated: ", "a part of it");
	image[0] ^= 1;
	refused(sizeof image, "no image: magic ", "another magic");
	make();
	image[40] ^= 1;
	refused(sizeof image, "header damaged: ", "a changed header");
	make();
	image[IMAGE_HEADER_BYTES + 500] ^= 1;
	refused(sizeof image, "payload damaged: ", "a changed payload");
	make();
	memset(image + IMAGE_HEADER_BYTES + PAYLOAD / 2, 0, PAYLOAD / 2 + IMAGE_TRAILER_BYTES);
	refused(sizeof image, "truncated: no end mark", "an image with zeroes behind its middle");
	h = make();
	strcpy(h.soc, "j721e");
	seal(&h);
	refused(sizeof image, "wrong SoC: image of 'j721e', chip is 'am275x'", "another SoC's");
	h = make();
	h.format = 2;
	seal(&h);
	refused(sizeof image, "format 2", "a later format");
}

/* Numbers that wrap around must not make room. */
static void places(void)
{
	static const struct {
		uint32_t load, entry, bytes;
	} bad[] = {{1 << 20, 1 << 20, PAYLOAD}, {0xffffff00u, 0xffffff00u, PAYLOAD},
		{0, 0, 0xffffffffu}, {(1 << 20) - PAYLOAD + 1, (1 << 20) - 1, PAYLOAD},
		{4096, 0, PAYLOAD}, {0, PAYLOAD, PAYLOAD}, {0, 0, 0}};

	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		struct image_header h = make();

		h.load = bad[i].load;
		h.entry = bad[i].entry;
		h.payload_bytes = bad[i].bytes;
		seal(&h);
		refused(sizeof image, "no place for ", "a place outside");
	}
}

/* ---- XMODEM ---------------------------------------------------------------------------------- */

static struct {
	const uint8_t *bytes;
	size_t n, at;
	char answers[64];
	size_t n_answers;
} line;

static int get(void *arg, unsigned ms)
{
	(void)arg;
	(void)ms;
	return line.at < line.n ? line.bytes[line.at++] : -1;
}

static void put(void *arg, uint8_t byte)
{
	(void)arg;
	if (line.n_answers + 1 < sizeof line.answers)
		line.answers[line.n_answers++] = byte == ACK ? 'A' : byte == NAK ? 'N' : (char)byte;
}

static long receive(const uint8_t *bytes, size_t n, uint8_t *out, size_t room)
{
	static const struct xmodem x = {get, put, NULL};

	memset(&line, 0, sizeof line);
	line.bytes = bytes;
	line.n = n;
	return xmodem_receive(&x, out, room);
}

static size_t block(uint8_t *to, uint8_t number, uint8_t fill, size_t n)
{
	uint16_t crc;

	to[0] = n == 128 ? SOH : STX;
	to[1] = number;
	to[2] = (uint8_t)~number;
	memset(to + 3, fill, n);
	crc = crc16(to + 3, n);
	to[3 + n] = (uint8_t)(crc >> 8);
	to[4 + n] = (uint8_t)crc;
	return n + 5;
}

static void transfers(void)
{
	static uint8_t sent[8192], got[4096];
	size_t n = 0;

	is_int(crc16((const uint8_t *)"123456789", 9), 0x31c3, "CRC-16 of XMODEM");
	n += block(sent, 1, 'a', 1024);
	n += block(sent + n, 2, 'b', 128);
	sent[n++] = EOT;
	is_int(receive(sent, n, got, sizeof got), 1152, "two blocks of both sizes");
	ok(got[0] == 'a' && got[1023] == 'a' && got[1024] == 'b' && got[1151] == 'b', "whole");
	is_str(line.answers, "CAAA", "each was taken");

	n = block(sent, 1, 'a', 128);
	n += block(sent + n, 1, 'a', 128); /* the ACK was lost */
	sent[n++] = EOT;
	is_int(receive(sent, n, got, sizeof got), 128, "a block that comes again counts once");

	n = block(sent, 1, 'a', 128);
	n += block(sent + n, 3, 'c', 128);
	is_int(receive(sent, n, got, sizeof got), XMODEM_DAMAGED, "a block left out ends it");

	n = block(sent, 1, 'a', 128);
	sent[50] ^= 1;
	is_int(receive(sent, n, got, sizeof got), XMODEM_SILENT, "a damaged one is not taken");
	is_str(line.answers, "CN", "but asked for again");

	n = block(sent, 1, 'a', 1024);
	is_int(receive(sent, n, got, 1000), XMODEM_FULL, "more than there is room for");
	is_int(receive((const uint8_t *)"\x18\x18", 2, got, sizeof got), XMODEM_CANCELED,
		"the sender gives up");
}

/* ---- tables ---------------------------------------------------------------------------------- */

static void rows(void)
{
	char out[24];

	table_format("a|b", out, sizeof out);
	is_str(out, "a | b\n", "cells between bars");
	table_format("", out, sizeof out);
	is_str(out, "\n", "a row of nothing");
	ok(table_format("|||||||||||||||||||||||||||", out, sizeof out) < sizeof out,
		"a long row stays within its room");
	is_int(out[strlen(out) - 1], '\n', "and ends its line");
}

int main(void)
{
	images();
	places();
	transfers();
	rows();
	return tap_done();
}
