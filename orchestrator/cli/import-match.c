/* SPDX-License-Identifier: MIT */
/*
 * Cells of published tables by the rules of a mapping. Invariant: a cell is stored only when a rule
 * says what it is, its text is a figure, and its unit is printed or told by that rule and
 * converts; everything else is counted and told.
 */
#include "cli/import-map.h"

#include "base/mem.h"
#include "reports/parse/cell.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define LABELS_MAX 32

bool map_matches(const struct map_pattern *p, const char *text, struct map_groups *g)
{
	struct pattern_match match;

	if (!p->p)
		return true;
	if (pattern_search(p->p, str_of(text ? text : ""), 0, false, &match) <= 0)
		return false;
	for (size_t i = 1; g && i < PATTERN_GROUPS; i++)
		if (p->names[i] && match.group[i].p && g->n < MAP_GROUPS)
			g->p[g->n++] = (struct map_group){p->names[i], match.group[i]};
	return true;
}

int64_t map_names(const struct import_map *m, const char *section, const char *table)
{
	int64_t most = 0;

	vec_each (&m->rules, r)
		if (r->names > most && map_matches(&r->patterns[MAP_SECTION], section, NULL) &&
			map_matches(&r->patterns[MAP_TABLE], table, NULL))
			most = r->names;
	return most;
}

static const struct map_group *group(const struct map_groups *g, struct str name)
{
	for (size_t i = g->n; i-- > 0;) /* a pattern's own before a record's column */
		if (str_is(name, g->p[i].name))
			return &g->p[i];
	return NULL;
}

static void put_group(struct str text, bool lower, struct buf *out)
{
	for (size_t i = 0; i < text.n; i++)
		buf_putc(out, lower && text.p[i] >= 'A' && text.p[i] <= 'Z' ? text.p[i] + 'a' - 'A'
									    : text.p[i]);
}

const char *map_fill(struct arena *a, const char *template, const struct map_groups *g)
{
	AUTOBUF out = BUF_INIT(1 << 16);

	for (const char *s = template; s && *s;) {
		size_t n = strcspn(s, "{");
		const struct map_group *found;

		buf_add(&out, s, n);
		s += n;
		if (!*s)
			break;
		n = strcspn(++s, ":}");
		found = group(g, str_make(s, n));
		if (!found)
			return NULL;
		put_group(found->text, !strncmp(s + n, ":lower}", 7), &out);
		s += strcspn(s, "}");
		s += *s != 0;
	}
	return template ? arena_strdup(a, buf_str(&out)) : NULL;
}

/* ---- the unit ---------------------------------------------------------------------------------
 */

/* What a printed unit stands for by the mapping; itself where that says nothing. */
static const char *stands_for(
	const struct import_map *m, const struct map_rule *r, const char *printed)
{
	const char *text = node_text(r->units, printed);

	for (size_t i = 0; !text && i < m->units.n; i++)
		text = node_text(m->units.p[i], printed);
	return text ? text : printed;
}

static bool is_unit(const struct metric_def *def, const char *unit)
{
	double value;

	return (*unit && metric_unit_known(unit)) || !metric_value(def, 1, unit, &value, NULL);
}

/* The unit that is printed nearest to the figure, or the rule's. NULL: none. */
static const char *unit_of(struct arena *a, const struct import_map *m, const struct map_rule *r,
	const struct map_cell *c, struct str own, const struct metric_def *def)
{
	const struct str printed[] = {own, c->unit, cell_bracket(str_of(c->text[MAP_ROW])),
		cell_bracket(str_of(c->text[MAP_COLUMN])),
		cell_bracket(str_of(c->text[MAP_TABLE]))};
	const char *unknown = NULL;

	for (size_t i = 0; i < ARRAY_LEN(printed); i++) {
		const char *text = arena_strndup(a, printed[i].p ? printed[i].p : "", printed[i].n),
			   *unit = stands_for(m, r, text);

		if (*text && is_unit(def, unit))
			return unit;
		/* What is printed beside the figure itself is a unit, known or not. */
		if (i < 2 && *text)
			return unit;
		if (*text && !unknown)
			unknown = unit;
	}
	if (r->unit || unknown)
		return r->unit ? r->unit : unknown;
	return is_unit(def, "") ? "" : NULL;
}

