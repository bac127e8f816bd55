/* SPDX-License-Identifier: MIT */
#ifndef TWIN_MACHINE_H
#define TWIN_MACHINE_H

/*
 * One virtual EVM: a console port that outlives it and a QEMU that lives while the relay is closed.
 * QEMU connects to a socket that this side listens on, so it may come and go as it likes.
 */

#include "base/err.h"
#include "io/loop.h"
#include "labs/virtual/pty.h"
#include "labs/virtual/twin/model.h"

#define MACHINE_QUEUE_BYTES ((size_t)1 << 20)  /* printed and not read by the host */
#define MACHINE_TYPED_BYTES ((size_t)64 << 10) /* typed and not taken by the board */
#define MACHINE_QUIET_MS    3000               /* nothing printed for so long: no longer booting */
#define MACHINE_TAIL_BYTES  8                  /* of what was printed, where a prompt may begin */

enum machine_state {
	MACHINE_OFF,     /* no power */
	MACHINE_WAITING, /* power, QEMU is yet to be started: machine_start */
	MACHINE_ON,      /* power, QEMU runs */
	MACHINE_HALTED,  /* power, QEMU has ended by itself: the board has shut down */
	MACHINE_FAILED,  /* no power since QEMU could not be started, or ended by no will of its own */
};
const char *machine_state_name(enum machine_state s);

struct machine {
	struct loop *loop;
	const char *name; /* owned */
	char *dir;        /* its folder */
	struct pty *console;
	enum machine_state state;
	uint64_t power_ons;

	/* From QEMU's start until its console has shown a login or shell prompt or went quiet, QEMU
	 * has ended, power is off, or boot_ms have passed. */
	bool booting;
	int64_t boot_ms;                                /* set by who made it */
	void (*on_booted)(struct machine *, void *arg); /* of itself, not by power off; or NULL */
	void *on_booted_arg;
	void (*on_failed)(struct machine *, void *arg); /* it lost its power by itself; or NULL */
	void *on_failed_arg;
	void (*on_halted)(struct machine *, void *arg); /* the board has shut down; or NULL */
	void *on_halted_arg;
	int64_t started_ms, printed_ms; /* clock_ms; printed 0: nothing yet */
	struct loop_watch *boot_timer;
	char tail[MACHINE_TAIL_BYTES];
	size_t tail_n;

	struct arena arena;            /* of argv */
	const char *const *argv;       /* for the next power-on */
	const char *const *power_argv; /* as it was at the last */
	struct child child;
	struct loop_watch *end;
	int log_fd; /* QEMU's own messages: qemu.log */

	int listen_fd, uart, qmp; /* -1: none */
	struct loop_watch *listen_watch, *uart_watch, *qmp_watch;
	struct buf typed;
	uint64_t overruns;
};

/* Without power, its console plugged in at `link`. argv is made by model_argv, in arena, which it
 * takes over. NULL with e. */
struct machine *machine_new(struct loop *l, struct pty_hub *hub, const char *name, const char *dir,
	const char *link, struct err *e);
void machine_free(struct machine *m); /* power off and all gone but the disks; NULL is fine */

/* The relay. On only gets it waiting; off kills QEMU, at once and for certain; safe to repeat. */
void machine_power(struct machine *m, bool on);
/* Its turn: starts QEMU where it waits, else nothing. It never waits afterwards. */
void machine_start(struct machine *m);
/* The reset button: a warm reset, RAM survives. */
int machine_reset(struct machine *m, struct err *e);

#endif
