/* SPDX-License-Identifier: MIT */
/*
 * A run as TAP 13 (testanything.org/tap-version-13-specification): one test point a result, with a
 * YAML block of its status, its reason and its figures. Readers of TAP 14 take it as it is, while
 * `prove` refuses a version that it does not know. Invariant: a run that is not a pass is never
 * read as one: what is lost or broken is `not ok`, and a run that is incomplete, canceled or still
 * running ends in a bail-out.
 */
#include "formats.h"
#include "judged.h"

#include "io/json.h"

#include <math.h>
#include <stdio.h>

/* A description: one line, `\` and `#` escaped. */
static void put_description(const char *s, struct arena *a, struct buf *out)
{
	for (const char *p = format_safe(a, s); *p; p++) {
		if (*p == '\\' || *p == '#')
			buf_putc(out, '\\');
		buf_putc(out, *p);
	}
}

/* A YAML double-quoted scalar. */
static void put_text(const char *s, struct buf *out)
{
	buf_putc(out, '"');
	for (const unsigned char *p = (const unsigned char *)s; *p; p++) {
		if (*p == '"' || *p == '\\')
			buf_printf(out, "\\%c", *p);
		else if (*p == '\n')
			buf_puts(out, "\\n");
		else if (*p == 0xc2 && p[1] >= 0x80 && p[1] < 0xa0) /* C1, such as CSI */
			buf_printf(out, "\\x%02x", *++p);
		else if (*p < 0x20 || *p == 0x7f)
			buf_printf(out, "\\x%02x", *p);
		else
			buf_putc(out, (char)*p);
	}
	buf_putc(out, '"');
}

static void put_quoted(const char *s, struct buf *out)
{
	put_text(s, out);
	buf_putc(out, '\n');
}

static void put_key(const char *name, struct buf *out)
{
	bool plain = *name &&
		     !name[strspn(name,
			     "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_")];

	buf_puts(out, "        ");
	if (plain)
		buf_puts(out, name);
	else
		put_text(name, out);
	buf_puts(out, ": ");
}

static void put_metric(const struct store_metric *m, struct buf *out)
{
	AUTOJSON *labels = json_loads(m->labels ? m->labels : "{}", 0, NULL);
	const char *name;
	json_t *value;

	buf_puts(out, "    - name: ");
	put_quoted(m->name, out);
	buf_printf(out, "      value: %.15g\n", m->value);
	if (isfinite(m->min))
		buf_printf(out, "      min: %.15g\n", m->min);
	if (isfinite(m->max))
		buf_printf(out, "      max: %.15g\n", m->max);
	if (m->resolution > 0)
		buf_printf(out, "      resolution: %.15g\n", m->resolution);
	buf_puts(out, "      unit: ");
	put_quoted(m->unit, out);
	if (json_object_size(labels))
		buf_puts(out, "      labels:\n");
	json_object_foreach (labels, name, value) {
		AUTOFREE char *plain = json_dumps(value, JSON_ENCODE_ANY);

		put_key(name, out);
		put_quoted(json_is_string(value) ? json_string_value(value) : plain, out);
	}
}

static bool belongs(const struct store_metric *m, const struct store_result *res)
{
	return !strcmp(m->suite, res->suite) && !strcmp(m->test, res->name);
}

/* Figures go with the first result of their test. */
static bool has_result(const struct report *r, const struct store_metric *m, size_t before)
{
	for (size_t i = 0; i < before; i++)
		if (belongs(m, &r->results[i]))
			return true;
	return false;
}

static void put_block(const struct report *r, size_t index, struct buf *out)
{
	const struct store_result *res = &r->results[index];
	bool any = false;

	buf_puts(out, "  ---\n  status: ");
	put_quoted(res->status, out);
	if (res->why) {
		buf_puts(out, "  message: ");
		put_quoted(res->why, out);
	}
	for (size_t i = 0; i < r->n_metrics; i++) {
		const struct store_metric *m = &r->metrics[i].m;

		if (!belongs(m, res) || has_result(r, m, index))
			continue;
		if (!any)
			buf_puts(out, r->run.twin ? "  twin: true\n  metrics:\n" : "  metrics:\n");
		any = true;
		put_metric(m, out);
	}
	buf_puts(out, "  ...\n");
}

