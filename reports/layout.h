/* SPDX-License-Identifier: MIT */
#ifndef REPORTS_LAYOUT_H
#define REPORTS_LAYOUT_H

/*
 * Where each published figure stands (reports/layout/SOC.yaml): the document's sections, tables,
 * rows and columns in its order, with captions as printed and texts of our own. A cell is text with
 * places for figures: "{12} MB/sec" is the figure of row 12 of the section's reference.
 */

#include "reference.h"

struct layout_part { /* a table may be printed in several, each with a setup of its own */
	struct param_strings setup;
	const char **columns;
	const char **cells; /* n_rows x n_columns, row by row */
	size_t n_columns, n_rows;
};
struct layout_table {
	const char *section, *table;
	const char
		*caption; /* as printed, where that is not the table; "": none; NULL: the table */
	const char *text; /* how it is measured; NULL: as its section says */
	struct param_strings setup;
	struct layout_part *parts; /* at least one */
	size_t n_parts;
};
struct layout_section {
	const char *section, *text; /* text NULL: none */
	struct param_strings setup;
};
struct layout {
	struct arena arena;
	const char *soc, *title, *text;
	struct layout_section *sections; /* those that have a text or a setup */
	struct layout_table *tables;     /* in the order of the document */
	size_t n_sections, n_tables;
};

/*
 * path NULL: the installed one of r's SoC; r is borrowed and outlives l. Every problem goes to
 * diag: a table that r does not have or that has no place here, a figure that stands nowhere or
 * twice.
 */
int layout_load(struct layout *l, const char *path, const struct reference *r, struct diag *diag);
void layout_done(struct layout *l);
/* NULL: it has neither text nor setup. */
const struct layout_section *layout_section_find(const struct layout *l, const char *section);
/*
 * Cuts the text before the next place off *rest into *before and the place into *row. False at the
 * end: *before is what was left.
 */
bool layout_place(const char **rest, struct str *before, int64_t *row);

#endif
