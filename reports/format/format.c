/* SPDX-License-Identifier: MIT */
/* The table of formats and the text that they share. Invariant: the table is sorted by name. */
#include "formats.h"

#include "io/json.h"

#include <math.h>
#include <stdio.h>

const struct driver *const *report_formats(void)
{
	static const struct driver *const table[] = {
		&csv_format.d,
		&html_format.d,
		&json_format.d,
		&junit_format.d,
		&kcidb_format.d,
		&markdown_format.d,
		&squad_metadata_format.d,
		&squad_metrics_format.d,
		&squad_tests_format.d,
		&tap_format.d,
		&text_format.d,
		NULL,
	};

	return table;
}

char *format_figure(double value, char *out, size_t n)
{
	double size = fabs(value);
	int decimals;

	if (value == floor(value) && size < 1e15) {
		snprintf(out, n, "%.0f", value);
		return out;
	}
	if (size >= 1e15 || size < 1e-4) {
		snprintf(out, n, "%.4g", value);
		return out;
	}
	decimals = size >= 1000 ? 0 : 3 - (int)floor(log10(size));
	snprintf(out, n, "%.*f", decimals, value);
	return out;
}

const char *format_labels(struct arena *a, const char *labels)
{
	AUTOJSON *j = json_loads(labels ? labels : "{}", 0, NULL);
	AUTOBUF text = BUF_INIT(BUF_CAP_BYTES);
	const char *name;
	json_t *value;

	json_object_foreach (j, name, value) {
		buf_printf(&text, "%s%s=", text.len ? " " : "", name);
		if (json_is_string(value))
			buf_puts(&text, json_string_value(value));
		else
			json_write(value, JSON_ENCODE_ANY, &text, NULL);
	}
	return format_safe(a, buf_str(&text));
}

const char *format_safe(struct arena *a, const char *text)
{
	char *copy = arena_strdup(a, text ? text : "-");

	for (unsigned char *p = (unsigned char *)copy; *p; p++) {
		if (*p == '\n' || *p == '\t' || *p == '\r')
			*p = ' ';
		else if (*p < 0x20 || *p == 0x7f)
			*p = '?';
		else if (*p == 0xc2 && p[1] >= 0x80 && p[1] < 0xa0) /* C1, such as CSI */
			*p = '?', p[1] = '?';
	}
	return copy;
}

const char *format_aggregate(struct arena *a, const struct aggregate *g)
{
	char avg[FORMAT_FIGURE_BYTES], min[FORMAT_FIGURE_BYTES], max[FORMAT_FIGURE_BYTES];

	/* The word stands where it is not the mean: that is what people take it for. */
	return arena_printf(a, "%s%s%s (min %s, max %s)",
		g->how == METRIC_MEAN ? "" : metric_aggregate_names[g->how],
		g->how == METRIC_MEAN ? "" : " ", format_figure(g->value, avg, sizeof avg),
		format_figure(g->min, min, sizeof min), format_figure(g->max, max, sizeof max));
}

const char *format_value(struct arena *a, const struct store_metric *m)
{
	char value[FORMAT_FIGURE_BYTES], min[FORMAT_FIGURE_BYTES], max[FORMAT_FIGURE_BYTES];
	bool has_min = isfinite(m->min), has_max = isfinite(m->max);

	format_figure(m->value, value, sizeof value);
	format_figure(has_min ? m->min : 0, min, sizeof min);
	format_figure(has_max ? m->max : 0, max, sizeof max);
	if (has_min && has_max)
		return arena_printf(a, "%s (min %s, max %s)", value, min, max);
	if (has_min || has_max)
		return arena_printf(
			a, "%s (%s %s)", value, has_min ? "min" : "max", has_min ? min : max);
	return arena_strdup(a, value);
}

char *format_took(const struct store_run *run, char *out, size_t n)
{
	if (run->ended_ms && run->started_ms && run->ended_ms >= run->started_ms)
		return str_format_ms(run->ended_ms - run->started_ms, out, n);
	snprintf(out, n, "-");
	return out;
}
