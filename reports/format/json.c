/* SPDX-License-Identifier: MIT */
/*
 * A run as JSON, schema "hilab.run/1": every key is always there, what is missing is null, figures
 * are as stored, to the last bit. Invariant: keys are only ever added to the schema.
 */
#include "formats.h"
#include "judged.h"

#include "base/mem.h"
#include "io/json.h"

#include <math.h>

json_t *format_json(const char *s)
{
	json_t *j = s ? json_string(s) : json_null();
	AUTOFREE char *copy = NULL;

	if (j)
		return j;
	/* A path or a name in some other encoding: what is not ASCII is lost, the report is not. */
	copy = mem_strdup(s);
	for (char *p = copy; *p; p++)
		if ((unsigned char)*p >= 0x80)
			*p = '?';
	return json_string(copy);
}

static json_t *number_or_null(int64_t value, int64_t none)
{
	return value == none ? json_null() : json_integer(value);
}

static json_t *object_of(const char *s)
{
	json_t *j = json_loads(s ? s : "{}", 0, NULL);

	return json_is_object(j) ? j : (json_decref(j), json_object());
}

static json_t *run_json(const struct store_run *run)
{
	return json_pack(
		"{s:I, s:o, s:o, s:o, s:o, s:o, s:b, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, "
		"s:o}",
		"id", (json_int_t)run->id, "job", format_json(run->job), "board",
		format_json(run->board), "type", format_json(run->type), "soc",
		format_json(run->soc), "lab", format_json(run->lab), "twin", run->twin, "build",
		format_json(run->build), "build_version", format_json(run->build_version),
		"verdict", format_json(run->verdict), "blame", format_json(run->blame), "message",
		format_json(run->message), "started_ms", number_or_null(run->started_ms, 0),
		"ended_ms", number_or_null(run->ended_ms, 0), "dir", format_json(run->dir),
		"params", object_of(run->params));
}

static json_t *counts_json(const struct report *r)
{
	json_t *counts = json_object();

	for (int s = 0; s < STATUS_COUNT; s++)
		json_object_set_new(
			counts, status_name((enum status)s), json_integer(r->counts[s]));
	return counts;
}

static json_t *figure(double value)
{
	return isfinite(value) ? json_real(value) : json_null();
}

static json_t *results_json(const struct report *r)
{
	json_t *list = json_array();

	for (size_t i = 0; i < r->n_results; i++) {
		const struct store_result *res = &r->results[i];

		json_array_append_new(list,
			json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "suite",
				format_json(res->suite), "name", format_json(res->name), "status",
				format_json(res->status), "why", format_json(res->why), "at_ms",
				number_or_null(res->at_ms, 0), "console", format_json(res->console),
				"log_offset", number_or_null(res->log_offset, -1)));
	}
	return list;
}

static json_t *metrics_json(const struct report *r)
{
	json_t *list = json_array();

	for (size_t i = 0; i < r->n_metrics; i++) {
		const struct store_metric *m = &r->metrics[i].m;
		const struct metric_def *def = r->metrics[i].def;

		json_array_append_new(list,
			json_pack("{s:o, s:o, s:o, s:f, s:o, s:o, s:o, s:o, s:o, s:o}", "suite",
				format_json(m->suite), "test", format_json(m->test), "name",
				format_json(m->name), "value", m->value, "min", figure(m->min),
				"max", figure(m->max), "resolution",
				figure(m->resolution > 0 ? m->resolution : NAN), "unit",
				format_json(m->unit), "better",
				format_json(def ? metric_better_names[def->better] : m->better),
				"labels", object_of(m->labels)));
	}
	return list;
}

