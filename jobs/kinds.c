/* SPDX-License-Identifier: MIT */
/*
 * What each kind of step checks beyond its rows. Invariant: a step that passes holds names that the
 * tables know and patterns that compile, and stands where what it needs is there.
 */
#include "jobs/compile.h"

#include "base/fs.h"
#include "base/mem.h"
#include "io/pattern.h"
#include "labs/settings.h"
#include "reports/parse/parse.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define NAME_RULE "is made of letters, digits, '.', '_', '+' and '-'"

bool compile_complain(struct compile *c, struct loc at, const char *fmt, ...)
{
	char text[ERR_MSG_BYTES];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof text, fmt, ap);
	va_end(ap);
	c->bad = true;
	return !diag_add(c->diag, at, "%s", text);
}

bool labels_check(struct compile *c, const struct node *labels)
{
	bool good = true;

	node_each (labels, label) {
		if (!str_is_name(label->key))
			good = compile_complain(c, label->key_at, "a label's name " NAME_RULE);
		if (label->type != NODE_SCALAR)
			good = compile_complain(
				c, label->at, "label '%s' must be one text", label->key);
	}
	return good;
}

/* ---- the board's shell, as far as a job tells ---- */

static void no_shells(struct compile *c)
{
	map_done(&c->shells);
	c->any_shell = c->told_shell = false;
}

static bool check_shell(struct compile *c, const struct making *mk)
{
	const char *console = mk->s.console;
	bool is_main = !strcmp(console, "main");

	if (c->any_shell || c->told_shell || !str_is_name(console) || map_has(&c->shells, console))
		return true;
	c->told_shell = true;
	return compile_complain(c, mk->en->node->at,
		"%s needs a shell: put `- login%s%s%s` before it", mk->en->what,
		is_main ? "" : ": {console: ", is_main ? "" : console, is_main ? "" : "}");
}

/* ---- kinds ---- */

static bool check_env(struct compile *c, const struct node *env)
{
	bool good = true;

	node_each (env, kid) {
		const char *p = kid->key;

		while ((*p >= 'a' && *p <= 'z') || (*p >= 'A' && *p <= 'Z') || *p == '_' ||
			(p > kid->key && *p >= '0' && *p <= '9'))
			p++;
		if (*p || p == kid->key)
			good = compile_complain(c, kid->key_at,
				"'%.80s' is no name of a variable: letters, digits and '_', no "
				"digit "
				"first",
				kid->key);
		if (kid->type != NODE_SCALAR)
			good = compile_complain(
				c, kid->at, "variable '%s' must be one text", kid->key);
	}
	return good;
}

/* A parser is pure: it hears nothing of the run that its text comes from. */
static bool check_still(struct compile *c, const struct node *n)
{
	bool good = true;

	if (n->type == NODE_SCALAR && strstr(n->text, "${"))
		return compile_complain(
			c, n->at, "a parser is not told what is known only while the job runs");
	node_each (n, kid)
		good = check_still(c, kid) && good;
	return good;
}

static bool check_parse(struct compile *c, const struct node *parse)
{
	const struct node *settings;
	const char *name = plan_parser(parse, &settings);
	struct loc at = parse->type == NODE_MAP && parse->n ? parse->kids[0]->key_at : parse->at;
	const struct driver *d;

	if (!name)
		return compile_complain(c, parse->at,
			"'parse' must be the name of a parser, or a mapping of one to its "
			"settings");
	if (!c->tables->parsers)
		return true;
	d = settings_driver(c->tables->parsers, "parser", name, at, c->diag);
	if (!d || parser_check((const struct parser *)d, settings, at, c->diag))
		return false;
	return !settings || check_still(c, settings);
}

/* What a step makes of an output. */
static bool check_output(
	struct compile *c, const struct making *mk, const struct param_strings *patterns)
{
	const struct node *expect = node_find(mk->map, "expect"),
			  *parse = node_find(mk->map, "parse");
	bool good = true;

	if (parse && parse->type != NODE_NULL && !check_parse(c, parse))
		good = false;
	for (size_t i = 0; i < patterns->n; i++) {
		struct err e = {0};
		struct pattern *p = pattern_new(patterns->p[i], &e);

		if (!p)
			good = compile_complain(c,
				expect->type == NODE_LIST ? expect->kids[i]->at : expect->at,
				"'expect': %s", e.msg);
		pattern_free(p);
	}
	return good;
}

