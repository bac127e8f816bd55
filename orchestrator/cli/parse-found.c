/* SPDX-License-Identifier: MIT */
/*
 * What parsers tell, kept as JSON and shown as a table. Invariant: a line is looked up in an index
 * that is made once, in whatever order offsets come.
 */
#include "cli/listing.h"
#include "cli/parse.h"

#include "agents/worker/journal.h"
#include "base/mem.h"
#include "io/json.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void on_at(void *arg, size_t offset)
{
	struct parse_finding *f = arg;

	f->offset = offset;
	f->told_offset = true;
}

static void make_index(struct parse_finding *f)
{
	f->indexed = true;
	for (size_t at = 0; at < f->text.n;) {
		ptrdiff_t nl = str_chr(str_make(f->text.p + at, f->text.n - at), '\n');

		if (nl < 0)
			return;
		vec_push(&f->breaks, at + (size_t)nl);
		at += (size_t)nl + 1;
	}
}

size_t parse_finding_line(struct parse_finding *f, size_t offset)
{
	size_t low = 0, high;

	if (!f->indexed)
		make_index(f);
	high = f->breaks.n;
	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (f->breaks.p[middle] < offset)
			low = middle + 1;
		else
			high = middle;
	}
	return low + 1;
}

json_t *parse_finding_add(struct parse_finding *f, const char *kind)
{
	struct parse_item item = {.parser = f->which,
		.order = (unsigned)f->items.n,
		.line = f->told_offset ? parse_finding_line(f, f->offset) : 0,
		.counts = !strcmp(kind, "result") || !strcmp(kind, "metric")};

	item.json = json_pack("{s:o, s:s}", "line",
		item.line ? json_integer((json_int_t)item.line) : json_null(), "kind", kind);
	if (f->named)
		json_object_set_new(item.json, "parser", json_string(f->parser->d.name));
	if (f->items.n == PARSE_FINDINGS_MAX) {
		f->more++;
		json_decref(f->spare);
		f->spare = item.json;
		return item.json;
	}
	f->n += item.counts;
	vec_push(&f->items, item);
	return item.json;
}

/* A board's bytes; NULL gives null. */
static json_t *clean(const char *bytes)
{
	AUTOFREE char *text = journal_text(bytes);

	return text ? json_string(text) : json_null();
}

static json_t *figure(double value, bool told)
{
	return told ? json_real(value) : json_null();
}

static void on_suite(void *arg, const char *name)
{
	struct parse_finding *f = arg;

	if (f->named) {
		free(f->suite);
		f->suite = name ? mem_strdup(name) : NULL;
	} else if (name) {
		json_object_set_new(parse_finding_add(f, "suite"), "name", clean(name));
	}
}

static void on_result(void *arg, const char *name, enum status s, const char *why)
{
	struct parse_finding *f = arg;
	json_t *item = parse_finding_add(f, "result");

	json_object_set_new(item, "name", clean(name));
	json_object_set_new(item, "status", json_string(status_name(s)));
	json_object_set_new(item, "why", clean(why));
	if (f->suite)
		json_object_set_new(item, "suite", clean(f->suite));
}

static void on_warn(void *arg, const char *text)
{
	json_object_set_new(parse_finding_add(arg, "warn"), "text", clean(text));
}

/* What the store would make of it. */
static void check_metric(struct parse_finding *f, const struct sink_metric *m)
{
	struct sink_metric settled = *m;
	AUTOFREE char *text = NULL;
	struct err e = {0};

	if (metric_settle(f->metrics, f->parser, &settled, &e))
		text = mem_printf("%s: %s: a job would not store it", m->name, e.msg);
	else if (!f->parser->own_names && !metric_find(f->metrics, m->name))
		text = mem_printf("'%s' is not in the metric table", m->name);
	if (text)
		on_warn(f, text);
}

