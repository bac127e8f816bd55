/* SPDX-License-Identifier: MIT */
/*
 * A controller for tests of the agent: no scheduler and no store, all it does stands in its folder.
 *
 *	tool-controller DIR [PORT]
 *
 * DIR/port is written when it listens. DIR/commands: one command as JSON a line, given out in that
 * order as it grows. DIR/held/RUN-PART/...: what was shipped; it stays over a restart. DIR/chunks:
 * one line for each chunk, with what was done about it. DIR/hello: the last one. DIR/blobs/SHA256.
 * DIR/gone/RUN-PART: an answer for that run. Whoever comes without the token "secret" is refused.
 */
#include "base/fs.h"
#include "base/mem.h"
#include "base/vec.h"
#include "io/chunks.h"
#include "io/http.h"
#include "io/json.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <unistd.h>

#define COMMANDS_BYTES ((size_t)64 << 20)
#define POLL_S         60

static struct {
	const char *dir;
	struct loop *loop;
	struct http_server *server;
	struct http_request *held; /* the poll */
	int64_t held_ack;
	int notify_fd;
	bool greeted;
} c;

static char *in(const char *name)
{
	return fs_join(c.dir, name);
}

static void reply(struct http_request *r, unsigned status, const char *code)
{
	http_reply_json(
		r, status, json_pack("{s:{s:s, s:s}}", "error", "code", code, "message", code));
}

static void note(const char *file, const char *text)
{
	AUTOFREE char *path = in(file);
	AUTOCLOSE int fd = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);

	if (fd < 0 || fs_write_all(fd, text, strlen(text)))
		fprintf(stderr, "tool-controller: cannot write '%s'\n", path);
}

/* ---- commands ---- */

static json_t *commands_after(int64_t ack)
{
	AUTOFREE char *path = in("commands");
	AUTOBUF text = BUF_INIT(COMMANDS_BYTES);
	json_t *list = json_array();
	struct str rest, line;
	int64_t seq = 0;

	fs_read(path, &text, NULL);
	rest = str_make(buf_str(&text), text.len);
	while (rest.n && memchr(rest.p, '\n', rest.n) && str_line(&rest, &line)) {
		json_t *command;

		if (++seq <= ack)
			continue;
		command = json_loadb(line.p, line.n, 0, NULL);
		json_object_set_new(command, "seq", json_integer(seq));
		json_array_append_new(list, command);
	}
	return list;
}

/* Gives the held poll what there is; empty: only if that is its end. */
static void hand_out(bool end)
{
	json_t *list;

	if (!c.held)
		return;
	list = commands_after(c.held_ack);
	if (!end && !json_array_size(list)) {
		json_decref(list);
		return;
	}
	http_reply_json(c.held, 200, json_pack("{s:o}", "commands", list));
	c.held = NULL;
}

static void on_grown(void *arg, uint32_t events)
{
	char dropped[4096];

	(void)arg, (void)events;
	while (read(c.notify_fd, dropped, sizeof dropped) > 0)
		;
	hand_out(false);
}

static void held_gone(void *request)
{
	if (c.held == request)
		c.held = NULL;
}

static void on_poll(void *arg, struct http_request *r, struct str body)
{
	AUTOJSON *j = json_loadb(body.p, body.n, 0, NULL);

	(void)arg;
	if (!c.greeted) {
		reply(r, 409, "hello");
		return;
	}
	hand_out(true);
	c.held = r;
	c.held_ack = json_int(j, "ack", 0);
	http_set_user(r, r, held_gone);
	hand_out(false);
}

static void on_hello(void *arg, struct http_request *r, struct str body)
{
	AUTOFREE char *path = in("hello");

	(void)arg;
	fs_write(path, body.p, body.n, 0644, NULL);
	note("hellos", "hello\n");
	c.greeted = true;
	http_reply_json(r, 200,
		json_pack("{s:i, s:i, s:i, s:[], s:[]}", "protocol", 1, "poll_s", POLL_S,
			"grace_ms", 60000, "refused", "forget"));
}

/* ---- sync ---- */

