/* SPDX-License-Identifier: MIT */
/*
 * What a judge found, as tables. Invariant: every change is in exactly one section, with its noise
 * and its resolution; a section that is cut says how much is left out.
 */
#include "judged.h"

#include "formats.h"
#include "table.h"

#include <math.h>

enum section {
	SECTION_BROKE,
	SECTION_LOST,
	SECTION_REGRESSIONS,
	SECTION_SUSPECTED,
	SECTION_MISSING,
	SECTION_IMPROVEMENTS,
	SECTION_ENVIRONMENT,
	SECTION_MOVED,
	SECTION_FIXED,
	SECTION_FAILING,
	SECTION_STANDING,
	SECTION_NEW,
	SECTION_COUNT
};

#define SECTION_COLUMNS 7
static const char *const test_headings[] = {
	"TEST", "BOARD", "NOW", "BEFORE", "SINCE", "BLAME", "REASON"};
static const char *const figure_headings[] = {
	"CHANGE", "FIGURE", "BOARD", "FROM, TO", "SINCE", "SURE", "NOISE, BLAME"};
static const struct {
	const char *title;
	bool tests;
} sections[SECTION_COUNT] = {
	{"tests that broke", true},
	{"tests that were lost", true},
	{"regressions", false},
	{"suspected", false},
	{"missing figures", false},
	{"improvements", false},
	{"changed with the board, not with the build", false},
	{"moved, neither better nor worse", false},
	{"tests that were fixed", true},
	{"tests that failed before", true},
	{"known since earlier runs", false},
	{"new figures", false},
};

struct judged {
	const struct judge_run *const *runs;
	size_t n;
	struct arena arena;
	struct {
		VEC(const char *) cells;
		size_t rows; /* all; at most JUDGED_ROWS are in cells */
	} s[SECTION_COUNT];
};

static enum section section_of(const struct judgement *m)
{
	if (m->standing)
		return SECTION_STANDING;
	if (m->suspected && m->kind != JUDGE_ENVIRONMENT)
		return SECTION_SUSPECTED;
	switch (m->kind) {
	case JUDGE_REGRESSION:
		return SECTION_REGRESSIONS;
	case JUDGE_IMPROVEMENT:
		return SECTION_IMPROVEMENTS;
	case JUDGE_MOVED:
		return SECTION_MOVED;
	case JUDGE_ENVIRONMENT:
		return SECTION_ENVIRONMENT;
	case JUDGE_MISSING:
		return SECTION_MISSING;
	case JUDGE_NEW:
		return SECTION_NEW;
	default:
		return SECTION_COUNT;
	}
}

static enum section section_of_test(const struct judge_test *t)
{
	static const enum section of[JUDGE_TEST_KINDS] = {[JUDGE_BROKE] = SECTION_BROKE,
		[JUDGE_LOST] = SECTION_LOST,
		[JUDGE_FAILING] = SECTION_FAILING,
		[JUDGE_FIXED] = SECTION_FIXED,
		[JUDGE_NEW_FAILING] = SECTION_BROKE};

	return of[t->kind];
}

static void add_row(struct judged *j, enum section s, const char *const *cells)
{
	if (j->s[s].rows++ >= JUDGED_ROWS)
		return;
	for (size_t i = 0; i < SECTION_COLUMNS; i++)
		vec_push(&j->s[s].cells, cells[i]);
}

/* "1.2.3 (run 7; good: 1.2.2)" */
static const char *since(
	struct arena *a, const char *bad, int64_t bad_run, const char *good, int64_t good_run)
{
	const char *was = good       ? arena_printf(a, "; good: %s", format_safe(a, good))
			  : good_run ? arena_printf(a, "; good: run %lld", (long long)good_run)
				     : "";

	if (!bad_run)
		return "-";
	return bad ? arena_printf(
			     a, "%s (run %lld%s)", format_safe(a, bad), (long long)bad_run, was)
		   : arena_printf(a, "run %lld%s%s%s", (long long)bad_run, *was ? " (" : "",
			     *was ? was + 2 : "", *was ? ")" : "");
}

