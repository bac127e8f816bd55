/* SPDX-License-Identifier: MIT */
#ifndef JOBS_EXPAND_H
#define JOBS_EXPAND_H

/*
 * ${name} in the texts of a job. Names without a dot are params and matrix keys, and are replaced
 * now. Names that begin with board. image. msg. net. build. or run. are variables of the run: left
 * for the worker where it expands the text (`late`), an error elsewhere. `$${` stands for `${`:
 * kept as it is in late texts, which the worker expands once more. Every other `$` is text. A value
 * that was put in is not looked at again.
 */

#include "io/node.h"

#define EXPAND_TEXT_BYTES ((size_t)64 << 10) /* of one text, expanded */

struct expand_scope {
	const char *const *names, *const *values;
	size_t n;
	const struct expand_scope *outer; /* looked in next; NULL: none */
};

struct expand {
	struct arena *a;  /* results, and the file names in their positions */
	size_t cap_bytes; /* of a; passing it is reported once */
	struct diag *diag;
	bool full;
	const char *file, *file_copy; /* last file name seen, and its copy in a */
};

/* text with its names replaced, in x->a; NULL after adding to diag. */
const char *expand_text(struct expand *x, const struct expand_scope *scope, struct loc at,
	const char *text, bool late);
/* Deep copy of n into x->a with every scalar expanded; NULL after adding to diag. Keys stay. */
struct node *expand_node(
	struct expand *x, const struct expand_scope *scope, const struct node *n, bool late);
/* at with its file name kept in x->a. */
struct loc expand_loc(struct expand *x, struct loc at);

#endif
