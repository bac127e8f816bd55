/* SPDX-License-Identifier: MIT */
/*
 * Results and figures out of JSON and YAML: a run as `hilab report --format json` writes it, lists
 * of results and metrics in the same words, and what a LAVA server gives of a job. Invariant: a
 * status that is none of ours is a miss, and a figure that is not told is none.
 */
#include "cli/import.h"
#include "io/json.h"
#include "io/yaml.h"
#include "reports/parse/cell.h"

#include <math.h>
#include <string.h>

#define LABELS_MAX 64

/* Of a record of a CSV file; 0: it comes from elsewhere. */
static size_t line_of(const json_t *j)
{
	return (size_t)json_int(j, "line", 0);
}

/* A number, or a text that is all number; NAN: missing, by the words that tables have for it. */
static int number_of(const json_t *j, double *value)
{
	struct str text = str_trim(str_of(json_is_string(j) ? json_string_value(j) : ""));
	struct cell_figure f;

	*value = json_is_number(j) ? json_number_value(j) : NAN;
	if (!j || json_is_null(j) || json_is_number(j))
		return 0;
	if (!json_is_string(j) ||
		(str_double(text, value) && cell_figure(text, &f) != CELL_MISSING))
		return -1;
	return 0;
}

static void add_result(struct import_draft *d, struct import_run *r, const json_t *j)
{
	const char *told = json_text(j, "status", json_text(j, "result", "")),
		   *why = json_text(j, "why", NULL), *name = json_text(j, "name", "");
	int status = status_parse(told);
	char foreign[80];

	if (status < 0) {
		status = STATUS_MISS;
		snprintf(foreign, sizeof foreign, "its status is '%.40s'", told);
		why = foreign;
	}
	name = *name ? name : json_text(j, "test", "");
	import_result(d, r, json_text(j, "suite", NULL), name, status, why, line_of(j));
}

/* A figure is refused, and not taken as something else than it says. */
static int refuse(struct import_draft *d, const json_t *j, const char *what, const json_t *bad)
{
	AUTOFREE char *text = json_dumps(bad, JSON_ENCODE_ANY | JSON_COMPACT);

	import_warn(d, line_of(j), "%s: %s %.80s is not understood", json_text(j, "name", "?"),
		what, text ? text : "");
	d->n_refused++;
	return -1;
}

static int read_numbers(
	struct import_draft *d, const json_t *j, const char *value_key, struct sink_metric *m)
{
	const struct {
		const char *key;
		double *to;
	} numbers[] = {{value_key, &m->value}, {"min", &m->min}, {"max", &m->max},
		{"resolution", &m->resolution}};

	for (size_t i = 0; i < ARRAY_LEN(numbers); i++) {
		const json_t *told = json_object_get(j, numbers[i].key);

		if (number_of(told, numbers[i].to))
			return refuse(d, j, numbers[i].key, told);
	}
	return 0;
}

/* Texts, numbers and flags; one that was left out would make another series of it. */
static int read_labels(
	struct import_draft *d, const json_t *j, struct sink_label *labels, struct sink_metric *m)
{
	const char *name;
	json_t *value;

	m->labels = labels;
	json_object_foreach (json_object_get(j, "labels"), name, value) {
		AUTOFREE char *plain = json_dumps(value, JSON_ENCODE_ANY);

		if (m->n == LABELS_MAX || json_is_null(value) || json_is_object(value) ||
			json_is_array(value))
			return refuse(d, j, name, value);
		labels[m->n++] = (struct sink_label){
			name, json_is_string(value) ? json_string_value(value)
						    : arena_strdup(&d->arena, plain)};
	}
	return 0;
}

static void add_figure(
	struct import_draft *d, struct import_run *r, const json_t *j, const char *value_key)
{
	struct sink_label labels[LABELS_MAX];
	struct sink_metric m = SINK_METRIC(
		json_text(j, "name", ""), NAN, json_text(j, "unit", json_text(j, "units", "")));

	if (!*m.name)
		import_warn(d, line_of(j), "a metric without a name is left out");
	else if (!read_numbers(d, j, value_key, &m) && !read_labels(d, j, labels, &m))
		import_figure(d, r, json_text(j, "suite", NULL), json_text(j, "test", NULL), &m,
			line_of(j));
}

