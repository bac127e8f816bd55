/* SPDX-License-Identifier: MIT */
#ifndef AGENTS_BENCH_SERIAL_OPS_H
#define AGENTS_BENCH_SERIAL_OPS_H

/* Inside serial: what differs between a real tty, a PTY slave and a unix socket. */

#include "agents/bench/serial.h"

struct sp_port;

struct serial_ops {
	/* Opens s->path with conf's settings and sets s->fd. */
	int (*open)(struct serial *s, const struct serial_conf *conf, struct err *e);
	void (*close)(struct serial *s); /* safe on a half-open one */
	int (*set_break)(struct serial *s, bool on, struct err *e);
	int (*flush)(struct serial *s, struct err *e);
	int (*counters)(struct serial *s, json_t *into, struct err *e);
};

struct serial {
	const struct serial_ops *ops;
	int fd;               /* -1: not open */
	char *path;           /* owned; links resolved */
	struct sp_port *port; /* libserialport's, NULL on others */
	bool exclusive;       /* TIOCEXCL is ours to take back */
	int lock_fd;          /* of the lock beside a unix socket; -1: none */
};

extern const struct serial_ops serial_tty_ops, serial_pty_ops, serial_unix_ops;

/* flock of fd; a port that somebody else has is "port '...' is in use", EBUSY. */
int serial_lock(const struct serial *s, int fd, struct err *e);
int serial_in_use(const char *path, struct err *e);
/* The path of the one USB adapter with that serial number; heap text or NULL. */
char *serial_find_usb(const char *number, struct err *e);

#endif
