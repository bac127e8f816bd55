/* SPDX-License-Identifier: MIT */
#ifndef REPORTS_HISTORY_H
#define REPORTS_HISTORY_H

/* Series with their points out of the store, in one arena: what judge, trend and compare read. */

#include "base/arena.h"
#include "store/series.h"

struct history_series {
	struct store_series s;
	struct store_point *points; /* oldest first */
	size_t n;
};
struct history {
	struct arena arena;
	struct history_series *series; /* in the order of store_series_list */
	size_t n;
};
#define HISTORY_SERIES ((size_t)1 << 20) /* more are an error that says how to ask for less */
#define HISTORY_POINTS ((size_t)12 << 20)

/* Points are those that f asks for by their time; f NULL: everything. */
int history_gather(
	struct history *h, struct store *s, const struct store_series_filter *f, struct err *e);
void history_done(struct history *h);

#endif