static const char *blame(enum err_blame b)
{
	return b == BLAME_NONE ? "-" : err_blame_name(b);
}

static void add_test(struct judged *j, const struct judge_run *r, const struct judge_test *t)
{
	struct arena *a = &j->arena;
	const char *flake = t->kind != JUDGE_FIXED && t->failed && t->failed < t->of
				    ? arena_printf(a, "failed in %zu of %zu runs before%s",
					      t->failed, t->of, t->why ? "; " : "")
				    : "";

	add_row(j, section_of_test(t),
		(const char *[]){arena_printf(a, "%s%s%s", format_safe(a, t->suite),
					 *t->suite ? ": " : "", format_safe(a, t->name)),
			format_safe(a, r->run.board), t->status, t->before,
			since(a, t->first_bad, t->first_bad_run, t->last_good, t->last_good_run),
			blame(t->blame),
			arena_printf(a, "%s%s", flake,
				t->why   ? format_safe(a, t->why)
				: *flake ? ""
					 : "-")});
}

static const char *percent(struct arena *a, double share, int digits)
{
	return isnan(share) ? "-" : arena_printf(a, "%.*f %%", digits, 100 * share);
}

static const char *figure(struct arena *a, double value)
{
	char text[FORMAT_FIGURE_BYTES];

	return isnan(value) ? "-" : arena_strdup(a, format_figure(value, text, sizeof text));
}

/* Never "100 %": nothing is. */
static const char *sure(struct arena *a, const struct judgement *m)
{
	if (isnan(m->confidence) || m->kind == JUDGE_NEW || m->kind == JUDGE_MISSING)
		return "-";
	return m->confidence > 0.9999 ? "> 99.99 %" : percent(a, m->confidence, 2);
}

static const char *noise(struct arena *a, const struct judgement *m)
{
	const char *why = m->why ? format_safe(a, m->why) : NULL;
	const char *step = m->series.resolution > 0
				   ? arena_printf(a, ", step %s", figure(a, m->series.resolution))
				   : "";

	return arena_printf(a, "%s%s%s%s%s%s", percent(a, m->noise, 2), step,
		m->blame != BLAME_NONE ? ", " : "",
		m->blame != BLAME_NONE ? err_blame_name(m->blame) : "", why ? ": " : "",
		why ? why : "");
}

static void add_figure(struct judged *j, const struct judge_run *r, const struct judgement *m)
{
	const struct store_series *s = &m->series;
	enum section section = section_of(m);
	struct arena *a = &j->arena;
	const char *labels;

	if (section == SECTION_COUNT)
		return;
	labels = format_labels(a, s->labels);
	add_row(j, section,
		(const char *[]){m->change > 0 ? arena_printf(a, "+%s", percent(a, m->change, 1))
					       : percent(a, m->change, 1),
			arena_printf(
				a, "%s%s%s", format_safe(a, s->metric), *labels ? " " : "", labels),
			format_safe(a, r->run.board),
			arena_printf(a, "%s %s %s", figure(a, m->before),
				m->kind == JUDGE_MISSING
					? "none"
					: figure(a, isnan(m->after) ? m->value : m->after),
				format_safe(a, s->unit)),
			since(a, m->first_bad, m->first_bad_run, m->last_good, m->last_good_run),
			sure(a, m), noise(a, m)});
}

static void gather(struct judged *j, const struct judge_run *const *runs, size_t n)
{
	*j = (struct judged){.runs = runs, .n = n};
	for (size_t i = 0; i < n; i++) {
		for (size_t k = 0; k < runs[i]->n_tests; k++)
			add_test(j, runs[i], &runs[i]->tests[k]);
		for (size_t k = 0; k < runs[i]->n_figures; k++)
			add_figure(j, runs[i], &runs[i]->figures[k]);
	}
}

static void judged_done(struct judged *j)
{
	for (size_t i = 0; i < SECTION_COUNT; i++)
		vec_done(&j->s[i].cells);
	arena_done(&j->arena);
}

