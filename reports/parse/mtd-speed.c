/* SPDX-License-Identifier: MIT */
/*
 * The kernel's mtd_speedtest module, whose lines are printk's, mtd-utils' flash_speed and UBI tests
 * that print the same words ("eraseblock write speed is 4231 KiB/s"). Invariant: each figure keeps
 * the words before "speed" as its label, so that page and eraseblock are never one series.
 */
#include "lines.h"
#include "parsers.h"

#include <stdio.h>

/* The last of line before " speed is", behind the program's head ("mtd_speedtest: "). */
static struct str mtd_speed_what(struct str s)
{
	for (ptrdiff_t at; (at = str_chr(s, ':')) >= 0;)
		s = str_make(s.p + at + 1, s.n - (size_t)at - 1);
	return str_trim(s);
}

static bool mtd_speed_line(struct str line, const struct sink *sink)
{
	ptrdiff_t at = str_find(line, STR_LIT(" speed is "));
	struct sink_label label = {"mode", NULL};
	struct str what, rest;
	const char *name;
	char mode[40];
	double rate;

	if (at < 0)
		return false;
	what = mtd_speed_what(str_make(line.p, (size_t)at));
	if (!lines_number(str_make(line.p + at + 10, line.n - (size_t)at - 10), &rate, &rest) ||
		!str_is(str_trim(rest), "KiB/s"))
		return false;
	name = str_ends(what, "write")   ? "storage.write.bw"
	       : str_ends(what, "read")  ? "storage.read.bw"
	       : str_ends(what, "erase") ? "mtd.erase.bw"
					 : NULL;
	if (!name)
		return false;
	/* A rate that rounds to 0 says that the test took too long to tell. */
	if (rate <= 0) {
		sink_warn(sink, "mtd-speed: a rate of 0 is no figure");
		return false;
	}
	label.value = lines_copy(what, mode, sizeof mode);
	for (char *c = mode; *c; c++)
		if (*c == ' ')
			*c = '-';
	sink_figure(sink, name, rate, "KiB/s", &label, 1);
	return true;
}

static int mtd_speed_parse(struct str text, const struct sink *sink, struct err *e)
{
	struct lines lines;
	struct str line;
	char shown[160] = "";
	size_t emitted = 0;

	lines_init(&lines, text, sink);
	lines.kernel = true;
	while (lines_next(&lines, &line)) {
		emitted += mtd_speed_line(line, sink);
		if (!*shown && lines_has(line, "speed") && lines_has(line, "error "))
			str_printable(line, shown, sizeof shown);
	}
	if (*shown)
		return err_set(e, BLAME_TEST, "mtd-speed: %s", shown);
	return emitted ? 0 : lines_nothing(text, "mtd-speed", "speed", e);
}

static int mtd_speed_detect(struct str text)
{
	return lines_has(text, "eraseblock write speed is ") ? 95
	       : lines_has(text, " speed is ")               ? 50
							     : 0;
}

static const char *const mtd_speed_marks[] = {" speed is ", "speedtest", "flash_speed", NULL};

const struct parser mtd_speed_parser = {
	.d = {.name = "mtd-speed", .brief = "mtd_speedtest, flash_speed", .proven = "golden cases"},
	.detect = mtd_speed_detect,
	.parse = mtd_speed_parse,
	.marks = mtd_speed_marks,
};
