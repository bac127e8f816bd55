/* SPDX-License-Identifier: MIT */
/*
 * A run as KCIDB takes it: I/O schema v5 (kernelci/kcidb-io, kcidb_io/schema/v05_00.py). One
 * checkout and one build that stand for the build that was deployed, a test for each result, and
 * one with a number for each figure. Invariant: paths and ids have only characters that the schema
 * allows, and no value is null.
 */
#include "formats.h"

#include "base/clock.h"
#include "base/mem.h"
#include "io/json.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define ORIGIN     "hilab" /* of reports that name no other */
#define ID_BYTES   256
#define TIME_BYTES 40
#define WHY_BYTES  16384 /* log_excerpt */

struct kcidb {
	const struct report *r;
	const char *origin;
	char build[ID_BYTES]; /* id of checkout and build */
	json_t *tests;
};

/* A part of a path: letters, digits, "_" and "-". */
static void put_part(const char *text, struct buf *out)
{
	buf_puts(out, out->len ? "." : "");
	for (const char *p = text && *text ? text : "_"; *p; p++)
		buf_putc(out, isalnum((unsigned char)*p) && (unsigned char)*p < 0x80 ? *p
			      : *p == '-'                                            ? '-'
										     : '_');
}

/* Ids of several labs and stores meet in one database. */
static void make_id(const struct kcidb *k, const char *what, size_t i, char *out, size_t n)
{
	const struct store_run *run = &k->r->run;

	snprintf(out, n, "%s:%s.%lld.%lld.%s%zu", k->origin, run->lab ? run->lab : "lab",
		(long long)run->started_ms, (long long)run->id, what, i);
}

static json_t *environment(const struct kcidb *k)
{
	const struct store_run *run = &k->r->run;
	json_t *misc = json_pack("{s:o*, s:o*, s:o*, s:o*, s:b}", "board",
		run->board ? format_json(run->board) : NULL, "type",
		run->type ? format_json(run->type) : NULL, "soc",
		run->soc ? format_json(run->soc) : NULL, "lab",
		run->lab ? format_json(run->lab) : NULL, "twin", run->twin);
	json_t *env;

	for (size_t i = 0; i < k->r->n_envs; i++)
		json_object_set_new(misc, k->r->envs[i].name, format_json(k->r->envs[i].value));
	env = json_pack("{s:o*, s:o}", "comment", run->board ? format_json(run->board) : NULL,
		"misc", misc);
	return env;
}

static json_t *test(const struct kcidb *k, const char *what, size_t i, const struct buf *path)
{
	char id[ID_BYTES], start[TIME_BYTES];

	make_id(k, what, i, id, sizeof id);
	return json_pack("{s:s, s:o, s:s, s:s, s:s, s:o}", "build_id", k->build, "id",
		format_json(id), "origin", k->origin, "path", buf_str(path), "start_time",
		clock_iso(k->r->run.started_ms, start, sizeof start), "environment",
		environment(k));
}

static void add_result(struct kcidb *k, size_t i)
{
	const struct store_result *res = &k->r->results[i];
	int status = status_parse(res->status);
	AUTOFREE char *comment = mem_printf("%s / %s", res->suite, res->name);
	AUTOBUF path = BUF_INIT(1 << 16);
	char name[16];
	json_t *t;

	put_part(res->suite, &path);
	put_part(res->name, &path);
	t = test(k, "r", i, &path);
	snprintf(name, sizeof name, "%s", status < 0 ? "miss" : status_name((enum status)status));
	for (char *p = name; *p; p++)
		*p = (char)toupper((unsigned char)*p);
	json_object_set_new(t, "status", json_string(name));
	json_object_set_new(t, "comment", format_json(comment));
	if (res->why) {
		AUTOBUF why = BUF_INIT(WHY_BYTES / 4); /* characters, of up to four bytes */

		if (buf_puts(&why, res->why))
			buf_add(&why, res->why, WHY_BYTES / 4 - 1);
		json_object_set_new(t, "log_excerpt", format_json(buf_str(&why)));
	}
	json_array_append_new(k->tests, t);
}

static void add_metric(struct kcidb *k, size_t i)
{
	const struct store_metric *m = &k->r->metrics[i].m;
	AUTOJSON *labels = json_loads(m->labels ? m->labels : "{}", 0, NULL);
	AUTOBUF path = BUF_INIT(1 << 16);
	const char *name;
	json_t *t, *value;

	put_part(m->suite, &path);
	if (m->test && *m->test)
		put_part(m->test, &path);
	put_part(m->name, &path);
	json_object_foreach (labels, name, value)
		if (json_is_string(value)) {
			put_part(name, &path);
			put_part(json_string_value(value), &path);
		}
	t = test(k, "m", i, &path);
	json_object_set_new(t, "status", json_string("DONE"));
	json_object_set_new(t, "number",
		json_pack("{s:f, s:o}", "value", m->value, "unit",
			format_json(m->unit ? m->unit : "")));
	json_object_set_new(t, "misc",
		json_pack("{s:o, s:O}", "metric", format_json(m->name), "labels",
			labels ? labels : json_null()));
	json_array_append_new(k->tests, t);
}

static int kcidb_write(
	const struct report *r, const struct report_opts *o, struct buf *out, struct err *e)
{
	const struct store_run *run = &r->run;
	struct kcidb k = {
		.r = r, .origin = o && o->origin ? o->origin : ORIGIN, .tests = json_array()};
	AUTOJSON *doc = NULL;

	snprintf(k.build, sizeof k.build, "%s:%s%s%s", k.origin, run->build ? run->build : "none",
		run->build_version ? "@" : "", run->build_version ? run->build_version : "");
	for (size_t i = 0; i < r->n_results; i++)
		add_result(&k, i);
	for (size_t i = 0; i < r->n_metrics; i++)
		if (isfinite(r->metrics[i].m.value))
			add_metric(&k, i);
	doc = json_pack("{s:{s:i, s:i}, s:[{s:o, s:s}], s:[{s:o, s:o, s:s}], s:o}", "version",
		"major", 5, "minor", 0, "checkouts", "id", format_json(k.build), "origin", k.origin,
		"builds", "checkout_id", format_json(k.build), "id", format_json(k.build), "origin",
		k.origin, "tests", k.tests);
	if (!doc)
		return err_set(e, BLAME_BUG, "the report cannot be told as JSON");
	if (json_write(doc, JSON_INDENT(2), out, e))
		return -1;
	return buf_putc(out, '\n') ? err_set(e, BLAME_BUG, "the report is too large") : 0;
}

const struct report_format kcidb_format = {
	.d = {.name = "kcidb",
		.brief = "JSON for KCIDB, I/O schema v5",
		.proven = "golden cases; the fields of the schema"},
	.mime = "application/json",
	.ext = "kcidb.json",
	.write = kcidb_write,
};
