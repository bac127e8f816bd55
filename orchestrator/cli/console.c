/* SPDX-License-Identifier: MIT */
/*
 * `hilab console`: a reserved board's console in this terminal. What the board says comes as one
 * endless answer, what is typed goes in calls of its own, one at a time and in order. Invariant:
 * the terminal is as it was when this ends, and a key is sent once or its loss is told.
 */
#include "cli/commands.h"
#include "cli/remote.h"
#include "io/json.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <termios.h>
#include <unistd.h>

#define ESCAPE '\x1d' /* Ctrl-] */

#define TYPED_BYTES ((size_t)64 << 10) /* what waits to be sent */
#define CALL_MS     30000

struct args {
	const char *server, *console;
	int64_t tail;
	bool view, take;
};

static const struct cli_opt opts[] = {
	{"console", 'c', CLI_TEXT, offsetof(struct args, console), "NAME",
		"which console (default main)"},
	{"view", 0, CLI_FLAG, offsetof(struct args, view), NULL,
		"only look; also at a board that runs a job"},
	{"take", 0, CLI_FLAG, offsetof(struct args, take), NULL,
		"be the one who types, though another window of yours was"},
	{"tail", 'n', CLI_COUNT, offsetof(struct args, tail), "BYTES",
		"begin with so much of what was said before (default 4096)"},
	REMOTE_OPT(struct args),
	{0},
};

struct session {
	const struct args *a;
	struct loop *loop;
	struct http_client *http;
	char *board, *console; /* encoded */
	char me[24];
	struct buf typed; /* not sent yet */
	struct buf sending;
	bool busy, taken, escape, ended, eof;
	int status;
	struct loop_watch *in;
	struct termios before;
	bool raw;
};

static void end(struct session *s, int status)
{
	s->ended = true;
	s->status = status;
	loop_stop(s->loop);
}

static void say(struct session *s, const char *text)
{
	(void)s;
	fprintf(stderr, "\r\n[hilab: %s]\r\n", text);
}

/* ---- to the board ---- */

static void send_more(struct session *s);

static void on_sent(void *arg, const struct http_answer *a)
{
	struct session *s = arg;
	struct err e = {0};

	s->busy = false;
	s->taken = true;
	buf_reset(&s->sending);
	if (http_answer_check(a, &e))
		say(s, e.msg);
	send_more(s);
}

/* what: "" or "&break=1". */
static void post(struct session *s, const char *what, struct str body)
{
	AUTOFREE char *path = mem_printf("/api/v1/boards/%s/console?console=%s&client=%s%s%s",
		s->board, s->console, s->me, what, s->a->take && !s->taken ? "&take=1" : "");
	const struct http_ask ask = {.method = "POST",
		.path = path,
		.type = "application/octet-stream",
		.body = body,
		.timeout_ms = CALL_MS};

	s->busy = true;
	http_send(s->http, &ask, on_sent, s);
}

static void send_more(struct session *s)
{
	if (s->busy || !s->typed.len)
		return;
	buf_add(&s->sending, s->typed.data, s->typed.len);
	buf_reset(&s->typed);
	post(s, "", str_make(s->sending.data, s->sending.len));
}

static void on_power(void *arg, const struct http_answer *a)
{
	struct err e = {0};

	say(arg, http_answer_check(a, &e) ? e.msg : "power cycled");
}

static void cycle(struct session *s)
{
	AUTOFREE char *path = mem_printf("/api/v1/boards/%s/power", s->board);
	const struct http_ask ask = {.method = "POST",
		.path = path,
		.body = STR_LIT("{\"action\":\"cycle\"}"),
		.timeout_ms = 2 * CALL_MS};

	http_send(s->http, &ask, on_power, s);
}

/* The key behind the escape key. */
static void escaped(struct session *s, char key)
{
	switch (key) {
	case '.':
	case 'q':
		end(s, EXIT_PASS);
		break;
	case 'b':
		if (!s->busy)
			post(s, "&break=1", (struct str){0});
		break;
	case 'p':
		cycle(s);
		break;
	case ESCAPE:
		buf_putc(&s->typed, ESCAPE);
		break;
	default:
		say(s, "Ctrl-] then: . leave, b break, p power cycle, Ctrl-] itself");
	}
}

static void on_keys(void *arg, uint32_t events)
{
	struct session *s = arg;
	char keys[4096];
	ssize_t n = read(STDIN_FILENO, keys, sizeof keys);

	(void)events;
	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	if (n <= 0) { /* the keyboard is gone, or a file has ended: the rest is to be read */
		loop_del(s->in);
		s->in = NULL;
		s->eof = true;
		if (s->raw)
			end(s, EXIT_PASS);
		return;
	}
	for (ssize_t i = 0; i < n && !s->ended; i++) {
		if (s->escape) {
			s->escape = false;
			escaped(s, keys[i]);
		} else if (keys[i] == ESCAPE && s->raw) {
			s->escape = true;
		} else if (s->a->view) {
			continue;
		} else if (buf_putc(&s->typed, keys[i])) {
			say(s, "the controller does not keep up: keys are lost");
			break;
		}
	}
	send_more(s);
}

