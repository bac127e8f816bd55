/* SPDX-License-Identifier: MIT */
#ifndef AGENTS_BOOTMODE_BOOTMODE_H
#define AGENTS_BOOTMODE_BOOTMODE_H

/* The boot-mode pins of a board: where its ROM looks for the boot loader at the next power-on. */

#include "agents/bench/bench.h"
#include "io/driver.h"

struct bootmode;
struct bootmode_driver {
	struct driver d;
	/* Sets the pins. BLAME_CONFIG: the board has no such mode (its modes are told). Safe to
	 * repeat. */
	int (*set)(struct bootmode *bm, const char *mode, struct err *e);
};
struct bootmode {
	const struct bootmode_driver *drv;
	struct bench *bench;
	void *conf; /* the driver's settings */
};

const struct driver *const *bootmode_drivers(void); /* NULL-ended, sorted */

#endif
