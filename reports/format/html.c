/* SPDX-License-Identifier: MIT */
/*
 * A run as one HTML file for a CI's artifact store. Invariant: what did not pass stands first;
 * every result and every figure is in it, and a figure of a twin is told to be one.
 */
#include "formats.h"

#include "judged.h"
#include "page.h"

#include <string.h>

struct writing {
	const struct report *r;
	struct page page;
	struct arena *a;
};

static enum page_mark mark_of_status(const char *status)
{
	int s = status_parse(status);

	return s == STATUS_PASS || s == STATUS_DONE ? PAGE_GOOD
	       : s == STATUS_SKIP                   ? PAGE_FAINT
						    : PAGE_BAD;
}

static const char *safe(struct writing *w, const char *text)
{
	return text ? format_safe(w->a, text) : "";
}

static const char *place(struct writing *w, const struct store_result *res)
{
	if (res->log_offset < 0)
		return NULL;
	return arena_printf(w->a, "console %s at byte %lld", res->console ? res->console : "main",
		(long long)res->log_offset);
}

static const char *counts_text(struct writing *w)
{
	const char *text = "";

	for (int s = 0; s < STATUS_COUNT; s++)
		if (w->r->counts[s])
			text = arena_printf(w->a, "%s%s%d %s", text, *text ? ", " : "",
				w->r->counts[s], status_name((enum status)s));
	return *text ? text : "no results";
}

static void put_summary(struct writing *w)
{
	const struct store_run *run = &w->r->run;
	const char *verdict = run->verdict ? run->verdict : "running";
	bool good = !strcmp(verdict, "pass");

	w->page.f->alert(&w->page, good ? PAGE_GOOD : PAGE_BAD,
		arena_printf(w->a, "%s: %s%s%s%s%s", verdict, counts_text(w),
			run->blame && strcmp(run->blame, "none") ? "; blame " : "",
			run->blame && strcmp(run->blame, "none") ? run->blame : "",
			run->message ? ": " : "", run->message ? run->message : ""));
	if (run->twin)
		w->page.f->alert(&w->page, PAGE_BAD,
			"A twin: its figures are not to be compared with those of silicon.");
}

static void put_facts(struct writing *w)
{
	static const char *const columns[] = {"", ""};
	const struct store_run *run = &w->r->run;
	char took[32];
	const struct {
		const char *name, *value;
	} facts[] = {
		{"Job", run->job},
		{"Board", run->board},
		{"Board type", run->type},
		{"SoC", run->soc},
		{"Lab", run->lab},
		{"Build", run->build ? arena_printf(w->a, "%s%s%s", run->build,
					       run->build_version ? " " : "",
					       run->build_version ? run->build_version : "")
				     : NULL},
		{"Took", format_took(run, took, sizeof took)},
		{"Parameters", run->params && strcmp(run->params, "{}") ? run->params : NULL},
		{"Job folder", run->dir},
	};
	struct page_cell cells[2 * ARRAY_LEN(facts)] = {0};
	size_t n = 0;

	for (size_t i = 0; i < ARRAY_LEN(facts); i++)
		if (facts[i].value) {
			cells[2 * n].text = facts[i].name;
			cells[2 * n++ + 1].text = safe(w, facts[i].value);
		}
	w->page.f->table(&w->page, &(struct page_table){NULL, columns, cells, 2, n});
}

static bool is_good(const struct store_result *res)
{
	int s = status_parse(res->status);

	return s == STATUS_PASS || s == STATUS_DONE || s == STATUS_SKIP;
}