static bool check_run(struct compile *c, const struct making *mk)
{
	const struct step_run *run = mk->s.conf;
	bool good = check_output(c, mk, &run->expect);

	if (!*run->command)
		good = compile_complain(
			c, mk->en->node->at, "%s: 'command' is empty", mk->en->what);
	for (size_t i = 0; i < run->needs.n; i++)
		if (strspn(run->needs.p[i], " \t\n") == strlen(run->needs.p[i]))
			good = compile_complain(c, node_find(mk->map, "needs")->at,
				"'needs': an empty text names no program");
	return check_env(c, node_find(mk->map, "env")) && good;
}

static bool check_deploy(struct compile *c, const struct making *mk)
{
	const struct step_deploy *deploy = mk->s.conf;
	const struct node *images = node_find(mk->map, "images");
	bool good = true;

	if (c->tables->deploy && !settings_driver(c->tables->deploy, "deploy driver",
					 deploy->method, node_find(mk->map, "method")->at, c->diag))
		good = false;
	if (!deploy->images.n)
		good = compile_complain(c, images->at, "%s: 'images' is empty", mk->en->what);
	for (size_t i = 0; i < deploy->images.n; i++)
		if (!str_is_name(deploy->images.p[i]))
			good = compile_complain(c,
				images->type == NODE_LIST ? images->kids[i]->at : images->at,
				"'%s' is no role of an image: one " NAME_RULE, deploy->images.p[i]);
	if (!c->has_build)
		good = compile_complain(c, mk->en->node->at,
			"%s needs images: name a build at the top of the job (`build: NAME`)",
			mk->en->what);
	return good;
}

static bool check_boot(struct compile *c, const struct making *mk)
{
	const struct step_boot *boot = mk->s.conf;
	bool good = true;

	if (boot->via == BOOT_WARM && !check_shell(c, mk))
		good = false;
	if (boot->via == BOOT_WARM && !*boot->reset)
		good = compile_complain(c, mk->en->node->at, "%s: 'reset' is empty", mk->en->what);
	if (boot->via != BOOT_ON)
		no_shells(c);
	c->at_prompt = boot->until;
	if (c->tables->boot && !settings_driver(c->tables->boot, "boot driver", boot->method,
				       node_find(mk->map, "method")->at, c->diag))
		good = false;
	return good;
}

static bool check_loader(struct compile *c, const struct making *mk)
{
	const struct step_loader *loader = mk->s.conf;
	const struct node *commands = node_find(mk->map, "commands");
	bool good = check_output(c, mk, &loader->expect);

	if (!loader->commands.n)
		good = compile_complain(c, commands->at, "%s: 'commands' is empty", mk->en->what);
	if (!c->at_prompt)
		good = compile_complain(c, mk->en->node->at,
			"%s needs the boot loader's prompt: put `- boot: {method: ..., until: "
			"prompt}` before it",
			mk->en->what);
	return good;
}

/* A path that a shell command may hold. */
static bool check_path(struct compile *c, const struct making *mk, const char *key)
{
	const struct node *n = node_find(mk->map, key);

	if (n->text[0] == '/' && n->text[1])
		return true;
	return compile_complain(c, n->at, "%s: '%s' must be a path from '/' on", mk->en->what, key);
}

static bool check_fetch(struct compile *c, const struct making *mk)
{
	const struct step_fetch *fetch = mk->s.conf;
	bool good = check_path(c, mk, "from");

	if (fetch->as && !str_is_name(fetch->as))
		good = compile_complain(
			c, node_find(mk->map, "as")->at, "an artifact's name " NAME_RULE);
	return good;
}

/* The plan is read by a worker that knows nothing of where the job stood. */
static bool check_put(struct compile *c, const struct making *mk)
{
	const struct step_put *put = mk->s.conf;
	struct node *file = node_find(mk->s.params, "file");
	AUTOFREE char *path = fs_absolute(put->file);
	const char *p = put->mode;

	file->text = arena_strdup(c->x.a, path);
	while (*p >= '0' && *p <= '7')
		p++;
	if (*p || p - put->mode < 3 || p - put->mode > 4)
		return compile_complain(c, node_find(mk->map, "mode")->at,
			"%s: 'mode' must be 3 or 4 octal digits", mk->en->what);
	return check_path(c, mk, "to");
}

