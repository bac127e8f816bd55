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
 *
 * "unix:PATH" is a unix stream socket that a player or QEMU listens on. It is connected to without
 * waiting, has no speed, parity, flow control, modem lines or break, and is locked by flock of
 * PATH.lock, which is made and stays: the folder must be writable. The lock is among our own; what
 * other programs get that connect meanwhile is the server's matter (a player hangs up on them).
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
/* The rows of such settings, for a driver whose struct has them at offset `at`; the ending row is
 * the driver's. */
#define SERIAL_PARAMS(at, baud_preset)                                                             \
	{"port", PARAM_STRING, (at) + offsetof(struct serial_conf, port), .required = true,        \
		.help = "device path, stable link, usb:SERIAL, or unix:PATH",                      \
		.example = "/dev/serial/by-id/usb-FTDI_FT232R_USB_UART_A50285BI-if00-port0"},      \
		{"baud", PARAM_INT, (at) + offsetof(struct serial_conf, baud),                     \
			.preset = (baud_preset), .min = 50, .max = 4000000, .unit = "bit/s",       \
			.help = "line speed"},                                                     \
		{"bits", PARAM_INT, (at) + offsetof(struct serial_conf, bits), .preset = "8",      \
			.min = 5, .max = 8, .help = "data bits of a character"},                   \
		{"parity", PARAM_CHOICE, (at) + offsetof(struct serial_conf, parity),              \
			.preset = "none", .choices = serial_parities, .help = "parity bit"},       \
		{"stop-bits", PARAM_INT, (at) + offsetof(struct serial_conf, stop_bits),           \
			.preset = "1", .min = 1, .max = 2, .help = "stop bits of a character"},    \
	{                                                                                          \
		"flow", PARAM_CHOICE, (at) + offsetof(struct serial_conf, flow),                   \
			.preset = "none", .choices = serial_flows, .help = "flow control"          \
	}
extern const char *const serial_parities[], *const serial_flows[]; /* NULL-ended, enum order */

struct serial; /* owned by the caller */

struct serial *serial_open(const struct serial_conf *conf, struct err *e);
void serial_close(struct serial *s);             /* NULL is fine */
int serial_fd(const struct serial *s);           /* non-blocking; owned by s */
const char *serial_path(const struct serial *s); /* device path that was opened */
/* Starts or ends a break; the caller waits in between (bench_pause, 250 ms is usual). On a PTY
 * or a socket BLAME_CONFIG "not supported". */
int serial_break_set(struct serial *s, bool on, struct err *e);
int serial_flush(struct serial *s, struct err *e); /* drops bytes received and not yet read */
/* Kernel's counters (TIOCGICOUNT) into an object; only a tty has them: else nothing added, 0. */
int serial_counters(struct serial *s, json_t *into, struct err *e);

#endif
