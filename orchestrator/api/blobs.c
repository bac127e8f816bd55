/* SPDX-License-Identifier: MIT */
/*
 * Uploads: each account's go to uploads/ACCOUNT/SHA256 and, once their digest was found right, are
 * linked into blobs/. What an account has there, finished or not, that no build names yet is bound
 * by its quota. Invariant: a file in blobs/ has the digest that it is called by.
 */
#include "api/calls.h"

#include "base/clock.h"
#include "base/fs.h"
#include "base/mem.h"
#include "io/child.h"
#include "io/digest.h"
#include "io/json.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define INLINE_BYTES ((off_t)4 << 20) /* hashed here; larger ones in a process of their own */
#define STALE_S      (24 * 3600)      /* an upload that nobody goes on with */
#define HASH_MS      600000
#define FILE_COSTS   4096 /* an empty one costs something, too */
#define LOOK_BYTES                                                                                 \
	((int64_t)16 << 20) /* what else the account uploads meanwhile counts, after so many */

static char *upload_dir(const struct server *s, const char *account)
{
	return mem_printf("%s/uploads/%s", s->dir, account);
}

static char *upload_path(const struct server *s, const struct account *who, const char *sha256)
{
	return mem_printf("%s/uploads/%s/%s", s->dir, who->name, sha256);
}

int64_t upload_have(const struct server *s, const struct account *who, const char *sha256)
{
	AUTOFREE char *path = upload_path(s, who, sha256);
	struct stat st;

	return stat(path, &st) ? 0 : (int64_t)st.st_size;
}

void upload_named(const struct server *s, const struct account *who, const char *sha256)
{
	AUTOFREE char *path = upload_path(s, who, sha256);

	unlink(path);
}

/* What the account has there; what is stale goes. */
static int64_t used_bytes(const struct server *s, const char *account)
{
	AUTOFREE char *dir = upload_dir(s, account);
	DIR *d = opendir(dir);
	struct dirent *en;
	int64_t sum = 0;

	while (d && (en = readdir(d))) {
		struct stat st;

		if (en->d_name[0] == '.' || fstatat(dirfd(d), en->d_name, &st, AT_SYMLINK_NOFOLLOW))
			continue;
		if (st.st_mtime + STALE_S < time(NULL))
			unlinkat(dirfd(d), en->d_name, 0);
		else
			sum += st.st_size + FILE_COSTS;
	}
	if (d)
		closedir(d);
	return sum;
}

static int64_t room_of(const struct server *s, const char *account)
{
	return s->conf.quota_bytes - used_bytes(s, account);
}

/* ---- one upload ---- */

struct upload {
	struct server *server;
	struct call *call; /* NULL: its client is gone */
	char *path, *blob, *sha256;
	int fd;
	int64_t size, room;   /* bytes so far; that may still come */
	int64_t looked_bytes; /* size when room was looked at */
	char *account;
	struct child hasher;
	int hash_fd;
	struct buf said;
	bool ended;
	struct loop_watch *out, *timer;
};

static void upload_free(struct upload *u)
{
	loop_del(u->out);
	loop_del(u->timer);
	attr_close(&u->fd);
	attr_close(&u->hash_fd);
	child_done(&u->hasher);
	buf_done(&u->said);
	free(u->path);
	free(u->account);
	free(u->blob);
	free(u->sha256);
	free(u);
}

static struct call *upload_call(struct upload *u)
{
	struct call *c = u->call;

	if (c) {
		c->gone = NULL;
		free(c->state);
		c->state = NULL;
	}
	return c;
}

/* The digest is known: takes the file, or drops it. */
static void upload_judge(struct upload *u, const char *hex)
{
	struct call *c = upload_call(u);
	struct err e = {0};
	int failed = 0;

	if (strcmp(hex, u->sha256)) {
		unlink(u->path);
		if (c)
			call_fail(c, 422, "invalid",
				"what came has another digest (%.12s...): it was dropped", hex);
	} else {
		fsync(u->fd);
		if (link(u->path, u->blob) && errno != EEXIST)
			failed = err_sys(&e, BLAME_INFRA, errno, "'%s'", u->blob);
		if (c && failed)
			call_err(c, &e);
		else if (c)
			call_ok(c, 201, json_pack("{s:I}", "have", (json_int_t)u->size));
	}
	upload_free(u);
}

static void hash_end(struct upload *u)
{
	if (!u->ended || u->hash_fd >= 0)
		return;
	if (u->said.len >= 64) {
		AUTOFREE char *hex = mem_strndup(u->said.data, 64);

		upload_judge(u, hex);
		return;
	}
	if (upload_call(u))
		call_fail(u->call, 500, "bug", "the digest could not be made");
	upload_free(u);
}

static void hash_bytes(void *arg, uint32_t events)
{
	struct upload *u = arg;
	ssize_t n = buf_read(&u->said, u->hash_fd, 4096);

	(void)events;
	if (n > 0 || (n < 0 && (errno == EINTR || errno == EAGAIN)))
		return;
	loop_del(u->out);
	u->out = NULL;
	attr_close(&u->hash_fd);
	hash_end(u);
}

static void hash_ended(void *arg, struct child *child)
{
	struct upload *u = arg;

	(void)child;
	u->ended = true;
	hash_end(u);
}

static void hash_late(void *arg)
{
	struct upload *u = arg;

	u->timer = NULL;
	child_signal(&u->hasher, SIGKILL);
}

