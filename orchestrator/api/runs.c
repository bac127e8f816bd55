/* SPDX-License-Identifier: MIT */
/*
 * Calls about runs: what they were, their reports, their files. Invariant: a path from a request
 * names a file of that run's folder, or nothing.
 */
#include "api/calls.h"
#include "api/output.h"

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

#define FILES_MAX 10000

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
	struct call *call;
	struct output *output;
	const char *type;
};

static void report_end(void *arg, int64_t id, struct buf *text, const char *how)
{
	struct rendering *r = arg;
	struct call *c = r->call;

	(void)id;
	if (text->len && !text->overflow)
		call_text(c, 200, r->type, text);
	else
		call_fail(c, 500, "bug", "the report could not be made (%s)", how);
	free(c->state);
	c->state = NULL;
	c->gone = NULL;
}

static void report_gone(struct call *c)
{
	output_stop(((struct rendering *)c->state)->output);
}

void run_report(struct call *c)
{
	const char *format = http_query(c->request, "format");
	const struct report_format *f;
	struct rendering *r;
	struct err e = {0};
	char number[24];
	int64_t id;

	if (!run_get(c, &id))
		return;
	format = format ? format : "json";
	f = (const struct report_format *)driver_get(report_formats(), "report format", format, &e);
	if (!f) {
		call_fail(c, 400, "invalid", "%s", e.msg);
		return;
	}
	snprintf(number, sizeof number, "%lld", (long long)id);
	const char *argv[] = {"/proc/self/exe", "report", number, "--format", format, "--store",
		store_path(c->server->store), NULL};

	r = mem_alloc(sizeof *r);
	*r = (struct rendering){.call = c, .type = f->mime};
	r->output = output_start(c->server, argv, report_end, r, id, &e);
	if (!r->output) {
		call_err(c, &e);
		free(r);
		return;
	}
	c->state = r;
	c->gone = report_gone;
}
