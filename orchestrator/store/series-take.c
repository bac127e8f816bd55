/* SPDX-License-Identifier: MIT */
/*
 * What a run's figures make for its series. Invariant: every figure of the reading that counts is a
 * sample of exactly one point, and no other has the same key.
 */
#include "series-inner.h"

#include "series.h"

#include "io/json.h"

#include <math.h>
#include <string.h>

static const char *keep(struct making *m, const char *text)
{
	return arena_strdup(&m->arena, text ? text : "");
}

static const char *json_keep(struct making *m, const json_t *j)
{
	AUTOFREE char *text = json_dumps(j, JSON_COMPACT | JSON_SORT_KEYS);

	return keep(m, text ? text : "{}");
}

/* ---- of the run ------------------------------------------------------------------------------ */

static bool ends_with(const char *text, const char *end)
{
	size_t n = strlen(text), k = strlen(end);

	return n >= k && !strcmp(text + n - k, end);
}

/* Does it say which build is measured, and not how? */
static bool names_build(const struct store_run *run, const char *name, const char *value)
{
	static const char *const words[] = {"build", "image", "images", "version", "url"};

	for (size_t i = 0; i < ARRAY_LEN(words); i++) {
		size_t n = strlen(name), k = strlen(words[i]);

		if (ends_with(name, words[i]) && (n == k || strchr("_-.", name[n - k - 1])))
			return true;
	}
	return value && *value &&
	       ((run->build && !strcmp(value, run->build)) ||
		       (run->build_version && !strcmp(value, run->build_version)));
}

char *store_series_params(const struct store_run *run)
{
	AUTOJSON *j = json_loads(run->params ? run->params : "{}", 0, NULL);
	AUTOJSON *kept = json_object();
	json_t *value;
	const char *name;

	json_object_foreach (j, name, value)
		if (!names_build(run, name, json_string_value(value)))
			json_object_set(kept, name, value);
	return json_dumps(kept, JSON_COMPACT | JSON_SORT_KEYS);
}

static const char *params_of(struct making *m, const char *text)
{
	const struct store_run run = {
		.params = text, .build = m->line, .build_version = m->version};
	AUTOFREE char *params = store_series_params(&run);

	return keep(m, params);
}

/* 1 it has ended in a way that gives points, 0, -1. */
static int take_run(struct making *m, struct err *e)
{
	sqlite3_stmt *st = store_stmt(m->s, SQL_SERIES_RUN, e);
	int answer = 0, counts = 0;

	sqlite3_bind_int64(st, 1, m->run);
	while (store_row(m->s, st, &answer, e)) {
		m->job = keep(m, store_text(st, 0));
		m->board = keep(m, store_text(st, 1));
		m->type = keep(m, store_text(st, 2));
		m->twin = sqlite3_column_int(st, 3);
		m->line = keep(m, store_text(st, 4));
		m->version = keep(m, store_text(st, 5));
		m->params = params_of(m, store_text(st, 6));
		m->at_ms = sqlite3_column_int64(st, 7);
		counts = strcmp(store_text(st, 8), "canceled") != 0;
	}
	return answer < 0 ? -1 : counts;
}

/* Did something else boot than what was deployed? 1, 0, -1. */
static int is_another_build(struct making *m, struct err *e)
{
	sqlite3_stmt *st = store_stmt(m->s, SQL_SERIES_IDENTITIES, e);
	int answer = 0, another = 0;

	sqlite3_bind_int64(st, 1, m->run);
	while (store_row(m->s, st, &answer, e)) {
		AUTOJSON *j = json_loads(store_text(st, 0), 0, NULL);

		another |= !json_flag(j, "same", true);
	}
	return answer < 0 ? -1 : another;
}

static unsigned part_at(int64_t position)
{
	return (unsigned)(position >> STORE_PART_BITS) % STORE_PARTS_MAX;
}

static int take_tools(struct making *m, struct err *e)
{
	sqlite3_stmt *st = store_stmt(m->s, SQL_SERIES_TOOLS, e);
	int answer = 0;

	sqlite3_bind_int64(st, 1, m->run);
	while (store_row(m->s, st, &answer, e)) {
		const char *key = arena_printf(&m->arena, "%u %s",
			part_at(sqlite3_column_int64(st, 2)), store_text(st, 0));

		if (!map_has(&m->tools, key))
			map_set(&m->tools, key, (void *)keep(m, store_text(st, 1)));
	}
	return answer < 0 ? -1 : 0;
}

