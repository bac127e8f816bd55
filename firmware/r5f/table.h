/* SPDX-License-Identifier: MIT */
#ifndef R5F_TABLE_H
#define R5F_TABLE_H

/* Tables in the shape of the SDKs' documents, in plain text: cells between bars. */

#include <stddef.h>

#define TABLE_LINE_BYTES 400

/* Writes "A|B|C" as a row, "A | B | C\n", as much of it as fits. Returns its length. */
size_t table_format(const char *cells, char *out, size_t size);
/* Prints a row out of printf's text, cut into cells at '|'. */
void table_line(const char *format, ...) __attribute__((format(printf, 1, 2)));
void table_rule(size_t n); /* below a head of n cells */

#endif
