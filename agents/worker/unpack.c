/* SPDX-License-Identifier: MIT */
/* Undoes what the board's helper did to a file. Invariant: all of the text was understood, or -1;
 * never more than out's cap. */
#include "unpack.h"

#include "frame.h"
#include "io/base64.h"

#include <zlib.h>

static int hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

int unpack_hex(struct str text, struct buf *out)
{
	if (text.n % 2)
		return -1;
	for (size_t i = 0; i < text.n; i += 2) {
		int high = hex_digit(text.p[i]), low = hex_digit(text.p[i + 1]);

		if (high < 0 || low < 0 || buf_putc(out, (char)(high << 4 | low)))
			return -1;
	}
	return 0;
}

int unpack_gzip(struct str bytes, struct buf *out)
{
	z_stream z = {.next_in = (Bytef *)bytes.p, .avail_in = (uInt)bytes.n};
	char piece[16384];
	int r;

	if (inflateInit2(&z, 15 + 16) != Z_OK)
		return -1;
	do {
		z.next_out = (Bytef *)piece;
		z.avail_out = sizeof piece;
		r = inflate(&z, Z_NO_FLUSH);
		if ((r != Z_OK && r != Z_STREAM_END) ||
			buf_add(out, piece, sizeof piece - z.avail_out)) {
			inflateEnd(&z);
			return -1;
		}
	} while (r != Z_STREAM_END);
	inflateEnd(&z);
	return z.avail_in ? -1 : 0;
}

/* "%25" and the like at p: the byte, or -1. */
static int escaped(struct str text)
{
	static const char *const known[] = {"%25", "%40", "%7C"};

	for (size_t i = 0; i < ARRAY_LEN(known); i++)
		if (text.n >= 3 && !memcmp(text.p, known[i], 3))
			return "%@|"[i];
	return -1;
}

int unpack_lines(struct str text, struct buf *out)
{
	for (size_t i = 0; i < text.n; i++) {
		int c = text.p[i];

		if (c == '|') {
			c = '\n';
		} else if (c == '%') {
			c = escaped(str_make(text.p + i, text.n - i));
			i += 2;
		}
		if (c < 0 || buf_putc(out, (char)c))
			return -1;
	}
	return 0;
}

int unpack_output(
	struct str text, const char *packing, uint64_t length_bytes, uint32_t crc, struct buf *out)
{
	AUTOBUF packed = BUF_INIT(2 * (size_t)length_bytes + 1024); /* gzip grows what is random */
	AUTOBUF bytes = BUF_INIT((size_t)length_bytes + 1);

	if (!strcmp(packing, "z")) {
		if (base64_parse(text, &packed) ||
			unpack_gzip(str_make(buf_str(&packed), packed.len), &bytes))
			return -1;
	} else if (!strcmp(packing, "p") ? unpack_lines(text, &bytes) : unpack_hex(text, &bytes)) {
		return -1;
	}
	if (bytes.len != length_bytes || !frame_crc_is(str_make(buf_str(&bytes), bytes.len), crc))
		return -1;
	return buf_add(out, buf_str(&bytes), bytes.len);
}
