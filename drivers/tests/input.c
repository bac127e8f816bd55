/* SPDX-License-Identifier: MIT */
/*
 * Input events: keys pressed on a device of uinput's arrive through evdev, in order; or what a real
 * device (a HID keyboard) says of itself. Invariant: the device that was made is gone at the end.
 */
#include "test.h"

#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <linux/input.h>
#include <linux/uinput.h>

#define WAIT_MS 2000
#define KEYS    3

static const int keys[KEYS] = {KEY_H, KEY_I, KEY_L};

static bool emit(int fd, int type, int code, int v)
{
	struct input_event e = {.type = (uint16_t)type, .code = (uint16_t)code, .value = v};

	return write(fd, &e, sizeof e) == sizeof e;
}

static int make_device(void)
{
	struct uinput_setup setup = {
		.id = {.bustype = BUS_VIRTUAL, .vendor = 0x1209, .product = 1}};
	int fd = device_open("uinput", "/dev/uinput", O_WRONLY | O_NONBLOCK);

	if (fd < 0)
		return -1;
	strcpy(setup.name, "hil-test");
	ioctl(fd, UI_SET_EVBIT, EV_KEY);
	for (int i = 0; i < KEYS; i++)
		ioctl(fd, UI_SET_KEYBIT, keys[i]);
	if (ioctl(fd, UI_DEV_SETUP, &setup) < 0 || ioctl(fd, UI_DEV_CREATE) < 0) {
		test_refused("uinput", "UI_DEV_CREATE", errno);
		close(fd);
		return -1;
	}
	test_pass("uinput");
	return fd;
}

/* The event device of the one that was made; its node may come a moment later. */
static int open_events(void)
{
	char path[TEST_PATH_BYTES], name[80] = "";

	for (int tries = 0; tries < WAIT_MS / 50; tries++) {
		for (int i = 0; i < 32; i++) {
			int fd;

			path_make(path, "/dev/input/event%d", i);
			fd = open(path, O_RDONLY | O_CLOEXEC);
			if (fd < 0)
				continue;
			if (ioctl(fd, EVIOCGNAME(sizeof name), name) > 0 &&
				!strcmp(name, "hil-test"))
				return fd;
			close(fd);
		}
		sleep_ms(50);
	}
	return -1;
}

/* NULL or what went wrong. */
static const char *expect(int fd, int code, int v)
{
	struct pollfd p = {.fd = fd, .events = POLLIN};
	struct input_event e;

	do {
		if (poll(&p, 1, WAIT_MS) != 1)
			return "no event came";
		if (read(fd, &e, sizeof e) != sizeof e)
			return strerror(errno);
	} while (e.type != EV_KEY);
	return e.code == code && e.value == v ? NULL : "another event came";
}

static void test_keys(int to, int from)
{
	int64_t rounds = option_number("rounds"), worst = 0, sum = 0, n = 0;
	const char *why = NULL;

	for (int64_t i = 0; i < rounds && !why; i++)
		for (int k = 0; k < 2 * KEYS && !why; k++, n++) {
			int64_t start = now_ns(), us;

			if (!emit(to, EV_KEY, keys[k / 2], !(k & 1)) ||
				!emit(to, EV_SYN, SYN_REPORT, 0))
				why = strerror(errno);
			else
				why = expect(from, keys[k / 2], !(k & 1));
			us = (now_ns() - start) / 1000;
			worst = us > worst ? us : worst;
			sum += us;
		}
	if (!test_check(!why, "events", "event %lld: %s", (long long)n, why ? why : "") || !n)
		return;
	test_metric("input.latency", (double)sum / (double)n, "us", NULL);
	test_metric("input.latency_max", (double)worst, "us", NULL);
}

/* A panel or a stick tells the range of its axes; keys have none. */
static void test_range(int fd, const unsigned char *types)
{
	int64_t want = option_number("range");
	struct input_absinfo x;

	if (!(types[0] & 1 << EV_ABS))
		test_skip("range", "the device has no axes with a range");
	else if (ioctl(fd, EVIOCGABS(ABS_X), &x) < 0)
		test_refused("range", "EVIOCGABS", errno);
	else
		test_check(x.maximum > x.minimum && (!want || x.maximum - x.minimum == want),
			"range", "from %d to %d", x.minimum, x.maximum);
}

static void test_real(const char *path)
{
	char name[80] = "";
	unsigned char types[(EV_MAX + 8) / 8] = {0};
	struct input_id id;
	int fd = device_open("open", path, O_RDONLY);

	if (fd < 0)
		return;
	test_pass("open");
	if (ioctl(fd, EVIOCGNAME(sizeof name), name) < 0)
		test_refused("name", "EVIOCGNAME", errno);
	else
		test_check(*name, "name", "it has none");
	if (ioctl(fd, EVIOCGID, &id) < 0)
		test_refused("id", "EVIOCGID", errno);
	else
		test_pass("id");
	if (ioctl(fd, EVIOCGBIT(0, sizeof types), types) < 0)
		test_refused("types", "EVIOCGBIT", errno);
	else
		test_check(types[0] || types[1] || types[2], "types", "it reports no events");
	test_range(fd, types);
	printf("# '%s', types %02x%02x%02x\n", name, types[2], types[1], types[0]);
	close(fd);
}

static void run(void)
{
	int to, from;

	if (option("device"))
		test_real(option("device"));
	to = make_device();
	if (to < 0)
		return;
	from = open_events();
	if (from < 0) {
		test_skip("events", "the new device has no node in /dev/input (no evdev)");
	} else {
		test_keys(to, from);
		close(from);
	}
	test_check(ioctl(to, UI_DEV_DESTROY) == 0, "removed", "%s", strerror(errno));
	close(to);
}

const struct driver_test test_input = {
	.name = "hid",
	.what = "input events: uinput to evdev in order; name, id and types of a real device",
	.needs = "uinput and evdev, or an input device",
	.options = {{"device", NULL, "an event device, such as /dev/input/event0"},
		{"range", "0", "what its first axis must span; 0: anything"},
		{"rounds", "50", "times that the keys are pressed"}, {0}},
	.run = run,
};
