/* SPDX-License-Identifier: MIT */
/*
 * A run for a person at a terminal. Invariant: every result and every figure is printed; what is
 * missing is "-"; bytes that a terminal would act on are not passed on.
 */
#include "formats.h"
#include "judged.h"
#include "table.h"

#include "base/clock.h"
#include "io/json.h"

#include <stdio.h>

#define COLOUR_GOOD "32"
#define COLOUR_BAD  "31"
#define COLOUR_LOST "33"
#define COLOUR_DIM  "2"

/* The colour of a status or a verdict; NULL: none. */
static const char *colour_of(const char *word)
{
	static const struct {
		const char *word, *colour;
	} colours[] = {
		{"pass", COLOUR_GOOD},
		{"fail", COLOUR_BAD},
		{"error", COLOUR_BAD},
		{"miss", COLOUR_LOST},
		{"incomplete", COLOUR_LOST},
		{"canceled", COLOUR_LOST},
		{"skip", COLOUR_DIM},
	};

	for (size_t i = 0; word && i < ARRAY_LEN(colours); i++)
		if (!strcmp(colours[i].word, word))
			return colours[i].colour;
	return NULL;
}

static void heading(const struct report_opts *o, const char *text, struct buf *out)
{
	buf_printf(out, o->colour ? "\n\033[1m%s\033[0m\n" : "\n%s\n", text);
}

static void pair(struct table *t, const char *name, const char *value)
{
	if (value)
		table_row(t, (const char *[]){name, value});
}

static void write_header(
	const struct report *r, struct arena *a, const struct report_opts *o, struct buf *out)
{
	const struct store_run *run = &r->run;
	const char *verdict = run->verdict ? run->verdict : "running";
	const char *colour = o->colour ? colour_of(run->verdict) : NULL;
	struct table t = {.columns = 2};
	char at[CLOCK_ISO_BYTES], took[64];
	const char *params = format_labels(a, run->params);

	buf_printf(out, "run %lld  %s  ", (long long)run->id, format_safe(a, run->job));
	buf_printf(out, colour ? "\033[1;%sm" : "", colour);
	buf_puts(out, verdict);
	buf_puts(out, colour ? "\033[0m\n" : "\n");
	pair(&t, "board",
		arena_printf(a, "%s (%s, %s)%s", format_safe(a, run->board),
			format_safe(a, run->type), format_safe(a, run->soc),
			run->twin ? ", a twin" : ""));
	pair(&t, "lab", format_safe(a, run->lab));
	pair(&t, "build",
		run->build ? arena_printf(a, "%s %s", format_safe(a, run->build),
				     run->build_version ? format_safe(a, run->build_version) : "")
			   : NULL);
	pair(&t, "started", clock_iso(run->started_ms, at, sizeof at));
	pair(&t, "took", format_took(run, took, sizeof took));
	pair(&t, "params", *params ? params : NULL);
	if (run->blame)
		pair(&t, "blame",
			arena_printf(a, "%s: %s", format_safe(a, run->blame),
				format_safe(a, run->message)));
	else
		pair(&t, "message", run->message ? format_safe(a, run->message) : NULL);
	pair(&t, "folder", run->dir ? format_safe(a, run->dir) : NULL);
	table_write(&t, "  ", o->width, out);
	table_done(&t);
}

static void write_counts(const struct report *r, const struct report_opts *o, struct buf *out)
{
	AUTOBUF text = BUF_INIT(256);

	for (int s = 0; s < STATUS_COUNT; s++)
		if (r->counts[s])
			buf_printf(&text, "%s%d %s", text.len ? ", " : "results: ", r->counts[s],
				status_name((enum status)s));
	heading(o, text.len ? buf_str(&text) : "results: none", out);
}

/* The results of one suite, as they came. done marks what was printed. */
static void write_suite(const struct report *r, size_t first, bool *done, struct arena *a,
	const struct report_opts *o, struct buf *out)
{
	const char *suite = r->results[first].suite;
	VEC(const char *) styles = {0};
	struct table t = {.columns = 3};

	for (size_t i = first; i < r->n_results; i++) {
		const struct store_result *res = &r->results[i];

		if (strcmp(res->suite, suite))
			continue;
		done[i] = true;
		table_row(&t, (const char *[]){res->status, format_safe(a, res->name),
				      res->why ? format_safe(a, res->why) : ""});
		vec_push(&styles, o->colour ? colour_of(res->status) : NULL);
	}
	t.styles = styles.p;
	buf_printf(out, "  %s\n", *suite ? format_safe(a, suite) : "-");
	table_write(&t, "    ", o->width, out);
	vec_done(&styles);
	table_done(&t);
}

