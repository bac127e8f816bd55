/* SPDX-License-Identifier: MIT */
/* Played boards, driven as a bench does: relay commands and typed lines on serial ports. */
#include "base/t/tap.h"
#include "labs/virtual/player/player.h"
#include "labs/virtual/t/host.h"

#include "base/fs.h"
#include "base/mem.h"

#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>

static char dir[] = "/tmp/hilab-test-player.XXXXXX";
static pid_t pid;
static bool sockets;

/* A player in a process of its own; returns when it is ready. */
static void start(const char *const *specs, size_t n, unsigned count, const char *sub)
{
	char *where = mem_printf("%s/%s", dir, sub), ready[512] = "";
	int fds[2];

	if (pipe(fds) < 0 || (pid = fork()) < 0)
		exit(1);
	if (!pid) {
		struct player_opts o = {.dir = where,
			.specs = specs,
			.n_specs = n,
			.count = count,
			.sockets = sockets};
		struct vlab_run run = {.ready_fd = fds[1], .quiet = true};
		struct diag diag = {0};
		struct err e = {0};
		struct buf text = BUF_INIT(BUF_CAP_BYTES);
		struct player *p = player_new(&o, &diag, &e);
		int status = 1;

		signal(SIGHUP, SIG_DFL);
		diag_print(&diag, &text);
		if (!p || player_run(p, &run, &status, &e) < 0)
			fprintf(stderr, "# %s %s\n", e.msg, buf_str(&text));
		player_free(p);
		diag_done(&diag);
		buf_done(&text);
		free(where);
		exit(status);
	}
	close(fds[1]);
	ok(read(fds[0], ready, sizeof ready - 1) > 0 && !strncmp(ready, "ready ", 6),
		"%s: the player says that it is ready", sub);
	close(fds[0]);
	free(where);
}

static void end_by(int sig, const char *name)
{
	int status = -1;

	kill(pid, sig);
	waitpid(pid, &status, 0);
	is_int(status, 0, "ends on %s", name);
}

static void end(void)
{
	end_by(SIGTERM, "SIGTERM");
}

/* A control line; what it answers is static. */
static const char *ctl(const char *sub, const char *line)
{
	static char text[4096];
	char *where = mem_printf("%s/%s", dir, sub);
	struct buf answer = BUF_INIT(sizeof text);
	struct err e = {0};

	if (vlab_call(where, line, &answer, &e) < 0)
		snprintf(text, sizeof text, "error: %s", e.msg);
	else
		snprintf(text, sizeof text, "%s", buf_str(&answer));
	buf_done(&answer);
	free(where);
	return text;
}

/* The relay's channel (from 1), confirmed by its status line. */
static bool power(struct host *relay, int channel, bool on)
{
	unsigned char frame[] = {0xa0, (unsigned char)channel, on, 0, 0xff};
	char want[32], answer[256];
	int n;

	frame[3] = (unsigned char)(frame[0] + frame[1] + frame[2]);
	host_send(relay, frame, sizeof frame);
	snprintf(want, sizeof want, "CH%d:%s", channel, on ? "ON " : "OFF");
	if (!host_until(relay, "CH8:"))
		return false;
	n = snprintf(answer, sizeof answer, "%s", buf_str(&relay->got));
	if (!host_until(relay, "\r\n"))
		return false;
	snprintf(answer + n, sizeof answer - (size_t)n, "%s", buf_str(&relay->got));
	return strstr(answer, want) != NULL;
}

/* ---- a whole boot --------------------------------------------------------------------------- */

static void write_image(const char *sub, const char *name, const char *text)
{
	char *path = mem_printf("%s/%s/tftp/%s", dir, sub, name);

	fs_write(path, text, strlen(text), 0644, NULL);
	free(path);
}

static bool command(struct host *c, const char *line, const char *prompt)
{
	host_type(c, line);
	host_type(c, "\r");
	return host_until(c, "\n") && host_until(c, prompt);
}

