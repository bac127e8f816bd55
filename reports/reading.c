/* SPDX-License-Identifier: MIT */
/*
 * Reads a run's kept outputs again. Invariant: a reading holds all that the run is known to have
 * found: what a parser had told in a step that is read again is replaced by what it tells now, and
 * everything else is taken over from the journal as it is.
 */
#include "reading.h"

#include "agents/measure/measure.h"
#include "agents/worker/worker.h"
#include "base/clock.h"
#include "base/fs.h"
#include "base/map.h"
#include "base/mem.h"
#include "base/vec.h"
#include "io/json.h"
#include "reading-inner.h"
#include "store/control.h"

#include <stdlib.h>
#include <string.h>

#define READING_PLAN_BYTES ((size_t)64 << 20)

/* ---- what is told ------------------------------------------------------------------------------
 */

static const char *clean(struct reader *g, const char *text)
{
	AUTOFREE char *made = journal_text(text);

	return arena_strdup(g->a, made);
}

static void add_result(struct reader *g, const struct store_result *res)
{
	g->counts[status_parse(res->status) < 0 ? STATUS_MISS : status_parse(res->status)]++;
	vec_push(&g->results, *res);
}

static void add_warning(struct reader *g, const char *text)
{
	vec_push(&g->warnings, clean(g, text));
}

static void on_suite(void *arg, const char *name)
{
	struct reader *g = arg;

	g->suite = name && *name ? clean(g, name) : NULL;
}

static void on_result(void *arg, const char *name, enum status s, const char *why)
{
	struct reader *g = arg;
	struct store_result res = g->own;
	AUTOFREE char *full = mem_printf("%s/%s", g->step->name, name);

	g->found++;
	res.suite = g->suite ? g->suite : g->step_suite;
	res.name = clean(g, full);
	res.status = status_name(s);
	res.why = why && *why ? clean(g, why) : NULL;
	add_result(g, &res);
}

static void on_metric(void *arg, const struct sink_metric *told)
{
	struct reader *g = arg;
	struct sink_metric m = *told;
	AUTOJSON *labels = worker_labels(g->step->labels, told);
	AUTOFREE char *text = json_dumps(labels, JSON_COMPACT | JSON_SORT_KEYS);
	struct store_metric made = {.suite = g->step_suite, .test = g->step_name, .part = g->part};
	struct err e = {0};

	if (metric_settle(g->table, g->parser, &m, &e)) {
		AUTOFREE char *why = mem_printf("%s: %s: %.10g %s is not stored", told->name, e.msg,
			told->value, told->unit);

		add_warning(g, why);
		return;
	}
	g->found++;
	made.name = clean(g, m.name);
	made.unit = clean(g, m.unit ? m.unit : "");
	made.value = m.value;
	made.min = m.min;
	made.max = m.max;
	made.resolution = m.resolution;
	made.labels = arena_strdup(g->a, text ? text : "{}");
	made.better = metric_find(g->table, m.name) ? NULL : arena_strdup(g->a, m.better);
	vec_push(&g->metrics, made);
}

static void on_env(void *arg, const char *name, const char *value)
{
	struct reader *g = arg;
	struct store_env env = {clean(g, name), clean(g, value), g->part};

	vec_push(&g->envs, env);
}

static void on_warn(void *arg, const char *text)
{
	add_warning(arg, text);
}

/* ---- what is taken over -----------------------------------------------------------------------
 */

static struct store_result result_of(struct reader *g, const json_t *j)
{
	const char *status = json_text(j, "status", "");
	struct store_result res = {
		.suite = arena_strdup(g->a, json_text(j, "suite", "")),
		.name = arena_strdup(g->a, json_text(j, "name", "")),
		.status = arena_strdup(g->a, status_parse(status) < 0 ? "miss" : status),
		.why = arena_strdup(g->a, json_text(j, "why", NULL)),
		.at_ms = json_int(j, "at", 0),
		.log_offset = json_int(j, "log_offset", -1),
		.console = arena_strdup(g->a, json_text(j, "console", NULL)),
		.part = g->part,
	};

