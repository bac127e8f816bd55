/* SPDX-License-Identifier: MIT */
/*
 * Power management: operating points, idle states, suspend. Invariant: governor and frequency are
 * put back; the board is only sent to sleep with an alarm that wakes it.
 */
#include "test.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#include <linux/rtc.h>

#define CPUFREQ   "/sys/devices/system/cpu/cpu0/cpufreq/"
#define CPUIDLE   "/sys/devices/system/cpu/cpu0/cpuidle/"
#define SETTLE_MS 50
#define CPUS_MAX  64
#define TRIES     3 /* for an alarm that comes before the board sleeps */

/* ---- cpufreq --------------------------------------------------------------------------------- */

static void test_point(const char *khz)
{
	int64_t want = strtoll(khz, NULL, 10), got, start = now_ns();
	char name[48];

	snprintf(name, sizeof name, "opp-%s", khz);
	if (text_write(CPUFREQ "scaling_setspeed", khz) < 0) {
		test_fail(name, "scaling_setspeed: %s", strerror(errno));
		return;
	}
	test_metric("cpufreq.switch", (double)(now_ns() - start) / 1000, "us", "khz=%s", khz);
	sleep_ms(SETTLE_MS);
	got = number_read(CPUFREQ "cpuinfo_cur_freq");
	if (got < 0)
		got = number_read(CPUFREQ "scaling_cur_freq");
	/* a PLL does not give every figure exactly */
	test_check(llabs(got - want) * 50 <= want, name, "set to %lld kHz, reads %lld",
		(long long)want, (long long)got);
}

static void run_cpufreq(void)
{
	char governor[TEST_TEXT_BYTES], points[TEST_TEXT_BYTES], *save;
	unsigned n = 0;

	if (text_read(governor, CPUFREQ "scaling_governor") < 0) {
		test_skip("governor", "no cpufreq driver: no '" CPUFREQ "'");
		return;
	}
	test_pass("governor");
	if (text_read(points, CPUFREQ "scaling_available_frequencies") < 0) {
		test_skip("opps", "the driver lists no operating points");
		return;
	}
	if (text_write(CPUFREQ "scaling_governor", "userspace") < 0) {
		test_skip("opps", "no governor 'userspace': %s", strerror(errno));
		return;
	}
	for (char *one = strtok_r(points, " ", &save); one; one = strtok_r(NULL, " ", &save), n++)
		test_point(one);
	test_check(n > 0, "opps", "there are no operating points");
	test_metric("cpufreq.opps", n, "count", NULL);
	if (text_write(CPUFREQ "scaling_governor", governor) < 0)
		test_error("put-back", "scaling_governor: %s", strerror(errno));
}

const struct driver_test test_cpufreq = {
	.name = "cpufreq",
	.what = "operating points: each is set and read back",
	.needs = "a cpufreq driver with the governor 'userspace'",
	.options = {{0}},
	.run = run_cpufreq,
};

/* ---- cpuidle --------------------------------------------------------------------------------- */

static int64_t state_number(int cpu, int state, const char *what)
{
	char path[TEST_PATH_BYTES];

	path_make(path, "/sys/devices/system/cpu/cpu%d/cpuidle/state%d/%s", cpu, state, what);
	return number_read(path);
}

/* Over all CPUs: one of them may have been busy. -1: there is no such state. */
static int64_t entered(int state)
{
	int64_t sum = -1, n;

	for (int cpu = 0; cpu < CPUS_MAX && (n = state_number(cpu, state, "usage")) >= 0; cpu++)
		sum += n + (sum < 0);
	return sum;
}

static void run_cpuidle(void)
{
	int64_t before[TEST_LIST_MAX], usage = 0, count;
	char path[TEST_PATH_BYTES], name[TEST_TEXT_BYTES];
	int n = 0;

	while (n < TEST_LIST_MAX && (before[n] = entered(n)) >= 0)
		n++;
	if (!n) {
		test_skip("states", "no cpuidle driver: no '" CPUIDLE "state0'");
		return;
	}
	test_pass("states");
	test_metric("cpuidle.states", n, "count", NULL);
	sleep_ms((int)option_number("idle"));
	for (int i = 0; i < n; i++) {
		path_make(path, CPUIDLE "state%d/name", i);
		if (text_read(name, path) < 0)
			continue;
		for (char *c = name; *c; c++)
			if (*c == ' ')
				*c = '-';
		count = entered(i) - before[i];
		usage += count;
		test_metric("cpuidle.latency", (double)state_number(0, i, "latency"), "us",
			"state=%s", name);
		test_metric("cpuidle.entered", (double)count, "count", "state=%s", name);
	}
	test_check(usage > 0, "entered", "no state was entered while the board was idle");
}

const struct driver_test test_cpuidle = {
	.name = "cpuidle",
	.what = "idle states: what there is, and that they are entered",
	.needs = "a cpuidle driver",
	.options = {{"idle", "1000", "milliseconds that the board is left idle"}, {0}},
	.run = run_cpuidle,
};

