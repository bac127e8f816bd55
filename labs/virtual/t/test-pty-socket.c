/* SPDX-License-Identifier: MIT */
/* A port that is a unix socket: who hears what when hosts come and go between two turns of the
 * daemon's loop. */
#include "base/t/tap.h"
#include "labs/virtual/vlab.h"

#include "base/buf.h"
#include "base/fs.h"
#include "base/mem.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#define WAIT_MS 20000 /* only a broken test waits for it */

static char dir[] = "/tmp/hilab-test-pty-socket.XXXXXX";
static struct loop *loop;
static struct pty *port;
static struct buf heard = BUF_INIT(1 << 20); /* by the daemon */
static const char *heard_want;               /* the loop stops when that was heard */
static const char *answer;                   /* to each piece heard */

static void on_bytes(void *arg, struct str bytes)
{
	(void)arg;
	buf_add(&heard, bytes.p, bytes.n);
	if (answer)
		pty_write(port, str_of(answer));
	if (heard_want && strstr(buf_str(&heard), heard_want))
		loop_stop(loop);
}

static void stop(void *arg)
{
	*(struct loop_watch **)arg = NULL;
	loop_stop(loop);
}

static void turn(int64_t ms)
{
	struct loop_watch *w = NULL;

	w = loop_timer(loop, ms, stop, &w);
	loop_run(loop, NULL);
	loop_del(w);
}

static void hear(const char *want)
{
	heard_want = want;
	if (!strstr(buf_str(&heard), want))
		turn(WAIT_MS);
	heard_want = NULL;
}

static int host(void)
{
	return vlab_connect(dir, "port", NULL);
}

/* What has come to the host; "" is nothing, "END" the end. */
static const char *got(int fd)
{
	static char bytes[256];
	ssize_t n = recv(fd, bytes, sizeof bytes - 1, MSG_DONTWAIT);

	if (n < 0)
		return errno == EAGAIN ? "" : "END";
	bytes[n] = 0;
	return n ? bytes : "END";
}

static void comes_and_goes(void)
{
	int a, b;

	pty_write(port, STR_LIT("to nobody"));
	is_int(pty_queued_bytes(port), 0, "what nobody hears is lost");
	ok(pty_drained(port), "and not waited for");
	a = host();
	pty_write(port, STR_LIT("hello\n\x03"));
	is_str(got(a), "hello\n\x03", "a host that just came hears all that is said since");
	ok(pty_drained(port), "and is known to have read it");
	pty_write(port, STR_LIT("x"));
	ok(!pty_drained(port), "or not to have");
	got(a);
	ok(write(a, "ab\r\x04\x7f", 5) == 5, "it writes");
	hear("ab\r\x04\x7f");
	is_str(buf_str(&heard), "ab\r\x04\x7f", "the daemon hears it as it is");
	b = host();
	turn(20);
	is_str(got(b), "END", "a second host is hung up on");
	close(b);
	close(a);
	b = host();
	pty_write(port, STR_LIT("new"));
	is_str(got(b), "new", "one that came as the first had left is heard and hears");
	close(b);
	turn(20);
}

/* As workers use a relay: each writes, leaves, and the next one is there before the loop turns. */
static void one_after_the_other(void)
{
	int a = host(), b;

	turn(1);
	buf_reset(&heard);
	answer = "[answer]";
	ok(write(a, "first", 5) == 5, "a host asks");
	close(a);
	b = host();
	hear("first");
	turn(20);
	is_str(buf_str(&heard), "first", "is heard though it left");
	is_str(got(b), "", "its answer is not the next one's");
	ok(write(b, "second", 6) == 6, "that one asks");
	hear("second");
	is_str(got(b), "[answer]", "and is answered");
	answer = NULL;
	close(b);
}

static void cable(void)
{
	int a = host();
	struct stat st;
	struct err e = {0};

	turn(20);
	ok(!stat(pty_link(port), &st) && S_ISSOCK(st.st_mode), "the name is a socket");
	pty_unplug(port);
	is_str(got(a), "END", "pulled: the host is hung up on");
	close(a);
	ok(lstat(pty_link(port), &st) < 0 && errno == ENOENT, "the name is gone");
	ok(!pty_plugged(port), "it knows it is unplugged");
	pty_write(port, STR_LIT("lost"));
	is_int(pty_queued_bytes(port), 0, "bytes of that time are lost");
	pty_unplug(port);
	is_int(pty_plug(port, &e), 0, "plugged in again");
	is_int(pty_plug(port, &e), 0, "twice does no harm");
	a = host();
	pty_write(port, STR_LIT("x"));
	is_str(got(a), "x", "and works");
	close(a);
	turn(20);
}

static void flood(void)
{
	int a = host();
	char block[1000], bytes[4096], last = 0;
	uint64_t before = pty_dropped_bytes(port), n_got = 0;
	ssize_t n;

	memset(block, 'a', sizeof block);
	for (int i = 0; i < 1000; i++)
		pty_write(port, str_make(block, sizeof block));
	ok(pty_queued_bytes(port) <= 8192, "nobody reads: the queue stays within its bound");
	pty_write(port, STR_LIT("z"));
	while (last != 'z') {
		struct pollfd p = {.fd = a, .events = POLLIN};

		if (poll(&p, 1, WAIT_MS) <= 0 || (n = read(a, bytes, sizeof bytes)) <= 0)
			break;
		n_got += (uint64_t)n;
		last = bytes[n - 1];
		turn(1);
	}
	is_int(last, 'z', "the newest bytes are those that are kept");
	is_int(n_got + pty_dropped_bytes(port) - before, 1000 * 1000 + 1,
		"every byte was read or counted");
	close(a);
}

int main(void)
{
	struct err e = {0};
	struct pty_hub *hub;
	char *name;

	if (!mkdtemp(dir))
		return 1;
	name = mem_printf("%s/port", dir);
	loop = loop_new(&e);
	hub = pty_hub_new(loop, &e);
	pty_hub_sockets(hub, true);
	port = pty_new(hub,
		&(struct pty_opts){.link = name, .queue_bytes = 8192, .on_bytes = on_bytes}, &e);
	if (ok(port != NULL, "a port: %s", e.msg)) {
		comes_and_goes();
		one_after_the_other();
		cable();
		flood();
	}
	pty_free(port);
	ok(access(name, F_OK) < 0, "the name goes with the port");
	pty_hub_free(hub);
	loop_free(loop);
	fs_remove_tree(dir, NULL);
	buf_done(&heard);
	free(name);
	return tap_done();
}
