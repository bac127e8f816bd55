/* SPDX-License-Identifier: MIT */
#ifndef AGENTS_WORKER_CRASH_H
#define AGENTS_WORKER_CRASH_H

/*
 * Watches a console for a kernel that gives up. A moment after its words came, whatever is being
 * waited for ends with BLAME_BUILD and them: nothing more will come.
 */

#include "agents/bench/console.h"

#define CRASH_EXCERPT_BYTES 2048
#define CRASH_REST_MS       1000 /* for what the kernel says after it */

struct crash {
	struct bench *bench;
	int timer_fd; /* -1: not watching */
	bool seen, told;
	char line[400];
	size_t n;
	struct buf excerpt; /* the first lines of it, printable */
	char what[160];     /* the line that told */
};

int crash_watch(struct crash *c, struct bench *b, struct console *console, struct err *e);
/* A new boot: what was seen before is over. */
void crash_forget(struct crash *c);
void crash_done(struct crash *c); /* safe on a zeroed one */

#endif
