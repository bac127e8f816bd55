/* SPDX-License-Identifier: MIT */
/*
 * What tests found, into the journal and the tally. Invariant: every result that is tallied is an
 * event, and no text of a board gets into an event but as clean UTF-8.
 */
#include "worker.h"

#include "base/fs.h"
#include "base/mem.h"
#include "io/json.h"

#include <math.h>
#include <stdlib.h>

static const char *suite_of(const struct worker *w)
{
	return w->step && w->step->suite ? w->step->suite : w->plan.job;
}

/* suite NULL: the step's, else the job's; parser: that found it, NULL: none. */
static void add_result(struct worker *w, const char *suite, const char *parser, const char *name,
	enum status s, const char *why, enum err_blame blame)
{
	AUTOFREE char *clean_suite = journal_text(suite);
	AUTOFREE char *clean = journal_text(name);
	AUTOFREE char *clean_why = why && *why ? journal_text(why) : NULL;
	const char *console = w->step && w->step->console ? w->step->console : "main";
	struct console *c = worker_console(w, console, NULL);
	bool own = w->step && !strcmp(name, w->step->name);
	json_int_t offset = -1;

	/* a step's own result points to where it began, others to where they were told */
	if (c)
		offset = (json_int_t)(own ? w->step_offset : c->base_bytes + c->received_bytes);
	tally_result(&w->tally, clean, s, clean_why, blame);
	bench_event(&w->bench, "result", "{s:s, s:s, s:s, s:s*, s:I, s:s, s:s*}", "suite",
		clean_suite ? clean_suite : suite_of(w), "name", clean, "status", status_name(s),
		"why", clean_why, "log_offset", offset, "console", console, "parser", parser);
}

void worker_result(
	struct worker *w, const char *name, enum status s, const char *why, enum err_blame blame)
{
	add_result(w, NULL, NULL, name, s, why, blame);
}

static void add_label(json_t *labels, const char *name, const char *value)
{
	AUTOFREE char *clean_name = journal_text(name);
	AUTOFREE char *clean_value = journal_text(value);

	json_object_set_new(labels, clean_name, json_string(clean_value));
}

/* NULL when it is not told: the event lacks it. */
static json_t *told(double value, bool is_told)
{
	return is_told ? json_real(value) : NULL;
}

json_t *worker_labels(const struct node *common, const struct sink_metric *m)
{
	json_t *set = json_object();

	node_each (common, kid)
		add_label(set, kid->key, kid->text);
	for (size_t i = 0; i < m->n;
		i++) /* what was measured says more than the job's name of it */
		add_label(set, m->labels[i].name, m->labels[i].value);
	return set;
}

static void add_warn(struct worker *w, const char *parser, const char *text)
{
	AUTOFREE char *clean = journal_text(text);

	bench_event(&w->bench, "warn", "{s:s, s:s*}", "text", clean, "parser", parser);
}

/* Is it a figure that can be stored under its name? Says so where not. Without a table nothing is
 * known, and it is. */
static bool settles(struct worker *w, const struct parser *p, const struct sink_metric *m)
{
	struct sink_metric settled = *m;
	AUTOFREE char *path = NULL;
	AUTOFREE char *text = NULL;
	struct err e = {0};

	if (!w->metrics_loaded) {
		path = fs_data_path("reports/metrics.yaml");
		metric_table_load(&w->metrics, path, NULL);
		w->metrics_loaded = true;
	}
	if (!w->metrics.by_name.n || !metric_settle(&w->metrics, p, &settled, &e))
		return true;
	text = mem_printf("%s: %s: %.10g %s is not stored", m->name, e.msg, m->value, m->unit);
	add_warn(w, p ? p->d.name : NULL, text);
	return false;
}

bool worker_metric(
	struct worker *w, const char *test, const struct parser *p, const struct sink_metric *m)
{
	AUTOFREE char *clean = journal_text(m->name);
	AUTOFREE char *clean_unit = journal_text(m->unit);

	if (!settles(w, p, m))
		return false;
	bench_event(&w->bench, "metric",
		"{s:s, s:s, s:s, s:f, s:o*, s:o*, s:o*, s:s, s:o, s:s*, s:s*}", "suite",
		suite_of(w), "test", test, "name", clean, "value", m->value, "min",
		told(m->min, isfinite(m->min)), "max", told(m->max, isfinite(m->max)), "resolution",
		told(m->resolution, m->resolution > 0), "unit", clean_unit ? clean_unit : "",
		"labels", worker_labels(w->step ? w->step->labels : NULL, m), "better", m->better,
		"parser", p ? p->d.name : NULL);
	return true;
}

static void add_env(struct worker *w, const char *parser, const char *name, const char *value)
{
	AUTOFREE char *clean_name = journal_text(name);
	AUTOFREE char *clean = journal_text(value);

	bench_event(&w->bench, "env", "{s:s, s:s, s:s*}", "name", clean_name, "value", clean,
		"parser", parser);
}

void worker_env(struct worker *w, const char *name, const char *value)
{
	add_env(w, NULL, name, value);
}

/* ---- frames of the board's helper ---------------------------------------------------------- */

