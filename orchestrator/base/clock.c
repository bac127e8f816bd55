/* SPDX-License-Identifier: MIT */
/* Time from the kernel's clocks, but for a test that sets them; nothing is cached. */
#include "base/clock.h"

#include <stdio.h>
#include <time.h>

static int64_t test_ms; /* 0: none */

void clock_set_test(int64_t wall_ms)
{
	test_ms = wall_ms;
}

int64_t clock_us(void)
{
	struct timespec t;

	if (test_ms)
		return test_ms * 1000;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000000 + t.tv_nsec / 1000;
}

int64_t clock_ms(void)
{
	return clock_us() / 1000;
}

int64_t clock_wall_ms(void)
{
	struct timespec t;

	if (test_ms)
		return test_ms;
	clock_gettime(CLOCK_REALTIME, &t);
	return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

char *clock_iso(int64_t wall_ms, char *out, size_t n)
{
	int ms = (int)(wall_ms % 1000 + 1000) % 1000;
	time_t s = (wall_ms - ms) / 1000;
	struct tm tm;
	char day[24] = "";

	if (gmtime_r(&s, &tm))
		strftime(day, sizeof day, "%Y-%m-%dT%H:%M:%S", &tm);
	snprintf(out, n, "%s.%03dZ", day, ms);
	return out;
}