static void write_results(
	const struct report *r, struct arena *a, const struct report_opts *o, struct buf *out)
{
	bool *done = arena_alloc(a, r->n_results + 1);

	write_counts(r, o, out);
	for (size_t i = 0; i < r->n_results; i++)
		if (!done[i])
			write_suite(r, i, done, a, o, out);
}

static void write_metrics(
	const struct report *r, struct arena *a, const struct report_opts *o, struct buf *out)
{
	struct table t = {.columns = 5, .right = 1 << 2};

	if (!r->n_metrics)
		return;
	heading(o,
		r->run.twin ? "figures (twin: not to be compared with a real board's)" : "figures",
		out);
	table_row(&t, (const char *[]){"TEST", "METRIC", "VALUE", "UNIT", "PARAMETERS"});
	for (size_t i = 0; i < r->n_metrics; i++) {
		const struct store_metric *m = &r->metrics[i].m;

		table_row(&t, (const char *[]){*m->test ? format_safe(a, m->test) : "-",
				      format_safe(a, m->name), format_value(a, m),
				      format_safe(a, m->unit), format_labels(a, m->labels)});
	}
	table_write(&t, "  ", o->width, out);
	table_done(&t);
}

static void write_aggregates(
	const struct report *r, struct arena *a, const struct report_opts *o, struct buf *out)
{
	struct table t = {.columns = 5, .right = 1 << 1};

	if (!r->n_aggregates)
		return;
	heading(o, r->run.twin ? "over all cycles (twin)" : "over all cycles", out);
	table_row(&t, (const char *[]){"METRIC", "N", "AVG (MIN, MAX)", "UNIT", "PARAMETERS"});
	for (size_t i = 0; i < r->n_aggregates; i++) {
		const struct aggregate *g = &r->aggregates[i];

		table_row(&t, (const char *[]){format_safe(a, g->name),
				      arena_printf(a, "%zu", g->n), format_aggregate(a, g),
				      format_safe(a, g->unit), format_labels(a, g->labels)});
	}
	table_write(&t, "  ", o->width, out);
	table_done(&t);
}

static void write_stages(
	const struct report *r, struct arena *a, const struct report_opts *o, struct buf *out)
{
	struct table t = {.columns = 3, .right = 6};

	if (!r->n_stages)
		return;
	heading(o, r->run.twin ? "boot stages (twin)" : "boot stages", out);
	table_row(&t, (const char *[]){"STAGE", "SINCE POWER-ON", "SINCE THE STAGE BEFORE"});
	for (size_t i = 0; i < r->n_stages; i++) {
		int64_t ms = r->stages[i].ms_since_power_on;
		int64_t before = i ? r->stages[i - 1].ms_since_power_on : 0;

		table_row(&t,
			(const char *[]){format_safe(a, r->stages[i].name),
				arena_printf(a, "%lld ms", (long long)ms),
				ms >= before ? arena_printf(a, "%lld ms", (long long)(ms - before))
					     : NULL});
	}
	table_write(&t, "  ", o->width, out);
	table_done(&t);
}

static void write_identities(
	const struct report *r, struct arena *a, const struct report_opts *o, struct buf *out)
{
	struct table t = {.columns = 3};

	if (!r->n_identities)
		return;
	heading(o, "what booted", out);
	for (size_t i = 0; i < r->n_identities; i++) {
		const struct report_identity *id = &r->identities[i];

		table_row(&t, (const char *[]){format_safe(a, id->role),
				      id->same ? "as deployed" : "NOT as deployed",
				      id->same ? format_safe(a, id->got)
					       : arena_printf(a, "%s, deployed was %s",
							 format_safe(a, id->got),
							 format_safe(a, id->want))});
	}
	table_write(&t, "  ", o->width, out);
	table_done(&t);
}

