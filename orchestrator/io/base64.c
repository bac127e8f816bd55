/* SPDX-License-Identifier: MIT */
/* Base 64 both ways. Invariant: all of a text was understood, or -1. */
#include "base64.h"

static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

int base64_add(struct buf *out, struct str bytes)
{
	const unsigned char *p = (const unsigned char *)bytes.p;

	for (size_t i = 0; i < bytes.n; i += 3) {
		size_t n = bytes.n - i < 3 ? bytes.n - i : 3;
		uint32_t bits = (uint32_t)p[i] << 16 | (n > 1 ? (uint32_t)p[i + 1] << 8 : 0) |
				(n > 2 ? p[i + 2] : 0);
		char four[4] = {digits[bits >> 18], digits[bits >> 12 & 63],
			n > 1 ? digits[bits >> 6 & 63] : '=', n > 2 ? digits[bits & 63] : '='};

		if (buf_add(out, four, sizeof four))
			return -1;
	}
	return 0;
}

static int digit(char c)
{
	const char *p = c ? strchr(digits, c) : NULL;

	return p ? (int)(p - digits) : -1;
}

int base64_parse(struct str text, struct buf *out)
{
	uint32_t bits = 0;
	unsigned have = 0, pad = 0;

	for (size_t i = 0; i < text.n; i++) {
		char c = text.p[i];
		int v;

		if (c == ' ' || c == '\n' || c == '\r' || c == '\t')
			continue;
		if (c == '=') {
			pad++;
			continue;
		}
		v = digit(c);
		if (v < 0 || pad)
			return -1;
		bits = bits << 6 | (uint32_t)v;
		have += 6;
		if (have >= 8) {
			have -= 8;
			if (buf_putc(out, (char)(bits >> have)))
				return -1;
		}
	}
	/* padding as many as the last bytes need, and no less: a cut text is refused */
	return have == 6 || pad != (have == 4 ? 2 : have == 2 ? 1 : 0) ? -1 : 0;
}
