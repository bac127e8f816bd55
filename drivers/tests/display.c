/* SPDX-License-Identifier: MIT */
/*
 * A framebuffer: its geometry is read and set, its memory is mapped, written and read back, and
 * frames are filled for the rate. Invariant: what was on the screen is there again at the end.
 */
#include "test.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <linux/fb.h>

#define SEED  0xf8
#define TRIES 5

static size_t differences(const unsigned char *a, const unsigned char *b, size_t n)
{
	size_t sum = 0;

	for (size_t i = 0; i < n; i++)
		sum += a[i] != b[i];
	return sum;
}

static void test_memory(unsigned char *screen, size_t n)
{
	unsigned char *was = malloc(n), *want = malloc(n);
	size_t different = n;
	int64_t start, frames = option_number("frames"), i;
	struct load load;
	double s;

	if (!was || !want) {
		test_error("memory", "no memory for %zu bytes", n);
		goto done;
	}
	memcpy(was, screen, n);
	pattern_fill(want, n, SEED);
	/* a text console may draw its cursor between the two */
	for (int tries = 0; tries < TRIES && different; tries++) {
		memcpy(screen, want, n);
		different = differences(screen, want, n);
	}
	test_check(!different, "memory", "%zu of %zu bytes are not as written", different, n);
	load_start(&load);
	start = now_ns();
	for (i = 0; i < frames; i++)
		memset(screen, (int)i, n);
	s = (double)(now_ns() - start) / 1e9;
	test_metric("display.fps", (double)frames / s, "frames/s", "op=fill bytes=%zu", n);
	if (load_percent(&load) >= 0)
		test_metric("display.cpu_load", load_percent(&load), "%", "op=fill bytes=%zu", n);
	memcpy(screen, was, n);
done:
	free(was);
	free(want);
}

static void test_pan(int fd, const struct fb_var_screeninfo *var)
{
	struct fb_var_screeninfo pan = *var;

	if (var->yres_virtual < 2 * var->yres) {
		test_skip("pan", "there is one screen of memory, not two");
		return;
	}
	pan.yoffset = var->yres;
	if (ioctl(fd, FBIOPAN_DISPLAY, &pan) < 0) {
		test_refused("pan", "FBIOPAN_DISPLAY", errno);
		return;
	}
	pan.yoffset = var->yoffset;
	test_check(ioctl(fd, FBIOPAN_DISPLAY, &pan) == 0, "pan", "back: %s", strerror(errno));
}

static void run(void)
{
	struct fb_var_screeninfo var, set;
	struct fb_fix_screeninfo fix;
	int fd = device_open("open", option("device"), O_RDWR);
	size_t n;
	void *screen;

	if (fd < 0)
		return;
	test_pass("open");
	if (ioctl(fd, FBIOGET_VSCREENINFO, &var) < 0 || ioctl(fd, FBIOGET_FSCREENINFO, &fix) < 0) {
		test_fail("get-info", "%s", strerror(errno));
		close(fd);
		return;
	}
	printf("# '%.16s': %u x %u, %u bits, %u bytes a line\n", fix.id, var.xres, var.yres,
		var.bits_per_pixel, fix.line_length);
	test_check(
		var.xres && var.yres && fix.line_length, "get-info", "%u x %u", var.xres, var.yres);
	set = var;
	if (ioctl(fd, FBIOPUT_VSCREENINFO, &set) < 0)
		test_refused("put-info", "FBIOPUT_VSCREENINFO", errno);
	else
		test_check(set.xres == var.xres && set.yres == var.yres, "put-info",
			"it became %u x %u", set.xres, set.yres);
	test_pan(fd, &var);
	n = (size_t)fix.line_length * var.yres;
	screen = mmap(NULL, n, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (screen == MAP_FAILED) {
		test_refused("mmap", "mmap", errno);
	} else {
		test_pass("mmap");
		test_memory(screen, n);
		munmap(screen, n);
	}
	if (ioctl(fd, FBIOBLANK, FB_BLANK_NORMAL) < 0)
		test_skip("blank", "the driver does not blank: %s", strerror(errno));
	else
		test_check(ioctl(fd, FBIOBLANK, FB_BLANK_UNBLANK) == 0, "blank", "back: %s",
			strerror(errno));
	close(fd);
}

const struct driver_test test_display = {
	.name = "display",
	.what = "framebuffer: FBIOGET_*, FBIOPUT_VSCREENINFO, pan, mmap, blank, fill rate",
	.needs = "a framebuffer device",
	.options = {{"device", "/dev/fb0", "the framebuffer"},
		{"frames", "20", "frames that are filled"}, {0}},
	.run = run,
};
