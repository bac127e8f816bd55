/* SPDX-License-Identifier: MIT */
#ifndef REPORTS_PARSE_STAGES_H
#define REPORTS_PARSE_STAGES_H

/*
 * When a board's boot chain reached its stages, from the raw console log and its time index
 * ("OFFSET MS\n" for each read, agents/bench/console.h). Pure: the same bytes give the same times,
 * however they were read.
 */

#include "io/pattern.h"
#include "parse.h"

#define STAGES_MAX 32 /* as many as a board type may name (labs/type.c) */

struct stage_mark {
	const char *name; /* "loader", "kernel", "userspace", "login" */
	const struct pattern
		*pattern; /* matched line by line, without ANSI; its first byte counts */
};

/* What was on the console from power-on (ms of the index) until the next one; INT64_MAX: the end */
struct stage_span {
	int64_t power_on_ms, until_ms;
};

/*
 * at_ms[i]: milliseconds from power-on to the first byte of mark i; -1: it was not seen. Marks come
 * in their order: what stands before an earlier mark that was found does not count, and a mark that
 * a chain lacks is passed over. A kernel line in the middle of a line does not hide it.
 * Returns how many were seen. n <= STAGES_MAX.
 */
size_t stages_find(struct str log, struct str index, struct stage_span span,
	const struct stage_mark *marks, size_t n, int64_t *at_ms);

/* The metrics boot.NAME_ms of all that were seen, boot.total_ms when the last one was, and
 * boot.linux_ms from "kernel" (the boot loader's last line, or the kernel's first) to "login". */
void stages_emit(
	const struct stage_mark *marks, const int64_t *at_ms, size_t n, const struct sink *sink);

#endif