static void whole_boot(void)
{
	static const char *const specs[] = {"am=labs/virtual/player/am62axx-sk-twin.yaml"};
	struct host relay, c;

	start(specs, 1, 1, "boot");
	write_image("boot", "Image", "MZ..Linux version 6.1.99-test (me) #7\n");
	write_image("boot", "root", "hilab-build: b1234\n");
	host_open_port(&relay, dir, "boot/relay");
	host_open_port(&c, dir, "boot/am.console");
	has_str(ctl("boot", "status"), "am off -", "it begins without power");
	host_type(&c, "lost\r");
	ok(power(&relay, 1, true), "the relay closes");
	ok(host_until(&c, "\r\nU-Boot 2023.01"), "the loader's banner comes");
	ok(!memmem(c.got.data, c.got.len, "lost", 4), "what was typed without power is lost");
	ok(host_until(&c, "autoboot:  2 "), "autoboot waits");
	host_type(&c, " ");
	ok(host_until(&c, "\n=> "), "a key brings the prompt");
	ok(command(&c, "setenv autoload no; dhcp", "\n=> "), "two commands in a line");
	has_str(c.got.data, "DHCP client bound", "dhcp answers");
	ok(command(&c, "tftpboot 0x40400000 none && echo go", "\n=> "), "a file that is not there");
	has_str(c.got.data, "TFTP error: 'File not found' (1)", "is a TFTP error");
	ok(!strstr(c.got.data, "\ngo"), "and && stops there");
	ok(command(&c, "booti 0x40400000 - $fdtcontroladdr", "\n=> "), "booting nothing");
	has_str(c.got.data, "Bad Linux ARM64 Image magic!", "is refused");
	ok(command(&c, "tftpboot 0x40400000 Image", "\n=> "), "the kernel loads");
	has_str(c.got.data, "Bytes transferred = 38 (26 hex)", "with its real size");
	ok(command(&c, "tftpboot 0x44000000 root", "\n=> "), "the root loads");
	host_type(&c, "booti 0x40400000 0x44000000:$filesize $fdtcontroladdr\r");
	ok(host_until(&c, "Starting kernel ..."), "it boots");
	ok(host_until(&c, "Linux version 6.1.99-test (me) #7"), "the kernel that was loaded");
	ok(host_until(&c, "hilab root b1234"), "with the root that was loaded");
	ok(host_until(&c, "login: "), "up to the login");
	ok(command(&c, "root", ":~# "), "and to a shell");
	ok(command(&c, "cat /proc/version", ":~# "), "/proc/version");
	has_str(c.got.data, "Linux version 6.1.99-test (me) #7", "is the board's");
	command(&c,
		"PATH=/tmp:$PATH sh -c 'cat /proc/version /etc/hilab-build; uname -r; hostname'",
		":~# ");
	has_str(c.got.data, "#7\r\nb1234\r\n6.1.99-test\r\nhilab\r\n", "also in a script");
	command(&c, "dmesg -n 1; cat /proc/sys/kernel/printk", ":~# ");
	has_str(c.got.data, "1\t4\t1\t7", "kernel lines are silenced on the board alone");
	command(&c, "uname -r; (exit 3); echo rc=$?", ":~# ");
	has_str(c.got.data, "6.1.99-test\r\nrc=3", "so is uname; exit codes are real");
	command(&c, "true >&9 || echo closed", ":~# ");
	has_str(c.got.data, "\nclosed\r\n", "no descriptor of the player is open in it");
	host_type(&c, "sh -c 'echo go; exec cat'\r");
	host_until(&c, "\ngo\r\n");
	host_type(&c, "\x03");
	ok(host_until(&c, ":~# "), "Ctrl-C works");
	host_type(&c, "reboot\r");
	ok(host_until(&c, "U-Boot 2023.01"), "reboot starts again");
	ok(power(&relay, 1, false), "the relay opens");
	has_str(ctl("boot", "status am"), "am off", "it is off");
	end();
	host_close_port(&relay);
	host_close_port(&c);
}

