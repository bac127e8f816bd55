/* SPDX-License-Identifier: MIT */
/*
 * A run as JUnit XML, as Jenkins and GitLab read it (the schema of Jenkins' xunit plug-in: one
 * testsuite a suite, one testcase a result). Invariant: a run that is not a pass holds a failure or
 * an error.
 */
#include "formats.h"
#include "judged.h"

#include <math.h>

/* ` name="text"`: what XML does not allow as \xNN. NULL: nothing. */
static void put(const char *name, const char *text, struct buf *out)
{
	if (!text)
		return;
	buf_printf(out, " %s=\"", name);
	format_xml(text, out);
	buf_putc(out, '"');
}

static void put_property(const char *name, const char *value, const char *indent, struct buf *out)
{
	if (!value)
		return;
	buf_printf(out, "%s<property", indent);
	put("name", name, out);
	put("value", value, out);
	buf_puts(out, "/>\n");
}

static void metric_texts(const struct store_metric *m, struct buf *name, struct buf *value)
{
	struct arena a = {0};
	const char *labels = format_labels(&a, m->labels);

	buf_printf(name, "metric %s%s%s", m->name, *labels ? " " : "", labels);
	buf_printf(value, "%.15g %s", m->value, m->unit);
	if (isfinite(m->min))
		buf_printf(value, " (min %.15g)", m->min);
	if (isfinite(m->max))
		buf_printf(value, " (max %.15g)", m->max);
	arena_done(&a);
}

static void put_metric_property(const struct store_metric *m, const char *indent, struct buf *out)
{
	AUTOBUF name = BUF_INIT(BUF_CAP_BYTES), value = BUF_INIT(BUF_CAP_BYTES);

	metric_texts(m, &name, &value);
	put_property(buf_str(&name), buf_str(&value), indent, out);
}

/* The schema has no properties of a test case: they are what it printed. */
static void put_metric_line(const struct store_metric *m, struct buf *out)
{
	AUTOBUF name = BUF_INIT(BUF_CAP_BYTES), value = BUF_INIT(BUF_CAP_BYTES);

	metric_texts(m, &name, &value);
	format_xml(buf_str(&name), out);
	buf_puts(out, ": ");
	format_xml(buf_str(&value), out);
	buf_putc(out, '\n');
}

static bool belongs(const struct store_metric *m, const struct store_result *res)
{
	return !strcmp(m->suite, res->suite) && !strcmp(m->test, res->name);
}

/* Of each metric the first result of its test, which it goes with; n_results: none. */
static size_t *find_owners(const struct report *r, struct arena *a)
{
	size_t *owners = arena_alloc(a, (r->n_metrics + 1) * sizeof *owners);

	for (size_t i = 0; i < r->n_metrics; i++)
		while (owners[i] < r->n_results &&
			!belongs(&r->metrics[i].m, &r->results[owners[i]]))
			owners[i]++;
	return owners;
}

static bool has_metrics(const struct report *r, const size_t *owners, size_t index)
{
	for (size_t i = 0; i < r->n_metrics; i++)
		if (owners[i] == index)
			return true;
	return false;
}

/* "failure", "error" or "skipped"; NULL: a pass. */
static const char *element(const char *status)
{
	switch (status_parse(status)) {
	case STATUS_PASS:
	case STATUS_DONE:
		return NULL;
	case STATUS_SKIP:
		return "skipped";
	case STATUS_FAIL:
		return "failure";
	default:
		return "error";
	}
}

static void put_case(const struct report *r, const size_t *owners, size_t index, struct buf *out)
{
	const struct store_result *res = &r->results[index];
	const char *what = element(res->status);
	bool figures = has_metrics(r, owners, index);

	buf_puts(out, "    <testcase");
	put("classname", res->suite, out);
	put("name", res->name, out);
	if (!what && !figures) {
		buf_puts(out, "/>\n");
		return;
	}
	buf_puts(out, ">\n");
	if (what) {
		buf_printf(out, "      <%s", what);
		if (strcmp(what, "skipped"))
			put("type", res->status, out);
		put("message", res->why ? res->why : res->status, out);
		buf_puts(out, "/>\n");
	}
	if (figures) {
		buf_puts(out, "      <system-out>");
		for (size_t i = 0; i < r->n_metrics; i++)
			if (owners[i] == index)
				put_metric_line(&r->metrics[i].m, out);
		buf_puts(out, "</system-out>\n");
	}
	buf_puts(out, "    </testcase>\n");
}

/* How many results of a suite (NULL: of all) are told by that element. */
static size_t count(const struct report *r, const char *suite, const char *what)
{
	size_t n = 0;

	for (size_t i = 0; i < r->n_results; i++) {
		const char *is = element(r->results[i].status);

		if (!suite || !strcmp(r->results[i].suite, suite))
			n += !what || (is && !strcmp(is, what));
	}
	return n;
}

