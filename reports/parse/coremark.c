/* SPDX-License-Identifier: MIT */
/*
 * CoreMark 1.0 (core_main.c) and the ports of RTOS examples, which put "- " before each line and
 * add CoreMark/MHz. Invariant: a run that the program does not call valid (too short, wrong CRC)
 * is no score.
 */
#include "lines.h"
#include "parsers.h"

#include <stdio.h>

struct coremark {
	const struct sink *sink;
	double ticks;
	size_t emitted;
};

static void coremark_score(struct coremark *c, double rate)
{
	struct sink_metric m = SINK_METRIC("coremark.score", rate, "1/s");

	/* One tick, out of all of them. */
	if (c->ticks > 0)
		m.resolution = rate / c->ticks;
	sink_metric(c->sink, &m);
	c->emitted++;
}

static int coremark_line(struct coremark *c, struct str line, struct err *e)
{
	struct str rest;
	char shown[160];
	double value;
	ptrdiff_t colon = str_chr(line, ':');
	struct str after = colon < 0 ? (struct str){0}
				     : str_make(line.p + colon + 1, line.n - (size_t)colon - 1);

	if (str_starts(line, "Total ticks")) {
		c->ticks = lines_number(after, &value, &rest) ? value : 0;
	} else if (str_starts(line, "ERROR! ") || str_starts(line, "Errors detected") ||
		   lines_has(line, "ERROR! Must execute for at least")) {
		return err_set(
			e, BLAME_TEST, "coremark: %s", str_printable(line, shown, sizeof shown));
	} else if (str_starts(line, "CoreMark 1.0 :") && lines_number(after, &value, &rest) &&
		   value > 0) {
		coremark_score(c, value);
	} else if (str_starts(line, "CoreMark/MHz") && lines_number(after, &value, &rest) &&
		   value > 0) {
		sink_figure(c->sink, "coremark.per_mhz", value, "CoreMark/MHz", NULL, 0);
		c->emitted++;
	}
	return 0;
}

static int coremark_parse(struct str text, const struct sink *sink, struct err *e)
{
	struct coremark c = {.sink = sink};
	struct lines lines;
	struct str line;

	lines_init(&lines, text, sink);
	while (lines_next(&lines, &line)) {
		line = str_trim(line);
		lines_after(line, "- ", &line);
		if (coremark_line(&c, line, e))
			return -1;
	}
	return c.emitted ? 0 : lines_nothing(text, "coremark", "score of a valid run", e);
}

static int coremark_detect(struct str text)
{
	if (lines_has(text, "CoreMark 1.0 :"))
		return 95;
	return lines_has(text, "CoreMark Size ") ? 80 : 0;
}

static const char *const coremark_marks[] = {"Total ticks", "ERROR! ", "Errors detected",
	"CoreMark 1.0 :", "CoreMark/MHz", "CoreMark Size", NULL};

const struct parser coremark_parser = {
	.d = {.name = "coremark", .brief = "CoreMark 1.0", .proven = "golden cases"},
	.detect = coremark_detect,
	.parse = coremark_parse,
	.marks = coremark_marks,
	.stops = true,
};
