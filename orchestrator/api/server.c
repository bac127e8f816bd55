/* SPDX-License-Identifier: MIT */
/*
 * Starts the controller and runs its loop. Invariant: at the end of every turn what calls changed
 * is committed, and only then anything of it is told to anybody.
 */
#include "api/alert.h"
#include "api/output.h"

#include "base/clock.h"
#include "base/fs.h"
#include "base/log.h"
#include "base/mem.h"
#include "io/json.h"
#include "io/yaml.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#define ENDPOINT_BYTES 4096
#define SYNC_EACH_MAX  8     /* folders of a turn that are synced one by one */
#define USED_SAVE_MS   60000 /* how often the use of tokens is kept */

int server_turn(struct call *c)
{
	struct err e = {0};

	if (!store_turn_begin(c->server->store, &e))
		return 0;
	call_err(c, &e);
	return -1;
}

char *server_part_dir(void *server, int64_t run, const char *role)
{
	const struct server *s = server;

	if (role && *role)
		return mem_printf("%s/runs/%lld/%s", s->dir, (long long)run, role);
	return mem_printf("%s/runs/%lld", s->dir, (long long)run);
}

/* ---- the turn's end ---- */

/*
 * What ended runs left is on the disk before the store says that they ended. Syncing the whole disk
 * costs less than many folders, but waits for whatever else is being written there, such as builds
 * that are uploaded.
 */