static const char *const *headings_of(size_t section)
{
	return sections[section].tests ? test_headings : figure_headings;
}

/* ---- in a line ------------------------------------------------------------------------------- */

static void count(struct buf *out, size_t *told, size_t n, const char *one, const char *many)
{
	if (n)
		buf_printf(out, "%s%zu %s", (*told)++ ? ", " : "", n, n == 1 ? one : many);
}

void judged_summary(const struct judge_run *const *runs, size_t n, struct buf *out)
{
	size_t kinds[JUDGE_KINDS] = {0}, tests[JUDGE_TEST_KINDS] = {0};
	size_t suspected = 0, standing = 0, told = 0;

	for (size_t i = 0; i < n; i++) {
		for (int k = 0; k < JUDGE_KINDS; k++)
			kinds[k] += runs[i]->counts[k];
		for (int k = 0; k < JUDGE_TEST_KINDS; k++)
			tests[k] += runs[i]->test_counts[k];
		suspected += runs[i]->suspected;
		standing += runs[i]->standing;
	}
	count(out, &told, tests[JUDGE_BROKE], "test broke", "tests broke");
	count(out, &told, tests[JUDGE_NEW_FAILING], "new test fails", "new tests fail");
	count(out, &told, tests[JUDGE_LOST], "test was lost", "tests were lost");
	count(out, &told, kinds[JUDGE_REGRESSION], "regression", "regressions");
	count(out, &told, suspected, "suspected", "suspected");
	count(out, &told, standing, "known regression", "known regressions");
	count(out, &told, kinds[JUDGE_IMPROVEMENT], "improvement", "improvements");
	count(out, &told, kinds[JUDGE_ENVIRONMENT], "figure changed with its board",
		"figures changed with their boards");
	count(out, &told, kinds[JUDGE_MOVED], "other change", "other changes");
	count(out, &told, kinds[JUDGE_MISSING], "figure is missing", "figures are missing");
	count(out, &told, kinds[JUDGE_NEW], "new figure", "new figures");
	count(out, &told, tests[JUDGE_FIXED], "test was fixed", "tests were fixed");
	count(out, &told, tests[JUDGE_FAILING], "test fails as before", "tests fail as before");
	count(out, &told, kinds[JUDGE_NOISE], "figure as before", "figures as before");
	if (!told)
		buf_puts(out, "nothing to tell");
}

/* Runs that nothing can be told of, or whose board is set up otherwise. */
static void put_troubles(const struct judged *j, const char *before, const char *after,
	struct arena *a, struct buf *out)
{
	for (size_t i = 0; i < j->n; i++) {
		const struct judge_run *r = j->runs[i];

		if (r->trouble)
			buf_printf(out, "%srun %lld on %s: %s%s", before, (long long)r->run.id,
				format_safe(a, r->run.board), format_safe(a, r->trouble), after);
		for (size_t k = 0; k < r->n_envs; k++)
			buf_printf(out, "%srun %lld on %s: %s was %s, is %s%s", before,
				(long long)r->run.id, format_safe(a, r->run.board),
				format_safe(a, r->envs[k].name), format_safe(a, r->envs[k].before),
				format_safe(a, r->envs[k].now), after);
	}
}

static void put_head(const struct judged *j, struct arena *a, struct buf *out)
{
	if (j->n == 1)
		buf_printf(out, "against %s: ", format_safe(a, j->runs[0]->against));
	else
		buf_printf(out, "%zu runs: ", j->n);
	judged_summary(j->runs, j->n, out);
	buf_putc(out, '\n');
}

/* ---- for people ------------------------------------------------------------------------------ */

