/* SPDX-License-Identifier: MIT */
/*
 * Flash as an MTD device: erase, write, read, verify, with throughput by size of buffer. Invariant:
 * nothing is erased unless --destroy yes; a bad block is stepped over and counted.
 */
#include "test.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <mtd/mtd-user.h>

struct flash {
	int fd;
	struct mtd_info_user info;
	const char *media;
	int64_t bytes; /* of whole erase blocks */
	unsigned bad;
};

static bool bad_block(const struct flash *f, int64_t at)
{
	loff_t offset = at;

	return ioctl(f->fd, MEMGETBADBLOCK, &offset) > 0;
}

static bool erase(struct flash *f, const char *name)
{
	int64_t start = now_ns(), erased = 0;
	double s;

	for (int64_t at = 0; at < f->bytes; at += f->info.erasesize) {
		struct erase_info_user e = {.start = (uint32_t)at, .length = f->info.erasesize};

		if (bad_block(f, at)) {
			f->bad++;
			continue;
		}
		if (ioctl(f->fd, MEMERASE, &e) < 0) {
			test_fail(name, "block at %#llx: %s", (long long)at, strerror(errno));
			return false;
		}
		erased += f->info.erasesize;
	}
	s = (double)(now_ns() - start) / 1e9;
	if (!test_check(erased > 0, name, "all %u blocks are bad", f->bad))
		return false;
	test_metric("mtd.erase.bw", (double)erased / 1024 / s, "KiB/s", "media=%s", f->media);
	return true;
}

/* NOR has no bad blocks to step over: a buffer may reach over the end of a block. */
static size_t piece(const struct flash *f, size_t bs, int64_t at)
{
	return (int64_t)bs > f->bytes - at ? (size_t)(f->bytes - at) : bs;
}

/* What an erased block reads as. */
static bool blank(struct flash *f, unsigned char *buffer, size_t bs)
{
	for (int64_t at = 0; at < f->bytes; at += (int64_t)bs) {
		size_t n = piece(f, bs, at);

		if (bad_block(f, at - at % f->info.erasesize))
			continue;
		if (pread(f->fd, buffer, n, at) != (ssize_t)n)
			return false;
		for (size_t i = 0; i < n; i++)
			if (buffer[i] != 0xff)
				return false;
	}
	return true;
}

/* One way over the flash in steps of bs; NULL or what went wrong, at *where. */
static const char *pass(
	struct flash *f, unsigned char *buffer, size_t bs, bool writing, int64_t *where)
{
	for (int64_t at = 0; at < f->bytes; at += (int64_t)bs) {
		size_t n = piece(f, bs, at);

		*where = at;
		if (bad_block(f, at - at % f->info.erasesize))
			continue;
		if (writing)
			sectors_stamp(buffer, n, (uint64_t)at);
		if ((writing ? pwrite(f->fd, buffer, n, at) : pread(f->fd, buffer, n, at)) !=
			(ssize_t)n)
			return strerror(errno);
		if (!writing && !sectors_check(buffer, n, (uint64_t)at))
			return "other bytes than written";
	}
	return NULL;
}

static bool timed(struct flash *f, unsigned char *buffer, size_t bs, const char *way)
{
	char name[48], metric[48];
	struct load load;
	const char *why;
	int64_t start, where = 0;
	double s, percent;

	if (!strcmp(way, "write"))
		sectors_fill(buffer, bs);
	snprintf(name, sizeof name, "%s-%zu", way, bs);
	load_start(&load);
	start = now_ns();
	why = pass(f, buffer, bs, !strcmp(way, "write"), &where);
	s = (double)(now_ns() - start) / 1e9;
	percent = load_percent(&load);
	if (!test_check(!why, name, "at %#llx: %s", (long long)where, why ? why : ""))
		return false;
	snprintf(metric, sizeof metric, "storage.%s.bw", way);
	test_metric(
		metric, (double)f->bytes / s / 1e6, "MB/s", "media=%s fs=raw bs=%zu", f->media, bs);
	snprintf(metric, sizeof metric, "storage.%s.cpu_load", way);
	if (percent >= 0)
		test_metric(metric, percent, "%", "media=%s fs=raw bs=%zu", f->media, bs);
	return true;
}

static void test_size(struct flash *f, int64_t bs)
{
	unsigned char *buffer;
	char name[48];

	snprintf(name, sizeof name, "erase-%lld", (long long)bs);
	/* steps end where pages do, and blocks where one may be bad */
	if (bs % f->info.writesize || (f->info.type != MTD_NORFLASH && f->info.erasesize % bs)) {
		test_skip(name, "%lld bytes are not whole pages of %u in blocks of %u",
			(long long)bs, f->info.writesize, f->info.erasesize);
		return;
	}
	buffer = malloc((size_t)bs);
	if (!buffer) {
		test_error(name, "no memory");
		return;
	}
	f->bad = 0;
	if (erase(f, name)) {
		snprintf(name, sizeof name, "blank-%lld", (long long)bs);
		test_check(blank(f, buffer, (size_t)bs), name, "an erased block is not all ones");
		if (timed(f, buffer, (size_t)bs, "write"))
			timed(f, buffer, (size_t)bs, "read");
	}
	free(buffer);
}

