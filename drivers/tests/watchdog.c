/* SPDX-License-Identifier: MIT */
/*
 * A watchdog: what it can do, its time, and that it lets go. Invariant: unless --bite yes it is
 * stopped at the end; one that cannot be stopped is left alone.
 */
#include "test.h"

#include <fcntl.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <linux/watchdog.h>

static void test_time(int fd, const struct watchdog_info *info)
{
	int want = (int)option_number("timeout"), set = want, got = 0;

	if (!(info->options & WDIOF_SETTIMEOUT)) {
		test_skip("set-timeout", "the watchdog has one fixed time");
	} else if (ioctl(fd, WDIOC_SETTIMEOUT, &set) < 0) {
		test_refused("set-timeout", "WDIOC_SETTIMEOUT", errno);
	} else {
		/* it may round, and says so */
		test_check(set > 0 && set <= 2 * want, "set-timeout", "asked for %d s, got %d",
			want, set);
		want = set;
	}
	if (ioctl(fd, WDIOC_GETTIMEOUT, &got) < 0)
		test_refused("get-timeout", "WDIOC_GETTIMEOUT", errno);
	else
		test_check(got > 0 && (!(info->options & WDIOF_SETTIMEOUT) || got == want),
			"get-timeout", "set %d s, reads %d", want, got);
	if (ioctl(fd, WDIOC_GETTIMELEFT, &got) < 0)
		test_refused("time-left", "WDIOC_GETTIMELEFT", errno);
	else
		test_check(got >= 0 && got <= want, "time-left", "%d s of %d", got, want);
}

static void test_feeding(int fd)
{
	int64_t end;

	if (ioctl(fd, WDIOC_KEEPALIVE, 0) < 0)
		test_refused("keepalive", "WDIOC_KEEPALIVE", errno);
	else
		test_pass("keepalive");
	if (write(fd, "\0", 1) != 1)
		test_fail("feed", "write: %s", strerror(errno));
	else
		test_pass("feed");
	end = now_ns() + option_number("hold") * 1000000000;
	while (now_ns() < end) {
		sleep_ms(200);
		if (ioctl(fd, WDIOC_KEEPALIVE, 0) < 0)
			break;
	}
	test_check(now_ns() >= end, "fed", "%s", strerror(errno));
}

/* Not fed any more; what comes after a time is the board's boot, not this program. */
static void bite(int fd)
{
	int timeout = (int)option_number("timeout"), limit = timeout * 3 + 5;

	ioctl(fd, WDIOC_SETTIMEOUT, &timeout);
	ioctl(fd, WDIOC_KEEPALIVE, 0);
	sync();
	test_pass("armed");
	printf("# the board restarts in %d s\n", timeout);
	fflush(stdout);
	sleep_ms(limit * 1000);
	test_fail("bite", "the board still runs %d s later", limit);
}

static void run(void)
{
	struct watchdog_info info = {0};
	int fd, status = 0;

	fd = device_open("open", option("device"), O_WRONLY);
	if (fd < 0)
		return;
	test_pass("open");
	if (ioctl(fd, WDIOC_GETSUPPORT, &info) < 0) {
		test_fail("get-support", "WDIOC_GETSUPPORT: %s", strerror(errno));
	} else {
		test_check(info.identity[0] != 0, "get-support", "it has no name");
		printf("# watchdog '%.32s', options %#x\n", (const char *)info.identity,
			info.options);
	}
	if (ioctl(fd, WDIOC_GETBOOTSTATUS, &status) < 0)
		test_refused("boot-status", "WDIOC_GETBOOTSTATUS", errno);
	else
		test_pass("boot-status");
	if (!strcmp(option("bite"), "yes")) {
		bite(fd);
		return;
	}
	test_feeding(fd);
	test_time(fd, &info);
	if (!(info.options & WDIOF_MAGICCLOSE)) {
		test_skip("magic-close", "the watchdog has none, or nowayout is set");
	} else if (write(fd, "V", 1) != 1) {
		test_fail("magic-close", "write: %s", strerror(errno));
	} else {
		close(fd);
		fd = open(option("device"), O_WRONLY | O_CLOEXEC);
		test_check(fd >= 0, "magic-close", "open again: %s", strerror(errno));
		if (fd >= 0 && write(fd, "V", 1) != 1)
			test_error("close", "it goes on: %s", strerror(errno));
	}
	if (fd >= 0)
		close(fd);
}

const struct driver_test test_watchdog = {
	.name = "watchdog",
	.what = "watchdog: WDIOC_GETSUPPORT, KEEPALIVE, SETTIMEOUT, GETTIMEOUT, magic close",
	.needs = "a watchdog driver",
	.options = {{"device", "/dev/watchdog0", "the watchdog"},
		{"timeout", "10", "seconds to set"}, {"hold", "1", "seconds to keep it fed"},
		{"bite", "no", "yes: stop feeding; the board restarts"}, {0}},
	.run = run,
};
