/* SPDX-License-Identifier: MIT */
/*
 * Board types and what they inherit. Invariant: a type in the map is whole: its document is
 * merged over everything it extends, its soc is known and its chain of extends ends.
 */
#include "labs/type.h"

#include "base/fs.h"
#include "base/mem.h"
#include "base/vec.h"
#include "io/crash-rules.h"
#include "io/yaml.h"
#include "labs/hardware.h"
#include "labs/settings.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define EXTENDS_MAX 16  /* how deep types may build on one another */
#define TYPES_MAX   512 /* files of all folders */
#define STAGES_MAX  32

/* Names of all types known; free() the array. */
static const char **all_names(const struct types *t, size_t *n)
{
	const char **names = mem_array(t->by_name.n + 1, sizeof *names);

	*n = 0;
	map_each (&t->by_name, entry)
		names[(*n)++] = entry->key;
	return names;
}

static int unknown_type(const struct types *t, struct loc at, const char *name, struct diag *diag)
{
	size_t n;
	const char **names = all_names(t, &n);
	int rc = diag_unknown(diag, at, "board type", name, names, n);

	free(names);
	return rc;
}

static int check_stages(struct arena *a, const struct node *stages, struct diag *diag)
{
	int rc = 0;

	if (stages && stages->n > STAGES_MAX)
		return diag_add(diag, stages->key_at, "more than %d stages", STAGES_MAX);
	for (size_t i = 0; stages && i < stages->n; i++) {
		const struct node *n = stages->kids[i];
		struct type_stage stage = {0};

		if (n->type != NODE_MAP) {
			rc = diag_add(diag, n->at, "a stage is a mapping {name, pattern}");
			continue;
		}
		if (schema_fill(a, type_stage_params, "stage", n, &stage, diag))
			rc = -1;
		if (stage.name && !str_is_name(stage.name))
			rc = diag_add(diag, node_find(n, "name")->at,
				"a stage's name is made of letters, digits, '.', '_', '+' and '-'");
		for (size_t j = 0; j < i && stage.name; j++) {
			const char *other = node_text(stages->kids[j], "name");

			if (other && !strcmp(other, stage.name))
				rc = diag_add(diag, n->at, "stage '%s' is there twice", other);
		}
	}
	return rc;
}

static int check_words(const struct node *doc, const char *key, const struct param_strings *words,
	struct diag *diag)
{
	int rc = 0;

	for (size_t i = 0; i < words->n; i++)
		if (!str_is_name(words->p[i])) {
			const struct node *list = node_find(doc, key);
			bool each = list->type == NODE_LIST && i < list->n;

			rc = diag_add(diag, each ? list->kids[i]->at : list->at,
				"'%s': a word is made of letters, digits, '.', '_', '+' and '-'",
				key);
		}
	return rc;
}

static int check_maps(const struct node *parent, const char *what, struct diag *diag)
{
	int rc = 0;

	node_each (parent, kid)
		if (kid->type != NODE_MAP && kid->type != NODE_NULL)
			rc = diag_add(diag, kid->at, "%s '%s' must be a mapping of its settings",
				what, kid->key);
	return rc;
}

/* One document for itself; fills type from it. */
static int check_own(struct arena *a, const struct node *doc, struct type *type, struct diag *diag)
{
	int rc = schema_fill(a, type_params, "board type", doc, type, diag);

	if (type->name && !str_is_name(type->name))
		rc = diag_add(diag, node_find(doc, "type")->at,
			"a type's name is made of letters, digits, '.', '_', '+' and '-'");
	if (check_words(doc, "peripherals", &type->peripherals, diag) |
		check_words(doc, "tags", &type->tags, diag) |
		check_maps(type->consoles, "console", diag) |
		check_maps(type->boot, "boot method", diag))
		rc = -1;
	if (type->login && schema_check(type_login_params, "login", type->login, diag))
		rc = -1;
	if (crash_rules_check(type->crash, diag))
		rc = -1;
	if (check_stages(a, type->stages, diag))
		rc = -1;
	return rc;
}

/* base without what belongs to it alone. */
static struct node *heritage(struct arena *a, const struct node *base)
{
	struct node *out = node_new(a, NODE_MAP, base->at);

	node_each (base, kid)
		if (strcmp(kid->key, "template") && strcmp(kid->key, "type") &&
			strcmp(kid->key, "extends"))
			node_list_add(a, out, kid);
	return out;
}

