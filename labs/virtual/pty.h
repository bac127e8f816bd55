/* SPDX-License-Identifier: MIT */
#ifndef VIRTUAL_PTY_H
#define VIRTUAL_PTY_H

/*
 * A serial port that a daemon plays: a PTY under a stable name. The daemon keeps the master for its
 * whole life and one slave descriptor besides, so that a host closing the port is no event and
 * a host opening it later finds it; the name is a symbolic link, put in place atomically.
 *
 * Or, where PTYs are too few, a unix stream socket of that name, which differs in this: what is
 * written while no host is connected is lost, as on a line that nobody has open; a second host is
 * hung up on; there is no bit rate, so that pace is 115200 bit/s.
 *
 * Towards a host that does not read, bytes wait in a bounded queue whose oldest are dropped and
 * counted, as a UART adapter does; nothing here ever blocks.
 */

#include "base/err.h"
#include "base/str.h"
#include "io/loop.h"

#include <stdbool.h>
#include <stdint.h>

#define PTY_QUEUE_BYTES ((size_t)256 << 10) /* preset; the kernel holds some 64 KiB more */

/*
 * What all PTYs of one daemon share: a watch on hosts that close a port without giving up their
 * exclusive right to it (killed ones cannot), which would otherwise stay with the PTY for ever.
 * Must outlive its PTYs.
 */
struct pty_hub;
struct pty_hub *pty_hub_new(struct loop *l, struct err *e); /* NULL on failure */
void pty_hub_sockets(struct pty_hub *h, bool on);           /* of what pty_new makes from now on */
void pty_hub_free(struct pty_hub *h);                       /* NULL is fine */

/* Bytes that the host sent; may call anything here but pty_free. */
typedef void pty_read_fn(void *arg, struct str bytes);

struct pty_opts {
	const char *link;   /* where the port is to be found; copied */
	size_t queue_bytes; /* 0: PTY_QUEUE_BYTES */
	bool paced;         /* bytes leave at the bit rate that the host has set (10 bits a byte) */
	pty_read_fn *on_bytes;
	void *arg;
};

struct pty; /* owned by the caller */

struct pty *pty_new(struct pty_hub *h, const struct pty_opts *o, struct err *e); /* plugged in */
void pty_free(struct pty *p); /* the link goes with it; NULL is fine */

/* Towards the host. While unplugged bytes are lost, as on a cut cable (and not counted). */
void pty_write(struct pty *p, struct str bytes);
void pty_pace(struct pty *p, bool paced);

/* The cable pulled: the host's descriptor hangs up and the link is gone; and in again: another
 * PTY, the same link. Both are safe to repeat. */
void pty_unplug(struct pty *p);
int pty_plug(struct pty *p, struct err *e);
bool pty_plugged(const struct pty *p);

uint64_t pty_dropped_bytes(const struct pty *p); /* since pty_new */
size_t pty_queued_bytes(const struct pty *p);    /* here, not yet handed to the kernel */
bool pty_drained(const struct pty *p);           /* the host has read every byte written so far */
const char *pty_link(const struct pty *p);

/* A PTY pair, close-on-exec, the master non-blocking. Outputs are untouched on failure. */
#define PTY_NAME_BYTES 64
int pty_pair(int *master, int *slave, char name[PTY_NAME_BYTES], struct err *e);

#endif
