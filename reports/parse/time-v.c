/* SPDX-License-Identifier: MIT */
/*
 * How long a command took: GNU time -v (1.7 to 1.9), bash's time (its comma in some locales),
 * time -p (POSIX), busybox's time and GNU time's default line. Invariant: a time is told with its
 * clock's tick where that shows (two decimals are hundredths), and a command that ended by a signal
 * or with a status other than 0 is still timed, its status told.
 */
#include "lines.h"
#include "parsers.h"

#include <stdio.h>

struct time_v {
	const struct sink *sink;
	size_t emitted;
};

static void time_v_told(
	struct time_v *t, const char *name, double value, const char *unit, double tick)
{
	struct sink_metric m = SINK_METRIC(name, value, unit);

	m.resolution = tick;
	sink_metric(t->sink, &m);
	t->emitted++;
}

/* "1:02:03", "0:00.23", "0m1.25s", "0m1,25s", "12.30s", "0.23": seconds. *tick: of the last digit.
 */
static bool time_v_seconds(struct str s, double *seconds, double *tick)
{
	double total = 0, part;
	char copy[32];
	struct str rest;
	size_t fraction = 0;

	if (!s.n || s.n >= sizeof copy)
		return false;
	rest = str_of(lines_copy(s, copy, sizeof copy));
	for (char *c = copy; *c; c++)
		*c = *c == ',' ? '.' : *c == 'm' || *c == 'h' ? ':' : *c;
	for (int parts = 0; parts < 3; parts++) {
		if (!rest.n || rest.p[0] < '0' || rest.p[0] > '9' ||
			!lines_number(rest, &part, &rest))
			return false;
		total = total * 60 + part;
		if (!rest.n || str_is(rest, "s"))
			break;
		if (!lines_after(rest, ":", &rest))
			return false;
	}
	if (rest.n && !str_is(rest, "s"))
		return false;
	for (const char *c = strchr(copy, '.'); c && *++c >= '0' && *c <= '9';)
		fraction++;
	*tick = fraction == 0 ? 1 : fraction == 1 ? 0.1 : fraction == 2 ? 0.01 : 0.001;
	*seconds = total;
	return true;
}

/* A line of -v: "Maximum resident set size (kbytes): 1234". */
static void time_v_long(struct time_v *t, struct str line)
{
	static const char *const rows[][2] = {
		{"User time (seconds):", "time.user"},
		{"System time (seconds):", "time.system"},
		{"Elapsed (wall clock) time (h:mm:ss or m:ss):", "time.elapsed"},
	};
	struct str value;
	double number, tick;

	for (size_t i = 0; i < ARRAY_LEN(rows); i++)
		if (lines_after(line, rows[i][0], &value) && time_v_seconds(value, &number, &tick))
			time_v_told(t, rows[i][1], number, "s", tick);
	if (lines_after(line, "Maximum resident set size (kbytes):", &value) &&
		!str_double(value, &number))
		time_v_told(t, "time.max_rss", number, "KiB", 0);
	/* 0 is also what old versions print when no time passed: "?%". */
	if (lines_after(line, "Percent of CPU this job got:", &value) &&
		lines_unit(value, "%", &number))
		time_v_told(t, "time.cpu_load", number, "%", 1);
	if (lines_after(line, "Exit status:", &value) && !str_double(value, &number) && number)
		sink_warn(t->sink, "time: the command ended with status %.0f", number);
	if (str_starts(line, "Command terminated by signal") ||
		str_starts(line, "Command exited with non-zero status"))
		sink_warn(t->sink, "time: %.*s", (int)(line.n < 80 ? line.n : 80), line.p);
}

static void time_v_short(struct time_v *t, const struct str *words, size_t n)
{
	static const char *const rows[][2] = {
		{"real", "time.elapsed"}, {"user", "time.user"}, {"sys", "time.system"}};
	static const char *const ends[][2] = {
		{"user", "time.user"}, {"system", "time.system"}, {"elapsed", "time.elapsed"}};
	double seconds, tick;

	/* busybox: "real\t0m 1.25s" */
	for (size_t i = 0; i < ARRAY_LEN(rows) && n >= 2 && n <= 3; i++) {
		double minutes = 0;

		if (!str_is(words[0], rows[i][0]) ||
			(n == 3 && !lines_unit(words[1], "m", &minutes)) ||
			!time_v_seconds(words[n - 1], &seconds, &tick))
			continue;
		time_v_told(t, rows[i][1], minutes * 60 + seconds, "s", tick);
	}
	/* "0.02user 0.10system 0:01.25elapsed 9%CPU (0avgtext+0avgdata 2048maxresident)k" */
	for (size_t i = 0; i < ARRAY_LEN(ends) && n >= 4; i++) {
		struct str word = words[i];

		if (!str_ends(word, ends[i][0]))
			return;
		word.n -= strlen(ends[i][0]);
		if (time_v_seconds(word, &seconds, &tick))
			time_v_told(t, ends[i][1], seconds, "s", tick);
	}
}

static int time_v_parse(struct str text, const struct sink *sink, struct err *e)
{
	struct time_v t = {.sink = sink};
	struct str words[LINES_WORDS], line;
	struct lines lines;

	lines_init(&lines, text, sink);
	while (lines_next(&lines, &line)) {
		time_v_long(&t, str_trim(line));
		time_v_short(&t, words, lines_words(line, words));
	}
	return t.emitted ? 0 : lines_nothing(text, "time", "times", e);
}

static int time_v_detect(struct str text)
{
	if (lines_has(text, "Elapsed (wall clock) time"))
		return 90;
	if (lines_has(text, "elapsed ") && lines_has(text, "%CPU ("))
		return 80;
	return lines_has(text, "\nuser") && lines_has(text, "\nsys") && lines_has(text, "real") ? 60
												: 0;
}

static const char *const time_v_marks[] = {"(seconds):", "(wall clock)", "resident set size",
	"Percent of CPU this job got", "Exit status:", "Command terminated by",
	"Command exited with", "elapsed ", "\nreal\t", "\nreal ", "\nuser\t", "\nuser ", "\nsys\t",
	"\nsys ", NULL};

const struct parser time_v_parser = {
	.d = {.name = "time-v",
		.brief = "time -v, the shells' time and time -p",
		.proven = "golden cases"},
	.detect = time_v_detect,
	.parse = time_v_parse,
	.marks = time_v_marks,
	.beside = true,
};
