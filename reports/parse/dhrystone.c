/* SPDX-License-Identifier: MIT */
/*
 * Dhrystone 1.1 and 2.1 as its many ports print it (dhry_1.c; RTOS examples add a mark over the
 * clock). Invariant: a time too small to be measured gives no figure, and a figure that stands
 * twice for one run is told once.
 */
#include "lines.h"
#include "parsers.h"

#include <stdio.h>

static bool dhrystone_per_second(struct str line, double *value)
{
	struct str rest;

	if (lines_after(line, "Dhrystones per Second:", &rest) ||
		lines_after(line, "Dhrystones Per Second:", &rest) ||
		lines_after(line, "This machine benchmarks at ", &rest))
		return lines_number(rest, value, &rest);
	return false;
}

static bool dhrystone_per_mhz(struct str line, double *value)
{
	struct str rest;

	if (lines_after(line, "DMIPS/MHz:", &rest) ||
		lines_after(line, "Normalized MIPS/MHz:", &rest))
		return lines_number(rest, value, &rest);
	return false;
}

static int dhrystone_parse(struct str text, const struct sink *sink, struct err *e)
{
	double last[2] = {NAN, NAN}, value;
	struct lines lines;
	struct str line;
	char shown[160];
	size_t emitted = 0;

	lines_init(&lines, text, sink);
	while (lines_next(&lines, &line)) {
		line = str_trim(line);
		/* TI's RTOS examples put their lines in a list. */
		lines_after(line, "- ", &line);
		if (str_starts(line, "Microsecond") || str_starts(line, "MicroSecond"))
			last[0] = last[1] = NAN;
		else if (lines_has(line, "time too small") || lines_has(line, "Time too small"))
			return err_set(e, BLAME_TEST, "dhrystone: %s",
				str_printable(line, shown, sizeof shown));
		if (dhrystone_per_second(line, &value) && value > 0 && value != last[0]) {
			sink_figure(sink, "dhrystone.per_second", value, "1/s", NULL, 0);
			last[0] = value;
			emitted++;
		}
		if (dhrystone_per_mhz(line, &value) && value > 0 && value != last[1]) {
			sink_figure(sink, "dhrystone.per_mhz", value, "DMIPS/MHz", NULL, 0);
			last[1] = value;
			emitted++;
		}
	}
	return emitted ? 0 : lines_nothing(text, "dhrystone", "Dhrystones per second", e);
}

static int dhrystone_detect(struct str text)
{
	return lines_has(text, "Dhrystones per Second:") || lines_has(text, " dhrystones/second")
		       ? 90
		       : 0;
}

static const char *const dhrystone_marks[] = {
	"Dhrystones per Second:", "This machine benchmarks at ", "MIPS/MHz:", "time too small",
	"Microseconds for one run", NULL};

const struct parser dhrystone_parser = {
	.d = {.name = "dhrystone", .brief = "Dhrystone 1.1 and 2.1", .proven = "golden cases"},
	.detect = dhrystone_detect,
	.parse = dhrystone_parse,
	.marks = dhrystone_marks,
	.stops = true,
};
