/* SPDX-License-Identifier: MIT */
/*
 * Builds on the controller: manifests in the store, images by digest in blobs/. Invariant: a build
 * that a job got has all its images here, and nothing that an open job or a pinned build names is
 * pruned.
 */
#include "api/calls.h"

#include "base/clock.h"
#include "base/fs.h"
#include "base/mem.h"
#include "builds/cache.h"
#include "io/json.h"
#include "jobs/images.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define MANIFEST_BYTES ((size_t)1 << 20)

bool sha256_ok(const char *sha256)
{
	return strlen(sha256) == 64 && strspn(sha256, "0123456789abcdef") == 64;
}

char *blob_path(const struct server *s, const char *sha256)
{
	return mem_printf("%s/blobs/%s", s->dir, sha256);
}

bool blob_there(const struct server *s, const char *sha256)
{
	AUTOFREE char *path = sha256_ok(sha256) ? blob_path(s, sha256) : NULL;

	return path && fs_exists(path);
}

/* ---- a build by name ---- */

struct wanted {
	const char *version; /* NULL: the newest */
	char *name, *manifest, *soc, *found_version;
};

static int keep(void *arg, const struct store_build *b)
{
	struct wanted *w = arg;

	if (w->manifest)
		return 0;
	w->manifest = mem_strdup(b->manifest);
	w->soc = mem_strdup(b->soc);
	w->found_version = mem_strdup(b->version);
	return 1;
}

static void wanted_done(struct wanted *w)
{
	free(w->name);
	free(w->manifest);
	free(w->soc);
	free(w->found_version);
}

/* "NAME[@VERSION]". */
static int find(struct server *s, const char *build, struct wanted *w, struct err *e)
{
	const char *at = strchr(build, '@');

	w->name = at ? mem_strndup(build, (size_t)(at - build)) : mem_strdup(build);
	w->version = at ? at + 1 : NULL;
	if (store_builds(s->store, w->name, w->version, keep, w, e) < 0)
		return -1;
	if (!w->manifest)
		return err_set(e, BLAME_BUILD,
			"the controller has no build '%s' (hilab builds list --remote; hilab "
			"submit "
			"--build FILE uploads one)",
			build);
	return 0;
}

static int images_there(struct server *s, const struct build *b, struct err *e)
{
	for (size_t i = 0; i < b->n; i++)
		if (!blob_there(s, b->images[i].sha256))
			return err_set(e, BLAME_BUILD,
				"build '%s': image '%s' was never uploaded in full", b->name,
				b->images[i].role);
	return 0;
}

static int into_plan(struct server *s, const struct build *b, struct plan *p, struct err *e)
{
	const struct type *type = p->match.type ? type_find(&s->types, p->match.type) : NULL;

	if (type && strcmp(type->soc, b->soc))
		return err_set(e, BLAME_BUILD, "build '%s' is for soc '%s', type '%s' has '%s'",
			b->name, b->soc, type->name, type->soc);
	if (p->match.soc && strcmp(p->match.soc, b->soc))
		return err_set(e, BLAME_BUILD, "build '%s' is for soc '%s', the job is for '%s'",
			b->name, b->soc, p->match.soc);
	if (images_there(s, b, e) || plan_use_blobs(p, b, b->soc, e))
		return -1;
	/* The board must go with it. */
	p->match.soc = arena_strdup(&p->arena, b->soc);
	return 0;
}

int build_into(struct server *s, const char *build, struct plan *p, struct err *e)
{
	struct wanted w = {0};
	struct build b = {0};
	struct diag diag = {0};
	int r = find(s, build, &w, e);

	if (!r && build_parse(&b, w.name, str_of(w.manifest), &diag))
		r = err_set(e, BLAME_BUG, "build '%s': %s", build,
			diag.entries.n ? diag.entries.p[0].text : "its manifest cannot be read");
	else if (!r)
		r = into_plan(s, &b, p, e);
	build_done(&b);
	diag_done(&diag);
	wanted_done(&w);
	return r;
}

/* ---- calls ---- */

static json_t *build_view(const struct store_build *b)
{
	return json_pack("{s:s, s:s, s:s, s:s?, s:I, s:I, s:I, s:b}", "build", b->name, "version",
		b->version, "soc", b->soc, "owner", b->owner, "added_ms", (json_int_t)b->added_ms,
		"used_ms", (json_int_t)b->used_ms, "bytes", (json_int_t)b->bytes, "pinned",
		b->pinned);
}

