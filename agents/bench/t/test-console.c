/* SPDX-License-Identifier: MIT */
/* Consoles and typing, against a peer that is a pump of the same bench. */
#include "agents/bench/t/peer.h"
#include "agents/console/console.h"
#include "base/clock.h"
#include "base/fs.h"
#include "base/mem.h"
#include "base/t/tap.h"

#include <stdlib.h>
#include <sys/stat.h>

#define KL     "[   12.345678] usb 1-1: new high-speed USB device\r\n"
#define PROMPT "root@am62a:~# "

static char dir[] = "/tmp/hilab-console-XXXXXX";
static struct err e;

struct bed {
	struct bench b;
	struct peer peer;
	struct console c;
	void *conf;
	struct arena arena;
	char *link;
};

static const struct console_driver *driver(void)
{
	return (const struct console_driver *)driver_find(console_drivers(), "serial");
}

static void *settings(struct arena *a, const char *port)
{
	const struct console_driver *d = driver();
	void *conf = arena_alloc(a, d->d.size);
	struct node *map = node_new(a, NODE_MAP, (struct loc){0});
	struct diag diag = {0};

	node_map_set(a, map, "port", node_scalar(a, port, (struct loc){0}));
	if (schema_fill(a, d->d.params, "console", map, conf, &diag))
		printf("Bail out! settings\n");
	diag_done(&diag);
	return conf;
}

/* Unplugged. The link goes first: the number of a closed PTY is soon another test's. */
static void unplug(struct bed *t)
{
	unlink(t->link);
	peer_close(&t->peer);
}

/* The port is named by a link, as a stable id is. */
static void point(struct bed *t)
{
	unlink(t->link);
	if (symlink(t->peer.path, t->link))
		perror("symlink");
}

static int setup(struct bed *t, const char *name, const struct console_opts *opts)
{
	*t = (struct bed){0};
	bench_init(&t->b);
	bench_push(&t->b, "the test", 60000);
	t->link = fs_join(dir, "port");
	peer_open(&t->peer, &t->b);
	point(t);
	t->conf = settings(&t->arena, t->link);
	err_clear(&e);
	return console_open(&t->c, driver(), name, t->conf, &t->b, opts, &e);
}

static void teardown(struct bed *t)
{
	console_close(&t->c);
	peer_done(&t->peer);
	bench_done(&t->b);
	arena_done(&t->arena);
	free(t->link);
}

static struct pattern *pat(const char *text)
{
	return pattern_new(text, NULL);
}

static void read_log(const char *name, struct buf *out)
{
	AUTOFREE char *path = fs_join(dir, name);

	fs_read(path, out, NULL);
}

static void count(void *arg, struct str raw, uint64_t offset, int64_t at_ms)
{
	uint64_t *n = arg;

	if (offset == *n && at_ms >= 0)
		*n += raw.n;
}

static void test_basics(void)
{
	struct console_opts opts = {.dir = dir, .run_start_ms = clock_ms()};
	AUTOBUF log = BUF_INIT(1 << 20);
	AUTOBUF idx = BUF_INIT(1 << 20);
	struct pattern *p[2] = {pat("login: "), pat("never")};
	struct expect_match m;
	struct bed t;
	struct console zero = {0};
	uint64_t tapped = 0;
	long long at, ms;

	console_close(&zero);
	ok(true, "closing a zeroed console does nothing");
	if (!ok(!setup(&t, "basics", &opts), "open"))
		printf("# %s\n", e.msg);
	console_tap(&t.c, count, &tapped);
	peer_puts(&t.peer, "\x1b[1mam62a\x1b[0m login: ");
	is_int(console_expect(&t.c, p, 2, 5000, &m, &e), 0, "expect");
	is_int(m.raw_start, 14, "raw offset, escapes counted");
	is_int(console_expect(&t.c, p, 2, 20, &m, &e), CONSOLE_TIMEOUT, "timeout");
	is_int(e.blame, BLAME_TIMEOUT, "blame timeout");
	has_str(e.msg, "waiting for 'login: ' or 'never'", "says for what");
	bench_push(&t.b, "step 'boot'", 20);
	peer_puts(&t.peer, "tail\r\n");
	is_int(console_expect(&t.c, p, 2, INT64_MAX, NULL, &e), -1, "a deadline ends it");
	has_str(e.msg, "last seen 'tail\\x0a': step 'boot': not done in 20 ms", "its text");
	bench_pop(&t.b);
	is_int(console_send(&t.c, STR_LIT("root\r"), &e), 0, "send");
	is_int(console_quiet(&t.c, 20, 1000, &e), 1, "quiet");
	is_str(buf_str(&t.peer.all), "root\r", "the peer got it");
	is_int(console_break(&t.c, &e), -1, "a PTY has no break");
	is_int(e.blame, BLAME_CONFIG, "blame config");
	is_int(tapped, t.c.received_bytes, "the tap saw every byte in order");
	peer_puts(&t.peer, "bye");
	teardown(&t);
	read_log("console-basics.log", &log);
	is_str(buf_str(&log), "\x1b[1mam62a\x1b[0m login: tail\r\nbye",
		"the log is raw, and has what came last");
	read_log("console-basics.idx", &idx);
	ok(sscanf(buf_str(&idx), "%lld %lld\n", &at, &ms) == 2 && at == 0 && ms >= 0,
		"the index starts at 0");
	ok(strstr(buf_str(&idx), "\n21 "), "and has the offset of the second read");
	pattern_free(p[0]);
	pattern_free(p[1]);
}

