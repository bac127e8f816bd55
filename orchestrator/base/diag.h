/* SPDX-License-Identifier: MIT */
#ifndef BASE_DIAG_H
#define BASE_DIAG_H

/*
 * All that is wrong with files, gathered in one pass and printed once, as `file:line:col: text`.
 * Only readers of files use it. Bounded: after DIAG_MAX entries the rest is only counted.
 */

#include "base/arena.h"
#include "base/buf.h"
#include "base/vec.h"

#include <stdint.h>

#define DIAG_MAX 200

/* Where something stands. file is borrowed from whoever read it; NULL when not from a file. line
 * and col from 1, 0 when unknown. */
struct loc {
	const char *file;
	uint32_t line, col;
};

struct diag_entry {
	struct loc at;
	const char *text;
};
struct diag {
	struct arena arena;
	VEC(struct diag_entry) entries;
	size_t total; /* also those past DIAG_MAX */
};

void diag_done(struct diag *d);
/* Returns -1. File name and text are copied. d may be NULL (the error is then only the -1). */
int diag_add(struct diag *d, struct loc at, const char *fmt, ...) PRINTF(3, 4);
/* "unknown WHAT 'WORD' (did you mean 'NEAREST'?)", or the names known where none is near. */
int diag_unknown(struct diag *d, struct loc at, const char *what, const char *word,
	const char *const *names, size_t n);
/* Sorted by file order of appearance, then line and column; one entry a line, then "N more" where
 * cut. */
void diag_print(struct diag *d, struct buf *out);
/* "file:line:col" for an error message; borrowed static-free: written to out. Returns out. */
char *loc_format(struct loc at, char *out, size_t n);

#endif
