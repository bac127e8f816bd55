/* SPDX-License-Identifier: MIT */
/*
 * The jobs, boards and builds that a nightly names. Invariant: what is wrong with a job is told
 * once, however often the plan uses it, and what a plan makes wrong of a job stands in the plan.
 */
#include "jobs/nightly-inner.h"

#include "base/fs.h"
#include "base/mem.h"
#include "builds/build.h"
#include "io/yaml.h"

#include <stdlib.h>
#include <string.h>

int nightly_target(struct nightly_reading *r, struct nightly_target *t)
{
	struct match m = {.type = t->type, .soc = t->soc};
	struct node *map = node_new(r->a, NODE_MAP, t->at);

	if (!r->types)
		return 0;
	if (m.type)
		node_map_set(r->a, map, "type", node_scalar(r->a, m.type, t->at));
	if (m.soc)
		node_map_set(r->a, map, "soc", node_scalar(r->a, m.soc, t->at));
	if (match_check(r->types, &m, map, r->diag)) {
		r->bad = r->incomplete = true;
		return -1;
	}
	t->of = m.type ? type_find(r->types, m.type) : NULL;
	if (!t->of || !t->of->template_only)
		return 0;
	r->incomplete = true;
	return nightly_tell(
		r, t->at, "type '%s' is only there to be extended: no board has it", m.type);
}

int nightly_build(struct nightly_reading *r, const struct node *text, struct nightly_build *b)
{
	const char *name = text->text;
	bool is_path = strchr(name, '/') || str_ends(str_of(name), ".yaml");
	AUTOFREE char *beside = is_path ? fs_beside(r->file, name) : NULL;
	AUTOFREE char *manifest =
		beside && fs_is_dir(beside) ? fs_join(beside, "build.yaml") : NULL;
	AUTOFREE char *path = NULL;
	struct build build = {0};
	struct err e = {0};

	*b = (struct nightly_build){.name = arena_strdup(r->a, name), .at = text->at};
	b->use = beside ? arena_strdup(r->a, manifest ? manifest : beside) : b->name;
	path = build_locate(b->use, &e);
	if (!path && is_path)
		return nightly_tell(r, text->at, "%s", e.msg);
	if (!path) /* the controller may know it */
		return 0;
	if (build_load(&build, path, r->diag)) {
		r->bad = true;
		return -1;
	}
	b->soc = arena_strdup(r->a, build.soc);
	build_done(&build);
	return 0;
}

/* ---- params ---- */

static bool is_declared(const struct node *doc, const char *name)
{
	const struct node *params = node_find(doc, "params");

	return params && params->type == NODE_MAP && node_find(params, name);
}

static int add_setting(struct nightly_reading *r, const struct node *value, struct nightly_use *use)
{
	struct job_setting *s = &use->params[use->n_params];

	if (value->type != NODE_SCALAR)
		return nightly_tell(r, value->key_at, "param '%s' must be text", value->key);
	s->name = arena_strdup(r->a, value->key);
	s->value = arena_strdup(r->a, value->text);
	s->at = value->at;
	s->at.file = r->file;
	use->n_params++;
	return 0;
}

/* The plan's params that the job declares, and the entry's own, which win. */
static int settings(struct nightly_reading *r, const struct node *doc, const struct node *own,
	struct nightly_use *use)
{
	size_t most = (r->params ? r->params->n : 0) + (own ? own->n : 0);
	int rc = 0;

	use->params = arena_alloc(r->a, (most + 1) * sizeof *use->params);
	use->n_params = 0;
	for (size_t i = 0; r->params && i < r->params->n; i++) {
		const struct node *n = r->params->kids[i];

		if (is_declared(doc, n->key) && !(own && node_find(own, n->key)))
			rc = add_setting(r, n, use) || rc ? -1 : 0;
	}
	for (size_t i = 0; own && i < own->n; i++)
		rc = add_setting(r, own->kids[i], use) || rc ? -1 : 0;
	return rc;
}

static void declare(struct nightly_reading *r, const struct node *doc)
{
	const struct node *params = node_find(doc, "params");

	for (size_t i = 0; params && params->type == NODE_MAP && i < params->n; i++)
		map_set(&r->declared, params->kids[i]->key, r);
}

/* ---- jobs ---- */

static bool is_told(const struct diag *d, const struct diag_entry *it)
{
	for (size_t i = 0; i < d->entries.n; i++) {
		const struct diag_entry *other = &d->entries.p[i];

		if (other->at.line == it->at.line && other->at.col == it->at.col &&
			!strcmp(other->text, it->text) && other->at.file && it->at.file &&
			!strcmp(other->at.file, it->at.file))
			return true;
	}
	return false;
}

static void tell_all(
	struct nightly_reading *r, const struct nightly_use *use, const struct diag *of)
{
	bool plan_told = false;

	for (size_t i = 0; i < of->entries.n; i++) {
		const struct diag_entry *it = &of->entries.p[i];

		plan_told |= it->at.file && !strcmp(it->at.file, r->file);
		if (!is_told(r->diag, it))
			diag_add(r->diag, it->at, "%s", it->text);
	}
	if (!plan_told)
		diag_add(r->diag, use->at, "job '%s' does not compile", use->written);
	r->bad = true;
}

/* What the plan has to know of the job, in its own memory. */
static void take(struct nightly_reading *r, const struct plan *p, struct nightly_use *use)
{
	const struct match *m = &p->match;

	use->soc = arena_strdup(r->a, m->soc);
	use->type = arena_strdup(r->a, m->type);
	use->tags.p = arena_alloc(r->a, (m->tags.n + 1) * sizeof *use->tags.p);
	for (use->tags.n = 0; use->tags.n < m->tags.n; use->tags.n++)
		use->tags.p[use->tags.n] = arena_strdup(r->a, m->tags.p[use->tags.n]);
}

static int compile(struct nightly_reading *r, const struct node *doc, const struct node *params,
	struct nightly_use *use, struct diag *diag)
{
	struct job_parts parts = {0};
	int rc = 0;

	if (settings(r, doc, params, use))
		return -1;
	if (job_compile_parts(&parts, doc, use->params, use->n_params, r->tables, diag))
		return -1;
	for (size_t i = 0; r->types && i < parts.n; i++)
		rc |= match_check(r->types, &parts.plans[i].match, parts.boards[i], diag);
	use->name = arena_strdup(r->a, parts.plans[0].job);
	use->build = arena_strdup(r->a, parts.plans[0].build);
	use->several = job_has_roles(doc);
	if (!use->several)
		take(r, &parts.plans[0], use);
	job_parts_done(&parts);
	return rc;
}

int nightly_use(struct nightly_reading *r, const struct node *params, struct nightly_use *use)
{
	AUTOFREE char *path = fs_beside(r->file, use->written);
	struct arena arena = {0};
	struct diag diag = {0};
	const struct node *doc = yaml_load(&arena, path, &diag);
	int rc = -1;

	use->file = arena_strdup(r->a, path);
	if (doc && doc_kind_of(doc) != DOC_JOB) {
		diag_add(&diag, doc->at, "not a job: there is no key 'job'");
	} else if (doc) {
		declare(r, doc);
		rc = compile(r, doc, params, use, &diag);
	}
	if (!doc || doc_kind_of(doc) != DOC_JOB)
		r->unread = true;
	if (diag.total)
		tell_all(r, use, &diag);
	diag_done(&diag);
	arena_done(&arena);
	return rc;
}
