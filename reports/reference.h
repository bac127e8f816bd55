/* SPDX-License-Identifier: MIT */
#ifndef REPORTS_REFERENCE_H
#define REPORTS_REFERENCE_H

/*
 * Published figures (reports/reference/SOC.yaml), one file a document: what a vendor printed for a
 * release, keyed by the metric table's names, to compare with. Values are kept as printed and in
 * the metric's unit; what is doubtful in the source says so in a note.
 */

#include "io/node.h"
#include "reports/parse/metric.h"

struct reference_figure {
	const char *section, *table; /* captions of the document */
	int64_t row;                 /* in the section, from 1, in the order of the document */
	const struct metric_def *def;
	const struct node *params; /* a mapping; NULL: none */
	const char *key;           /* "fio.read.bw bs=4k fs=raw": name and params, sorted */
	const char *printed, *printed_min, *printed_max,
		*unit;          /* as printed; min, max may be NULL */
	double value, min, max; /* in def->unit; NAN: not told */
	const char *note;       /* why it is doubtful; NULL */
};
struct reference {
	struct arena arena;
	const char *soc;
	size_t n_tables, n;
	struct reference_figure *figures; /* in the order of the document */
};
struct reference_set {
	struct reference *p; /* by soc */
	size_t n;
};

/* Every problem of the file goes to diag: a metric that the table does not have, a unit that does
 * not convert, a key or a row that stands twice. table is borrowed and outlives r. */
int reference_load(
	struct reference *r, const char *path, const struct metric_table *table, struct diag *diag);
void reference_done(struct reference *r);
/* All files of a folder; NULL: the installed ones. */
int reference_set_load(struct reference_set *s, const char *dir, const struct metric_table *table,
	struct diag *diag);
void reference_set_done(struct reference_set *s);
const struct reference *reference_set_find(const struct reference_set *s, const char *soc);
/* The figure of that key; NULL. */
const struct reference_figure *reference_find(const struct reference *r, const char *key);

#endif