static void on_metric(void *arg, const struct sink_metric *m)
{
	struct parse_finding *f = arg;
	json_t *item = parse_finding_add(f, "metric"), *labels = json_object();

	for (size_t i = 0; i < m->n; i++) {
		AUTOFREE char *name = journal_text(m->labels[i].name);

		json_object_set_new(labels, name, clean(m->labels[i].value));
	}
	json_object_set_new(item, "name", clean(m->name));
	json_object_set_new(item, "value", json_real(m->value));
	json_object_set_new(item, "min", figure(m->min, isfinite(m->min)));
	json_object_set_new(item, "max", figure(m->max, isfinite(m->max)));
	json_object_set_new(item, "resolution", figure(m->resolution, m->resolution > 0));
	json_object_set_new(item, "unit", clean(m->unit));
	json_object_set_new(item, "labels", labels);
	check_metric(f, m);
}

static void on_env(void *arg, const char *name, const char *value)
{
	json_t *item = parse_finding_add(arg, "env");

	json_object_set_new(item, "name", clean(name));
	json_object_set_new(item, "value", clean(value));
}

void parse_finding_done(struct parse_finding *f)
{
	vec_each (&f->items, item)
		json_decref(item->json);
	json_decref(f->spare);
	vec_done(&f->items);
	vec_done(&f->breaks);
	free(f->suite);
	f->suite = NULL;
}

struct sink parse_finding_sink(struct parse_finding *f)
{
	return (struct sink){f, on_at, on_suite, on_result, on_metric, on_env, on_warn};
}

/* ---- as a table --------------------------------------------------------------------------------
 */

static void put_value(struct listing *t, const json_t *item)
{
	const json_t *value = json_object_get(item, "value");
	double min = json_num(item, "min", NAN), max = json_num(item, "max", NAN);
	AUTOBUF text = BUF_INIT(1 << 12);

	if (!json_is_real(value)) {
		listing_add(t, json_text(item, "status", json_text(item, "value", NULL)));
		return;
	}
	buf_printf(&text, "%.10g", json_real_value(value));
	if (isfinite(min))
		buf_printf(&text, " (min %.10g", min);
	if (isfinite(max))
		buf_printf(&text, "%s max %.10g", isfinite(min) ? "," : " (", max);
	if (isfinite(min) || isfinite(max))
		buf_putc(&text, ')');
	listing_add(t, buf_str(&text));
}

static void put_rest(struct listing *t, json_t *item)
{
	AUTOBUF text = BUF_INIT(BUF_CAP_BYTES);
	const char *name;
	json_t *value;

	if (json_text(item, "suite", NULL))
		buf_printf(&text, "suite=%s", json_text(item, "suite", ""));
	json_object_foreach (json_object_get(item, "labels"), name, value)
		buf_printf(&text, "%s%s=%s", text.len ? " " : "", name, json_string_value(value));
	if (text.len && json_text(item, "why", NULL))
		buf_puts(&text, ": ");
	buf_puts(&text, json_text(item, "why", json_text(item, "text", "")));
	listing_add(t, buf_str(&text));
}

void parse_finding_table(const struct parse_finding *f, struct buf *out)
{
	static const char *const headings[] = {
		"LINE", "PARSER", "KIND", "NAME", "VALUE", "UNIT", "LABELS", NULL};
	static const char *const of_one[] = {
		"LINE", "KIND", "NAME", "VALUE", "UNIT", "LABELS", NULL};
	struct listing t;

	listing_init(&t, f->named ? headings : of_one);
	vec_each (&f->items, item) {
		if (item->dropped)
			continue;
		if (item->line)
			listing_printf(&t, "%zu", item->line);
		else
			listing_add(&t, NULL);
		if (f->named)
			listing_add(&t, json_text(item->json, "parser", NULL));
		listing_add(&t, json_text(item->json, "kind", NULL));
		listing_add(&t, json_text(item->json, "name", NULL));
		put_value(&t, item->json);
		listing_add(&t, json_text(item->json, "unit", ""));
		put_rest(&t, item->json);
	}
	if (t.cells.n)
		listing_print(&t, out);
	listing_done(&t);
}

json_t *parse_finding_json(const struct parse_finding *f)
{
	json_t *list = json_array();

	vec_each (&f->items, item)
		if (!item->dropped)
			json_array_append(list, item->json);
	return list;
}
