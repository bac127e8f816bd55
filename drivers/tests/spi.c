/* SPDX-License-Identifier: MIT */
/*
 * A SPI controller by spidev: what it is set to, and bytes through its own loop or a wire from MOSI
 * to MISO. Invariant: the settings that were found are put back; a chip sees clocked bytes only
 * where --transfer says that it may.
 */
#include "test.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <linux/spi/spidev.h>

#define SEED 0x5b1

static void test_settings(int fd)
{
	uint32_t hz = 0;
	uint8_t bits = 0, mode = 0;

	if (ioctl(fd, SPI_IOC_RD_MODE, &mode) < 0)
		test_refused("mode", "SPI_IOC_RD_MODE", errno);
	else
		test_pass("mode");
	if (ioctl(fd, SPI_IOC_RD_BITS_PER_WORD, &bits) < 0)
		test_refused("bits", "SPI_IOC_RD_BITS_PER_WORD", errno);
	else
		test_check(!bits || bits >= 4, "bits", "%d bits a word", bits);
	if (ioctl(fd, SPI_IOC_RD_MAX_SPEED_HZ, &hz) < 0)
		test_refused("speed", "SPI_IOC_RD_MAX_SPEED_HZ", errno);
	else
		test_check(hz > 0, "speed", "0 Hz");
	printf("# mode %d, %d bits, %u Hz\n", mode, bits ? bits : 8, hz);
}

static void test_transfer(int fd, bool wired)
{
	size_t n = (size_t)option_number("bytes");
	unsigned char *out = malloc(n), *in = calloc(n, 1);
	uint8_t mode = 0, loop;
	struct spi_ioc_transfer t = {.tx_buf = (uintptr_t)out,
		.rx_buf = (uintptr_t)in,
		.len = (uint32_t)n,
		.speed_hz = (uint32_t)option_number("speed")};
	int rc;

	if (!out || !in) {
		test_error("transfer", "no memory");
		goto done;
	}
	pattern_fill(out, n, SEED);
	ioctl(fd, SPI_IOC_RD_MODE, &mode);
	loop = mode | (wired ? 0 : SPI_LOOP);
	if (ioctl(fd, SPI_IOC_WR_MODE, &loop) < 0) {
		test_skip("transfer",
			"the controller has no loop: --transfer wired, with MOSI on MISO");
		goto done;
	}
	rc = ioctl(fd, SPI_IOC_MESSAGE(1), &t);
	if (rc < 0)
		test_fail("transfer", "SPI_IOC_MESSAGE: %s", strerror(errno));
	else
		test_check((size_t)rc == n && pattern_check(in, n, SEED), "transfer",
			"other bytes than sent");
	ioctl(fd, SPI_IOC_WR_MODE, &mode);
done:
	free(out);
	free(in);
}

static void run(void)
{
	const char *how = option("transfer");
	char path[TEST_PATH_BYTES];
	int fd;

	if (option("device"))
		path_make(path, "%s", option("device"));
	else if (!device_find("open", "/dev/spidev*", path))
		return;
	fd = device_open("open", path, O_RDWR);
	if (fd < 0)
		return;
	test_pass("open");
	test_settings(fd);
	if (!strcmp(how, "no"))
		test_skip("transfer", "--transfer loop or wired where bytes may be clocked out");
	else
		test_transfer(fd, !strcmp(how, "wired"));
	close(fd);
}

const struct driver_test test_spi = {
	.name = "spi",
	.what = "SPI by spidev: settings, bytes looped back",
	.needs = "spidev on a controller",
	.options = {{"device", NULL, "the device; the first /dev/spidev* unless given"},
		{"transfer", "no", "loop (the controller's own) or wired (MOSI on MISO)"},
		{"bytes", "256", "bytes looped back"}, {"speed", "1000000", "Hz"}, {0}},
	.run = run,
};