static void sync_folders(struct server *s)
{
	AUTOFREE char *runs = s->synced.n ? fs_join(s->dir, "runs") : NULL;
	AUTOCLOSE int fd = runs ? open(runs, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
	bool all = s->synced.n > SYNC_EACH_MAX;

	vec_each (&s->synced, path) {
		AUTOFREE char *parent = fs_dirname(*path);

		all = all || fs_sync_tree(*path) || (strcmp(parent, runs) && fs_sync_tree(parent));
		free(*path);
	}
	if (fd >= 0 && (all ? syncfs(fd) : fsync(fd)))
		log_warn("'%s' cannot be synced: %s", runs, strerror(errno));
	s->synced.n = 0;
}

/* Commits what the turn changed, or makes it as if nothing had been. */
static bool commit(struct server *s)
{
	struct err e = {0};

	sync_folders(s);
	if (s->spoiled)
		store_turn_undo(s->store);
	else if (!store_turn_commit(s->store, &e))
		return true;
	else
		log_error("%s", e.msg);
	s->spoiled = false;
	err_clear(&e);
	if (sched_reload(s->sched, &e)) {
		log_error("cannot go on: %s", e.msg);
		s->exit_status = 3;
		loop_stop(s->loop);
	}
	return false;
}

void server_turn_end(void *arg)
{
	struct server *s = arg;
	bool committed;

	s->spoiled |= sched_damaged(s->sched);
	committed = (!store_turn_open(s->store) && !s->spoiled) || commit(s);

	events_commit(s, committed);
	follows_commit(s);
	calls_send(s, committed);
	agents_commit(s);
	server_arm(s);
}

static void on_tick(void *arg)
{
	struct server *s = arg;
	struct err e = {0};

	s->tick = NULL;
	if (store_turn_begin(s->store, &e) || sched_tick(s->sched, &e) ||
		auth_save_used(s->auth, &e)) {
		log_error("%s", e.msg);
		s->spoiled = true;
	}
}

void server_arm(struct server *s)
{
	int64_t due_ms = sched_next_ms(s->sched), now_ms = clock_ms();

	if (due_ms < 0 || due_ms > now_ms + USED_SAVE_MS)
		due_ms = now_ms + USED_SAVE_MS;
	if (s->tick && due_ms >= s->tick_ms)
		return;
	loop_del(s->tick);
	s->tick_ms = due_ms;
	s->tick = loop_timer(s->loop, due_ms > now_ms ? due_ms - now_ms : 0, on_tick, s);
}

/* ---- starting ---- */

static int configure(struct server *s, const struct server_opts *o, struct diag *diag)
{
	AUTOFREE char *folder = fs_config_dir();
	AUTOFREE char *preset = fs_join(folder, "server.yaml");
	const char *path = o->config ? o->config : fs_exists(preset) ? preset : NULL;
	const struct node *doc = NULL;

	if (path) {
		doc = yaml_load(&s->conf_arena, path, diag);
		if (!doc)
			return -1;
	}
	if (schema_fill(&s->conf_arena, server_params, "server configuration", doc, &s->conf, diag))
		return -1;
	node_each (s->conf.health, type) {
		struct server_health h = {0};

		if (strcmp(type->key, "default") && !type_find(&s->types, type->key))
			diag_add(diag, type->key_at, "there is no board type '%s'", type->key);
		schema_fill(&s->conf_arena, server_health_params, "health check", type, &h, diag);
	}
	if (!s->conf.cert != !s->conf.key)
		diag_add(diag, doc ? doc->at : (struct loc){0}, "cert and key are needed together");
	if (o->listen)
		s->conf.listen = o->listen;
	return diag->total ? -1 : 0;
}

/* "127.0.0.1:8420", "[::1]:8420", ":8420" */
static int split_listen(const char *listen, char *address, size_t n, unsigned *port, struct err *e)
{
	const char *colon = strrchr(listen, ':');
	struct str host = {listen, colon ? (size_t)(colon - listen) : 0};
	int64_t number;

	if (!colon || str_i64(str_of(colon + 1), &number) || number < 0 || number > 65535)
		return err_set(e, BLAME_CONFIG, "listen: '%s' is not ADDRESS:PORT", listen);
	if (host.n > 1 && host.p[0] == '[' && host.p[host.n - 1] == ']')
		host = str_make(host.p + 1, host.n - 2);
	snprintf(address, n, "%.*s", STR_ARG(host));
	if (!*address)
		snprintf(address, n, "::");
	if (!strcmp(address, "localhost"))
		snprintf(address, n, "127.0.0.1");
	*port = (unsigned)number;
	return 0;
}

static bool is_loopback(const char *address)
{
	struct in_addr four;

	/* A name that only looks like it may be of anything. */
	return !strcmp(address, "::1") ||
	       (inet_pton(AF_INET, address, &four) == 1 && ntohl(four.s_addr) >> 24 == 127);
}

/* One server a folder: the lock is held while this process lives. */
static int lock_dir(struct server *s, struct err *e)
{
	AUTOFREE char *path = fs_join(s->dir, "lock");
	AUTOFREE char *runs = fs_join(s->dir, "runs");
	int fd;

	if (fs_mkdirs(runs, 0700, e))
		return -1;
	fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	if (fd < 0)
		return err_sys(e, BLAME_INFRA, errno, "'%s'", path);
	if (flock(fd, LOCK_EX | LOCK_NB))
		return err_set(e, BLAME_INFRA, "another server runs on '%s'", s->dir);
	return 0; /* fd is kept */
}

static char *endpoint_path(const struct server *s)
{
	return fs_join(s->dir, "endpoint.json");
}

/* Where the same user's commands find this server. */
static int save_endpoint(struct server *s, const char *url, struct err *e)
{
	AUTOFREE char *path = endpoint_path(s);
	AUTOJSON *old = fs_exists(path) ? json_read(path, NULL) : NULL;
	AUTOJSON *j = NULL;
	char token[TOKEN_BYTES];

	if (auth_local(s->auth, json_text(old, "token", NULL), token, e))
		return -1;
	j = json_pack("{s:s, s:s, s:i}", "url", url, "token", token, "pid", (int)getpid());
	if (s->conf.cert) {
		AUTOFREE char *cert = fs_absolute(s->conf.cert);

		json_object_set_new(j, "ca", json_string(cert)); /* it is this one and no other */
	}
	return json_save(path, j, 0600, e);
}

static void on_signal(void *arg, int sig)
{
	struct server *s = arg;

	log_info("%s: ending", strsignal(sig));
	loop_stop(s->loop);
}

static int open_store(struct server *s, const struct server_opts *o, struct err *e)
{
	const struct sched_hooks hooks = {.arg = s,
		.event = events_add,
		.bare = true,
		.wake = agents_wake,
		.health_job = health_job,
		.compile = health_compile,
		.part_dir = server_part_dir,
		.grace_ms = s->conf.grace_ms};
	AUTOFREE char *state = fs_state_dir();

	if (o->dir)
		s->dir = fs_absolute(o->dir);
	else
		s->dir = s->conf.dir ? fs_absolute(s->conf.dir) : fs_join(state, "server");
	if (lock_dir(s, e))
		return -1;
	s->store = store_open(s->conf.store, false, e);
	if (!s->store)
		return -1;
	s->auth = auth_new(s->store);
	s->events = events_new(s);
	s->sched = sched_new(s->store, &s->types, &hooks, e);
	if (!s->sched)
		return -1;
	s->alerts = alerts_new(s, e);
	return s->alerts ? 0 : -1;
}

static int listen_on(struct server *s, char *url, size_t n, struct err *e)
{
	char address[256];
	struct http_opts h = {.address = address,
		.cert = s->conf.cert,
		.key = s->conf.key,
		.connections_max = (unsigned)s->conf.connections,
		.per_address_max = (unsigned)s->conf.per_address,
		.on_request = call_begin,
		.arg = s};
	const char *shown = address;

	if (split_listen(s->conf.listen, address, sizeof address, &h.port, e))
		return -1;
	if (!s->conf.cert && !s->conf.plain && !is_loopback(address))
		return err_set(e, BLAME_CONFIG,
			"listen: plain HTTP on '%s' would show tokens to the network: give cert "
			"and "
			"key, or say 'plain: yes'",
			address);
	s->http = http_server_new(s->loop, &h, e);
	if (!s->http)
		return -1;
	if (!strcmp(address, "::") || !strcmp(address, "0.0.0.0"))
		shown = "127.0.0.1";
	snprintf(url, n, strchr(shown, ':') ? "%s://[%s]:%u" : "%s://%s:%u",
		s->conf.cert ? "https" : "http", shown, http_server_port(s->http));
	return 0;
}

static int start(struct server *s, const struct server_opts *o, struct err *e)
{
	char url[320];
	int r;

	s->loop = loop_new(e);
	if (!s->loop || open_store(s, o, e) || listen_on(s, url, sizeof url, e))
		return -1;
	if (store_turn_begin(s->store, e) || save_endpoint(s, url, e) ||
		store_turn_commit(s->store, e))
		return -1;
	loop_signal(s->loop, SIGTERM, on_signal, s);
	loop_signal(s->loop, SIGINT, on_signal, s);
	loop_turn(s->loop, server_turn_end, s);
	nights_begin(s);
	alerts_nights(s);
	server_arm(s);
	log_info("serving %s, store '%s', folder '%s'", url, store_path(s->store), s->dir);
	if (o->ready_fd >= 0) {
		r = dprintf(o->ready_fd, "ready %s\n", url);
		close(o->ready_fd);
		if (r < 0)
			log_warn("nobody reads that the server is ready");
	}
	return loop_run(s->loop, e);
}

void server_stop(struct server *s)
{
	s->stopping = true;
	http_server_free(s->http);
	follows_free(s);
	agents_free(s);
	power_waits_free(s);
	map_each (&s->writers, en)
		free(en->value);
	map_done(&s->writers);
	outputs_free(s);
	events_free(s->events);
	alerts_free(s->alerts);
	sched_free(s->sched);
	auth_free(s->auth);
	store_close(s->store);
	loop_free(s->loop);
	sync_folders(s);
	vec_done(&s->synced);
	map_done(&s->waking);
	types_done(&s->types);
	arena_done(&s->conf_arena);
	free(s->dir);
}

int server_main(const struct server_opts *o)
{
	struct server s = {.tables = o->tables};
	struct diag diag = {0};
	struct err e = {0};

	s.waiting_end = &s.waiting;
	if (types_load_default(&s.types, &diag) || configure(&s, o, &diag)) {
		AUTOBUF out = BUF_INIT(BUF_CAP_BYTES);

		diag_print(&diag, &out);
		fputs(buf_str(&out), stderr);
		s.exit_status = 2;
	} else if (start(&s, o, &e)) {
		log_error("%s", e.msg);
		s.exit_status = e.blame == BLAME_CONFIG ? 2 : 3;
	}
	diag_done(&diag);
	server_stop(&s);
	return s.exit_status;
}
