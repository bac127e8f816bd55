/* SPDX-License-Identifier: MIT */
#ifndef REPORTS_KNOWN_H
#define REPORTS_KNOWN_H

/* Known issues: is what went wrong one that somebody expects? */

#include "store/alerts.h"

#include "base/arena.h"

struct known_issues {
	struct arena arena;
	struct store_known *p;
	size_t n;
};
struct known_case { /* what went wrong; NULL: it has none of that */
	const char *job, *suite, *test, *message, *type, *line, *version;
};
/* Those that have not expired at that time. */
int known_issues_load(struct known_issues *l, struct store *s, int64_t at_ms, struct err *e);
void known_issues_done(struct known_issues *l);
/* The first that fits; NULL. Versions are compared as GNU's versionsort does (strverscmp(3)). */
const struct store_known *known_issues_find(
	const struct known_issues *l, const struct known_case *c);

#endif
