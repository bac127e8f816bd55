/* SPDX-License-Identifier: MIT */
/*
 * Errors with context. Invariant: msg is always NUL-terminated and cut, never overrun; a set
 * error always has a blame other than BLAME_NONE.
 */
#include "base/err.h"

#include <stdio.h>
#include <string.h>

static const char *const names[BLAME_COUNT] = {
	[BLAME_NONE] = "none",
	[BLAME_JOB] = "job",
	[BLAME_INFRA] = "infra",
	[BLAME_TEST] = "test",
	[BLAME_BUILD] = "build",
	[BLAME_TIMEOUT] = "timeout",
	[BLAME_CANCEL] = "cancel",
	[BLAME_CONFIG] = "config",
	[BLAME_BUG] = "bug",
};

/* Made aside first: the old message may be among the arguments. */
PRINTF(4, 0)
static void set(struct err *e, enum err_blame blame, int sys, const char *fmt, va_list ap)
{
	char msg[ERR_MSG_BYTES];
	int n = vsnprintf(msg, sizeof msg, fmt, ap);

	memcpy(e->msg, msg, sizeof msg);
	e->blame = blame == BLAME_NONE ? BLAME_BUG : blame;
	e->sys = sys;
	if (sys && n >= 0 && (size_t)n < sizeof e->msg)
		snprintf(e->msg + n, sizeof e->msg - n, ": %s", strerror(sys));
}

int err_set(struct err *e, enum err_blame blame, const char *fmt, ...)
{
	va_list ap;

	if (!e)
		return -1;
	va_start(ap, fmt);
	set(e, blame, 0, fmt, ap);
	va_end(ap);
	return -1;
}

int err_sys(struct err *e, enum err_blame blame, int sys, const char *fmt, ...)
{
	va_list ap;

	if (!e)
		return -1;
	va_start(ap, fmt);
	set(e, blame, sys, fmt, ap);
	va_end(ap);
	return -1;
}

int err_wrap(struct err *e, const char *fmt, ...)
{
	char msg[ERR_MSG_BYTES];
	va_list ap;
	int n;

	if (!e)
		return -1;
	va_start(ap, fmt);
	n = vsnprintf(msg, sizeof msg, fmt, ap);
	va_end(ap);
	if (n >= 0 && (size_t)n < sizeof msg &&
		snprintf(msg + n, sizeof msg - n, ": %s", e->msg) < 0)
		msg[n] = 0;
	memcpy(e->msg, msg, sizeof msg);
	return -1;
}

void err_clear(struct err *e)
{
	if (e)
		*e = (struct err){0};
}

const char *err_blame_name(enum err_blame blame)
{
	return (unsigned)blame < BLAME_COUNT ? names[blame] : "bug";
}

int err_blame_parse(const char *name)
{
	for (int i = 0; name && i < BLAME_COUNT; i++)
		if (!strcmp(name, names[i]))
			return i;
	return -1;
}
