/* SPDX-License-Identifier: MIT */
#ifndef VIRTUAL_RELAY_H
#define VIRTUAL_RELAY_H

/*
 * The device side of a USB relay board: the bytes a host sends go in, the bytes the board answers
 * come out, and a callback says when a contact moves. No I/O of its own.
 *
 * LCUS (modules with a CH340 adapter, 9600 8N1; command table of the vendor's LCUS-1..8 sheets):
 *	A0 CC 01 SS	close contact CC (from 01); SS = (A0 + CC + 01) & FF; no answer
 *	A0 CC 00 SS	open it
 *	FF		status: one line per channel, "CH1:ON \r\n" or "CH1:OFF\r\n"
 * A frame with a wrong sum, channel or operation is ignored.
 *
 * Numato (modules with a CDC ACM adapter; command table of their user guides): lines of ASCII that
 * end with \r, each byte echoed (the \r as "\n\r"), answers followed by "\n\r", then the prompt
 * ">". Channels count from 0 as one digit 0-9, A-V.
 *	relay on C, relay off C		nothing but the prompt
 *	relay read C			"on" or "off"
 *	relay readall			all contacts as hex digits, contact 0 in the lowest bit
 *	relay writeall HEX, reset	nothing; reset opens all
 *	ver, id get			"00000008", eight characters
 *	id set XXXXXXXX			nothing
 * Anything else is answered with the prompt alone.
 */

#include "base/buf.h"
#include "base/err.h"
#include "base/str.h"

#include <stdbool.h>
#include <stdint.h>

enum relay_model { RELAY_LCUS, RELAY_NUMATO };
extern const char *const relay_models[]; /* "lcus", "numato", NULL; by enum */

enum relay_fault {
	RELAY_GOOD,
	RELAY_DEAD,  /* takes no command, answers nothing */
	RELAY_LYING, /* the contact moves, what is read back is the state before the fault */
	RELAY_STUCK, /* the contact stays where it is, what is read back is what was asked for */
};
extern const char *const relay_faults[]; /* "ok", "dead", "lying", "stuck", NULL; by enum */

#define RELAY_CHANNELS_MAX 32 /* Numato's channel digit; an LCUS board has at most 8 */
#define RELAY_LCUS_MAX     8

/* A contact has moved. channel counts from 0 for both models. */
typedef void relay_move_fn(void *arg, unsigned channel, bool closed);

struct relay; /* owned by the caller */

/* channels from 1; every contact open. */
struct relay *relay_new(
	enum relay_model model, unsigned channels, relay_move_fn *fn, void *arg, struct err *e);
void relay_free(struct relay *r); /* NULL is fine */
/* Bytes from the host; what the board answers is added to reply. */
void relay_feed(struct relay *r, struct str bytes, struct buf *reply);
bool relay_closed(const struct relay *r, unsigned channel); /* where the contact really is */
/* The contact opens by itself, as a fuse would, and reads back so; relay_move_fn is not called. */
void relay_drop(struct relay *r, unsigned channel);
/* Of one channel; RELAY_DEAD is of the whole board, whichever channel is named. */
void relay_break(struct relay *r, unsigned channel, enum relay_fault fault);

#endif
