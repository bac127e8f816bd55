/* SPDX-License-Identifier: MIT */
#ifndef TWIN_MODEL_H
#define TWIN_MODEL_H

/*
 * What a twin is made of, as data: labs/virtual/twin/NAME.yaml. From it, the images of a build
 * manifest, a folder and ports comes the command line of QEMU.
 */

#include "base/arena.h"
#include "base/diag.h"
#include "io/schema.h"

#define MODEL_PORTS_MAX 8
#define MODEL_ARGS_MAX  128

struct model_network {
	const char *device; /* NULL: no network */
	const char *mac, *address, *server;
	const struct node *forward; /* service -> port on the board */
	bool restricted;            /* the board sees the lab host and nothing else */
};
extern const struct param model_network_params[];

struct model_disk {
	const char *device;     /* NULL: in the machine's own slot */
	int64_t slot;           /* -1: none */
	const char *controller; /* NULL: none of its own */
	const char *file;       /* in the twin's folder, made when it is not there; or */
	const char *image;      /* a role of the build; or */
	const char *same_as;    /* the file of another disk */
	int64_t size_bytes;     /* of a file that is made */
	bool read_only;
};
extern const struct param model_disk_params[];

struct model_beside {
	const char *model; /* NULL: there is none */
	const char *console;
};
extern const struct param model_beside_params[];

struct model {
	struct arena arena;
	const char *name;  /* "am62axx-sk" */
	const char *type;  /* board type in the lab file */
	const char *build; /* name of the build manifest with its images */
	const char *qemu, *machine;
	const char *cpu;    /* NULL: the machine's own */
	const char *loader; /* roles of images; one of the two is NULL */
	const char *rom;
	int64_t cpus, memory_bytes;
	struct model_network network;
	const struct node *disks; /* name -> model_disk; NULL: none */
	struct param_strings objects, devices, globals;
	struct model_beside beside;
	const struct node *rails; /* name -> {mv, mw}: what the meter reads; NULL: none */
	const struct node
		*straps; /* {preset, modes: {NAME: rows laid over the rest}}; NULL: none */
};
extern const struct param model_params[];

/* By name, or a path with a slash. mode: how the boot-mode straps are set, NULL: the model's
 * preset. -1 after adding to diag. */
int model_load(struct model *m, const char *name, const char *mode, struct diag *diag);
void model_done(struct model *m);

/* Where the images are: role -> path, out of a build manifest (images.ROLE.path, beside it). */
struct model_images {
	struct arena arena;
	const struct node *images; /* the manifest's mapping */
	const char *path;          /* the manifest */
};
/* dir/BUILD.yaml; images that are not there are an error that names `make images`. */
int model_images_load(struct model_images *im, const struct model *m, const char *dir,
	struct diag *diag, struct err *e);
void model_images_done(struct model_images *im);

struct model_port {
	const char *service;
	int host, board; /* TCP ports */
};
struct model_place {
	const char *dir;  /* the twin's folder: QEMU's working folder */
	const char *tftp; /* TFTP root */
	const char *qemu; /* program; NULL: the model's */
	const struct model_port *ports;
	size_t n_ports;
};
/*
 * QEMU's command line, NULL-ended, in a. It connects its serial port to the socket `uart.sock` and
 * listens on `qmp.sock`, both in its working folder. Files of disks are made where they are not
 * there.
 */
const char *const *model_argv(const struct model *m, const struct model_images *im,
	const struct model_place *at, struct arena *a, struct err *e);

#endif