/* ---- suspend --------------------------------------------------------------------------------- */

static int64_t boot_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_BOOTTIME, &t);
	return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

/* Arms the alarm at the beginning of a second, so that it is known when it rings. */
static bool arm(int fd, int s, int64_t *due_ns)
{
	struct rtc_wkalrm alarm = {.enabled = 1};
	struct rtc_time t;
	int64_t limit = now_ns() + 3000000000;
	int first = -1;
	struct tm tm;
	time_t at;

	do {
		if (ioctl(fd, RTC_RD_TIME, &t) < 0)
			return false;
		if (first < 0)
			first = t.tm_sec;
		sleep_ms(1);
	} while (t.tm_sec == first && now_ns() < limit);
	*due_ns = boot_ns() + (int64_t)s * 1000000000;
	tm = (struct tm){.tm_sec = t.tm_sec + s,
		.tm_min = t.tm_min,
		.tm_hour = t.tm_hour,
		.tm_mday = t.tm_mday,
		.tm_mon = t.tm_mon,
		.tm_year = t.tm_year};
	at = timegm(&tm);
	gmtime_r(&at, &tm);
	alarm.time = (struct rtc_time){.tm_sec = tm.tm_sec,
		.tm_min = tm.tm_min,
		.tm_hour = tm.tm_hour,
		.tm_mday = tm.tm_mday,
		.tm_mon = tm.tm_mon,
		.tm_year = tm.tm_year};
	return ioctl(fd, RTC_WKALM_SET, &alarm) == 0;
}

/* Tells the kernel that a wake-up from now on counts: an alarm that rings while the board still
 * goes to sleep ends that, where it would be lost otherwise
 * (Documentation/ABI/testing/sysfs-power). */
static int enter(const char *state)
{
	char count[TEST_TEXT_BYTES];

	if (text_read(count, "/sys/power/wakeup_count") == 0 &&
		text_write("/sys/power/wakeup_count", count) < 0)
		return -1;
	return text_write("/sys/power/state", state);
}

/* label: what the board's maker calls the mode, which the kernel may not tell from another. */
static void suspend_once(int fd, const char *state, const char *label)
{
	int s = (int)option_number("seconds"), rc = -1;
	int64_t due = 0, back, start = 0;
	char name[48];

	snprintf(name, sizeof name, "suspend-%s", label);
	for (int tries = 0; tries < TRIES; tries++, s *= 2) {
		if (!arm(fd, s, &due)) {
			test_skip(name, "no alarm that could wake the board: %s", strerror(errno));
			return;
		}
		start = boot_ns();
		rc = enter(state);
		if (!rc || errno != EBUSY)
			break;
	}
	back = boot_ns();
	if (rc < 0) {
		if (errno == EINVAL || errno == ENODEV)
			test_skip(name, "the kernel does not enter '%s'", state);
		else
			test_fail(name, "enter '%s': %s", state, strerror(errno));
		return;
	}
	if (!test_check(back >= due, name, "awake %lld ms before the alarm",
		    (long long)(due - back) / 1000000))
		return;
	test_metric("resume.latency", (double)(back - due) / 1e6, "ms", "mode=%s", label);
	test_metric("suspend.time", (double)(back - start) / 1e6, "ms", "mode=%s", label);
}

static void run_suspend(void)
{
	const char *mode = option("mode"), *label = option("label");
	char states[TEST_TEXT_BYTES], name[48];
	int64_t cycles = option_number("cycles");
	int fd;

	if (text_read(states, "/sys/power/state") < 0 || !*states) {
		test_skip("states", "the kernel cannot suspend");
		return;
	}
	test_pass("states");
	printf("# states: %s\n", states);
	fd = device_open("alarm", option("rtc"), O_RDONLY);
	if (fd < 0)
		return;
	snprintf(name, sizeof name, "suspend-%s", mode);
	if (strcmp(mode, "standby") && text_write("/sys/power/mem_sleep", mode) < 0)
		test_skip(name, "no mode '%s' in /sys/power/mem_sleep", mode);
	else
		while (cycles-- > 0)
			suspend_once(fd, strcmp(mode, "standby") ? "mem" : "standby",
				label ? label : mode);
	close(fd);
}

const struct driver_test test_suspend = {
	.name = "suspend",
	.what = "suspend to RAM, to idle, standby: entered, woken by the clock, resume latency",
	.needs = "a kernel that suspends and a clock whose alarm wakes it",
	.options = {{"mode", "s2idle", "s2idle, deep or standby"},
		{"label", NULL,
			"the mode as the board's maker calls it; the kernel's unless given"},
		{"rtc", "/dev/rtc0", "the clock"}, {"seconds", "5", "from alarm set to alarm"},
		{"cycles", "1", "how often"}, {0}},
	.run = run_suspend,
};
