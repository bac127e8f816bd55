/* SPDX-License-Identifier: MIT */
/*
 * `hilab agent --prepare DIR`: what a plan names by digest, made into files. Invariant: plan.json
 * is there only when every file that it names is, and those are the folder's own: a cache that
 * makes room takes nothing from a run.
 */
#include "agents/agent-inner.h"

#include "base/clock.h"
#include "base/fs.h"
#include "base/mem.h"
#include "builds/fetch.h"
#include "io/json.h"
#include "jobs/plan.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define RETRY_MS     1000 /* after a fetch that failed for the network's sake; doubles */
#define RETRY_MAX_MS 30000

struct prepare {
	const char *dir;
	char *server, *token;
	const char *ca;
	char *cache;
	json_t *plan;
	const struct agent_opts *opts;
};

static bool is_digest(const char *text)
{
	return strlen(text) == 64 && strspn(text, "0123456789abcdef") == 64;
}

static enum packing packing_of(const json_t *image)
{
	const char *name = json_text(image, "packing", "none");

	for (int i = 0; i < PACKING_COUNT; i++)
		if (!strcmp(packing_names[i], name))
			return (enum packing)i;
	return PACKING_NONE;
}

/* A link where that serves: the cache is on the same disk as the runs unless somebody moved it. */
static int keep(const char *from, const char *to, struct err *e)
{
	unlink(to);
	return link(from, to) ? fs_copy(from, to, e) : 0;
}

/* im (path: "blob:SHA256", with its role, packing and what it unpacks to) as DIR/FOLDER/ROLE.
 * sha256: of that file. */
static int fetch(const struct prepare *p, struct image im, const char *folder, char **path,
	char sha256[DIGEST_HEX_BYTES], struct err *e)
{
	const char *digest = plan_blob(im.path), *name = im.role;
	AUTOFREE char *url = mem_printf("%s/api/v1/blobs/%s", p->server, digest);
	AUTOFREE char *to_dir = fs_join(p->dir, folder);
	AUTOFREE char *to = fs_join(to_dir, name);
	AUTOFREE char *from = NULL;
	struct cache_hold hold = {0};
	const struct fetch_opts o = {
		.cache_dir = p->cache, .token = p->token, .ca = p->ca, .hold = &hold};
	int rc;

	if (!is_digest(digest) || !str_is_name(name))
		return err_set(e, BLAME_JOB, "'%s' for '%s' is no blob", im.path, name);
	im.path = NULL;
	im.url = url;
	im.sha256 = digest;
	rc = image_local(&im, &o, &from, sha256, e);
	if (!rc)
		rc = fs_mkdirs(to_dir, 0755, e) || keep(from, to, e) ? -1 : 0;
	cache_hold_done(&hold);
	if (rc)
		return -1;
	*path = to;
	to = NULL;
	return 0;
}

static int fetch_images(const struct prepare *p, struct err *e)
{
	json_t *image;
	size_t i;

	json_array_foreach (json_object_get(p->plan, "images"), i, image) {
		const char *blob = json_text(image, "path", "");
		AUTOFREE char *path = NULL;
		char sha256[DIGEST_HEX_BYTES];

		struct image im = {.role = json_text(image, "role", ""),
			.path = blob,
			.packing = packing_of(image),
			.unpacked_sha256 = json_text(image, "unpacked_sha256", NULL)};

		if (!plan_blob(blob))
			continue;
		if (fetch(p, im, "images", &path, sha256, e))
			return -1;
		json_object_set_new(image, "path", json_string(path));
		json_object_set_new(image, "sha256", json_string(sha256));
		json_object_del(image, "packing"); /* not any more */
		json_object_del(image, "unpacked_sha256");
	}
	return 0;
}

/* What `put` steps send lies in the folder by the step's name. */
static int fetch_files(const struct prepare *p, struct err *e)
{
	json_t *step;
	size_t i;

	json_array_foreach (json_object_get(p->plan, "steps"), i, step) {
		json_t *params = json_object_get(step, "params");
		const char *blob = json_text(params, "file", "");
		AUTOFREE char *path = NULL;
		char sha256[DIGEST_HEX_BYTES];

		struct image im = {.role = json_text(step, "name", ""), .path = blob};

		if (!plan_blob(blob))
			continue;
		if (fetch(p, im, "files", &path, sha256, e))
			return -1;
		json_object_set_new(params, "file", json_string(path));
	}
	return 0;
}

static int make_all(struct prepare *p, struct err *e)
{
	AUTOFREE char *from = fs_join(p->dir, AGENT_START);
	AUTOFREE char *to = fs_join(p->dir, AGENT_PLAN);

	free(p->server);
	free(p->token);
	p->server = p->token = NULL;
	json_decref(p->plan);
	p->plan = json_read(from, e);
	if (!p->plan || agent_credentials(p->opts, &p->server, &p->token, e) ||
		fetch_images(p, e) || fetch_files(p, e))
		return -1;
	return json_save(to, p->plan, 0644, e);
}

/* Until it is done, cannot be done, or time is up: a server that is away comes back. */
static int persist(struct prepare *p, struct err *e)
{
	int64_t end = clock_ms() + AGENT_PREPARE_MS, wait = RETRY_MS;

	for (;;) {
		err_clear(e);
		if (!make_all(p, e))
			return 0;
		if ((e->blame != BLAME_INFRA && e->blame != BLAME_TIMEOUT) || e->sys == ENOSPC ||
			clock_ms() + wait > end)
			return -1;
		fprintf(stderr, "hilab: agent: %s; trying again\n", e->msg);
		poll(NULL, 0, (int)wait);
		wait = 2 * wait < RETRY_MAX_MS ? 2 * wait : RETRY_MAX_MS;
	}
}

int agent_prepare_main(const struct agent_opts *o, const char *dir)
{
	AUTOFREE char *state = fs_state_dir();
	AUTOFREE char *own = o->dir ? mem_strdup(o->dir) : fs_join(state, "agent");
	struct prepare p = {.dir = dir, .ca = o->ca, .opts = o, .cache = fs_join(own, "cache")};
	struct run_status st = {.verdict = VERDICT_INCOMPLETE, .power = "unknown"};
	struct err e = {0};
	int rc = persist(&p, &e);

	if (rc) {
		st.blame = e.blame;
		snprintf(st.message, sizeof st.message, "%s", e.msg);
		st.started_ms = st.ended_ms = clock_wall_ms();
		fprintf(stderr, "hilab: agent: prepare '%s': %s\n", dir, e.msg);
		err_clear(&e);
		if (run_status_save(&st, dir, &e))
			fprintf(stderr, "hilab: agent: %s\n", e.msg);
	}
	json_decref(p.plan);
	free(p.server);
	free(p.token);
	free(p.cache);
	return rc ? 3 : 0;
}
