/* SPDX-License-Identifier: MIT */
/*
 * Plans to JSON and back. Invariant: reading back gives steps with the same settings; what does
 * not fit was not written by this program and is refused whole.
 */
#include "jobs/compile.h"

#include "io/json.h"

#include <stdio.h>
#include <string.h>

void plan_done(struct plan *p)
{
	arena_done(&p->arena);
	*p = (struct plan){0};
}

/* ---- to JSON ---- */

static void add_text(json_t *j, const char *key, const char *text)
{
	if (text)
		json_object_set_new(j, key, json_string(text));
}

static void add_words(json_t *j, const char *key, const struct param_strings *words)
{
	json_t *list;

	if (!words->n)
		return;
	list = json_array();
	for (size_t i = 0; i < words->n; i++)
		json_array_append_new(list, json_string(words->p[i]));
	json_object_set_new(j, key, list);
}

static json_t *match_to_json(const struct match *m)
{
	json_t *j = json_object();

	add_text(j, "name", m->board);
	add_text(j, "type", m->type);
	add_text(j, "soc", m->soc);
	add_words(j, "peripherals", &m->peripherals);
	add_words(j, "tags", &m->tags);
	return j;
}

static json_t *image_to_json(const struct plan_image *im)
{
	json_t *j = json_object();

	add_text(j, "role", im->role);
	add_text(j, "path", im->path);
	add_text(j, "sha256", im->sha256);
	add_text(j, "version", im->version);
	add_text(j, "release", im->release);
	add_text(j, "build_id", im->build_id);
	add_text(j, "module", im->module);
	if (im->packing)
		add_text(j, "packing", packing_names[im->packing]);
	add_text(j, "unpacked_sha256", im->unpacked_sha256);
	return j;
}

/* by enum on_failure */
static const char *const failure_words[] = {NULL, "stop", "continue"};

static json_t *step_to_json(const struct step *s)
{
	json_t *j = json_object();

	add_text(j, "kind", step_specs[s->kind].name);
	add_text(j, "name", s->name);
	add_text(j, "suite", s->suite);
	add_text(j, "console", s->console);
	json_object_set_new(j, "timeout_ms", json_integer(s->timeout_ms));
	if (s->retry)
		json_object_set_new(j, "retry", json_integer(s->retry));
	add_text(j, "on_failure", failure_words[s->on_failure]);
	if (s->always)
		json_object_set_new(j, "always", json_true());
	if (s->labels && s->labels->n)
		json_object_set_new(j, "labels", node_to_json(s->labels));
	if (s->sample)
		json_object_set_new(j, "sample", node_to_json(s->sample));
	json_object_set_new(j, "params", node_to_json(s->params));
	add_text(j, "file", s->at.file);
	json_object_set_new(j, "line", json_integer(s->at.line));
	json_object_set_new(j, "col", json_integer(s->at.col));
	return j;
}

json_t *plan_to_json(const struct plan *p)
{
	json_t *j = json_object(), *images = json_array(), *steps = json_array();

	json_object_set_new(j, "plan", json_integer(PLAN_VERSION));
	add_text(j, "job", p->job);
	add_text(j, "description", p->description);
	json_object_set_new(j, "timeout_ms", json_integer(p->timeout_ms));
	if (p->session)
		json_object_set_new(j, "session", json_true());
	add_text(j, "role", p->role);
	add_words(j, "roles", &p->roles);
	add_text(j, "build", p->build);
	add_text(j, "build_version", p->build_version);
	json_object_set_new(j, "board", match_to_json(&p->match));
	json_object_set_new(j, "params", node_to_json(p->params));
	if (p->crash)
		json_object_set_new(j, "crash", node_to_json(p->crash));
	for (size_t i = 0; i < p->n_images; i++)
		json_array_append_new(images, image_to_json(&p->images[i]));
	json_object_set_new(j, "images", images);
	for (size_t i = 0; i < p->n; i++)
		json_array_append_new(steps, step_to_json(&p->steps[i]));
	json_object_set_new(j, "steps", steps);
	return j;
}

/* ---- and back ---- */

