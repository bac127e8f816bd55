/* SPDX-License-Identifier: MIT */
#ifndef WORKER_BUILDID_H
#define WORKER_BUILDID_H

/*
 * GNU build ids out of ELF notes, as Linux shows them: /sys/kernel/notes for the kernel,
 * /sys/module/NAME/notes/.note.gnu.build-id for a module. Layout: elf(5), "Notes (Nhdr)".
 */

#include "builds/build.h"

#define BUILDID_HEX_BYTES (2 * BUILD_ID_MAX + 1)

/* The id as lower-case hex. notes may be any bytes; those of a little-endian board are
 * understood. False: no note of them is a build id, and hex is left alone. */
bool buildid_find(struct str notes, char hex[BUILDID_HEX_BYTES]);

#endif
