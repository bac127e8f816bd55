/* SPDX-License-Identifier: MIT */
/*
 * Serial lines that are real ttys, by libserialport. Invariant: all its settings go in with one
 * call of the library, what that leaves wrong is put right with one more; reads give EAGAIN when
 * there is nothing and 0 only at the line's end.
 */
#include "agents/bench/serial-ops.h"

#include "base/buf.h"
#include "base/mem.h"

#include <errno.h>
#include <fcntl.h>
#include <libserialport.h>
#include <linux/serial.h>
#include <string.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

static int failed(const struct serial *s, enum sp_return rc, const char *what, struct err *e)
{
	int sys = errno;
	char *text;

	if (rc == SP_ERR_FAIL && sys == EBUSY)
		return serial_in_use(s->path, e);
	if (rc == SP_ERR_SUPP || rc == SP_ERR_ARG)
		return err_set(e, BLAME_CONFIG, "%s port '%s': the line does not support it", what,
			s->path);
	text = sp_last_error_message();
	err_set(e, BLAME_INFRA, "%s port '%s': %s", what, s->path, text ? text : "failed");
	sp_free_error_message(text);
	if (e)
		e->sys = sys;
	return -1;
}

static enum sp_return fill(struct sp_port_config *c, const struct serial_conf *conf)
{
	static const enum sp_parity parity[] = {SP_PARITY_NONE, SP_PARITY_ODD, SP_PARITY_EVEN};
	static const enum sp_flowcontrol flow[] = {
		SP_FLOWCONTROL_NONE, SP_FLOWCONTROL_RTSCTS, SP_FLOWCONTROL_XONXOFF};
	enum sp_return rc;

	rc = sp_set_config_baudrate(c, (int)conf->baud);
	if (rc == SP_OK)
		rc = sp_set_config_bits(c, (int)conf->bits);
	if (rc == SP_OK)
		rc = sp_set_config_parity(c, parity[conf->parity]);
	if (rc == SP_OK)
		rc = sp_set_config_stopbits(c, (int)conf->stop_bits);
	if (rc == SP_OK)
		rc = sp_set_config_flowcontrol(c, flow[conf->flow]);
	/* Both lines asserted, as a terminal program leaves them; RTS only where it is ours. */
	if (rc == SP_OK)
		rc = sp_set_config_dtr(c, SP_DTR_ON);
	if (rc == SP_OK && conf->flow != SERIAL_FLOW_RTSCTS)
		rc = sp_set_config_rts(c, SP_RTS_ON);
	return rc;
}

static int settings(struct serial *s, const struct serial_conf *conf, struct err *e)
{
	struct sp_port_config *c;
	enum sp_return rc = sp_new_config(&c);
	struct termios t;

	if (rc != SP_OK)
		return failed(s, rc, "settings of", e);
	rc = fill(c, conf);
	if (rc == SP_OK)
		rc = sp_set_config(s->port, c);
	if (rc != SP_OK)
		failed(s, rc, "settings of", e);
	sp_free_config(c);
	if (rc != SP_OK)
		return -1;
	/* libserialport reads with VMIN 0, where "nothing yet" and "gone" look alike. */
	if (tcgetattr(s->fd, &t))
		return err_sys(e, BLAME_INFRA, errno, "settings of port '%s'", s->path);
	t.c_cc[VMIN] = 1;
	t.c_cc[VTIME] = 0;
	/* And 0.1.1 puts CRTSCTS among the input flags, where it does nothing. */
	t.c_iflag &= ~(tcflag_t)CRTSCTS;
	t.c_cflag &= ~(tcflag_t)CRTSCTS;
	if (conf->flow == SERIAL_FLOW_RTSCTS)
		t.c_cflag |= CRTSCTS;
	if (tcsetattr(s->fd, TCSANOW, &t))
		return err_sys(e, BLAME_INFRA, errno, "settings of port '%s'", s->path);
	return 0;
}

