/* SPDX-License-Identifier: MIT */
/*
 * Events of a run's journal into rows. Invariant: a line and what is read out of it are stored in
 * one transaction, keyed by its part and the line's offset, so that the same piece can be given
 * again.
 */
#include "inner.h"

#include "control.h"

#include "base/fs.h"
#include "base/verdict.h"
#include "io/json.h"

#include <math.h>
#include <string.h>

struct event {
	struct store *s;
	int64_t run, position; /* part and offset: schema.c */
	const json_t *j;
};

/* The statement with run and position bound. */
static sqlite3_stmt *row_stmt(const struct event *ev, enum store_sql sql, struct err *e)
{
	sqlite3_stmt *st = store_stmt(ev->s, sql, e);

	sqlite3_bind_int64(st, 1, ev->run);
	sqlite3_bind_int64(st, 2, ev->position);
	return st;
}

static int add_result(const struct event *ev, struct err *e)
{
	const char *status = json_text(ev->j, "status", ""), *why = json_text(ev->j, "why", NULL);
	sqlite3_stmt *st = row_stmt(ev, SQL_RESULT_ADD, e);
	char foreign[120];

	/* What cannot be read is lost, and a lost result is a miss. */
	if (status_parse(status) < 0) {
		snprintf(foreign, sizeof foreign, "status '%.60s' is none of ours", status);
		why = foreign;
		status = status_name(STATUS_MISS);
	}
	store_bind_text(st, 3, json_text(ev->j, "suite", ""));
	store_bind_text(st, 4, json_text(ev->j, "name", ""));
	store_bind_text(st, 5, status);
	store_bind_text(st, 6, why);
	sqlite3_bind_int64(st, 7, json_int(ev->j, "at", 0));
	sqlite3_bind_int64(st, 8, json_int(ev->j, "log_offset", -1));
	store_bind_text(st, 9, json_text(ev->j, "console", NULL));
	return store_step(ev->s, st, "add a result", e);
}

const struct metric_def *store_metric_def(struct store *s, const char *name)
{
	AUTOFREE char *path = NULL;

	if (!s->metrics_loaded) {
		path = fs_data_path("reports/metrics.yaml");
		metric_table_load(&s->metrics, path, NULL);
		s->metrics_loaded = true;
	}
	return metric_find(&s->metrics, name);
}

/* An optional figure of a metric event, in the unit of its value; NULL where it is not told. */
static void bind_beside(sqlite3_stmt *st, int at, const struct event *ev, const char *key,
	const char *unit, const struct metric_def *def)
{
	double value = json_num(ev->j, key, NAN);

	if (isfinite(value) && (!def || !metric_value(def, value, unit, &value, NULL)))
		sqlite3_bind_double(st, at, value);
}

static int add_metric(const struct event *ev, struct err *e)
{
	const json_t *labels = json_object_get(ev->j, "labels");
	const char *name = json_text(ev->j, "name", ""), *unit = json_text(ev->j, "unit", "");
	double value = json_num(ev->j, "value", NAN);
	const struct metric_def *def;
	AUTOFREE char *text = NULL;
	sqlite3_stmt *st;

	if (!isfinite(value))
		return 0;
	/* Nobody knows what it is in the metric's unit: it is none of that metric's figures. */
	def = store_metric_def(ev->s, name);
	if (def && metric_value(def, value, unit, &value, NULL))
		return 0;
	st = row_stmt(ev, SQL_METRIC_ADD, e);
	text = json_is_object(labels) ? json_dumps(labels, JSON_COMPACT | JSON_SORT_KEYS) : NULL;
	store_bind_text(st, 3, json_text(ev->j, "suite", ""));
	store_bind_text(st, 4, json_text(ev->j, "test", ""));
	store_bind_text(st, 5, def ? def->name : name);
	sqlite3_bind_double(st, 6, value);
	store_bind_text(st, 7, def ? def->unit : unit);
	store_bind_text(st, 8, text ? text : "{}");
	bind_beside(st, 9, ev, "min", unit, def);
	bind_beside(st, 10, ev, "max", unit, def);
	bind_beside(st, 11, ev, "resolution", unit, def);
	store_bind_text(st, 12, def ? NULL : json_text(ev->j, "better", NULL));
	return store_step(ev->s, st, "add a metric", e);
}

