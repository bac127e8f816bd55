/* SPDX-License-Identifier: MIT */
/* Workloads of EEMBC's harness. Invariant: a rate belongs to the workload that its line names. */
#include "mith.h"

static bool mith_number(struct str s, double *value)
{
	struct str rest;
	double number;

	if (!lines_number(s, &number, &rest) || rest.n)
		return false;
	*value = number;
	return true;
}

bool mith_line(struct mith *m, struct str line)
{
	char name[ROWS_LABEL_BYTES];
	struct str rest, key, value;
	ptrdiff_t colon, equals;

	if (!lines_after(line, "-- ", &rest))
		return false;
	colon = str_chr(rest, ':');
	equals = str_chr(rest, '=');
	if (colon < 1 || equals < colon)
		return false;
	key = str_make(rest.p + colon + 1, (size_t)(equals - colon) - 1);
	value = str_trim(str_make(rest.p + equals + 1, rest.n - (size_t)equals - 1));
	if (rows_label(str_make(rest.p, (size_t)colon), name) || strchr(name, ' '))
		return false;
	if (!strcmp(name, "Workload") || !strcmp(name, "Done")) {
		*m = (struct mith){.rate = 0};
		return false;
	}
	if (strcmp(name, m->name)) {
		*m = (struct mith){.rate = 0};
		memcpy(m->name, name, sizeof name);
	}
	if (str_is(key, "contexts") && rows_label(value, m->contexts))
		m->contexts[0] = 0;
	return str_is(key, "workloads/sec") && mith_number(value, &m->rate);
}

bool mith_row(struct str line, char name[ROWS_LABEL_BYTES], double *rate)
{
	static const char mark[] = "(workloads/)";
	ptrdiff_t at = str_find(line, STR_LIT(mark));
	size_t after = (size_t)at + sizeof mark - 1;
	struct str value;

	if (at < 1 || rows_label(str_make(line.p, (size_t)at), name) || strchr(name, ' '))
		return false;
	value = str_trim(str_make(line.p + after, line.n - after));
	if (value.n && *value.p == '|')
		value = str_trim(str_make(value.p + 1, value.n - 1));
	return mith_number(value, rate);
}
