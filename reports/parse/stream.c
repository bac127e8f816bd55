/* SPDX-License-Identifier: MIT */
/*
 * STREAM 5.8 to 5.10, stream.c. Invariant: the rates of a run whose check failed are told with a
 * warning; a clock too coarse for the arrays gives each rate its resolution.
 */
#include "lines.h"
#include "parsers.h"

#include <stdio.h>

static int stream_parse(struct str text, const struct sink *sink, struct err *e)
{
	static const char *const kernels[][2] = {{"Copy:", "stream.copy"},
		{"Scale:", "stream.scale"}, {"Add:", "stream.add"}, {"Triad:", "stream.triad"}};
	struct str words[LINES_WORDS], line, rest;
	struct lines lines;
	bool table = false;
	size_t emitted = 0;
	double rate, granularity_us = 0;

	lines_init(&lines, text, sink);
	while (lines_next(&lines, &line)) {
		size_t n = lines_words(line, words);

		if (lines_after(line, "Your clock granularity/precision appears to be ", &rest))
			(void)(lines_number(rest, &granularity_us, &rest) &&
				lines_has(rest, "microsec"));
		else if (str_starts(line, "Function "))
			table = lines_has(line, "MB/s");
		else if (lines_has(line, "Failed Validation"))
			sink_warn(sink, "stream: %.*s", (int)(line.n < 80 ? line.n : 80), line.p);
		for (size_t i = 0; table && n == 5 && i < ARRAY_LEN(kernels); i++) {
			struct sink_metric m;
			double best;

			if (!str_is(words[0], kernels[i][0]) || str_double(words[1], &rate))
				continue;
			m = SINK_METRIC(kernels[i][1], rate, "MB/s");
			/* One tick of the clock, out of the shortest time. */
			if (granularity_us > 0 && !str_double(words[3], &best) && best > 0)
				m.resolution = rate * granularity_us * 1e-6 / best;
			sink_metric(sink, &m);
			emitted++;
		}
	}
	return emitted ? 0 : lines_nothing(text, "stream", "table of rates", e);
}

static int stream_detect(struct str text)
{
	if (lines_has(text, "STREAM version $Revision"))
		return 95;
	return lines_has(text, "Triad: ") ? 60 : 0;
}

static const char *const stream_marks[] = {
	"Copy:", "Scale:", "Triad:", "clock granularity/precision", "Failed Validation", NULL};

const struct parser stream_parser = {
	.d = {.name = "stream", .brief = "STREAM", .proven = "golden cases"},
	.detect = stream_detect,
	.parse = stream_parse,
	.marks = stream_marks,
};