/* Fills the whole type from its merged document; the parts were checked already. */
static int fill_merged(struct arena *a, const struct node *own, struct node *merged,
	struct type *out, struct diag *diag)
{
	struct type type = {0};
	const struct node *name = node_find(own, "type");

	if (schema_fill(a, type_params, "board type", merged, &type, diag) ||
		hardware_check(a, merged, diag))
		return -1;
	type.node = merged;
	if (!type.soc && !type.template_only)
		return diag_add(diag, name->at, "missing key 'soc' in board type '%s'", type.name);
	*out = type;
	return 0;
}

/* ---- loading ---- */

enum { STATE_NEW, STATE_BUSY, STATE_DONE, STATE_BAD };

struct source {
	const struct node *doc;
	struct type type; /* of its own document; whole once merged */
	int state;
};
struct loading {
	struct types *types;
	VEC(const char *) only; /* names of the types wanted; none: all */
	size_t from;            /* those before it were looked for */
	struct map sources;     /* name -> struct source */
	struct diag *diag;
};

static const char **source_names(const struct loading *l)
{
	const char **names = mem_array(l->sources.n + 1, sizeof *names);

	for (size_t i = 0; i < l->sources.n; i++)
		names[i] = l->sources.entries[i].key;
	return names;
}

static struct source *resolve(struct loading *l, struct source *s, int depth);

static int merge(struct loading *l, struct source *s, int depth)
{
	struct arena *a = &l->types->arena;
	const struct node *extends = node_find(s->doc, "extends");
	struct source *base = NULL;
	struct node *under = NULL;

	if (s->type.extends) {
		base = map_find(&l->sources, s->type.extends);
		if (!base) {
			const char **names = source_names(l);
			int rc = diag_unknown(l->diag, extends->at, "board type", s->type.extends,
				names, l->sources.n);

			free(names);
			return rc;
		}
		if (base->state == STATE_BUSY)
			return diag_add(l->diag, extends->at,
				"board type '%s' extends itself, by way of '%s'", s->type.name,
				s->type.extends);
		if (depth >= EXTENDS_MAX)
			return diag_add(l->diag, extends->at,
				"more than %d types build on one another", EXTENDS_MAX);
		base = resolve(l, base, depth + 1);
		if (!base)
			return -1; /* already told, at its own file */
		under = heritage(a, base->type.node);
	}
	return fill_merged(a, s->doc, node_overlay(a, under, s->doc), &s->type, l->diag);
}

/* The source with its type whole, or NULL after it was reported. */
static struct source *resolve(struct loading *l, struct source *s, int depth)
{
	if (s->state == STATE_NEW) {
		s->state = STATE_BUSY;
		s->state = merge(l, s, depth) ? STATE_BAD : STATE_DONE;
	}
	return s->state == STATE_DONE ? s : NULL;
}

static int add_file(struct loading *l, const char *path)
{
	struct arena *a = &l->types->arena;
	struct source *s = arena_alloc(a, sizeof *s);
	AUTOFREE char *stem = mem_strdup(fs_basename(path));

	stem[strlen(stem) - strlen(".yaml")] = 0;
	s->doc = yaml_load(a, path, l->diag);
	if (!s->doc || check_own(a, s->doc, &s->type, l->diag))
		s->state = STATE_BAD;
	if (s->type.name && strcmp(s->type.name, stem))
		s->state = diag_add(l->diag, node_find(s->doc, "type")->at,
				   "board type '%s' must stand in a file '%s.yaml'", s->type.name,
				   s->type.name)
				   ? STATE_BAD
				   : 0;
	map_set(&l->sources, stem, s);
	return s->state == STATE_BAD ? -1 : 0;
}

static int is_yaml(const struct dirent *d)
{
	return *d->d_name != '.' && str_ends(str_of(d->d_name), ".yaml");
}

static bool is_wanted(const struct loading *l, const char *file)
{
	size_t stem = strlen(file) - strlen(".yaml");

	for (size_t i = l->from; i < l->only.n; i++)
		if (strlen(l->only.p[i]) == stem && !memcmp(l->only.p[i], file, stem))
			return true;
	return !l->only.n;
}

/* What those that were read extend is wanted, too. */
static void want_bases(struct loading *l)
{
	l->from = l->only.n;
	map_each (&l->sources, entry) {
		const struct source *s = entry->value;

		if (s->type.extends && !map_find(&l->sources, s->type.extends))
			vec_push(&l->only, s->type.extends);
	}
}

