/* SPDX-License-Identifier: MIT */
/*
 * From a job document to a plan: params, head, steps. Invariant: every problem is looked for
 * whatever was found before, and a plan is handed out only when there was none.
 */
#include "jobs/compile.h"

#include "base/mem.h"
#include "io/crash-rules.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PARAMS_MAX 256

static struct loc setting_loc(const struct job_setting *setting)
{
	return setting->at.file ? setting->at : (struct loc){.file = "--param"};
}

static bool is_param_name(const char *name)
{
	return str_is_name(name) && !strchr(name, '.');
}

static const struct job_setting *find_setting(
	const struct job_setting *settings, size_t n, const char *name)
{
	const struct job_setting *found = NULL;

	for (size_t i = 0; i < n; i++) /* the last one wins, as everywhere on command lines */
		if (!strcmp(settings[i].name, name))
			found = &settings[i];
	return found;
}

static bool is_choice(const struct param_strings *choices, const char *value)
{
	for (size_t i = 0; i < choices->n; i++)
		if (!strcmp(choices->p[i], value))
			return true;
	return !choices->n;
}

/* The value of one declared param, or NULL after it was reported. */
static const char *param_value(
	struct compile *c, const struct node *n, const struct job_setting *setting, bool check_only)
{
	struct job_param param = {0};
	char what[STR_NAME_BYTES + 24];
	const struct node *preset = n->type == NODE_MAP ? node_find(n, "default") : n;
	const char *value;
	struct loc at = preset ? preset->at : n->at;

	snprintf(what, sizeof what, "param '%s'", n->key);
	if (n->type == NODE_SCALAR)
		param.preset = n->text; /* `size: 64MiB` */
	else if (schema_fill(c->x.a, job_param_params, what, n, &param, c->diag))
		return NULL;
	if (setting)
		at = setting_loc(setting);
	value = setting ? setting->value : param.preset;
	if (!value && check_only)
		value = param.example ? param.example : param.choices.n ? param.choices.p[0] : "0";
	if (!value) {
		diag_add(c->diag, n->key_at, "%s has no default: give --param %s=VALUE%s%s", what,
			n->key, param.help ? ": " : "", param.help ? param.help : "");
		return NULL;
	}
	if (!is_choice(&param.choices, value)) {
		snprintf(what, sizeof what, "value of param '%s'", n->key);
		diag_unknown(c->diag, at, what, value, param.choices.p, param.choices.n);
		return NULL;
	}
	return expand_text(&c->x, NULL, at, value, true) ? arena_strdup(c->x.a, value) : NULL;
}

static void compile_params(struct compile *c, const struct node *map,
	const struct job_setting *settings, size_t n_settings, bool check_only)
{
	size_t declared = map && map->type == NODE_MAP ? map->n : 0;
	const char **names = arena_alloc(c->x.a, (declared + 1) * sizeof *names);
	const char **values = arena_alloc(c->x.a, (declared + 1) * sizeof *values);
	struct node *record = node_new(c->x.a, NODE_MAP, (struct loc){0});

	if (declared > PARAMS_MAX) {
		diag_add(c->diag, map->key_at, "more than %d params", PARAMS_MAX);
		declared = 0;
		c->bad = true;
	}
	for (size_t i = 0; i < declared; i++) {
		const struct node *n = map->kids[i];

		names[i] = arena_strdup(c->x.a, n->key);
		if (!is_param_name(n->key))
			c->bad = diag_add(c->diag, n->key_at,
				"a param's name is made of letters, digits, '_', '+' and '-'");
		values[i] =
			param_value(c, n, find_setting(settings, n_settings, n->key), check_only);
		if (!values[i]) {
			c->bad = true;
			values[i] = "0"; /* so that its uses are not reported as well */
		}
		node_map_set(
			c->x.a, record, n->key, node_scalar(c->x.a, values[i], (struct loc){0}));
		record->kids[record->n - 1]->quoted = true;
	}
	for (size_t i = 0; i < n_settings; i++) {
		size_t j = 0;

		while (j < declared && strcmp(names[j], settings[i].name))
			j++;
		if (j == declared)
			c->bad = diag_unknown(c->diag, setting_loc(&settings[i]), "param",
				settings[i].name, names, declared);
	}
	c->params = (struct expand_scope){names, values, declared, NULL};
	c->plan->params = record;
}

