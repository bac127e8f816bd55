/* SPDX-License-Identifier: MIT */
/*
 * KTAP 1 (Linux, Documentation/dev-tools/ktap.rst): what the kernel's selftests print, and KUnit
 * through printk. Invariant: as tap-read.h; a plan may be missing, as it is in the middle of a
 * log, and that is a warning.
 */
#include "parsers.h"
#include "tap-read.h"

static int detect(struct str text)
{
	return tap_detect(text, true);
}

static int parse(struct str text, const struct sink *sink, struct err *e)
{
	(void)e;
	return tap_read(text, true, sink);
}

const struct parser ktap_parser = {
	.d = {.name = "ktap",
		.brief = "test results of kernel selftests and KUnit (KTAP)",
		.proven = "golden cases; damaged in every place"},
	.detect = detect,
	.parse = parse,
	.marks = tap_marks,
};
