/* SPDX-License-Identifier: MIT */
/*
 * cyclictest of rt-tests: its lines ("T: 0 (1234) P:80 ..."), the histogram of -h and the JSON of
 * --json (2.x), whose keys "cmdline:" and "rt_test_version:" do end in a colon. Latencies are us,
 * with -N ns. Invariant: of lines that are redrawn the last of each thread counts; a thread of
 * which no cycle ran has no latency; old lines that have no Avg give none.
 */
#include "json-scan.h"
#include "lines.h"
#include "parsers.h"

#include <stdio.h>

#define CYCLICTEST_THREADS 1024

struct cyclictest_thread {
	bool told, stale;     /* stale: what would have replaced it is lost */
	double min, avg, max; /* NAN: not told */
	size_t at;
};

struct cyclictest {
	const struct sink *sink;
	const char *unit;
	size_t n, emitted;
	struct cyclictest_thread threads[CYCLICTEST_THREADS];
};

static void cyclictest_figure(
	struct cyclictest *c, const char *name, double value, const char *thread)
{
	struct sink_label label = {"thread", thread};
	struct sink_metric m = SINK_METRIC(name, value, c->unit);

	if (!isfinite(value))
		return;
	/* avg is printed as a whole number or from a sum; min and max are whole. */
	m.resolution = strcmp(name, "cyclictest.avg") ? 1 : 0;
	m.labels = &label;
	m.n = thread ? 1 : 0;
	sink_metric(c->sink, &m);
	c->emitted++;
}

static void cyclictest_thread(
	struct cyclictest *c, const struct cyclictest_thread *t, const char *name)
{
	cyclictest_figure(c, "cyclictest.min", t->min, name);
	cyclictest_figure(c, "cyclictest.avg", t->avg, name);
	cyclictest_figure(c, "cyclictest.max", t->max, name);
}

/* The value behind a key in a line, white space between or not. */
static double cyclictest_value(struct str line, const char *key)
{
	ptrdiff_t at = str_find(line, str_of(key));
	struct str rest;
	double value;

	if (at < 0)
		return NAN;
	line = str_make(line.p + at + strlen(key), line.n - (size_t)at - strlen(key));
	return lines_number(line, &value, &rest) &&
			       (!rest.n || rest.p[0] == ' ' || rest.p[0] == '\t')
		       ? value
		       : NAN;
}

/* True when the line's Max was wrapped into the next one, as mail does it. */
static bool cyclictest_line(struct cyclictest *c, struct str line, size_t at)
{
	struct cyclictest_thread t = {true, false, cyclictest_value(line, "Min:"),
		cyclictest_value(line, "Avg:"), cyclictest_value(line, "Max:"), at};
	double id, cycles = cyclictest_value(line, " C:");
	struct str rest;

	if (!lines_after(line, "T:", &rest) || !lines_number(rest, &id, &rest) || id < 0 ||
		id >= CYCLICTEST_THREADS || !str_starts(str_trim(rest), "("))
		return false;
	if (!lines_has(line, " P:") || isnan(cycles))
		return false;
	if (cycles > 0 && !isnan(t.min) && isnan(t.max) && str_ends(line, "Max:")) {
		c->threads[(size_t)id] = t;
		c->n = (size_t)id + 1 > c->n ? (size_t)id + 1 : c->n;
		return true;
	}
	if (cycles <= 0 || isnan(t.min) || isnan(t.max))
		return false;
	c->threads[(size_t)id] = t;
	c->n = (size_t)id + 1 > c->n ? (size_t)id + 1 : c->n;
	return false;
}

