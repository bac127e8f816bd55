/* SPDX-License-Identifier: MIT */
#ifndef TWIN_INNER_H
#define TWIN_INNER_H

/* Inside the twins of one daemon: what they and their lab file are made of. */

#include "labs/virtual/meter.h"
#include "labs/virtual/twin/machine.h"
#include "labs/virtual/twin/model.h"
#include "labs/virtual/twin/twins.h"

#define MODES_MAX 8 /* of one twin's straps */
#define SIDES_MAX 2

struct mode { /* one way to set the straps */
	const char *name;
	struct model models[SIDES_MAX];
	const char *const *argv[SIDES_MAX];
};

struct side {                    /* one QEMU of a board */
	struct machine *machine; /* NULL: the board has no such side */
	const char *console;     /* the board's name for its console */
	const char *link;        /* beside lab.yaml; owned by the arena of the twins */
	const char *card;        /* the file that is its SD card, beside lab.yaml; NULL: none */
	bool has_rom;            /* it boots from its card or over its console */
};

struct twin {
	struct machine *machine; /* of its first side */
	struct side sides[SIDES_MAX];
	struct model model; /* of its first side */
	struct model beside;
	struct model_images images;
	struct model_port ports[MODEL_PORTS_MAX];
	int reserved[MODEL_PORTS_MAX]; /* sockets that keep the ports for us */
	uint64_t turn;                 /* of its last power-on; the lowest that waits is next */
	const char *mode;              /* as the straps stood at the start; NULL: it has none */
	struct mode modes[MODES_MAX];
	size_t n_modes;
	size_t n_ports;
	unsigned first_rail; /* its channel of the meter */
};

struct twins {
	struct vlab vlab;
	struct arena arena;
	enum relay_model model;
	char *tftp;
	struct relay *relay;
	struct pty *port;
	struct meter *meter; /* NULL: no twin has rails */
	struct twin all[TWINS_MAX];
	size_t n;
	size_t boots;   /* at a time; 0: any number */
	uint64_t turns; /* given out */
};

/* The sides that a twin has. */
#define each_side(tw, it)                                                                          \
	for (struct side *it = (tw)->sides; it < (tw)->sides + SIDES_MAX && it->machine; it++)

/* ---- sides.c ---- */
/* The machines of a twin whose models and images are loaded. at: tftp and qemu. */
int sides_add(struct twins *t, struct twin *tw, const char *name, const struct model_place *at,
	struct err *e);
/* QEMU's command lines for each mode; mode: how the straps stand, NULL: the model's preset. */
int sides_add_modes(struct twin *tw, const char *mode, const struct model_place *at,
	struct diag *diag, struct err *e);
/* The straps count at the next power-on. */
int sides_strap(struct twin *tw, struct str mode, struct err *e);
void sides_done(struct twin *tw); /* what sides_add_modes loaded */

/* Writes lab.yaml: each twin with its relay channel, console, deploy folder, ports, straps and the
 * meter's channels. */
int twins_write_lab(struct twins *t, struct err *e);

#endif
