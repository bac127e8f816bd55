/* SPDX-License-Identifier: MIT */
/*
 * An I2C adapter and one chip on it. Invariant: nothing is written to a chip unless --write yes.
 */
#include "test.h"

#include <fcntl.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <linux/i2c-dev.h>
#include <linux/i2c.h>

#define READS 200

static int smbus(int fd, uint8_t way, uint8_t command, uint32_t kind, union i2c_smbus_data *data)
{
	struct i2c_smbus_ioctl_data args = {
		.read_write = way, .command = command, .size = kind, .data = data};

	return ioctl(fd, I2C_SMBUS, &args);
}

/* Write and read back; what stood there is put back. */
static void test_write(int fd, const char *name, uint8_t at, uint32_t kind)
{
	union i2c_smbus_data was, data, got;
	uint16_t mask = kind == I2C_SMBUS_WORD_DATA ? 0xffff : 0xff;

	if (smbus(fd, I2C_SMBUS_READ, at, kind, &was) < 0) {
		test_fail(name, "read register %#x: %s", at, strerror(errno));
		return;
	}
	data.word = (uint16_t)(~was.word & mask);
	if (smbus(fd, I2C_SMBUS_WRITE, at, kind, &data) < 0)
		test_fail(name, "write register %#x: %s", at, strerror(errno));
	else if (smbus(fd, I2C_SMBUS_READ, at, kind, &got) < 0)
		test_fail(name, "read register %#x: %s", at, strerror(errno));
	else
		test_check((got.word & mask) == data.word, name, "wrote %#x, read %#x", data.word,
			got.word & mask);
	smbus(fd, I2C_SMBUS_WRITE, at, kind, &was);
}

static void test_smbus(int fd, unsigned long funcs, uint8_t at)
{
	union i2c_smbus_data data;
	int64_t start;

	if (!(funcs & I2C_FUNC_SMBUS_READ_BYTE_DATA)) {
		test_skip("read-byte", "the adapter reads no registers");
		return;
	}
	start = now_ns();
	for (int i = 0; i < READS; i++)
		if (smbus(fd, I2C_SMBUS_READ, at, I2C_SMBUS_BYTE_DATA, &data) < 0) {
			test_fail("read-byte", "read %d of register %#x: %s", i + 1, at,
				strerror(errno));
			return;
		}
	test_pass("read-byte");
	test_metric("i2c.read_rate", READS / ((double)(now_ns() - start) / 1e9), "1/s", "bytes=1");
	if (strcmp(option("write"), "yes")) {
		test_skip("write-byte", "--write yes where the chip may be written");
		return;
	}
	test_write(fd, "write-byte", at, I2C_SMBUS_BYTE_DATA);
	if (funcs & I2C_FUNC_SMBUS_WORD_DATA)
		test_write(fd, "write-word", (uint8_t)(at + 2), I2C_SMBUS_WORD_DATA);
	else
		test_skip("write-word", "the adapter writes no words");
}

/* A register's number out and its byte in, in one transfer: one stop. */
static void test_rdwr(int fd, unsigned long funcs, uint16_t address, uint8_t at)
{
	uint8_t in = 0;
	struct i2c_msg msgs[2] = {{.addr = address, .len = 1, .buf = &at},
		{.addr = address, .flags = I2C_M_RD, .len = 1, .buf = &in}};
	struct i2c_rdwr_ioctl_data args = {.msgs = msgs, .nmsgs = 2};
	int n;

	if (!(funcs & I2C_FUNC_I2C)) {
		n = ioctl(fd, I2C_RDWR, &args);
		if (n < 0)
			test_skip("rdwr",
				"the adapter has SMBus transfers only: I2C_RDWR is "
				"refused (%s)",
				strerror(errno));
		else
			test_fail("rdwr", "I2C_RDWR works on an adapter that denies it");
		return;
	}
	n = ioctl(fd, I2C_RDWR, &args);
	if (n < 0)
		test_fail("rdwr", "I2C_RDWR: %s", strerror(errno));
	else
		test_check(n == 2, "rdwr", "%d of 2 messages", n);
}

/* The adapter by the name that its driver gave it, for adapters whose number is not fixed. */
static bool adapter(char out[TEST_PATH_BYTES])
{
	const char *name = option("adapter");
	char path[TEST_PATH_BYTES], text[TEST_TEXT_BYTES];

	if (option("device")) {
		path_make(out, "%s", option("device"));
		return true;
	}
	for (int i = 0; i < 64; i++) {
		path_make(path, "/sys/class/i2c-dev/i2c-%d/name", i);
		if (text_read(text, path) < 0 || (name && !strstr(text, name)))
			continue;
		path_make(out, "/dev/i2c-%d", i);
		return true;
	}
	test_skip("open", name ? "no I2C adapter is called '%s'" : "no I2C adapter%.0s",
		name ? name : "");
	return false;
}

static void run(void)
{
	uint8_t at = (uint8_t)option_number("register");
	uint16_t address = (uint16_t)option_number("address");
	char path[TEST_PATH_BYTES];
	unsigned long funcs = 0;
	int fd;

	if (!adapter(path))
		return;
	fd = device_open("open", path, O_RDWR);
	if (fd < 0)
		return;
	test_pass("open");
	if (ioctl(fd, I2C_FUNCS, &funcs) < 0) {
		test_fail("funcs", "I2C_FUNCS: %s", strerror(errno));
	} else {
		test_check(funcs != 0, "funcs", "the adapter can do nothing");
		if (ioctl(fd, I2C_SLAVE_FORCE, (unsigned long)address) < 0)
			test_fail("slave-force", "address %#x: %s", address, strerror(errno));
		else
			test_pass("slave-force");
		test_smbus(fd, funcs, at);
		test_rdwr(fd, funcs, address, at);
	}
	close(fd);
}

const struct driver_test test_i2c = {
	.name = "i2c",
	.what = "I2C adapter: I2C_FUNCS, I2C_SLAVE_FORCE, registers, I2C_RDWR",
	.needs = "i2c-dev and a chip",
	.options = {{"device", NULL, "the adapter; the first unless given"},
		{"adapter", NULL, "a part of the adapter's name, in place of its device"},
		{"address", "0x50", "the chip's address"},
		{"register", "0", "a register that may be read"},
		{"write", "no", "yes: registers may be written (and are put back)"}, {0}},
	.run = run,
};