/* A row of a LAVA server: a result, and its figure where it has one. */
void import_lava_row(struct import_draft *d, struct import_run *r, const json_t *j)
{
	const json_t *measured = json_object_get(j, "measurement");
	const char *text = json_string_value(measured);

	add_result(d, r, j);
	if (!measured || json_is_null(measured) || (text && (!*text || !strcmp(text, "None"))))
		return;
	add_figure(d, r, j, "measurement");
}

void import_row(struct import_draft *d, struct import_run *r, const json_t *j)
{
	bool result = *json_text(j, "status", ""), figure = *json_text(j, "value", "");

	if (result)
		add_result(d, r, j);
	if (figure)
		add_figure(d, r, j, "value");
	if (!figure)
		d->n_missing += !result;
}

/* ---- documents --------------------------------------------------------------------------------
 */

static struct import_id run_id(const struct import_draft *d, const json_t *run)
{
	return import_id_of(d, (struct import_id){
				       .job = json_text(run, "job", NULL),
				       .board = json_text(run, "board", NULL),
				       .type = json_text(run, "type", NULL),
				       .soc = json_text(run, "soc", NULL),
				       .build = json_text(run, "build", NULL),
				       .version = json_text(run, "build_version", NULL),
				       .at_ms = json_int(run, "started_ms", 0),
				       .twin = json_flag(run, "twin", false),
			       });
}

static const char *keep(struct import_draft *d, const json_t *run, const char *key)
{
	return arena_strdup(&d->arena, json_text(run, key, NULL));
}

static int add_run(struct import_draft *d, const json_t *doc)
{
	const json_t *run = json_object_get(doc, "run");
	struct import_run *r = import_run_of(d, run_id(d, run));
	json_t *j;
	size_t i;

	if (!r)
		return 0;
	if (verdict_parse(json_text(run, "verdict", NULL)) >= 0) {
		r->verdict = keep(d, run, "verdict");
		r->blame = keep(d, run, "blame");
		r->message = keep(d, run, "message");
	}
	json_array_foreach (json_object_get(doc, "results"), i, j)
		add_result(d, r, j);
	json_array_foreach (json_object_get(doc, "metrics"), i, j)
		add_figure(d, r, j, "value");
	json_array_foreach (json_object_get(doc, "env"), i, j)
		if (json_text(j, "name", NULL) && json_text(j, "value", NULL))
			import_env(d, r, json_text(j, "name", ""), json_text(j, "value", ""));
	return 0;
}

static bool is_lava(const json_t *list)
{
	const json_t *first = json_array_get(list, 0);

	return json_text(first, "result", NULL) && json_text(first, "name", NULL) &&
	       !json_text(first, "status", NULL);
}

static int add_lava_rows(struct import_draft *d, const json_t *list)
{
	struct import_id id = {0};
	struct import_run *r;
	json_t *j;
	size_t i;

	import_date(json_text(json_array_get(list, 0), "logged", NULL), &id.at_ms);
	r = import_run_of(d, import_id_of(d, id));
	json_array_foreach (list, i, j)
		if (json_is_object(j))
			import_lava_row(d, r, j);
	d->format = "lava";
	return 0;
}

static int add_document(struct import_draft *d, const json_t *doc, struct err *e)
{
	const json_t *results = json_is_array(doc) ? doc : json_object_get(doc, "results");

	if (is_lava(results))
		return add_lava_rows(d, results);
	if (json_is_object(doc) &&
		(json_is_array(results) || json_is_array(json_object_get(doc, "metrics"))))
		return add_run(d, doc);
	return err_set(e, BLAME_CONFIG,
		"'%s': it has neither 'results' nor 'metrics', and is no list of a LAVA server",
		d->file);
}

int import_json(struct import_draft *d, struct str text, struct err *e)
{
	AUTOJSON *doc = json_parse(text, d->file, e);

	if (doc)
		return add_document(d, doc, e);
	e->blame = BLAME_CONFIG;
	return -1;
}

int import_yaml(struct import_draft *d, struct str text, struct err *e)
{
	struct diag diag = {0};
	AUTOBUF problems = BUF_INIT(1 << 16);
	const struct node *tree = yaml_parse(&d->arena, d->file, text, &diag);
	AUTOJSON *doc = tree ? node_to_json(tree) : NULL;
	int failed;

	if (!doc) {
		diag_print(&diag, &problems);
		failed = err_set(e, BLAME_CONFIG, "%.*s", (int)strcspn(buf_str(&problems), "\n"),
			buf_str(&problems));
	} else {
		failed = add_document(d, doc, e);
	}
	diag_done(&diag);
	return failed;
}
