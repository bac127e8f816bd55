/* SPDX-License-Identifier: MIT */
/*
 * A test's preload library: makes libserialport take a PTY for a real port, so that this way of
 * agents/bench/serial can be run without hardware, and writes down what it does to it. Never part
 * of the program.
 *
 * libserialport (0.1.1) refuses PTYs twice: it wants an entry in /sys/class/tty, and an answer to
 * TIOCMGET. Both are made up here. SHIM_LOG names the file that calls are appended to. SHIM_USB
 * ("path=serial,path=serial") replaces the list of ports by USB adapters.
 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/serial.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <termios.h>
#include <unistd.h>

#define SYS        "/sys/class/tty/"
#define FDS        1024
#define NEXT(name) __extension__((__typeof__(&name))dlsym(RTLD_NEXT, #name))

static int lines[FDS]; /* modem lines of each descriptor */

static void note(const char *fmt, ...)
{
	const char *path = getenv("SHIM_LOG");
	char text[200];
	va_list ap;
	int fd, n;

	if (!path)
		return;
	va_start(ap, fmt);
	n = vsnprintf(text, sizeof text, fmt, ap);
	va_end(ap);
	fd = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
	if (fd < 0)
		return;
	if (write(fd, text, (size_t)n) < 0)
		abort();
	close(fd);
}

static int is_pty(int fd)
{
	struct stat st;

	return fd >= 0 && fd < FDS && !fstat(fd, &st) && S_ISCHR(st.st_mode) &&
	       major(st.st_rdev) >= 136 && major(st.st_rdev) <= 143;
}

static void note_lines(int fd)
{
	note("lines%s%s\n", lines[fd] & TIOCM_DTR ? " dtr" : "",
		lines[fd] & TIOCM_RTS ? " rts" : "");
}

static int modem(int fd, unsigned long request, int *v)
{
	switch (request) {
	case TIOCMGET:
		*v = lines[fd] | TIOCM_CTS | TIOCM_DSR;
		return 0;
	case TIOCMSET:
		lines[fd] = *v;
		break;
	case TIOCMBIS:
		lines[fd] |= *v;
		break;
	default:
		lines[fd] &= ~*v;
		break;
	}
	note_lines(fd);
	return 0;
}

int ioctl(int fd, unsigned long request, ...)
{
	int (*next)(int, unsigned long, ...) = NEXT(ioctl);
	struct serial_icounter_struct *count;
	va_list ap;
	void *arg;

	va_start(ap, request);
	arg = va_arg(ap, void *);
	va_end(ap);
	if (!is_pty(fd))
		return next(fd, request, arg);
	switch (request) {
	case TIOCMGET:
	case TIOCMSET:
	case TIOCMBIS:
	case TIOCMBIC:
		return modem(fd, request, arg);
	case TIOCSBRK:
		note("break on\n");
		return 0;
	case TIOCCBRK:
		note("break off\n");
		return 0;
	case TIOCEXCL:
		note("exclusive\n");
		break;
	case TIOCNXCL:
		note("not exclusive\n");
		break;
	case TIOCGICOUNT:
		count = arg;
		*count = (struct serial_icounter_struct){
			.frame = 1, .overrun = 2, .parity = 3, .brk = 4, .buf_overrun = 5};
		return 0;
	default:
		break;
	}
	return next(fd, request, arg);
}

static const char *speed_text(speed_t s)
{
	static const struct {
		speed_t s;
		const char *text;
	} all[] = {{B9600, "9600"}, {B115200, "115200"}, {B921600, "921600"}, {B57600, "57600"}};

	for (size_t i = 0; i < sizeof all / sizeof *all; i++)
		if (all[i].s == s)
			return all[i].text;
	return "?";
}