static const char *get_text(struct arena *a, const json_t *j, const char *key)
{
	return arena_strdup(a, json_text(j, key, NULL));
}

/* The first problem of diag as an error. */
static int as_error(struct diag *diag, struct err *e)
{
	const char *text = diag->entries.n ? diag->entries.p[0].text : "damaged";

	err_set(e, BLAME_BUG, "plan: %s", text);
	diag_done(diag);
	return -1;
}

static enum on_failure read_failure(const char *word)
{
	for (size_t i = 1; word && i < ARRAY_LEN(failure_words); i++)
		if (!strcmp(failure_words[i], word))
			return (enum on_failure)i;
	return ON_FAILURE_PRESET;
}

static int read_step(struct arena *a, struct step *s, const json_t *j, size_t i, struct err *e)
{
	const char *name = json_text(j, "kind", "");
	int kind = step_kind_find(name);
	struct diag diag = {0};
	char what[64];

	if (kind < 0)
		return err_set(
			e, BLAME_BUG, "plan: step %zu is of no known kind '%.40s'", i + 1, name);
	s->kind = (enum step_kind)kind;
	s->name = get_text(a, j, "name");
	s->suite = get_text(a, j, "suite");
	s->console = get_text(a, j, "console");
	s->timeout_ms = json_int(j, "timeout_ms", -1);
	s->retry = json_int(j, "retry", 0);
	s->on_failure = read_failure(json_text(j, "on_failure", NULL));
	s->always = json_flag(j, "always", false);
	if (json_object_get(j, "labels"))
		s->labels = node_from_json(a, json_object_get(j, "labels"));
	if (json_object_get(j, "sample"))
		s->sample = node_from_json(a, json_object_get(j, "sample"));
	s->at.file = get_text(a, j, "file");
	s->at.line = (uint32_t)json_int(j, "line", 0);
	s->at.col = (uint32_t)json_int(j, "col", 0);
	if (!s->name || !s->suite || !s->console || s->timeout_ms <= 0 || s->retry < 0 ||
		s->retry > RETRY_MAX)
		return err_set(e, BLAME_BUG,
			"plan: step %zu lacks its name, suite, console or timeout", i + 1);
	s->params = node_from_json(a, json_object_get(j, "params"));
	if (s->params->type != NODE_MAP)
		return err_set(e, BLAME_BUG, "plan: step %zu has no settings", i + 1);
	snprintf(what, sizeof what, "step %zu '%s'", i + 1, name);
	if (step_fill(a, s, what, &diag))
		return as_error(&diag, e);
	return 0;
}

/* Of what is packed; a plan written before there was packing has none. */
static int read_packing(struct plan_image *im, const char *word)
{
	for (int i = 0; i < PACKING_COUNT; i++)
		if (!strcmp(packing_names[i], word)) {
			im->packing = (enum packing)i;
			return 0;
		}
	return -1;
}

static int read_images(struct plan *p, const json_t *list, struct err *e)
{
	size_t n = json_array_size(list);

	p->images = arena_alloc(&p->arena, (n + 1) * sizeof *p->images);
	for (size_t i = 0; i < n; i++) {
		const json_t *j = json_array_get(list, i);
		struct plan_image *im = &p->images[i];

		im->role = get_text(&p->arena, j, "role");
		im->path = get_text(&p->arena, j, "path");
		im->sha256 = get_text(&p->arena, j, "sha256");
		im->version = get_text(&p->arena, j, "version");
		im->release = get_text(&p->arena, j, "release");
		im->build_id = get_text(&p->arena, j, "build_id");
		im->module = get_text(&p->arena, j, "module");
		im->unpacked_sha256 = get_text(&p->arena, j, "unpacked_sha256");
		if (read_packing(im, json_text(j, "packing", packing_names[PACKING_NONE])))
			return err_set(e, BLAME_BUG, "plan: image %zu is packed as '%.40s'", i + 1,
				json_text(j, "packing", ""));
		if (!im->role || !im->sha256)
			return err_set(
				e, BLAME_BUG, "plan: image %zu lacks its role or sha256", i + 1);
	}
	p->n_images = n;
	return 0;
}