/* ---- what it is ------------------------------------------------------------------------------ */

/* Its page in sysfs, as /dev/mtd0 is /sys/class/mtd/mtd0. */
static int sysfs_text(char out[TEST_TEXT_BYTES], const char *name)
{
	const char *device = strrchr(option("device"), '/');
	char path[TEST_PATH_BYTES];

	path_make(path, "/sys/class/mtd%s/%s", device ? device : "", name);
	return text_read(out, path);
}

/* The cells: Linux calls SLC nand, the others mlc-nand (Documentation/ABI/testing/sysfs-class-mtd).
 */
static void test_kind(const struct flash *f)
{
	char text[TEST_TEXT_BYTES];
	int64_t want = option_number("ecc");

	if (f->info.type != MTD_NANDFLASH && f->info.type != MTD_MLCNANDFLASH) {
		test_skip("slc", "no NAND: its type is %u", f->info.type);
		test_skip("ecc", "no NAND: its type is %u", f->info.type);
		return;
	}
	test_check(f->info.type == MTD_NANDFLASH, "slc", "its cells hold several bits");
	if (!want)
		test_skip("ecc", "--ecc with the bits that it corrects");
	else if (sysfs_text(text, "ecc_strength") < 0)
		test_skip("ecc", "the kernel does not tell its ECC: %s", strerror(errno));
	else
		test_check(atoll(text) == want, "ecc", "it corrects %s bits a step, not %lld", text,
			(long long)want);
}

/* The table of bad blocks and what each block says must agree. */
static void test_bad_blocks(const struct flash *f)
{
	struct mtd_ecc_stats stats;
	unsigned bad = 0;

	if (ioctl(f->fd, ECCGETSTATS, &stats) < 0) {
		test_refused("bad-blocks", "ECCGETSTATS", errno);
		return;
	}
	if (f->info.type == MTD_RAM || f->info.type == MTD_NORFLASH) {
		test_skip("bad-blocks", "blocks of this flash do not go bad");
		return;
	}
	for (uint64_t at = 0; at < f->info.size; at += f->info.erasesize)
		bad += bad_block(f, (int64_t)at);
	test_check(bad == stats.badblocks + stats.bbtblocks, "bad-blocks",
		"%u blocks say that they are bad, the driver counts %u and %u for its table", bad,
		stats.badblocks, stats.bbtblocks);
}

static void run(void)
{
	struct flash f = {.media = option("media"), .bytes = option_number("size")};
	int64_t sizes[TEST_LIST_MAX];
	size_t n = option_numbers("bs", sizes);

	f.fd = device_open("open", option("device"), O_RDWR);
	if (f.fd < 0)
		return;
	if (ioctl(f.fd, MEMGETINFO, &f.info) < 0) {
		test_fail("open", "MEMGETINFO: %s", strerror(errno));
		close(f.fd);
		return;
	}
	test_pass("open");
	printf("# %u bytes, blocks of %u, pages of %u, type %u\n", f.info.size, f.info.erasesize,
		f.info.writesize, f.info.type);
	test_kind(&f);
	test_bad_blocks(&f);
	f.bytes = f.bytes > f.info.size ? f.info.size : f.bytes;
	f.bytes -= f.bytes % f.info.erasesize;
	if (strcmp(option("destroy"), "yes"))
		test_skip("erase", "--destroy yes where what is in the flash may be lost");
	else if (!f.bytes || !f.info.erasesize)
		test_skip("erase", "not one whole erase block");
	else
		for (size_t i = 0; i < n; i++)
			test_size(&f, sizes[i]);
	close(f.fd);
}

const struct driver_test test_mtd = {
	.name = "mtd",
	.what = "NAND, SPI and parallel flash: erase, write, read, verify, by buffer size",
	.needs = "an MTD device",
	.options = {{"device", "/dev/mtd0", "the MTD device"},
		{"media", "nand", "label: nand, spi-nor, nor, ..."},
		{"size", "1m", "bytes of the flash that are used, from its start"},
		{"bs", "2k,16k,64k,128k", "buffer sizes"},
		{"ecc", "0", "bits a step that the ECC must correct; 0: not asked"},
		{"destroy", "no", "yes: what is in the flash may be lost"}, {0}},
	.run = run,
};
