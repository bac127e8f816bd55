/* SPDX-License-Identifier: MIT */
/*
 * stress-ng's --metrics-brief and --metrics (0.05 to 0.18), lines that begin "stress-ng: info:" or
 * since 0.15 "stress-ng: metrc:". Invariant: a stressor that did no operation or took no time has
 * no rate.
 */
#include "lines.h"
#include "parsers.h"

#include <stdio.h>

/* What stands behind "stress-ng: info:  [2196] ". */
static bool stress_ng_text(struct str line, struct str *rest)
{
	ptrdiff_t at = str_find(line, STR_LIT("stress-ng: "));
	ptrdiff_t close;

	if (at < 0)
		return false;
	*rest = str_make(line.p + at + 11, line.n - (size_t)at - 11);
	close = str_chr(*rest, ']');
	if (close < 0 || !(str_starts(*rest, "info:") || str_starts(*rest, "metrc:")))
		return false;
	*rest = str_trim(str_make(rest->p + close + 1, rest->n - (size_t)close - 1));
	return true;
}

/* name, bogo ops, real, usr and sys time, bogo ops/s over real and over CPU time */
static bool stress_ng_row(struct str rest, const struct sink *sink)
{
	struct str words[LINES_WORDS];
	struct sink_label label = {"stressor", NULL};
	double v[6];
	char name[64];

	if (lines_words(rest, words) < 7)
		return false;
	for (size_t i = 0; i < 6; i++)
		if (str_double(words[i + 1], &v[i]))
			return false;
	label.value = lines_copy(words[0], name, sizeof name);
	if (v[0] <= 0 || v[1] <= 0) {
		sink_warn(sink, "stress-ng: '%s' did nothing that was timed", name);
		return false;
	}
	sink_figure(sink, "stress_ng.rate", v[4], "1/s", &label, 1);
	if (v[2] + v[3] > 0)
		sink_figure(sink, "stress_ng.rate_cpu", v[5], "1/s", &label, 1);
	return true;
}

static int stress_ng_parse(struct str text, const struct sink *sink, struct err *e)
{
	struct lines lines;
	struct str line, rest;
	char shown[160] = "";
	bool table = false;
	size_t emitted = 0;

	lines_init(&lines, text, sink);
	while (lines_next(&lines, &line)) {
		if ((lines_has(line, "stress-ng: fail:") || lines_has(line, "stress-ng: error:")) &&
			!*shown)
			str_printable(line, shown, sizeof shown);
		if (!stress_ng_text(line, &rest))
			continue;
		if (str_starts(rest, "stressor "))
			table = lines_has(rest, "bogo ops/s");
		else if (table)
			emitted += stress_ng_row(rest, sink);
	}
	if (*shown)
		return err_set(e, BLAME_TEST, "%s", shown);
	return emitted ? 0 : lines_nothing(text, "stress-ng", "metrics", e);
}

static int stress_ng_detect(struct str text)
{
	return lines_has(text, "stress-ng: info: ") || lines_has(text, "stress-ng: metrc:") ? 95
											    : 0;
}

static const char *const stress_ng_marks[] = {"stress-ng: ", NULL};

const struct parser stress_ng_parser = {
	.d = {.name = "stress-ng", .brief = "stress-ng --metrics-brief", .proven = "golden cases"},
	.detect = stress_ng_detect,
	.parse = stress_ng_parse,
	.marks = stress_ng_marks,
};
