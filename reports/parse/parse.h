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
#include "base/verdict.h"
#include "io/driver.h"

struct sink_label {
	const char *name, *value;
};

/* Where a parser puts what it found. Any function may be NULL. All texts are borrowed for the call.
 */
struct sink {
	void *arg;
	/* why may be NULL */
	void (*result)(void *arg, const char *name, enum status s, const char *why);
	/* name is a key of the metric table ("fio.write.bw"), unit as the tool gave it; label_* are
	 * n parameters that key the series. */
	void (*metric)(void *arg, const char *name, double value, const char *unit,
		const struct sink_label *labels, size_t n);
	/* About the run: tool version and the like: recorded, never judged. */
	void (*env)(void *arg, const char *name, const char *value);
	void (*warn)(void *arg, const char *text);
};

struct parser {
	struct driver d;
	/* 0..100: how sure that this text is its own; NULL: only by name. */
	int (*detect)(struct str text);
	/* 0, or -1 with e when the text is not that tool's at all or reports the tool's own failure
	 * (BLAME_TEST). Metrics may have been emitted before. */
	int (*parse)(struct str text, const struct sink *sink, struct err *e);
};

const struct driver *const *parse_drivers(void); /* NULL-ended, sorted; each is a struct parser */

#endif
