/* SPDX-License-Identifier: MIT */
#ifndef IO_PATTERN_H
#define IO_PATTERN_H

/*
 * PCRE2 patterns for prompts and logs: byte mode (no UTF checks: consoles are not UTF-8), JIT where
 * there is one, `^` and `$` match at line breaks (multiline), `.` does not match a newline, bounded
 * (match and depth limits) so that no pattern hangs a job.
 */

#include "base/err.h"
#include "base/str.h"

#include <stdbool.h>

struct pattern; /* owned by the caller */

struct pattern *pattern_new(
	const char *text, struct err *e); /* NULL: does not compile, e says where */
void pattern_free(struct pattern *p);
const char *pattern_text(const struct pattern *p);

#define PATTERN_GROUPS 8
struct pattern_match {
	size_t start, end;                /* offsets into the subject */
	struct str group[PATTERN_GROUPS]; /* [0] the whole match; {NULL,0} where a group took no
					     part */
	bool partial; /* the subject ends inside something that might become a match */
};

/*
 * Looks for p in s from offset on. 1 found; 0 not (m->partial, m->start then say where a match
 * might begin); -1 a limit was hit. partial_ok asks for partial matching (PCRE2_PARTIAL_SOFT).
 */
int pattern_search(const struct pattern *p, struct str s, size_t offset, bool partial_ok,
	struct pattern_match *m);

#endif
