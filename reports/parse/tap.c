/* SPDX-License-Identifier: MIT */
/*
 * TAP 12, 13 and 14 (testanything.org: tap-specification, tap-version-13-specification,
 * tap-version-14-specification). Invariant: as tap-read.h; without a plan nobody knows whether all
 * was told, and that is a miss.
 */
#include "parsers.h"
#include "tap-read.h"

static int detect(struct str text)
{
	return tap_detect(text, false);
}

static int parse(struct str text, const struct sink *sink, struct err *e)
{
	(void)e;
	return tap_read(text, false, sink);
}

const struct parser tap_parser = {
	.d = {.name = "tap",
		.brief = "test results in TAP 12, 13 or 14",
		.proven = "golden cases; damaged in every place"},
	.detect = detect,
	.parse = parse,
	.marks = tap_marks,
};
