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

/*
 * A pattern whose groups are asked for by name and whose work is counted, so that searching any
 * number of texts with it takes a bounded time, and the same on every machine.
 */
struct pattern *pattern_new_named(const char *text, struct err *e);
/* The i-th of its named groups in order of the names, and its number; NULL: there are no more. */
const char *pattern_group(const struct pattern *p, size_t i, unsigned *number);
/*
 * Looks for p in s. 1 found: groups[0..n) are the whole match and the groups by number, {NULL, 0}
 * where one took no part; 0 not; -1 a limit was hit. Each step takes one off *steps, a long
 * run of one item some more; where there are not so many left, that is a limit.
 */
int pattern_search_named(
	const struct pattern *p, struct str s, uint64_t *steps, struct str *groups, size_t n);

#endif
