/* SPDX-License-Identifier: MIT */
/*
 * A wall clock that somebody sets again and again: each third reading of it is a day later or
 * earlier than the one before. Durations come from another clock, which is left alone.
 */
#include <dlfcn.h>
#include <sys/time.h>
#include <time.h>

#define EVERY 3
#define DAY_S 86400

static long jump(void)
{
	static unsigned readings;

	return readings++ / EVERY % 2 ? DAY_S : 0;
}

int clock_gettime(clockid_t id, struct timespec *t)
{
	static int (*real)(clockid_t, struct timespec *);
	int rc;

	if (!real)
		real = (int (*)(clockid_t, struct timespec *))dlsym(RTLD_NEXT, "clock_gettime");
	rc = real(id, t);
	if (!rc && (id == CLOCK_REALTIME || id == CLOCK_REALTIME_COARSE))
		t->tv_sec += jump();
	return rc;
}

int gettimeofday(struct timeval *restrict t, void *restrict zone)
{
	struct timespec now;

	(void)zone;
	if (clock_gettime(CLOCK_REALTIME, &now))
		return -1;
	t->tv_sec = now.tv_sec;
	t->tv_usec = now.tv_nsec / 1000;
	return 0;
}

time_t time(time_t *out)
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	if (out)
		*out = now.tv_sec;
	return now.tv_sec;
}
