/* SPDX-License-Identifier: MIT */
#ifndef REPORTS_REFERENCE_H
#define REPORTS_REFERENCE_H

/*
 * Published figures (reports/reference/SOC.yaml), one file a document: what a vendor printed for a
 * release, keyed by the metric table's names, to compare with. Values are kept as printed and in
 * the metric's unit; what is doubtful in the source says so in a note.
 */

#include "io/node.h"
#include "io/schema.h"
#include "reports/parse/metric.h"
#include "reports/parse/sink.h"

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
struct reference_table {
	const char *section, *table;
	struct param_strings
		parsers;       /* that make its figures out of what is printed; none: nobody does */
	const char *no_parser; /* why; NULL: some do */
	/* The job whose steps (patterns of fnmatch(3)) print it on silicon, with these params. */
	const char *job; /* below jobs/; NULL: none */
	struct param_strings steps;
	const struct node *job_params; /* NULL: none */
};
struct reference {
	struct arena arena;
	const char *soc;
	size_t n_tables, n;
	struct reference_table *tables;   /* in the order of the document */
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

/* ---- reference-match.c ---- */
enum reference_fit { REFERENCE_FITS, REFERENCE_NONE, REFERENCE_UNSURE };
/*
 * The published figure that a run's metric is to be compared with, by its name in the metric table
 * and the labels that key it:
 *
 *   1. every label that both have agrees: as text but for case, as size (4k = 4096 = 4KiB), as
 *      number (1 = 1.0);
 *   2. a label that only the figure has makes it another one, but for those that say how it was
 *      counted and not what was measured ("cycles", "test");
 *   3. a label that only the run has does not matter where no figure of the metric in that document
 *      has it; where one has, a figure without it is another one.
 *
 * Of several that fit the one wins that agrees in most labels, then in most texts; two that are
 * left are REFERENCE_UNSURE: nothing is guessed. *figure is NULL unless it fits. A twin has no
 * reference: that is for the caller to know.
 */
enum reference_fit reference_match(const struct reference *r, const char *metric,
	const struct sink_label *labels, size_t n, const struct reference_figure **figure);

#endif
