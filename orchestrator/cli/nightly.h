/* SPDX-License-Identifier: MIT */
#ifndef CLI_NIGHTLY_H
#define CLI_NIGHTLY_H

/* Between nightly.c (the verbs), nightly-send.c (from a plan to the controller) and nightly-view.c
 * (what comes of it). */

#include "cli/params.h"
#include "cli/remote.h"
#include "jobs/nightly.h"

struct nightly_args {
	const char *server, *format;
	struct cli_texts builds, params;
	int64_t limit;
	bool wait, json, quiet;
};

/* ---- nightly-send.c ---- */
/* The plan with --build and --param laid over it; -1 after telling. */
int nightly_expand(struct nightly *n, const char *path, const struct nightly_args *a);
/* The jobs of a plan on standard output. Returns the exit status. */
int nightly_print(const struct nightly *n, bool json);
/* The body of POST /nightlies, builds and files uploaded; NULL after telling. */
json_t *nightly_body(
	struct remote *r, const struct nightly *n, bool schedule, bool quiet, int *exit_status);

/* ---- nightly-wait.c ---- */
/* Until the last of its jobs is done. Returns 0, or an exit status after telling. */
int nightly_wait(struct remote *r, const struct nightly_args *a, int64_t nightly);

/* ---- nightly-summary.c ---- */
enum nightly_format { NIGHTLY_TEXT, NIGHTLY_MARKDOWN, NIGHTLY_JSON };
/* The format of --format and --json; -1 after telling. */
int nightly_format(const struct nightly_args *a);
/* What GET /nightlies/N says of it, on out. */
void nightly_summary(const json_t *view, enum nightly_format format, struct buf *out);
/* 0 pass, 1 the product failed, 3 only the lab did; of one that has not ended: 0. */
int nightly_exit(const json_t *view);

#endif
