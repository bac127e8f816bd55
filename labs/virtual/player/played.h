/* SPDX-License-Identifier: MIT */
#ifndef PLAYER_PLAYED_H
#define PLAYER_PLAYED_H

/*
 * One played board: a machine that goes through a transcript's states while its power is on, behind
 * a console PTY. It never blocks, has no process but an optional real shell, and needs a few
 * kilobytes.
 */

#include "base/buf.h"
#include "base/err.h"
#include "base/map.h"
#include "base/str.h"
#include "io/loop.h"
#include "labs/virtual/player/fault.h"
#include "labs/virtual/player/images.h"
#include "labs/virtual/player/script.h"
#include "labs/virtual/player/userland.h"
#include "labs/virtual/pty.h"

#define PLAYED_TYPED_BYTES                                                                         \
	((size_t)4 << 10) /* typed before the board reads; more is an overrun                      \
			   */
#define PLAYED_LINE_BYTES  ((size_t)4 << 10)
#define PLAYED_OUT_BYTES   ((size_t)1 << 20) /* held back by `chunk`, or made by one action */
#define PLAYED_TURN_STATES 64                /* states passed in one turn of the loop */

struct played {
	struct loop *loop;
	const struct script *script; /* borrowed, shared by many boards */
	char *name;
	char *root;   /* folder of its userland */
	char *tftp;   /* TFTP root */
	double scale; /* of `wait` */
	struct pty *console;
	bool powered, hung;
	uint64_t power_ons, reboots, overruns;

	const struct state *state;
	const struct acts *acts; /* being done, next is acts->p[pc] */
	size_t pc;
	bool stepping, at_prompt, after_cr;
	bool failed, skip_next;   /* the last command did; the next hangs on it by && */
	struct loop_watch *timer; /* of a wait, or of a turn put off */
	bool waiting;             /* timer is a wait's */
	char *groups[PATTERN_GROUPS];
	struct buf typed, line, chain; /* not yet read; being edited; commands still to do */
	struct map env;                /* variables of this power-on, over those of the script */
	struct map forced;             /* set from outside, over all */
	struct images images;
	struct userland *userland; /* NULL: none runs */

	struct faults faults;
	struct buf held;    /* output held back by chunk_bytes */
	size_t chunk_bytes; /* 0: as it comes; 1: each byte read before the next; else gathered */
	unsigned spins;
	struct loop_watch *held_timer;
};

struct played_opts {
	const char *name;
	const char *dir;  /* the daemon's folder: the console is DIR/NAME.console */
	const char *tftp; /* TFTP root */
	double scale;     /* of `wait`: 0 at once, 1 as the transcript says */
};

/* Off, its console plugged in. The script must outlive it. */
struct played *played_new(struct loop *l, struct pty_hub *hub, const struct script *script,
	const struct played_opts *o, struct err *e);
void played_free(struct played *b); /* NULL is fine */
void played_power(struct played *b, bool on);
void played_reset(struct played *b); /* the reset button: starts again, if it is powered */
/* Adds a fault and, when it says nothing of when, lets it happen. Also "chunk N" and "pace on|off",
 * which stay until played_clear. */
int played_fault(struct played *b, struct str spec, struct err *e);
void played_clear(struct played *b); /* no faults; a hung board stays hung until power off */
/* A kernel line, printed at once wherever the board is; \n is CR LF. */
void played_say(struct played *b, struct str text);
void played_set(struct played *b, const char *name, const char *value);

/* ---- for the other files of this module (typing.c, acting.c) ---- */
void played_emit(struct played *b, struct str bytes);  /* as they are, through the faults */
void played_print(struct played *b, const char *text); /* ${} replaced, \n as CR LF */
void played_enter(struct played *b, const struct state *to);
/* The text of a variable, "" when there is none; borrowed until the next change, or heap in *own.
 */
const char *played_var(const struct played *b, const char *name);
char *played_expand(const struct played *b, const char *text); /* ${name}, ${1}; heap */
/* What was typed, at the prompt: edits the line until one is complete. True when there are actions
 * to do. */
bool typing_read(struct played *b);
/* The next command of a chained line. True when there are actions to do. */
bool typing_chain(struct played *b);
/* One action (acting.c). False: the rest of them comes later. */
bool acting_do(struct played *b, const struct act *act);
void acting_drop_vars(struct map *m);
/* Something has happened to the board as a whole. */
void played_struck(struct played *b, enum fault_kind kind);
void played_timer(struct played *b, int64_t ms, bool waiting);
void played_lines(struct played *b, struct str text); /* \n as CR LF, through the faults */

#endif
