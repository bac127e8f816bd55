/* SPDX-License-Identifier: MIT */
/*
 * Calls about runs: what they were, their reports, their files. Invariant: a path from a request
 * names a file of that run's folder, or nothing.
 */
#include "api/calls.h"

#include "base/fs.h"
#include "base/mem.h"
#include "io/child.h"
#include "io/chunks.h"
#include "io/json.h"
#include "reports/format/format.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define FILES_MAX    10000
#define REPORT_BYTES ((size_t)64 << 20)
#define REPORT_MS    60000

struct listing {
	struct call *call;
	json_t *list;
	int64_t limit;
};

static int add_run(void *arg, const struct store_run *run)
{
	struct listing *l = arg;

	if ((int64_t)json_array_size(l->list) == l->limit)
		return 1;
	if (view_sees_run(l->call, run->id))
		json_array_append_new(l->list, view_run(l->call->server, run));
	return 0;
}

void run_list(struct call *c)
{
	struct listing l = {.call = c, .limit = LIST_LIMIT};
	struct store_run_filter f = {0};
	struct err e = {0};
	int r;

	if (!call_query_int(c, "limit", 1, LIST_LIMIT_MAX, &l.limit) ||
		!call_query_int(c, "job", 1, INT64_MAX, &f.job))
		return;
	l.list = json_array();
	r = store_run_list(c->server->store, &f, add_run, &l, &e);
	if (r < 0) {
		json_decref(l.list);
		call_err(c, &e);
		return;
	}
	call_ok(c, 200, json_pack("{s:o}", "runs", l.list));
}

/* The run of the path. False after answering. */
static bool run_get(struct call *c, int64_t *id)
{
	if (!call_id(c, 0, id))
		return false;
	if (view_sees_run(c, *id))
		return true;
	call_fail(c, 404, "not-found", "there is no run %lld", (long long)*id);
	return false;
}

/* Whether the caller sees it was looked at before: that asks for the same row, which ends this
 * one's texts. */
static int view_one(void *arg, const struct store_run *run)
{
	struct listing *l = arg;

	json_array_append_new(l->list, view_run(l->call->server, run));
	return 0;
}

void run_show(struct call *c)
{
	struct listing l = {.call = c};
	struct err e = {0};
	int64_t id;

	if (!run_get(c, &id))
		return;
	l.list = json_array();
	if (store_run_get(c->server->store, id, view_one, &l, &e) < 0)
		call_err(c, &e);
	else
		call_ok(c, 200, json_incref(json_array_get(l.list, 0)));
	json_decref(l.list);
}

/* ---- files ---- */

static void add_file(json_t *list, int folder, const char *prefix, const char *name)
{
	AUTOFREE char *shown = mem_printf("%s%s", prefix, name);
	struct stat st;

	if (!fstatat(folder, name, &st, AT_SYMLINK_NOFOLLOW) && S_ISREG(st.st_mode) &&
		json_array_size(list) < FILES_MAX)
		json_array_append_new(list,
			json_pack("{s:s, s:I}", "name", shown, "bytes", (json_int_t)st.st_size));
}

static void add_folder(json_t *list, const char *dir, const char *below, const char *prefix)
{
	AUTOCLOSE int folder = folder_at(dir, below, false);
	int fd = folder < 0 ? -1 : openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *d = fd < 0 ? NULL : fdopendir(fd);
	struct dirent *en;

	while (d && (en = readdir(d)))
		if (chunk_file_ok(en->d_name) && strcmp(en->d_name, "board.json"))
			add_file(list, fd, prefix, en->d_name);
	if (d)
		closedir(d);
}

static int add_part(void *arg, const struct store_part *p)
{
	AUTOFREE char *prefix = mem_printf("%s%s", p->role ? p->role : "", p->role ? "/" : "");
	AUTOFREE char *below = mem_printf("%sartifacts/", prefix);

	if (!p->dir)
		return 0;
	add_folder(arg, p->dir, NULL, prefix);
	add_folder(arg, p->dir, "artifacts", below);
	return 0;
}

void run_files(struct call *c)
{
	struct err e = {0};
	json_t *list;
	int64_t id;

	if (!run_get(c, &id))
		return;
	list = json_array();
	if (store_parts(c->server->store, id, add_part, list, &e) < 0) {
		json_decref(list);
		call_err(c, &e);
		return;
	}
	call_ok(c, 200, json_pack("{s:o}", "files", list));
}

static const char *type_of(const char *name)
{
	if (str_ends(str_of(name), ".json"))
		return "application/json";
	if (str_ends(str_of(name), ".txt") || str_ends(str_of(name), ".jsonl"))
		return "text/plain; charset=utf-8";
	return "application/octet-stream";
}