static json_t *aggregates_json(const struct report *r)
{
	json_t *list = json_array();

	for (size_t i = 0; i < r->n_aggregates; i++) {
		const struct aggregate *g = &r->aggregates[i];

		json_array_append_new(list,
			json_pack("{s:o, s:o, s:o, s:o, s:I, s:s, s:f, s:f, s:f, s:f}", "suite",
				format_json(g->suite), "name", format_json(g->name), "unit",
				format_json(g->unit), "labels", object_of(g->labels), "n",
				(json_int_t)g->n, "aggregate", metric_aggregate_names[g->how],
				"value", g->value, "avg", g->avg, "min", g->min, "max", g->max));
	}
	return list;
}

static json_t *stages_json(const struct report *r)
{
	json_t *list = json_array();

	for (size_t i = 0; i < r->n_stages; i++)
		json_array_append_new(list,
			json_pack("{s:o, s:I}", "name", format_json(r->stages[i].name),
				"ms_since_power_on", (json_int_t)r->stages[i].ms_since_power_on));
	return list;
}

static json_t *steps_json(const struct report *r)
{
	json_t *list = json_array();

	for (size_t i = 0; i < r->n_steps; i++) {
		const struct report_step *st = &r->steps[i];

		json_array_append_new(
			list, json_pack("{s:o, s:o, s:o, s:o, s:o, s:o}", "name",
				      format_json(st->name), "outcome", format_json(st->outcome),
				      "ms", number_or_null(st->ms, -1), "blame",
				      format_json(st->blame), "message", format_json(st->message),
				      "attempts", number_or_null(st->attempts, 0)));
	}
	return list;
}

static json_t *identities_json(const struct report *r)
{
	json_t *list = json_array();

	for (size_t i = 0; i < r->n_identities; i++) {
		const struct report_identity *id = &r->identities[i];

		json_array_append_new(
			list, json_pack("{s:o, s:o, s:o, s:b}", "role", format_json(id->role),
				      "want", format_json(id->want), "got", format_json(id->got),
				      "same", id->same));
	}
	return list;
}

static json_t *envs_json(const struct report *r)
{
	json_t *list = json_array();

	for (size_t i = 0; i < r->n_envs; i++)
		json_array_append_new(
			list, json_pack("{s:o, s:o}", "name", format_json(r->envs[i].name), "value",
				      format_json(r->envs[i].value)));
	return list;
}

static int finish(json_t *doc, struct buf *out, struct err *e)
{
	AUTOJSON *owned = doc;

	if (!owned)
		return err_set(e, BLAME_BUG, "the report cannot be told as JSON");
	if (json_write(owned, JSON_INDENT(2), out, e))
		return -1;
	return buf_putc(out, '\n') ? err_set(e, BLAME_BUG, "the report is too large") : 0;
}

static int json_format_write(
	const struct report *r, const struct report_opts *o, struct buf *out, struct err *e)
{
	json_t *warnings = json_array(), *doc;

	(void)o;
	for (size_t i = 0; i < r->n_warnings; i++)
		json_array_append_new(warnings, format_json(r->warnings[i]));
	doc = json_pack("{s:s, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "schema",
		"hilab.run/1", "run", run_json(&r->run), "counts", counts_json(r), "results",
		results_json(r), "metrics", metrics_json(r), "aggregates", aggregates_json(r),
		"stages", stages_json(r), "identities", identities_json(r), "steps", steps_json(r),
		"env", envs_json(r), "warnings", warnings);
	if (doc && r->judged)
		json_object_set_new(doc, "judged", judged_json(r->judged, true));
	return finish(doc, out, e);
}

const struct report_format json_format = {
	.d = {.name = "json", .brief = "schema hilab.run/1", .proven = "golden cases"},
	.mime = "application/json",
	.ext = "json",
	.write = json_format_write,
};

int report_list_json(const struct report_list *l, struct buf *out, struct err *e)
{
	json_t *list = json_array();

	for (size_t i = 0; i < l->n; i++)
		json_array_append_new(list, run_json(&l->runs[i]));
	return finish(json_pack("{s:s, s:o}", "schema", "hilab.runs/1", "runs", list), out, e);
}
