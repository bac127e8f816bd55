/* SPDX-License-Identifier: MIT */
#ifndef TWIN_TWINS_H
#define TWIN_TWINS_H

/*
 * `hilab twin`: virtual EVMs behind real serial ports. In its folder: lab.yaml, `relay` (one relay
 * board, a channel per twin), NAME.console, `tftp/`, NAME/ with the twin's disks and QEMU's
 * messages, and `ctl` (vlab.h), which takes
 *
 *	status [NAME]                            off, waiting (its boot's turn is to come), on,
 *	                                         halted, failed
 *	reset NAME                               the reset button: a warm reset
 *	pull-console NAME, plug-console NAME     the console's cable
 *	pull-relay, plug-relay                   the relay board's
 *	rail NAME RAIL=MILLIWATTS, meter NAME FAULT    the simulated instrument (meter.h)
 *
 * NAME may be left out where there is one twin.
 */

#include "base/diag.h"
#include "base/err.h"
#include "labs/virtual/relay.h"
#include "labs/virtual/vlab.h"

#define TWINS_MAX   8 /* channels of the relay board */
#define TWINS_BOOTS 2 /* preset: what two cores boot well at a time */
/* Preset; short beside the types' interrupt-timeout, which runs on while a twin waits. */
#define TWINS_BOOT_MS 15000

struct twins_opts {
	const char *dir;          /* NULL: the user's state folder */
	const char *const *names; /* NAME or NAME=TYPE; none: one, named after its type */
	size_t n_names;
	const char *type;   /* of names without one; NULL: am62axx-sk */
	const char *qemu;   /* program; NULL: the model's */
	const char *images; /* folder of build manifests; NULL: build/images */
	const char *mode;   /* how the boot-mode straps are set; NULL: the model's preset */
	enum relay_model model;
	size_t boots;    /* twins that may boot at a time, the others wait; 0: any number */
	int64_t boot_ms; /* the longest that one counts as booting; 0: TWINS_BOOT_MS */
};

struct twins; /* owned by the caller */

/* All ports are there and lab.yaml is written when it returns; nothing has power. NULL with e, or
 * with what is wrong with a model in diag. */
struct twins *twins_new(const struct twins_opts *o, struct diag *diag, struct err *e);
int twins_run(struct twins *t, const struct vlab_run *run, int *status, struct err *e);
void twins_free(struct twins *t); /* kills every QEMU; NULL is fine */

#endif
