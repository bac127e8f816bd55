/* SPDX-License-Identifier: MIT */
/*
 * Serial lines over PTYs: by termios, and, when serial-shim.t has put the shim in front, by
 * libserialport with its calls written down in SHIM_LOG.
 */
#include "agents/bench/serial.h"
#include "agents/bench/t/peer.h"
#include "agents/console/console.h"
#include "base/fs.h"
#include "base/mem.h"
#include "base/t/tap.h"

#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>

static struct err e;
static struct bench b;
static bool shim;

static struct serial_conf line(const char *port)
{
	return (struct serial_conf){.port = port, .baud = 115200, .bits = 8, .stop_bits = 1};
}

static void test_data(void)
{
	struct serial_conf conf;
	struct serial *s, *two;
	struct peer p;
	struct pollfd pfd;
	char got[64];

	peer_open(&p, &b);
	conf = line(p.path);
	s = serial_open(&conf, &e);
	if (!ok(s, "open"))
		printf("# %s\n", e.msg);
	if (!s)
		return;
	is_str(serial_path(s), p.path, "its path");
	is_int(read(serial_fd(s), got, sizeof got), -1, "nothing there");
	is_int(errno, EAGAIN, "is EAGAIN, not an end");
	ok(fcntl(serial_fd(s), F_GETFD) & FD_CLOEXEC, "close-on-exec");
	ok(write(serial_fd(s), "\x03\r\n\x11\x13\xff", 6) == 6, "write");
	is_int(bench_wait_pump(&b, 1000, &e), 1, "the peer gets it");
	ok(p.all.len == 6 && !memcmp(p.all.data, "\x03\r\n\x11\x13\xff", 6), "byte by byte");
	peer_send(&p, "\x03\r\n\x11\xff", 5);
	pfd = (struct pollfd){.fd = serial_fd(s), .events = POLLIN};
	is_int(bench_wait(&b, &pfd, 1, 1000, &e), 1, "bytes come");
	ok(read(serial_fd(s), got, sizeof got) == 5 && !memcmp(got, "\x03\r\n\x11\xff", 5),
		"raw, too");
	peer_puts(&p, "stale");
	bench_wait(&b, &pfd, 1, 1000, &e);
	is_int(serial_flush(s, &e), 0, "flush");
	is_int(read(serial_fd(s), got, sizeof got), -1, "drops what was not read");
	two = serial_open(&conf, &e);
	ok(!two, "a second opener");
	is_int(e.blame, BLAME_INFRA, "blame infra");
	is_int(e.sys, EBUSY, "EBUSY");
	has_str(e.msg, "' is in use", "its text");
	serial_close(s);
	s = serial_open(&conf, &e);
	ok(s, "closed, it opens again");
	peer_close(&p);
	bench_wait(&b, &pfd, 1, 1000, &e);
	ok(read(serial_fd(s), got, sizeof got) <= 0 && errno != EAGAIN, "the far side is gone");
	serial_close(s);
	peer_done(&p);
}

static void refused(const char *port, enum err_blame blame, const char *want)
{
	struct serial_conf conf = line(port);
	struct serial *s = serial_open(&conf, &e);

	ok(!s, "'%s' is refused", port);
	is_int(e.blame, blame, "'%s': blame %s", port, err_blame_name(blame));
	has_str(e.msg, want, "'%s': text", port);
	serial_close(s);
}

static void test_refused(void)
{
	serial_close(NULL);
	refused("", BLAME_CONFIG, "no port given");
	refused("/no/such", BLAME_INFRA, "port '/no/such': No such file");
	refused("/etc/passwd", BLAME_CONFIG, "is not a serial line");
	refused("/dev/null", BLAME_CONFIG, "is not a serial line");
	refused("usb:", BLAME_CONFIG, "no serial number after 'usb:'");
	refused("usb:no-such-number", BLAME_INFRA,
		"no USB adapter with serial number 'no-such-number'");
}

static void test_pty_only(void)
{
	struct serial_conf conf;
	struct serial *s;
	struct peer p;
	json_t *j = json_object();

	peer_open(&p, &b);
	conf = line(p.path);
	s = serial_open(&conf, &e);
	is_int(serial_break_set(s, true, &e), -1, "no break on a PTY");
	is_int(e.blame, BLAME_CONFIG, "blame config");
	is_int(serial_counters(s, j, &e), 0, "no counters");
	is_int(json_object_size(j), 0, "none");
	json_decref(j);
	serial_close(s);
	peer_done(&p);
}

/* ---- unix sockets ---- */

