/* SPDX-License-Identifier: MIT */
/*
 * Serial lines that are PTY slaves (twins, players, tests): termios alone. Invariant: behaves as a
 * real line with the same settings, as far as the kernel's PTYs keep them (they are always 8N1 and
 * of any speed).
 */
#include "agents/bench/serial-ops.h"

#include <errno.h>
#include <fcntl.h>
#include <termios.h>
#include <unistd.h>

static int settings(struct serial *s, const struct serial_conf *conf, struct err *e)
{
	struct termios t;

	if (tcgetattr(s->fd, &t))
		return err_sys(e, BLAME_INFRA, errno, "settings of port '%s'", s->path);
	cfmakeraw(&t);
	t.c_cflag |= CLOCAL | CREAD;
	t.c_cflag &= ~(tcflag_t)CRTSCTS;
	t.c_iflag &= ~(tcflag_t)(IXON | IXOFF | IXANY);
	if (conf->flow == SERIAL_FLOW_XONXOFF)
		t.c_iflag |= IXON | IXOFF;
	t.c_cc[VMIN] = 1;
	t.c_cc[VTIME] = 0;
	if (tcsetattr(s->fd, TCSANOW, &t))
		return err_sys(e, BLAME_INFRA, errno, "settings of port '%s'", s->path);
	return 0;
}

static int pty_open(struct serial *s, const struct serial_conf *conf, struct err *e)
{
	s->fd = open(s->path, O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC);
	if (s->fd < 0 && errno == EBUSY)
		return serial_in_use(s->path, e);
	if (s->fd < 0)
		return err_sys(e, BLAME_INFRA, errno, "open port '%s'", s->path);
	if (serial_lock(s, s->fd, e))
		return -1;
	return settings(s, conf, e);
}

static void pty_close(struct serial *s)
{
	if (s->fd >= 0)
		close(s->fd);
	s->fd = -1;
}

static int pty_break(struct serial *s, bool on, struct err *e)
{
	(void)on;
	return err_set(
		e, BLAME_CONFIG, "port '%s' is a PTY: sending a break is not supported", s->path);
}

static int pty_flush(struct serial *s, struct err *e)
{
	if (tcflush(s->fd, TCIFLUSH))
		return err_sys(e, BLAME_INFRA, errno, "flush port '%s'", s->path);
	return 0;
}

static int pty_counters(struct serial *s, json_t *into, struct err *e)
{
	(void)s, (void)into, (void)e;
	return 0;
}

const struct serial_ops serial_pty_ops = {
	.open = pty_open,
	.close = pty_close,
	.set_break = pty_break,
	.flush = pty_flush,
	.counters = pty_counters,
};
