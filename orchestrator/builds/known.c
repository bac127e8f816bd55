/* SPDX-License-Identifier: MIT */
/*
 * Builds by name. Invariant: a manifest in the user's folder that known_add put there was checked
 * and means the same from whatever folder it is used.
 */
#include "builds/known.h"

#include "base/fs.h"
#include "base/mem.h"
#include "builds/download.h"
#include "io/yaml.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MANIFEST_SUFFIX ".yaml"
#define PIN_SUFFIX      ".pin"

char *known_dir(void)
{
	AUTOFREE char *config = fs_config_dir();

	return fs_join(config, "builds");
}

static char *pin_path(const char *name)
{
	AUTOFREE char *dir = known_dir();

	return mem_printf("%s/%s" PIN_SUFFIX, dir, name);
}

bool known_is_pinned(const char *name)
{
	AUTOFREE char *path = pin_path(name);

	return fs_exists(path);
}

/* ---- the list ---- */

static bool has_name(const struct known *k, const char *name)
{
	for (size_t i = 0; i < k->v.n; i++)
		if (!strcmp(k->v.p[i].name, name))
			return true;
	return false;
}

static int load_from(struct known *k, const char *dir, bool users, struct err *e)
{
	DIR *d = opendir(dir);
	struct dirent *de;
	int rc = 0;

	if (!d)
		return errno == ENOENT ? 0
				       : err_sys(e, BLAME_CONFIG, errno, "read folder '%s'", dir);
	while (!rc && (de = readdir(d))) {
		size_t n = strlen(de->d_name), tail = strlen(MANIFEST_SUFFIX);
		AUTOFREE char *name = NULL;

		if (n <= tail || strcmp(de->d_name + n - tail, MANIFEST_SUFFIX))
			continue;
		name = mem_strndup(de->d_name, n - tail);
		if (!str_is_name(name) || has_name(k, name))
			continue;
		if (k->v.n == KNOWN_MAX)
			rc = err_set(
				e, BLAME_CONFIG, "more than %d builds in '%s'", KNOWN_MAX, dir);
		else
			vec_push(&k->v,
				((struct known_build){mem_strdup(name), fs_join(dir, de->d_name),
					users, known_is_pinned(name)}));
	}
	closedir(d);
	return rc;
}

static int by_name(const void *a, const void *b)
{
	const struct known_build *x = a, *y = b;

	return strcmp(x->name, y->name);
}

int known_load(struct known *k, struct err *e)
{
	AUTOFREE char *users = known_dir(), *ours = fs_data_path("build/images");

	*k = (struct known){0};
	if (load_from(k, users, true, e) || load_from(k, ours, false, e)) {
		known_done(k);
		return -1;
	}
	if (k->v.n)
		qsort(k->v.p, k->v.n, sizeof *k->v.p, by_name);
	return 0;
}

void known_done(struct known *k)
{
	vec_each (&k->v, b) {
		free(b->name);
		free(b->path);
	}
	vec_done(&k->v);
}

/* ---- adding ---- */

static void take_away(struct node *map, const char *key)
{
	for (size_t i = 0; i < map->n; i++)
		if (!strcmp(map->kids[i]->key, key)) {
			memmove(map->kids + i, map->kids + i + 1,
				(map->n - i - 1) * sizeof *map->kids);
			map->n--;
			return;
		}
}

static void set_text(
	struct arena *a, struct node *map, const char *key, const char *text, struct loc at)
{
	struct node *n = node_scalar(a, arena_strdup(a, text), at);

	n->quoted = true;
	node_map_set(a, map, key, n);
}

/* Where an image is, told so that it holds from anywhere. */
static int settle_image(struct arena *a, struct node *image, const char *from, struct err *e)
{
	const struct node *path = node_find(image, "path"), *url = node_find(image, "url");
	AUTOFREE char *full = NULL;

	if (path && path->type == NODE_SCALAR && *path->text && !download_is_url(from)) {
		AUTOFREE char *beside = fs_beside(from, path->text);

		full = fs_absolute(beside);
		set_text(a, image, "path", full, path->at);
	} else if (download_is_url(from)) {
		const struct node *at = url ? url : path;

		if (!at || at->type != NODE_SCALAR || !*at->text)
			return 0; /* the check tells */
		full = download_join(from, at->text, e);
		if (!full)
			return -1;
		set_text(a, image, "url", full, at->at);
		take_away(image, "path");
	}
	return 0;
}

