/* SPDX-License-Identifier: MIT */
/*
 * A serial port: what it says of itself, its baud rates, and bytes through it. With --device pty a
 * pair of pseudo-terminals stands in, which shows the test, not a driver. Invariant: line settings
 * are put back; a port that is the console is never touched.
 */
#include "test.h"

#include <fcntl.h>
#include <poll.h>
#include <pty.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#include <linux/serial.h>

/* The kernel has it in a header that does not go with termios.h (asm-generic/termios.h). */
#ifndef TIOCM_LOOP
#define TIOCM_LOOP 0x8000
#endif

#define BLOCK_BYTES                                                                                \
	256          /* on their way at a time: no more than a FIFO and a driver's buffer take     \
		      */
#define WAIT_MS 2000 /* for a byte */
#define SEED    0x0a47

static const struct {
	int64_t rate;
	speed_t code;
} rates[] = {
	{1200, B1200},
	{2400, B2400},
	{4800, B4800},
	{9600, B9600},
	{19200, B19200},
	{38400, B38400},
	{57600, B57600},
	{115200, B115200},
	{230400, B230400},
	{460800, B460800},
	{921600, B921600},
	{1000000, B1000000},
	{1500000, B1500000},
	{2000000, B2000000},
	{3000000, B3000000},
	{4000000, B4000000},
};

static speed_t code_of(int64_t rate)
{
	for (size_t i = 0; i < COUNT_OF(rates); i++)
		if (rates[i].rate == rate)
			return rates[i].code;
	return B0;
}

static void test_serial(int fd)
{
	struct serial_struct s;

	if (ioctl(fd, TIOCGSERIAL, &s) < 0) {
		test_refused("get-serial", "TIOCGSERIAL", errno);
		test_skip("set-serial", "there are no settings to put back");
		return;
	}
	test_check(s.type >= 0, "get-serial", "type %d", s.type);
	test_metric("uart.fifo", s.xmit_fifo_size, "bytes", "line=%d", s.line);
	if (ioctl(fd, TIOCSSERIAL, &s) < 0)
		test_refused("set-serial", "TIOCSSERIAL", errno);
	else
		test_pass("set-serial");
}

static void test_modem(int fd)
{
	int bits;

	if (ioctl(fd, TIOCMGET, &bits) < 0)
		test_refused("modem-lines", "TIOCMGET", errno);
	else
		test_pass("modem-lines");
}

/* A port without that rate keeps another, and tells so. */
static void test_rates(int fd, const struct termios *was)
{
	int64_t list[TEST_LIST_MAX];
	size_t n = option_numbers("rates", list);

	for (size_t i = 0; i < n; i++) {
		struct termios t = *was;
		char name[32];
		speed_t code = code_of(list[i]);

		snprintf(name, sizeof name, "baud-%lld", (long long)list[i]);
		if (code == B0) {
			test_error(name, "no baud rate %lld in termios", (long long)list[i]);
			continue;
		}
		cfmakeraw(&t);
		cfsetspeed(&t, code);
		if (tcsetattr(fd, TCSANOW, &t) < 0 || tcgetattr(fd, &t) < 0)
			test_fail(name, "%s", strerror(errno));
		else if (cfgetospeed(&t) != code)
			test_skip(name, "the port does not have this rate");
		else
			test_pass(name);
	}
}

static bool wait_for(int fd, short events)
{
	struct pollfd p = {.fd = fd, .events = events};

	return poll(&p, 1, WAIT_MS) == 1 && p.revents & events;
}

/* One block out of `to`, into `from`; NULL or what went wrong. */
static const char *cross(int to, int from, uint64_t seed)
{
	unsigned char out[BLOCK_BYTES], in[BLOCK_BYTES];
	size_t sent = 0, got = 0;

	pattern_fill(out, sizeof out, seed);
	while (got < sizeof in) {
		ssize_t n = sent < sizeof out ? write(to, out + sent, sizeof out - sent) : 0;

		if (n > 0)
			sent += (size_t)n;
		else if (n < 0 && errno != EAGAIN)
			return "write refused";
		if (!wait_for(from, POLLIN))
			return "bytes did not come back";
		n = read(from, in + got, sizeof in - got);
		if (n <= 0)
			return "read refused";
		got += (size_t)n;
	}
	return pattern_check(in, sizeof in, seed) ? NULL : "other bytes came back";
}

