/* SPDX-License-Identifier: MIT */
#ifndef LABS_LAB_H
#define LABS_LAB_H

/*
 * Lab files: how the boards of one lab host are wired. They hold addresses and passwords and
 * never leave that host; the types they name live with the controller.
 * Paths that begin with ./ or ../ are taken beside the lab file.
 *
 *	lab: desk
 *	boards:
 *	  am62a-1:
 *	    type: am62axx-sk
 *	    power: {driver: serial-relay, port: /dev/serial/by-id/..., model: lcus, channel: 1}
 *	    consoles: {main: {driver: serial, port: usb:A50285BI}}
 *	    deploy: {tftp: {root: /srv/tftp, server: 192.168.1.1}}
 *	    network: {address: 192.168.1.20, ports: {ssh: 22, iperf3: 5201}}
 */

#include "labs/type.h"

struct board {
	const char *name;
	const char *type_name;
	const struct type *type; /* resolved; in types */
	struct param_strings
		peripherals; /* what is plugged in beyond the type's; "-usb" takes one away */
	struct param_strings tags;
	const char *revision;     /* board revision, recorded with every run; NULL: not said */
	const struct node *power; /* {driver, its settings, off-time}; NULL: no power control */
	const struct node
		*consoles; /* name -> {driver, its settings}; type's settings already laid under */
	const struct node *deploy;  /* method -> lab settings */
	const struct node *network; /* address, ports; NULL: none */
	const struct node *boot;    /* as the type's, with the lab's own `boot:` laid over it */
	const struct node *login;   /* the same; a board's password stands in the lab file */
	const struct node
		*bootmode; /* {driver, default, its settings}; NULL: the pins cannot be set */
	const struct node *instruments; /* name -> {driver, rails, settings}; NULL: none */
	const struct node *vars;        /* further ${board.NAME} variables; NULL: none */
	struct loc at;
};
extern const struct param board_params[], lab_params[];

/* The `network:` section: how the lab host reaches the board. */
struct board_network {
	const char *address; /* NULL: not fixed */
	const char *mac;     /* NULL: not said */
	const struct node
		*ports; /* service -> port on address; NULL or absent: the service's own */
};
extern const struct param board_network_params[];
/* Keys of `power:` that are the core's, not the driver's. */
struct board_power {
	const char *driver;
	int64_t off_time_ms; /* how long a cycle stays off */
	const char *device;  /* what else draws through it; NULL: its port */
	int64_t stagger_ms;  /* between the power-ons of two boards of one device */
};
extern const struct param board_power_params[];
/* Keys of a console that are the core's. */
struct board_console {
	const char *driver;
	int64_t log_limit_bytes; /* of its log; the step in which it is passed cannot go on */
};
extern const struct param board_console_params[];
/* Keys of `bootmode:` that are the core's. */
struct board_bootmode {
	const char *driver;
	const char *preset; /* the mode at the end of a run that changed it */
};
extern const struct param board_bootmode_params[];

struct lab {
	struct arena arena;
	const char *name;
	const char *path; /* the file */
	struct board *boards;
	size_t n;
};

int lab_load(struct lab *lab, const char *path, const struct types *types, struct diag *diag);
void lab_done(struct lab *lab);
const struct board *lab_find(const struct lab *lab, const char *board);
/* Checks a lab document that is already read. Driver names and settings are checked through drivers
 * (see below); NULL: not checked. */
struct lab_drivers { /* the bench families, handed down from above so that labs need not include
			them */
	const struct driver *const *power,
		*const *console, *const *deploy, *const *boot, *const *bootmode, *const *instrument;
};
int lab_check(const struct types *types, const struct lab_drivers *drivers, const struct node *doc,
	struct diag *diag);

/*
 * The device that b's power goes through, when other boards of the lab hang on it too: the same
 * `device`, or the same port. *ms: the least distance of two of their power-ons. NULL: it is b's
 * alone, or ms is 0.
 */
const char *board_stagger(const struct lab *lab, const struct board *b, int64_t *ms);

bool board_has(const struct board *b, const char *peripheral);

/* What a job asks of a board; NULL or empty: anything. */
struct match {
	const char *board; /* this very board; `name:` in a job */
	const char *type;  /* it or an extension of it */
	const char *soc;
	struct param_strings peripherals; /* all of them */
	struct param_strings tags;        /* all of them */
};
extern const struct param match_params[];
/* Does b qualify? When not and why is not NULL, one reason is added ("has no peripheral 'can'"). */
bool match_board(
	const struct types *t, const struct match *m, const struct board *b, struct buf *why);
/*
 * What is asked for against the types known: a type or soc that does not exist is reported at its
 * place in map (the `board:` section), with the nearest name.
 */
int match_check(
	const struct types *t, const struct match *m, const struct node *map, struct diag *diag);

/*
 * board.json: the board as the worker needs it, everything of type and lab resolved
 * ({name, type, soc, twin, arch, lab, revision, power, consoles, deploy, network, boot, login,
 * bootmode, instruments, stages, loader-features, vars, stagger {device, ms}}). New reference.
 * Holds secrets: write it 0600.
 */
json_t *board_to_json(const struct lab *lab, const struct board *b);

#endif
