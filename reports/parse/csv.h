/* SPDX-License-Identifier: MIT */
#ifndef REPORTS_PARSE_CSV_H
#define REPORTS_PARSE_CSV_H

/*
 * Comma-separated values, record by record (RFC 4180): quoted fields with commas, doubled quotes
 * and line breaks inside, CRLF or LF, a byte order mark passed over. Pure: no more memory than the
 * longest record.
 */

#include "base/buf.h"
#include "base/str.h"

#include <stdbool.h>

#define CSV_FIELDS      512
#define CSV_FIELD_BYTES ((size_t)64 << 10)

struct csv {
	struct str rest;
	size_t line; /* of the record in hand, from 1 */
	size_t next; /* of the one after it */
	struct buf text;
	size_t n; /* fields of the record in hand */
	struct str fields[CSV_FIELDS];
	const char *damage; /* of the record in hand; NULL: none */
};

void csv_init(struct csv *c, struct str text);
void csv_done(struct csv *c);
/* The next record into fields[0..n), which hold until the next call; white space around them is
 * taken off, and empty lines are passed over. False at the end. A record with damage has what could
 * be read. */
bool csv_next(struct csv *c);

#endif
