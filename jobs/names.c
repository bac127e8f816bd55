/* SPDX-License-Identifier: MIT */
/*
 * Names of steps. Invariant: names given in a job differ, or the job is refused; a name made up is
 * a free one, and the same for the same job.
 */
#include "jobs/compile.h"

#include <stdlib.h>
#include <string.h>

#define NAME_RULE "is made of letters, digits, '.', '_', '+' and '-'"

/* Appends "-v1-v2" of the matrix, with what no name may hold made '_', and the cycle. */
static const char *with_values(
	struct arena *a, const char *name, const struct making *mk, const char *cycle)
{
	AUTOBUF out = BUF_INIT(EXPAND_TEXT_BYTES);

	buf_puts(&out, name);
	for (size_t k = 0; mk->picked && k < mk->m->n; k++) {
		char part[2] = {'-', 0};

		buf_puts(&out, part);
		for (const char *p = mk->picked[k]; *p; p++) {
			part[0] = *p;
			buf_putc(&out, str_is_name(part) || strchr("._+-", *p) ? *p : '_');
		}
	}
	if (cycle)
		buf_printf(&out, "-%s", cycle);
	return arena_strdup(a, buf_str(&out));
}

/* A name with ${ in it says itself what tells one step from the next. */
static const char *make_name(struct compile *c, struct making *mk, bool implicit)
{
	const char *raw = implicit ? "" : node_text(mk->en->map, "name");
	const char *kind = step_specs[mk->s.kind].name, *base = mk->common.name;
	const char *cycle = strstr(raw, "${cycle}") ? NULL : c->turn->cycle;
	struct making plain = *mk;

	if (implicit)
		base = c->turn->name ? arena_printf(c->x.a, "%s-%s", c->turn->name, kind) : kind;
	if (strstr(raw, "${"))
		plain.picked = NULL;
	return with_values(c->x.a, base, &plain, cycle);
}

bool names_set(struct compile *c, struct making *mk, bool *implicit)
{
	const struct node *name = node_find(mk->map, "name");
	const char *suite = c->turn->suite ? c->turn->suite : c->job;
	struct step *s = &mk->s;
	bool good = true;

	*implicit = !mk->common.name;
	s->name = make_name(c, mk, *implicit);
	if (!str_is_name(s->name))
		good = compile_complain(c, name ? name->at : mk->en->node->at,
			"'%.80s' is no name for a step: one " NAME_RULE ", at most %d of them",
			s->name, STR_NAME_BYTES - 1);
	s->suite = mk->common.suite ? mk->common.suite : suite;
	if (mk->common.suite && !str_is_name(s->suite))
		good = compile_complain(
			c, node_find(mk->map, "suite")->at, "a suite's name " NAME_RULE);
	s->console = mk->common.console;
	if (!str_is_name(s->console))
		good = compile_complain(
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
void names_settle(struct compile *c)
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
				compile_complain(c, told,
					"the matrix or repeat makes several steps named '%s': put "
					"its keys, "
					"as ${key}, in 'name'",
					it->s.name);
			else
				compile_complain(c, told,
					"a step named '%s' is there already, at line %u",
					it->s.name, first->at.line);
		}
	}
	for (size_t i = 0; i < c->steps.n; i++)
		if (c->steps.p[i].implicit)
			number_step(c->x.a, &c->steps.p[i].s, &taken, &last);
	map_done(&taken);
	map_done(&last);
}
