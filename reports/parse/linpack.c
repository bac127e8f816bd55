/* SPDX-License-Identifier: MIT */
/*
 * Linpack: the C port's table ("Reps Time(s) DGEFA DGESL OVERHEAD KFLOPS", Toy and Longbottom),
 * whose last row is the longest run, its "Rolled Double Precision" form, and HPL's result rows
 * ("WR..."). Invariant: a row that was not timed (0.00 s) gives no figure.
 */
#include "lines.h"
#include "parsers.h"

#include <stdio.h>

#define LINPACK_TICK_S 0.01 /* of the times in the table */

/* The rate in the last row of the table, with the clock's share of it. */
struct linpack_row {
	bool told;
	double rate, seconds; /* seconds: printed with two digits behind the point */
	size_t at;
};

static void linpack_flush(struct linpack_row *row, const struct sink *sink, size_t *emitted)
{
	struct sink_metric m = SINK_METRIC("linpack.rate", row->rate, "kFLOPS");

	if (!row->told)
		return;
	sink_at(sink, row->at);
	m.resolution = row->rate * LINPACK_TICK_S / row->seconds;
	sink_metric(sink, &m);
	row->told = false;
	++*emitted;
}

static bool linpack_table(
	struct str line, const struct str *words, size_t n, double *rate, double *seconds)
{
	double reps;

	return n == 6 && lines_has(line, "%") && !str_double(words[0], &reps) &&
	       !str_double(words[1], seconds) && *seconds > 0 && !str_double(words[5], rate) &&
	       *rate > 0;
}

/* "WR11C2R4       29184   192     2     2      4133.81    4.0084e+00": T/V N NB P Q time Gflops */
static bool linpack_hpl(const struct str *words, size_t n, double *rate)
{
	double seconds;

	return n == 7 && (str_starts(words[0], "WR") || str_starts(words[0], "WC")) &&
	       !str_double(words[5], &seconds) && seconds > 0 && !str_double(words[6], rate);
}

static int linpack_parse(struct str text, const struct sink *sink, struct err *e)
{
	struct str words[LINES_WORDS], line, rest;
	struct linpack_row row = {false, 0, 0, 0};
	struct lines lines;
	size_t emitted = 0, n, torn = 0;
	bool table = false, ended;
	double rate, seconds;

	lines_init(&lines, text, sink);
	while (lines_next(&lines, &line)) {
		line = str_trim(line);
		n = lines_words(line, words);
		ended = !(table && linpack_table(line, words, n, &rate, &seconds));
		/* The last row is known as such by what follows it. */
		if (ended && torn == lines.torn)
			linpack_flush(&row, sink, &emitted);
		if (ended)
			row.told = false;
		if (lines_has(line, "KFLOPS") && lines_has(line, "DGEFA")) {
			table = true;
			torn = lines.torn;
		} else if (table && linpack_table(line, words, n, &rate, &seconds)) {
			row = (struct linpack_row){true, rate, seconds, lines.at};
		} else if (linpack_hpl(words, n, &rate)) {
			struct sink_label size = {"size", NULL};
			char text_n[24];

			sink_at(sink, lines.at);
			size.value = lines_copy(words[1], text_n, sizeof text_n);
			sink_figure(sink, "linpack.rate", rate, "GFLOPS", &size, 1);
			emitted++;
		} else if (lines_after(line, "Rolled ", &rest) ||
			   lines_after(line, "Unrolled ", &rest)) {
			for (size_t i = 3; i + 1 < n; i++)
				if (str_is(words[i + 1], "Kflops") &&
					!str_double(words[i], &rate) && rate > 0) {
					sink_figure(sink, "linpack.rate", rate, "kFLOPS", NULL, 0);
					emitted++;
				}
		}
	}
	if (lines.cut.n && str_starts(lines.cut, "Enter ") && torn == lines.torn)
		linpack_flush(&row, sink, &emitted);
	return emitted ? 0 : lines_nothing(text, "linpack", "rate", e);
}

static int linpack_detect(struct str text)
{
	if (lines_has(text, "DGEFA") && lines_has(text, "KFLOPS"))
		return 95;
	return lines_has(text, "Precision") && lines_has(text, " Kflops ; ") ? 90 : 0;
}

static const char *const linpack_marks[] = {"DGEFA", "flops", "Rolled ", "\nWR", "\nWC", NULL};

const struct parser linpack_parser = {
	.d = {.name = "linpack", .brief = "Linpack in C, HPL's rows", .proven = "golden cases"},
	.detect = linpack_detect,
	.parse = linpack_parse,
	.marks = linpack_marks,
};
