/* SPDX-License-Identifier: MIT */
/*
 * The USB device side through configfs: mass storage, CDC ACM, CDC ECM, RNDIS. With dummy_hcd the
 * board is its own host, and bytes cross; on a real port the lab's host sees the device. Invariant:
 * the gadget that was made is taken down, however the test ends.
 */
#include "test.h"

#include "net.h"
#include "transfer.h"

#include <dirent.h>
#include <fcntl.h>
#include <glob.h>
#include <stdlib.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <termios.h>
#include <unistd.h>

#define CONFIGFS "/sys/kernel/config"
#define GADGET   CONFIGFS "/usb_gadget/hil"
#define BACKING  "/tmp/hil-gadget.img"
#define LINK     GADGET "/configs/c.1/f"
#define WAIT_MS  15000
#define BLOCK    512
#define SEED     0x9ad6e7

static char function_dir[TEST_PATH_BYTES];

static bool put(const char *path, const char *text, const char *test)
{
	if (text_write(path, text) == 0)
		return true;
	test_fail(test, "'%s': %s", path, strerror(errno));
	return false;
}

static void take_down(void)
{
	text_write(GADGET "/UDC", "\n");
	unlink(LINK);
	if (*function_dir)
		rmdir(function_dir);
	rmdir(GADGET "/configs/c.1");
	rmdir(GADGET "/strings/0x409");
	rmdir(GADGET);
	unlink(BACKING);
}

static bool find_udc(char out[TEST_PATH_BYTES])
{
	struct dirent *d;
	DIR *dir = opendir("/sys/class/udc");

	*out = 0;
	while (dir && (d = readdir(dir)))
		if (d->d_name[0] != '.' && (!option("udc") || !strcmp(d->d_name, option("udc"))))
			path_make(out, "%s", d->d_name);
	if (dir)
		closedir(dir);
	if (!*out)
		test_skip("controller",
			option("udc") ? "no USB device controller '%s'"
				      : "no USB device controller%.0s",
			option("udc") ? option("udc") : "");
	return *out;
}

static bool make_backing(void)
{
	int fd = open(BACKING, O_CREAT | O_TRUNC | O_WRONLY | O_CLOEXEC, 0600);
	bool good = fd >= 0 && ftruncate(fd, option_number("size")) == 0;

	if (!good)
		test_error("bind", "'" BACKING "': %s", strerror(errno));
	if (fd >= 0)
		close(fd);
	return good;
}

/* kind: as configfs calls the function. */
static bool bring_up(const char *kind, const char *udc)
{
	char path[TEST_PATH_BYTES];

	if (access(CONFIGFS "/usb_gadget", F_OK) < 0)
		mount("none", CONFIGFS, "configfs", 0, NULL);
	if (mkdir(CONFIGFS "/usb_gadget", 0755) < 0 && errno != EEXIST && errno != EPERM) {
		test_skip("bind", "no configfs for gadgets: %s", strerror(errno));
		return false;
	}
	if (mkdir(GADGET, 0755) < 0) {
		test_skip("bind", "no gadgets in configfs: %s", strerror(errno));
		return false;
	}
	mkdir(GADGET "/strings/0x409", 0755);
	mkdir(GADGET "/configs/c.1", 0755);
	path_make(function_dir, GADGET "/functions/%s.0", kind);
	if (mkdir(function_dir, 0755) < 0) {
		test_skip("bind", "the kernel has no function '%s': %s", kind, strerror(errno));
		*function_dir = 0;
		return false;
	}
	if (!strcmp(kind, "mass_storage")) {
		path_make(path, "%s/lun.0/file", function_dir);
		if (!make_backing() || !put(path, BACKING, "bind"))
			return false;
	}
	if (!put(GADGET "/idVendor", "0x1d6b", "bind") ||
		!put(GADGET "/idProduct", "0x0104", "bind") ||
		!put(GADGET "/strings/0x409/product", "hil-test", "bind"))
		return false;
	if (symlink(function_dir, LINK) < 0) {
		test_fail("bind", "link the function: %s", strerror(errno));
		return false;
	}
	if (!put(GADGET "/UDC", udc, "bind"))
		return false;
	test_pass("bind");
	return true;
}

/* ---- what the host side sees ----------------------------------------------------------------- */

/* The controller's state is what the host made of the device: "configured". */
static bool configured(const char *udc)
{
	char path[TEST_PATH_BYTES], state[TEST_TEXT_BYTES] = "";

	path_make(path, "/sys/class/udc/%s/state", udc);
	for (int ms = 0; ms < WAIT_MS; ms += 100) {
		if (text_read(state, path) == 0 && !strcmp(state, "configured")) {
			test_pass("enumerated");
			return true;
		}
		sleep_ms(100);
	}
	test_skip(
		"enumerated", "no host took the device in %d s: it is '%s'", WAIT_MS / 1000, state);
	return false;
}