static void test_log_limits(void)
{
	struct console_opts opts = {.dir = dir, .log_cap_bytes = 1000};
	AUTOBUF log = BUF_INIT(1 << 20);
	struct pattern *p = pat("never");
	struct bed t;
	char big[1500];

	memset(big, 'x', sizeof big);
	ok(!setup(&t, "cap", &opts), "open");
	peer_send(&t.peer, big, sizeof big);
	is_int(console_expect(&t.c, &p, 1, 5000, NULL, &e), -1, "past the cap");
	has_str(e.msg, "the log reached its cap", "says so");
	is_int(console_expect(&t.c, &p, 1, 5000, NULL, &e), -1, "and again when asked again");
	is_int(console_send(&t.c, STR_LIT("x"), &e), -1, "nothing is sent either");
	bench_release_begin(&t.b);
	peer_send(&t.peer, big, sizeof big);
	is_int(bench_pause(&t.b, 20, &e), 0, "but other waits (release) go on");
	teardown(&t);
	read_log("console-cap.log", &log);
	is_int(log.len, 1000, "the log is filled to the cap");

	ok(!setup(&t, "full", &opts), "open");
	dup2(open("/dev/full", O_WRONLY | O_CLOEXEC), t.c.log_fd);
	peer_puts(&t.peer, "x");
	is_int(bench_pause(&t.b, 5000, &e), -1, "a full disk ends whatever waits");
	is_int(e.blame, BLAME_INFRA, "blame infra");
	has_str(e.msg, "console 'full': write the log: No space left", "its text");
	teardown(&t);
	pattern_free(p);
}

static void test_reopen(void)
{
	struct console_opts opts = {.dir = dir, .reopen_ms = 300};
	struct pattern *p = pat("back");
	struct bed t;

	ok(!setup(&t, "reopen", &opts), "open");
	unplug(&t);
	is_int(bench_pause(&t.b, 50, &e), 0, "a dead line is no error yet");
	ok(t.c.dead_since_ms, "but known");
	peer_open(&t.peer, &t.b);
	point(&t);
	peer_puts(&t.peer, "I am back");
	is_int(console_expect(&t.c, &p, 1, 10000, NULL, &e), 0,
		"found again by its link, and nothing dropped");
	is_int(t.c.reopens, 1, "counted");
	unplug(&t);
	is_int(console_send(&t.c, STR_LIT("x"), &e), -1, "a line that stays away");
	is_int(e.blame, BLAME_INFRA, "blame infra");
	has_str(e.msg, "the line went away and is not back after", "its text");
	is_int(console_expect(&t.c, &p, 1, 10000, NULL, &e), -1, "and so ever after");
	is_int(bench_pause(&t.b, 0, &e), 0, "other waits go on");
	teardown(&t);
	pattern_free(p);
}

static void test_open_errors(void)
{
	struct console_opts opts = {0};
	int n = 0;
	struct console second;
	struct bed t;

	ok(!setup(&t, "errors", &opts), "open");
	is_int(console_open(&second, driver(), "second", t.conf, &t.b, &opts, &e), -1,
		"a second opener");
	has_str(e.msg, "is in use", "is told so");
	is_int(e.sys, EBUSY, "and can know it");
	console_close(&second);
	console_close(&t.c);
	for (; t.b.n_pumps < BENCH_PUMPS; n++)
		bench_pump_add(&t.b, 1000 + n, NULL, NULL);
	is_int(console_open(&second, driver(), "second", t.conf, &t.b, &opts, &e), -1,
		"more consoles than the bench serves");
	is_int(e.blame, BLAME_CONFIG, "are an error");
	teardown(&t);
	unlink(t.link);
	ok(true, "closed twice");
}

static void test_slow_reader(void)
{
	struct console_opts opts = {0};
	static char big[200000];
	struct bed t;

	memset(big, 'y', sizeof big);
	ok(!setup(&t, "slow", &opts), "open");
	/* More than a PTY holds: goes out only as the peer reads, in the same wait. */
	is_int(console_send(&t.c, str_make(big, sizeof big), &e), 0, "send 200 kB");
	is_int(bench_wait_pump(&t.b, 1000, &e) < 0, 0, "wait");
	while (t.peer.all.len < sizeof big && bench_wait_pump(&t.b, 5000, &e) == 1)
		;
	is_int(t.peer.all.len, sizeof big, "all of it arrived");
	is_int(t.c.sent_bytes, sizeof big, "and is counted");
	bench_pump_del(&t.b, t.peer.fd);
	bench_push(&t.b, "step", 50);
	is_int(console_send(&t.c, str_make(big, sizeof big), &e), -1,
		"a peer that does not read: the deadline ends it");
	is_int(e.blame, BLAME_TIMEOUT, "blame timeout");
	teardown(&t);
}

