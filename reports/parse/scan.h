/* SPDX-License-Identifier: MIT */
#ifndef REPORTS_PARSE_SCAN_H
#define REPORTS_PARSE_SCAN_H

/*
 * Many parsers over one text. One pass finds where the marks of each stand (parse.h); a parser
 * then reads only the parts around its own, in one call, as if what lies between them were one
 * empty line. What it finds is what it finds in the whole text, as long as lines that are far from
 * every mark change nothing for it; each parser's marks are chosen so, and test-scan holds them to
 * it. What that costs: a line whose only mark was torn apart by a kernel message or an escape, far
 * from any other, is not seen; and a parser's warnings of lines far from its marks are not told.
 */

#include "base/vec.h"
#include "parse.h"

#define SCAN_BEFORE_BYTES ((size_t)2 << 10)  /* before a mark, to the start of that line */
#define SCAN_AFTER_BYTES  ((size_t)4 << 10)  /* after one, or after a row of a drawn table */
#define SCAN_JSON_BYTES   ((size_t)16 << 10) /* after a line of JSON */

struct scan_part {
	size_t from, to; /* offsets in the text; whole lines */
};

struct scan_parser {
	const struct parser *parser;
	VEC(struct scan_part) parts; /* in order, apart; none: it finds nothing in the text */
};

struct scan {
	struct str text; /* borrowed until scan_done() */
	struct scan_parser *parsers;
	size_t n;
};

/* The pass. parsers: NULL-ended, each a struct parser. */
void scan_init(struct scan *s, struct str text, const struct driver *const *parsers);
void scan_done(struct scan *s);
/*
 * What parser i finds: as its parse(), with offsets in the text; 0 and nothing told when it has no
 * parts.
 */
int scan_parse(const struct scan *s, size_t i, const struct sink *sink, struct err *e);
/*
 * The same, and where it stopped at a failure that the tool reports (parse.h, stops), on behind that
 * line: the failure becomes a warning, and 0 returns.
 */
int scan_parse_on(const struct scan *s, size_t i, const struct sink *sink, struct err *e);

#endif
