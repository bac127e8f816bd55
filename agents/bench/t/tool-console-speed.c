/* SPDX-License-Identifier: MIT */
/*
 * How fast console text goes its way: `tool-console-speed LOG PATTERNS DIR` prints four figures
 * in MB/s. The matcher alone, of CPU time, over LOG in reads of 4 KiB with a pattern a line of
 * PATTERNS that match nothing; a console that another process writes LOG to over a PTY, logged in
 * DIR and matched by the same patterns, by the clock and of CPU time; and a PTY whose other side
 * only reads, by the clock.
 */
#include "agents/bench/t/peer.h"
#include "agents/console/console.h"
#include "base/clock.h"
#include "base/fs.h"
#include "base/mem.h"

#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>
#include <time.h>

#define PATTERNS_MAX 32
#define READ_BYTES   4096
#define FILE_BYTES   ((size_t)256 << 20)
#define END          "the log ends here"

struct load {
	struct buf log, words;
	struct pattern *patterns[PATTERNS_MAX];
	size_t n;
};

static void die(const char *what, const struct err *e)
{
	fprintf(stderr, "tool-console-speed: %s: %s\n", what, e->msg);
	exit(1);
}

static void load(struct load *l, char **argv)
{
	struct err e = {0};
	struct str rest, line;

	l->log = (struct buf)BUF_INIT(FILE_BYTES);
	l->words = (struct buf)BUF_INIT(65536);
	if (fs_read(argv[1], &l->log, &e) || fs_read(argv[2], &l->words, &e))
		die("read", &e);
	for (rest = str_make(l->words.data, l->words.len); str_line(&rest, &line); l->n++) {
		char *text = mem_printf("%.*s", STR_ARG(line));

		if (l->n == PATTERNS_MAX - 1 || !(l->patterns[l->n] = pattern_new(text, &e)))
			die("pattern", &e);
		free(text);
	}
}

static double cpu_s(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static double match(const struct load *l)
{
	struct expect *x = expect_new();
	struct expect_match m;
	double from_s = cpu_s();

	for (size_t i = 0, n; i < l->log.len; i += n) {
		n = l->log.len - i < READ_BYTES ? l->log.len - i : READ_BYTES;
		expect_feed(x, str_make(l->log.data + i, n));
		if (expect_search(x, l->patterns, l->n, &m)) {
			fprintf(stderr, "tool-console-speed: a pattern matched\n");
			exit(1);
		}
	}
	expect_free(x);
	return (double)l->log.len / 1e6 / (cpu_s() - from_s);
}

/* A process that says the whole log and its end on the PTY's own side, then waits. */
static pid_t speaker(const struct load *l, int fd)
{
	pid_t pid = fork();

	if (pid)
		return pid;
	fcntl(fd, F_SETFL, 0);
	if (fs_write_all(fd, l->log.data, l->log.len) || fs_write_all(fd, END, strlen(END)))
		_exit(1);
	for (;;)
		pause();
}

static void stop(pid_t pid)
{
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

static void console(struct load *l, const char *dir)
{
	const struct console_driver *drv =
		(const struct console_driver *)driver_find(console_drivers(), "serial");
	struct console_opts opts = {.dir = dir, .run_start_ms = clock_ms()};
	struct arena a = {0};
	struct node *map = node_new(&a, NODE_MAP, (struct loc){0});
	void *conf = arena_alloc(&a, drv->d.size);
	struct bench b;
	struct console c;
	struct peer peer;
	struct err e = {0};
	double from_s;
	int64_t from_us;
	pid_t pid;

	bench_init(&b);
	peer_open(&peer, &b);
	bench_pump_del(&b, peer.fd);
	node_map_set(&a, map, "port", node_scalar(&a, peer.path, (struct loc){0}));
	if (schema_fill(&a, drv->d.params, "console", map, conf, NULL) ||
		console_open(&c, drv, "speed", conf, &b, &opts, &e))
		die("console", &e);
	l->patterns[l->n] = pattern_new(END, &e);
	pid = speaker(l, peer.fd);
	from_us = clock_us();
	from_s = cpu_s();
	if (console_expect(&c, l->patterns, l->n + 1, 300000, NULL, &e) != (int)l->n)
		die("expect", &e);
	printf("%.1f %.1f ", (double)l->log.len / (double)(clock_us() - from_us),
		(double)l->log.len / 1e6 / (cpu_s() - from_s));
	stop(pid);
	pattern_free(l->patterns[l->n]);
	console_close(&c);
	peer_done(&peer);
	bench_done(&b);
	arena_done(&a);
}

static double bare(const struct load *l)
{
	static char piece[65536];
	struct bench b;
	struct peer peer;
	size_t left = l->log.len + strlen(END);
	int64_t from_us;
	ssize_t n;
	pid_t pid;

	bench_init(&b);
	peer_open(&peer, &b);
	pid = speaker(l, peer.fd);
	fcntl(peer.other_fd, F_SETFL, 0);
	from_us = clock_us();
	while (left && (n = read(peer.other_fd, piece, sizeof piece)) > 0)
		left -= (size_t)n < left ? (size_t)n : left;
	from_us = clock_us() - from_us;
	stop(pid);
	peer_done(&peer);
	bench_done(&b);
	return (double)l->log.len / (double)from_us;
}

int main(int argc, char **argv)
{
	struct load l = {0};

	if (argc != 4) {
		fprintf(stderr, "usage: tool-console-speed LOG PATTERNS DIR\n");
		return 2;
	}
	load(&l, argv);
	printf("%.1f ", match(&l));
	fflush(stdout); /* before a fork */
	console(&l, argv[3]);
	fflush(stdout);
	printf("%.1f\n", bare(&l));
	for (size_t i = 0; i < l.n; i++)
		pattern_free(l.patterns[i]);
	buf_done(&l.log);
	buf_done(&l.words);
	return 0;
}
