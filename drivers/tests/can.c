/* SPDX-License-Identifier: MIT */
/*
 * CAN: bit rates, frames looped back, frames to a second controller on the same bus, in order.
 * Invariant: an interface that the test made is gone afterwards, one that it set is down.
 */
#include "test.h"

#include "net.h"

#include <poll.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <linux/can.h>
#include <linux/can/raw.h>

#define WAIT_MS 2000
#define ID_BASE 0x100
#define IN_FLIGHT                                                                                  \
	4 /* frames: less than the smallest FIFO takes (SJA1000: 64 bytes, five frames)            \
	   */

static int can_socket(const char *name)
{
	struct sockaddr_can at = {.can_family = AF_CAN, .can_ifindex = (int)net_index(name)};
	int fd = socket(PF_CAN, SOCK_RAW | SOCK_CLOEXEC, CAN_RAW), sys;

	if (fd < 0 || bind(fd, (struct sockaddr *)&at, sizeof at) == 0)
		return fd;
	sys = errno;
	close(fd);
	errno = sys;
	return -1;
}

static struct can_frame frame_number(int64_t i)
{
	struct can_frame f = {.can_id = ID_BASE + (canid_t)(i % 0x400), .can_dlc = 8};

	memcpy(f.data, &i, sizeof f.data);
	return f;
}

/* NULL or what went wrong. */
static const char *take(int fd, int64_t i)
{
	struct pollfd p = {.fd = fd, .events = POLLIN};
	struct can_frame want = frame_number(i), got;

	if (poll(&p, 1, WAIT_MS) != 1)
		return "frames did not arrive";
	if (read(fd, &got, sizeof got) != sizeof got)
		return "read refused";
	if (got.can_id & CAN_ERR_FLAG)
		return "an error frame came";
	if (got.can_id != want.can_id || memcmp(got.data, want.data, sizeof want.data))
		return "another frame than the next one came";
	return NULL;
}

static void test_frames(const char *name, const char *from, const char *to)
{
	int64_t n = option_number("frames"), sent = 0, got = 0, start = now_ns();
	int out = can_socket(from), in = can_socket(to);
	const char *why = NULL;
	struct load load;

	if (out < 0 || in < 0) {
		test_refused(name, "a CAN socket", errno);
		goto done;
	}
	load_start(&load);
	while (got < n && !why) {
		for (; sent < n && sent - got < IN_FLIGHT && !why; sent++) {
			struct can_frame f = frame_number(sent);

			if (write(out, &f, sizeof f) != sizeof f)
				why = strerror(errno);
		}
		if (!why)
			why = take(in, got++);
	}
	if (test_check(!why, name, "frame %lld of %lld: %s", (long long)got, (long long)n,
		    why ? why : "")) {
		test_metric("can.frame_rate", (double)n / ((double)(now_ns() - start) / 1e9), "1/s",
			"from=%s to=%s", from, to);
		if (load_percent(&load) >= 0)
			test_metric("can.cpu_load", load_percent(&load), "%", "from=%s to=%s", from,
				to);
	}
done:
	if (out >= 0)
		close(out);
	if (in >= 0)
		close(in);
}

static void test_rates(const char *name)
{
	int64_t rates[TEST_LIST_MAX];
	size_t n = option_numbers("rates", rates);

	for (size_t i = 0; i < n; i++) {
		char test[40];
		uint32_t got;

		snprintf(test, sizeof test, "bitrate-%lld", (long long)rates[i]);
		net_up(name, false);
		if (net_can(name, (uint32_t)rates[i], NET_CAN_ANY) < 0) {
			if (errno == EDOM || errno == EINVAL)
				test_skip(test, "the controller's clock does not give this rate");
			else
				test_refused(test, "bit timing", errno);
			continue;
		}
		got = net_can_bitrate(name);
		if (!test_check(got >= rates[i] * 99 / 100 && got <= rates[i] * 101 / 100, test,
			    "the controller took %u", got))
			continue;
		if (net_up(name, true) < 0)
			test_fail(test, "it does not start: %s", strerror(errno));
	}
}

/* True when the bit rate can be set: a controller, not vcan. */
static bool configure(const char *name, uint32_t rate, enum net_loopback loopback)
{
	net_up(name, false);
	return net_can(name, rate, loopback) == 0 ||
	       (loopback == NET_CAN_BUS && net_can(name, rate, NET_CAN_ANY) == 0);
}

static void test_controller(const char *name, const char *peer)
{
	uint32_t rate = (uint32_t)option_number("rate");

	test_rates(name);
	if (strcmp(option("loopback"), "yes")) {
		test_skip("loopback", "--loopback yes where the controller has such a mode");
	} else if (!configure(name, rate, NET_CAN_LOOPBACK)) {
		test_skip("loopback", "the controller has no such mode: %s", strerror(errno));
	} else if (net_up(name, true) < 0) {
		test_fail("loopback", "it does not start: %s", strerror(errno));
	} else {
		test_frames("loopback", name, name);
	}
	if (!peer) {
		test_skip("to-peer", "--peer with a second controller on the same bus");
		return;
	}
	if (!net_index(peer)) {
		test_skip("to-peer", "no interface '%s'", peer);
		return;
	}
	if (!configure(name, rate, NET_CAN_BUS) || !configure(peer, rate, NET_CAN_BUS) ||
		net_up(name, true) < 0 || net_up(peer, true) < 0) {
		test_fail("to-peer", "the controllers do not start: %s", strerror(errno));
		return;
	}
	test_frames("to-peer", name, peer);
	test_frames("from-peer", peer, name);
	net_up(peer, false);
}

static void run(void)
{
	const char *name = option("device");
	bool made = false;
	int fd = socket(PF_CAN, SOCK_RAW | SOCK_CLOEXEC, CAN_RAW);

	if (fd < 0) {
		test_skip("socket", "the kernel has no raw CAN: %s", strerror(errno));
		return;
	}
	close(fd);
	test_pass("socket");
	if (!net_index(name) && !strncmp(name, "vcan", 4)) {
		if (net_add(name, "vcan") < 0) {
			test_skip("interface", "cannot make '%s': %s", name, strerror(errno));
			return;
		}
		made = true;
	}
	if (!net_index(name)) {
		test_skip("interface", "no interface '%s'", name);
		return;
	}
	test_pass("interface");
	if (strncmp(name, "vcan", 4)) {
		test_controller(name, option("peer"));
	} else {
		test_skip("bitrate", "a virtual bus has no bit rate");
		if (net_up(name, true) < 0)
			test_fail("loopback", "%s", strerror(errno));
		else
			test_frames("loopback", name, name);
	}
	net_up(name, false);
	if (made)
		net_delete(name);
}

const struct driver_test test_can = {
	.name = "can",
	.what = "CAN: bit rates, loopback, frames in order",
	.needs = "can-raw and a controller, or vcan",
	.options = {{"device", "can0", "the interface; vcanN is made where it is not there"},
		{"peer", NULL, "a second controller on the same bus"},
		{"loopback", "yes", "no: the controller's loopback mode is not used"},
		{"rates", "125000,250000,500000,1000000", "bit rates to set"},
		{"rate", "500000", "bit rate for the frames"}, {"frames", "500", "frames per way"},
		{0}},
	.run = run,
};