static bool is_ok(int status)
{
	return status == STATUS_PASS || status == STATUS_DONE || status == STATUS_SKIP;
}

/* Returns whether the point was ok. */
static bool put_point(const struct report *r, size_t index, struct arena *a, struct buf *out)
{
	const struct store_result *res = &r->results[index];
	int status = status_parse(res->status);

	buf_printf(out, "%sok %zu - ", is_ok(status) ? "" : "not ", index + 1);
	put_description(res->suite, a, out);
	buf_puts(out, ": ");
	put_description(res->name, a, out);
	if (status == STATUS_SKIP) {
		buf_puts(out, " # SKIP");
		if (res->why)
			buf_printf(out, " %s", format_safe(a, res->why));
	}
	buf_putc(out, '\n');
	put_block(r, index, out);
	return is_ok(status);
}

/* Figures that belong to no result, and the boot stages: as comments. */
static void put_other_figures(const struct report *r, struct arena *a, struct buf *out)
{
	for (size_t i = 0; i < r->n_metrics; i++) {
		const struct store_metric *m = &r->metrics[i].m;

		if (!has_result(r, m, r->n_results))
			buf_printf(out, "# metric %s: %.15g %s %s\n", format_safe(a, m->name),
				m->value, format_safe(a, m->unit), format_labels(a, m->labels));
	}
	for (size_t i = 0; i < r->n_stages; i++)
		buf_printf(out, "# stage %s: %lld ms since power-on\n",
			format_safe(a, r->stages[i].name),
			(long long)r->stages[i].ms_since_power_on);
}

static int tap_write(
	const struct report *r, const struct report_opts *o, struct buf *out, struct err *e)
{
	const struct store_run *run = &r->run;
	bool passed = run->verdict && !strcmp(run->verdict, "pass");
	bool failed = run->verdict && !strcmp(run->verdict, "fail"), told;
	size_t bad = 0;
	struct arena a = {0};

	(void)o;
	for (size_t i = 0; i < r->n_results; i++)
		bad += !is_ok(status_parse(r->results[i].status));
	/* A run that failed, or has nothing to show, must be seen as not ok. */
	told = bad || (!failed && r->n_results);
	buf_printf(out, "TAP version 13\n1..%zu\n", r->n_results + !told);
	buf_printf(out, "# run %lld: %s on %s%s\n", (long long)run->id, format_safe(&a, run->job),
		format_safe(&a, run->board), run->twin ? " (twin)" : "");
	for (size_t i = 0; i < r->n_results; i++)
		put_point(r, i, &a, out);
	put_other_figures(r, &a, out);
	if (r->judged)
		judged_comments(&r->judged, 1, out);
	if (!told)
		buf_printf(out, "not ok %zu - the run: %s, with no result that says so\n",
			r->n_results + 1, run->verdict ? run->verdict : "still running");
	if (!passed && !failed)
		buf_printf(out, "Bail out! %s%s%s: %s\n",
			run->verdict ? run->verdict : "still running", run->blame ? ", blame " : "",
			run->blame ? format_safe(&a, run->blame) : "",
			format_safe(&a, run->message));
	arena_done(&a);
	return out->overflow
		       ? err_set(e, BLAME_BUG, "the report is larger than %zu bytes", out->cap)
		       : 0;
}

const struct report_format tap_format = {
	.d = {.name = "tap",
		.brief = "TAP 13, which readers of 14 take as well",
		.proven = "golden cases; prove, and read back by TAP::Parser"},
	.mime = "text/plain; charset=utf-8",
	.ext = "tap",
	.write = tap_write,
};
