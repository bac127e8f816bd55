/* SPDX-License-Identifier: MIT */
/*
 * dd's last line, of GNU coreutils (5.0 to 9.x, any locale: the decimal sign may be a comma) and of
 * busybox. Invariant: the rate is bytes over seconds as printed, never the rounded rate beside
 * them; when no second passed there is none.
 */
#include "lines.h"
#include "parsers.h"

struct dd {
	const struct sink *sink;
	size_t emitted;
	unsigned records; /* lines of them above: those read, those written */
};

/* A number whose decimal sign may be a comma; *quantum is what its last digit stands for. */
static bool dd_seconds(struct str word, double *value, double *quantum)
{
	char copy[32];
	double q = 1;
	bool point = false, power = false;

	if (!word.n || word.n >= sizeof copy)
		return false;
	lines_copy(word, copy, sizeof copy);
	for (char *c = copy; *c; c++) {
		if (*c == ',')
			*c = '.';
		power |= *c == 'e';
		if (*c == '.')
			point = true;
		else if (point)
			q /= 10;
	}
	*quantum = power || !point ? 0 : q;
	return !str_double(str_of(copy), value);
}

static bool dd_is_second(struct str word)
{
	return str_is(word, "s,") || str_is(word, "s") || str_is(word, "seconds,") ||
	       str_is(word, "seconds");
}

/* "67108864 bytes (67 MB, 64 MiB) copied, 0.231898 s, 289 MB/s"; the words change with the locale,
 * their order does not: bytes first, the rate last, and seconds before it. */
static void dd_line(struct dd *d, struct str line)
{
	struct str words[LINES_WORDS];
	double bytes, seconds, quantum;
	size_t n = lines_words(line, words);

	/* busybox and old coreutils: "(64.0MB) copied, 0.23 seconds, 289.0MB/s" */
	if (n < 5 || str_double(words[0], &bytes) || !str_ends(words[n - 1], "B/s"))
		return;
	for (size_t i = 2; i + 1 < n; i++) {
		if (!dd_is_second(words[i + 1]) || !dd_seconds(words[i], &seconds, &quantum))
			continue;
		if (seconds <= 0 || bytes <= 0) {
			sink_warn(d->sink, "dd: nothing to divide: no rate can be told");
			return;
		}
		sink_metric(d->sink,
			&(struct sink_metric){"dd.time", seconds, "s", NAN, NAN, quantum, NULL, 0});
		sink_figure(d->sink, "dd.bytes", bytes, "B", NULL, 0);
		sink_figure(d->sink, "dd.bw", bytes / seconds, "B/s", NULL, 0);
		d->emitted++;
		return;
	}
}

static int dd_parse(struct str text, const struct sink *sink, struct err *e)
{
	struct dd d = {.sink = sink};
	struct str line, word, rest;
	char shown[160] = "";
	struct lines lines;
	double records;

	lines_init(&lines, text, sink);
	while (lines_next(&lines, &line)) {
		rest = line;
		if (str_starts(line, "dd: ") && !str_starts(line, "dd: warning: ") && !*shown)
			str_printable(line, shown, sizeof shown);
		if (!str_word(&rest, &word))
			continue;
		if (lines_number(word, &records, &rest) && lines_after(rest, "+", &rest) &&
			!str_double(rest, &records)) {
			d.records++;
		} else if (d.records >= 2 && str_ends(str_trim(line), "B/s")) {
			/* What status=progress draws stands before the records. */
			dd_line(&d, line);
			d.records = 0;
		}
	}
	if (*shown)
		return err_set(e, BLAME_TEST, "%s", shown);
	return d.emitted ? 0 : lines_nothing(text, "dd", "bytes copied", e);
}

static int dd_detect(struct str text)
{
	if (!lines_has(text, " records out"))
		return 0;
	return lines_has(text, "copied, ") ? 85 : 40;
}

static const char *const dd_marks[] = {" s, ", " seconds, ", "copied", "\ndd: ", NULL};

const struct parser dd_parser = {
	.d = {.name = "dd",
		.brief = "dd of coreutils and busybox",
		.proven = "golden cases; output of coreutils 9.1"},
	.detect = dd_detect,
	.parse = dd_parse,
	.marks = dd_marks,
};