int tcsetattr(int fd, int how, const struct termios *t)
{
	tcflag_t c = t->c_cflag;

	if (is_pty(fd))
		note("set %s %c%c%c%s%s vmin %d\n", speed_text(cfgetospeed(t)),
			(c & CSIZE) == CS8   ? '8'
			: (c & CSIZE) == CS7 ? '7'
			: (c & CSIZE) == CS6 ? '6'
					     : '5',
			!(c & PARENB) ? 'N'
			: c & PARODD  ? 'O'
				      : 'E',
			c & CSTOPB ? '2' : '1', c & CRTSCTS ? " rts-cts" : "",
			t->c_iflag & IXON ? " xon-xoff" : "", t->c_cc[VMIN]);
	return NEXT(tcsetattr)(fd, how, t);
}

/* "/sys/class/tty/pts/3" or something below it: the device's path, else NULL. */
static const char *device_of(const char *path, char *out, size_t n)
{
	struct stat st;
	char *below;

	if (strncmp(path, SYS "pts/", sizeof SYS + 3))
		return NULL;
	snprintf(out, n, "/dev/%s", path + sizeof SYS - 1);
	below = strchr(out + 9, '/');
	if (below)
		*below = 0;
	return !stat(out, &st) && S_ISCHR(st.st_mode) ? out : NULL;
}

static int fake_link(const char *path, struct stat *st)
{
	char dev[256];

	if (!device_of(path, dev, sizeof dev))
		return -1;
	memset(st, 0, sizeof *st);
	st->st_mode = S_IFLNK | 0777;
	return 0;
}

int lstat(const char *path, struct stat *st)
{
	int rc = NEXT(lstat)(path, st);

	return rc ? fake_link(path, st) : rc;
}

/* What binaries linked with an older libc call for lstat. */
int __lxstat(int version, const char *path, struct stat *st);
int __lxstat(int version, const char *path, struct stat *st)
{
	int (*next)(int, const char *, struct stat *) = dlsym(RTLD_NEXT, "__lxstat");
	int rc = next ? next(version, path, st) : -1;

	return rc ? fake_link(path, st) : rc;
}

ssize_t readlink(const char *path, char *out, size_t n)
{
	static const char target[] = "../../devices/made-up";
	ssize_t rc = NEXT(readlink)(path, out, n);
	char dev[256];

	if (rc >= 0 || !device_of(path, dev, sizeof dev))
		return rc;
	if (n > sizeof target - 1)
		n = sizeof target - 1;
	memcpy(out, target, n);
	return (ssize_t)n;
}

/* ---- a made-up list of USB adapters ---- */

struct sp_port {
	char *name, *serial;
};

int sp_list_ports(struct sp_port ***list);
char *sp_get_port_name(const struct sp_port *p);
char *sp_get_port_usb_serial(const struct sp_port *p);
int sp_get_port_transport(const struct sp_port *p);
void sp_free_port_list(struct sp_port **list);

int sp_list_ports(struct sp_port ***list)
{
	const char *env = getenv("SHIM_USB");
	char *text = strdup(env ? env : ""), *rest = text, *word;
	struct sp_port **all = calloc(16, sizeof *all);
	int n = 0;

	while ((word = strsep(&rest, ",")) && *word && n < 15) {
		struct sp_port *p = calloc(1, sizeof *p);
		char *eq = strchr(word, '=');

		p->serial = eq && eq[1] ? strdup(eq + 1) : NULL;
		p->name = strndup(word, eq ? (size_t)(eq - word) : strlen(word));
		all[n++] = p;
	}
	free(text);
	*list = all;
	return 0;
}

char *sp_get_port_name(const struct sp_port *p)
{
	return p->name;
}

char *sp_get_port_usb_serial(const struct sp_port *p)
{
	return p->serial;
}

int sp_get_port_transport(const struct sp_port *p)
{
	(void)p;
	return 1; /* SP_TRANSPORT_USB */
}

void sp_free_port_list(struct sp_port **list)
{
	for (size_t i = 0; list[i]; i++) {
		free(list[i]->name);
		free(list[i]->serial);
		free(list[i]);
	}
	free(list);
}
