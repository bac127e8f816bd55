/* SPDX-License-Identifier: MIT */
/*
 * Writes a performance guide. Invariant: every table of the layout is there, in its order; each
 * place holds its figure's value or is marked missing; and the guide of a twin says that it is one
 * in its title and above every table.
 */
#include "guide.h"

#include "base/clock.h"
#include "formats.h"
#include "reports/names.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

const struct page_format *const guide_formats[] = {&page_html, &page_markdown, &page_rst, NULL};

#define TWIN_WORDS  "twin, not silicon"
#define NAMES_SHOWN 4 /* of boards, builds and values of the environment */

struct writing {
	const struct guide *g;
	struct page page;
	struct arena arena;
	const struct layout_table *table;
	const struct layout_part *part;
};

static const struct reference_figure *figure_at(
	const struct reference *r, const char *section, int64_t row)
{
	for (size_t i = 0; i < r->n; i++)
		if (r->figures[i].row == row && !strcmp(r->figures[i].section, section))
			return &r->figures[i];
	return NULL; /* layout_load has refused it */
}

static const struct guide_value *value_of(
	const struct writing *w, const struct guide_release *r, const struct reference_figure *f)
{
	return &r->values[f - w->g->reference->figures];
}

/* Most decimals that the document prints in a column. */
static int column_decimals(const struct writing *w, size_t column)
{
	const struct layout_part *p = w->part;
	int most = 0;

	for (size_t i = 0; i < p->n_rows; i++) {
		const char *rest = p->cells[i * p->n_columns + column];
		struct str before;
		int64_t row;

		while (layout_place(&rest, &before, &row)) {
			const struct reference_figure *f =
				figure_at(w->g->reference, w->table->section, row);
			int n = f ? guide_decimals(f->printed) : 0;

			most = n > most ? n : most;
		}
	}
	return most;
}

static void put_value(const struct reference_figure *f, const struct guide_value *v, int decimals,
	struct buf *out)
{
	char value[GUIDE_FIGURE_BYTES], min[GUIDE_FIGURE_BYTES], max[GUIDE_FIGURE_BYTES];

	if (!v->runs) {
		buf_puts(out, GUIDE_MISSING);
		return;
	}
	buf_puts(out, guide_figure(f, v->value, decimals, value, sizeof value));
	if (!isnan(v->min))
		buf_printf(out, " (min %s, max %s)",
			guide_figure(f, v->min, decimals, min, sizeof min),
			guide_figure(f, v->max, decimals, max, sizeof max));
}

/* What a place was in the release before: "was 12.3, +4.1 %, better". */
static void put_change(struct writing *w, const struct reference_figure *f, int decimals,
	enum page_mark *mark, struct buf *out)
{
	static const char *const words[] = {"", ", better", ", worse", ""};
	const struct guide_value *now = value_of(w, &w->g->now, f);
	const struct guide_value *before = value_of(w, &w->g->before, f);
	enum guide_change change = guide_change(f, now, before);
	AUTOBUF was = BUF_INIT(1 << 10), is = BUF_INIT(1 << 10);

	if (!now->runs && !before->runs)
		return;
	buf_puts(out, out->len ? "; " : "");
	if (!before->runs) {
		buf_puts(out, "new");
		return;
	}
	put_value(f, before, decimals, &was);
	put_value(f, now, decimals, &is);
	if (!strcmp(buf_str(&was), buf_str(&is))) {
		buf_puts(out, "same");
		return;
	}
	buf_printf(out, "was %s", buf_str(&was));
	if (now->runs && before->value != 0)
		buf_printf(out, ", %+.1f %%",
			100 * (now->value - before->value) / fabs(before->value));
	if (now->runs)
		buf_puts(out, words[change]);
	if (change == GUIDE_WORSE)
		*mark = PAGE_BAD;
	else if (change == GUIDE_BETTER && *mark != PAGE_BAD)
		*mark = PAGE_GOOD;
}

/* {board} in a caption is the type that was measured. */
static const char *with_board(struct writing *w, const char *text)
{
	static const char place[] = "{board}";
	const char *at = strstr(text, place);
	const char *board = w->g->now.n_types ? w->g->now.types[0].type : w->g->reference->soc;

	if (!at)
		return text;
	return arena_printf(
		&w->arena, "%.*s%s%s", (int)(at - text), text, board, at + strlen(place));
}