static void write_steps(
	const struct report *r, struct arena *a, const struct report_opts *o, struct buf *out)
{
	struct table t = {.columns = 4, .right = 1 << 2};
	char ms[64];

	if (!r->n_steps)
		return;
	heading(o, "steps", out);
	for (size_t i = 0; i < r->n_steps; i++) {
		const struct report_step *st = &r->steps[i];
		/* that it passed is for its results to say */
		bool ran = st->outcome && !strcmp(st->outcome, "ok");

		table_row(&t,
			(const char *[]){ran ? "ran" : format_safe(a, st->outcome),
				format_safe(a, st->name),
				st->ms < 0 ? NULL
					   : arena_strdup(a, str_format_ms(st->ms, ms, sizeof ms)),
				st->message ? arena_printf(a, "%s: %s", format_safe(a, st->blame),
						      format_safe(a, st->message))
					    : ""});
	}
	table_write(&t, "  ", o->width, out);
	table_done(&t);
}

static void write_env(
	const struct report *r, struct arena *a, const struct report_opts *o, struct buf *out)
{
	struct table t = {.columns = 2};

	if (r->n_envs)
		heading(o, "environment", out);
	for (size_t i = 0; i < r->n_envs; i++)
		pair(&t, format_safe(a, r->envs[i].name), format_safe(a, r->envs[i].value));
	table_write(&t, "  ", o->width, out);
	table_done(&t);
	if (r->n_warnings)
		heading(o, "warnings", out);
	for (size_t i = 0; i < r->n_warnings; i++)
		buf_printf(out, "  %s\n", format_safe(a, r->warnings[i]));
}

static int text_write(
	const struct report *r, const struct report_opts *o, struct buf *out, struct err *e)
{
	static const struct report_opts plain;
	struct arena a = {0};

	o = o ? o : &plain;
	write_header(r, &a, o, out);
	write_steps(r, &a, o, out);
	write_results(r, &a, o, out);
	write_metrics(r, &a, o, out);
	write_aggregates(r, &a, o, out);
	write_stages(r, &a, o, out);
	write_identities(r, &a, o, out);
	write_env(r, &a, o, out);
	if (r->judged) {
		heading(o, "judged", out);
		judged_text(&r->judged, 1, o, out);
	}
	arena_done(&a);
	return out->overflow
		       ? err_set(e, BLAME_BUG, "the report is larger than %zu bytes", out->cap)
		       : 0;
}

const struct report_format text_format = {
	.d = {.name = "text", .brief = "tables for a terminal", .proven = "golden cases"},
	.mime = "text/plain; charset=utf-8",
	.ext = "txt",
	.write = text_write,
};

int report_list_text(
	const struct report_list *l, const struct report_opts *o, struct buf *out, struct err *e)
{
	static const struct report_opts plain;
	struct table t = {.columns = 7, .right = 1 << 1};
	VEC(const char *) styles = {0};
	struct arena a = {0};

	o = o ? o : &plain;
	table_row(
		&t, (const char *[]){"VERDICT", "RUN", "STARTED", "TOOK", "JOB", "BOARD", "BUILD"});
	vec_push(&styles, NULL);
	for (size_t i = 0; i < l->n; i++) {
		const struct store_run *run = &l->runs[i];
		char *at = arena_alloc(&a, CLOCK_ISO_BYTES), *took = arena_alloc(&a, 64);

		clock_iso(run->started_ms, at, CLOCK_ISO_BYTES);
		at[19] = 'Z', at[20] = 0; /* to the second */
		table_row(&t,
			(const char *[]){run->verdict ? run->verdict : "running",
				arena_printf(&a, "%lld", (long long)run->id), at,
				format_took(run, took, 64), format_safe(&a, run->job),
				arena_printf(&a, "%s%s", format_safe(&a, run->board),
					run->twin ? " (twin)" : ""),
				run->build ? arena_printf(&a, "%s %s", format_safe(&a, run->build),
						     run->build_version
							     ? format_safe(&a, run->build_version)
							     : "")
					   : "-"});
		vec_push(&styles, o->colour ? colour_of(run->verdict) : NULL);
	}
	t.styles = styles.p;
	table_write(&t, "", o->width, out);
	vec_done(&styles);
	table_done(&t);
	arena_done(&a);
	return out->overflow ? err_set(e, BLAME_BUG, "the list is larger than %zu bytes", out->cap)
			     : 0;
}