/* The disk whose vendor is the gadget's own ("Linux", "File-Stor Gadget"). */
static bool find_disk(char out[TEST_PATH_BYTES])
{
	char text[TEST_TEXT_BYTES];
	glob_t g;

	*out = 0;
	for (int ms = 0; ms < WAIT_MS && !*out; ms += 200) {
		if (!glob("/sys/block/sd*/device/model", 0, NULL, &g))
			for (size_t i = 0; i < g.gl_pathc; i++)
				if (text_read(text, g.gl_pathv[i]) == 0 && strstr(text, "Stor"))
					path_make(out, "/dev/%.*s",
						(int)strcspn(g.gl_pathv[i] + 11, "/"),
						g.gl_pathv[i] + 11);
		globfree(&g);
		if (!*out || access(out, R_OK | W_OK)) {
			*out = 0;
			sleep_ms(200);
		}
	}
	return *out;
}

static void test_disk(void)
{
	int64_t sizes[TEST_LIST_MAX];
	size_t n = option_numbers("bs", sizes);
	char disk[TEST_PATH_BYTES];
	struct transfer t = {.path = disk, .media = "gadget", .fs = "raw"};

	if (!find_disk(disk)) {
		test_skip("disk", "this board is not its own USB host: no disk appeared");
		return;
	}
	test_pass("disk");
	t.bytes = option_number("size") / 2;
	transfer_run(&t, sizes, n);
}

static int open_tty(const char *path)
{
	int fd = -1;

	for (int ms = 0; ms < WAIT_MS && fd < 0; ms += 200) {
		fd = open(path, O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC);
		if (fd < 0)
			sleep_ms(200);
	}
	if (fd >= 0) {
		struct termios t;

		tcgetattr(fd, &t);
		cfmakeraw(&t);
		tcsetattr(fd, TCSANOW, &t);
		fcntl(fd, F_SETFL, 0);
	}
	return fd;
}

static void test_serial(void)
{
	unsigned char out[BLOCK], in[BLOCK];
	int host = open_tty("/dev/ttyACM0"), port = open_tty("/dev/ttyGS0");
	int64_t start = now_ns(), bytes = 64 * BLOCK, at = 0;
	bool good = true;

	if (host < 0 || port < 0) {
		test_skip("serial", "this board is not its own USB host: no /dev/tty%s",
			port < 0 ? "GS0" : "ACM0");
		goto done;
	}
	for (; good && at < bytes; at += BLOCK) {
		bool to_host = at / BLOCK & 1;

		pattern_fill(out, sizeof out, SEED + (uint64_t)at);
		good = write_all(to_host ? port : host, out, sizeof out) &&
		       read_all(to_host ? host : port, in, sizeof in) &&
		       pattern_check(in, sizeof in, SEED + (uint64_t)at);
	}
	if (test_check(good, "serial", "bytes differ or are lost at %lld", (long long)at))
		test_metric("usb.serial.bw",
			(double)bytes / ((double)(now_ns() - start) / 1e9) / 1000, "kB/s",
			"function=acm");
done:
	if (host >= 0)
		close(host);
	if (port >= 0)
		close(port);
}

static void test_network(const char *kind)
{
	char path[TEST_PATH_BYTES], name[TEST_TEXT_BYTES];

	path_make(path, "%s/ifname", function_dir);
	if (text_read(name, path) < 0 || !net_index(name)) {
		test_fail("network", "%s has no interface", kind);
		return;
	}
	test_check(net_up(name, true) == 0, "network", "'%s' does not come up: %s", name,
		strerror(errno));
	path_make(path, "/sys/class/net/%s/carrier", name);
	for (int ms = 0; ms < WAIT_MS && number_read(path) != 1; ms += 100)
		sleep_ms(100);
	if (number_read(path) == 1)
		test_pass("carrier");
	else
		test_skip("carrier", "the host's side has not brought the link up");
}

static void run(void)
{
	const char *kind = option("function");
	char udc[TEST_PATH_BYTES];

	if (!find_udc(udc))
		return;
	test_pass("controller");
	/* a program that was killed may have left one */
	path_make(function_dir, GADGET "/functions/%s.0", kind);
	take_down();
	*function_dir = 0;
	if (bring_up(kind, udc) && configured(udc)) {
		if (!strcmp(kind, "mass_storage"))
			test_disk();
		else if (!strcmp(kind, "acm"))
			test_serial();
		else
			test_network(kind);
	}
	take_down();
	test_check(access(GADGET, F_OK) < 0, "removed", "'" GADGET "' is still there");
}

const struct driver_test test_gadget = {
	.name = "usb-gadget",
	.what = "USB device side: mass storage, CDC ACM, CDC ECM, RNDIS through configfs",
	.needs = "configfs, a USB device controller or dummy_hcd",
	.options = {{"function", "mass_storage", "mass_storage, acm, ecm or rndis"},
		{"udc", NULL, "the controller; the last one unless given"},
		{"size", "8m", "size of the disk that is shown"},
		{"bs", "102400,262144,524288,1048576", "buffer sizes"}, {0}},
	.run = run,
};
