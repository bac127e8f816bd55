/* SPDX-License-Identifier: MIT */
/*
 * Whetstone in C (whetstone.c by Painter and its ports). Its clock counts whole seconds: the
 * duration beside the rate says what a tick is worth. Invariant: a duration that the program calls
 * insufficient gives no figure.
 */
#include "lines.h"
#include "parsers.h"

#include <stdio.h>

static int whetstone_parse(struct str text, const struct sink *sink, struct err *e)
{
	double duration = 0, rate;
	struct lines lines;
	struct str line, rest;
	size_t emitted = 0;

	lines_init(&lines, text, sink);
	while (lines_next(&lines, &line)) {
		ptrdiff_t at;
		struct sink_metric m;

		line = str_trim(line);
		if (str_starts(line, "Insufficient duration"))
			return err_set(e, BLAME_TEST, "whetstone: it ran too short to be measured");
		if (str_starts(line, "Loops:")) {
			at = str_find(line, STR_LIT("Duration:"));
			duration = 0;
			if (at >= 0)
				lines_number(str_make(line.p + at + 9, line.n - (size_t)at - 9),
					&duration, &rest);
		}
		at = str_find(line, STR_LIT("Whetstones: "));
		if (at < 0 || !str_starts(line, "C Converted") ||
			!lines_number(str_make(line.p + at + 12, line.n - (size_t)at - 12), &rate,
				&rest) ||
			!str_starts(str_trim(rest), "MIPS") || rate <= 0)
			continue;
		m = SINK_METRIC("whetstone.rate", rate, "MIPS");
		if (duration >= 1 && duration == floor(duration))
			m.resolution = rate / duration;
		sink_metric(sink, &m);
		emitted++;
		duration = 0;
	}
	return emitted ? 0 : lines_nothing(text, "whetstone", "Whetstone rate", e);
}

static int whetstone_detect(struct str text)
{
	return lines_has(text, " Precision Whetstones: ") ? 95 : 0;
}

static const char *const whetstone_marks[] = {
	"Whetstones: ", "Insufficient duration", "\nLoops:", NULL};

const struct parser whetstone_parser = {
	.d = {.name = "whetstone", .brief = "Whetstone in C", .proven = "golden cases"},
	.detect = whetstone_detect,
	.parse = whetstone_parse,
	.marks = whetstone_marks,
	.stops = true,
};
