/* SPDX-License-Identifier: MIT */
/* The log of the daemons on standard error: one write(2) a line, so that lines never mix. */
#include "base/log.h"

#include "base/clock.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define LINE_BYTES 2048

static enum log_level limit = LOG_WARN;
static const char *const names[] = {"error", "warn", "info", "debug"};

void log_init(enum log_level preset)
{
	const char *want = getenv("HILAB_LOG");

	limit = preset;
	for (unsigned i = 0; want && i < ARRAY_LEN(names); i++)
		if (!strcmp(want, names[i]))
			limit = i;
}

PRINTF(2, 0)
static void line(enum log_level level, const char *fmt, va_list ap)
{
	char text[LINE_BYTES], at[CLOCK_ISO_BYTES];
	ssize_t done;
	int n;

	if (level > limit)
		return;
	n = snprintf(text, sizeof text, "%s %s ", clock_iso(clock_wall_ms(), at, sizeof at),
		names[level]);
	n += vsnprintf(text + n, sizeof text - n - 1, fmt, ap);
	if (n > (int)sizeof text - 2)
		n = sizeof text - 2;
	for (int i = 0; i < n; i++) /* what a board printed must not look like lines of ours */
		if ((unsigned char)text[i] < 0x20 || text[i] == 0x7f)
			text[i] = ' ';
	text[n++] = '\n';
	done = write(STDERR_FILENO, text, n);
	(void)done; /* nowhere left to say it */
}

#define LEVEL(fn, level)                                                                           \
	void fn(const char *fmt, ...)                                                              \
	{                                                                                          \
		va_list ap;                                                                        \
		va_start(ap, fmt);                                                                 \
		line(level, fmt, ap);                                                              \
		va_end(ap);                                                                        \
	}

LEVEL(log_error, LOG_ERROR)
LEVEL(log_warn, LOG_WARN)
LEVEL(log_info, LOG_INFO)
LEVEL(log_debug, LOG_DEBUG)