/* ---- faults --------------------------------------------------------------------------------- */

static void login(struct host *c)
{
	host_until(c, "login: ");
	host_type(c, "root\r");
	host_until(c, "Password: ");
	host_type(c, "secret\r");
	host_until(c, "\n# ");
}

static void dialogue(struct host *relay, struct host *c)
{
	power(relay, 1, true);
	ok(host_until(c, "Linux version 6.1.0-small"), "nobody types: it boots");
	host_until(c, "login: ");
	command(c, "root", "Password: ");
	host_type(c, "wrong\r");
	ok(host_until(c, "Login incorrect"), "a wrong password");
	ok(!strstr(c->got.data, "wrong"), "is not echoed");
	login(c);
	host_type(c, "unamX\x7f -r\r");
	ok(host_until(c, "\n# "), "backspace edits");
	host_type(c, "rubbish\x15uname -r\r");
	ok(host_until(c, "\n6.1.0-small\r\n# "), "Ctrl-U empties the line");
	power(relay, 1, false);
	power(relay, 1, true);
	host_until(c, "key? ");
	host_type(c, "\r");
	ok(host_until(c, "\n=> "), "typed in time: the prompt");
	command(c, "setenv a 'x;y'; echo <$a> <${name2}>; false && echo no; printenv none",
		"\n=> ");
	has_str(c->got.data, "<x;y> <two>\r\n## Error: \"none\" not defined",
		"variables, quotes, &&");
	host_type(c, "slow\recho later\r\x03\r");
	host_until(c, "slow\r\n");
	power(relay, 1, false);
	has_str(ctl("small", "status s"), "s off", "power off ends a wait");
}

static void line_faults(struct host *relay, struct host *c)
{
	ctl("small", "fault s insert after== text=[K]\\n");
	power(relay, 1, true);
	host_until(c, "key? ");
	host_type(c, " ");
	ok(host_until(c, "\n=[K]\r\n> "), "a kernel line inside a prompt");
	ctl("small", "clear s");
	ctl("small", "fault s insert after=ech text=[K]\\n count=1");
	host_type(c, "echo hi\r");
	ok(host_until(c, "ech[K]\r\no hi\r\nhi\r\n=> "), "a kernel line inside an echo");
	ctl("small", "fault s drop typed after=ec count=1");
	host_type(c, "echo hi\r");
	ok(host_until(c, "eho hi\r\nUnknown command 'eho hi'"), "a typed byte lost");
	host_until(c, "=> ");
	ctl("small", "clear s");
	ctl("small", "fault s chunk 1");
	c->biggest = 0;
	command(c, "echo one by one", "\n=> ");
	is_int(c->biggest, 1, "every read gives one byte");
	ctl("small", "fault s chunk 65536");
	host_type(c, "echo all at once\r");
	c->biggest = 0;
	host_until(c, "once\r\n=> ");
	ok(c->biggest > 30, "one read gives it all");
	ctl("small", "clear s");
	has_str(ctl("small", "fault s explode"), "error: fault: 'explode'",
		"a wrong fault is told");
	has_str(ctl("small", "fault s hang at=nowhere"), "no state 'nowhere'", "and a wrong state");
	ctl("small", "say s [    7.0] usb 1-1: new device");
	ok(host_until(c, "usb 1-1: new device\r\n"), "a kernel line at once");
	power(relay, 1, false);
}

