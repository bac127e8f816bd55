/* SPDX-License-Identifier: MIT */
/*
 * Build manifests. Invariant: of a build that loaded, every image has a role that is a name, a
 * path or a URL, and a SHA-256 of 64 lower-case hex digits; paths are already resolved beside the
 * manifest.
 */
#include "builds/build.h"

#include "base/fs.h"
#include "base/mem.h"
#include "builds/download.h"
#include "builds/known.h"
#include "io/yaml.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#define IMAGES_MAX    64
#define SHA256_DIGITS 64
#define HEX_DIGITS    "0123456789abcdefABCDEF"

/* What the top level of a manifest holds. */
struct head {
	const char *name, *version, *soc, *description;
	const struct node *images;
};

const struct param build_params[] = {
	{"build", PARAM_STRING, offsetof(struct head, name), .required = true,
		.help = "name of the build", .example = "am62axx-twin"},
	{"version", PARAM_STRING, offsetof(struct head, version), .required = true,
		.help = "what tells this build from the one before it", .example = "\"11.00.1\""},
	{"soc", PARAM_STRING, offsetof(struct head, soc), .required = true,
		.help = "the SoC that its images are made for", .example = "am62axx"},
	{"description", PARAM_STRING, offsetof(struct head, description),
		.help = "one line for people", .example = "nightly of the vendor kernel"},
	{"images", PARAM_MAP, offsetof(struct head, images), .required = true,
		.help = "role -> image", .example = "{kernel: {path: Image, sha256: ...}}"},
	{0},
};

const struct param image_params[] = {
	{"path", PARAM_STRING, offsetof(struct image, path),
		.help = "local file; a relative one is taken beside the manifest",
		.example = "Image"},
	{"url", PARAM_STRING, offsetof(struct image, url),
		.help = "where the image can be fetched from",
		.example = "https://builds.example/11.00.1/Image"},
	{"sha256", PARAM_STRING, offsetof(struct image, sha256), .required = true,
		.help = "digest that the image must have, as it is shipped, "
			"before it is used: 64 hex digits",
		.example = "9f86d08188..."},
	{"compression", PARAM_CHOICE, offsetof(struct image, packing), .preset = "none",
		.choices = packing_names,
		.help = "how the file is packed; it is unpacked before use"},
	{"unpacked-sha256", PARAM_STRING, offsetof(struct image, unpacked_sha256),
		.help = "digest that it must have when unpacked: 64 hex digits",
		.example = "9f86d08188..."},
	{"version", PARAM_STRING, offsetof(struct image, version),
		.help = "text that the running image shows (banner, build id), to prove that it "
			"is the one that booted",
		.example = "\"U-Boot 2023.01\""},
	{"release", PARAM_STRING, offsetof(struct image, release),
		.help = "kernel only: what `uname -r` prints on it", .example = "6.1.0-37-arm64"},
	{"build-id", PARAM_STRING, offsetof(struct image, build_id),
		.help = "kernel, modules, rootfs: GNU build id of what runs, in hex digits",
		.example = "d34ebfe0b641..."},
	{"module", PARAM_STRING, offsetof(struct image, module),
		.help = "modules, rootfs: the loaded module that is asked for its build id and, "
			"for modules, version",
		.example = "tidss"},
	{0},
};

static bool is_sha256(const char *hex)
{
	return strlen(hex) == SHA256_DIGITS && strspn(hex, HEX_DIGITS) == SHA256_DIGITS;
}

static int check_digest(const struct node *image, const char *key, const char *hex,
	const char *what, struct diag *diag)
{
	if (!hex || is_sha256(hex))
		return 0;
	return diag_add(
		diag, node_find(image, key)->at, "%s: '%s' must be 64 hex digits", what, key);
}

/* What only some roles have. */
static int check_module(
	const struct node *n, const struct image *im, const char *what, struct diag *diag)
{
	/* a root may carry the kernel's modules */
	bool modules = !strcmp(im->role, "modules") || !strcmp(im->role, "rootfs");
	size_t digits = im->build_id ? strlen(im->build_id) : 0;
	int rc = 0;

	if (im->build_id && !modules && strcmp(im->role, "kernel") && strcmp(im->role, "firmware"))
		rc = diag_add(diag, node_find(n, "build-id")->key_at,
			"%s: 'build-id' is for a kernel, modules, a rootfs or a firmware", what);
	else if (im->build_id && (!digits || digits % 2 || digits > 2 * BUILD_ID_MAX ||
					 strspn(im->build_id, HEX_DIGITS) != digits))
		rc = diag_add(diag, node_find(n, "build-id")->at,
			"%s: 'build-id' must be an even number of hex digits, at most %d", what,
			2 * BUILD_ID_MAX);
	if (im->module && !modules)
		rc = diag_add(diag, node_find(n, "module")->key_at,
			"%s: 'module' is for modules or a rootfs", what);
	else if (im->module && !str_is_name(im->module))
		rc = diag_add(diag, node_find(n, "module")->at,
			"%s: 'module' must be the name of one, as lsmod prints it", what);
	if (modules && im->build_id && !im->module)
		rc = diag_add(diag, node_find(n, "build-id")->key_at,
			"%s: 'build-id' needs 'module', the one that has it", what);
	return rc;
}