/* The top level with its texts expanded, params and steps as they are. */
static struct node *expand_head(struct compile *c, const struct node *doc)
{
	struct node *head = node_new(c->x.a, NODE_MAP, expand_loc(&c->x, doc->at));

	for (size_t i = 0; i < doc->n; i++) {
		struct node *kid = doc->kids[i], *done;

		if (!strcmp(kid->key, "job") || !strcmp(kid->key, "params") ||
			!strcmp(kid->key, "steps") || !strcmp(kid->key, "roles")) {
			node_list_add(c->x.a, head, kid);
			continue;
		}
		done = expand_node(&c->x, &c->params, kid, false);
		if (done)
			node_list_add(c->x.a, head, done);
		else
			c->bad = true;
	}
	return head;
}

static void compile_head(struct compile *c, const struct node *doc, struct job_head *head)
{
	struct node *map = expand_head(c, doc);
	const struct node *name = node_find(map, "job");
	struct plan *p = c->plan;

	if (schema_fill(c->x.a, job_params, "job", map, head, c->diag))
		c->bad = true;
	if (head->name && !str_is_name(head->name)) {
		c->bad = diag_add(c->diag, name->at,
			"a job's name is made of letters, digits, '.', '_', '+' and '-'");
		head->name = NULL;
	}
	if (head->build && !*head->build)
		c->bad = diag_add(c->diag, node_find(map, "build")->at, "'build' is empty");
	if (!head->steps && !head->roles && !node_find(map, "roles") && !node_find(map, "steps"))
		c->bad = diag_add(c->diag, map->at, "missing key 'steps' in job");
	p->job = head->name;
	p->description = head->description;
	p->timeout_ms = head->timeout_ms;
	p->build = head->build;
	p->match = head->match;
	if (crash_rules_check(head->crash, c->diag))
		c->bad = true;
	p->crash = head->crash ? node_copy(c->x.a, head->crash) : NULL;
	c->timeout_ms = head->timeout_ms;
	c->job = head->name ? head->name : "job";
	c->has_build = node_find(doc, "build") != NULL;
}

/* What stands at the top of a job for one board has no meaning beside roles. */
static void roles_alone(struct compile *c)
{
	static const char *const keys[] = {"board", "steps"};

	for (size_t i = 0; i < ARRAY_LEN(keys); i++) {
		const struct node *n = node_find(c->doc, keys[i]);

		if (n)
			c->bad = diag_add(c->diag, n->key_at,
				"'%s' stands beside 'roles': say it in each of them", keys[i]);
	}
}

struct source { /* what is compiled */
	const struct node *doc;
	const struct job_setting *settings;
	size_t n_settings;
	const struct job_tables *tables;
	bool check_only;
};

/* One part; *n: how many the job has. A plan outlives the document: nothing in it may point there.
 */
static int compile(const struct source *src, size_t part, struct plan *out,
	const struct node **board, size_t *n, struct diag *diag)
{
	static const struct job_tables no_tables;
	const struct node *doc = src->doc;
	struct plan plan = {0};
	struct job_head head = {0};
	struct compile c = {.plan = &plan,
		.doc = doc,
		.x = {.a = &plan.arena, .cap_bytes = PLAN_BYTES_MAX, .diag = diag},
		.tables = src->tables ? src->tables : &no_tables,
		.diag = diag};

	*n = 1;
	if (doc->type != NODE_MAP)
		return diag_add(diag, doc->at, "a job must be a mapping");
	compile_params(
		&c, node_find(doc, "params"), src->settings, src->n_settings, src->check_only);
	compile_head(&c, doc, &head);
	*board = node_find(doc, "board");
	if (head.roles) {
		roles_alone(&c);
		*n = roles_pick(&c, head.roles, part, &head.steps, board);
	}
	if (head.steps)
		compile_steps(&c, head.steps);
	vec_done(&c.steps);
	if (c.bad) {
		plan_done(&plan);
		return -1;
	}
	*out = plan;
	return 0;
}

