/* SPDX-License-Identifier: MIT */
#ifndef REPORTS_FORMAT_FORMAT_H
#define REPORTS_FORMAT_FORMAT_H

/* Report formats: one run as text of some kind. A figure that is missing is "-" or null, never 0.
 */

#include "io/driver.h"
#include "reports/report.h"

struct report_opts {
	int width;          /* columns of the terminal; 0: unbounded */
	bool colour;        /* ANSI colours */
	const char *origin; /* whose reports they are, for KCIDB; NULL: "hilab" */
};

struct report_format {
	struct driver d;
	const char *mime, *ext;
	/* o may be NULL: no width, no colour. */
	int (*write)(const struct report *r, const struct report_opts *o, struct buf *out,
		struct err *e);
};

const struct driver *const *report_formats(void); /* NULL-ended, sorted; each a report_format */

/* Several runs, one line each. */
int report_list_text(
	const struct report_list *l, const struct report_opts *o, struct buf *out, struct err *e);
/* {"schema": "hilab.runs/1", "runs": [...]} */
int report_list_json(const struct report_list *l, struct buf *out, struct err *e);

#endif