static int64_t take(const struct chunk *ch)
{
	AUTOFREE char *name =
		mem_printf("%s/held/%lld-%u/%s", c.dir, (long long)ch->run, ch->part, ch->file);
	AUTOFREE char *folder = fs_dirname(name);
	AUTOCLOSE int fd = -1;
	char line[512];
	struct stat st = {0};
	bool fits;

	fs_mkdirs(folder, 0755, NULL);
	fd = open(name, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
	fstat(fd, &st);
	fits = (uint64_t)st.st_size == ch->offset;
	if (fits && ch->bytes.n && fs_write_all(fd, ch->bytes.p, ch->bytes.n))
		fits = false;
	snprintf(line, sizeof line, "%lld-%u %s %llu %zu %s\n", (long long)ch->run, ch->part,
		ch->file, (unsigned long long)ch->offset, ch->bytes.n,
		!ch->bytes.n ? "asked"
		: fits       ? "taken"
			     : "refused");
	note("chunks", line);
	fstat(fd, &st);
	return st.st_size;
}

static void on_sync(void *arg, struct http_request *r, struct str body)
{
	json_t *have = json_array();
	struct chunk ch;
	struct err e = {0};
	int rc;

	(void)arg;
	if (!c.greeted) {
		json_decref(have);
		reply(r, 409, "hello");
		return;
	}
	while ((rc = chunk_parse(&body, &ch, &e)) > 0) {
		AUTOFREE char *gone =
			mem_printf("%s/gone/%lld-%u", c.dir, (long long)ch.run, ch.part);
		bool is_gone = fs_exists(gone);

		json_array_append_new(
			have, json_pack("{s:I, s:i, s:s, s:I, s:b}", "run", (json_int_t)ch.run,
				      "part", (int)ch.part, "file", ch.file, "bytes",
				      (json_int_t)(is_gone ? 0 : take(&ch)), "gone", is_gone));
	}
	if (rc < 0)
		note("chunks", e.msg);
	http_reply_json(r, rc < 0 ? 400 : 200, json_pack("{s:o}", "have", have));
}

/* ---- requests ---- */

static void give_blob(struct http_request *r, const char *digest)
{
	AUTOFREE char *blobs = in("blobs");
	AUTOFREE char *path = fs_join(blobs, digest);
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct stat st;

	if (fd < 0 || fstat(fd, &st))
		reply(r, 404, "not-found");
	else
		http_reply_file(
			r, 200, "application/octet-stream", fd, 0, (uint64_t)st.st_size, NULL, 0);
}

static void on_request(void *arg, struct http_request *r)
{
	static const char blobs[] = "/api/v1/blobs/";
	const char *path = http_path(r), *who = http_header(r, "Authorization");

	(void)arg;
	if (!who || strcmp(who, "Bearer secret"))
		reply(r, 401, "denied");
	else if (!strncmp(path, blobs, sizeof blobs - 1))
		give_blob(r, path + sizeof blobs - 1);
	else if (!strcmp(path, "/api/v1/agent/hello"))
		http_body(r, HTTP_BODY_BYTES, on_hello, NULL);
	else if (!strcmp(path, "/api/v1/agent/poll"))
		http_body(r, HTTP_BODY_BYTES, on_poll, NULL);
	else if (!strcmp(path, "/api/v1/agent/sync"))
		http_body(r, HTTP_BODY_BYTES, on_sync, NULL);
	else
		reply(r, 404, "not-found");
}

static void on_signal(void *arg, int sig)
{
	(void)arg, (void)sig;
	loop_stop(c.loop);
}

int main(int argc, char **argv)
{
	struct http_opts o = {.address = "127.0.0.1", .on_request = on_request};
	AUTOFREE char *port = NULL, *commands = NULL;
	struct err e = {0};
	char text[32];

	if (argc < 2)
		return fprintf(stderr, "tool-controller DIR [PORT]\n"), 2;
	c.dir = argv[1];
	o.port = argc > 2 ? (unsigned)atoi(argv[2]) : 0;
	port = in("port");
	commands = in("commands");
	note("commands", "");
	c.loop = loop_new(&e);
	c.server = c.loop ? http_server_new(c.loop, &o, &e) : NULL;
	c.notify_fd = inotify_init1(IN_CLOEXEC | IN_NONBLOCK);
	if (!c.server || inotify_add_watch(c.notify_fd, commands, IN_MODIFY) < 0)
		return fprintf(stderr, "tool-controller: %s\n", e.msg), 3;
	loop_fd(c.loop, c.notify_fd, EPOLLIN, on_grown, NULL);
	loop_signal(c.loop, SIGTERM, on_signal, NULL);
	snprintf(text, sizeof text, "%u\n", http_server_port(c.server));
	fs_write(port, text, strlen(text), 0644, NULL);
	loop_run(c.loop, &e);
	http_server_free(c.server);
	loop_free(c.loop);
	return 0;
}
