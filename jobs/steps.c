/* SPDX-License-Identifier: MIT */
/*
 * The steps of a job. Invariant: a step of the plan has its kind's settings filled and checked, a
 * name that no other step has, and a deadline within the job's.
 */
#include "jobs/compile.h"

#include "base/mem.h"
#include "io/pattern.h"
#include "labs/settings.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NAME_RULE "is made of letters, digits, '.', '_', '+' and '-'"

/* One combination of one entry on its way to a step. */
struct making {
	const struct entry *en;
	const struct matrix *m;
	const char *const *picked;
	struct node *map; /* expanded settings */
	struct step_common common;
	struct step s;
};

static bool complain(struct compile *c, struct loc at, const char *fmt, ...) PRINTF(3, 4);
static bool complain(struct compile *c, struct loc at, const char *fmt, ...)
{
	char text[ERR_MSG_BYTES];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof text, fmt, ap);
	va_end(ap);
	c->bad = true;
	return !diag_add(c->diag, at, "%s", text);
}

/* ---- what each kind checks beyond its rows ---- */

static bool check_labels(struct compile *c, const struct making *mk)
{
	const struct node *labels = node_find(mk->map, "labels");
	bool good = true;

	node_each (labels, label) {
		if (!str_is_name(label->key))
			good = complain(c, label->key_at, "a label's name " NAME_RULE);
		if (label->type != NODE_SCALAR)
			good = complain(c, label->at, "label '%s' must be one text", label->key);
	}
	return good;
}

static bool check_run(struct compile *c, const struct making *mk)
{
	const struct step_run *run = mk->s.conf;
	const struct node *expect = node_find(mk->map, "expect"),
			  *parse = node_find(mk->map, "parse");
	bool good = true;

	if (!*run->command)
		good = complain(c, mk->en->node->at, "%s: 'command' is empty", mk->en->what);
	if (run->parse && c->tables->parsers &&
		!settings_driver(c->tables->parsers, "parser", run->parse, parse->at, c->diag))
		good = false;
	for (size_t i = 0; i < run->expect.n; i++) {
		struct err e = {0};
		struct pattern *p = pattern_new(run->expect.p[i], &e);

		if (!p)
			good = complain(c,
				expect->type == NODE_LIST ? expect->kids[i]->at : expect->at,
				"'expect': %s", e.msg);
		pattern_free(p);
	}
	if (!c->has_shell && !c->told_shell) {
		c->told_shell = true;
		good = complain(c, mk->en->node->at, "%s needs a shell: put `- login` before it",
			mk->en->what);
	}
	return good && check_labels(c, mk);
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
		good = complain(c, images->at, "%s: 'images' is empty", mk->en->what);
	for (size_t i = 0; i < deploy->images.n; i++)
		if (!str_is_name(deploy->images.p[i]))
			good = complain(c,
				images->type == NODE_LIST ? images->kids[i]->at : images->at,
				"'%s' is no role of an image: one " NAME_RULE, deploy->images.p[i]);
	if (!c->has_build)
		good = complain(c, mk->en->node->at,
			"%s needs images: name a build at the top of the job (`build: NAME`)",
			mk->en->what);
	return good;
}

static bool check_boot(struct compile *c, const struct making *mk)
{
	const struct step_boot *boot = mk->s.conf;

	c->has_shell = c->told_shell = false;
	return !c->tables->boot || settings_driver(c->tables->boot, "boot driver", boot->method,
					   node_find(mk->map, "method")->at, c->diag);
}

static bool check_measure(struct compile *c, const struct making *mk)
{
	const struct step_measure *measure = mk->s.conf;

	return !settings_check(c->tables->measure, "measure driver", measure->with,
		       node_find(mk->map, "with")->at, measure->settings, c->diag) &&
	       check_labels(c, mk);
}

static bool check_kind(struct compile *c, const struct making *mk)
{
	switch (mk->s.kind) {
	case STEP_POWER:
		if (((const struct step_power *)mk->s.conf)->action) /* off or cycle */
			c->has_shell = c->told_shell = false;
		return true;
	case STEP_DEPLOY:
		return check_deploy(c, mk);
	case STEP_BOOT:
		return check_boot(c, mk);
	case STEP_LOGIN:
		c->has_shell = true;
		return true;
	case STEP_RUN:
		return check_run(c, mk);
	case STEP_MEASURE:
		return check_measure(c, mk);
	default:
		return true;
	}
}

