/* SPDX-License-Identifier: MIT */
/*
 * Lines typed into real shells, longer than their terminal is wide, under several terminal types,
 * with kernel lines thrown into the echo: each must be entered whole and once. The shell runs on a
 * PTY of its own; a pump carries its bytes to the PTY that the console has open, as a cable does.
 */
#include "agents/bench/t/peer.h"
#include "agents/console/console.h"
#include "base/t/tap.h"

#include <signal.h>
#include <sys/ioctl.h>
#include <sys/wait.h>

#define KL "[   12.345678] usb 1-1: new high-speed USB device\r\n"

static struct err e;

struct bed {
	struct bench b;
	struct peer peer;
	struct console c;
	struct arena arena;
	int shell_fd;
	pid_t pid;
	unsigned noise; /* a kernel line each so many chunks of the shell's output; 0: none */
	unsigned chunks;
};

static void to_shell(struct peer *p, const char *data, size_t n)
{
	struct bed *t = p->arg;

	if (write(t->shell_fd, data, n) != (ssize_t)n)
		perror("to shell");
}

static int from_shell(void *arg, short revents, struct err *unused)
{
	struct bed *t = arg;
	char buf[256];
	ssize_t n = read(t->shell_fd, buf, t->noise ? 7 : sizeof buf);

	(void)revents, (void)unused;
	if (n <= 0) {
		bench_pump_del(&t->b, t->shell_fd);
		return 0;
	}
	peer_send(&t->peer, buf, (size_t)n);
	/* Not inside an escape: a terminal would show that as rubbish, too. */
	if (t->noise && ++t->chunks % t->noise == 0 && !memchr(buf, 033, (size_t)n))
		peer_puts(&t->peer, KL);
	return 0;
}

static void start(struct bed *t, const char *const *argv, const char *term)
{
	struct winsize size = {.ws_row = 24, .ws_col = 80};
	char path[64];
	int fd;

	t->shell_fd = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
	if (t->shell_fd < 0 || grantpt(t->shell_fd) || unlockpt(t->shell_fd) ||
		ptsname_r(t->shell_fd, path, sizeof path))
		exit(1);
	ioctl(t->shell_fd, TIOCSWINSZ, &size);
	t->pid = fork();
	if (t->pid)
		return;
	setsid();
	fd = open(path, O_RDWR);
	if (fd < 0 || dup2(fd, 0) < 0 || dup2(fd, 1) < 0 || dup2(fd, 2) < 0)
		_exit(126);
	setenv("TERM", term, 1);
	setenv("PS1", "BOARD# ", 1);
	setenv("PATH", "/bin:/usr/bin", 1);
	unsetenv("ENV");
	/* Whoever runs the tests in the background has it ignored. */
	signal(SIGINT, SIG_DFL);
	execvp(argv[0], (char *const *)argv);
	_exit(127);
}

static int setup(struct bed *t, const char *const *argv, const char *term)
{
	const struct console_driver *d =
		(const struct console_driver *)driver_find(console_drivers(), "serial");
	struct console_opts opts = {0};
	struct node *map;
	void *conf;

	bench_init(&t->b);
	bench_push(&t->b, "the test", 60000);
	peer_open(&t->peer, &t->b);
	t->peer.input = to_shell;
	t->peer.arg = t;
	map = node_new(&t->arena, NODE_MAP, (struct loc){0});
	conf = arena_alloc(&t->arena, d->d.size);
	node_map_set(&t->arena, map, "port", node_scalar(&t->arena, t->peer.path, (struct loc){0}));
	schema_fill(&t->arena, d->d.params, "console", map, conf, NULL);
	start(t, argv, term);
	bench_pump_add(&t->b, t->shell_fd, from_shell, t);
	return console_open(&t->c, d, "main", conf, &t->b, &opts, &e);
}

static void teardown(struct bed *t)
{
	kill(t->pid, SIGKILL);
	waitpid(t->pid, NULL, 0);
	console_close(&t->c);
	bench_pump_del(&t->b, t->shell_fd);
	close(t->shell_fd);
	peer_done(&t->peer);
	bench_done(&t->b);
	arena_done(&t->arena);
}

/* The answer is computed, so that it cannot be taken from the echo. */
static bool type_and_answer(struct bed *t, unsigned pad, int round)
{
	struct pattern *want, *prompt = pattern_new("BOARD# ", NULL);
	struct expect_match m;
	char text[600], answer[64];
	bool good;

	snprintf(answer, sizeof answer, "answer-%d-%u\\b", round + 1000, pad);
	want = pattern_new(answer, NULL);
	snprintf(text, sizeof text, "echo %0*d >/dev/null; echo answer-$((%d + 1000))-%u", (int)pad,
		7, round, pad);
	good = !console_type(&t->c, text, true, &e) &&
	       console_expect(&t->c, &want, 1, 5000, &m, &e) == 0 &&
	       console_expect(&t->c, &prompt, 1, 5000, &m, &e) == 0;
	if (!good)
		printf("# pad %u: %s\n", pad, e.msg);
	pattern_free(want);
	pattern_free(prompt);
	return good;
}

static void shell(const char *const *argv, const char *term, unsigned noise)
{
	static const unsigned pads[] = {1, 24, 25, 26, 27, 28, 29, 30, 110, 220};
	struct pattern *prompt = pattern_new("BOARD# ", NULL);
	struct bed t = {.noise = noise};
	int bad = 0;

	if (!ok(!setup(&t, argv, term), "%s, %s: a console on it", argv[0], term))
		printf("# %s\n", e.msg);
	is_int(console_expect(&t.c, &prompt, 1, 10000, NULL, &e), 0, "%s, %s: its prompt", argv[0],
		term);
	for (size_t i = 0; i < ARRAY_LEN(pads); i++)
		bad += !type_and_answer(&t, pads[i], (int)i);
	is_int(bad, 0, "%s, %s%s: lines around and over the width", argv[0], term,
		noise ? ", kernel lines" : "");
	teardown(&t);
	pattern_free(prompt);
}

int main(void)
{
	static const char *const bash[] = {"bash", "--norc", "--noprofile", "-i", NULL};
	static const char *const dash[] = {"dash", "-i", NULL};
	static const char *const ash[] = {"busybox", "ash", "-i", NULL};

	shell(dash, "dumb", 0);
	shell(dash, "dumb", 5);
	shell(bash, "linux", 0);
	shell(bash, "vt100", 0);
	shell(bash, "vt102", 5);
	shell(ash, "vt100", 0);
	shell(ash, "linux", 5);
	return tap_done();
}
