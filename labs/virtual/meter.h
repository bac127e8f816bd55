/* SPDX-License-Identifier: MIT */
#ifndef VIRTUAL_METER_H
#define VIRTUAL_METER_H

/*
 * The simulated instrument of virtual boards: a power analyser with a channel for each of their
 * rails, that speaks SCPI on a TCP port of the loopback interface. Lines end with \n, answers too.
 *	*IDN?			"hilab,simulated meter,PID,1"
 *	MEAS:ALL? CHn		volts, amperes, watts of channel n, from 1:
 *"0.8500000,0.0221,0.0188" anything else		"-113,Undefined header" A channel without
 *power reads 0. One with power reads its rail's figure and a little noise, the same at each start;
 *or exactly what it was set to. None of it is a measurement of anything.
 */

#include "base/err.h"
#include "base/str.h"
#include "io/loop.h"
#include "io/node.h"

#include <stdbool.h>
#include <stdint.h>

#define METER_CHANNELS_MAX 4096
#define METER_CLIENTS      32
#define METER_LINE_BYTES   ((size_t)256)

enum meter_fault {
	METER_GOOD,
	METER_SILENT,  /* answers nothing */
	METER_GARBAGE, /* answers with what is no number */
	METER_GONE,    /* hangs up on everybody, at once and later */
};
extern const char *const meter_faults[]; /* "ok", "silent", "garbage", "gone", NULL; by enum */

struct meter; /* owned by the caller */

struct meter *meter_new(struct loop *l, struct err *e); /* listens; NULL on failure */
void meter_free(struct meter *m);                       /* NULL is fine */
int meter_port(const struct meter *m);
/* Adds the rails of a board (name -> {mv, mw}; NULL: none), without power, and says of them in the
 * board of a lab file. *first is the channel of the first one. BLAME_CONFIG. */
int meter_board(struct meter *m, const struct node *rails, struct arena *a, struct node *board,
	unsigned *first, struct err *e);
/* The board whose rails, as above, begin at channel first. */
void meter_power(struct meter *m, const struct node *rails, unsigned first, bool on);
/* A control line's "NAME=12.5 NAME=0.85V ...", milliwatts or volts, NAME `*` for all: from now on
 * exactly that, while there is power. */
int meter_set(
	struct meter *m, const struct node *rails, unsigned first, struct str what, struct err *e);
int meter_fault(struct meter *m, struct str name, struct err *e); /* by its name */
/* What the instrument answers to a line; "" : nothing. */
void meter_answer(struct meter *m, struct str line, struct buf *answer);

#endif
