/* SPDX-License-Identifier: MIT */
/*
 * The boot chains of firmware/SOC.yaml against the board types: every type of a SoC has a chain,
 * its images run on cores that the type has, are loaded by an image before them, and come from boot
 * modes that the type supports.
 */
#include "labs/hardware.h"
#include "labs/type.h"

#include "base/fs.h"
#include "base/mem.h"
#include "base/t/tap.h"
#include "io/yaml.h"

#include <glob.h>
#include <stdlib.h>
#include <string.h>

struct image {
	const char *role, *file, *loaded_by;
	const struct node *runs;
	struct param_strings holds, media;
	const struct node *put;
};
static const struct param rows[] = {
	{"role", PARAM_STRING, offsetof(struct image, role), .required = true, .help = "role"},
	{"file", PARAM_STRING, offsetof(struct image, file), .required = true, .help = "file"},
	{"runs", PARAM_ANY, offsetof(struct image, runs), .required = true, .help = "cores"},
	{"holds", PARAM_STRINGS, offsetof(struct image, holds), .help = "parts"},
	{"loaded-by", PARAM_STRING, offsetof(struct image, loaded_by), .required = true,
		.help = "who loads it"},
	{"media", PARAM_STRINGS, offsetof(struct image, media), .help = "boot modes"},
	{"put", PARAM_MAP, offsetof(struct image, put), .required = true, .help = "places"},
	{0},
};

static bool supports(const struct type *t, const char *mode)
{
	const struct node *n = node_find(t->boot_modes, mode);
	const char *supported = n ? node_text(n, "supported") : NULL;

	return n && (!supported || !strcmp(supported, "true"));
}

/* The security controller of the K3 family is on no board type: nobody runs anything else there. */
static bool has_core(const struct type *t, const char *core)
{
	return !strcmp(core, "dmsc") || node_find(t->cores, core) != NULL;
}

static void one_image(struct arena *a, const struct type *t, const struct node *chain, size_t nth)
{
	const struct node *n = chain->kids[nth];
	struct diag diag = {0};
	AUTOBUF said = BUF_INIT(1 << 14);
	struct image im = {0};
	bool known = false, good = !schema_fill(a, rows, "image", n, &im, &diag);

	diag_print(&diag, &said);
	diag_done(&diag);
	if (!ok(good, "%s: image %zu is well-formed %s", t->name, nth + 1, buf_str(&said)))
		return;
	if (im.runs->type == NODE_SCALAR)
		ok(has_core(t, im.runs->text), "%s: '%s' runs on a core it has: '%s'", t->name,
			im.role, im.runs->text);
	for (size_t i = 0; im.runs->type == NODE_LIST && i < im.runs->n; i++)
		ok(has_core(t, im.runs->kids[i]->text), "%s: '%s' runs on a core it has: '%s'",
			t->name, im.role, im.runs->kids[i]->text);
	for (size_t i = 0; i < nth; i++)
		known |= !strcmp(node_text(chain->kids[i], "role"), im.loaded_by);
	if (nth == 0)
		ok(!strcmp(im.loaded_by, t->twin ? "power-on" : "ROM"),
			"%s: the first one is loaded by what runs at power-on", t->name);
	else
		ok(known, "%s: '%s' is loaded by an image before it: '%s'", t->name, im.role,
			im.loaded_by);
	for (size_t i = 0; i < im.media.n; i++) {
		ok(supports(t, im.media.p[i]), "%s: it boots from '%s'", t->name, im.media.p[i]);
		ok(node_find(im.put, im.media.p[i]), "%s: and it is told where '%s' is put there",
			t->name, im.role);
	}
}

static void one_file(const struct types *types, const char *path, struct map *have)
{
	struct arena a = {0};
	struct diag diag = {0};
	const struct node *doc = yaml_load(&a, path, &diag), *chains = node_find(doc, "chains");

	if (!ok(doc && chains, "%s is read", path))
		return;
	node_each (chains, chain) {
		AUTOFREE char *name = mem_strndup(chain->key, strcspn(chain->key, "/"));
		const struct type *t = type_find(types, name);

		if (!ok(t && t->soc && !strcmp(t->soc, node_text(doc, "soc")) && chain->n,
			    "'%s' is a type with that SoC", name))
			continue;
		map_set(have, t->name, (void *)t);
		for (size_t i = 0; i < chain->n; i++)
			one_image(&a, t, chain, i);
	}
	diag_done(&diag);
	arena_done(&a);
}

int main(void)
{
	AUTOFREE char *pattern = fs_data_path("firmware/*.yaml");
	struct types types = {0};
	struct map have = {0};
	glob_t found = {0};

	setenv("XDG_CONFIG_HOME", "/nonexistent", 1);
	ok(!types_load_default(&types, NULL), "the types load");
	is_int(glob(pattern, 0, NULL, &found), 0, "there are chains");
	is_int((long long)found.gl_pathc, 5, "of five SoCs");
	for (size_t i = 0; i < found.gl_pathc; i++)
		one_file(&types, found.gl_pathv[i], &have);
	globfree(&found);
	map_each (&types.by_name, entry) {
		const struct type *t = entry->value;

		if (!t->template_only)
			ok(map_has(&have, t->name), "'%s' has a chain", t->name);
	}
	map_done(&have);
	types_done(&types);
	return tap_done();
}