void run_file(struct call *c)
{
	const char *name = c->args[1], *slash = strchr(name, '/');
	AUTOFREE char *role = slash ? mem_strndup(name, (size_t)(slash - name)) : NULL;
	struct run_part p = {0};
	uint64_t size = 0;
	int64_t id;
	int fd = -1;

	if (!run_get(c, &id))
		return;
	/* ROLE/NAME where the run has that role, else NAME of its only part. */
	if (role && run_part_get(c->server->store, id, role, &p, NULL) > 0)
		name = slash + 1;
	else if (run_part_get(c->server->store, id, NULL, &p, NULL) <= 0)
		name = "";
	if (p.dir && strcmp(name, "board.json"))
		fd = folder_open(p.dir, name, O_RDONLY, &size);
	if (fd < 0)
		call_fail(c, 404, "not-found", "run %lld has no file '%s'", (long long)id,
			c->args[1]);
	else
		call_file(c, type_of(name), fd, size);
	run_part_done(&p);
}

/* ---- reports: in a process of their own, on a store that is only read ---- */

struct rendering {
	struct server *server;
	struct call *call; /* NULL: its client is gone */
	struct child child;
	struct loop_watch *out, *timer;
	int fd;
	struct buf text;
	const char *type;
	bool ended;
};

static void report_free(struct rendering *r)
{
	loop_del(r->out);
	loop_del(r->timer);
	attr_close(&r->fd);
	child_done(&r->child);
	buf_done(&r->text);
	free(r);
}

/* Both must have happened: its output ended, and it was reaped. */
static void report_end(struct rendering *r)
{
	char how[64];

	if (!r->ended || r->fd >= 0)
		return;
	if (r->call) {
		free(r->call->state);
		r->call->state = NULL;
		r->call->gone = NULL;
		if (r->text.len && !r->text.overflow)
			call_text(r->call, 200, r->type, &r->text);
		else
			call_fail(r->call, 500, "bug", "the report could not be made (%s)",
				child_status_text(&r->child, how, sizeof how));
	}
	report_free(r);
}

static void report_bytes(void *arg, uint32_t events)
{
	struct rendering *r = arg;
	ssize_t n = buf_read(&r->text, r->fd, 65536);

	(void)events;
	if (n > 0 || (n < 0 && (errno == EAGAIN || errno == EINTR)))
		return;
	loop_del(r->out);
	r->out = NULL;
	attr_close(&r->fd);
	report_end(r);
}

static void report_ended(void *arg, struct child *child)
{
	struct rendering *r = arg;

	(void)child;
	r->ended = true;
	report_end(r);
}

static void report_late(void *arg)
{
	struct rendering *r = arg;

	r->timer = NULL;
	child_signal(&r->child, SIGKILL);
}

static void report_gone(struct call *c)
{
	struct rendering *r = *(struct rendering **)c->state;

	r->call = NULL;
	child_signal(&r->child, SIGKILL);
}

static int report_start(struct rendering *r, int64_t run, const char *format, struct err *e)
{
	char number[24];
	const char *argv[] = {"/proc/self/exe", "report", number, "--format", format, "--store",
		store_path(r->server->store), NULL};
	struct child_opts o = CHILD_OPTS;
	int pipe_fds[2];
	int failed;

	snprintf(number, sizeof number, "%lld", (long long)run);
	if (pipe2(pipe_fds, O_CLOEXEC))
		return err_sys(e, BLAME_INFRA, errno, "report");
	r->fd = pipe_fds[0];
	o.out = pipe_fds[1];
	o.die_with_us = true;
	failed = child_start(&r->child, argv, &o, e);
	close(pipe_fds[1]);
	return failed;
}

void run_report(struct call *c)
{
	const char *format = http_query(c->request, "format");
	const struct report_format *f;
	struct rendering *r, **slot;
	struct err e = {0};
	int64_t id;

	if (!run_get(c, &id))
		return;
	format = format ? format : "json";
	f = (const struct report_format *)driver_get(report_formats(), "report format", format, &e);
	if (!f) {
		call_fail(c, 400, "invalid", "%s", e.msg);
		return;
	}
	r = mem_alloc(sizeof *r);
	r->server = c->server;
	r->call = c;
	r->fd = -1;
	r->type = f->mime;
	r->child = (struct child)CHILD_INIT;
	r->text = (struct buf)BUF_INIT(REPORT_BYTES);
	if (report_start(r, id, format, &e)) {
		call_err(c, &e);
		report_free(r);
		return;
	}
	slot = mem_alloc(sizeof *slot);
	*slot = r;
	c->state = slot;
	c->gone = report_gone;
	r->out = loop_fd(c->server->loop, r->fd, EPOLLIN, report_bytes, r);
	r->timer = loop_timer(c->server->loop, REPORT_MS, report_late, r);
	loop_child(c->server->loop, &r->child, report_ended, r);
}