/* "# Min Latencies: 00024 00031": a column a thread. */
static void cyclictest_columns(struct cyclictest *c, struct str line, size_t at)
{
	static const char *const heads[] = {
		"# Min Latencies:", "# Avg Latencies:", "# Max Latencies:", "# Total:"};
	struct str rest;
	double value;

	for (size_t which = 0; which < ARRAY_LEN(heads); which++) {
		if (!lines_after(line, heads[which], &rest))
			continue;
		for (size_t i = 0; i < CYCLICTEST_THREADS && lines_number(rest, &value, &rest);
			i++) {
			struct cyclictest_thread *t = &c->threads[i];

			if (i >= c->n) {
				*t = (struct cyclictest_thread){false, false, NAN, NAN, NAN, at};
				c->n = i + 1;
			}
			if (which == 3) {
				/* The bins' sum; cycles beyond them are in none. */
				continue;
			}
			t->told = true;
			*(which == 0 ? &t->min : which == 1 ? &t->avg : &t->max) = value;
		}
	}
}

static void cyclictest_flush(struct cyclictest *c)
{
	for (size_t i = 0; i < c->n; i++) {
		char name[24];

		snprintf(name, sizeof name, "%zu", i);
		if (!c->threads[i].told || c->threads[i].stale)
			continue;
		sink_at(c->sink, c->threads[i].at);
		/* Nothing ran: min stands at its start value, above max. */
		if (c->threads[i].min > c->threads[i].max)
			sink_warn(c->sink, "cyclictest: thread %zu: no cycle ran", i);
		else
			cyclictest_thread(c, &c->threads[i], name);
	}
}

static bool is_cyclictest(const json_t *doc)
{
	return json_is_object(json_object_get(doc, "thread")) &&
	       json_object_get(doc, "num_threads");
}

/* What the command says and what the document says, where they agree; NULL: not known. */
static const char *cyclictest_unit(const json_t *doc, const char *command)
{
	double ns;
	bool told = json_scan_number(doc, "resolution_in_ns", &ns) && (ns == 0 || ns == 1);
	bool asked = command && (strstr(command, " -N") || strstr(command, "--nsecs"));

	if ((!told && !command) || (told && command && asked != (ns == 1)))
		return NULL;
	return (told ? ns == 1 : asked) ? "ns" : "us";
}

static void cyclictest_document(struct cyclictest *c, const json_t *doc)
{
	const char *version = json_string_value(json_object_get(doc, "rt_test_version:"));
	const char *command = json_string_value(json_object_get(doc, "cmdline:"));
	const json_t *threads = json_object_get(doc, "thread"), *thread;
	const char *key;
	double cycles, status;

	if (!version)
		version = json_string_value(json_object_get(doc, "rt_test_version"));
	if (version)
		sink_env(c->sink, "cyclictest.version", version);
	c->unit = cyclictest_unit(doc, command);
	if (json_scan_number(doc, "return_code", &status) && status != 0)
		sink_warn(c->sink, "cyclictest: it ended with status %.0f", status);
	if (!c->unit) {
		sink_warn(c->sink, "cyclictest: its command and its resolution tell no unit");
		return;
	}
	json_object_foreach ((json_t *)threads, key, thread) {
		struct cyclictest_thread t = {true, false, NAN, NAN, NAN, 0};

		if (json_scan_number(thread, "cycles", &cycles) && cycles <= 0)
			continue;
		json_scan_number(thread, "min", &t.min);
		json_scan_number(thread, "avg", &t.avg);
		json_scan_number(thread, "max", &t.max);
		cyclictest_thread(c, &t, key);
	}
}

static int cyclictest_json(struct cyclictest *c, struct str text, struct err *e)
{
	struct json_scan scan;
	json_t *doc;

	json_scan_init(&scan, text, is_cyclictest, c->sink);
	while ((doc = json_scan_next(&scan))) {
		sink_at(c->sink, scan.start);
		cyclictest_document(c, doc);
		json_decref(doc);
	}
	json_scan_end(&scan);
	if (scan.cut_off)
		return err_set(e, BLAME_TEST, "cyclictest: its JSON output is cut off or damaged");
	return c->emitted ? 0 : lines_nothing(text, "cyclictest", "latency", e);
}

