/* SPDX-License-Identifier: MIT */
/*
 * Text inside XML and HTML. Invariant: every byte that comes out is one that XML 1.0 allows,
 * whatever a console printed, and none of it can end its element or attribute.
 */
#include "formats.h"

#include <string.h>

/* Length of the character at p that XML 1.0 allows (2.2, Char), 0: none. */
static size_t legal(const unsigned char *p)
{
	size_t n = p[0] < 0x80 ? 1 : p[0] < 0xc2 ? 0 : p[0] < 0xe0 ? 2 : p[0] < 0xf0 ? 3 : 4;

	if (n == 1)
		return p[0] >= 0x20 || p[0] == '\t' || p[0] == '\n' || p[0] == '\r';
	if (!n || p[0] > 0xf4)
		return 0;
	for (size_t i = 1; i < n; i++)
		if ((p[i] & 0xc0) != 0x80)
			return 0;
	if ((p[0] == 0xe0 && p[1] < 0xa0) || (p[0] == 0xed && p[1] > 0x9f) ||
		(p[0] == 0xf0 && p[1] < 0x90) || (p[0] == 0xf4 && p[1] > 0x8f))
		return 0;
	return p[0] == 0xef && p[1] == 0xbf && p[2] > 0xbd ? 0 : n; /* U+FFFE, U+FFFF */
}

void format_xml(const char *text, struct buf *out)
{
	for (const unsigned char *p = (const unsigned char *)text; *p;) {
		size_t n = legal(p);

		if (!n)
			buf_printf(out, "\\x%02x", *p);
		else if (n > 1)
			buf_add(out, p, n);
		else if (*p < 0x20 || strchr("&<>\"", *p))
			buf_printf(out, "&#%u;", *p);
		else
			buf_putc(out, (char)*p);
		p += n ? n : 1;
	}
}