static int read_steps(struct plan *p, const json_t *list, struct err *e)
{
	size_t n = json_array_size(list);

	if (!n != p->session || n > PLAN_STEPS_MAX)
		return err_set(e, BLAME_BUG, "plan: %zu steps", n);
	p->steps = arena_alloc(&p->arena, n * sizeof *p->steps);
	for (size_t i = 0; i < n; i++)
		if (read_step(&p->arena, &p->steps[i], json_array_get(list, i), i, e))
			return -1;
	p->n = n;
	return 0;
}

static int read_roles(struct plan *p, const json_t *j, struct err *e)
{
	const json_t *list = json_object_get(j, "roles");
	size_t n = json_array_size(list);
	bool own = false;

	p->role = get_text(&p->arena, j, "role");
	if (n > PLAN_ROLES_MAX)
		return err_set(e, BLAME_BUG, "plan: %zu roles", n);
	p->roles.p = arena_alloc(&p->arena, (n + 1) * sizeof *p->roles.p);
	for (size_t i = 0; i < n; i++) {
		const char *name = json_string_value(json_array_get(list, i));

		if (!name)
			return err_set(e, BLAME_BUG, "plan: role %zu has no name", i + 1);
		p->roles.p[i] = arena_strdup(&p->arena, name);
		own |= p->role && !strcmp(name, p->role);
	}
	p->roles.n = n;
	if (own != (p->role || n))
		return err_set(e, BLAME_BUG, "plan: its role is none of the job's");
	return 0;
}

static int read_plan(struct plan *p, const json_t *j, struct err *e)
{
	struct arena *a = &p->arena;
	struct diag diag = {0};
	int64_t version = json_int(j, "plan", 0);

	if (version != PLAN_VERSION)
		return err_set(e, BLAME_BUG, "plan: its version is %lld and not %d",
			(long long)version, PLAN_VERSION);
	p->job = get_text(a, j, "job");
	p->description = get_text(a, j, "description");
	p->timeout_ms = json_int(j, "timeout_ms", -1);
	p->session = json_flag(j, "session", false);
	p->build = get_text(a, j, "build");
	p->build_version = get_text(a, j, "build_version");
	p->params = node_from_json(a, json_object_get(j, "params"));
	if (json_object_get(j, "crash"))
		p->crash = node_from_json(a, json_object_get(j, "crash"));
	if (!p->job || p->timeout_ms <= 0)
		return err_set(e, BLAME_BUG, "plan: lacks its job's name or timeout");
	if (schema_fill(a, match_params, "board", node_from_json(a, json_object_get(j, "board")),
		    &p->match, &diag))
		return as_error(&diag, e);
	if (read_roles(p, j, e) || read_images(p, json_object_get(j, "images"), e))
		return -1;
	return read_steps(p, json_object_get(j, "steps"), e);
}

int plan_from_json(struct plan *p, const json_t *j, struct err *e)
{
	struct plan new = {0};

	if (read_plan(&new, j, e)) {
		plan_done(&new);
		return -1;
	}
	*p = new;
	return 0;
}

/* ---- what is fetched later ---- */

void plan_set_put_file(struct plan *p, struct step *s, const char *file)
{
	const char *own = arena_strdup(&p->arena, file);
	struct node *params = node_copy(&p->arena, s->params);

	((struct step_put *)s->conf)->file = own;
	node_map_set(&p->arena, params, "file", node_scalar(&p->arena, own, s->at));
	s->params = params;
}

const char *plan_blob(const char *path)
{
	return path && !strncmp(path, PLAN_BLOB, strlen(PLAN_BLOB)) ? path + strlen(PLAN_BLOB)
								    : NULL;
}

const char *plan_parser(const struct node *parse, const struct node **settings)
{
	*settings = NULL;
	if (parse && parse->type == NODE_SCALAR)
		return parse->text;
	if (!parse || parse->type != NODE_MAP || parse->n != 1)
		return NULL;
	if (parse->kids[0]->type == NODE_MAP)
		*settings = parse->kids[0];
	else if (parse->kids[0]->type != NODE_NULL)
		return NULL;
	return parse->kids[0]->key;
}
