/* SPDX-License-Identifier: MIT */
/*
 * A trend as data: CSV with a record a point (or a week, of series that are kept by week), and JSON
 * with everything. Invariant: a number is told to the last digit; one that is not there is empty or
 * null, never 0.
 */
#include "render.h"

#include "io/json.h"

#include <math.h>
#include <string.h>

/* ---- CSV ---- */

static void put_field(const char *text, struct buf *out)
{
	AUTOBUF plain = BUF_INIT(BUF_CAP_BYTES);

	put_plain(text, &plain);
	/* A sheet would take these for formulas. */
	bool quoted = buf_str(&plain)[strcspn(buf_str(&plain), ",\" ")] != 0;

	buf_puts(out, quoted ? "\"" : "");
	if (strchr("=+-@", *buf_str(&plain)) && plain.len > 1)
		buf_putc(out, '\'');
	for (const char *p = buf_str(&plain); *p; p++) {
		if (*p == '"')
			buf_putc(out, '"');
		buf_putc(out, *p);
	}
	buf_puts(out, quoted ? "\"," : ",");
}

static void put_number(double value, struct buf *out)
{
	char text[32];

	if (isfinite(value))
		buf_puts(out, json_real_text(value, text, sizeof text));
	buf_putc(out, ',');
}

static const struct trend_change *change_at(const struct trend_line *l, int64_t from, int64_t to)
{
	for (size_t i = 0; i < l->n_changes; i++)
		if (l->changes[i].first.at_ms >= from && l->changes[i].first.at_ms < to)
			return &l->changes[i];
	return NULL;
}

static void put_record(const struct trend_line *l, const struct trend_run *r, size_t runs,
	double value, double low, double high, const struct trend_change *c, struct buf *out)
{
	const char *const texts[] = {l->s.type, l->s.board, l->s.twin ? "yes" : "no", l->s.line,
		l->s.job, l->s.suite, l->s.test, l->s.metric, l->s.labels, l->s.tool, l->s.unit};
	char date[WORD_BYTES];

	for (size_t i = 0; i < ARRAY_LEN(texts); i++)
		put_field(texts[i], out);
	buf_printf(out, "%s,", word_date(r->at_ms, date));
	if (r->run)
		buf_printf(out, "%lld", (long long)r->run);
	buf_putc(out, ',');
	put_field(r->version, out);
	buf_printf(out, "%zu,", runs);
	put_number(value, out);
	put_number(low, out);
	put_number(high, out);
	put_number(c ? c->percent : NAN, out);
	buf_printf(out, "%s\n", c ? trend_sense_names[c->sense] : "");
}

static int csv_write(
	const struct trend *t, const struct trend_opts *o, struct buf *out, struct err *e)
{
	(void)o;
	buf_puts(out, "type,board,twin,build,job,suite,test,metric,labels,tool,unit,date,run,"
		      "version,runs,value,min,max,change_percent,sense\n");
	for (size_t i = 0; i < t->n_lines; i++) {
		const struct trend_line *l = &t->lines[i];

		for (size_t k = 0; l->axis && k < l->axis->n; k++)
			put_record(l, &l->axis->runs[k], 1, l->values[k],
				l->lows ? l->lows[k] : NAN, l->highs ? l->highs[k] : NAN,
				change_at(l, l->axis->runs[k].at_ms, l->axis->runs[k].at_ms + 1),
				out);
		for (size_t k = 0; k < l->n_weeks; k++)
			put_record(l, &(struct trend_run){.at_ms = l->weeks[k].at_ms},
				l->weeks[k].n, l->weeks[k].median, l->weeks[k].min, l->weeks[k].max,
				change_at(l, l->weeks[k].at_ms,
					l->weeks[k].at_ms + INT64_C(604800000)),
				out);
	}
	return trend_check_size(out, e);
}

const struct trend_format trend_csv_format = {
	.d = {.name = "csv", .brief = "a record a point", .proven = "tests, with hostile names"},
	.mime = "text/csv",
	.ext = "csv",
	.write = csv_write,
};

/* ---- JSON ---- */

static json_t *text(const char *s)
{
	AUTOBUF plain = BUF_INIT(BUF_CAP_BYTES);

	if (!s)
		return json_null();
	put_plain(s, &plain);
	return json_string(buf_str(&plain));
}

static json_t *number(double value)
{
	return isfinite(value) ? json_real(value) : json_null();
}

static json_t *run_json(const struct trend_run *r)
{
	return json_pack("{s:I, s:I, s:o}", "run", (json_int_t)r->run, "at_ms",
		(json_int_t)r->at_ms, "version", text(r->version));
}

