/* SPDX-License-Identifier: MIT */
/*
 * A real-time clock: it is read, runs, is set and put back, and its alarm rings. Invariant: the
 * clock shows the right time afterwards, to the second.
 */
#include "test.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#include <linux/rtc.h>

#define TICK_MS 3000  /* longest wait for the next second */
#define SHIFT_S 86400 /* how far the clock is set away */
#define ALARM_S 2

static time_t seconds(const struct rtc_time *t)
{
	struct tm tm = {.tm_sec = t->tm_sec,
		.tm_min = t->tm_min,
		.tm_hour = t->tm_hour,
		.tm_mday = t->tm_mday,
		.tm_mon = t->tm_mon,
		.tm_year = t->tm_year};

	return timegm(&tm);
}

static struct rtc_time broken_down(time_t at)
{
	struct tm tm;

	gmtime_r(&at, &tm);
	return (struct rtc_time){.tm_sec = tm.tm_sec,
		.tm_min = tm.tm_min,
		.tm_hour = tm.tm_hour,
		.tm_mday = tm.tm_mday,
		.tm_mon = tm.tm_mon,
		.tm_year = tm.tm_year};
}

static bool clock_now(int fd, time_t *at)
{
	struct rtc_time t;

	if (ioctl(fd, RTC_RD_TIME, &t) < 0)
		return false;
	*at = seconds(&t);
	return true;
}

/* Waits for the next second, so that what follows has a whole one. */
static bool tick(int fd, time_t *at)
{
	int64_t end = now_ns() + (int64_t)TICK_MS * 1000000;
	time_t first;

	if (!clock_now(fd, &first))
		return false;
	do {
		if (!clock_now(fd, at))
			return false;
		sleep_ms(5);
	} while (*at == first && now_ns() < end);
	return *at != first;
}

static void test_set(int fd)
{
	struct rtc_time t;
	time_t was, now;

	if (!tick(fd, &was)) {
		test_skip("set", "the clock does not run");
		return;
	}
	t = broken_down(was + SHIFT_S);
	if (ioctl(fd, RTC_SET_TIME, &t) < 0) {
		test_refused("set", "RTC_SET_TIME", errno);
		return;
	}
	if (!clock_now(fd, &now))
		test_fail("set", "RTC_RD_TIME: %s", strerror(errno));
	else
		test_check(now >= was + SHIFT_S && now <= was + SHIFT_S + 2, "set",
			"set to %lld, reads %lld", (long long)was + SHIFT_S, (long long)now);
	if (clock_now(fd, &now)) {
		t = broken_down(now - SHIFT_S);
		if (ioctl(fd, RTC_SET_TIME, &t) < 0)
			test_error("put-back", "RTC_SET_TIME: %s", strerror(errno));
	}
}

static void test_alarm(int fd)
{
	struct rtc_wkalrm alarm = {.enabled = 1}, got;
	struct pollfd p = {.fd = fd, .events = POLLIN};
	unsigned long event = 0;
	int64_t start;
	time_t now;

	if (!tick(fd, &now)) {
		test_skip("alarm", "the clock does not run");
		return;
	}
	start = now_ns();
	alarm.time = broken_down(now + ALARM_S);
	if (ioctl(fd, RTC_WKALM_SET, &alarm) < 0) {
		if (errno == EINVAL)
			test_skip("alarm", "the clock has no alarm");
		else
			test_refused("alarm", "RTC_WKALM_SET", errno);
		return;
	}
	if (ioctl(fd, RTC_WKALM_RD, &got) < 0)
		test_fail("alarm-read", "RTC_WKALM_RD: %s", strerror(errno));
	else
		test_check(seconds(&got.time) == now + ALARM_S, "alarm-read",
			"set for %lld, reads %lld", (long long)now + ALARM_S,
			(long long)seconds(&got.time));
	if (poll(&p, 1, (ALARM_S + 3) * 1000) != 1 || read(fd, &event, sizeof event) <= 0) {
		test_fail("alarm", "it did not ring in %d s", ALARM_S + 3);
		return;
	}
	test_check((event & RTC_AF) != 0, "alarm", "interrupt %#lx is no alarm", event);
	test_metric(
		"rtc.alarm.late", (double)(now_ns() - start) / 1e6 - ALARM_S * 1000, "ms", NULL);
}

static void run(void)
{
	time_t a, b;
	int fd = device_open("open", option("device"), O_RDONLY | O_NONBLOCK);

	if (fd < 0)
		return;
	test_pass("open");
	if (!clock_now(fd, &a)) {
		test_fail("read", "RTC_RD_TIME: %s", strerror(errno));
		close(fd);
		return;
	}
	test_pass("read");
	test_check(tick(fd, &b) && b > a, "runs", "no new second in %d ms", TICK_MS);
	if (!strcmp(option("set"), "yes"))
		test_set(fd);
	else
		test_skip("set", "--set yes where the clock may be set");
	test_alarm(fd);
	close(fd);
}

const struct driver_test test_rtc = {
	.name = "rtc",
	.what = "real-time clock: read, set, alarm",
	.needs = "an RTC driver",
	.options = {{"device", "/dev/rtc0", "the clock"},
		{"set", "yes", "no: the clock is not set"}, {0}},
	.run = run,
};
