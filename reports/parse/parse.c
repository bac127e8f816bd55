/* SPDX-License-Identifier: MIT */
/* The table of parsers. Invariant: the table is sorted by name. */
#include "parse.h"

#include "parsers.h"

const struct driver *const *parse_drivers(void)
{
	static const struct driver *const table[] = {
		&fio_parser.d,
		&iperf2_parser.d,
		&iperf3_parser.d,
		&netperf_parser.d,
		NULL,
	};

	return table;
}
