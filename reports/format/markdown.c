/* SPDX-License-Identifier: MIT */
/* A run as Markdown tables, for a merge request or a CI page. Invariant: every result and every
 * figure is a row; no text can end its cell. */
#include "formats.h"
#include "judged.h"

#include <stdio.h>

void format_markdown(const char *text, struct buf *out)
{
	struct arena a = {0};

	for (const char *p = format_safe(&a, text); *p; p++) {
		if (strchr("\\|*_`[]<>&", *p))
			buf_putc(out, '\\');
		buf_putc(out, *p);
	}
	arena_done(&a);
}

void format_markdown_row(const char *const *cells, size_t n, struct buf *out)
{
	buf_putc(out, '|');
	for (size_t i = 0; i < n; i++) {
		buf_putc(out, ' ');
		format_markdown(cells[i], out);
		buf_puts(out, " |");
	}
	buf_putc(out, '\n');
}

#define ROW(...)                                                                                   \
	format_markdown_row(                                                                       \
		(const char *[]){__VA_ARGS__}, ARRAY_LEN(((const char *[]){__VA_ARGS__})), out)

static int markdown_write(
	const struct report *r, const struct report_opts *o, struct buf *out, struct err *e)
{
	const struct store_run *run = &r->run;
	struct arena a = {0};

	(void)o;
	buf_printf(out, "## run %lld: %s\n\n| | |\n|---|---|\n", (long long)run->id,
		run->verdict ? run->verdict : "running");
	ROW("job", run->job);
	ROW("board", arena_printf(&a, "%s (%s)%s", run->board ? run->board : "-",
			     run->type ? run->type : "-", run->twin ? ", a twin" : ""));
	ROW("build", run->build ? arena_printf(&a, "%s %s", run->build,
					  run->build_version ? run->build_version : "")
				: NULL);
	if (run->message)
		ROW(run->blame ? arena_printf(&a, "blame %s", run->blame) : "message",
			run->message);
	buf_puts(out, "\n| status | suite | test | reason |\n|---|---|---|---|\n");
	for (size_t i = 0; i < r->n_results; i++)
		ROW(r->results[i].status, r->results[i].suite, r->results[i].name,
			r->results[i].why);
	if (r->n_metrics)
		buf_printf(out,
			"\n| test | metric%s | value | unit | parameters "
			"|\n|---|---|--:|---|---|\n",
			run->twin ? " (twin)" : "");
	for (size_t i = 0; i < r->n_metrics; i++) {
		const struct store_metric *m = &r->metrics[i].m;

		ROW(m->test, m->name, format_value(&a, m), m->unit, format_labels(&a, m->labels));
	}
	if (r->n_aggregates)
		buf_puts(out, "\n| over all cycles | n | avg (min, max) | unit | parameters "
			      "|\n|---|--:|---|---|---|\n");
	for (size_t i = 0; i < r->n_aggregates; i++) {
		const struct aggregate *g = &r->aggregates[i];

		ROW(g->name, arena_printf(&a, "%zu", g->n), format_aggregate(&a, g), g->unit,
			format_labels(&a, g->labels));
	}
	if (r->n_stages)
		buf_puts(out, "\n| boot stage | ms since power-on |\n|---|--:|\n");
	for (size_t i = 0; i < r->n_stages; i++)
		ROW(r->stages[i].name,
			arena_printf(&a, "%lld", (long long)r->stages[i].ms_since_power_on));
	if (r->n_envs)
		buf_puts(out, "\n| environment | |\n|---|---|\n");
	for (size_t i = 0; i < r->n_envs; i++)
		ROW(r->envs[i].name, r->envs[i].value);
	if (r->n_warnings)
		buf_puts(out, "\n| warnings |\n|---|\n");
	for (size_t i = 0; i < r->n_warnings; i++)
		ROW(r->warnings[i]);
	if (r->judged)
		judged_markdown(&r->judged, 1, out);
	arena_done(&a);
	return out->overflow
		       ? err_set(e, BLAME_BUG, "the report is larger than %zu bytes", out->cap)
		       : 0;
}

const struct report_format markdown_format = {
	.d = {.name = "markdown", .brief = "tables for a CI page", .proven = "golden cases"},
	.mime = "text/markdown; charset=utf-8",
	.ext = "md",
	.write = markdown_write,
};