static int add_build(void *arg, const struct store_build *b)
{
	json_array_append_new(arg, build_view(b));
	return 0;
}

void builds_list(struct call *c)
{
	json_t *list = json_array();
	struct err e = {0};

	if (store_builds(c->server->store, http_query(c->request, "name"), NULL, add_build, list,
		    &e) < 0) {
		json_decref(list);
		call_err(c, &e);
		return;
	}
	call_ok(c, 200, json_pack("{s:o}", "builds", list));
}

/* What of it the controller has not got; *bytes: the size of what it has. */
static json_t *missing_of(
	struct server *s, const struct account *who, const struct build *b, int64_t *bytes)
{
	json_t *missing = json_array();

	*bytes = 0;
	for (size_t i = 0; i < b->n; i++) {
		AUTOFREE char *path = blob_path(s, b->images[i].sha256);
		struct stat st;

		if (stat(path, &st))
			json_array_append_new(missing,
				json_pack("{s:s, s:s, s:I}", "sha256", b->images[i].sha256, "role",
					b->images[i].role, "have",
					(json_int_t)upload_have(s, who, b->images[i].sha256)));
		else
			*bytes += st.st_size;
	}
	return missing;
}

static void save(struct call *c, const struct build *b, const char *manifest)
{
	struct store_build sb = {.name = b->name,
		.version = b->version,
		.soc = b->soc,
		.manifest = manifest,
		.owner = c->who.name,
		.added_ms = clock_wall_ms()};
	json_t *missing = missing_of(c->server, &c->who, b, &sb.bytes);
	AUTOFREE char *subject = mem_printf("build %s@%s", b->name, b->version);
	struct err e = {0};

	if (store_build_save(c->server->store, &sb, &e)) {
		json_decref(missing);
		call_err(c, &e);
		return;
	}
	if (!json_array_size(missing))
		for (size_t i = 0; i < b->n; i++)
			upload_named(c->server, &c->who, b->images[i].sha256);
	call_audit(c, "build add", subject, NULL);
	call_ok(c, 201, json_pack("{s:o}", "missing", missing));
}

struct standing { /* of a build that is there */
	struct call *call;
	bool pinned, found, own;
};

static int look_at_build(void *arg, const struct store_build *b)
{
	struct standing *st = arg;

	st->found = true;
	st->pinned |= b->pinned;
	st->own = b->owner && !strcmp(b->owner, st->call->who.name);
	return 0;
}

void builds_add(struct call *c)
{
	const char *text = json_text(c->body, "manifest", NULL);
	struct build b = {0};
	struct diag diag = {0};
	struct standing st = {.call = c};

	if (!text || strlen(text) > MANIFEST_BYTES) {
		call_fail(c, 400, "invalid", "'manifest' is needed: the text of one");
		return;
	}
	if (build_parse(&b, "manifest", str_of(text), &diag)) {
		call_diag(c, &diag);
	} else {
		store_builds(c->server->store, b.name, b.version, look_at_build, &st, NULL);
		if (st.pinned)
			call_fail(c, 409, "conflict",
				"build '%s' version '%s' is pinned: it is not replaced", b.name,
				b.version);
		else if (st.found && !st.own && !call_is(c, RIGHTS_OPERATOR))
			call_fail(c, 403, "denied",
				"build '%s' version '%s' is somebody else's: that needs an "
				"operator",
				b.name, b.version);
		else
			save(c, &b, text);
	}
	build_done(&b);
	diag_done(&diag);
}

/* Into the audit. False after answering. */
static bool told(struct call *c, const char *what)
{
	AUTOFREE char *subject = mem_printf("build %s@%s", c->args[0], c->args[1]);

	call_audit(c, what, subject, NULL);
	return !c->answered;
}

struct pin {
	struct call *call;
	bool pinned, found;
	int failed;
	struct err e;
};

static int set_pin(void *arg, const struct store_build *b)
{
	struct pin *p = arg;
	struct store_build changed = *b;

	p->found = true;
	changed.pinned = p->pinned;
	p->failed = store_build_save(p->call->server->store, &changed, &p->e);
	return 1;
}

