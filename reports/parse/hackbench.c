/* SPDX-License-Identifier: MIT */
/*
 * hackbench of rt-tests (0.9 to 2.x), its text. Invariant: a time counts only with the head that
 * says what ran, which gives it its labels.
 */
#include "lines.h"
#include "parsers.h"

#include <stdio.h>

struct hackbench {
	char mode[16], groups[16], tasks[16], bytes[16];
	bool head;
	size_t emitted;
};

/* "Running in process mode with 2 groups using 40 file descriptors each (== 80 tasks)" */
static bool hackbench_head(struct hackbench *h, struct str line)
{
	struct str words[LINES_WORDS], rest;
	size_t n = lines_words(line, words);

	if (lines_after(line, "Running with ", &rest) && n >= 5 && str_is(words[3], "(==")) {
		*h = (struct hackbench){.head = true, .emitted = h->emitted};
		str_word(&rest, words);
		lines_copy(words[0], h->groups, sizeof h->groups);
		h->groups[strcspn(h->groups, "*")] = 0;
		lines_copy(words[4], h->tasks, sizeof h->tasks);
		h->tasks[strcspn(h->tasks, ")")] = 0;
		return true;
	}
	if (!lines_after(line, "Running in ", &rest) || n < 7 || !str_is(words[3], "mode") ||
		(!str_starts(words[6], "group")))
		return false;
	*h = (struct hackbench){.head = true, .emitted = h->emitted};
	lines_copy(words[2], h->mode, sizeof h->mode);
	lines_copy(words[5], h->groups, sizeof h->groups);
	for (size_t i = 7; i + 1 < n; i++)
		if (str_is(words[i], "(=="))
			lines_copy(words[i + 1], h->tasks, sizeof h->tasks);
	return true;
}

static void hackbench_time(struct hackbench *h, struct str value, const struct sink *sink)
{
	struct sink_label labels[4];
	const char *const names[] = {"mode", "groups", "tasks", "bytes"};
	const char *const values[] = {h->mode, h->groups, h->tasks, h->bytes};
	struct sink_metric m;
	double seconds;
	size_t n = 0;

	if (str_double(value, &seconds))
		return;
	if (!h->head || (*h->mode && !*h->bytes)) {
		sink_warn(sink, "hackbench: a time without the head of its run");
		return;
	}
	for (size_t i = 0; i < ARRAY_LEN(names); i++)
		if (*values[i])
			labels[n++] = (struct sink_label){names[i], values[i]};
	m = SINK_METRIC("hackbench.time", seconds, "s");
	m.resolution = 0.001;
	m.labels = labels;
	m.n = n;
	sink_metric(sink, &m);
	h->emitted++;
	h->head = false;
}

static int hackbench_parse(struct str text, const struct sink *sink, struct err *e)
{
	struct hackbench h = {.head = false};
	struct str words[LINES_WORDS], line, value;
	struct lines lines;
	size_t n;

	lines_init(&lines, text, sink);
	while (lines_next(&lines, &line)) {
		line = str_trim(line);
		if (hackbench_head(&h, line))
			continue;
		if (lines_after(line, "Time:", &value)) {
			hackbench_time(&h, value, sink);
		} else if (str_starts(line, "Each sender will pass ")) {
			n = lines_words(line, words);
			if (n == 9 && str_is(words[8], "bytes"))
				lines_copy(words[7], h.bytes, sizeof h.bytes);
		} else if (str_starts(line, "fork()") || lines_has(line, "(error: ")) {
			char shown[160];

			return err_set(e, BLAME_TEST, "hackbench: %s",
				str_printable(line, shown, sizeof shown));
		}
	}
	return h.emitted ? 0 : lines_nothing(text, "hackbench", "time of a run", e);
}

static int hackbench_detect(struct str text)
{
	if (lines_has(text, "Running in ") && lines_has(text, "Each sender will pass "))
		return 90;
	return 0;
}

static const char *const hackbench_marks[] = {
	" (== ", "Each sender will pass ", "\nTime:", "\nfork()", "(error: ", NULL};

const struct parser hackbench_parser = {
	.d = {.name = "hackbench",
		.brief = "hackbench of rt-tests",
		.proven = "golden cases; output of rt-tests 2.40"},
	.detect = hackbench_detect,
	.parse = hackbench_parse,
	.marks = hackbench_marks,
	.stops = true,
};
