/* SPDX-License-Identifier: MIT */
/*
 * Calls of an admin, one after the other on one connection, into a controller with an empty store:
 * "METHOD PATH", then the body from the next line on, up to a line "---". Whatever they are, the
 * connection ends, and nothing is left of it: no call that was not answered, no follower.
 */
#include "api/api.h"

#include "base/fs.h"
#include "base/mem.h"
#include "io/digest.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define GUARD_MS  20000
#define ASK_BYTES ((size_t)4 << 20)
#define TOKEN     "hilab_fuzz"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

static const struct job_tables tables; /* no bench drivers: jobs that name none compile */
static struct server server;
static struct buf ask;
static size_t sent;
static int fd;
static struct loop_watch *out;

static void must(bool good, const char *what)
{
	if (good)
		return;
	fprintf(stderr, "fuzz-call: %s\n", what);
	abort();
}

/* One call. What would start this program again as something else is left out. */
static void add_call(struct str text)
{
	ssize_t nl = str_chr(text, '\n');
	struct str line = nl < 0 ? text : str_make(text.p, (size_t)nl);
	struct str body =
		nl < 0 ? str_make("", 0) : str_make(text.p + nl + 1, text.n - (size_t)nl - 1);

	for (size_t i = 0; i + 7 <= line.n; i++)
		if (!memcmp(line.p + i, "/report", 7))
			return;
	if (memchr(line.p, '\r', line.n))
		return;
	buf_printf(&ask,
		"%.*s HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer " TOKEN
		"\r\nContent-Length: %zu\r\n\r\n",
		STR_ARG(line), body.n);
	buf_add(&ask, body.p, body.n);
}

static void on_event(void *arg, uint32_t events)
{
	char answer[65536];
	ssize_t n;

	(void)arg;
	if (events & EPOLLOUT) {
		n = send(fd, buf_str(&ask) + sent, ask.len - sent, MSG_NOSIGNAL);
		sent += n > 0 ? (size_t)n : 0;
		if (n < 0 || sent == ask.len) {
			shutdown(fd, SHUT_WR);
			loop_fd_set(out, EPOLLIN);
		}
	} else if (read(fd, answer, sizeof answer) <= 0) {
		loop_stop(server.loop);
	}
}

static void on_guard(void *arg)
{
	(void)arg;
	must(false, "the connection does not end");
}

static void add_token(void)
{
	struct store_token t = {.account = "fuzz", .rights = "admin"};
	char hex[DIGEST_HEX_BYTES];
	struct err e = {0};

	digest_sha256(TOKEN, strlen(TOKEN), hex);
	must(!store_turn_begin(server.store, &e) && !store_token_add(server.store, &t, hex, &e) &&
			!store_turn_commit(server.store, &e),
		e.msg);
}

static void begin(const char *dir)
{
	const struct sched_hooks hooks = {.arg = &server,
		.event = events_add,
		.wake = agents_wake,
		.health_job = health_job,
		.compile = health_compile,
		.part_dir = server_part_dir};
	struct http_opts o = {.address = "127.0.0.1", .on_request = call_begin, .arg = &server};
	AUTOFREE char *db = fs_join(dir, "db");
	struct err e = {0};

	server = (struct server){.tables = &tables, .dir = mem_strdup(dir)};
	server.waiting_end = &server.waiting;
	must(!types_load_default(&server.types, NULL) &&
			!schema_fill(&server.conf_arena, server_params, "configuration", NULL,
				&server.conf, NULL),
		"the presets");
	server.loop = loop_new(&e);
	server.store = store_open(db, false, &e);
	must(server.store != NULL, e.msg);
	server.auth = auth_new(server.store);
	server.events = events_new(&server);
	server.sched = sched_new(server.store, &server.types, &hooks, &e);
	must(server.sched != NULL, e.msg);
	add_token();
	server.http = http_server_new(server.loop, &o, &e);
	must(server.http != NULL, e.msg);
	loop_turn(server.loop, server_turn_end, &server);
}

static void talk(void)
{
	struct loop_watch *guard;
	int pair[2];

	must(!socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, pair), "sockets");
	fd = pair[0];
	sent = 0;
	must(!http_server_add(server.http, pair[1], NULL), "a connection");
	out = loop_fd(server.loop, fd, EPOLLIN | EPOLLOUT, on_event, NULL);
	guard = loop_timer(server.loop, GUARD_MS, on_guard, NULL);
	loop_run(server.loop, NULL);
	loop_del(guard);
	loop_del(out);
	close(fd);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	char dir[] = "/tmp/hilab-fuzz.XXXXXX";
	const char *p = (const char *)data, *end = p + n;

	must(mkdtemp(dir) != NULL, "a folder");
	buf_init(&ask, ASK_BYTES);
	while (p < end) {
		const char *cut = memmem(p, (size_t)(end - p), "\n---\n", 5);

		add_call(str_make(p, (size_t)((cut ? cut : end) - p)));
		p = cut ? cut + 5 : end;
	}
	if (ask.len) {
		begin(dir);
		talk();
		server_stop(&server);
	}
	buf_done(&ask);
	must(!server.follows.n, "a follower is left");
	fs_remove_tree(dir, NULL);
	return 0;
}