static void make_cell(struct writing *w, const char *template, int decimals, struct page_cell *cell)
{
	AUTOBUF text = BUF_INIT(BUF_CAP_BYTES), note = BUF_INIT(BUF_CAP_BYTES);
	const char *rest = template;
	size_t places = 0, missing = 0;
	struct str before;
	int64_t row;

	while (layout_place(&rest, &before, &row)) {
		const struct reference_figure *f =
			figure_at(w->g->reference, w->table->section, row);

		buf_add(&text, before.p, before.n);
		if (!f)
			continue;
		places++;
		missing += !value_of(w, &w->g->now, f)->runs;
		put_value(f, value_of(w, &w->g->now, f), decimals, &text);
		if (w->g->before.values)
			put_change(w, f, decimals, &cell->mark, &note);
	}
	buf_add(&text, before.p, before.n);
	/* "n/a MB/sec" says nothing more than "n/a". */
	cell->text = places && missing == places ? GUIDE_MISSING
						 : arena_strdup(&w->arena, buf_str(&text));
	if (places && missing == places)
		cell->mark = PAGE_FAINT;
	if (note.len)
		cell->note = arena_strdup(&w->arena, buf_str(&note));
}

static void write_part(struct writing *w, const char *caption)
{
	const struct layout_part *p = w->part;
	struct page_cell *cells =
		arena_alloc(&w->arena, (p->n_rows * p->n_columns + 1) * sizeof *cells);
	const char **columns = arena_alloc(&w->arena, p->n_columns * sizeof *columns);

	for (size_t k = 0; k < p->n_columns; k++) {
		int decimals = column_decimals(w, k);

		columns[k] = with_board(w, p->columns[k]);
		for (size_t i = 0; i < p->n_rows; i++)
			make_cell(w, p->cells[i * p->n_columns + k], decimals,
				&cells[i * p->n_columns + k]);
	}
	if (p->setup.n)
		w->page.f->items(&w->page, p->setup.p, p->setup.n);
	w->page.f->table(
		&w->page, &(struct page_table){caption, columns, cells, p->n_columns, p->n_rows});
}

/* "SD Card Performance; DS Mode": the first is a heading that several tables share. */
static const char *caption_of(struct writing *w, const char **shared)
{
	const char *name = w->table->caption ? w->table->caption : w->table->table;
	const char *at = strstr(name, "; ");

	*shared = NULL;
	/* The section's heading is all that stands above a table of its name. */
	if (!*name || !strcmp(name, w->table->section))
		return w->g->twin ? TWIN_WORDS : NULL;
	if (at)
		*shared = arena_strndup(&w->arena, name, (size_t)(at - name));
	return arena_printf(
		&w->arena, "%s%s", at ? at + 2 : name, w->g->twin ? " (" TWIN_WORDS ")" : "");
}

static void write_section(struct writing *w, const char *caption)
{
	const struct layout_section *s = layout_section_find(w->g->layout, caption);

	w->page.f->heading(&w->page, 2, caption);
	if (s && s->text)
		w->page.f->text(&w->page, s->text);
	if (s && s->setup.n)
		w->page.f->items(&w->page, s->setup.p, s->setup.n);
}

static void write_tables(struct writing *w)
{
	const struct layout *l = w->g->layout;
	const char *section = "", *shared = "";

	for (size_t i = 0; i < l->n_tables; i++) {
		const char *caption, *heading;

		w->table = &l->tables[i];
		caption = caption_of(w, &heading);
		if (strcmp(section, w->table->section) != 0) {
			write_section(w, w->table->section);
			shared = "";
		}
		section = w->table->section;
		if (heading && strcmp(shared, heading) != 0)
			w->page.f->heading(&w->page, 3, heading);
		shared = heading ? heading : "";
		if (w->table->text)
			w->page.f->text(&w->page, w->table->text);
		if (w->table->setup.n)
			w->page.f->items(&w->page, w->table->setup.p, w->table->setup.n);
		for (size_t k = 0; k < w->table->n_parts; k++) {
			w->part = &w->table->parts[k];
			write_part(w, caption);
		}
	}
}

/* ---- what was measured ---- */

static const char *date(struct arena *a, int64_t ms)
{
	char text[32];

	clock_iso(ms, text, sizeof text);
	return arena_strndup(a, text, strlen("2026-01-31"));
}