static int listen_at(const char *path)
{
	struct sockaddr_un at = {.sun_family = AF_UNIX};
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	snprintf(at.sun_path, sizeof at.sun_path, "%s", path);
	if (bind(fd, (struct sockaddr *)&at, sizeof at) || listen(fd, 4))
		perror(path);
	return fd;
}

static void socket_data(const char *port, int listener)
{
	struct serial_conf conf = line(port);
	struct serial *s = serial_open(&conf, &e), *two;
	struct pollfd pfd;
	char got[64];
	int far;

	if (!ok(s, "open a socket that has not accepted yet"))
		return;
	far = accept(listener, NULL, NULL);
	pfd = (struct pollfd){.fd = serial_fd(s), .events = POLLIN};
	is_str(serial_path(s), port + 5, "its path");
	is_int(read(serial_fd(s), got, sizeof got), -1, "nothing there");
	is_int(errno, EAGAIN, "is EAGAIN, not an end");
	ok(fcntl(serial_fd(s), F_GETFD) & FD_CLOEXEC, "close-on-exec");
	ok(write(serial_fd(s), "\x03\r\n\xff", 4) == 4 && read(far, got, sizeof got) == 4 &&
			!memcmp(got, "\x03\r\n\xff", 4),
		"bytes go, as they are");
	ok(write(far, "\x03\r\n\x11", 4) == 4 && bench_wait(&b, &pfd, 1, 1000, &e) == 1 &&
			read(serial_fd(s), got, sizeof got) == 4,
		"and come");
	ok(write(far, "stale", 5) == 5, "bytes that nobody reads");
	is_int(serial_flush(s, &e), 0, "flush");
	is_int(read(serial_fd(s), got, sizeof got), -1, "drops them");
	two = serial_open(&conf, &e);
	ok(!two, "a second opener");
	is_int(e.sys, EBUSY, "EBUSY");
	has_str(e.msg, "' is in use", "its text");
	is_int(serial_break_set(s, true, &e), -1, "no break");
	has_str(e.msg, "is a unix socket: sending a break is not supported", "its text");
	close(far);
	bench_wait(&b, &pfd, 1, 1000, &e);
	is_int(read(serial_fd(s), got, sizeof got), 0, "the far side is gone");
	serial_close(s);
	s = serial_open(&conf, &e);
	ok(s, "closed, it opens again");
	serial_close(s);
}

static void test_sockets(void)
{
	char dir[] = "/tmp/hilab-test-serial.XXXXXX", port[512], deep[256] = "";
	AUTOFREE char *folder = NULL;
	AUTOCLOSE int here = open(".", O_PATH | O_DIRECTORY | O_CLOEXEC);
	int listener, moved;

	if (!mkdtemp(dir))
		return;
	snprintf(port, sizeof port, "unix:%s/line", dir);
	refused(port, BLAME_INFRA, "/line': No such file");
	refused("unix:", BLAME_INFRA, "No such file");
	refused("unix:/etc/passwd", BLAME_CONFIG, "port '/etc/passwd' is not a unix socket");
	listener = listen_at(port + 5);
	refused(port + 5, BLAME_CONFIG, "is not a serial line");
	socket_data(port, listener);
	close(listener);
	refused(port, BLAME_INFRA, "/line': Connection refused");
	/* a folder whose path no socket address can hold */
	memset(deep, 'd', 200);
	folder = mem_printf("%s/%s", dir, deep);
	fs_mkdirs(folder, 0755, &e);
	moved = chdir(folder);
	listener = listen_at("line");
	is_int(moved | fchdir(here), 0, "a deep folder");
	snprintf(port, sizeof port, "unix:%s/line", folder);
	socket_data(port, listener);
	close(listener);
	fs_remove_tree(dir, NULL);
}

/* ---- with the shim ---- */

static const char *calls(struct buf *out)
{
	const char *path = getenv("SHIM_LOG");

	buf_reset(out);
	fs_read(path, out, NULL);
	if (truncate(path, 0))
		perror(path);
	return buf_str(out);
}

static const char *open_as(struct serial_conf conf, struct buf *log)
{
	struct serial *s;
	struct peer p;

	peer_open(&p, &b);
	calls(log);
	conf.port = p.path;
	s = serial_open(&conf, &e);
	if (!s)
		printf("# %s\n", e.msg);
	calls(log);
	serial_close(s);
	peer_done(&p);
	return buf_str(log);
}