/* What a part tells of the tool before the first dot of a metric's name: its own word first. */
static const char *tool_of(struct making *m, unsigned part, const char *metric)
{
	size_t n = strcspn(metric, ".");
	const char *key = arena_printf(&m->arena, "%u %.*s.version", part, (int)n, metric);
	const char *version = map_find(&m->tools, key);

	if (version)
		return version;
	key = arena_printf(&m->arena, "%u tool.%.*s", part, (int)n, metric);
	version = map_find(&m->tools, key);
	return version ? version : "";
}

/* The run's parameters, and the part's role where several boards had one. NULL with e. */
static const char *params_of_part(struct making *m, unsigned part, struct err *e)
{
	sqlite3_stmt *st;
	AUTOJSON *j = NULL;
	int answer = 0;

	if (!strchr(m->board, ','))
		return m->params;
	j = json_loads(m->params, 0, NULL);
	st = store_stmt(m->s, SQL_SERIES_ROLE, e);
	sqlite3_bind_int64(st, 1, m->run);
	sqlite3_bind_int64(st, 2, part);
	while (store_row(m->s, st, &answer, e))
		if (store_text(st, 0))
			json_object_set_new(j, "role", json_string(store_text(st, 0)));
	return answer < 0 ? NULL : json_keep(m, j);
}

/* ---- of its figures -------------------------------------------------------------------------- */

static const char *labels_of(struct making *m, const char *text)
{
	AUTOJSON *j = json_loads(text ? text : "{}", 0, NULL);

	if (!json_is_object(j))
		return "{}";
	json_object_del(j, "cycle");
	return json_keep(m, j);
}

static double told(sqlite3_stmt *st, int column)
{
	return sqlite3_column_type(st, column) == SQLITE_NULL ? NAN
							      : sqlite3_column_double(st, column);
}

static struct made_point point_of(struct making *m, sqlite3_stmt *st)
{
	const struct metric_def *def = store_metric_def(m->s, store_text(st, 2));
	const char *better = store_text(st, 10);
	double resolution = told(st, 9);

	return (struct made_point){
		.suite = keep(m, store_text(st, 0)),
		.test = keep(m, store_text(st, 1)),
		.metric = keep(m, store_text(st, 2)),
		.unit = keep(m, store_text(st, 3)),
		.labels = labels_of(m, store_text(st, 5)),
		.min = NAN,
		.max = NAN,
		.how = def ? def->aggregate : METRIC_MEAN,
		.better = def      ? metric_better_names[def->better]
			  : better ? keep(m, better)
				   : metric_better_names[BETTER_NEITHER],
		.resolution = resolution > 0 ? resolution
			      : def          ? def->quantum
					     : 0,
	};
}

/* The greater extent, of what was told of each sample; the sample itself where nothing was. */
static void add_sample(struct made_point *p, double value, double min, double max)
{
	bool told_min = !isnan(min), told_max = !isnan(max);

	if (p->samples.n || told_min)
		p->min = fmin(p->min, told_min ? min : value);
	if (p->samples.n || told_max)
		p->max = fmax(p->max, told_max ? max : value);
	if (p->samples.n == 1) { /* the first one, of which nothing was told */
		p->min = fmin(p->min, p->samples.p[0]);
		p->max = fmax(p->max, p->samples.p[0]);
	}
	vec_push(&p->samples, value);
}

static int take_metric(struct making *m, sqlite3_stmt *st, struct err *e)
{
	struct made_point p = point_of(m, st);
	unsigned part = part_at(sqlite3_column_int64(st, 6));
	const char *key;
	uintptr_t at;

	p.tool = tool_of(m, part, p.metric);
	p.params = params_of_part(m, part, e);
	if (!p.params)
		return -1;
	key = arena_printf(&m->arena, "%s\n%s\n%s\n%s\n%s\n%s\n%s", p.suite, p.test, p.metric,
		p.unit, p.labels, p.tool, p.params);
	at = (uintptr_t)map_find(&m->by_key, key);
	if (!at) {
		vec_push(&m->points, p);
		at = m->points.n;
		map_set(&m->by_key, key, (void *)at);
	}
	add_sample(&m->points.p[at - 1], sqlite3_column_double(st, 4), told(st, 7), told(st, 8));
	return 0;
}

static int take_metrics(struct making *m, struct err *e)
{
	sqlite3_stmt *st = store_stmt(m->s, SQL_SERIES_METRICS, e);
	int answer = 0;

	sqlite3_bind_int64(st, 1, m->run);
	while (store_row(m->s, st, &answer, e))
		answer = take_metric(m, st, e);
	return answer < 0 ? -1 : 0;
}

int making_take(struct making *m, struct err *e)
{
	int counts = take_run(m, e), another = counts > 0 ? is_another_build(m, e) : 0;

	if (counts < 0 || another < 0)
		return -1;
	if (!counts || another)
		return 0;
	return take_tools(m, e) || take_metrics(m, e) ? -1 : 0;
}