static void pin(struct call *c, bool pinned)
{
	struct pin p = {.call = c, .pinned = pinned};
	int r = store_builds(c->server->store, c->args[0], c->args[1], set_pin, &p, &p.e);

	if (r < 0 || p.failed)
		call_err(c, &p.e);
	else if (!p.found)
		call_fail(c, 404, "not-found", "there is no build '%s' version '%s'", c->args[0],
			c->args[1]);
	else if (told(c, pinned ? "build pin" : "build unpin"))
		call_ok(c, 200, NULL);
}

void builds_pin(struct call *c)
{
	pin(c, true);
}

void builds_unpin(struct call *c)
{
	pin(c, false);
}

/* ---- pruning ---- */

struct pruning {
	struct server *server;
	struct map keep;   /* digests */
	struct map in_use; /* "name version" of open jobs */
	int64_t max_bytes, kept_bytes;
	json_t *removed;
	VEC(char *) gone; /* name, version, name, ... */
	bool broken;
};

static int use_of(void *arg, const struct store_job *job)
{
	struct pruning *p = arg;

	if (job->build)
		map_set(&p->in_use, job->build, p);
	return 0;
}

/* Newest first: what does not fit any more, and nobody holds, goes. */
static int weigh(void *arg, const struct store_build *sb)
{
	AUTOFREE char *label = mem_printf("%s %s", sb->name, sb->version);
	struct pruning *p = arg;
	struct build b = {0};
	struct diag diag = {0};
	bool held = sb->pinned || map_has(&p->in_use, label);

	if (!held && p->kept_bytes + sb->bytes > p->max_bytes) {
		char *name = mem_strdup(sb->name), *version = mem_strdup(sb->version);

		vec_push(&p->gone, name);
		vec_push(&p->gone, version);
		json_array_append_new(p->removed, build_view(sb));
		return 0;
	}
	p->kept_bytes += sb->bytes;
	if (build_parse(&b, sb->name, str_of(sb->manifest), &diag))
		p->broken = true; /* nobody knows what it would keep */
	for (size_t i = 0; i < b.n; i++)
		map_set(&p->keep, b.images[i].sha256, p);
	build_done(&b);
	diag_done(&diag);
	return 0;
}

static void prune(struct call *c, struct pruning *p)
{
	char count[40];
	const struct store_job_filter open = {.open = true};
	AUTOFREE char *dir = mem_printf("%s/blobs", c->server->dir);
	struct cache_pruned got = {0};
	struct err e = {0};
	int r = store_jobs(c->server->store, &open, use_of, p, &e);

	if (r >= 0)
		r = store_builds(c->server->store, NULL, NULL, weigh, p, &e);
	for (size_t i = 0; r >= 0 && i < p->gone.n; i += 2)
		r = store_build_del(c->server->store, p->gone.p[i], p->gone.p[i + 1], &e);
	if (r >= 0 && !p->broken)
		r = cache_prune(dir, p->max_bytes, &p->keep, &got, &e);
	if (r < 0) {
		call_err(c, &e);
		return;
	}
	snprintf(count, sizeof count, "%zu builds", p->gone.n / 2);
	call_audit(c, "build prune", "builds", count);
	if (!c->answered)
		call_ok(c, 200,
			json_pack("{s:O, s:I, s:I}", "removed", p->removed, "freed_bytes",
				(json_int_t)got.freed_bytes, "left_bytes",
				(json_int_t)got.left_bytes));
}

void builds_prune(struct call *c)
{
	struct pruning p = {.server = c->server,
		.max_bytes = json_int(c->body, "max_bytes", c->server->conf.blobs_bytes),
		.removed = json_array()};

	prune(c, &p);
	json_decref(p.removed);
	map_done(&p.keep);
	map_done(&p.in_use);
	vec_each (&p.gone, text)
		free(*text);
	vec_done(&p.gone);
}

void builds_del(struct call *c)
{
	struct standing st = {.call = c};
	struct err e = {0};
	int r;

	store_builds(c->server->store, c->args[0], c->args[1], look_at_build, &st, NULL);
	if (st.pinned) {
		call_fail(c, 409, "conflict", "the build is pinned");
		return;
	}
	r = store_build_del(c->server->store, c->args[0], c->args[1], &e);
	if (r < 0)
		call_err(c, &e);
	else if (!r)
		call_fail(c, 404, "not-found", "there is no build '%s' version '%s'", c->args[0],
			c->args[1]);
	else if (told(c, "build delete"))
		call_ok(c, 200, NULL); /* its images go with the next prune */
}