static json_t *change_json(const struct trend_change *c)
{
	return json_pack("{s:s, s:I, s:o, s:o, s:o, s:o, s:o, s:o, s:b, s:o, s:o}", "sense",
		trend_sense_names[c->sense], "runs", (json_int_t)c->runs, "first",
		run_json(&c->first), "last_before", run_json(&c->last), "before", number(c->before),
		"after", number(c->after), "percent", number(c->percent), "evidence",
		number(c->evidence), "confirmed", c->confirmed, "console", text(c->console),
		"log_offset", c->log_offset < 0 ? json_null() : json_integer(c->log_offset));
}

static json_t *points_json(const struct trend_line *l)
{
	json_t *list = json_array();

	for (size_t i = 0; i < l->axis->n; i++) {
		const struct trend_run *r = &l->axis->runs[i];

		json_array_append_new(list,
			json_pack("{s:I, s:I, s:o, s:o, s:o, s:o}", "run", (json_int_t)r->run,
				"at_ms", (json_int_t)r->at_ms, "version", text(r->version), "value",
				number(l->values[i]), "min", number(l->lows ? l->lows[i] : NAN),
				"max", number(l->highs ? l->highs[i] : NAN)));
	}
	return list;
}

static json_t *weeks_json(const struct trend_line *l)
{
	json_t *list = json_array();

	for (size_t i = 0; i < l->n_weeks; i++)
		json_array_append_new(list,
			json_pack("{s:I, s:I, s:o, s:o, s:o}", "at_ms",
				(json_int_t)l->weeks[i].at_ms, "runs", (json_int_t)l->weeks[i].n,
				"min", number(l->weeks[i].min), "median",
				number(l->weeks[i].median), "max", number(l->weeks[i].max)));
	return list;
}

static json_t *line_json(const struct trend_line *l)
{
	json_t *j = json_pack("{s:o, s:o, s:b, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:s}",
		"type", text(l->s.type), "board", text(l->s.board), "twin", l->s.twin, "build",
		text(l->s.line), "job", text(l->s.job), "suite", text(l->s.suite), "test",
		text(l->s.test), "metric", text(l->s.metric), "labels", text(l->s.labels), "tool",
		text(l->s.tool), "unit", text(l->s.unit), "better", l->s.better);
	json_t *changes = json_array();

	json_object_set_new(j, "judged_as", json_string(l->releases ? "releases" : "runs"));
	json_object_set_new(j, "runs", json_integer((json_int_t)l->n));
	json_object_set_new(j, "last", number(l->last));
	json_object_set_new(j, "min", number(l->min));
	json_object_set_new(j, "median", number(l->median));
	json_object_set_new(j, "max", number(l->max));
	json_object_set_new(j, "deviation", number(l->deviation));
	json_object_set_new(j, "odd", json_integer((json_int_t)l->odd));
	json_object_set_new(j, "published", number(l->reference));
	json_object_set_new(j, "before", text(l->follows));
	for (size_t i = 0; i < l->n_changes; i++)
		json_array_append_new(changes, change_json(&l->changes[i]));
	json_object_set_new(j, "changes", changes);
	json_object_set_new(
		j, l->axis ? "points" : "weeks", l->axis ? points_json(l) : weeks_json(l));
	return j;
}

static json_t *event_json(const struct trend *t, const struct trend_event *e)
{
	json_t *hits = json_array();

	for (size_t i = 0; i < e->n_hits; i++)
		json_array_append_new(hits,
			json_pack("{s:I, s:o}", "series", (json_int_t)(e->hits[i].line - t->lines),
				"change", change_json(e->hits[i].change)));
	return json_pack(
		"{s:o, s:b, s:o, s:o, s:o, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:b, s:b, s:o}",
		"type", text(e->type), "twin", e->twin, "build", text(e->line), "version",
		text(e->version), "last_without", text(e->before), "at_ms", (json_int_t)e->at_ms,
		"run", (json_int_t)e->run, "worse", (json_int_t)e->worse, "better",
		(json_int_t)e->better, "moved", (json_int_t)e->moved, "minor", (json_int_t)e->minor,
		"of_series", (json_int_t)e->series, "together", e->together, "confirmed",
		e->confirmed, "changes", hits);
}

static int json_format_write(
	const struct trend *t, const struct trend_opts *o, struct buf *out, struct err *e)
{
	AUTOJSON *doc = json_pack("{s:s, s:o}", "schema", "hilab.trend/1", "title", text(o->title));
	json_t *events = json_array(), *series = json_array();

	for (size_t i = 0; i < t->n_events; i++)
		json_array_append_new(events, event_json(t, &t->events[i]));
	for (size_t i = 0; i < t->n_lines; i++)
		json_array_append_new(series, line_json(&t->lines[i]));
	json_object_set_new(doc, "events", events);
	json_object_set_new(doc, "series", series);
	if (json_write(doc, JSON_INDENT(1), out, e))
		return -1;
	buf_putc(out, '\n');
	return trend_check_size(out, e);
}

const struct trend_format trend_json_format = {
	.d = {.name = "json", .brief = "all of it, hilab.trend/1", .proven = "tests"},
	.mime = "application/json",
	.ext = "json",
	.write = json_format_write,
};
