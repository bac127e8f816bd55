/* SPDX-License-Identifier: MIT */
#ifndef REPORTS_PARSE_SINK_H
#define REPORTS_PARSE_SINK_H

/* Where a parser puts what it found, and how it says it. */

#include "base/attr.h"
#include "base/verdict.h"

#include <math.h>
#include <stddef.h>

#define SINK_WARN_BYTES 512 /* a longer warning is cut */

struct sink_label {
	const char *name, *value;
};

/* One figure. Start from SINK_METRIC, which says that nothing but name, value and unit is told. */
struct sink_metric {
	const char *name;  /* a key of the metric table, "fio.write.bw" */
	double value;      /* finite */
	const char *unit;  /* as the tool gave it: min, max and resolution are in it too */
	double min, max;   /* over what value is the mean or median of; NAN: not told */
	double resolution; /* quantum of the clock or counter behind value; 0: not told */
	const struct sink_label *labels; /* n parameters that key the series */
	size_t n;
	const char *better; /* "higher", "lower", "neither": for one that no table knows; NULL: not
			       told */
};
#define SINK_METRIC(name, value, unit)                                                             \
	((struct sink_metric){(name), (value), (unit), NAN, NAN, 0, NULL, 0, NULL})

/* Any function may be NULL. All texts are borrowed for the call. */
struct sink {
	void *arg;
	/* Byte offset in the text of what the next result, metric, env or warn is about. It holds
	 * until the next one. */
	void (*at)(void *arg, size_t offset);
	/* Results that follow belong to this suite; NULL: to none. */
	void (*suite)(void *arg, const char *name);
	/* why may be NULL */
	void (*result)(void *arg, const char *name, enum status s, const char *why);
	void (*metric)(void *arg, const struct sink_metric *m);
	/* About the run: tool version and the like: recorded, never judged. */
	void (*env)(void *arg, const char *name, const char *value);
	void (*warn)(void *arg, const char *text);
};

/* What a parser calls: each passes over a function that is NULL. */
void sink_at(const struct sink *s, size_t offset);
void sink_suite(const struct sink *s, const char *name);
void sink_result(const struct sink *s, const char *name, enum status status, const char *why);
/* A value that is not finite is missing and not emitted; a min or max that is not is not told. */
void sink_metric(const struct sink *s, const struct sink_metric *m);
/* A metric of which only the value is told. */
void sink_figure(const struct sink *s, const char *name, double value, const char *unit,
	const struct sink_label *labels, size_t n);
void sink_env(const struct sink *s, const char *name, const char *value);
void sink_warn(const struct sink *s, const char *fmt, ...) PRINTF(2, 3);

#endif