static void board_faults(struct host *relay, struct host *c)
{
	ctl("small", "fault s hang at=kernel");
	power(relay, 1, true);
	host_until(c, "key? ");
	has_str(ctl("small", "status s"), "hang at=kernel count=1 struck 0", "a fault is listed");
	host_type(c, " ");
	host_until(c, "=> ");
	ctl("small", "reset s");
	host_until(c, "key? ");
	while (!strstr(ctl("small", "status s"), "kernel hung"))
		;
	ok(true, "it hangs at the kernel");
	power(relay, 1, false);
	power(relay, 1, true);
	login(c);
	ok(true, "and is unharmed after a power cycle");
	ctl("small", "fault s panic after=01234");
	host_type(c, "long\r");
	ok(host_until(c, "\n01234[   12.345678] Unable to handle"), "panic in mid-line");
	ok(host_until(c, "---[ end Kernel panic"), "to its end");
	has_str(ctl("small", "status s"), "shell hung", "and then nothing");
	power(relay, 1, false);
	ctl("small", "clear s");
	ctl("small", "fault s reboot after=01234");
	ctl("small", "set s kernel=5.10.0-other #1");
	power(relay, 1, true);
	ok(host_until(c, "Linux version 5.10.0-other"), "another kernel boots");
	login(c);
	host_type(c, "long\r");
	ok(host_until(c, "\n01234Loader 1.0"), "a reboot in mid-run");
	power(relay, 1, false);
	ctl("small", "clear s");
}

static void bench_faults(struct host *relay, struct host *c)
{
	ctl("small", "relay s lying");
	host_send(relay, "\xa0\x01\x01\xa2\xff", 5);
	ok(host_until(relay, "CH1:OFF"), "a lying relay reads back the old state");
	host_until(relay, "CH8:OFF");
	has_str(ctl("small", "status s"), "s on", "though the board is on");
	ctl("small", "relay s stuck");
	ok(power(relay, 1, false), "a stuck relay reads back what was asked");
	has_str(ctl("small", "status s"), "s on", "and the board stays on");
	ctl("small", "relay s ok");
	power(relay, 1, true);
	power(relay, 1, false);
	ctl("small", "relay s dead");
	host_send(relay, "\xa0\x01\x01\xa2\xff", 5);
	has_str(ctl("small", "status s"), "s off", "a dead relay does nothing");
	ctl("small", "clear s");
	ok(power(relay, 1, true), "and works when it is well again");
	host_until(c, "key? ");
	ctl("small", "pull s");
	ok(!host_until(c, "never printed"), "a pulled console hangs up");
	has_str(ctl("small", "status s"), "unplugged", "and is known as that");
	ctl("small", "plug s");
	host_close_port(c);
	host_open_port(c, dir, "small/s.console");
	ctl("small", "say s back");
	ok(host_until(c, "back\r\n"), "plugged in it works again");
}

static void small(void)
{
	static const char *const specs[] = {"s=labs/virtual/t/small.yaml"};
	struct host relay, c;

	start(specs, 1, 1, "small");
	host_open_port(&relay, dir, "small/relay");
	host_open_port(&c, dir, "small/s.console");
	dialogue(&relay, &c);
	line_faults(&relay, &c);
	board_faults(&relay, &c);
	bench_faults(&relay, &c);
	has_str(ctl("small", "status nobody"), "error: no board 'nobody'",
		"an unknown board is told");
	end();
	host_close_port(&relay);
	host_close_port(&c);
}

/* ---- many ----------------------------------------------------------------------------------- */

static void many(void)
{
	static const char *const specs[] = {"m=labs/virtual/t/small.yaml"};
	enum { BOARDS = 200 };
	struct host *c = mem_array(BOARDS, sizeof *c), relay;
	int up = 0;

	start(specs, 1, BOARDS, "many");
	for (int i = 0; i < BOARDS; i++) {
		char name[64];

		snprintf(name, sizeof name, "many/m-%d.console", i + 1);
		host_open_port(&c[i], dir, name);
	}
	for (int i = 0; i < BOARDS; i += 8) {
		char name[64] = "many/relay";

		if (i)
			snprintf(name, sizeof name, "many/relay-%d", i / 8 + 1);
		host_open_port(&relay, dir, name);
		for (int k = 1; k <= 8; k++)
			power(&relay, k, true);
		host_close_port(&relay);
	}
	for (int i = 0; i < BOARDS; i++)
		up += host_until(&c[i], "login: ");
	is_int(up, BOARDS, "one process plays %d boards", BOARDS);
	for (int i = 0; i < BOARDS; i++)
		host_close_port(&c[i]);
	end_by(SIGHUP, "a terminal that hangs up");
	free(c);
}

