/* SPDX-License-Identifier: MIT */
/*
 * Serial lines that are unix stream sockets, the server being the far side (players, QEMU).
 * Invariant: while one is open its lock file is held, so what a server makes of a second client is
 * never seen here. There is no line below: speed, parity and flow control are not looked at.
 */
#include "agents/bench/serial-ops.h"

#include "base/fs.h"
#include "base/mem.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#define LOCK_SUFFIX ".lock"
#define FLUSH_READS 256 /* of 4 KiB: more than the kernel keeps for a socket */

/* flock is of no use on a connection, which is another file for each client: one beside is locked,
 * and stays there, since who unlinks it could part two who wait for it. */
static int lock(struct serial *s, struct err *e)
{
	AUTOFREE char *path = mem_printf("%s" LOCK_SUFFIX, s->path);

	/* Read-only, so that another user's file will do. */
	s->lock_fd = open(path, O_RDONLY | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0644);
	if (s->lock_fd < 0)
		return err_sys(e, BLAME_INFRA, errno, "open lock '%s'", path);
	return serial_lock(s, s->lock_fd, e);
}

/* A socket's name may be 107 bytes and its folder's be longer: go by a descriptor of the folder. */
static int address_of(const char *path, struct sockaddr_un *to, struct err *e)
{
	AUTOFREE char *dir = fs_dirname(path);
	int fd = open(dir, O_PATH | O_DIRECTORY | O_CLOEXEC), n;

	if (fd < 0)
		return err_sys(e, BLAME_INFRA, errno, "open port '%s'", path);
	*to = (struct sockaddr_un){.sun_family = AF_UNIX};
	n = snprintf(
		to->sun_path, sizeof to->sun_path, "/proc/self/fd/%d/%s", fd, fs_basename(path));
	if (n < (int)sizeof to->sun_path)
		return fd;
	close(fd);
	return err_set(e, BLAME_CONFIG, "the name of port '%s' is too long", path);
}

static int unix_open(struct serial *s, const struct serial_conf *conf, struct err *e)
{
	struct sockaddr_un to;
	AUTOCLOSE int at = address_of(s->path, &to, e);

	(void)conf;
	if (at < 0 || lock(s, e))
		return -1;
	s->fd = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	if (s->fd < 0)
		return err_sys(e, BLAME_INFRA, errno, "open port '%s'", s->path);
	if (!connect(s->fd, (struct sockaddr *)&to, sizeof to))
		return 0;
	if (errno == EAGAIN) /* as many wait for the server as it lets */
		return serial_in_use(s->path, e);
	return err_sys(e, BLAME_INFRA, errno, "open port '%s'", s->path);
}

static void unix_close(struct serial *s)
{
	if (s->fd >= 0)
		close(s->fd);
	if (s->lock_fd >= 0)
		close(s->lock_fd);
	s->fd = s->lock_fd = -1;
}

static int unix_break(struct serial *s, bool on, struct err *e)
{
	(void)on;
	return err_set(e, BLAME_CONFIG,
		"port '%s' is a unix socket: sending a break is not supported", s->path);
}

/* The end of the line and errors are left for who reads next. */
static int unix_flush(struct serial *s, struct err *e)
{
	char bytes[4096];

	(void)e;
	for (int i = 0; i < FLUSH_READS && read(s->fd, bytes, sizeof bytes) > 0; i++)
		;
	return 0;
}

static int unix_counters(struct serial *s, json_t *into, struct err *e)
{
	(void)s, (void)into, (void)e;
	return 0;
}

const struct serial_ops serial_unix_ops = {
	.open = unix_open,
	.close = unix_close,
	.set_break = unix_break,
	.flush = unix_flush,
	.counters = unix_counters,
};