/* ---- names ---- */

/* Appends "-v1-v2", with what no name may hold made '_'. */
static const char *with_values(struct arena *a, const char *name, const struct making *mk)
{
	AUTOBUF out = BUF_INIT(EXPAND_TEXT_BYTES);

	buf_puts(&out, name);
	for (size_t k = 0; k < mk->m->n; k++) {
		char part[2] = {'-', 0};

		buf_puts(&out, part);
		for (const char *p = mk->picked[k]; *p; p++) {
			part[0] = *p;
			buf_putc(&out, str_is_name(part) || strchr("._+-", *p) ? *p : '_');
		}
	}
	return arena_strdup(a, buf_str(&out));
}

static bool name_step(struct compile *c, struct making *mk, bool *implicit)
{
	const char *raw = node_text(mk->en->map, "name");
	const struct node *name = node_find(mk->map, "name");
	struct step *s = &mk->s;
	bool good = true;

	*implicit = !mk->common.name;
	s->name = *implicit ? step_specs[s->kind].name : mk->common.name;
	if (*implicit || !strstr(raw, "${"))
		s->name = with_values(c->x.a, s->name, mk);
	if (!str_is_name(s->name))
		good = complain(c, name ? name->at : mk->en->node->at,
			"'%.80s' is no name for a step: one " NAME_RULE ", at most %d of them",
			s->name, STR_NAME_BYTES - 1);
	s->suite = mk->common.suite ? mk->common.suite : c->job;
	if (!str_is_name(s->suite))
		good = complain(c, node_find(mk->map, "suite")->at, "a suite's name " NAME_RULE);
	s->console = mk->common.console;
	if (!str_is_name(s->console))
		good = complain(
			c, node_find(mk->map, "console")->at, "a console's name " NAME_RULE);
	return good;
}

/* last: base name -> the highest number that was tried. */
static void number_step(struct arena *a, struct step *s, struct map *taken, struct map *last)
{
	const char *base = s->name;
	uintptr_t n = (uintptr_t)map_find(last, base);

	if (!n && !map_has(taken, base))
		n = 1;
	else
		do {
			n = n ? n + 1 : 2;
			s->name = arena_printf(a, "%s-%u", base, (unsigned)n);
		} while (map_has(taken, s->name));
	map_set(last, base, (void *)n);
	map_set(taken, s->name, s);
}

/* Explicit names must differ; those made up take the next free number. */
static void settle_names(struct compile *c)
{
	struct map taken = {0}, last = {0};
	struct loc told = {0};

	for (size_t i = 0; i < c->steps.n; i++) {
		const struct compile_step *it = &c->steps.p[i];
		const struct step *first = map_find(&taken, it->s.name);

		if (it->implicit)
			continue;
		if (!first) {
			map_set(&taken, it->s.name, &c->steps.p[i].s);
		} else if (told.line != it->s.at.line || told.col != it->s.at.col) {
			told = it->s.at;
			if (first->at.line == told.line && first->at.col == told.col)
				complain(c, told,
					"the matrix makes several steps named '%s': put its keys, "
					"as ${key}, in 'name'",
					it->s.name);
			else
				complain(c, told, "a step named '%s' is there already, at line %u",
					it->s.name, first->at.line);
		}
	}
	for (size_t i = 0; i < c->steps.n; i++)
		if (c->steps.p[i].implicit)
			number_step(c->x.a, &c->steps.p[i].s, &taken, &last);
	map_done(&taken);
	map_done(&last);
}

/* ---- one step ---- */

static bool check_timeout(struct compile *c, const struct making *mk)
{
	char step[32], job[32];
	int64_t own = mk->common.timeout_ms;

	if (!own || !c->timeout_ms || own <= c->timeout_ms)
		return true;
	return complain(c, node_find(mk->map, "timeout")->at,
		"%s: its timeout of %s is longer than the whole job's, %s", mk->en->what,
		str_format_ms(own, step, sizeof step),
		str_format_ms(c->timeout_ms, job, sizeof job));
}

