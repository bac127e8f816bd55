/* SPDX-License-Identifier: MIT */
/*
 * A run as SQUAD takes it (Linaro/squad, doc/intro.rst): three JSON objects, by which tests,
 * figures and what was run are submitted. Invariant: only a pass is "pass" and only a failure is
 * "fail"; all else is what SQUAD shows as a skip.
 */
#include "formats.h"

#include "base/clock.h"
#include "base/mem.h"
#include "io/json.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* "suite/name": a slash parts suites, so that a name has none; brackets would be a variant. */
static char *key_of(const char *suite, const char *name, const char *labels)
{
	struct arena a = {0};
	const char *plain = format_labels(&a, labels);
	char *key = mem_printf("%s/%s%s%s%s", suite && *suite ? suite : "run", name,
		*plain ? "[" : "", plain, *plain ? "]" : "");

	for (char *p = key + strlen(suite && *suite ? suite : "run") + 1; *p && *p != '['; p++)
		if (*p == '/')
			*p = '_';
	arena_done(&a);
	return key;
}

static int put(json_t *j, struct buf *out, struct err *e)
{
	AUTOJSON *owned = j;

	if (json_write(owned, JSON_INDENT(2), out, e))
		return -1;
	return buf_putc(out, '\n') ? err_set(e, BLAME_BUG, "the report is too large") : 0;
}

static int tests_write(
	const struct report *r, const struct report_opts *o, struct buf *out, struct err *e)
{
	json_t *j = json_object();

	(void)o;
	for (size_t i = 0; i < r->n_results; i++) {
		AUTOFREE char *key = key_of(r->results[i].suite, r->results[i].name, NULL);
		const char *had = json_text(j, key, NULL);

		/* Of several results of one name the failure stays. */
		if (!had || strcmp(had, "fail") != 0)
			json_object_set_new(j, key, format_json(r->results[i].status));
	}
	return put(j, out, e);
}

static int metrics_write(
	const struct report *r, const struct report_opts *o, struct buf *out, struct err *e)
{
	json_t *j = json_object();

	(void)o;
	for (size_t i = 0; i < r->n_metrics; i++) {
		const struct store_metric *m = &r->metrics[i].m;
		AUTOJSON *labels = json_loads(m->labels ? m->labels : "{}", 0, NULL);
		AUTOBUF plain = BUF_INIT(1 << 16);
		AUTOFREE char *key = NULL;
		json_t *list;

		if (!isfinite(m->value))
			continue;
		json_object_del(labels, "cycle"); /* cycles are samples of one metric */
		if (labels)
			json_write(labels, JSON_COMPACT | JSON_SORT_KEYS, &plain, NULL);
		key = key_of(m->suite, m->name, buf_str(&plain));
		list = json_object_get(j, key);
		if (!list)
			json_object_set_new(j, key, list = json_array());
		json_array_append_new(list, json_real(m->value));
	}
	return put(j, out, e);
}

static int metadata_write(
	const struct report *r, const struct report_opts *o, struct buf *out, struct err *e)
{
	const struct store_run *run = &r->run;
	json_t *j = json_object();
	char when[40], id[64];
	const struct {
		const char *key, *value;
	} rows[] = {
		{"job_id", id},
		{"job_status", run->verdict ? run->verdict : "running"},
		{"datetime", when},
		{"job", run->job},
		{"board", run->board},
		{"board_type", run->type},
		{"soc", run->soc},
		{"lab", run->lab},
		{"twin", run->twin ? "true" : "false"},
		{"build", run->build},
		{"build_version", run->build_version},
		{"blame", run->blame},
		{"message", run->message},
	};

	(void)o;
	clock_iso(run->started_ms, when, sizeof when);
	snprintf(id, sizeof id, "%lld.%lld", (long long)run->started_ms, (long long)run->id);
	for (size_t i = 0; i < r->n_envs; i++)
		json_object_set_new(j, r->envs[i].name, format_json(r->envs[i].value));
	for (size_t i = 0; i < ARRAY_LEN(rows); i++)
		if (rows[i].value)
			json_object_set_new(j, rows[i].key, format_json(rows[i].value));
	return put(j, out, e);
}

#define SQUAD(symbol, what, text)                                                                  \
	const struct report_format symbol = {                                                      \
		.d = {.name = "squad-" #what, .brief = text, .proven = "golden cases"},            \
		.mime = "application/json",                                                        \
		.ext = #what ".json",                                                              \
		.write = what##_write,                                                             \
	}

SQUAD(squad_metadata_format, metadata, "what was run, as SQUAD takes it");
SQUAD(squad_metrics_format, metrics, "figures, as SQUAD takes them");
SQUAD(squad_tests_format, tests, "results, as SQUAD takes them");
