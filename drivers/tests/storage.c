/* SPDX-License-Identifier: MIT */
/*
 * Block storage: MMC, SD, eMMC, USB disks, through a file system or raw. Invariant: a raw device
 * is written only where --destroy yes says so and nothing of it is mounted.
 */
#include "test.h"

#include "transfer.h"

#include <fcntl.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include <linux/fs.h>

static bool mounted(const char *device)
{
	char line[512];
	FILE *f = fopen("/proc/mounts", "re");
	bool found = false;

	while (f && !found && fgets(line, sizeof line, f))
		found = !strncmp(line, device, strlen(device));
	if (f)
		fclose(f);
	return found;
}

static void test_raw(struct transfer *t, const int64_t *sizes, size_t n)
{
	uint64_t bytes = 0;
	int sector = 0, fd = device_open("open", t->path, O_RDONLY);

	if (fd < 0)
		return;
	if (ioctl(fd, BLKGETSIZE64, &bytes) < 0 || ioctl(fd, BLKSSZGET, &sector) < 0) {
		test_skip("open", "'%s' is no block device", t->path);
		close(fd);
		return;
	}
	close(fd);
	test_pass("open");
	test_metric("storage.capacity", (double)bytes / 1e6, "MB", "media=%s", t->media);
	if (strcmp(option("destroy"), "yes")) {
		test_skip("write", "--destroy yes where what is on '%s' may be lost", t->path);
		return;
	}
	if (mounted(t->path)) {
		test_skip("write", "'%s' is mounted", t->path);
		return;
	}
	t->fs = "raw";
	t->bytes = (uint64_t)t->bytes > bytes ? (int64_t)bytes : t->bytes;
	transfer_run(t, sizes, n);
}

static void test_files(struct transfer *t, const char *dir, const int64_t *sizes, size_t n)
{
	char path[TEST_PATH_BYTES];
	struct stat st;

	if (stat(dir, &st) < 0 || !S_ISDIR(st.st_mode)) {
		test_skip("open", "no folder '%s'", dir);
		return;
	}
	test_pass("open");
	path_make(path, "%s/hil-test.%d", dir, (int)getpid());
	t->path = path;
	t->where = dir;
	transfer_run(t, sizes, n);
}

static void run(void)
{
	const char *dir = option("dir");
	struct transfer t = {.path = option("device"),
		.media = option("media"),
		.fs = option("fs"),
		.bytes = option_number("size")};
	int64_t sizes[TEST_LIST_MAX];
	size_t n = option_numbers("bs", sizes);

	if (dir)
		test_files(&t, dir, sizes, n);
	else if (t.path)
		test_raw(&t, sizes, n);
	else
		test_skip("open", "neither --device nor --dir");
}

const struct driver_test test_storage = {
	.name = "storage",
	.what = "MMC, SD, eMMC, USB disk: throughput by buffer size with CPU load, verified",
	.needs = "a block device, or a folder on a mounted file system",
	.options = {{"device", NULL, "a block device, written raw"},
		{"dir", NULL, "a folder on the file system to measure, in place of a device"},
		{"media", "disk", "label: sd, emmc, usb-disk, ..."},
		{"fs", "unknown", "label of the file system"},
		{"size", "16m", "bytes moved per buffer size"},
		{"bs", "102400,262144,524288,1048576,5242880", "buffer sizes"},
		{"destroy", "no", "yes: what is on the device may be lost"}, {0}},
	.run = run,
};
