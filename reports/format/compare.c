/* SPDX-License-Identifier: MIT */
/*
 * Writes a comparison for people. Invariant: changes stand before all else, and each says how sure
 * it is, or that nothing is known of its noise.
 */
#include "compare-inner.h"

#include "page.h"

#include <math.h>
#include <string.h>

const char *const compare_formats[] = {"csv", "html", "json", "markdown", "text", NULL};

struct writing {
	const struct compare *c;
	struct page page;
	struct arena *a;
	bool all;
};

/* "9 pass, 1 fail"; "-": no result. */
static const char *counts_text(struct arena *a, const int *counts)
{
	const char *text = "";

	for (int s = 0; s < STATUS_COUNT; s++)
		if (counts[s])
			text = arena_printf(a, "%s%s%d %s", text, *text ? ", " : "", counts[s],
				status_name((enum status)s));
	return *text ? text : "-";
}

static const char *sure(struct arena *a, size_t n, size_t m, double p)
{
	if (!n || !m)
		return "";
	if (isnan(p))
		return "one run each, no noise known";
	if (p < 0.001)
		return arena_printf(a, "p < 0.001, %zu and %zu runs", n, m);
	return arena_printf(a, "p = %.3f, %zu and %zu runs", p, n, m);
}

static const char *figure_sure(struct arena *a, const struct compare_metric *m)
{
	if (isnan(m->p) || !m->noise_runs)
		return sure(a, m->sides[0]->n, m->sides[1]->n, m->p);
	return arena_printf(a, "p %s %.3f, by the noise of %zu runs before",
		m->p < 0.001 ? "<" : "=", m->p < 0.001 ? 0.001 : m->p, m->noise_runs);
}

static const char *values_text(struct arena *a, const struct compare_values *v)
{
	char mean[FORMAT_FIGURE_BYTES], min[FORMAT_FIGURE_BYTES], max[FORMAT_FIGURE_BYTES];

	if (!v->n)
		return "-";
	format_figure(v->mean, mean, sizeof mean);
	if (v->n == 1)
		return arena_strdup(a, mean);
	return arena_printf(a, "%s (min %s, max %s)", mean, format_figure(v->min, min, sizeof min),
		format_figure(v->max, max, sizeof max));
}

static const char *where(
	struct arena *a, const char *job, const char *type, const char *suite, const char *name)
{
	return arena_printf(a, "%s%s%s%s%s%s%s", type, *type ? " " : "", job, *job ? " " : "",
		suite, *suite && *name ? " / " : "", name);
}

static enum page_mark mark_of(enum compare_label label)
{
	switch (label) {
	case COMPARE_BROKEN:
	case COMPARE_WORSE:
	case COMPARE_GONE:
		return PAGE_BAD;
	case COMPARE_FIXED:
	case COMPARE_BETTER:
		return PAGE_GOOD;
	case COMPARE_NOISE:
	case COMPARE_SAME:
		return PAGE_FAINT;
	default:
		return PAGE_PLAIN;
	}
}

static size_t ran(const int *counts)
{
	return (size_t)counts[STATUS_PASS] + (size_t)counts[STATUS_FAIL] +
	       (size_t)counts[STATUS_DONE];
}

static void put_tests(struct writing *w, const char *caption, bool changes)
{
	const char *columns[] = {
		"What", "Test", w->c->sides[0].name, w->c->sides[1].name, "How sure", "Reason"};
	enum { COLUMNS = ARRAY_LEN(columns) };
	struct page_cell *cells = arena_alloc(w->a, (w->c->n_tests + 1) * COLUMNS * sizeof *cells);
	size_t n = 0;

	for (size_t i = 0; i < w->c->n_tests; i++) {
		const struct compare_test *t = &w->c->tests[i];
		struct page_cell *row = &cells[n * COLUMNS];

		if (compare_is_change(t->label) != changes)
			continue;
		row[0] = (struct page_cell){compare_label_names[t->label], NULL, mark_of(t->label)};
		row[1].text = where(w->a, t->job, t->type, t->suite, t->name);
		row[2].text = counts_text(w->a, t->counts[0]);
		row[3].text = counts_text(w->a, t->counts[1]);
		row[3].mark = mark_of(t->label);
		row[4].text = t->label == COMPARE_SAME
				      ? ""
				      : sure(w->a, ran(t->counts[0]), ran(t->counts[1]), t->p);
		row[5].text = t->why ? t->why : "";
		n++;
	}
	if (n)
		w->page.f->table(
			&w->page, &(struct page_table){caption, columns, cells, COLUMNS, n});
}

