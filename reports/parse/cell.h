/* SPDX-License-Identifier: MIT */
#ifndef REPORTS_PARSE_CELL_H
#define REPORTS_PARSE_CELL_H

/*
 * A cell of a published table as a figure: "12.3", "12.3 ms", "97%", "12.3 (min 11.0, max 13.1)".
 * Pure. A text that could be read in two ways ("1,234") is no figure.
 */

#include "base/str.h"

enum cell_kind {
	CELL_FIGURE,
	CELL_MISSING, /* empty, "-", "n/a", "nan" and the like: not 0 */
	CELL_TEXT     /* anything else */
};

struct cell_figure {
	double value, min, max; /* NAN: not told */
	double step;            /* of the last digit that is printed of value: 0.01 of "12.30" */
	struct str unit;        /* behind the number, in the text; n 0: none */
};
/* f is filled when it is a figure. */
enum cell_kind cell_figure(struct str text, struct cell_figure *f);
/* The last text in brackets of a heading, "Throughput (MB/s)"; n 0: there is none. */
struct str cell_bracket(struct str heading);

#endif