/* ---- labels -----------------------------------------------------------------------------------
 */

/* The text of the cell beside under a heading; a number without the zeros at its end. */
static const char *beside(struct arena *a, const struct map_cell *c, const char *heading)
{
	struct str at, text;
	struct cell_figure f;

	for (size_t i = 0; c->beside && c->beside(c->arg, i, &at, &text); i++) {
		if (at.n != strlen(heading) || strncasecmp(at.p, heading, at.n))
			continue;
		if (cell_figure(text, &f) != CELL_FIGURE)
			return text.n ? arena_strndup(a, text.p, text.n) : NULL;
		return arena_printf(a, "%.15g", f.value);
	}
	return NULL;
}

static size_t labels_of(struct arena *a, const struct map_rule *r, const struct map_cell *c,
	const struct map_groups *g, struct sink_label *labels)
{
	size_t n = 0;

	node_each (r->labels, kid) {
		const char *value = map_fill(a, kid->text, g);

		if (value && *value && n < LABELS_MAX)
			labels[n++] = (struct sink_label){kid->key, value};
	}
	node_each (r->from, kid) {
		const char *heading = map_fill(a, kid->text, g),
			   *value = heading ? beside(a, c, heading) : NULL;

		if (value && n < LABELS_MAX)
			labels[n++] = (struct sink_label){kid->key, value};
	}
	return n;
}

/* ---- the run ----------------------------------------------------------------------------------
 */

static const struct node *board_of(const struct import_map *m, const char *printed)
{
	const struct node *found = NULL;

	for (size_t i = 0; printed && !found && i < m->boards.n; i++)
		found = node_find(m->boards.p[i], printed);
	return found;
}

/* Of which run; false: not of the board that was asked for. */
static bool id_of(const struct import_map *m, struct import_draft *d, const struct map_groups *g,
	struct import_id *id)
{
	struct arena *a = &d->arena;
	const struct map_group *printed = group(g, STR_LIT("board"));
	const char *name = printed ? arena_strndup(a, printed->text.p, printed->text.n) : NULL,
		   *date = map_fill(a, m->run.date, g);
	const struct node *board = board_of(m, name ? name : d->only_board);
	const char *type = board && board->type == NODE_SCALAR ? board->text
							       : node_text(board, "type"),
		   *given = map_fill(a, m->run.type, g);

	if (d->args->of && name && strcmp(d->args->of, name))
		return false;
	if (name)
		map_set(&d->printed, name, d);
	*id = (struct import_id){
		.type = type ? type : given,
		.board = node_text(board, "board") ? node_text(board, "board")
						   : map_fill(a, m->run.board, g),
		.soc = node_text(board, "soc") ? node_text(board, "soc")
					       : map_fill(a, m->run.soc, g),
		.build = map_fill(a, m->run.build, g),
		.version = map_fill(a, m->run.release, g),
		.job = map_fill(a, m->run.job, g),
		.twin = m->run.twin,
	};
	if (!id->board)
		id->board = name ? name : d->only_board;
	if (date && import_date(date, &id->at_ms))
		id->at_ms = 0;
	*id = import_id_of(d, *id);
	return true;
}

/* ------------------------------------------------------------------------------------------------
 */

static const struct map_rule *find_rule(
	const struct import_map *m, struct map_cell *c, struct map_groups *g)
{
	vec_each (&m->rules, r) {
		struct map_groups made = *g;
		const char *row = c->names ? c->names[r->names - 1] : c->text[MAP_ROW];

		if ((c->names && c->at < (size_t)r->names) ||
			!map_matches(&r->patterns[MAP_TABLE], c->text[MAP_TABLE], &made) ||
			!map_matches(&r->patterns[MAP_SECTION], c->text[MAP_SECTION], &made) ||
			!map_matches(&r->patterns[MAP_ABOVE], c->text[MAP_ABOVE], &made) ||
			!map_matches(&r->patterns[MAP_ROW], row, &made) ||
			!map_matches(&r->patterns[MAP_COLUMN], c->text[MAP_COLUMN], &made))
			continue;
		c->text[MAP_ROW] = row;
		*g = made;
		return r;
	}
	return NULL;
}

