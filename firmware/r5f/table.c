/* SPDX-License-Identifier: MIT */
/* Tables in plain text. Invariant: a row has as many bars as it was given, and ends its line. */
#include "table.h"

#include <stdarg.h>
#include <stdio.h>

size_t table_format(const char *cells, char *out, size_t size)
{
	size_t n = 0;

	for (; *cells && n + 4 < size; cells++) {
		if (*cells == '|') {
			out[n++] = ' ';
			out[n++] = '|';
			out[n++] = ' ';
		} else {
			out[n++] = *cells;
		}
	}
	out[n++] = '\n';
	out[n] = 0;
	return n;
}

void table_line(const char *format, ...)
{
	char cells[TABLE_LINE_BYTES], row[TABLE_LINE_BYTES + 48];
	va_list ap;

	va_start(ap, format);
	vsnprintf(cells, sizeof cells, format, ap);
	va_end(ap);
	table_format(cells, row, sizeof row);
	printf("%s", row);
}

void table_rule(size_t n)
{
	for (size_t i = 0; i < n; i++)
		printf("%s-----", i ? "|" : "");
	printf("\n");
}
