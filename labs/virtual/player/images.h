/* SPDX-License-Identifier: MIT */
#ifndef PLAYER_IMAGES_H
#define PLAYER_IMAGES_H

/*
 * What a played board's boot loader has loaded, and its dialogue while it does: U-Boot 2023.01's
 * tftpboot over real files, so that a file that was not deployed fails as it would there.
 */

#include "base/buf.h"
#include "base/str.h"

#include <stdbool.h>
#include <stdint.h>

#define IMAGES_MAX        8
#define IMAGES_SCAN_BYTES ((size_t)64 << 20) /* how far into an image its version is looked for */

struct images {
	struct {
		uint64_t address;
		char *path; /* owned */
		int64_t bytes;
	} loaded[IMAGES_MAX]; /* the newest at the end */
	unsigned n;
};

void images_done(struct images *im); /* empty and usable again */
/* A hexadecimal address as U-Boot takes it, with or without 0x; anything behind a colon is left
 * alone. 0, or -1. */
int images_address(struct str text, uint64_t *out);
/* Loads root/file; out gets the dialogue. 0, or -1 when there is no such file (told in out). */
int images_load(
	struct images *im, const char *root, const char *file, uint64_t address, struct buf *out);
/* Bytes loaded at an address; -1: nothing was. */
int64_t images_at(const struct images *im, uint64_t address);
/*
 * The text that follows the last mark in the image at an address, up to a control byte ("Linux
 * version ": a kernel holds a first one that is not whole). Images may be gzipped. Heap; NULL when
 * it is not there.
 */
char *images_text(const struct images *im, uint64_t address, const char *mark);
/* The first line of a file in a cpio archive ("newc", as an initramfs is); heap, or NULL. */
char *images_file(const struct images *im, uint64_t address, const char *name);

#endif
