/* SPDX-License-Identifier: MIT */
/*
 * Writes images to fixed places of a card (or the file that stands for one) while the board is off.
 * Invariant: what was written was read back from the card before the board gets power. The card
 * keeps it: unlike other methods this one has nothing to take back but the card itself.
 */
#include "deploy.h"

#include "agents/bench/program.h"
#include "base/mem.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define PIECE_BYTES ((size_t)1 << 20)

struct card {
	const char *device;
	int64_t offset_bytes, timeout_ms;
	struct param_strings to_host, to_board;
};

static const struct param params[] = {
	{"device", PARAM_PATH, offsetof(struct card, device), .required = true,
		.help = "the card as the lab host sees it",
		.example = "/dev/disk/by-id/usb-Linux_Automation_GmbH_usb_sd_mux_000123-0:0"},
	{"offset", PARAM_SIZE, offsetof(struct card, offset_bytes), .preset = "128KiB",
		.help = "where the first image begins; each further one at the next MiB"},
	{"to-host", PARAM_STRINGS, offsetof(struct card, to_host),
		.help = "program that gives the card to the lab host",
		.example = "[usbsdmux, /dev/usb-sd-mux/id-00012, host]"},
	{"to-board", PARAM_STRINGS, offsetof(struct card, to_board),
		.help = "program that gives it to the board",
		.example = "[usbsdmux, /dev/usb-sd-mux/id-00012, dut]"},
	{"timeout", PARAM_DURATION, offsetof(struct card, timeout_ms), .preset = "30s", .min = 100,
		.max = 600000, .help = "how long such a program may take"},
	{0},
};

static int switch_to(struct deploy *dp, const struct param_strings *words, struct err *e)
{
	const struct card *conf = dp->conf;
	AUTOBUF said = BUF_INIT(PROGRAM_OUTPUT_BYTES);
	int rc;

	if (!words->n)
		return 0;
	rc = program_run(dp->bench, words, conf->timeout_ms, &said, e);
	return rc > 0 ? program_failed(words->p[0], rc, &said, e) : rc;
}

static int move_all(int fd, char *bytes, size_t n, off_t at, bool write)
{
	for (size_t done = 0; done < n;) {
		ssize_t r = write ? pwrite(fd, bytes + done, n - done, at + (off_t)done)
				  : pread(fd, bytes + done, n - done, at + (off_t)done);

		if (r < 0 && errno == EINTR)
			continue;
		if (r <= 0) {
			errno = r ? errno : ENOSPC;
			return -1;
		}
		done += (size_t)r;
	}
	return 0;
}

/* One pass over the image: written, or compared with what the card has. */
static int pass(struct deploy *dp, int from, int fd, off_t at, bool write, struct err *e)
{
	const struct card *conf = dp->conf;
	AUTOFREE char *bytes = mem_array(PIECE_BYTES, 1);
	AUTOFREE char *other = mem_array(PIECE_BYTES, 1);
	ssize_t n;

	for (off_t done = 0; (n = pread(from, bytes, PIECE_BYTES, done)) > 0; done += n) {
		char *own = write ? bytes : other;

		/* serves the consoles and hears a cancel between two pieces */
		if (bench_wait(dp->bench, NULL, 0, 0, e) < 0)
			return -1;
		if (move_all(fd, own, (size_t)n, at + done, write))
			return err_sys(e, BLAME_INFRA, errno, "%s card '%s'",
				write ? "write" : "read", conf->device);
		if (!write && memcmp(bytes, other, (size_t)n))
			return err_set(e, BLAME_INFRA,
				"card '%s' does not keep what is written to it", conf->device);
	}
	return n < 0 ? err_sys(e, BLAME_BUILD, errno, "read the image") : 0;
}

static int put(struct deploy *dp, const char *path, off_t at, struct err *e)
{
	const struct card *conf = dp->conf;
	AUTOCLOSE int from = open(path, O_RDONLY | O_CLOEXEC);
	AUTOCLOSE int fd = open(conf->device, O_RDWR | O_CLOEXEC);

	if (from < 0)
		return err_sys(e, BLAME_BUILD, errno, "image '%s'", path);
	if (fd < 0)
		return err_sys(e, BLAME_INFRA, errno, "card '%s'", conf->device);
	if (pass(dp, from, fd, at, true, e))
		return -1;
	if (fsync(fd))
		return err_sys(e, BLAME_INFRA, errno, "write card '%s'", conf->device);
	(void)posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED); /* from the card, not from memory */
	return pass(dp, from, fd, at, false, e);
}

static off_t next_mib(off_t at)
{
	return (at + ((off_t)1 << 20)) & ~(((off_t)1 << 20) - 1);
}

static int stage(struct deploy *dp, const struct deploy_image *images, size_t n, struct err *e)
{
	const struct card *conf = dp->conf;
	off_t at = conf->offset_bytes;
	struct err back = {0};
	int r = switch_to(dp, &conf->to_host, e);

	for (size_t i = 0; !r && i < n; i++) {
		struct stat st;

		r = put(dp, images[i].path, at, e);
		if (!r && !stat(images[i].path, &st))
			at = next_mib(at + st.st_size);
	}
	if (switch_to(dp, &conf->to_board, r ? &back : e))
		r = -1;
	return r;
}

extern const struct deploy_driver deploy_card;
const struct deploy_driver deploy_card = {
	.d = {.name = "card",
		.brief = "images at fixed places of an SD card, which a switch gives to the lab "
			 "host",
		.params = params,
		.size = sizeof(struct card),
		.proven = "files that stand for cards; the twins' ROM"},
	.wants_power_off = true,
	.stage = stage,
};
