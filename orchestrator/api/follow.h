/* SPDX-License-Identifier: MIT */
#ifndef API_FOLLOW_H
#define API_FOLLOW_H

/* Between follow.c (the followers of a server), follow-log.c and follow-job.c. */

#include "api/api.h"

/* Somebody who reads along. Embedded first in each kind's struct; owned by its stream. */
struct follow {
	struct server *server;
	struct http_stream *stream;
	int64_t run, job;                /* whose changes wake it; 0: none */
	int64_t token;                   /* by which it was begun */
	bool cut;                        /* that token is no more */
	char *board;                     /* the same, of its lease; owned by the kind; NULL: none */
	void (*woken)(struct follow *f); /* NULL: nothing but pulling */
	http_done_fn *free;
	bool held; /* it wanted to look at the store */
};

/* Answers c with a stream that pull fills; f is freed by its free when it is over. */
void follow_start(struct follow *f, struct call *c, const char *type, http_pull_fn *pull);

/* What a turn changed is not to be told before its commit. False: it is woken after that. */
bool follow_may_look(struct follow *f);

#endif