bool job_has_roles(const struct node *doc)
{
	return doc && doc->type == NODE_MAP && node_find(doc, "roles");
}

static int compile_one(const struct source *src, struct plan *out, struct diag *diag)
{
	const struct node *board;
	size_t n;

	if (job_has_roles(src->doc))
		return diag_add(diag, node_find(src->doc, "roles")->key_at,
			"a job with roles is for several boards: it needs a controller (hilab "
			"submit)");
	return compile(src, 0, out, &board, &n, diag);
}

/* What is wrong with the top of a job is found in each of its parts, and told once. */
static void add_new(struct diag *to, const struct diag *from)
{
	for (size_t k = 0; k < from->entries.n; k++) {
		const struct diag_entry *it = &from->entries.p[k];
		size_t i = 0;

		while (i < to->entries.n && (to->entries.p[i].at.line != it->at.line ||
						    to->entries.p[i].at.col != it->at.col ||
						    strcmp(to->entries.p[i].text, it->text) != 0))
			i++;
		if (i == to->entries.n)
			diag_add(to, it->at, "%s", it->text);
	}
}

static int compile_parts(const struct source *src, struct job_parts *out, struct diag *diag)
{
	struct job_parts parts = {0};
	size_t n = 1, i;
	int rc = 0;

	for (i = 0; i < n && i < PLAN_ROLES_MAX; i++) {
		struct diag own = {0};

		if (compile(src, i, &parts.plans[i], &parts.boards[i], &n, &own))
			rc = -1;
		add_new(diag, &own);
		diag_done(&own);
	}
	parts.n = i;
	if (!rc && job_has_roles(src->doc)) {
		struct diag own = {0};

		rc = roles_meet(parts.plans, parts.n, &own);
		add_new(diag, &own);
		diag_done(&own);
	}
	if (rc)
		job_parts_done(&parts);
	else
		*out = parts;
	return rc;
}

void job_parts_done(struct job_parts *p)
{
	for (size_t i = 0; i < p->n; i++)
		plan_done(&p->plans[i]);
	p->n = 0;
}

int job_compile(struct plan *p, const struct node *doc, const struct job_setting *settings,
	size_t n_settings, const struct job_tables *tables, struct diag *diag)
{
	const struct source src = {doc, settings, n_settings, tables, false};

	return compile_one(&src, p, diag);
}

int job_compile_preset(
	struct plan *p, const struct node *doc, const struct job_tables *tables, struct diag *diag)
{
	const struct source src = {doc, NULL, 0, tables, true};

	return compile_one(&src, p, diag);
}

int job_compile_parts(struct job_parts *out, const struct node *doc,
	const struct job_setting *settings, size_t n_settings, const struct job_tables *tables,
	struct diag *diag)
{
	const struct source src = {doc, settings, n_settings, tables, false};

	return compile_parts(&src, out, diag);
}

int job_compile_parts_preset(struct job_parts *out, const struct node *doc,
	const struct job_tables *tables, struct diag *diag)
{
	const struct source src = {doc, NULL, 0, tables, true};

	return compile_parts(&src, out, diag);
}

int job_check(const struct node *doc, const struct job_tables *tables, struct diag *diag)
{
	struct job_parts parts;
	int rc = job_compile_parts_preset(&parts, doc, tables, diag);

	if (!rc)
		job_parts_done(&parts);
	return rc;
}
