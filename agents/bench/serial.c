/* SPDX-License-Identifier: MIT */
/*
 * Serial lines: which device, which way, and the lock. Invariant: a port that is open is locked,
 * and a real tty is opened exactly once per serial_open, because each opening moves DTR and some
 * boards reset on that.
 */
#include "agents/bench/serial-ops.h"

#include "base/mem.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#define PTY_MAJOR_FIRST 136 /* Unix98 PTY slaves: Documentation/admin-guide/devices.txt */
#define PTY_MAJOR_LAST  143
#define UNIX_PREFIX     "unix:"

const char *const serial_parities[] = {"none", "odd", "even", NULL};
const char *const serial_flows[] = {"none", "rts-cts", "xon-xoff", NULL};

int serial_in_use(const char *path, struct err *e)
{
	err_set(e, BLAME_INFRA, "port '%s' is in use", path);
	if (e)
		e->sys = EBUSY;
	return -1;
}

int serial_lock(const struct serial *s, int fd, struct err *e)
{
	if (!flock(fd, LOCK_EX | LOCK_NB))
		return 0;
	if (errno == EWOULDBLOCK)
		return serial_in_use(s->path, e);
	return err_sys(e, BLAME_INFRA, errno, "lock port '%s'", s->path);
}

static int find_device(struct serial *s, const char *port, struct err *e)
{
	AUTOFREE char *usb = NULL;

	if (!port || !*port)
		return err_set(e, BLAME_CONFIG, "no port given");
	if (!strncmp(port, "usb:", 4)) {
		usb = serial_find_usb(port + 4, e);
		if (!usb)
			return -1;
		port = usb;
	}
	if (!strncmp(port, UNIX_PREFIX, strlen(UNIX_PREFIX))) {
		port += strlen(UNIX_PREFIX);
		s->ops = &serial_unix_ops;
	}
	s->path = realpath(port, NULL);
	if (!s->path)
		return err_sys(e, BLAME_INFRA, errno, "port '%s'", port);
	return 0;
}

/*
 * A PTY slave answers ENOTTY to the modem lines and libserialport will not have it. Only a device
 * with a PTY's number is opened to ask: opening is not without effect on real ones.
 */
static int choose(struct serial *s, struct err *e)
{
	AUTOCLOSE int fd = -1;
	struct stat st;
	int lines;

	if (stat(s->path, &st))
		return err_sys(e, BLAME_INFRA, errno, "port '%s'", s->path);
	if (s->ops == &serial_unix_ops && S_ISSOCK(st.st_mode))
		return 0;
	if (s->ops == &serial_unix_ops)
		return err_set(e, BLAME_CONFIG, "port '%s' is not a unix socket", s->path);
	if (!S_ISCHR(st.st_mode))
		return err_set(e, BLAME_CONFIG, "port '%s' is not a serial line", s->path);
	s->ops = &serial_tty_ops;
	if (major(st.st_rdev) < PTY_MAJOR_FIRST || major(st.st_rdev) > PTY_MAJOR_LAST)
		return 0;
	fd = open(s->path, O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC);
	if (fd < 0 && errno == EBUSY)
		return serial_in_use(s->path, e);
	if (fd < 0)
		return err_sys(e, BLAME_INFRA, errno, "open port '%s'", s->path);
	if (ioctl(fd, TIOCMGET, &lines))
		s->ops = &serial_pty_ops;
	return 0;
}

struct serial *serial_open(const struct serial_conf *conf, struct err *e)
{
	struct serial *s = mem_alloc(sizeof *s);

	s->fd = s->lock_fd = -1;
	if (!find_device(s, conf->port, e) && !choose(s, e) && !s->ops->open(s, conf, e))
		return s;
	serial_close(s);
	return NULL;
}

void serial_close(struct serial *s)
{
	if (!s)
		return;
	if (s->ops)
		s->ops->close(s);
	free(s->path);
	free(s);
}

int serial_fd(const struct serial *s)
{
	return s->fd;
}

const char *serial_path(const struct serial *s)
{
	return s->path;
}

int serial_break_set(struct serial *s, bool on, struct err *e)
{
	return s->ops->set_break(s, on, e);
}

int serial_flush(struct serial *s, struct err *e)
{
	return s->ops->flush(s, e);
}

int serial_counters(struct serial *s, json_t *into, struct err *e)
{
	return s->ops->counters(s, into, e);
}