static void test_settings(void)
{
	AUTOBUF log = BUF_INIT(1 << 16);
	struct serial_conf conf = line(NULL);
	const char *text = open_as(conf, &log);

	has_str(text, "set 115200 8N1 vmin 1\n", "115200 8N1");
	has_str(text, "exclusive\n", "TIOCEXCL");
	has_str(text, "lines dtr rts\n", "DTR and RTS asserted");
	conf = (struct serial_conf){
		.baud = 9600, .bits = 7, .parity = SERIAL_PARITY_EVEN, .stop_bits = 2};
	has_str(open_as(conf, &log), "set 9600 7E2 vmin", "9600 7E2");
	conf.parity = SERIAL_PARITY_ODD;
	conf.flow = SERIAL_FLOW_RTSCTS;
	has_str(open_as(conf, &log), "set 9600 7O2", "7O2");
	has_str(buf_str(&log), " rts-cts vmin 1", "RTS/CTS");
	conf.flow = SERIAL_FLOW_XONXOFF;
	has_str(open_as(conf, &log), "set 9600 7O2 xon-xoff vmin", "XON/XOFF");
}

static void test_lines(void)
{
	AUTOBUF log = BUF_INIT(1 << 16);
	struct serial_conf conf;
	struct serial *s;
	struct peer p;
	json_t *j = json_object();

	peer_open(&p, &b);
	conf = line(p.path);
	s = serial_open(&conf, &e);
	calls(&log);
	is_int(serial_break_set(s, true, &e), 0, "break on");
	is_int(serial_break_set(s, false, &e), 0, "break off");
	is_str(calls(&log), "break on\nbreak off\n", "both reached the port");
	is_int(serial_counters(s, j, &e), 0, "counters");
	is_int(json_integer_value(json_object_get(j, "framing")), 1, "framing");
	is_int(json_integer_value(json_object_get(j, "overrun")), 7, "overruns of chip and buffer");
	is_int(json_integer_value(json_object_get(j, "parity")), 3, "parity");
	is_int(json_integer_value(json_object_get(j, "break")), 4, "break");
	json_decref(j);
	serial_close(s);
	has_str(calls(&log), "not exclusive\n", "TIOCNXCL on close");
	peer_done(&p);
}

static void test_console_break(void)
{
	AUTOBUF log = BUF_INIT(1 << 16);
	const struct console_driver *d =
		(const struct console_driver *)driver_find(console_drivers(), "serial");
	struct console_opts opts = {0};
	struct arena a = {0};
	struct node *map = node_new(&a, NODE_MAP, (struct loc){0});
	void *conf = arena_alloc(&a, d->d.size);
	struct console c;
	struct peer p;

	peer_open(&p, &b);
	node_map_set(&a, map, "port", node_scalar(&a, p.path, (struct loc){0}));
	is_int(schema_fill(&a, d->d.params, "console", map, conf, NULL), 0, "settings");
	is_int(console_open(&c, d, "main", conf, &b, &opts, &e), 0, "a console on it");
	calls(&log);
	is_int(console_break(&c, &e), 0, "its break");
	is_str(calls(&log), "break on\nbreak off\n", "is begun and ended");
	console_close(&c);
	peer_done(&p);
	arena_done(&a);
}

static void test_usb(void)
{
	struct serial_conf conf = line("usb:A1");
	struct serial *s;
	struct peer p, q;
	char env[256];

	peer_open(&p, &b);
	peer_open(&q, &b);
	snprintf(env, sizeof env, "%s=A1,%s=B2,/dev/ttyX=", p.path, q.path);
	setenv("SHIM_USB", env, 1);
	s = serial_open(&conf, &e);
	ok(s, "the one adapter with that number");
	is_str(s ? serial_path(s) : "", p.path, "is found");
	serial_close(s);
	refused("usb:C3", BLAME_INFRA, "B2), /dev/ttyX (no serial number)");
	snprintf(env, sizeof env, "%s=A1,%s=A1,/dev/ttyX=B2", p.path, q.path);
	setenv("SHIM_USB", env, 1);
	refused("usb:A1", BLAME_CONFIG, "2 ports with USB serial number 'A1': ");
	ok(!strstr(e.msg, "ttyX"), "only those are listed");
	unsetenv("SHIM_USB");
	peer_done(&p);
	peer_done(&q);
}

int main(void)
{
	shim = getenv("SHIM_LOG");
	bench_init(&b);
	bench_push(&b, "the test", 60000);
	test_data();
	test_refused();
	if (shim) {
		test_settings();
		test_lines();
		test_console_break();
		test_usb();
	} else {
		test_pty_only();
		test_sockets();
	}
	bench_done(&b);
	return tap_done();
}
