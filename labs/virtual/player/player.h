/* SPDX-License-Identifier: MIT */
#ifndef PLAYER_PLAYER_H
#define PLAYER_PLAYER_H

/*
 * The player: one process that plays many boards from transcripts. In its folder: lab.yaml,
 * NAME.console per board, relay boards `relay`, `relay-2`, ... that the boards hang on in order,
 * `tftp/`, NAME.root/ where a board has a real shell, and `ctl` (vlab.h), which takes
 *
 *	status [BOARD]                  power, state, faults
 *	fault BOARD SPEC                a fault (fault.h), or "chunk N", "pace [off]"
 *	relay BOARD ok|dead|lying|stuck
 *	clear BOARD                     no faults, relay good
 *	set BOARD NAME=VALUE            a variable, over the transcript's and the images'
 *	rail BOARD NAME=MILLIWATTS      what the simulated instrument reads on a power rail
 *	meter BOARD ok|silent|garbage|gone   of that instrument, which all boards share
 *	say BOARD TEXT                  a kernel line, at once
 *	reset BOARD                     the reset button
 *	pull BOARD, plug BOARD          the console's cable; pull-relay, plug-relay: the relay
 *board's
 *
 * BOARD `*` means all of them.
 */

#include "base/diag.h"
#include "base/err.h"
#include "labs/virtual/meter.h"
#include "labs/virtual/player/played.h"
#include "labs/virtual/relay.h"
#include "labs/virtual/vlab.h"

#define PLAYER_BOARDS_MAX        1500 /* two PTYs each at worst, of the 4096 that Linux gives */
#define PLAYER_SOCKET_BOARDS_MAX 3000 /* what a lab file may hold */

struct player_opts {
	const char *dir;          /* NULL: a fresh one, gone at the end */
	const char *const *specs; /* [NAME=]TRANSCRIPT, a file or the name of a shipped one */
	size_t n_specs;
	unsigned count; /* boards of each; above 1 they are NAME-1, NAME-2, ... */
	double scale;
	enum relay_model model;
	unsigned channels; /* of each relay board; 0: 8 */
	bool sockets;      /* ports are unix sockets, not PTYs */
};

struct player; /* owned by the caller */

/* All ports are there and lab.yaml is written when it returns. NULL with e, or with what is wrong
 * with a transcript in diag. */
struct player *player_new(const struct player_opts *o, struct diag *diag, struct err *e);
int player_run(struct player *p, const struct vlab_run *run, int *status, struct err *e);
void player_free(struct player *p); /* ends all that it started; NULL is fine */

#endif