	if (status_parse(status) < 0)
		res.why = arena_printf(g->a, "status '%.60s' is none of ours", status);
	return res;
}

static void keep_metric(struct reader *g, const json_t *j)
{
	struct sink_metric m = SINK_METRIC(
		json_text(j, "name", ""), json_num(j, "value", NAN), json_text(j, "unit", ""));
	AUTOFREE char *labels =
		json_dumps(json_object_get(j, "labels"), JSON_COMPACT | JSON_SORT_KEYS);
	struct store_metric made = {.part = g->part};

	m.min = json_num(j, "min", NAN);
	m.max = json_num(j, "max", NAN);
	m.resolution = json_num(j, "resolution", 0);
	if (!isfinite(m.value) || metric_settle(g->table, NULL, &m, NULL))
		return;
	made.suite = arena_strdup(g->a, json_text(j, "suite", ""));
	made.test = arena_strdup(g->a, json_text(j, "test", ""));
	made.name = arena_strdup(g->a, m.name);
	made.unit = arena_strdup(g->a, m.unit);
	made.value = m.value;
	made.min = m.min;
	made.max = m.max;
	made.resolution = m.resolution;
	made.labels = arena_strdup(g->a, labels ? labels : "{}");
	made.better = metric_find(g->table, m.name)
			      ? NULL
			      : arena_strdup(g->a, json_text(j, "better", NULL));
	vec_push(&g->metrics, made);
}

static void keep(struct reader *g, const json_t *j)
{
	const char *kind = json_text(j, "kind", "");
	struct store_result res;

	if (!strcmp(kind, "result")) {
		res = result_of(g, j);
		add_result(g, &res);
	} else if (!strcmp(kind, "metric")) {
		keep_metric(g, j);
	} else if (!strcmp(kind, "env") && json_text(j, "name", NULL) &&
		   json_text(j, "value", NULL)) {
		struct store_env env = {arena_strdup(g->a, json_text(j, "name", "")),
			arena_strdup(g->a, json_text(j, "value", "")), g->part};

		vec_push(&g->envs, env);
	}
}

/* ---- one step ----------------------------------------------------------------------------------
 */

static const char *parser_of(const struct step *s, const struct node **settings)
{
	const struct measure_driver *drv;

	*settings = NULL;
	switch (s->kind) {
	case STEP_RUN:
		return plan_parser(((const struct step_run *)s->conf)->parse, settings);
	case STEP_LOADER:
		return plan_parser(((const struct step_loader *)s->conf)->parse, settings);
	case STEP_MEASURE:
		drv = (const struct measure_driver *)driver_find(
			measure_drivers(), ((const struct step_measure *)s->conf)->with);
		return drv ? drv->parser : NULL;
	default:
		return NULL;
	}
}

/* Had the parser been given the output? By the step's own result: a command that failed is not
 * read, nor is an output that is not whole. */
static bool was_parsed(const json_t *own)
{
	const char *status = json_text(own, "status", ""), *why = json_text(own, "why", "");

	if (!strcmp(status, "pass"))
		return true;
	return !strcmp(status, "error") &&
	       (!strncmp(why, "parser '", 8) || !strncmp(why, "unknown parser", 14));
}

static int read_output(struct reader *g, const json_t *artifact, struct buf *text, struct err *e)
{
	const char *name = json_text(artifact, "name", "");
	AUTOFREE char *dir = fs_join(g->dir, "artifacts");
	AUTOFREE char *path = fs_join(dir, name);
	json_int_t bytes = json_int(artifact, "bytes", -1);

	if (strchr(name, '/') || !*name || *name == '.')
		return err_set(e, BLAME_INFRA, "'%.80s' is no name of an artifact", name);
	if (fs_read(path, text, e)) {
		if (e)
			e->blame = BLAME_INFRA;
		return -1;
	}
	if (bytes >= 0 && (size_t)bytes != text->len)
		return err_set(e, BLAME_INFRA, "'%s' has %zu bytes, and %lld were kept", path,
			text->len, (long long)bytes);
	return 0;
}