/* ---- typing ---- */

/* A board's line editor: echoes, knows ^U, ^C and Enter, and does what `how` says meanwhile. */
struct editor {
	int lose;         /* this character of all received is lost; 0: none */
	int lose_each;    /* each so many-th is; 0: none */
	size_t kernel_at; /* characters on the line after which a kernel line comes */
	size_t width;     /* terminal; 0: no wrap */
	const char *wrap; /* what is sent there; "c\b": the next character and a backspace */
	bool kernel, mute;
	int received, enters;
	char line[512], entered[512];
	size_t n;
};

static void editor_key(struct peer *p, struct editor *d, char c)
{
	d->received++;
	if (d->received == d->lose || (d->lose_each && d->received % d->lose_each == 0))
		return;
	if (c == '\003') {
		d->n = 0;
		peer_puts(p, "^C\r\n" PROMPT);
	} else if (c == '\025') {
		for (; d->n; d->n--)
			peer_puts(p, "\b \b");
	} else if (c == '\r') {
		snprintf(d->entered, sizeof d->entered, "%.*s", (int)d->n, d->line);
		d->enters++;
		d->n = 0;
		peer_puts(p, "\r\n");
	} else if (d->n < sizeof d->line) {
		d->line[d->n++] = c;
		if (!d->mute)
			peer_send(p, &c, 1);
		if (d->kernel && d->n == d->kernel_at)
			peer_puts(p, KL);
		if (d->width && d->n % d->width == 0)
			peer_puts(p, d->wrap);
	}
}

static void editor_input(struct peer *p, const char *data, size_t n)
{
	for (size_t i = 0; i < n; i++)
		editor_key(p, p->arg, data[i]);
}

static int type_with(struct editor *d, const char *text)
{
	struct console_opts opts = {0};
	struct bed t;
	int rc;

	if (setup(&t, "type", &opts)) {
		printf("# %s\n", e.msg);
		return -2;
	}
	t.peer.input = editor_input;
	t.peer.arg = d;
	peer_puts(&t.peer, PROMPT);
	rc = console_type(&t.c, text, true, &e);
	/* Enter is on its way. */
	while (!rc && !d->enters && bench_wait_pump(&t.b, 2000, &e) == 1)
		;
	teardown(&t);
	return rc;
}

static void test_type(void)
{
	static const char text[] = "echo one two three; cat /proc/sys/kernel/printk";
	static const char *const wraps[] = {"\r\n", "\r", " \r", " \b", "\x1b[K\r\n"};
	struct editor d = {0};
	int bad = 0;

	is_int(type_with(&d, text), 0, "a plain line");
	is_str(d.entered, text, "arrived");
	for (size_t at = 1; at <= sizeof text - 1; at += 5) {
		d = (struct editor){.kernel = true, .kernel_at = at};
		bad += type_with(&d, text) || strcmp(d.entered, text) || d.enters != 1 ||
		       d.received != (int)sizeof text;
	}
	is_int(bad, 0, "a kernel line in the echo: typed once, entered once");
	for (size_t i = 0; i < ARRAY_LEN(wraps); i++) {
		d = (struct editor){.width = 20, .wrap = wraps[i]};
		bad += type_with(&d, text) || strcmp(d.entered, text) ||
		       d.received != (int)sizeof text;
	}
	is_int(bad, 0, "wrapped by line editors of several kinds");
	d = (struct editor){.lose = 7};
	is_int(type_with(&d, text), 0, "a character lost");
	is_str(d.entered, text, "typed again, entered whole");
	is_int(d.enters, 1, "and nothing else was entered");
	d = (struct editor){.lose_each = 11};
	is_int(type_with(&d, text), -1, "characters lost all the time");
	is_int(d.enters, 0, "nothing was entered");
	is_int(e.blame, BLAME_INFRA, "blame infra");
	has_str(e.msg, "wanted 'echo one", "shows what was wanted");
	has_str(e.msg, "got 'e", "and what came");
	d = (struct editor){.mute = true};
	is_int(type_with(&d, "ls"), -1, "no echo at all");
	is_int(d.enters, 0, "nothing was entered");
	has_str(e.msg, "got ''", "says that nothing came");
}

static void test_type_silent(void)
{
	struct console_opts opts = {0};
	struct bed t;

	ok(!setup(&t, "silent", &opts), "open");
	is_int(console_type(&t.c, "secret", false, &e), 0, "a line that is not echoed");
	bench_wait_pump(&t.b, 1000, &e);
	is_str(buf_str(&t.peer.all), "secret\r", "is sent as it is");
	teardown(&t);
}

int main(void)
{
	if (!mkdtemp(dir))
		return 1;
	test_basics();
	test_log_limits();
	test_reopen();
	test_open_errors();
	test_slow_reader();
	test_type();
	test_type_silent();
	fs_remove_tree(dir, NULL);
	return tap_done();
}