/* ---- on sockets ----------------------------------------------------------------------------- */

static void refused(unsigned count, rlim_t descriptors, const char *want)
{
	static const char *const specs[] = {"m=labs/virtual/t/small.yaml"};
	struct player_opts o = {
		.dir = dir, .specs = specs, .n_specs = 1, .count = count, .sockets = sockets};
	struct rlimit was, less;
	struct diag diag = {0};
	struct err e = {0};

	getrlimit(RLIMIT_NOFILE, &was);
	less = (struct rlimit){.rlim_cur = 64, .rlim_max = was.rlim_max};
	setrlimit(RLIMIT_NOFILE, &less);
	if (descriptors) {
		less.rlim_max = descriptors;
		setrlimit(RLIMIT_NOFILE, &less);
	}
	ok(!player_new(&o, &diag, &e), "%u boards are refused", count);
	has_str(e.msg, want, "and it says why");
	diag_done(&diag);
	if (!descriptors) /* a hard limit does not rise again */
		setrlimit(RLIMIT_NOFILE, &was);
}

static void on_sockets(void)
{
	static const char *const specs[] = {"m=labs/virtual/t/small.yaml"};
	struct host relay, c, second;

	sockets = true;
	start(specs, 1, 2000, "sockets");
	has_str(ctl("sockets", "status m-2000"), "m-2000 off -", "one process plays 2000 boards");
	host_open_port(&c, dir, "sockets/m-2000.console");
	host_open_port(&relay, dir, "sockets/relay-250");
	ok(c.fd >= 0 && relay.fd >= 0, "the last one's ports are there");
	ok(power(&relay, 8, true), "its relay closes");
	ok(host_until(&c, "login: "), "it boots");
	has_str(c.got.data, "Loader 1.0", "and the host hears it from its first line on");
	host_type(&c, "root\r");
	host_until(&c, "Password: ");
	host_type(&c, "secret\r");
	ok(host_until(&c, "\n# "), "it hears what is typed");
	host_open_port(&second, dir, "sockets/m-2000.console");
	ok(host_gone(&second), "a second host is hung up on");
	host_close_port(&second);
	ctl("sockets", "fault m-2000 chunk 1");
	c.biggest = 0;
	ok(command(&c, "uname -r", "\n# "), "the first goes on");
	is_int(c.biggest, 1, "every read gives one byte, where asked for");
	ctl("sockets", "pull m-2000");
	ok(host_gone(&c), "a pulled console hangs up");
	ctl("sockets", "plug m-2000");
	host_close_port(&c);
	host_open_port(&c, dir, "sockets/m-2000.console");
	ctl("sockets", "say m-2000 back");
	ok(host_until(&c, "back\r\n"), "plugged in it works again");
	has_str(ctl("sockets", "status m-1999"), "m-1999 off -", "its neighbour was left alone");
	end();
	host_close_port(&relay);
	host_close_port(&c);
	refused(PLAYER_SOCKET_BOARDS_MAX + 1, 0, "3001 boards are more than 3000");
	sockets = false;
	refused(PLAYER_BOARDS_MAX + 1, 0, "1501 boards are more than 1500 on PTYs");
	refused(1000, 500, "1000 boards need 2314 descriptors, and 500 are allowed");
}

int main(void)
{
	dup2(STDERR_FILENO, 9); /* as make and prove leave some open */
	if (!mkdtemp(dir))
		return 1;
	whole_boot();
	small();
	many();
	on_sockets(); /* last: it lowers our limit of descriptors */
	fs_remove_tree(dir, NULL);
	return tap_done();
}