static void frame_result(struct worker *w, const char *fields[], size_t n)
{
	AUTOFREE char *name = mem_printf("%s/%s", w->step ? w->step->name : "?", fields[0]);
	int status = n > 1 ? status_parse(fields[1]) : -1;

	if (status < 0)
		worker_result(w, name, STATUS_ERROR,
			n > 1 ? "hil_result was given a status that is none"
			      : "hil_result was given no status",
			BLAME_TEST);
	else
		worker_result(w, name, (enum status)status, n > 2 ? fields[2] : NULL, BLAME_TEST);
}

static void frame_metric(struct worker *w, const char *fields[], size_t n)
{
	struct sink_label labels[FRAME_FIELDS];
	AUTOBUF names = BUF_INIT(WORKER_TEXT_BYTES);
	size_t at[FRAME_FIELDS] = {0}, n_labels = 0;
	struct sink_metric m;
	double value;

	if (n < 3 || str_double(str_of(fields[1]), &value)) {
		AUTOFREE char *name = mem_printf(
			"%s/%s", w->step ? w->step->name : "?", n ? fields[0] : "hil_metric");

		worker_result(w, name, STATUS_ERROR, "hil_metric needs a name, a number and a unit",
			BLAME_TEST);
		return;
	}
	for (size_t i = 3; i < n; i++) {
		const char *equals = strchr(fields[i], '=');

		if (!equals)
			continue;
		at[n_labels] = names.len;
		buf_add(&names, fields[i], (size_t)(equals - fields[i]));
		buf_putc(&names, 0);
		labels[n_labels++].value = equals + 1;
	}
	for (size_t i = 0; i < n_labels; i++)
		labels[i].name = names.data + at[i];
	m = SINK_METRIC(fields[0], value, fields[2]);
	m.labels = labels;
	m.n = n_labels;
	worker_metric(w, w->step ? w->step->name : "?", NULL, &m);
}

void worker_frame(void *worker, const struct frame *f)
{
	struct worker *w = worker;
	AUTOBUF text = BUF_INIT(2 * FRAME_BODY_BYTES);
	const char *fields[FRAME_FIELDS];
	size_t n = frame_fields(f->payload, &text, fields);

	if (!strcmp(f->kind, "result"))
		frame_result(w, fields, n);
	else if (!strcmp(f->kind, "metric"))
		frame_metric(w, fields, n);
}

/* ---- parsers --------------------------------------------------------------------------------- */

struct parsing {
	struct worker *w;
	const struct parser *parser;
	char *suite; /* told by the text; NULL: the step's */
	unsigned found;
};

static void on_suite(void *arg, const char *name)
{
	struct parsing *p = arg;

	free(p->suite);
	p->suite = name && *name ? mem_strdup(name) : NULL;
}

static void on_result(void *arg, const char *name, enum status s, const char *why)
{
	struct parsing *p = arg;
	AUTOFREE char *full = mem_printf("%s/%s", p->w->step->name, name);

	p->found++;
	add_result(p->w, p->suite, p->parser->d.name, full, s, why, BLAME_TEST);
}

static void on_metric(void *arg, const struct sink_metric *m)
{
	struct parsing *p = arg;

	p->found += worker_metric(p->w, p->w->step->name, p->parser, m);
}

static void on_env(void *arg, const char *name, const char *value)
{
	struct parsing *p = arg;

	add_env(p->w, p->parser->d.name, name, value);
}

static void on_warn(void *arg, const char *text)
{
	struct parsing *p = arg;

	add_warn(p->w, p->parser->d.name, text);
}

int worker_parse(struct worker *w, const char *parser, const struct node *settings, struct str text,
	struct err *e)
{
	const struct parser *p =
		(const struct parser *)driver_get(parse_drivers(), "parser", parser, e);
	struct parsing parsing = {.w = w, .parser = p};
	struct sink sink = {.arg = &parsing,
		.suite = on_suite,
		.result = on_result,
		.metric = on_metric,
		.env = on_env,
		.warn = on_warn};
	int failed;

	if (!p)
		return -1;
	failed = parser_run(p, settings, text, &sink, e);
	free(parsing.suite);
	if (failed)
		return err_wrap(e, "parser '%s'", parser);
	if (!parsing.found)
		return err_set(e, BLAME_TEST, "parser '%s' found nothing in %zu bytes of output",
			parser, text.n);
	return 0;
}

int worker_keep(struct worker *w, const char *file, struct str bytes, struct err *e)
{
	AUTOFREE char *dir = fs_join(w->dir, "artifacts");
	AUTOFREE char *name = mem_strdup(file);
	AUTOFREE char *path = NULL;

	for (char *p = name; *p; p++)
		if (*p == '/')
			*p = '_';
	path = fs_join(dir, name);
	if (fs_mkdirs(dir, 0755, e) || fs_write(path, bytes.p ? bytes.p : "", bytes.n, 0644, e))
		return -1;
	bench_event(
		&w->bench, "artifact", "{s:s, s:I}", "name", name, "bytes", (json_int_t)bytes.n);
	return 0;
}

int worker_artifact(struct worker *w, const char *name, struct str bytes, struct err *e)
{
	AUTOFREE char *file = w->attempt > 1 ? mem_printf("%s.attempt-%u.txt", name, w->attempt)
					     : mem_printf("%s.txt", name);

	return worker_keep(w, file, bytes, e);
}