/* Its own result, as it is now. */
static void tell_own(struct reader *g, const struct err *parsed)
{
	g->own.suite = g->step_suite;
	g->own.status = status_name(err_is(parsed) ? STATUS_ERROR : STATUS_PASS);
	g->own.why = err_is(parsed) ? clean(g, parsed->msg) : NULL;
	add_result(g, &g->own);
}

static int reread(struct reader *g, const struct step_events *ev, const char *parser,
	const struct node *settings, struct err *e)
{
	struct sink sink = {g, NULL, on_suite, on_result, on_metric, on_env, on_warn};
	AUTOBUF text = BUF_INIT(BUF_CAP_BYTES);
	struct err parsed = {0};

	if (read_output(g, ev->artifact, &text, e))
		return -1;
	g->outputs++;
	g->found = 0;
	g->suite = NULL;
	g->step_suite = arena_strdup(g->a, g->step->suite);
	g->step_name = arena_strdup(g->a, g->step->name);
	g->own = result_of(g, ev->own);
	g->parser = (const struct parser *)driver_get(parse_drivers(), "parser", parser, &parsed);
	if (g->parser &&
		parser_run(g->parser, settings, str_make(buf_str(&text), text.len), &sink, &parsed))
		err_wrap(&parsed, "parser '%s'", parser);
	else if (g->parser && !g->found)
		err_set(&parsed, BLAME_TEST, "parser '%s' found nothing in %zu bytes of output",
			parser, text.len);
	tell_own(g, &parsed);
	return 0;
}

/* Can what a parser told be made out? In older journals not where attempts were held back, unless
 * it told nothing. */
static bool can_tell(const struct reader *g, const struct step_events *ev)
{
	return ev->named || !g->step->retry ||
	       strstr(json_text(ev->own, "why", ""), "' found nothing in ");
}

/* Was it told of the readings on power rails, beside the step? */
static bool of_rails(const struct reader *g, const json_t *j)
{
	return g->step && g->step->sample && !strcmp(json_text(j, "parser", ""), "rails");
}

/* Was it a parser that told it? Journals say so; in older ones it stands behind the output. */
static bool of_parser(
	const struct reader *g, const struct step_events *ev, size_t i, const json_t *j)
{
	if (json_text(j, "parser", NULL))
		return !of_rails(g, j);
	return !ev->named && !g->step->retry && i > ev->artifact_at;
}

int reading_step(struct reader *g, const struct step_events *ev, struct err *e)
{
	const struct node *settings = NULL;
	const char *parser = g->step ? parser_of(g->step, &settings) : NULL;
	bool again = parser && ev->artifact && ev->own && ev->own_at > ev->artifact_at &&
		     was_parsed(ev->own) && can_tell(g, ev);
	struct step_events rails = {.named = true};

	if (g->step && ev->rails && ev->rails_own && was_parsed(ev->rails_own)) {
		rails.artifact = ev->rails;
		rails.own = ev->rails_own;
	}
	for (size_t i = 0; i < ev->n; i++) {
		const json_t *j = ev->p[i];

		if (again && j == ev->own) {
			if (reread(g, ev, parser, settings, e))
				return err_wrap(e, "step '%s'", g->step->name);
		} else if (rails.artifact && j == rails.own) {
			if (reread(g, &rails, "rails", NULL, e))
				return err_wrap(e, "rails of step '%s'", g->step->name);
		} else if (rails.artifact && of_rails(g, j)) {
			continue;
		} else if (!again || !of_parser(g, ev, i, j)) {
			keep(g, j);
		}
	}
	return 0;
}

int reading_plan(struct reader *g, struct plan *plan, struct err *e)
{
	AUTOFREE char *path = fs_join(g->dir, "plan.json");
	AUTOBUF text = BUF_INIT(READING_PLAN_BYTES);
	AUTOJSON *j = NULL;

	if (!fs_read(path, &text, e))
		j = json_parse(str_make(buf_str(&text), text.len), path, e);
	if (j && !plan_from_json(plan, j, e))
		return 0;
	if (e)
		e->blame = BLAME_INFRA; /* what was kept is not there */
	return -1;
}