/* ---- from the board ---- */

static int on_bytes(void *arg, struct str bytes)
{
	(void)arg;
	while (bytes.n) {
		ssize_t n = write(STDOUT_FILENO, bytes.p, bytes.n);

		if (n < 0 && errno != EINTR && errno != EAGAIN)
			return -1;
		if (n > 0)
			bytes = str_make(bytes.p + n, bytes.n - (size_t)n);
	}
	return 0;
}

static void on_end(void *arg, const struct http_answer *a)
{
	struct session *s = arg;
	struct err e = {0};

	if (http_answer_check(a, &e)) {
		say(s, e.msg);
		end(s, a->status >= 400 && a->status < 500 ? EXIT_USAGE : EXIT_INCOMPLETE);
		return;
	}
	say(s, "the lease, or the job, has ended");
	end(s, EXIT_PASS);
}

static void on_signal(void *arg, int sig)
{
	(void)sig;
	end(arg, EXIT_CANCELED);
}

static int raw(struct session *s)
{
	struct termios t;

	if (!isatty(STDIN_FILENO) || tcgetattr(STDIN_FILENO, &s->before))
		return 0;
	t = s->before;
	cfmakeraw(&t);
	s->raw = !tcsetattr(STDIN_FILENO, TCSADRAIN, &t);
	return s->raw ? 0 : -1;
}

static int work(struct session *s, struct remote *r, struct err *e)
{
	AUTOFREE char *path = mem_printf(
		"/api/v1/boards/%s/console?console=%s&client=%s&tail=%lld%s", s->board, s->console,
		s->me, (long long)(s->a->tail ? s->a->tail : 4096), s->a->view ? "" : "&type=1");
	const struct http_ask ask = {.method = "GET", .path = path, .on_bytes = on_bytes, .arg = s};
	struct http_client_opts o = {
		.base = r->url, .token = r->token, .ca = r->ca, .protocol = REMOTE_PROTOCOL};
	int rc;

	s->loop = loop_new(e);
	s->http = s->loop ? http_client_new(s->loop, &o, e) : NULL;
	if (!s->http)
		return -1;
	raw(s);
	if (s->raw)
		fprintf(stderr, "[hilab: Ctrl-] . leaves, Ctrl-] ? shows more]\r\n");
	loop_signal(s->loop, SIGTERM, on_signal, s);
	loop_signal(s->loop, SIGINT, on_signal, s);
	loop_signal(s->loop, SIGHUP, on_signal, s);
	/* A file cannot be watched: it is read at once. */
	s->in = loop_fd(s->loop, STDIN_FILENO, EPOLLIN, on_keys, s);
	while (!s->in && !s->eof)
		on_keys(s, 0);
	http_send(s->http, &ask, on_end, s);
	rc = loop_run(s->loop, e);
	if (s->raw)
		tcsetattr(STDIN_FILENO, TCSADRAIN, &s->before);
	return rc;
}

static int console(struct remote *r, const struct args *a, const char *board)
{
	struct session s = {.a = a,
		.board = http_encode(board),
		.console = http_encode(a->console ? a->console : "main"),
		.typed = BUF_INIT(TYPED_BYTES),
		.sending = BUF_INIT(TYPED_BYTES)};
	uint64_t random = 0;
	struct err e = {0};

	if (getrandom(&random, sizeof random, 0) < 0)
		random = (uint64_t)getpid();
	snprintf(s.me, sizeof s.me, "%016llx", (unsigned long long)random);
	if (work(&s, r, &e))
		s.status = cli_fail(EXIT_INCOMPLETE, "console: %s", e.msg);
	http_client_free(s.http);
	loop_free(s.loop);
	free(s.board);
	free(s.console);
	buf_done(&s.typed);
	buf_done(&s.sending);
	return s.status;
}

static int run(int argc, char **argv)
{
	struct args a = {0};
	struct remote r;
	char **operands;
	int status;

	if (cli_parse(&console_cli_command, argc, argv, &a, &operands, &status) < 0)
		return status;
	if (remote_open(&r, a.server, "console"))
		return EXIT_USAGE;
	status = console(&r, &a, operands[0]);
	remote_done(&r);
	return status;
}

const struct cli_command console_cli_command = {
	.name = "console",
	.brief = "a reserved board's console in this terminal",
	.usage = "BOARD",
	.details = "The board must be reserved by you ('hilab reserve'); with --view anybody may "
		   "look\n"
		   "on. Ctrl-] is the escape key: '.' leaves, 'b' sends a break, 'p' cycles the\n"
		   "power, Ctrl-] is sent as itself. It ends with the lease.",
	.example = "  hilab console am62a-1\n  hilab console am62a-1 --view --console mcu",
	.opts = opts,
	.min_operands = 1,
	.max_operands = 1,
	.run = run,
};
