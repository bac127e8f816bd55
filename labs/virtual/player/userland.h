/* SPDX-License-Identifier: MIT */
#ifndef PLAYER_USERLAND_H
#define PLAYER_USERLAND_H

/*
 * A real shell as a played board's userland, on a terminal of its own, so that what runs on a board
 * runs for real: quoting, exit codes, job control, Ctrl-C. It runs on this host with this host's
 * programs, but files of the board's folder stand in for the host's (/proc/version and the like):
 * in a mount namespace where the host lets us have one (root, or user namespaces), with a $TMPDIR
 * in memory that is empty at each start; else only for `cat`, and `uname -r` and `hostname` answer
 * for the board. Programs that would change the host (mount, modprobe, dmesg -n ...) do nothing.
 * `reboot` ends the shell with USERLAND_REBOOT, poweroff and halt with USERLAND_HALT.
 */

#include "base/err.h"
#include "base/str.h"
#include "io/loop.h"

#define USERLAND_REBOOT      101
#define USERLAND_HALT        102
#define USERLAND_QUEUE_BYTES ((size_t)64 << 10) /* typed and not yet taken by the terminal */

typedef void userland_bytes_fn(void *arg, struct str bytes);
typedef void userland_exit_fn(void *arg, int status); /* exit status, 128 + signal */

struct userland_opts {
	const char *const *argv;  /* NULL-ended */
	const char *root;         /* the board's folder: files below it stand in for the host's */
	const char *const *files; /* which, by their absolute paths; NULL-ended, NULL: none */
	const char *prompt, *hostname, *release; /* PS1; what `hostname` and `uname -r` say */
	userland_bytes_fn *on_bytes;             /* what the terminal prints */
	userland_exit_fn *on_exit;               /* the userland may be stopped from inside it */
	void *arg;
};

struct userland; /* owned by the caller */

/* A file below root, with its folders; not synced: it is worth nothing without its board. */
int userland_put(
	const char *root, const char *path, const char *text, unsigned mode, struct err *e);

struct userland *userland_start(struct loop *l, const struct userland_opts *o, struct err *e);
void userland_type(struct userland *u, struct str bytes); /* what does not fit is lost */
/* Kills it and all of its session that hangs on the terminal. NULL is fine. */
void userland_stop(struct userland *u);

#endif
