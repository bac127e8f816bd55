/* SPDX-License-Identifier: MIT */
/*
 * UBIFS on a flash: attach, make a volume, mount, throughput by size of buffer, and all taken down
 * again. Invariant: the flash is formatted only where --destroy yes; what was attached is detached
 * however the test ends.
 */
#include "test.h"

#include "transfer.h"

#include <fcntl.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

#include <mtd/mtd-user.h>
#include <mtd/ubi-user.h>

#define FOLDER "/tmp/hil-ubi"
#define VOLUME "hil"

/* UBI formats what is all blank by itself. */
static bool wipe(const char *path)
{
	struct mtd_info_user info;
	int fd = device_open("wipe", path, O_RDWR);
	bool good = fd >= 0;

	if (good && ioctl(fd, MEMGETINFO, &info) < 0) {
		test_fail("wipe", "MEMGETINFO: %s", strerror(errno));
		good = false;
	}
	for (uint32_t at = 0; good && at < info.size; at += info.erasesize) {
		struct erase_info_user e = {.start = at, .length = info.erasesize};
		loff_t offset = at;

		if (ioctl(fd, MEMGETBADBLOCK, &offset) <= 0 && ioctl(fd, MEMERASE, &e) < 0) {
			test_fail("wipe", "block at %#x: %s", at, strerror(errno));
			good = false;
		}
	}
	if (good)
		test_pass("wipe");
	if (fd >= 0)
		close(fd);
	return good;
}

static bool make_volume(int ubi)
{
	char path[TEST_PATH_BYTES];
	struct ubi_mkvol_req volume = {.vol_id = UBI_VOL_NUM_AUTO,
		.alignment = 1,
		.vol_type = UBI_DYNAMIC_VOLUME,
		.name_len = sizeof VOLUME - 1,
		.name = VOLUME};
	int64_t blocks, bytes;
	int fd, rc;

	path_make(path, "/sys/class/ubi/ubi%d/avail_eraseblocks", ubi);
	blocks = number_read(path);
	path_make(path, "/sys/class/ubi/ubi%d/eraseblock_size", ubi);
	bytes = number_read(path);
	volume.bytes = blocks * bytes;
	path_make(path, "/dev/ubi%d", ubi);
	fd = device_open("volume", path, O_RDONLY);
	if (fd < 0)
		return false;
	rc = ioctl(fd, UBI_IOCMKVOL, &volume);
	test_check(rc == 0, "volume", "UBI_IOCMKVOL of %lld blocks: %s", (long long)blocks,
		strerror(errno));
	close(fd);
	return rc == 0;
}

static void test_files(int ubi)
{
	char source[TEST_PATH_BYTES], file[TEST_PATH_BYTES];
	struct transfer t = {.media = option("media"),
		.fs = "ubifs",
		.where = FOLDER,
		.path = file,
		.bytes = option_number("size")};
	int64_t sizes[TEST_LIST_MAX];
	size_t n = option_numbers("bs", sizes);

	path_make(source, "ubi%d:" VOLUME, ubi);
	path_make(file, FOLDER "/file");
	mkdir(FOLDER, 0700);
	if (mount(source, FOLDER, "ubifs", 0, NULL) < 0) {
		if (errno == ENODEV)
			test_skip("mount", "the kernel has no UBIFS");
		else
			test_fail("mount", "%s: %s", source, strerror(errno));
		return;
	}
	test_pass("mount");
	transfer_run(&t, sizes, n);
	test_check(umount(FOLDER) == 0, "umount", "%s", strerror(errno));
	rmdir(FOLDER);
}

static void run(void)
{
	const char *device = option("device"), *digits = device + strcspn(device, "0123456789");
	struct ubi_attach_req attach = {.ubi_num = UBI_DEV_NUM_AUTO};
	int32_t number;
	int fd;

	if (strcmp(option("destroy"), "yes")) {
		test_skip("attach", "--destroy yes where what is in the flash may be lost");
		return;
	}
	if (sscanf(digits, "%d", &attach.mtd_num) != 1) {
		test_error("attach", "--device wants /dev/mtdN, not '%s'", device);
		return;
	}
	fd = device_open("attach", "/dev/ubi_ctrl", O_RDWR);
	if (fd < 0)
		return;
	if (wipe(device)) {
		if (ioctl(fd, UBI_IOCATT, &attach) < 0) {
			test_fail("attach", "UBI_IOCATT of '%s': %s", device, strerror(errno));
		} else {
			test_pass("attach");
			if (make_volume(attach.ubi_num))
				test_files(attach.ubi_num);
			number = attach.ubi_num;
			test_check(ioctl(fd, UBI_IOCDET, &number) == 0, "detach", "%s",
				strerror(errno));
		}
	}
	close(fd);
}

const struct driver_test test_ubi = {
	.name = "ubi",
	.what = "UBIFS on flash: attach, volume, mount, throughput by buffer size with CPU load",
	.needs = "an MTD device, UBI and UBIFS",
	.options = {{"device", "/dev/mtd0", "the MTD device, all of it"},
		{"media", "nand", "label: nand, spi-nor, ..."},
		{"size", "2m", "bytes moved per buffer size"},
		{"bs", "102400,262144,524288,1048576", "buffer sizes"},
		{"destroy", "no", "yes: what is in the flash may be lost"}, {0}},
	.run = run,
};
