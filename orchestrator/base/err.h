/* SPDX-License-Identifier: MIT */
#ifndef BASE_ERR_H
#define BASE_ERR_H

/*
 * One error, with the party who must act on it. The caller owns the struct (on its stack, set
 * to `{0}` or by err_clear) and passes it last; may be NULL where the caller does not care. Setters
 * return -1 so that a leaf can `return err_set(...)`. Each level adds what it was doing with
 * err_wrap, so that the text reads from the outside in: `boot am62a-3: power on: relay 'p': no
 * answer in 2 s`.
 */

#include "base/attr.h"

#include <stdarg.h>
#include <stdbool.h>

enum err_blame {
	BLAME_NONE,    /* no error */
	BLAME_JOB,     /* the job document asks for something impossible */
	BLAME_INFRA,   /* the lab: relay, cable, network, host */
	BLAME_TEST,    /* the test itself broke, or the thing under test failed it */
	BLAME_BUILD,   /* the images under test cannot be used or do not come up */
	BLAME_TIMEOUT, /* a deadline passed and nobody else is known to be at fault */
	BLAME_CANCEL,  /* somebody asked to stop */
	BLAME_CONFIG,  /* a lab, type or configuration file, or a command line, is wrong */
	BLAME_BUG,     /* hilab itself */
	BLAME_COUNT
};

#define ERR_MSG_BYTES 480

struct err {
	enum err_blame blame;
	int sys; /* errno where one was involved, else 0 */
	char msg[ERR_MSG_BYTES];
};

/* Fills e (cut at ERR_MSG_BYTES - 1) and returns -1. e may be NULL. */
int err_set(struct err *e, enum err_blame blame, const char *fmt, ...) PRINTF(3, 4);
/* As err_set, with ": strerror(sys)" at the end and sys kept. */
int err_sys(struct err *e, enum err_blame blame, int sys, const char *fmt, ...) PRINTF(4, 5);
/* Puts "text: " before the message; blame and sys stay. Returns -1. */
int err_wrap(struct err *e, const char *fmt, ...) PRINTF(2, 3);
void err_clear(struct err *e);
static inline bool err_is(const struct err *e)
{
	return e->blame != BLAME_NONE;
}

/* "job", "infra", ... ; "none" for BLAME_NONE. Never NULL. */
const char *err_blame_name(enum err_blame blame);
/* The inverse; -1 when the name is none of ours, or NULL. */
int err_blame_parse(const char *name);

#endif
