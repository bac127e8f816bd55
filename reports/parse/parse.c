/* SPDX-License-Identifier: MIT */
/* The table of parsers and the names of the statuses. Invariant: the table is sorted by name. */
#include "parse.h"

#include "parsers.h"

static const char *const status_names[STATUS_COUNT] = {
	[STATUS_PASS] = "pass",
	[STATUS_FAIL] = "fail",
	[STATUS_ERROR] = "error",
	[STATUS_MISS] = "miss",
	[STATUS_SKIP] = "skip",
	[STATUS_DONE] = "done",
};

const char *status_name(enum status s)
{
	return (unsigned)s < STATUS_COUNT ? status_names[s] : "miss";
}

int status_parse(const char *name)
{
	for (int s = 0; name && s < STATUS_COUNT; s++)
		if (!strcmp(name, status_names[s]))
			return s;
	return -1;
}

const struct driver *const *parse_drivers(void)
{
	static const struct driver *const table[] = {
		&fio_parser.d,
		&iperf3_parser.d,
		NULL,
	};

	return table;
}
