/* SPDX-License-Identifier: MIT */
/*
 * A run as CSV (RFC 4180), one record a result or a figure, in the columns that `hilab import`
 * reads. Invariant: what is imported again has the same results and figures, to the last digit.
 */
#include "formats.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static void put_field(const char *text, struct arena *a, struct buf *out)
{
	const char *s = text ? format_safe(a, text) : "";
	size_t n = strlen(s);

	/* White space at the ends would be taken off. */
	if (!s[strcspn(s, ",\"")] && *s != ' ' && (!n || s[n - 1] != ' ')) {
		buf_puts(out, s);
		return;
	}
	buf_putc(out, '"');
	for (; *s; s++) {
		if (*s == '"')
			buf_putc(out, '"');
		buf_putc(out, *s);
	}
	buf_putc(out, '"');
}

/* As short as it can be; "" when it is not told. */
static const char *figure(double value, struct arena *a)
{
	const char *text;

	if (!isfinite(value))
		return "";
	text = arena_printf(a, "%.15g", value);
	return strtod(text, NULL) == value ? text : arena_printf(a, "%.17g", value);
}

void format_csv(const char *const *fields, size_t n, struct buf *out)
{
	struct arena a = {0};

	for (size_t i = 0; i < n; i++) {
		if (i)
			buf_putc(out, ',');
		put_field(fields[i], &a, out);
	}
	buf_putc(out, '\n');
	arena_done(&a);
}

#define RECORD(...)                                                                                \
	format_csv((const char *[]){__VA_ARGS__}, ARRAY_LEN(((const char *[]){__VA_ARGS__})), out)

static int csv_write(
	const struct report *r, const struct report_opts *o, struct buf *out, struct err *e)
{
	struct arena a = {0};

	(void)o;
	RECORD("suite", "test", "name", "value", "unit", "min", "max", "resolution", "labels",
		"status", "why");
	for (size_t i = 0; i < r->n_results; i++) {
		const struct store_result *res = &r->results[i];

		RECORD(res->suite, res->name, NULL, NULL, NULL, NULL, NULL, NULL, NULL, res->status,
			res->why);
	}
	for (size_t i = 0; i < r->n_metrics; i++) {
		const struct store_metric *m = &r->metrics[i].m;
		bool labelled = m->labels && strcmp(m->labels, "{}");

		RECORD(m->suite, m->test, m->name, figure(m->value, &a), m->unit,
			figure(m->min, &a), figure(m->max, &a),
			m->resolution > 0 ? figure(m->resolution, &a) : "",
			labelled ? m->labels : "", NULL, NULL);
	}
	arena_done(&a);
	return out->overflow
		       ? err_set(e, BLAME_BUG, "the report is larger than %zu bytes", out->cap)
		       : 0;
}

const struct report_format csv_format = {
	.d = {.name = "csv",
		.brief = "results and figures, a record each, as 'hilab import' reads them",
		.proven = "golden cases; imported again"},
	.mime = "text/csv; charset=utf-8",
	.ext = "csv",
	.write = csv_write,
};
