/* SPDX-License-Identifier: MIT */
#ifndef API_OUTPUT_H
#define API_OUTPUT_H

/* Heavy reads are done by a child process of the same program, with the store opened for itself;
 * what it prints is gathered here without holding up the loop. */

#include "api/api.h"

#define OUTPUT_BYTES ((size_t)64 << 20)
#define OUTPUT_MS    60000 /* then it is killed */

struct output; /* gone when its fn was called, or by output_stop */
/* text: what it printed, which fn may take; cut short where it overflowed. how: its exit status in
 * words. */
typedef void output_fn(void *arg, int64_t id, struct buf *text, const char *how);

/* arg and id are for fn, of the caller. argv[0] is this program's, NULL-ended. NULL with e: it
 * cannot be started. */
struct output *output_start(struct server *s, const char *const *argv, output_fn *fn, void *arg,
	int64_t id, struct err *e);
/* Killed; fn is not called. */
void output_stop(struct output *o);
void outputs_free(struct server *s); /* all of them */

#endif
