/* SPDX-License-Identifier: MIT */
#ifndef AGENTS_BENCH_JOINT_H
#define AGENTS_BENCH_JOINT_H

/*
 * Inside the matcher: lines that kernel lines were printed into. A joint is such a line put
 * together again: what stood before the kernel lines and what came after them, without them, so
 * that a prompt is found that arrives as "root@am6[   12.345678] usb 1-1: new device\r\n2a:~# ".
 * Only kernel lines that begin in mid-line make one (the others are in nobody's way), and a joint
 * never reaches over a line's end, so unrelated lines are never put together.
 */

#include "agents/bench/text.h"

#define JOINT_HEAD_BYTES 512  /* of the line before its first kernel line */
#define JOINT_BYTES      2048 /* of the whole line */
#define JOINT_CUTS       16   /* kernel lines in one line */
#define JOINTS           64   /* kept; older ones are dropped */

struct cut { /* positions of a kernel line; end 0: not here yet */
	uint64_t start, end;
};
struct joint {
	uint64_t start;
	uint64_t end; /* 0: its line has not ended */
	bool whole;   /* start is where the line starts */
	struct cut cuts[JOINT_CUTS];
	size_t n_cuts;
	size_t searched; /* joint_version when it was last searched; 0: never */
};
struct joints {
	struct joint all[JOINTS]; /* oldest first */
	size_t n;
	uint64_t scan; /* all before is sorted into kernel lines and others */
	bool after;    /* scan stands right behind a kernel line of the newest joint */
};

void joints_scan(struct joints *js, const struct text *t);
/* Drops those that end at or before pos or begin before the window. */
void joints_drop(struct joints *js, const struct text *t, uint64_t pos);
/* Puts the line together into out (JOINT_BYTES of room). Returns its length. */
size_t joint_text(const struct joints *js, const struct joint *j, const struct text *t, char *out);
/* Differs whenever the line put together does. */
static inline size_t joint_version(const struct joint *j, size_t length)
{
	return j->n_cuts * (JOINT_BYTES + 1) + length + 1;
}
/* Position in the text of byte i of the line; of where the next one will be for i == its length. */
uint64_t joint_pos(const struct joint *j, size_t i);
/* Index in the line of the first byte at or after pos. */
size_t joint_index(const struct joint *j, uint64_t pos);
/* Does [start, end) of the line touch a place where a kernel line stood? */
bool joint_spans(const struct joint *j, size_t start, size_t end);

#endif