/* All has come. A large file is hashed beside the loop, by coreutils. */
static void upload_finish(struct upload *u)
{
	const char *argv[] = {"sha256sum", "-b", "--", u->path, NULL};
	struct child_opts o = CHILD_OPTS;
	char hex[DIGEST_HEX_BYTES];
	struct err e = {0};
	int fds[2], failed;

	if (u->size <= INLINE_BYTES) {
		if (digest_sha256_file(u->path, hex, &e)) {
			call_err(upload_call(u), &e);
			upload_free(u);
		} else {
			upload_judge(u, hex);
		}
		return;
	}
	failed = pipe2(fds, O_CLOEXEC);
	if (!failed) {
		u->hash_fd = fds[0];
		o.out = fds[1];
		o.die_with_us = true;
		failed = child_start(&u->hasher, argv, &o, &e);
		close(fds[1]);
	}
	if (failed) {
		call_fail(upload_call(u), 503, "unavailable", "digest: %s", e.msg);
		upload_free(u);
		return;
	}
	u->out = loop_fd(u->server->loop, u->hash_fd, EPOLLIN, hash_bytes, u);
	u->timer = loop_timer(u->server->loop, HASH_MS, hash_late, u);
	loop_child(u->server->loop, &u->hasher, hash_ended, u);
}

static void upload_gone(struct call *c)
{
	struct upload *u = *(struct upload **)c->state;

	u->call = NULL;
	if (u->hasher.pid)
		return; /* judged, and freed, when its digest is there */
	upload_free(u); /* what came stays, and is gone on with */
}

static int refuse(struct upload *u, unsigned status, const char *code, const char *text)
{
	struct call *c = upload_call(u);

	call_fail(c, status, code, "%s", text);
	upload_free(u);
	return -1;
}

static int on_piece(void *arg, struct http_request *r, struct str piece)
{
	struct upload *u = arg;
	const char *total = http_query(r, "bytes");
	int64_t bytes;

	if (piece.n) {
		if (u->size - u->looked_bytes >= LOOK_BYTES) {
			u->looked_bytes = u->size;
			u->room = room_of(u->server, u->account);
		}
		if ((int64_t)piece.n > u->room)
			return refuse(u, 413, "too-large", "the account's quota is used up");
		if (fs_write_all(u->fd, piece.p, piece.n))
			return refuse(u, 503, "unavailable", strerror(errno));
		u->size += (int64_t)piece.n;
		u->room -= (int64_t)piece.n;
		return 0;
	}
	if (total && !str_i64(str_of(total), &bytes) && u->size < bytes) {
		call_ok(upload_call(u), 200, json_pack("{s:I}", "have", (json_int_t)u->size));
		upload_free(u);
		return 0;
	}
	upload_finish(u);
	return 0;
}

/* False after answering. */
static bool upload_open(struct upload *u, const char *dir, int64_t offset)
{
	struct call *c = u->call;
	struct err e = {0};
	struct stat st;

	if (!fs_mkdirs(dir, 0700, &e)) {
		AUTOCLOSE int folder = folder_at(dir, NULL, false);

		u->fd = folder < 0 ? -1
				   : openat(folder, u->sha256,
					     O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW,
					     0600);
		if (u->fd < 0 || fstat(u->fd, &st) || !S_ISREG(st.st_mode))
			err_sys(&e, BLAME_INFRA, errno, "'%s'", u->path);
	}
	if (err_is(&e)) {
		call_err(c, &e);
		return false;
	}
	u->size = st.st_size;
	u->looked_bytes = u->size;
	if (offset == u->size)
		return true;
	call_ok(c, 409,
		json_pack("{s:I, s:{s:s, s:s}}", "have", (json_int_t)u->size, "error", "code",
			"conflict", "message", "the upload does not go on there"));
	return false;
}

void blob_put(struct call *c)
{
	struct server *s = c->server;
	AUTOFREE char *dir = upload_dir(s, c->who.name);
	AUTOFREE char *blobs = fs_join(s->dir, "blobs");
	struct upload *u;
	int64_t offset = 0;

	if (!sha256_ok(c->args[0])) {
		call_fail(c, 400, "invalid", "a blob is called by its SHA-256, 64 hex digits");
		return;
	}
	if (!call_query_int(c, "offset", 0, INT64_MAX, &offset))
		return;
	if (blob_there(s, c->args[0])) {
		call_ok(c, 201, NULL);
		return;
	}
	fs_mkdirs(blobs, 0700, NULL);
	u = mem_alloc(sizeof *u);
	*u = (struct upload){.server = s,
		.call = c,
		.path = upload_path(s, &c->who, c->args[0]),
		.blob = blob_path(s, c->args[0]),
		.sha256 = mem_strdup(c->args[0]),
		.fd = -1,
		.hash_fd = -1,
		.hasher = CHILD_INIT,
		.said = BUF_INIT(4096)};
	u->account = mem_strdup(c->who.name);
	u->room = room_of(s, u->account);
	if (!upload_open(u, dir, offset)) {
		upload_free(u);
		return;
	}
	c->state = mem_dup(&u, sizeof u);
	c->gone = upload_gone;
	http_body_pass(c->request, on_piece, u);
}

void blob_get(struct call *c)
{
	AUTOFREE char *path = sha256_ok(c->args[0]) ? blob_path(c->server, c->args[0]) : NULL;
	int fd = path ? open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW) : -1;
	struct stat st;

	if (fd < 0 || fstat(fd, &st)) {
		attr_close(&fd);
		call_fail(c, 404, "not-found", "there is no blob '%s'", c->args[0]);
		return;
	}
	call_file(c, "application/octet-stream", fd, (uint64_t)st.st_size);
}