static const char *lower(struct arena *a, const char *text)
{
	char *copy = arena_strdup(a, text);

	for (char *p = copy; p && *p; p++)
		*p = (char)tolower((unsigned char)*p);
	return copy;
}

static int fill_image(struct arena *a, struct image *im, const struct node *n, struct diag *diag)
{
	char what[STR_NAME_BYTES + 16];
	int rc = 0;

	if (!str_is_name(n->key))
		return diag_add(diag, n->key_at,
			"an image's role must be a name: letters, digits, "
			"'.', '_', '+', '-'");
	snprintf(what, sizeof what, "image '%s'", n->key);
	im->role = arena_strdup(a, n->key);
	im->at = n->key_at;
	if (schema_fill(a, image_params, what, n, im, diag))
		rc = -1;
	if (n->type == NODE_MAP && !im->path && !im->url)
		rc = diag_add(diag, n->key_at, "%s: needs 'path' or 'url'", what);
	if (im->path && !*im->path)
		rc = diag_add(diag, node_find(n, "path")->at, "%s: 'path' is empty", what);
	if (im->url && !download_is_url(im->url))
		rc = diag_add(diag, node_find(n, "url")->at,
			"%s: 'url' must begin with http:// or https://", what);
	if (im->unpacked_sha256 && im->packing == PACKING_NONE)
		rc = diag_add(diag, node_find(n, "unpacked-sha256")->at,
			"%s: 'unpacked-sha256' needs 'compression'", what);
	if (check_digest(n, "sha256", im->sha256, what, diag) ||
		check_digest(n, "unpacked-sha256", im->unpacked_sha256, what, diag) ||
		check_module(n, im, what, diag))
		rc = -1;
	if (rc)
		return -1;
	im->sha256 = lower(a, im->sha256);
	im->unpacked_sha256 = lower(a, im->unpacked_sha256);
	im->build_id = lower(a, im->build_id);
	if (im->path) {
		AUTOFREE char *path = fs_beside(n->at.file, im->path);

		im->path = arena_strdup(a, path);
	}
	return 0;
}

static int fill(struct build *b, const struct node *doc, struct diag *diag)
{
	struct head head = {0};
	int rc = schema_fill(&b->arena, build_params, "build", doc, &head, diag);

	if (head.name && !str_is_name(head.name))
		rc = diag_add(diag, node_find(doc, "build")->at,
			"'build' must be a name: letters, "
			"digits, '.', '_', '+', '-'");
	if (!head.images)
		return -1;
	if (!head.images->n)
		return diag_add(diag, head.images->key_at, "a build needs at least one image");
	if (head.images->n > IMAGES_MAX)
		return diag_add(diag, head.images->key_at, "more than %d images", IMAGES_MAX);
	b->name = head.name;
	b->version = head.version;
	b->soc = head.soc;
	b->images = arena_alloc(&b->arena, head.images->n * sizeof *b->images);
	for (size_t i = 0; i < head.images->n; i++)
		if (fill_image(&b->arena, &b->images[i], head.images->kids[i], diag))
			rc = -1;
	b->n = head.images->n;
	return rc;
}

static int take(struct build *b, struct build *new, const struct node *doc, struct diag *diag)
{
	if (!doc || fill(new, doc, diag)) {
		arena_done(&new->arena);
		return -1;
	}
	*b = *new;
	return 0;
}

int build_load(struct build *b, const char *path, struct diag *diag)
{
	struct build new = {0};

	return take(b, &new, yaml_load(&new.arena, path, diag), diag);
}

int build_parse(struct build *b, const char *name, struct str text, struct diag *diag)
{
	struct build new = {0};

	return take(b, &new, yaml_parse(&new.arena, name, text, diag), diag);
}

int build_check(const struct node *doc, struct diag *diag)
{
	struct build b = {0};
	int rc = fill(&b, doc, diag);

	build_done(&b);
	return rc;
}

void build_done(struct build *b)
{
	arena_done(&b->arena);
	*b = (struct build){0};
}

const struct image *build_find(const struct build *b, const char *role)
{
	for (size_t i = 0; i < b->n; i++)
		if (!strcmp(b->images[i].role, role))
			return &b->images[i];
	return NULL;
}

char *build_locate(const char *name, struct err *e)
{
	AUTOFREE char *file = NULL, *builds = NULL, *images = NULL;
	char *users, *ours;

	if (strchr(name, '/') || str_ends(str_of(name), ".yaml")) {
		if (fs_exists(name))
			return mem_strdup(name);
		err_set(e, BLAME_BUILD, "no build manifest '%s'", name);
		return NULL;
	}
	file = mem_printf("%s.yaml", name);
	builds = known_dir();
	users = fs_join(builds, file);
	if (fs_exists(users))
		return users;
	images = fs_data_path("build/images");
	ours = fs_join(images, file);
	if (fs_exists(ours)) {
		free(users);
		return ours;
	}
	err_set(e, BLAME_BUILD, "no build '%s': neither '%s' nor '%s' is there", name, users, ours);
	free(users);
	free(ours);
	return NULL;
}
