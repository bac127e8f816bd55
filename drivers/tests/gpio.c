/* SPDX-License-Identifier: MIT */
/*
 * GPIO lines through the character device (uapi/linux/gpio.h, version 2). Invariant: no line is
 * driven unless --out names it.
 */
#include "test.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <linux/gpio.h>

#define TOGGLES 2000

/* The lines are held through the descriptor; -1 after a result. */
static int hold(int chip, const char *test, uint32_t line, uint64_t flags)
{
	struct gpio_v2_line_request r = {.num_lines = 1, .offsets = {line}, .config.flags = flags};

	strcpy(r.consumer, "hil-test");
	if (ioctl(chip, GPIO_V2_GET_LINE_IOCTL, &r) == 0)
		return r.fd;
	if (errno == EBUSY)
		test_skip(test, "line %u is taken by a driver", line);
	else
		test_refused(test, "GPIO_V2_GET_LINE", errno);
	return -1;
}

static int value(int fd, int set)
{
	struct gpio_v2_line_values v = {.mask = 1, .bits = set > 0};

	if (ioctl(fd, set < 0 ? GPIO_V2_LINE_GET_VALUES_IOCTL : GPIO_V2_LINE_SET_VALUES_IOCTL, &v) <
		0)
		return -1;
	return (int)(v.bits & 1);
}

/* The first line that nobody has. */
static int64_t free_line(int chip, uint32_t lines)
{
	unsigned used = 0;

	for (uint32_t i = 0; i < lines; i++) {
		struct gpio_v2_line_info info = {.offset = i};

		if (ioctl(chip, GPIO_V2_GET_LINEINFO_IOCTL, &info) < 0) {
			test_refused("line-info", "GPIO_V2_GET_LINEINFO", errno);
			return -1;
		}
		if (!(info.flags & GPIO_V2_LINE_FLAG_USED)) {
			test_pass("line-info");
			return i;
		}
		used++;
	}
	test_skip("line-info", "all %u lines are taken by drivers", used);
	return -1;
}

static void test_input(int chip, uint32_t line)
{
	int fd = hold(chip, "input", line, GPIO_V2_LINE_FLAG_INPUT);

	if (fd < 0)
		return;
	test_check(value(fd, -1) >= 0, "input", "line %u: %s", line, strerror(errno));
	close(fd);
}

static void test_output(int chip, uint32_t line)
{
	int fd = hold(chip, "output", line, GPIO_V2_LINE_FLAG_OUTPUT);
	int64_t start;
	int wrong = 0;

	if (fd < 0)
		return;
	start = now_ns();
	for (int i = 0; i < TOGGLES; i++)
		wrong += value(fd, i & 1) < 0;
	test_check(!wrong, "output", "%d of %d values were refused", wrong, TOGGLES);
	test_metric("gpio.toggle_rate", TOGGLES / ((double)(now_ns() - start) / 1e9), "1/s", NULL);
	for (int i = 0; i < 4; i++) {
		value(fd, i & 1);
		wrong += value(fd, -1) != (i & 1);
	}
	test_check(!wrong, "read-back", "line %u does not read as it is driven", line);
	close(fd);
}

/* Two lines that are joined outside: an edge comes as an event. */
static void test_wire(int chip, uint32_t out, uint32_t in)
{
	struct gpio_v2_line_event event = {0};
	int to = hold(chip, "edge", out, GPIO_V2_LINE_FLAG_OUTPUT), from;
	struct pollfd p = {.events = POLLIN};
	int64_t start;

	if (to < 0)
		return;
	value(to, 0);
	from = hold(chip, "edge", in, GPIO_V2_LINE_FLAG_INPUT | GPIO_V2_LINE_FLAG_EDGE_RISING);
	if (from >= 0) {
		p.fd = from;
		start = now_ns();
		value(to, 1);
		if (poll(&p, 1, 1000) != 1 || read(from, &event, sizeof event) != sizeof event)
			test_fail("edge", "no edge came from line %u to line %u", out, in);
		else if (test_check(event.offset == in, "edge", "of line %u", event.offset))
			test_metric(
				"gpio.edge_latency", (double)(now_ns() - start) / 1000, "us", NULL);
		close(from);
	}
	close(to);
}

static void run(void)
{
	struct gpiochip_info info = {0};
	int chip = device_open("open", option("device"), O_RDONLY);
	int64_t line;

	if (chip < 0)
		return;
	test_pass("open");
	if (ioctl(chip, GPIO_GET_CHIPINFO_IOCTL, &info) < 0) {
		test_refused("chip-info", "GPIO_GET_CHIPINFO", errno);
		close(chip);
		return;
	}
	printf("# '%.32s' (%.32s), %u lines\n", info.name, info.label, info.lines);
	test_check(info.lines > 0, "chip-info", "it has no lines");
	line = free_line(chip, info.lines);
	if (line >= 0)
		test_input(chip, (uint32_t)line);
	if (!option("out"))
		test_skip("output", "--out with a line that may be driven");
	else
		test_output(chip, (uint32_t)option_number("out"));
	if (!option("out") || !option("in"))
		test_skip("edge", "--out and --in with two lines that are joined");
	else
		test_wire(chip, (uint32_t)option_number("out"), (uint32_t)option_number("in"));
	close(chip);
}

const struct driver_test test_gpio = {
	.name = "gpio",
	.what = "GPIO lines: chip and line information, input, output, edges",
	.needs = "the GPIO character device",
	.options = {{"device", "/dev/gpiochip0", "the chip"}, {"out", NULL, "a line to drive"},
		{"in", NULL, "a line that is joined to it"}, {0}},
	.run = run,
};
