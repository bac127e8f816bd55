/* SPDX-License-Identifier: MIT */
/*
 * Brings builds and files to the controller. Invariant: nothing is sent that the controller has,
 * and what is sent is what its digest says.
 */
#include "cli/upload.h"

#include "agents/boot/boot.h"
#include "agents/deploy/deploy.h"
#include "agents/measure/measure.h"
#include "base/fs.h"
#include "base/mem.h"
#include "builds/fetch.h"
#include "io/json.h"
#include "io/yaml.h"
#include "jobs/job.h"
#include "reports/parse/parse.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define PIECE_BYTES ((int64_t)32 << 20) /* of one request: what a broken one loses */
#define PIECE_MS    600000
#define PUT_TRIES   6
#define AGAIN_MS    500

/* ---- one file ---- */

static void tell_progress(const char *what, int64_t done, int64_t total, bool quiet)
{
	char a[32], b[32];

	if (!quiet && cli_tty(STDERR_FILENO))
		fprintf(stderr, "\r\033[K  uploading %s: %s of %s%s", what,
			str_format_bytes(done, a, sizeof a), str_format_bytes(total, b, sizeof b),
			done == total ? "\r\033[K" : "");
}

/* The next piece from *have on. 0 with *have as the controller tells it, 1 all is there, -1. */
static int put_piece(
	struct remote *r, int fd, const char *sha256, int64_t total, int64_t *have, struct err *e)
{
	int64_t n = total - *have < PIECE_BYTES ? total - *have : PIECE_BYTES;
	AUTOFREE char *path = mem_printf("/api/v1/blobs/%s?offset=%lld&bytes=%lld", sha256,
		(long long)*have, (long long)total);
	const struct http_ask ask = {.method = "PUT",
		.path = path,
		.type = "application/octet-stream",
		.fd = fd,
		.body_bytes = n,
		.timeout_ms = PIECE_MS};
	struct http_answer a = {0};
	json_t *j;
	int rc = 0;

	if (lseek(fd, (off_t)*have, SEEK_SET) < 0)
		return err_sys(e, BLAME_INFRA, errno, "seek");
	http_call(r->http, &ask, &a);
	j = a.status ? http_answer_json(&a, NULL) : NULL;
	if (a.status == 201)
		rc = 1;
	else if (a.status == 200 || a.status == 409)
		*have = json_int(j, "have", 0);
	else
		rc = http_answer_check(&a, e);
	json_decref(j);
	http_answer_done(&a);
	return rc;
}

/* Sends it unless it is there. An upload that broke goes on where it stopped. */
static int put_blob(struct remote *r, const char *path, const char *sha256, int64_t have,
	const char *what, bool quiet)
{
	AUTOCLOSE int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct err e = {0};
	struct stat st;
	int tries = 0;

	if (fd < 0 || fstat(fd, &st))
		return cli_fail(-1, "'%s': %s", path, strerror(errno));
	for (;;) {
		int64_t before = have;
		int got = put_piece(r, fd, sha256, st.st_size, &have, &e);

		tell_progress(what, got > 0 ? st.st_size : have, st.st_size, quiet);
		if (got > 0)
			return 0;
		tries = have > before ? 0 : tries + 1;
		if (tries == PUT_TRIES || (got < 0 && e.blame != BLAME_INFRA))
			return cli_fail(-1, "upload of '%s': %s", path,
				err_is(&e) ? e.msg : "the controller takes no more of it");
		if (got < 0)
			poll(NULL, 0, AGAIN_MS);
	}
}

/* ---- builds ---- */

static void put(json_t *j, const char *key, const char *text)
{
	if (text)
		json_object_set_new(j, key, json_string(text));
}

struct shipped { /* one image as it is sent; heap */
	char *path;
	char sha256[DIGEST_HEX_BYTES];
	bool plain; /* it was packed and is sent unpacked */
};

/* The file to send: the manifest's own, else what its URL brings. */
static int ship(const struct image *im, struct shipped *s, struct err *e)
{
	snprintf(s->sha256, sizeof s->sha256, "%s", im->sha256);
	if (im->path && fs_exists(im->path)) {
		s->path = mem_strdup(im->path);
		return image_verify(im, e);
	}
	s->plain = true;
	return image_local(im, NULL, &s->path, s->sha256, e);
}

/* The manifest as the controller keeps it: images by their digests. */
static json_t *manifest_json(const struct build *b, const struct shipped *shipped)
{
	json_t *images = json_object();

	for (size_t i = 0; i < b->n; i++) {
		const struct image *im = &b->images[i];
		json_t *j = json_object();

		put(j, "path", shipped[i].sha256);
		put(j, "sha256", shipped[i].sha256);
		if (!shipped[i].plain && im->packing != PACKING_NONE) {
			put(j, "compression", packing_names[im->packing]);
			put(j, "unpacked-sha256", im->unpacked_sha256);
		}
		put(j, "version", im->version);
		put(j, "release", im->release);
		put(j, "build-id", im->build_id);
		put(j, "module", im->module);
		json_object_set_new(images, im->role, j);
	}
	return json_pack("{s:s, s:s, s:s, s:o}", "build", b->name, "version", b->version, "soc",
		b->soc, "images", images);
}

