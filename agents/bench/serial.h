/* SPDX-License-Identifier: MIT */
#ifndef AGENTS_BENCH_SERIAL_H
#define AGENTS_BENCH_SERIAL_H

/*
 * A serial line, for consoles and relays. Real ttys go through libserialport; it refuses
 * PTYs (no TIOCMGET, no /sys/class/tty entry), so a path that is a PTY slave is served with termios
 * alone: same settings, same behaviour, but for modem lines and break, which a PTY does not have.
 * The port is locked (flock and TIOCEXCL) for as long as it is open: a second opener gets
 * BLAME_INFRA "port '...' is in use".
 *
 * port may be a device path, a link (/dev/serial/by-id/..., by-path/...), or "usb:SERIAL" for the
 * one USB adapter with that serial number; zero or several such adapters are an error that lists
 * them.
 */

#include "base/err.h"
#include "io/schema.h"

#include <jansson.h>

enum serial_parity { SERIAL_PARITY_NONE, SERIAL_PARITY_ODD, SERIAL_PARITY_EVEN };
enum serial_flow { SERIAL_FLOW_NONE, SERIAL_FLOW_RTSCTS, SERIAL_FLOW_XONXOFF };

struct serial_conf {
	const char *port;
	int64_t baud;
	int64_t bits;      /* 5..8 */
	int parity;        /* enum serial_parity */
	int64_t stop_bits; /* 1..2 */
	int flow;          /* enum serial_flow */
};
/* The rows for such settings, for drivers to include as PARAM_SECTION or to repeat by offset. */
extern const struct param serial_params[];

struct serial; /* owned by the caller */

struct serial *serial_open(const struct serial_conf *conf, struct err *e);
void serial_close(struct serial *s);             /* NULL is fine */
int serial_fd(const struct serial *s);           /* non-blocking; owned by s */
const char *serial_path(const struct serial *s); /* device path that was opened */
bool serial_is_pty(const struct serial *s);
int serial_break(
	struct serial *s, struct err *e); /* 250 ms; on a PTY BLAME_CONFIG "not supported" */
int serial_flush(struct serial *s, struct err *e); /* drops bytes received and not yet read */
/* Kernel's counters (TIOCGICOUNT) into an object; not there on a PTY: nothing added, 0. */
int serial_counters(struct serial *s, json_t *into, struct err *e);

#endif