void judged_text(
	const struct judge_run *const *runs, size_t n, const struct report_opts *o, struct buf *out)
{
	struct judged j;

	if (!n)
		return;
	gather(&j, runs, n);
	put_head(&j, &j.arena, out);
	put_troubles(&j, "  ", "\n", &j.arena, out);
	for (size_t s = 0; s < SECTION_COUNT; s++) {
		struct table t = {.columns = SECTION_COLUMNS, .right = !sections[s].tests};

		if (!j.s[s].rows)
			continue;
		buf_printf(out, o->colour ? "\n\033[1m%s\033[0m\n" : "\n%s\n", sections[s].title);
		table_row(&t, headings_of(s));
		for (size_t i = 0; i < j.s[s].cells.n; i += SECTION_COLUMNS)
			table_row(&t, &j.s[s].cells.p[i]);
		table_write(&t, "  ", o->width, out);
		table_done(&t);
		if (j.s[s].rows > JUDGED_ROWS)
			buf_printf(
				out, "  and %zu more: --json has all\n", j.s[s].rows - JUDGED_ROWS);
	}
	judged_done(&j);
}

void judged_markdown(const struct judge_run *const *runs, size_t n, struct buf *out)
{
	struct judged j;

	if (!n)
		return;
	gather(&j, runs, n);
	buf_puts(out, "\n### judged ");
	put_head(&j, &j.arena, out);
	for (size_t s = 0; s < SECTION_COUNT; s++) {
		if (!j.s[s].rows)
			continue;
		buf_printf(out, "\n**%s**\n\n", sections[s].title);
		format_markdown_row(headings_of(s), SECTION_COLUMNS, out);
		buf_puts(out, sections[s].tests ? "|---|---|---|---|---|---|---|\n"
						: "|--:|---|---|---|---|--:|---|\n");
		for (size_t i = 0; i < j.s[s].cells.n; i += SECTION_COLUMNS)
			format_markdown_row(&j.s[s].cells.p[i], SECTION_COLUMNS, out);
		if (j.s[s].rows > JUDGED_ROWS)
			buf_printf(out, "\nand %zu more\n", j.s[s].rows - JUDGED_ROWS);
	}
	judged_done(&j);
}

static void put_section(const struct judged *j, size_t s, struct arena *a, struct page *page)
{
	size_t n = j->s[s].cells.n;
	struct page_cell *cells = arena_alloc(a, n * sizeof *cells);

	for (size_t i = 0; i < n; i++)
		cells[i] = (struct page_cell){.text = j->s[s].cells.p[i]};
	page->f->heading(page, 3, sections[s].title);
	page->f->table(page, &(struct page_table){NULL, headings_of(s), cells, SECTION_COLUMNS,
				     n / SECTION_COLUMNS});
	if (j->s[s].rows > JUDGED_ROWS)
		page->f->text(page, arena_printf(a, "and %zu more", j->s[s].rows - JUDGED_ROWS));
}

void judged_page(const struct judge_run *const *runs, size_t n, struct page *page)
{
	AUTOBUF text = BUF_INIT(BUF_CAP_BYTES);
	struct judged j;

	if (!n)
		return;
	gather(&j, runs, n);
	page->f->heading(page, 2, "Judged");
	put_head(&j, &j.arena, &text);
	page->f->text(page, buf_str(&text));
	buf_reset(&text);
	put_troubles(&j, "", "\n", &j.arena, &text);
	if (text.len)
		page->f->text(page, buf_str(&text));
	for (size_t s = 0; s < SECTION_COUNT; s++)
		if (j.s[s].rows)
			put_section(&j, s, &j.arena, page);
	judged_done(&j);
}

void judged_comments(const struct judge_run *const *runs, size_t n, struct buf *out)
{
	struct judged j;

	if (!n)
		return;
	gather(&j, runs, n);
	buf_puts(out, "# judged ");
	put_head(&j, &j.arena, out);
	put_troubles(&j, "# ", "\n", &j.arena, out);
	for (size_t s = 0; s < SECTION_COUNT; s++)
		for (size_t i = 0; i < j.s[s].cells.n; i += SECTION_COLUMNS) {
			buf_printf(out, "# %s:", sections[s].title);
			for (size_t c = 0; c < SECTION_COLUMNS; c++)
				buf_printf(out, "%s%s", c ? " | " : " ",
					j.s[s].cells.p[i + c] ? j.s[s].cells.p[i + c] : "-");
			buf_putc(out, '\n');
		}
	judged_done(&j);
}
