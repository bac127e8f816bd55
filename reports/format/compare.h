/* SPDX-License-Identifier: MIT */
#ifndef REPORTS_FORMAT_COMPARE_H
#define REPORTS_FORMAT_COMPARE_H

/* A comparison in words, as a page, or for programs. */

#include "format.h"
#include "reports/compare.h"

extern const char *const compare_formats[]; /* NULL-ended, sorted: "csv", "html", ... */
/*
 * All: also what is the same or noise; html, csv and json always have it. JSON is
 * {"schema": "hilab.compare/1", ...}, CSV one record a test or figure. BLAME_CONFIG: no such
 * format.
 */
int compare_write(const struct compare *c, const char *format, bool all,
	const struct report_opts *o, struct buf *out, struct err *e);

#endif