static void test_data(int to, int from, const char *name, int64_t rate)
{
	int64_t bytes = option_number("bytes"), done = 0;
	const char *why = NULL;
	struct load load;
	int64_t start;
	double s;

	if (bytes < BLOCK_BYTES)
		bytes = BLOCK_BYTES;
	tcflush(from, TCIOFLUSH);
	load_start(&load);
	start = now_ns();
	for (; done < bytes && !why; done += BLOCK_BYTES)
		why = cross(to, from, SEED + (uint64_t)done);
	s = (double)(now_ns() - start) / 1e9;
	if (!test_check(!why, name, "%s after %lld bytes", why ? why : "",
		    (long long)(done - BLOCK_BYTES)))
		return;
	test_metric("uart.bw", (double)done / s / 1000, "kB/s", "baud=%lld", (long long)rate);
	if (load_percent(&load) >= 0)
		test_metric(
			"uart.cpu_load", load_percent(&load), "%", "baud=%lld", (long long)rate);
}

/* The port's own loopback where its driver has one (TIOCM_LOOP), else a wire that the job knows. */
static void test_loopback(int fd, const struct termios *was)
{
	int64_t rate = option_number("rate");
	bool wired = !strcmp(option("wired"), "yes");
	struct termios t = *was;
	int bits = 0, set;

	cfmakeraw(&t);
	cfsetspeed(&t, code_of(rate) == B0 ? B115200 : code_of(rate));
	t.c_cflag |= CLOCAL | CREAD;
	t.c_cflag &= ~CRTSCTS;
	tcsetattr(fd, TCSANOW, &t);
	if (!wired) {
		if (ioctl(fd, TIOCMGET, &bits) < 0) {
			test_refused("loopback", "TIOCMGET", errno);
			return;
		}
		set = bits | TIOCM_LOOP;
		if (ioctl(fd, TIOCMSET, &set) < 0 || ioctl(fd, TIOCMGET, &set) < 0 ||
			!(set & TIOCM_LOOP)) {
			test_skip("loopback", "the driver has no internal loopback: --wired yes "
					      "where TX and RX are joined");
			return;
		}
	}
	test_data(fd, fd, "loopback", rate);
	if (!wired)
		ioctl(fd, TIOCMSET, &bits);
}

static bool is_console(const char *path)
{
	char active[TEST_TEXT_BYTES];
	const char *name = strrchr(path, '/');

	name = name ? name + 1 : path;
	if (text_read(active, "/sys/class/tty/console/active") < 0)
		return false;
	for (char *save, *one = strtok_r(active, " ", &save); one; one = strtok_r(NULL, " ", &save))
		if (!strcmp(one, name))
			return true;
	return false;
}

static void run_pty(void)
{
	struct termios t;
	int host, port;

	if (openpty(&host, &port, NULL, NULL, NULL) < 0) {
		test_skip("open", "no pseudo-terminal: %s", strerror(errno));
		return;
	}
	test_pass("open");
	tcgetattr(port, &t);
	test_serial(port);
	test_modem(port);
	test_rates(port, &t);
	cfmakeraw(&t);
	tcsetattr(port, TCSANOW, &t);
	test_data(port, host, "through", 0);
	close(host);
	close(port);
}

static void run(void)
{
	const char *path = option("device");
	struct termios was;
	int fd;

	if (!strcmp(path, "pty")) {
		run_pty();
		return;
	}
	if (is_console(path)) {
		test_skip("open", "'%s' is the console", path);
		return;
	}
	fd = device_open("open", path, O_RDWR | O_NOCTTY | O_NONBLOCK);
	if (fd < 0)
		return;
	/* an 8250 that is not there has a node all the same */
	if (tcgetattr(fd, &was) < 0) {
		test_skip("open", "no port behind '%s': %s", path, strerror(errno));
		close(fd);
		return;
	}
	test_pass("open");
	test_serial(fd);
	test_modem(fd);
	test_rates(fd, &was);
	test_loopback(fd, &was);
	tcflush(fd, TCIOFLUSH);
	tcsetattr(fd, TCSANOW, &was);
	close(fd);
}

const struct driver_test test_uart = {
	.name = "uart",
	.what = "serial port: TIOCGSERIAL, TIOCSSERIAL, baud rates, loopback",
	.needs = "a serial port that is not the console",
	.options = {{"device", "/dev/ttyS0", "the port, or pty"},
		{"rates", "9600,19200,38400,57600,115200,230400,460800,921600",
			"baud rates to set"},
		{"rate", "115200", "baud rate of the loopback"},
		{"bytes", "4k", "bytes through the loopback"},
		{"wired", "no", "yes: TX and RX are joined outside"}, {0}},
	.run = run,
};