/* Fills mk->s and mk->common from mk->map, which keeps only what the kind owns. */
static bool fill_step(struct compile *c, struct making *mk)
{
	const struct step_spec *spec = &step_specs[mk->en->kind];
	size_t common_at = settings_common_at(spec);
	char *conf = arena_alloc(c->x.a, common_at + sizeof mk->common);
	const struct param *rows = c->rows[mk->en->kind];
	struct node *known = node_new(c->x.a, NODE_MAP, mk->map->at), *rest = NULL;
	struct node *own = node_new(c->x.a, NODE_MAP, mk->map->at);

	node_each (mk->map, kid)
		node_list_add(c->x.a, known, kid);
	if (mk->en->kind == STEP_MEASURE)
		rest = settings_rest(c->x.a, rows, known);
	if (schema_fill(c->x.a, rows, mk->en->what, known, conf, c->diag)) {
		c->bad = true;
		return false;
	}
	memcpy(&mk->common, conf + common_at, sizeof mk->common);
	if (rest)
		((struct step_measure *)(void *)conf)->settings = rest;
	for (size_t i = 0; i < mk->map->n; i++) {
		const struct param *row = step_common_params;

		while (row->name && strcmp(row->name, mk->map->kids[i]->key))
			row++;
		if (!row->name)
			node_list_add(c->x.a, own, mk->map->kids[i]);
	}
	mk->s.kind = (enum step_kind)mk->en->kind;
	mk->s.conf = conf;
	mk->s.params = own;
	mk->s.at = expand_loc(&c->x, mk->en->node->at);
	mk->s.timeout_ms = mk->common.timeout_ms ? mk->common.timeout_ms : spec->timeout_ms;
	return true;
}

static bool compile_one(struct compile *c, const struct entry *en, const struct matrix *m,
	const char *const *picked)
{
	struct making mk = {.en = en, .m = m, .picked = picked};
	struct compile_step step = {0};
	bool good;

	mk.map = settings_expand(c, en, m, picked);
	if (!mk.map || !fill_step(c, &mk)) {
		c->bad = true;
		if (en->kind == STEP_LOGIN)
			c->has_shell = true; /* a later `run` is not to blame */
		return false;
	}
	good = name_step(c, &mk, &step.implicit);
	good = check_timeout(c, &mk) && good;
	good = check_kind(c, &mk) && good;
	if (!good)
		c->bad = true;
	step.s = mk.s;
	vec_push(&c->steps, step);
	return good;
}

static void compile_entry(struct compile *c, const struct node *n, size_t number)
{
	const char *picked[MATRIX_KEYS];
	struct entry en;
	struct matrix m;

	if (!entry_read(c, &en, n, number)) {
		c->has_shell = true;
		return;
	}
	if (matrix_read(c, &m, en.what, node_find(en.map, "matrix"))) {
		c->bad = true;
		return;
	}
	if (c->steps.n + m.product > PLAN_STEPS_MAX) {
		complain(c, n->at, "more than %d steps", PLAN_STEPS_MAX);
		return;
	}
	for (size_t i = 0; i < m.product; i++) {
		matrix_pick(&m, i, picked);
		if (!compile_one(c, &en, &m, picked))
			break; /* the same would be said of every combination */
	}
}

void compile_steps(struct compile *c, const struct node *list)
{
	struct plan *p = c->plan;

	for (int kind = 0; kind < STEP_COUNT; kind++)
		c->rows[kind] = settings_rows(
			c->x.a, &step_specs[kind], settings_common_at(&step_specs[kind]));
	if (!list->n)
		complain(c, list->at, "a job needs at least one step");
	for (size_t i = 0; i < list->n && !c->x.full; i++)
		compile_entry(c, list->kids[i], i + 1);
	settle_names(c);
	p->steps = arena_alloc(c->x.a, (c->steps.n + 1) * sizeof *p->steps);
	for (size_t i = 0; i < c->steps.n; i++)
		p->steps[i] = c->steps.p[i].s;
	p->n = c->steps.n;
}