static bool check_measure(struct compile *c, const struct making *mk)
{
	const struct step_measure *measure = mk->s.conf;

	if (!strcmp(measure->with, "rails") && !node_find(measure->settings, "for"))
		return compile_complain(
			c, mk->en->node->at, "%s: 'for' says how long is measured", mk->en->what);
	return !settings_check(c->tables->measure, "measure driver", measure->with,
		node_find(mk->map, "with")->at, measure->settings, c->diag);
}

/* ---- between roles ---- */

static bool check_parts(struct compile *c, const struct making *mk)
{
	if (c->plan->roles.n)
		return true;
	return compile_complain(c, mk->en->node->at,
		"%s is between the roles of a job, and this one has no 'roles'", mk->en->what);
}

static bool check_word(
	struct compile *c, const struct making *mk, const char *key, const char *text)
{
	if (!text || str_is_name(text))
		return true;
	return compile_complain(
		c, node_find(mk->map, key)->at, "%s: '%s' " NAME_RULE, mk->en->what, key);
}

static bool check_role(
	struct compile *c, const struct making *mk, const char *key, const char *role)
{
	const struct param_strings *roles = &c->plan->roles;

	if (!role || !roles->n)
		return true;
	if (!strcmp(role, c->plan->role))
		return compile_complain(c, node_find(mk->map, key)->at,
			"%s: '%s' is the role itself", mk->en->what, key);
	for (size_t i = 0; i < roles->n; i++)
		if (!strcmp(roles->p[i], role))
			return true;
	c->bad = true;
	return !diag_unknown(
		c->diag, node_find(mk->map, key)->at, "role", role, roles->p, roles->n);
}

static bool check_tell(struct compile *c, const struct making *mk)
{
	const struct step_tell *tell = mk->s.conf;
	bool good = check_parts(c, mk);

	good = check_word(c, mk, "key", tell->key) && good;
	good = check_word(c, mk, "artifact", tell->artifact) && good;
	if (!tell->value == !tell->artifact)
		good = compile_complain(c, mk->en->node->at,
			"%s tells a 'value' or an 'artifact': one of them", mk->en->what);
	return check_role(c, mk, "to", tell->to) && good;
}

static bool check_hear(struct compile *c, const struct making *mk)
{
	const struct step_hear *hear = mk->s.conf;
	bool good = check_parts(c, mk);

	good = check_word(c, mk, "key", hear->key) && good;
	good = check_word(c, mk, "as", hear->as) && good;
	return check_role(c, mk, "from", hear->from) && good;
}

static bool check_barrier(struct compile *c, const struct making *mk)
{
	const struct step_barrier *barrier = mk->s.conf;
	bool good = check_parts(c, mk);

	return check_word(c, mk, "point", barrier->point) && good;
}

static bool check_own(struct compile *c, const struct making *mk)
{
	switch (mk->s.kind) {
	case STEP_POWER:
		if (((const struct step_power *)mk->s.conf)->action) { /* off or cycle */
			no_shells(c);
			c->at_prompt = false;
		}
		return true;
	case STEP_DEPLOY:
		return check_deploy(c, mk);
	case STEP_BOOT:
		return check_boot(c, mk);
	case STEP_LOADER:
		return check_loader(c, mk);
	case STEP_LOGIN:
		c->at_prompt = false;
		map_set(&c->shells, mk->s.console, c);
		return true;
	case STEP_RUN:
		return check_run(c, mk);
	case STEP_MEASURE:
		return check_measure(c, mk);
	case STEP_BARRIER:
		return check_barrier(c, mk);
	case STEP_TELL:
		return check_tell(c, mk);
	case STEP_HEAR:
		return check_hear(c, mk);
	case STEP_FETCH:
		return check_fetch(c, mk);
	case STEP_PUT:
		return check_put(c, mk);
	default:
		return true;
	}
}

bool kinds_check(struct compile *c, const struct making *mk)
{
	bool good = check_own(c, mk);

	if (step_specs[mk->s.kind].needs_shell && !check_shell(c, mk))
		good = false;
	return good;
}