static int tty_open(struct serial *s, const struct serial_conf *conf, struct err *e)
{
	enum sp_return rc = sp_get_port_by_name(s->path, &s->port);

	if (rc == SP_ERR_ARG)
		return err_set(e, BLAME_CONFIG, "port '%s' is not a serial line", s->path);
	if (rc != SP_OK)
		return failed(s, rc, "find", e);
	rc = sp_open(s->port, SP_MODE_READ_WRITE);
	if (rc != SP_OK)
		return failed(s, rc, "open", e);
	rc = sp_get_port_handle(s->port, &s->fd);
	if (rc != SP_OK)
		return failed(s, rc, "open", e);
	fcntl(s->fd, F_SETFD, FD_CLOEXEC);
	if (serial_lock(s, s->fd, e))
		return -1;
	s->exclusive = !ioctl(s->fd, TIOCEXCL);
	return settings(s, conf, e);
}

static void tty_close(struct serial *s)
{
	if (s->exclusive)
		ioctl(s->fd, TIOCNXCL);
	s->exclusive = false;
	if (s->port) {
		sp_close(s->port);
		sp_free_port(s->port);
	}
	s->port = NULL;
	s->fd = -1;
}

static int tty_break(struct serial *s, bool on, struct err *e)
{
	enum sp_return rc = on ? sp_start_break(s->port) : sp_end_break(s->port);

	return rc == SP_OK ? 0 : failed(s, rc, "break on", e);
}

static int tty_flush(struct serial *s, struct err *e)
{
	enum sp_return rc = sp_flush(s->port, SP_BUF_INPUT);

	return rc == SP_OK ? 0 : failed(s, rc, "flush", e);
}

static int tty_counters(struct serial *s, json_t *into, struct err *e)
{
	struct serial_icounter_struct n = {0};

	if (ioctl(s->fd, TIOCGICOUNT, &n)) {
		/* Many USB adapters do not count. */
		if (errno == ENOTTY || errno == EINVAL)
			return 0;
		return err_sys(e, BLAME_INFRA, errno, "counters of port '%s'", s->path);
	}
	json_object_set_new(into, "framing", json_integer(n.frame));
	json_object_set_new(into, "overrun", json_integer((json_int_t)n.overrun + n.buf_overrun));
	json_object_set_new(into, "parity", json_integer(n.parity));
	json_object_set_new(into, "break", json_integer(n.brk));
	return 0;
}

const struct serial_ops serial_tty_ops = {
	.open = tty_open,
	.close = tty_close,
	.set_break = tty_break,
	.flush = tty_flush,
	.counters = tty_counters,
};

static void list_usb(struct sp_port **ports, const char *number, struct buf *out)
{
	for (size_t i = 0; ports[i]; i++) {
		const char *serial = sp_get_port_usb_serial(ports[i]);

		if (sp_get_port_transport(ports[i]) != SP_TRANSPORT_USB)
			continue;
		if (number && (!serial || strcmp(serial, number)))
			continue;
		buf_printf(out, "%s%s (%s)", out->len ? ", " : "", sp_get_port_name(ports[i]),
			serial ? serial : "no serial number");
	}
}

char *serial_find_usb(const char *number, struct err *e)
{
	AUTOBUF all = BUF_INIT(BUF_CAP_BYTES);
	struct sp_port **ports;
	const char *path = NULL;
	unsigned n = 0;
	char *out = NULL;

	if (!*number)
		return err_set(e, BLAME_CONFIG, "no serial number after 'usb:'"), NULL;
	if (sp_list_ports(&ports) != SP_OK)
		return err_set(e, BLAME_INFRA, "cannot list the serial ports"), NULL;
	for (size_t i = 0; ports[i]; i++) {
		const char *serial = sp_get_port_usb_serial(ports[i]);

		if (serial && !strcmp(serial, number) && !n++)
			path = sp_get_port_name(ports[i]);
	}
	list_usb(ports, n ? number : NULL, &all);
	if (n == 1)
		out = mem_strdup(path);
	else if (n)
		err_set(e, BLAME_CONFIG, "%u ports with USB serial number '%s': %s; use by-path", n,
			number, buf_str(&all));
	else
		err_set(e, BLAME_INFRA, "no USB adapter with serial number '%s'; there is: %s",
			number, all.len ? buf_str(&all) : "none");
	sp_free_port_list(ports);
	return out;
}