static void write_runs(struct writing *w)
{
	static const char *const columns[] = {
		"Release", "Board type", "Boards", "Builds", "Runs", "Measured"};
	const struct guide_release *releases[] = {&w->g->before, &w->g->now};
	size_t n = 0, room = w->g->before.n_types + w->g->now.n_types;
	struct page_cell *cells =
		arena_alloc(&w->arena, (room + 1) * ARRAY_LEN(columns) * sizeof *cells);

	for (size_t k = 0; k < ARRAY_LEN(releases); k++)
		for (size_t i = 0; i < releases[k]->n_types; i++) {
			const struct guide_type *t = &releases[k]->types[i];
			struct page_cell *row = &cells[n++ * ARRAY_LEN(columns)];
			const char *first = date(&w->arena, t->first_ms);
			const char *last = date(&w->arena, t->last_ms);

			row[0].text = releases[k]->name;
			row[1].text =
				w->g->twin ? arena_printf(&w->arena, "%s (" TWIN_WORDS ")", t->type)
					   : t->type;
			row[2].text = names_join(&w->arena, &t->boards, NAMES_SHOWN);
			row[3].text = names_join(&w->arena, &t->builds, NAMES_SHOWN);
			row[4].text = arena_printf(&w->arena, "%zu", t->runs);
			row[5].text = strcmp(first, last) != 0
					      ? arena_printf(&w->arena, "%s to %s", first, last)
					      : first;
		}
	w->page.f->table(
		&w->page, &(struct page_table){w->g->twin ? "Runs (" TWIN_WORDS ")" : "Runs",
				  columns, cells, ARRAY_LEN(columns), n});
}

static void write_envs(struct writing *w)
{
	static const char *const columns[] = {"Environment", "Value"};
	const struct guide_release *r = &w->g->now;
	struct page_cell *cells = arena_alloc(&w->arena, (2 * r->n_envs + 1) * sizeof *cells);

	for (size_t i = 0; i < r->n_envs; i++) {
		cells[2 * i].text = r->envs[i].name;
		cells[2 * i + 1].text = names_join(&w->arena, &r->envs[i].values, NAMES_SHOWN);
	}
	if (r->n_envs)
		w->page.f->table(&w->page,
			&(struct page_table){
				w->g->twin ? "Environment (" TWIN_WORDS ")" : "Environment",
				columns, cells, 2, r->n_envs});
}

static void write_head(struct writing *w)
{
	const struct guide *g = w->g;
	struct page *p = &w->page;

	if (g->twin)
		p->f->alert(p, PAGE_BAD,
			"Figures of a twin, a virtual board in an emulator: they show that the "
			"jobs work, and say nothing about silicon.");
	p->f->text(p, g->layout->text);
	p->f->text(p,
		arena_printf(&w->arena,
			"%zu of %zu figures were measured%s. A figure of several samples "
			"is their mean, with the least and the greatest behind it.",
			g->now.measured, g->reference->n,
			g->now.measured < g->reference->n ? "; the others are marked " GUIDE_MISSING
							  : ""));
	if (g->now.left_out)
		p->f->text(
			p, arena_printf(&w->arena,
				   "Left out: %zu of its runs, which were incomplete or canceled.",
				   g->now.left_out));
	if (g->before.values)
		p->f->text(p,
			arena_printf(&w->arena,
				"Beside each figure stands what it was in %s, and by how much "
				"it changed; better and worse are said only where the samples of "
				"both releases lie apart.",
				g->before.name));
	p->f->heading(p, 2, "What was measured");
	write_runs(w);
	write_envs(w);
}

int guide_write(const struct guide *g, const struct page_format *f, struct buf *out, struct err *e)
{
	struct writing w = {.g = g};
	const char *title = arena_printf(&w.arena, "%s, release %s%s%s%s", g->layout->title,
		g->now.name, g->before.values ? " against " : "",
		g->before.values ? g->before.name : "", g->twin ? " (" TWIN_WORDS ")" : "");

	w.page.banner = title;
	page_begin(&w.page, f, out, title);
	write_head(&w);
	write_tables(&w);
	page_end(&w.page);
	arena_done(&w.arena);
	return out->overflow ? err_set(e, BLAME_BUG, "the guide is larger than %zu bytes", out->cap)
			     : 0;
}