static struct node *read_manifest(
	struct arena *a, const char *from, struct diag *diag, struct err *e)
{
	const struct download d = {
		.url = from, .max_bytes = YAML_FILE_BYTES, .timeout_ms = KNOWN_ADD_TIME_MS};
	AUTOBUF text = BUF_INIT(YAML_FILE_BYTES);
	struct node *doc = NULL;

	if (!download_is_url(from))
		doc = yaml_load(a, from, diag);
	else if (!download_text(&d, &text, e))
		doc = yaml_parse(a, from, str_make(buf_str(&text), text.len), diag);
	/* What an alias stands for is one node for all who name it. */
	return doc ? node_copy(a, doc) : NULL;
}

static char *version_of(const char *path)
{
	struct build b = {0};
	char *version = mem_strdup("?");

	if (!build_load(&b, path, NULL)) {
		free(version);
		version = mem_strdup(b.version);
		build_done(&b);
	}
	return version;
}

static int save(const char *name, const struct node *doc, char **replaced, struct err *e)
{
	AUTOFREE char *dir = known_dir(), *path = mem_printf("%s/%s" MANIFEST_SUFFIX, dir, name);
	AUTOFREE char *before = fs_exists(path) ? version_of(path) : NULL;
	AUTOBUF text = BUF_INIT(BUF_CAP_BYTES);

	if (known_is_pinned(name))
		return err_set(e, BLAME_CONFIG,
			"build '%s' is pinned; 'hilab builds unpin %s' lets it be replaced", name,
			name);
	if (yaml_format(doc, &text, e) || fs_mkdirs(dir, 0755, e) ||
		fs_write(path, text.data, text.len, 0644, e))
		return -1;
	*replaced = before;
	before = NULL;
	return 0;
}

static int add(struct arena *a, const char *from, char **name, char **replaced, struct diag *diag,
	struct err *e)
{
	struct node *doc = read_manifest(a, from, diag, e);
	const struct node *images = node_find(doc, "images");

	if (!doc)
		return -1;
	node_each (images, image)
		if (image->type == NODE_MAP && settle_image(a, image, from, e))
			return -1;
	if (build_check(doc, diag) || save(node_text(doc, "build"), doc, replaced, e))
		return -1;
	*name = mem_strdup(node_text(doc, "build"));
	return 0;
}

int known_add(const char *from, char **name, char **replaced, struct diag *diag, struct err *e)
{
	struct arena a = {0};
	int rc = add(&a, from, name, replaced, diag, e);

	arena_done(&a);
	return rc;
}

/* ---- pins ---- */

int known_pin(const char *name, bool pin, struct err *e)
{
	AUTOFREE char *dir = known_dir(), *path = NULL, *manifest = NULL;

	if (!str_is_name(name) || str_ends(str_of(name), MANIFEST_SUFFIX))
		return err_set(e, BLAME_BUILD, "'%s' is no build's name", name);
	path = pin_path(name);
	if (!pin) {
		if (!unlink(path))
			return 0;
		return errno == ENOENT ? err_set(e, BLAME_BUILD, "build '%s' is not pinned", name)
				       : err_sys(e, BLAME_CONFIG, errno, "remove '%s'", path);
	}
	manifest = build_locate(name, e);
	if (!manifest || fs_mkdirs(dir, 0755, e))
		return -1;
	return fs_write(path, "", 0, 0644, e);
}

static int keep_build(struct map *keep, const char *name, struct err *e)
{
	AUTOFREE char *path = build_locate(name, e);
	struct build b = {0};

	if (!path || build_load(&b, path, NULL)) {
		if (path)
			err_set(e, BLAME_CONFIG, "'%s' is no build manifest", path);
		return err_wrap(e, "pinned build '%s'", name);
	}
	for (size_t i = 0; i < b.n; i++) {
		map_set(keep, b.images[i].sha256, keep);
		if (b.images[i].unpacked_sha256)
			map_set(keep, b.images[i].unpacked_sha256, keep);
	}
	build_done(&b);
	return 0;
}

int known_pinned(struct map *keep, struct err *e)
{
	AUTOFREE char *dir = known_dir();
	DIR *d = opendir(dir);
	struct dirent *de;
	int rc = 0;

	if (!d)
		return errno == ENOENT ? 0
				       : err_sys(e, BLAME_CONFIG, errno, "read folder '%s'", dir);
	while (!rc && (de = readdir(d))) {
		size_t n = strlen(de->d_name), tail = strlen(PIN_SUFFIX);
		AUTOFREE char *name = NULL;

		if (n <= tail || strcmp(de->d_name + n - tail, PIN_SUFFIX))
			continue;
		name = mem_strndup(de->d_name, n - tail);
		rc = keep_build(keep, name, e);
	}
	closedir(d);
	return rc;
}
