/* SPDX-License-Identifier: MIT */
#ifndef TWIN_INNER_H
#define TWIN_INNER_H

/* Inside the twins of one daemon: what they and their lab file are made of. */

#include "labs/virtual/twin/machine.h"
#include "labs/virtual/twin/model.h"
#include "labs/virtual/twin/twins.h"

#define MODES_MAX 8 /* of one twin's straps */

struct mode { /* one way to set the straps */
	const char *name;
	struct model model;
	const char *const *argv;
};

struct twin {
	struct machine *machine;
	struct model model;
	struct model_images images;
	struct model_port ports[MODEL_PORTS_MAX];
	int reserved[MODEL_PORTS_MAX]; /* sockets that keep the ports for us */
	uint64_t turn;                 /* of its last power-on; the lowest that waits is next */
	const char *mode;              /* as the straps stood at the start; NULL: it has none */
	struct mode modes[MODES_MAX];
	size_t n_modes;
	size_t n_ports;
};

struct twins {
	struct vlab vlab;
	struct arena arena;
	enum relay_model model;
	char *tftp;
	struct relay *relay;
	struct pty *port;
	struct twin all[TWINS_MAX];
	size_t n;
	size_t boots;   /* at a time; 0: any number */
	uint64_t turns; /* given out */
};

/* Writes lab.yaml: each twin with its relay channel, console, deploy folder, ports and straps. */
int twins_write_lab(struct twins *t, struct err *e);

#endif
