/* SPDX-License-Identifier: MIT */
#ifndef REPORTS_PARSE_JSON_SCAN_H
#define REPORTS_PARSE_JSON_SCAN_H

/*
 * JSON documents amid other text. Tools print diagnostics before, inside and after their JSON,
 * kernels print into the middle of a line, and some tools print numbers that JSON does not have.
 * A document is found by matching braces over lines that read as JSON; what does not is cut out
 * and told as a warning. `nan` and `inf` become null, so that they are missing and not 0.
 */

#include "parse.h"

#include <jansson.h>

#define JSON_SCAN_WARNINGS      20 /* lines told one by one; the rest are only counted */
#define JSON_SCAN_SPLICES       16 /* insertions taken out of one line */
#define JSON_SCAN_DEPTH         256
#define JSON_SCAN_WORK          8 /* times the text's length that may be looked at */
#define JSON_SCAN_FOREIGN_BYTES ((size_t)16 << 10) /* between two lines of one document */

/* True when doc is a document of the tool that is looked for, not some object beside it. */
typedef bool json_scan_fn(const json_t *doc);

struct json_scan {
	struct str text;
	json_scan_fn *wanted;
	const struct sink *sink; /* its warn hears what stood around and inside; may be NULL */
	size_t at;               /* where the search goes on */
	size_t start;            /* of the document that came last */
	size_t told_to;          /* up to here everything is in a document or was told */
	size_t work;             /* bytes looked at so far */
	size_t warned;
	bool cut_off; /* a document began that never ended, or whose damage is not known */
	bool noisy;   /* the document that came last has bytes that are no ASCII text */
};

void json_scan_init(
	struct json_scan *s, struct str text, json_scan_fn *wanted, const struct sink *sink);
/* The next document, a new reference; NULL when there is none left. Duplicate keys: the last. */
json_t *json_scan_next(struct json_scan *s);
/* Tells what stands after the last document, and how many lines were not told. */
void json_scan_end(struct json_scan *s);

/* The member when it is a number (and so finite): 1; else 0 and *out stays. */
int json_scan_number(const json_t *obj, const char *key, double *out);

#endif
