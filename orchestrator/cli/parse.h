/* SPDX-License-Identifier: MIT */
#ifndef CLI_PARSE_H
#define CLI_PARSE_H

/* What `hilab parse` shows: the things that parsers tell, each with its line in the file. */

#include "base/buf.h"
#include "base/vec.h"
#include "reports/parse/metric.h"
#include "reports/parse/parse.h"

#include <jansson.h>

#define PARSE_FINDINGS_MAX 250000 /* of one file that are kept; more are counted */

/* One thing that was told, as JSON: line, kind and what the kind has. */
struct parse_item {
	json_t *json;    /* owned */
	size_t line;     /* 0: the parser did not tell */
	unsigned parser; /* by place in the table */
	unsigned order;
	size_t stretch; /* parse-all.c's */
	bool counts;    /* a result or a figure */
	bool dropped;
};

/* Zeroed but for text and metrics, which are borrowed. */
struct parse_finding {
	struct str text;
	const struct metric_table *metrics;
	const struct parser *parser; /* whose turn it is */
	unsigned which;
	bool named;  /* items carry the names of their parser and suite; else a suite is an item */
	char *suite; /* of the results that follow, when named; owned */
	size_t offset;      /* of what is told next */
	bool told_offset;   /* it was told */
	bool indexed;       /* breaks are there */
	VEC(size_t) breaks; /* offsets of the text's line breaks */
	VEC(struct parse_item) items;
	size_t n;      /* items that count */
	size_t more;   /* items past the bound */
	json_t *spare; /* the last of those; owned */
};

void parse_finding_done(struct parse_finding *f);
struct sink parse_finding_sink(struct parse_finding *f);
/* Of the line that has the byte at offset; 1 for the first. */
size_t parse_finding_line(struct parse_finding *f, size_t offset);
/* One item more, borrowed, at the line that was told last. Past the bound it is not kept. */
json_t *parse_finding_add(struct parse_finding *f, const char *kind);
/* Of the items that are not dropped: a new array, a table onto out. */
json_t *parse_finding_json(const struct parse_finding *f);
void parse_finding_table(const struct parse_finding *f, struct buf *out);

/*
 * What all parsers find, in the order of the text. Where two tell results or figures of the same
 * lines, the surer one has that stretch and the other becomes a warning. Returns [{parser, sure,
 * found}] of those that found anything, a new reference.
 */
json_t *parse_all(struct parse_finding *f);

#endif
