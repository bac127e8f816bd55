/* SPDX-License-Identifier: MIT */
#ifndef AGENTS_WORKER_INBOX_H
#define AGENTS_WORKER_INBOX_H

/*
 * What comes into a job folder while its worker runs: `inbox.jsonl`, one JSON object a line, only
 * ever appended, by the agent alone. The worker reads whole lines and watches the file; a worker
 * looks at it only where it waits for something of it, or runs a session. Every line has "n" (from
 * 1, rising) and "kind":
 *
 *	for a session (a lease: plan.session)
 *	input    console data      bytes to type, base64
 *	break    console
 *	power    action            on, off, cycle; answered by an event
 *	                           {"kind":"power-done","n","ok",["message"]} beside the power event
 *	until    at                wall clock ms at which the session ends
 *	for the parts of a job with roles
 *	go       barrier           all parts have reached it
 *	message  from key value    value base64: any bytes
 *	gone     role why          that part has ended: nobody waits for it any more
 *
 * A session says, beside what every run does:
 *
 *	session-start  consoles      it takes lines now
 *	input-dropped  console bytes why: they were not typed
 *	session-end    why
 *
 * The parts of a job say to the others by events in their journals:
 *
 *	barrier  name              it has reached that one, and waits for go
 *	tell     to key value      to: a role, or absent for all the others; value base64
 */

#include "base/err.h"

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#define INBOX_FILE       "inbox.jsonl"
#define INBOX_LINE_BYTES ((size_t)96 << 10)
#define INBOX_DATA_BYTES ((size_t)64 << 10) /* of one input or value, before base64 */

struct inbox {
	int fd, watch_fd; /* watch_fd: readable when the file may have grown */
	struct buf *pending;
	bool skipping; /* the rest of a line that was too long */
	int64_t last;  /* n of the last line handed on */
};

int inbox_open(struct inbox *in, const char *dir, struct err *e); /* makes the file where absent */
void inbox_close(struct inbox *in);
/* The next line not seen yet: 1 with *line (new reference), 0 none now, -1: BLAME_BUG when a line
 * is damaged, which is passed over (those after it come), else the file cannot be read. */
int inbox_next(struct inbox *in, json_t **line, struct err *e);
/* Appends line, which has n, unless the file has that n already. For the agent. */
int inbox_append(const char *dir, const json_t *line, struct err *e);
/* The n of the last whole line; 0: none, no file. */
int64_t inbox_last(const char *dir);

#endif