static bool column_number(struct str text, double *out)
{
	struct cell_figure f;

	if (!text.n || cell_figure(text, &f) != CELL_FIGURE)
		return false;
	*out = f.value;
	return true;
}

/* The figure of the cell; what is printed in columns of its own counts as well. */
static enum map_answer read_cell(
	struct import_draft *d, const struct map_cell *c, struct cell_figure *f)
{
	switch (cell_figure(c->value, f)) {
	case CELL_MISSING:
		d->n_missing++;
		return MAP_MISSING;
	case CELL_TEXT:
		import_warn(d, c->line, "'%.*s' is not a figure",
			(int)(c->value.n < 60 ? c->value.n : 60), c->value.p);
		d->n_refused++;
		return MAP_REFUSED;
	case CELL_FIGURE:
		break;
	}
	column_number(c->min, &f->min);
	column_number(c->max, &f->max);
	/* Rounded by itself, a mean may lie a last digit outside. */
	if (f->min > f->value && f->min - f->value <= f->step)
		f->min = f->value;
	if (f->max < f->value && f->value - f->max <= f->step)
		f->max = f->value;
	return MAP_TAKEN;
}

static enum map_answer refuse(
	struct import_draft *d, const struct map_cell *c, const char *why, const char *what)
{
	import_warn(d, c->line, "%s: %s", what, why);
	d->n_refused++;
	return MAP_REFUSED;
}

/* The same metric with the same labels would be two figures of one thing. */
static bool stands_twice(
	struct import_draft *d, const struct import_run *run, const struct sink_metric *m)
{
	AUTOBUF key = BUF_INIT(1 << 16);
	bool had;

	buf_printf(&key, "%p %s", (const void *)run, m->name);
	for (size_t i = 0; i < m->n; i++)
		buf_printf(&key, " %s=%s", m->labels[i].name, m->labels[i].value);
	had = map_has(&d->seen, buf_str(&key));
	map_set(&d->seen, buf_str(&key), d);
	return had;
}

static enum map_answer take(const struct import_map *m, struct import_draft *d,
	const struct map_rule *r, const struct map_cell *c, const struct map_groups *g,
	const struct cell_figure *f)
{
	struct arena *a = &d->arena;
	const char *name = map_fill(a, r->metric, g);
	const struct metric_def *def = name ? metric_find(d->metrics, name) : NULL;
	struct sink_label labels[LABELS_MAX];
	struct sink_metric metric;
	struct import_run *run;
	struct import_id id;

	if (!def)
		return refuse(d, c, "it is not in the metric table", name ? name : r->metric);
	if (!id_of(m, d, g, &id))
		return MAP_LEFT_OUT;
	metric = SINK_METRIC(def->name, f->value, unit_of(a, m, r, c, f->unit, def));
	if (!metric.unit)
		return refuse(d, c, "no unit is printed, and its rule has none", def->name);
	metric.min = f->min;
	metric.max = f->max;
	metric.resolution = 0;
	metric.labels = labels;
	metric.n = labels_of(a, r, c, g, labels);
	run = import_run_of(d, id);
	if (run && stands_twice(d, run, &metric))
		return refuse(d, c, "it stands in the file twice", def->name);
	return run && import_figure(
			      d, run, c->text[MAP_SECTION], c->text[MAP_TABLE], &metric, c->line)
		       ? MAP_TAKEN
		       : MAP_REFUSED;
}

enum map_answer map_cell(const struct import_map *m, struct import_draft *d,
	const struct map_cell *c, const struct map_groups *given)
{
	struct map_groups g = given ? *given : (struct map_groups){0};
	struct map_cell cell = *c;
	const struct map_rule *r = find_rule(m, &cell, &g);
	struct cell_figure f;
	enum map_answer answer;

	if (!r)
		return MAP_NO_RULE;
	if (r->skip)
		answer = cell_figure(c->value, &f) == CELL_FIGURE ? MAP_LEFT_OUT : MAP_MISSING;
	else
		answer = read_cell(d, c, &f);
	if (answer == MAP_TAKEN)
		answer = take(m, d, r, &cell, &g, &f);
	d->n_left_out += answer == MAP_LEFT_OUT;
	return answer;
}
