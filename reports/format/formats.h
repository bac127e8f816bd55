/* SPDX-License-Identifier: MIT */
#ifndef REPORTS_FORMAT_FORMATS_H
#define REPORTS_FORMAT_FORMATS_H

/* Every format, each defined in the file of its name, and the text that they share. */

#include "format.h"

#include <jansson.h>

extern const struct report_format csv_format, html_format, json_format, junit_format, kcidb_format,
	markdown_format, squad_metadata_format, squad_metrics_format, squad_tests_format,
	tap_format, text_format;

/* A figure with the digits that say something: whole when it is whole, else four significant ones
 * or all before the point. Returns out. */
#define FORMAT_FIGURE_BYTES 40
char *format_figure(double value, char *out, size_t n);
/* Labels ({"bs":"4k"}) as "bs=4k rw=read" in a; "" when there are none. */
const char *format_labels(struct arena *a, const char *labels);
/* Text without bytes that a terminal would act on, on one line, in a. NULL gives "-". */
const char *format_safe(struct arena *a, const char *text);
/* For inside an element, or an attribute in double quotes; what XML does not allow as \xNN. */
void format_xml(const char *text, struct buf *out);
/* A record of RFC 4180; NULL is an empty field. */
void format_csv(const char *const *fields, size_t n, struct buf *out);
/* For inside a cell of a Markdown table, or a line of its text. */
void format_markdown(const char *text, struct buf *out);
void format_markdown_row(const char *const *cells, size_t n, struct buf *out);
/* A JSON string, or null for NULL: a new reference. Bytes of another encoding are lost, the text is
 * not. */
json_t *format_json(const char *s);
/* "13.68 (min 13.50, max 13.97)", as the published tables have it; in a. */
const char *format_aggregate(struct arena *a, const struct aggregate *g);
/* The same of a metric: its min and max where they are told; in a. */
const char *format_value(struct arena *a, const struct store_metric *m);
/* How long a run took, "-" while it runs. Returns out. */
char *format_took(const struct store_run *run, char *out, size_t n);

#endif
