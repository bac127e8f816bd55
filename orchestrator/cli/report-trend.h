/* SPDX-License-Identifier: MIT */
#ifndef CLI_REPORT_TREND_H
#define CLI_REPORT_TREND_H

/* What `hilab report trend` and `hilab trend` share: which series, since when, in which form. */

#include "base/buf.h"
#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct report_trend_args {
	const char *type, *board, *metric, *build, *job, *suite, *since, *until;
	const char *format, *output, *title, *link_base, *store;
	bool full, silicon, twin, json, ascii;
};
/* Rows of a table of options: which series. */
#define REPORT_TREND_OPTS(struct_args)                                                             \
	{"type", 0, CLI_TEXT, offsetof(struct_args, type), "TYPE",                                 \
		"of that board type (* and ?)"},                                                   \
		{"board", 0, CLI_TEXT, offsetof(struct_args, board), "BOARD",                      \
			"of that board (* and ?)"},                                                \
		{"build", 0, CLI_TEXT, offsetof(struct_args, build), "NAME",                       \
			"of builds of that name (* and ?)"},                                       \
		{"job", 0, CLI_TEXT, offsetof(struct_args, job), "JOB",                            \
			"of jobs of that name (* and ?)"},                                         \
		{"suite", 0, CLI_TEXT, offsetof(struct_args, suite), "SUITE",                      \
			"of that suite (* and ?)"},                                                \
		{"silicon", 0, CLI_FLAG, offsetof(struct_args, silicon), NULL,                     \
			"of real boards only"},                                                    \
		{"twin", 0, CLI_FLAG, offsetof(struct_args, twin), NULL, "of twins only"},         \
		{"since", 0, CLI_TEXT, offsetof(struct_args, since), "TIME",                       \
			"runs from there on: 2026-01-31, or 90d ago"},                             \
		{"until", 0, CLI_TEXT, offsetof(struct_args, until), "TIME", "runs before that"},  \
	{                                                                                          \
		"store", 0, CLI_TEXT, offsetof(struct_args, store), "FILE",                        \
			"the store (HILAB_STORE, or the state folder's hilab.db)"                  \
	}

/* The trend of what a asks for, in a->format, onto out; series, unless NULL, gets how many there
 * are. Errors: BLAME_CONFIG for what was typed. */
int report_trend(const struct report_trend_args *a, struct buf *out, size_t *series, struct err *e);

#endif
