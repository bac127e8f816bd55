/* SPDX-License-Identifier: MIT */
#ifndef REPORTS_PARSE_PARSE_H
#define REPORTS_PARSE_PARSE_H

/*
 * Parsers: bytes in, results and metrics out. Pure and total: any bytes, no I/O, no clock, no
 * crash, no endless loop, and never a figure made of missing data. A parser that finds nothing it
 * knows returns 0 with nothing emitted; the caller decides what that means. Damage is told through
 * warn.
 */

#include "base/str.h"
#include "io/driver.h"
#include "sink.h"

struct parser {
	struct driver d;
	/* 0..100: how sure that this text is its own; NULL: only by name. */
	int (*detect)(struct str text);
	/* 0, or -1 with e when the text is not that tool's at all or reports the tool's own failure
	 * (BLAME_TEST). Metrics may have been emitted before. */
	int (*parse)(struct str text, const struct sink *sink, struct err *e);
	/* The same with settings, the struct that d.params fill. NULL: it has none. With it, parse
	 * is for those who have none and says what is missing. */
	int (*parse_set)(const void *set, struct str text, const struct sink *sink, struct err *e);
	/* What its rows cannot say of the settings (rows are right, map is there); NULL: nothing.
	 */
	int (*check)(const struct node *map, struct diag *diag);
	/* Its figures are named by the text itself, and not held against the metric table. */
	bool own_names;
	/*
	 * NULL-ended literals, 4 to 64 bytes each, for scan.h: every line that changes what it
	 * finds has one of them in it, or is near one that has. The case of ASCII letters is one;
	 * \n stands for any line end and for the start of the text. NULL: it has to be given the
	 * whole text.
	 */
	const char *const *marks;
	bool whole;  /* where a mark stands at all, every line may change what it finds */
	bool stops;  /* at a failure that the tool reports: parse returns at that line */
	bool beside; /* tells what stands around or in other tools' output: no rival of theirs */
};

const struct driver *const *parse_drivers(void); /* NULL-ended, sorted; each is a struct parser */
/* Runs p with its settings as they stand in a job or plan; settings NULL: none given. BLAME_JOB
 * when they are not what p takes. */
int parser_run(const struct parser *p, const struct node *settings, struct str text,
	const struct sink *sink, struct err *e);
/* All that is wrong with settings (NULL: none given, at is then where); -1 when anything is. */
int parser_check(
	const struct parser *p, const struct node *settings, struct loc at, struct diag *diag);

#endif
