/* SPDX-License-Identifier: MIT */
/*
 * The names of statuses and verdicts, and the exit status of a verdict. Invariant: what is not
 * known is never taken for a pass.
 */
#include "base/verdict.h"

#include <string.h>

static const char *const status_names[STATUS_COUNT] = {
	[STATUS_PASS] = "pass",
	[STATUS_FAIL] = "fail",
	[STATUS_ERROR] = "error",
	[STATUS_MISS] = "miss",
	[STATUS_SKIP] = "skip",
	[STATUS_DONE] = "done",
};
static const char *const verdict_names[VERDICT_COUNT] = {
	[VERDICT_PASS] = "pass",
	[VERDICT_FAIL] = "fail",
	[VERDICT_INCOMPLETE] = "incomplete",
	[VERDICT_CANCELED] = "canceled",
};

static int parse(const char *const *names, int n, const char *name)
{
	for (int i = 0; name && i < n; i++)
		if (!strcmp(name, names[i]))
			return i;
	return -1;
}

const char *status_name(enum status s)
{
	return (unsigned)s < STATUS_COUNT ? status_names[s] : "miss";
}

int status_parse(const char *name)
{
	return parse(status_names, STATUS_COUNT, name);
}

const char *verdict_name(enum verdict v)
{
	return (unsigned)v < VERDICT_COUNT ? verdict_names[v] : "incomplete";
}

int verdict_parse(const char *name)
{
	return parse(verdict_names, VERDICT_COUNT, name);
}

enum exit_status verdict_exit(enum verdict v, enum err_blame blame)
{
	switch (v) {
	case VERDICT_PASS:
		return EXIT_PASS;
	case VERDICT_FAIL:
		return EXIT_FAIL;
	case VERDICT_CANCELED:
		return EXIT_CANCELED;
	default:
		return blame == BLAME_BUILD ? EXIT_BUILD : EXIT_INCOMPLETE;
	}
}

enum exit_status verdict_exit_of(const char *verdict, const char *blame)
{
	int v = verdict_parse(verdict), b = err_blame_parse(blame);

	return verdict_exit(v < 0 ? VERDICT_INCOMPLETE : (enum verdict)v,
		b < 0 ? BLAME_NONE : (enum err_blame)b);
}

enum exit_status blame_exit(enum err_blame blame)
{
	return blame == BLAME_CONFIG  ? EXIT_USAGE
	       : blame == BLAME_BUILD ? EXIT_BUILD
				      : EXIT_INCOMPLETE;
}