static int add_env(const struct event *ev, struct err *e)
{
	const char *name = json_text(ev->j, "name", NULL), *value = json_text(ev->j, "value", NULL);
	sqlite3_stmt *st;

	if (!name || !value)
		return 0;
	st = row_stmt(ev, SQL_ENV_ADD, e);
	store_bind_text(st, 3, name);
	store_bind_text(st, 4, value);
	return store_step(ev->s, st, "add an environment value", e);
}

static int add_stage(const struct event *ev, struct err *e)
{
	const char *name = json_text(ev->j, "name", NULL);
	int64_t ms = json_int(ev->j, "ms_since_power_on", -1);
	sqlite3_stmt *st;

	if (!name || ms < 0)
		return 0;
	st = row_stmt(ev, SQL_STAGE_ADD, e);
	store_bind_text(st, 3, name);
	sqlite3_bind_int64(st, 4, ms);
	sqlite3_bind_int64(st, 5, json_int(ev->j, "at", 0));
	return store_step(ev->s, st, "add a stage", e);
}

/* The kinds that have rows of their own. */
static const struct {
	const char *kind;
	int (*add)(const struct event *ev, struct err *e);
} readers[] = {
	{"result", add_result},
	{"metric", add_metric},
	{"env", add_env},
	{"stage", add_stage},
};

static int add_event(
	struct store *s, int64_t run, int64_t position, const char *line, struct err *e)
{
	AUTOJSON *j = json_loads(line, 0, NULL);
	struct event ev = {s, run, position, j};
	const char *kind = json_text(j, "kind", "");
	sqlite3_stmt *st = row_stmt(&ev, SQL_EVENT_ADD, e);
	int added;

	store_bind_text(st, 3, kind);
	store_bind_text(st, 4, line);
	added = store_step_changes(s, st, "add an event", e);
	if (added <= 0)
		return added;
	for (size_t i = 0; i < ARRAY_LEN(readers); i++)
		if (!strcmp(kind, readers[i].kind))
			return readers[i].add(&ev, e);
	return 0;
}

static int set_events_end(struct store *s, int64_t run, unsigned part, uint64_t end, struct err *e)
{
	sqlite3_stmt *st = store_stmt(s, part ? SQL_PART_EVENTS_END : SQL_RUN_EVENTS_END, e);
	int changed;

	sqlite3_bind_int64(st, 1, run);
	sqlite3_bind_int64(st, 2, (int64_t)end);
	if (part)
		sqlite3_bind_int64(st, 3, part);
	changed = store_step_changes(s, st, "add events", e);
	if (!changed && part)
		return err_set(e, BLAME_BUG, "store '%s': there is no part %u of run %lld", s->path,
			part, (long long)run);
	return changed ? changed > 0 ? 0 : -1 : store_no_run(s, run, e);
}

static int add_events(struct store *s, int64_t run, unsigned part, const struct store_event *events,
	size_t n, struct err *e)
{
	uint64_t end = 0;

	for (size_t i = 0; i < n; i++) {
		uint64_t after = events[i].offset + strlen(events[i].line) + 1;

		end = after > end ? after : end;
	}
	if (end >= STORE_OFFSET_MAX)
		return err_set(e, BLAME_BUG, "store '%s': run %lld: an event at offset %llu",
			s->path, (long long)run, (unsigned long long)end);
	if (set_events_end(s, run, part, end, e))
		return -1;
	for (size_t i = 0; i < n; i++) {
		uint64_t position = (uint64_t)part << STORE_PART_BITS | events[i].offset;

		if (add_event(s, run, (int64_t)position, events[i].line, e))
			return -1;
	}
	return 0;
}

int store_part_events(struct store *s, int64_t run, unsigned part, const struct store_event *events,
	size_t n, struct err *e)
{
	if (store_begin(s, e))
		return -1;
	if (!add_events(s, run, part, events, n, e) && !store_points_make(s, run, e))
		return store_commit(s, e);
	store_rollback(s);
	return -1;
}

int store_run_events(
	struct store *s, int64_t run, const struct store_event *events, size_t n, struct err *e)
{
	return store_part_events(s, run, 0, events, n, e);
}