/* "ESC [ 2 A" in raw text: what stands above is drawn again. cut: or an escape that has no end. */
static bool cyclictest_redraws(struct str raw, bool cut)
{
	for (size_t i = 0; i < raw.n; i++) {
		size_t end = i + 2;

		if (raw.p[i] != 0x1b)
			continue;
		while (end < raw.n && raw.p[end] >= '0' && raw.p[end] <= '9')
			end++;
		if (end < raw.n ? raw.p[end] == 'A' : cut)
			return true;
	}
	return false;
}

/* Every thread is told again, or nothing is known of it. */
static void cyclictest_stale(struct cyclictest *c)
{
	for (size_t i = 0; i < c->n; i++)
		c->threads[i].stale = true;
}

static int cyclictest_parse(struct str text, const struct sink *sink, struct err *e)
{
	struct cyclictest c = {.sink = sink, .unit = "us"};
	struct str line, rest;
	struct lines lines;
	double value;
	bool wrapped = false, redrawn = str_chr(text, 0x1b) >= 0;
	size_t torn = 0;

	if (lines_has(text, "\"num_threads\"") || str_starts(str_trim(text), "{")) {
		int failed = cyclictest_json(&c, text, e);

		/* A log may hold both, of several runs. */
		if (!lines_has(text, ") P:") && !lines_has(text, "# Min Latencies:"))
			return failed;
		if (failed)
			sink_warn(sink, "cyclictest: a JSON document is cut off or damaged");
		err_clear(e);
		c.unit = "us";
	}
	lines_init(&lines, text, sink);
	while (lines_next(&lines, &line)) {
		struct str raw = str_make(text.p + lines.at, lines.rest.p - text.p - lines.at);

		if (cyclictest_redraws(raw, false) || (redrawn && torn != lines.torn))
			cyclictest_stale(&c);
		torn = lines.torn;
		line = str_trim(line);
		if (lines_has(line, "cyclictest ") &&
			(lines_has(line, " -N ") || str_ends(line, " -N") ||
				lines_has(line, " --nsecs")))
			c.unit = "ns";
		if (wrapped && c.n && lines_number(line, &value, &rest) && !rest.n)
			for (size_t i = 0; i < c.n; i++)
				if (c.threads[i].told && isnan(c.threads[i].max))
					c.threads[i].max = value;
		wrapped = cyclictest_line(&c, line, lines.at);
		cyclictest_columns(&c, line, lines.at);
	}
	/* What stands above it is a redraw that it would have replaced. */
	rest = str_make(text.p + lines.at, text.n - lines.at);
	if ((redrawn && torn != lines.torn) || str_starts(lines.cut, "T") ||
		lines_has(lines.cut, " P:") ||
		(str_chr(rest, '\n') < 0 && cyclictest_redraws(rest, true)))
		return err_set(e, BLAME_TEST, "cyclictest: its output is cut off");
	cyclictest_flush(&c);
	return c.emitted ? 0 : lines_nothing(text, "cyclictest", "latency", e);
}

static int cyclictest_detect(struct str text)
{
	if (lines_has(text, "# Min Latencies:") || lines_has(text, "\"rt_test_version:\""))
		return 90;
	return lines_has(text, " P:") && lines_has(text, " I:") && lines_has(text, " Min:") &&
			       lines_has(text, " Max:")
		       ? 85
		       : 0;
}

static const char *const cyclictest_marks[] = {"cyclictest ",
	") P:", "# Min Latencies:", "# Avg Latencies:", "# Max Latencies:", "\"num_threads\"",
	"\"rt_test_version", NULL};

const struct parser cyclictest_parser = {
	.d = {.name = "cyclictest",
		.brief = "cyclictest: lines, histogram, --json",
		.proven = "golden cases; output of rt-tests 2.40"},
	.detect = cyclictest_detect,
	.parse = cyclictest_parse,
	.marks = cyclictest_marks,
};
