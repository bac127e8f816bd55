/* SPDX-License-Identifier: MIT */
/*
 * A console on a serial line (or a PTY). Invariant: what a previous user of the line left unread is
 * dropped at the first opening, and nothing is dropped when a line that went away is opened again.
 */
#include "agents/bench/serial.h"
#include "agents/console/console.h"

#define BREAK_MS 250

struct conf {
	struct serial_conf line;
	int64_t char_delay_ms;
};

static const struct param rows[] = {
	SERIAL_PARAMS(offsetof(struct conf, line), "115200"),
	{"char-delay", PARAM_DURATION, offsetof(struct conf, char_delay_ms), .preset = "0",
		.max = 1000, .help = "pause after each character sent"},
	{0},
};

static int serial_console_open(struct console *c, struct err *e)
{
	const struct conf *conf = c->conf;
	struct serial *s = serial_open(&conf->line, e);

	if (!s)
		return -1;
	if (!c->dead_since_ms && serial_flush(s, e)) {
		serial_close(s);
		return -1;
	}
	if (!c->opts.char_delay_us)
		c->opts.char_delay_us = conf->char_delay_ms * 1000;
	c->priv = s;
	c->fd = serial_fd(s);
	return 0;
}

static void serial_console_close(struct console *c)
{
	serial_close(c->priv);
	c->priv = NULL;
	c->fd = -1;
}

static int serial_console_break(struct console *c, struct err *e)
{
	struct serial *s = c->priv;
	int rc;

	if (serial_break_set(s, true, e))
		return -1;
	rc = bench_pause(c->bench, BREAK_MS, e);
	/* The line may have gone away, and its struct with it, while we waited. */
	if (c->priv == s && serial_break_set(s, false, rc ? NULL : e))
		return -1;
	return rc;
}

static int serial_console_counters(struct console *c, json_t *into, struct err *e)
{
	return c->priv ? serial_counters(c->priv, into, e) : 0;
}

const struct console_driver console_serial = {
	.d = {.name = "serial",
		.brief = "A serial port: USB adapter, on-board UART, or a PTY",
		.params = rows,
		.size = sizeof(struct conf),
		.proven = "PTYs by termios, and by libserialport under a shim"},
	.open = serial_console_open,
	.close = serial_console_close,
	.send_break = serial_console_break,
	.counters = serial_console_counters,
};
