/* SPDX-License-Identifier: MIT */
#ifndef DRIVERS_TRANSFER_H
#define DRIVERS_TRANSFER_H

/*
 * Throughput of a file or a block device by size of buffer, with the CPU load meanwhile: the shape
 * of the published storage tables. Figures: storage.write.bw, storage.read.bw (MB/s, decimal) and
 * their cpu_load, labelled bs (bytes), media and fs.
 */
#include <stdint.h>

struct transfer {
	const char *path;  /* a block device, or a file that is made and removed */
	const char *media; /* "sd", "emmc", "usb-disk", "nand" ... */
	const char *fs;    /* "ext4", "ubifs" ... or "raw" */
	const char *where; /* the file system's folder, for messages */
	int64_t bytes;
};

/* Writes, reads and verifies once per size. Results write-BS, read-BS. */
void transfer_run(const struct transfer *t, const int64_t *sizes, size_t n);

#endif