/* Adds the build; a new reference to what is missing, NULL after telling. */
static json_t *add_build(
	struct remote *r, const struct build *b, const struct shipped *shipped, int *exit_status)
{
	AUTOJSON *manifest = manifest_json(b, shipped);
	AUTOFREE char *text = json_dumps(manifest, JSON_COMPACT);
	AUTOJSON *answer = remote_call(
		r, "POST", "/builds", json_pack("{s:s}", "manifest", text), exit_status);

	return json_incref(json_object_get(answer, "missing"));
}

static int send_missing(struct remote *r, const struct build *b, const struct shipped *shipped,
	const json_t *missing, bool quiet)
{
	json_t *j;
	size_t i;

	json_array_foreach ((json_t *)missing, i, j) {
		const char *sha256 = json_text(j, "sha256", "");

		for (size_t k = 0; k < b->n; k++)
			if (!strcmp(shipped[k].sha256, sha256) &&
				put_blob(r, shipped[k].path, sha256, json_int(j, "have", 0),
					b->images[k].role, quiet))
				return -1;
	}
	return 0;
}

static int send_build(struct remote *r, const struct build *b, bool quiet, int *exit_status)
{
	struct shipped *shipped = mem_array(b->n, sizeof *shipped);
	json_t *missing = NULL;
	struct err e = {0};
	int rc = 0;

	for (size_t i = 0; !rc && i < b->n; i++)
		rc = ship(&b->images[i], &shipped[i], &e);
	if (rc) {
		*exit_status = cli_fail(EXIT_BUILD, "build '%s': %s", b->name, e.msg);
	} else {
		missing = add_build(r, b, shipped, exit_status);
		rc = missing ? send_missing(r, b, shipped, missing, quiet) : -1;
		if (!rc && json_array_size(missing)) {
			json_decref(missing);
			missing = add_build(r, b, shipped, exit_status);
			if (json_array_size(missing))
				rc = cli_fail(-1, "build '%s': the controller lost what was sent",
					b->name);
		}
	}
	json_decref(missing);
	for (size_t i = 0; i < b->n; i++)
		free(shipped[i].path);
	free(shipped);
	return rc || !missing ? -1 : 0;
}

/* Where its manifest is; heap. NULL: it is a name that is not known here. */
static char *find_manifest(const char *build)
{
	struct err e = {0};

	if (fs_is_dir(build))
		return fs_join(build, "build.yaml");
	return build_locate(build, &e);
}

char *upload_build(struct remote *r, const char *build, bool quiet, int *exit_status)
{
	AUTOFREE char *path = strchr(build, '@') ? NULL : find_manifest(build);
	struct build b = {0};
	struct diag diag = {0};
	char *name = NULL;

	if (!path || (!fs_exists(path) && !strchr(build, '/')))
		return mem_strdup(build);
	if (build_load(&b, path, &diag)) {
		cli_diag(&diag);
		*exit_status = EXIT_BUILD;
	} else if (!send_build(r, &b, quiet, exit_status)) {
		name = mem_printf("%s@%s", b.name, b.version);
	}
	build_done(&b);
	diag_done(&diag);
	return name;
}

/* ---- what `put` steps send ---- */

static int put_file(struct remote *r, const struct step *s, json_t *files, bool quiet)
{
	const struct step_put *p = s->conf;
	char sha256[DIGEST_HEX_BYTES];
	struct err e = {0};

	if (digest_sha256_file(p->file, sha256, &e))
		return cli_fail(-1, "step '%s': %s", s->name, e.msg);
	json_object_set_new(files, s->name, json_string(sha256));
	return put_blob(r, p->file, sha256, 0, s->name, quiet);
}

json_t *upload_puts(struct remote *r, const char *job_path, const struct params *params, bool quiet,
	char **build, int *exit_status)
{
	const struct job_tables tables = {
		deploy_drivers(), boot_drivers(), measure_drivers(), parse_drivers()};
	struct job_setting settings[PARAMS_MAX];
	struct arena arena = {0};
	struct diag diag = {0};
	struct job_parts parts = {0};
	json_t *files = json_object();
	const struct node *doc = yaml_load(&arena, job_path, &diag);
	int rc = 0;

	for (size_t i = 0; i < params->n; i++)
		settings[i] = (struct job_setting){params->names[i], params->values[i]};
	/* What is wrong with it the controller tells, with its own types and drivers. */
	if (doc && doc_kind_of(doc) == DOC_JOB &&
		!job_compile_parts(&parts, doc, settings, params->n, &tables, &diag))
		for (size_t i = 0; !rc && i < parts.n; i++)
			for (size_t k = 0; !rc && k < parts.plans[i].n; k++)
				if (parts.plans[i].steps[k].kind == STEP_PUT)
					rc = put_file(r, &parts.plans[i].steps[k], files, quiet);
	if (build)
		*build = parts.n ? mem_strdup(parts.plans[0].build) : NULL;
	job_parts_done(&parts);
	diag_done(&diag);
	arena_done(&arena);
	if (!rc)
		return files;
	json_decref(files);
	*exit_status = EXIT_USAGE;
	return NULL;
}