static void put_results(struct writing *w, const char *title, bool good)
{
	static const char *const columns[] = {"Test", "Status", "Reason"};
	const struct report *r = w->r;
	struct page_cell *cells = arena_alloc(w->a, (3 * r->n_results + 1) * sizeof *cells);
	size_t n = 0;

	for (size_t i = 0; i < r->n_results; i++) {
		const struct store_result *res = &r->results[i];
		struct page_cell *row = &cells[3 * n];

		if (is_good(res) != good)
			continue;
		row[0].text = safe(w, arena_printf(w->a, "%s / %s", res->suite, res->name));
		row[1] =
			(struct page_cell){safe(w, res->status), NULL, mark_of_status(res->status)};
		row[2].text = safe(w, res->why);
		row[2].note = good ? NULL : place(w, res);
		n++;
	}
	if (!n)
		return;
	w->page.f->heading(&w->page, 2, title);
	w->page.f->table(&w->page, &(struct page_table){NULL, columns, cells, 3, n});
}

static void put_figures(struct writing *w)
{
	static const char *const columns[] = {"Figure", "Value", "Unit", "Parameters", "Test"};
	const struct report *r = w->r;
	struct page_cell *cells = arena_alloc(w->a, (5 * r->n_metrics + 1) * sizeof *cells);

	for (size_t i = 0; i < r->n_metrics; i++) {
		const struct store_metric *m = &r->metrics[i].m;
		struct page_cell *row = &cells[5 * i];

		row[0].text = safe(w, m->name);
		row[1].text = format_value(w->a, m);
		row[2].text = safe(w, m->unit);
		row[3].text = format_labels(w->a, m->labels);
		row[4].text = safe(w, arena_printf(w->a, "%s / %s", m->suite, m->test));
	}
	if (!r->n_metrics)
		return;
	w->page.f->heading(&w->page, 2, r->run.twin ? "Figures (twin)" : "Figures");
	w->page.f->table(&w->page, &(struct page_table){NULL, columns, cells, 5, r->n_metrics});
}

static void put_aggregates(struct writing *w)
{
	static const char *const columns[] = {
		"Over all cycles", "n", "avg (min, max)", "Unit", "Parameters"};
	const struct report *r = w->r;
	struct page_cell *cells = arena_alloc(w->a, (5 * r->n_aggregates + 1) * sizeof *cells);

	for (size_t i = 0; i < r->n_aggregates; i++) {
		const struct aggregate *g = &r->aggregates[i];
		struct page_cell *row = &cells[5 * i];

		row[0].text = safe(w, g->name);
		row[1].text = arena_printf(w->a, "%zu", g->n);
		row[2].text = format_aggregate(w->a, g);
		row[3].text = safe(w, g->unit);
		row[4].text = format_labels(w->a, g->labels);
	}
	if (r->n_aggregates)
		w->page.f->table(
			&w->page, &(struct page_table){NULL, columns, cells, 5, r->n_aggregates});
}

static void put_steps(struct writing *w)
{
	static const char *const columns[] = {"Step", "Outcome", "Took", "What happened"};
	const struct report *r = w->r;
	struct page_cell *cells = arena_alloc(w->a, (4 * r->n_steps + 1) * sizeof *cells);
	char took[32];

	for (size_t i = 0; i < r->n_steps; i++) {
		const struct report_step *s = &r->steps[i];
		struct page_cell *row = &cells[4 * i];

		row[0].text = safe(w, s->name);
		row[1].text = safe(w, s->outcome);
		row[1].mark = !strcmp(s->outcome, "ok")        ? PAGE_PLAIN
			      : !strcmp(s->outcome, "not-run") ? PAGE_FAINT
							       : PAGE_BAD;
		row[2].text = s->ms < 0
				      ? ""
				      : arena_strdup(w->a, str_format_ms(s->ms, took, sizeof took));
		row[3].text = safe(w, s->message);
		row[3].note = s->blame;
	}
	if (!r->n_steps)
		return;
	w->page.f->heading(&w->page, 2, "Steps");
	w->page.f->table(&w->page, &(struct page_table){NULL, columns, cells, 4, r->n_steps});
}