static void put_metrics(struct writing *w, const char *caption, bool changes)
{
	const char *columns[] = {"What", "Figure", "Unit", w->c->sides[0].name, w->c->sides[1].name,
		"Change", "How sure"};
	enum { COLUMNS = ARRAY_LEN(columns) };
	struct page_cell *cells =
		arena_alloc(w->a, (w->c->n_metrics + 1) * COLUMNS * sizeof *cells);
	size_t n = 0;

	for (size_t i = 0; i < w->c->n_metrics; i++) {
		const struct compare_metric *m = &w->c->metrics[i];
		struct page_cell *row = &cells[n * COLUMNS];
		const char *labels = format_labels(w->a, m->labels);

		if (compare_is_change(m->label) != changes)
			continue;
		row[0] = (struct page_cell){compare_label_names[m->label], NULL, mark_of(m->label)};
		row[1].text = arena_printf(w->a, "%s%s%s", m->name, *labels ? " " : "", labels);
		row[1].note = where(w->a, m->job, m->type, m->suite, m->test);
		row[2].text = m->unit;
		row[3].text = values_text(w->a, m->sides[0]);
		row[4].text = values_text(w->a, m->sides[1]);
		row[5].text =
			isnan(m->change) ? "" : arena_printf(w->a, "%+.1f %%", 100 * m->change);
		if (m->label == COMPARE_DIFFERENT && m->better != BETTER_NEITHER)
			row[5].note = (m->change > 0) == (m->better == BETTER_HIGHER)
					      ? "the better way"
					      : "the worse way";
		row[5].mark = mark_of(m->label);
		row[6].text = m->label == COMPARE_SAME ? "" : figure_sure(w->a, m);
		n++;
	}
	if (n)
		w->page.f->table(
			&w->page, &(struct page_table){caption, columns, cells, COLUMNS, n});
}

static void put_sides(struct writing *w)
{
	static const char *const columns[] = {"Side", "Board type", "Boards", "Builds", "Runs"};
	enum { COLUMNS = ARRAY_LEN(columns) };
	struct page_cell cells[2 * COLUMNS] = {0};

	for (int i = 0; i < 2; i++) {
		const struct compare_side *s = &w->c->sides[i];
		struct page_cell *row = &cells[i * COLUMNS];

		row[0].text = s->name;
		row[1].text = arena_printf(w->a, "%s%s", s->types, s->twins ? " (twin)" : "");
		row[2].text = s->boards;
		row[3].text = s->builds;
		row[4].text = s->kind == COMPARE_RUN
				      ? arena_printf(w->a, "run %lld", (long long)s->runs[0])
				      : arena_printf(w->a, "%zu", s->n);
		if (s->left_out)
			row[4].note = arena_printf(w->a, "%zu incomplete", s->left_out);
	}
	w->page.f->table(&w->page, &(struct page_table){NULL, columns, cells, COLUMNS, 2});
}

static void put_envs(struct writing *w)
{
	const char *columns[] = {
		"Environment that differs", w->c->sides[0].name, w->c->sides[1].name};
	struct page_cell *cells = arena_alloc(w->a, (3 * w->c->n_envs + 1) * sizeof *cells);

	for (size_t i = 0; i < w->c->n_envs; i++) {
		cells[3 * i].text = w->c->envs[i].name;
		cells[3 * i + 1].text = w->c->envs[i].values[0];
		cells[3 * i + 2].text = w->c->envs[i].values[1];
	}
	if (w->c->n_envs)
		w->page.f->table(
			&w->page, &(struct page_table){NULL, columns, cells, 3, w->c->n_envs});
}

/* "2 broken, 1 fixed, 40 same". */
static const char *tally(struct arena *a, const size_t *counts)
{
	const char *text = "";

	for (int i = 0; i < COMPARE_LABELS; i++)
		if (counts[i])
			text = arena_printf(a, "%s%s%zu %s", text, *text ? ", " : "", counts[i],
				compare_label_names[i]);
	return *text ? text : "none";
}

static void put_summary(struct writing *w)
{
	const struct compare *c = w->c;
	bool bad = c->test_counts[COMPARE_BROKEN] || c->metric_counts[COMPARE_WORSE] ||
		   c->test_counts[COMPARE_GONE] || c->metric_counts[COMPARE_GONE];

	w->page.f->alert(&w->page,
		bad                                   ? PAGE_BAD
		: c->metric_counts[COMPARE_DIFFERENT] ? PAGE_PLAIN
						      : PAGE_GOOD,
		arena_printf(w->a, "tests: %s; figures: %s", tally(w->a, c->test_counts),
			c->mixed ? "not compared, one side is a twin"
				 : tally(w->a, c->metric_counts)));
	put_sides(w);
}

static void page_compare(struct writing *w, const struct page_format *f, struct buf *out)
{
	const struct compare *c = w->c;

	page_begin(&w->page, f, out,
		arena_printf(w->a, "%s against %s", c->sides[1].name, c->sides[0].name));
	put_summary(w);
	put_tests(w, "Tests that changed", true);
	put_metrics(w, "Figures that changed", true);
	put_envs(w);
	if (w->all) {
		put_tests(w, "Tests that did not change", false);
		put_metrics(w, "Figures that did not change", false);
	}
	page_end(&w->page);
}

int compare_write(const struct compare *c, const char *format, bool all,
	const struct report_opts *o, struct buf *out, struct err *e)
{
	struct arena a = {0};
	struct writing w = {.c = c, .a = &a, .all = all || !strcmp(format, "html")};
	int failed = 0;

	if (o) {
		w.page.width = o->width;
		w.page.colour = o->colour;
	}
	if (!strcmp(format, "json"))
		failed = compare_json(c, out, e);
	else if (!strcmp(format, "csv"))
		compare_csv(c, out);
	else if (!strcmp(format, "html"))
		page_compare(&w, &page_html, out);
	else if (!strcmp(format, "markdown"))
		page_compare(&w, &page_markdown, out);
	else if (!strcmp(format, "text"))
		page_compare(&w, &page_text, out);
	else
		failed = err_set(e, BLAME_CONFIG,
			"a comparison is text, markdown, html, csv or json, not '%s'", format);
	arena_done(&a);
	if (!failed && out->overflow)
		failed = err_set(e, BLAME_BUG, "the comparison is larger than %zu bytes", out->cap);
	return failed;
}
