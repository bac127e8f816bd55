/* SPDX-License-Identifier: MIT */
#ifndef REPORTS_PARSE_NETPERF_GUIDE_H
#define REPORTS_PARSE_NETPERF_GUIDE_H

/* What TI's Linux guides publish of netperf's UDP_STREAM: a row for each size of a frame. */

#include "rows.h"

#define NETPERF_GUIDE_COLUMNS 8

struct netperf_guide {
	const char *direction, *loss;               /* of the heading; NULL: not told */
	const char *columns[NETPERF_GUIDE_COLUMNS]; /* the metric; NULL: the size of a datagram */
	size_t n;                                   /* 0: there is no table */
	bool blanks;                                /* parted by single ones */
	size_t torn;                                /* lines, at its heading */
};

/* Returns how many figures the line tells. */
size_t netperf_guide_line(
	struct netperf_guide *g, const struct lines *l, struct str line, const struct sink *sink);

#endif