static void put_boot(struct writing *w)
{
	static const char *const stages[] = {"Boot stage", "ms since power-on"};
	static const char *const identities[] = {"What booted", "Deployed", "Found", ""};
	const struct report *r = w->r;
	struct page_cell *cells =
		arena_alloc(w->a, (2 * r->n_stages + 4 * r->n_identities + 1) * sizeof *cells);
	struct page_cell *more = &cells[2 * r->n_stages];

	if (!r->n_stages && !r->n_identities)
		return;
	w->page.f->heading(&w->page, 2, "Boot");
	for (size_t i = 0; i < r->n_stages; i++) {
		cells[2 * i].text = safe(w, r->stages[i].name);
		cells[2 * i + 1].text =
			arena_printf(w->a, "%lld", (long long)r->stages[i].ms_since_power_on);
	}
	for (size_t i = 0; i < r->n_identities; i++) {
		const struct report_identity *id = &r->identities[i];

		more[4 * i].text = safe(w, id->role);
		more[4 * i + 1].text = safe(w, id->want);
		more[4 * i + 2].text = safe(w, id->got);
		more[4 * i + 3] = (struct page_cell){
			id->same ? "same" : "not the same", NULL, id->same ? PAGE_GOOD : PAGE_BAD};
	}
	if (r->n_stages)
		w->page.f->table(
			&w->page, &(struct page_table){NULL, stages, cells, 2, r->n_stages});
	if (r->n_identities)
		w->page.f->table(
			&w->page, &(struct page_table){NULL, identities, more, 4, r->n_identities});
}

static void put_rest(struct writing *w)
{
	static const char *const columns[] = {"Environment", ""};
	const struct report *r = w->r;
	struct page_cell *cells = arena_alloc(w->a, (2 * r->n_envs + 1) * sizeof *cells);
	const char **warnings = arena_alloc(w->a, (r->n_warnings + 1) * sizeof *warnings);

	for (size_t i = 0; i < r->n_envs; i++) {
		cells[2 * i].text = safe(w, r->envs[i].name);
		cells[2 * i + 1].text = safe(w, r->envs[i].value);
	}
	for (size_t i = 0; i < r->n_warnings; i++)
		warnings[i] = safe(w, r->warnings[i]);
	if (r->n_envs) {
		w->page.f->heading(&w->page, 2, "Environment");
		w->page.f->table(
			&w->page, &(struct page_table){NULL, columns, cells, 2, r->n_envs});
	}
	if (r->n_warnings) {
		w->page.f->heading(&w->page, 2, "Warnings");
		w->page.f->items(&w->page, warnings, r->n_warnings);
	}
}

static int html_write(
	const struct report *r, const struct report_opts *o, struct buf *out, struct err *e)
{
	struct arena a = {0};
	struct writing w = {.r = r, .a = &a};
	const char *title =
		arena_printf(&a, "Run %lld%s%s: %s", (long long)r->run.id, r->run.job ? ", " : "",
			r->run.job ? r->run.job : "", r->run.verdict ? r->run.verdict : "running");

	(void)o;
	w.page.banner = r->run.twin ? title : NULL;
	page_begin(&w.page, &page_html, out, title);
	put_summary(&w);
	put_facts(&w);
	if (r->judged)
		judged_page(&r->judged, 1, &w.page);
	put_results(&w, "What did not pass", false);
	put_results(&w, "What passed", true);
	put_figures(&w);
	put_aggregates(&w);
	put_steps(&w);
	put_boot(&w);
	put_rest(&w);
	page_end(&w.page);
	arena_done(&a);
	return out->overflow
		       ? err_set(e, BLAME_BUG, "the report is larger than %zu bytes", out->cap)
		       : 0;
}

const struct report_format html_format = {
	.d = {.name = "html",
		.brief = "one page that needs nothing else, dark or light",
		.proven = "golden cases"},
	.mime = "text/html; charset=utf-8",
	.ext = "html",
	.write = html_write,
};