static void put_counts(const struct report *r, const char *suite, bool one_more, struct buf *out)
{
	buf_printf(out, " tests=\"%zu\" failures=\"%zu\" errors=\"%zu\"",
		count(r, suite, NULL) + one_more, count(r, suite, "failure"),
		count(r, suite, "error") + one_more);
	if (suite) /* the schema has none for all */
		buf_printf(out, " skipped=\"%zu\"", count(r, suite, "skipped"));
}

static bool is_first(const struct report *r, size_t index)
{
	for (size_t i = 0; i < index; i++)
		if (!strcmp(r->results[i].suite, r->results[index].suite))
			return false;
	return true;
}

static void put_suite(
	const struct report *r, const size_t *owners, const char *suite, struct buf *out)
{
	buf_puts(out, "  <testsuite");
	put("name", suite, out);
	put_counts(r, suite, false, out);
	put("hostname", r->run.board, out);
	buf_puts(out, ">\n");
	for (size_t i = 0; i < r->n_results; i++)
		if (!strcmp(r->results[i].suite, suite))
			put_case(r, owners, i, out);
	buf_puts(out, "  </testsuite>\n");
}

/* The run itself: what it ran on, figures of no result, and its end where results do not tell. */
static void put_run(
	const struct report *r, const size_t *owners, bool told, struct arena *a, struct buf *out)
{
	const struct store_run *run = &r->run;

	buf_printf(out,
		"  <testsuite name=\"run\" tests=\"%d\" failures=\"0\" errors=\"%d\" "
		"skipped=\"0\"",
		!told, !told);
	put("hostname", run->board, out);
	buf_puts(out, ">\n    <properties>\n");
	put_property("verdict", run->verdict ? run->verdict : "running", "      ", out);
	if (r->judged) {
		AUTOBUF text = BUF_INIT(1 << 16);

		buf_printf(&text, "against %s: ", format_safe(a, r->judged->against));
		judged_summary(&r->judged, 1, &text);
		put_property("judged", buf_str(&text), "      ", out);
	}
	put_property("type", run->type, "      ", out);
	put_property("twin", run->twin ? "true" : NULL, "      ", out);
	put_property("build", run->build, "      ", out);
	put_property("build version", run->build_version, "      ", out);
	for (size_t i = 0; i < r->n_envs; i++)
		put_property(arena_printf(a, "env %s", r->envs[i].name), r->envs[i].value, "      ",
			out);
	for (size_t i = 0; i < r->n_stages; i++)
		put_property(arena_printf(a, "stage %s", r->stages[i].name),
			arena_printf(a, "%lld ms", (long long)r->stages[i].ms_since_power_on),
			"      ", out);
	for (size_t i = 0; i < r->n_metrics; i++)
		if (owners[i] == r->n_results)
			put_metric_property(&r->metrics[i].m, "      ", out);
	buf_puts(out, "    </properties>\n");
	if (!told) {
		buf_puts(out, "    <testcase classname=\"run\" name=\"verdict\">\n      <error");
		put("type", run->blame ? run->blame : "running", out);
		put("message",
			arena_printf(a, "%s%s%s", run->verdict ? run->verdict : "still running",
				run->message ? ": " : "", run->message ? run->message : ""),
			out);
		buf_puts(out, "/>\n    </testcase>\n");
	}
	buf_puts(out, "  </testsuite>\n");
}

static int junit_write(
	const struct report *r, const struct report_opts *o, struct buf *out, struct err *e)
{
	const struct store_run *run = &r->run;
	bool passed = run->verdict && !strcmp(run->verdict, "pass"), told;
	size_t *owners;
	struct arena a = {0};

	(void)o;
	told = passed ? r->n_results > 0
		      : run->verdict && !strcmp(run->verdict, "fail") &&
				count(r, NULL, "failure") + count(r, NULL, "error") > 0;
	buf_puts(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites");
	put("name", arena_printf(&a, "run %lld: %s", (long long)run->id, run->job), out);
	put_counts(r, NULL, !told, out);
	if (run->ended_ms && run->ended_ms >= run->started_ms)
		buf_printf(
			out, " time=\"%.3f\"", (double)(run->ended_ms - run->started_ms) / 1000.0);
	buf_puts(out, ">\n");
	owners = find_owners(r, &a);
	put_run(r, owners, told, &a, out);
	for (size_t i = 0; i < r->n_results; i++)
		if (is_first(r, i))
			put_suite(r, owners, r->results[i].suite, out);
	buf_puts(out, "</testsuites>\n");
	arena_done(&a);
	return out->overflow
		       ? err_set(e, BLAME_BUG, "the report is larger than %zu bytes", out->cap)
		       : 0;
}

const struct report_format junit_format = {
	.d = {.name = "junit",
		.brief = "JUnit XML",
		.proven = "golden cases, held against libxml2 by hand"},
	.mime = "application/xml",
	.ext = "xml",
	.write = junit_write,
};
