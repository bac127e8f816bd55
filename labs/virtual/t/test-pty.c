/* SPDX-License-Identifier: MIT */
/* A serial port that a daemon plays, seen from a host that opens its name. */
#include "base/t/tap.h"
#include "labs/virtual/pty.h"

#include "base/buf.h"
#include "base/fs.h"
#include "base/mem.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <termios.h>
#include <unistd.h>

#define WAIT_MS 20000 /* only a broken test waits for it */

static struct loop *loop;
static struct buf heard = BUF_INIT(1 << 20); /* by the daemon */
static size_t heard_want;

static void on_bytes(void *arg, struct str bytes)
{
	(void)arg;
	buf_add(&heard, bytes.p, bytes.n);
	if (heard.len >= heard_want)
		loop_stop(loop);
}

static void stop(void *arg)
{
	*(struct loop_watch **)arg = NULL;
	loop_stop(loop);
}

/* Lets the loop turn until it stops or nothing comes of it for so long. */
static void turn(int64_t ms)
{
	struct loop_watch *w = NULL;

	w = loop_timer(loop, ms, stop, &w);
	loop_run(loop, NULL);
	loop_del(w);
}

static int host_open(const char *link)
{
	return open(link, O_RDWR | O_NOCTTY | O_NONBLOCK);
}

/* The host's descriptor is readable, hung up or in error. */
static short host_wait(int fd)
{
	struct pollfd p = {.fd = fd, .events = POLLIN};

	return poll(&p, 1, WAIT_MS) > 0 ? p.revents : 0;
}

static void stays(struct pty *p, const char *link)
{
	int fd = host_open(link);
	char bytes[64];
	ssize_t n;

	ok(fd >= 0, "the name opens");
	pty_write(p, STR_LIT("hello\n\x03"));
	host_wait(fd);
	n = read(fd, bytes, sizeof bytes);
	ok(n == 7 && !memcmp(bytes, "hello\n\x03", 7), "bytes arrive as they are");
	ok(pty_drained(p), "and are known to be read");
	heard_want = 6;
	ok(write(fd, "ab\r\x04\n\x7f", 6) == 6, "the host writes");
	turn(WAIT_MS);
	is_str(buf_str(&heard), "ab\r\x04\n\x7f", "the daemon hears it as it is");
	ioctl(fd, TIOCEXCL);
	close(fd);
	turn(50);
	fd = host_open(link);
	ok(fd >= 0, "a host that leaves keeps nobody else out");
	pty_write(p, STR_LIT("again"));
	host_wait(fd);
	ok(read(fd, bytes, sizeof bytes) == 5, "the port survives a host that leaves");
	close(fd);
}

static void exclusive(struct pty *p, const char *link)
{
	int fd = host_open(link), flags = 0;

	(void)p;
	/* root opens an exclusive tty all the same: look at the flag itself */
	ioctl(fd, TIOCEXCL);
	ioctl(fd, TIOCGEXCL, &flags);
	is_int(flags, 1, "a host has the port for itself");
	close(fd);
	turn(50);
	fd = host_open(link);
	ioctl(fd, TIOCGEXCL, &flags);
	is_int(flags, 0, "its right ends as it closes");
	close(fd);
}

static void cable(struct pty *p, const char *link)
{
	char before[128] = "", after[128] = "", byte;
	int fd = host_open(link);
	struct stat st;
	struct err e = {0};

	ok(readlink(link, before, sizeof before - 1) > 0, "the name is a link");
	pty_unplug(p);
	ok(host_wait(fd) & POLLHUP, "pulled: the host's descriptor hangs up");
	ok(read(fd, &byte, 1) <= 0, "and reads nothing");
	ok(lstat(link, &st) < 0 && errno == ENOENT, "the name is gone");
	ok(!pty_plugged(p), "it knows it is unplugged");
	pty_write(p, STR_LIT("lost"));
	is_int(pty_queued_bytes(p), 0, "bytes of that time are lost");
	pty_unplug(p);
	is_int(pty_plug(p, &e), 0, "plugged in again");
	is_int(pty_plug(p, &e), 0, "twice does no harm");
	ok(readlink(link, after, sizeof after - 1) > 0, "the name is back");
	close(fd);
	fd = host_open(link);
	pty_write(p, STR_LIT("x"));
	host_wait(fd);
	ok(read(fd, &byte, 1) == 1 && byte == 'x', "and works");
	close(fd);
}

static void flood(struct pty *p, const char *link)
{
	char *block = mem_alloc(1000);
	int fd;
	char bytes[4096], last = 0;
	uint64_t got = 0;

	memset(block, 'a', 1000);
	for (int i = 0; i < 1000; i++)
		pty_write(p, str_make(block, 1000));
	ok(pty_queued_bytes(p) <= 8192, "nobody reads: the queue stays within its bound");
	ok(pty_dropped_bytes(p) > 0, "and what was dropped is counted");
	pty_write(p, STR_LIT("z"));
	fd = host_open(link);
	while (last != 'z' && host_wait(fd) & POLLIN) {
		ssize_t n = read(fd, bytes, sizeof bytes);

		if (n <= 0)
			break;
		got += (uint64_t)n;
		last = bytes[n - 1];
		turn(1);
	}
	is_int(last, 'z', "the newest bytes are those that are kept");
	is_int(got + pty_dropped_bytes(p), 1000 * 1000 + 1, "every byte was read or counted");
	close(fd);
	free(block);
}

static void paced(struct pty *p, const char *link)
{
	int fd = host_open(link);
	struct termios t;
	char *block = mem_alloc(4000), bytes[4096];
	ssize_t n, got = 0;

	tcgetattr(fd, &t);
	cfsetspeed(&t, B9600);
	tcsetattr(fd, TCSANOW, &t);
	pty_pace(p, true);
	pty_write(p, str_make(block, 4000));
	ok(pty_queued_bytes(p) >= 3900, "at 9600 bit/s all but a slice waits");
	pty_pace(p, false);
	while (got < 4000 && host_wait(fd) & POLLIN && (n = read(fd, bytes, sizeof bytes)) > 0) {
		got += n;
		turn(1);
	}
	is_int(got, 4000, "without pace the rest comes at once");
	close(fd);
	free(block);
}

int main(void)
{
	char dir[] = "/tmp/hilab-test-pty.XXXXXX";
	struct err e = {0};
	struct pty_hub *hub;
	struct pty *p;
	char *link;

	if (!mkdtemp(dir))
		return 1;
	link = mem_printf("%s/port", dir);
	loop = loop_new(&e);
	hub = pty_hub_new(loop, &e);
	p = pty_new(hub,
		&(struct pty_opts){.link = link, .queue_bytes = 8192, .on_bytes = on_bytes}, &e);
	if (ok(p != NULL, "a port: %s", e.msg)) {
		stays(p, link);
		exclusive(p, link);
		cable(p, link);
		paced(p, link);
		flood(p, link);
	}
	pty_free(p);
	ok(access(link, F_OK) < 0, "the name goes with the port");
	pty_hub_free(hub);
	loop_free(loop);
	fs_remove_tree(dir, NULL);
	buf_done(&heard);
	free(link);
	return tap_done();
}