static int add_dir(struct loading *l, const char *dir)
{
	struct dirent **list;
	int n = scandir(dir, &list, is_yaml, alphasort), rc = 0;

	if (n < 0)
		return diag_add(l->diag, (struct loc){.file = dir}, "no folder of board types: %s",
			strerror(errno));
	for (int i = 0; i < n; i++) {
		AUTOFREE char *path = fs_join(dir, list[i]->d_name);

		if (l->sources.n >= TYPES_MAX)
			rc = diag_add(l->diag, (struct loc){.file = path},
				"more than %d board types", TYPES_MAX);
		else if (is_wanted(l, list[i]->d_name) && add_file(l, path))
			rc = -1;
		free(list[i]);
	}
	free(list);
	return rc;
}

static int add_dirs(struct loading *l, const char *const *dirs)
{
	int rc = 0;

	do {
		for (const char *const *dir = dirs; *dir; dir++)
			if (add_dir(l, *dir))
				rc = -1;
		if (l->only.n)
			want_bases(l);
	} while (!rc && l->from < l->only.n);
	return rc;
}

static int load(
	struct types *t, const char *const *dirs, const char *const *only, struct diag *diag)
{
	struct types new = {0};
	struct loading l = {.types = &new, .diag = diag};
	int rc;

	for (; only && *only; only++)
		vec_push(&l.only, *only);
	rc = add_dirs(&l, dirs);
	vec_done(&l.only);
	map_each (&l.sources, entry) {
		struct source *s = resolve(&l, entry->value, 0);

		if (s)
			map_set(&new.by_name, s->type.name, &s->type);
		else
			rc = -1;
	}
	map_done(&l.sources);
	if (rc) {
		types_done(&new);
		return -1;
	}
	*t = new;
	return 0;
}

int types_load(struct types *t, const char *const *dirs, struct diag *diag)
{
	return load(t, dirs, NULL, diag);
}

int types_load_only(struct types *t, const char *const *only, struct diag *diag)
{
	AUTOFREE char *ours = fs_data_path("labs/types"), *config = fs_config_dir(),
		      *users = fs_join(config, "types");
	const char *dirs[3] = {ours};

	if (fs_is_dir(users))
		dirs[1] = users;
	return load(t, dirs, only, diag);
}

int types_load_default(struct types *t, struct diag *diag)
{
	return types_load_only(t, NULL, diag);
}

void types_done(struct types *t)
{
	map_done(&t->by_name);
	arena_done(&t->arena);
	*t = (struct types){0};
}

const struct type *type_find(const struct types *t, const char *name)
{
	return t ? map_find(&t->by_name, name) : NULL;
}

bool type_is(const struct types *t, const struct type *type, const char *name)
{
	for (int depth = 0; type && depth <= EXTENDS_MAX; depth++) {
		if (!strcmp(type->name, name))
			return true;
		type = type->extends ? type_find(t, type->extends) : NULL;
	}
	return false;
}

static int check_boot(const struct driver *const *boot, const struct type *type, struct diag *diag)
{
	int rc = 0;

	node_each (type->boot, method)
		if (settings_check(boot, "boot driver", method->key, method->key_at, method, diag))
			rc = -1;
	return rc;
}

int type_check(const struct types *t, const struct driver *const *boot, const struct node *doc,
	struct diag *diag)
{
	struct arena a = {0};
	struct type type = {0};
	const struct type *base = NULL;
	struct node *under = NULL;
	int rc = check_own(&a, doc, &type, diag);

	if (type.extends && t) {
		struct loc at = node_find(doc, "extends")->at;

		base = type_find(t, type.extends);
		if (type.name && !strcmp(type.extends, type.name))
			rc = diag_add(diag, at, "board type '%s' extends itself", type.name);
		else if (!base)
			rc = unknown_type(t, at, type.extends, diag);
		else if (type.name && type_is(t, base, type.name))
			rc = diag_add(diag, at, "board type '%s' extends itself, by way of '%s'",
				type.name, type.extends);
		else
			under = heritage(&a, base->node);
	}
	if (!rc && (under || !type.extends))
		rc = fill_merged(&a, doc, node_overlay(&a, under, doc), &type, diag);
	if (!rc && under == NULL && type.extends)
		boot = NULL; /* only a part of the settings is known */
	if (type.template_only)
		boot = NULL; /* what extends it has the rest */
	if (!rc)
		rc = check_boot(boot, &type, diag);
	arena_done(&a);
	return rc;
}
