/* SPDX-License-Identifier: MIT */
#ifndef AGENTS_BOOT_BOOT_H
#define AGENTS_BOOT_BOOT_H

/* From power on to the kernel's first line: the dialogue with a boot loader. */

#include "agents/bench/console.h"
#include "io/driver.h"

struct boot;
struct boot_driver {
	struct driver d;  /* params: the board type's settings of this boot method */
	bool wants_power; /* the core cycles power right before start */
	int (*start)(struct boot *bt,
		struct err *e); /* console already attached; ends at the kernel's first line */
	void (*stop)(struct boot *bt); /* NULL: power off is enough */
	/* As start, but to the boot loader's prompt. NULL: there is none to stop at. */
	int (*prompt)(struct boot *bt, struct err *e);
	/*
	 * Types one command at that prompt, adds command and output to out, waits for the prompt.
	 * 0, 1: the boot loader refused it, *e has its words; -1: it could not be done. NULL where
	 * prompt is.
	 */
	int (*command)(struct boot *bt, const char *command, struct buf *out, struct err *e);
	/*
	 * Waits for the end of the application that start() started, where bt->apps. 0, 1: it says
	 * that it failed, *e has its words; -1. NULL where no board of the method has apps.
	 */
	int (*listen)(struct boot *bt, struct err *e);
};
struct boot {
	const struct boot_driver *drv;
	struct bench *bench;
	struct console *console;
	void *conf;
	const char *loader_version; /* out: banner text of the boot loader, heap, NULL if none was
				       seen; freed by the owner */
	bool at_prompt;             /* of the boot loader, since prompt() */
	unsigned images_loaded;     /* out: images of ours that the boot loader said it loaded */
	/* out: pattern of a firmware's own command line that takes framed commands, borrowed from
	 * conf; NULL: a system with a shell boots */
	const char *framed_prompt;
	bool apps; /* out: no command line; each application is an image that prints and ends */
};

const struct driver *const *boot_drivers(void);

#endif
