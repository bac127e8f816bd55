/* SPDX-License-Identifier: MIT */
/*
 * `hilab parse`: what a parser finds in a file, or which parser knows it. Invariant: what is shown
 * is what a job would store; nothing is stored.
 */
#include "reports/parse/parse.h"
#include "agents/worker/journal.h"
#include "base/fs.h"
#include "base/mem.h"
#include "cli/commands.h"
#include "cli/listing.h"
#include "cli/parse-set.h"
#include "cli/report.h"
#include "io/json.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define PARSE_FILE_BYTES ((size_t)512 << 20)

struct args {
	const char *as;
	struct cli_texts set;
	bool json;
};

static const struct cli_opt opts[] = {
	{"as", 0, CLI_TEXT, offsetof(struct args, as), "NAME",
		"the parser; without it the one that is most sure"},
	{"set", 0, CLI_TEXTS, offsetof(struct args, set), "KEY=VALUE",
		"a setting of the parser ('hilab bench parse NAME'); may be repeated"},
	{"json", 0, CLI_FLAG, offsetof(struct args, json), NULL, "as JSON"},
	{0},
};

struct finding {
	struct str text;
	json_t *found;
	const struct parser *parser;
	const struct node *settings; /* of the parser; NULL: none */
	const struct metric_table *metrics;
	size_t offset, line; /* of what is told next; line 0: not told */
	unsigned n;          /* results and metrics */
};

static void on_at(void *arg, size_t offset)
{
	struct finding *f = arg;
	const char *p = f->text.p;

	if (!f->line)
		f->line = 1, f->offset = 0;
	if (offset > f->text.n)
		offset = f->text.n;
	for (; f->offset < offset; f->offset++)
		f->line += p[f->offset] == '\n';
	for (; f->offset > offset; f->offset--)
		f->line -= p[f->offset - 1] == '\n';
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

static json_t *add(struct finding *f, const char *kind)
{
	json_t *item = json_pack("{s:o, s:s}", "line",
		f->line ? json_integer((json_int_t)f->line) : json_null(), "kind", kind);

	json_array_append_new(f->found, item);
	return item;
}

static void on_suite(void *arg, const char *name)
{
	if (name)
		json_object_set_new(add(arg, "suite"), "name", clean(name));
}

static void on_result(void *arg, const char *name, enum status s, const char *why)
{
	struct finding *f = arg;
	json_t *item = add(f, "result");

	f->n++;
	json_object_set_new(item, "name", clean(name));
	json_object_set_new(item, "status", json_string(status_name(s)));
	json_object_set_new(item, "why", clean(why));
}

static void on_warn(void *arg, const char *text)
{
	json_object_set_new(add(arg, "warn"), "text", clean(text));
}

/* What the store would make of it. */
static void check_metric(struct finding *f, const struct sink_metric *m)
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
	struct finding *f = arg;
	json_t *item = add(f, "metric"), *labels = json_object();

	f->n++;
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
	json_t *item = add(arg, "env");

	json_object_set_new(item, "name", clean(name));
	json_object_set_new(item, "value", clean(value));
}

/* ---- which parser ------------------------------------------------------------------------------
 */

/* [{parser, sure}] of all that are sure at all, the surest first. */
static json_t *detect(struct str text)
{
	json_t *list = json_array();

	for (const struct driver *const *d = parse_drivers(); *d; d++) {
		const struct parser *p = (const struct parser *)*d;
		int sure = p->detect ? p->detect(text) : 0;
		size_t at = 0;

		if (sure <= 0)
			continue;
		while (at < json_array_size(list) &&
			json_int(json_array_get(list, at), "sure", 0) >= sure)
			at++;
		json_array_insert_new(
			list, at, json_pack("{s:s, s:i}", "parser", p->d.name, "sure", sure));
	}
	return list;
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

	json_object_foreach (json_object_get(item, "labels"), name, value)
		buf_printf(&text, "%s%s=%s", text.len ? " " : "", name, json_string_value(value));
	buf_puts(&text, json_text(item, "why", json_text(item, "text", "")));
	listing_add(t, buf_str(&text));
}

static void put_table(const json_t *found, struct buf *out)
{
	static const char *const headings[] = {
		"LINE", "KIND", "NAME", "VALUE", "UNIT", "LABELS", NULL};
	struct listing t;
	json_t *item;
	size_t i;

	listing_init(&t, headings);
	json_array_foreach (found, i, item) {
		json_int_t line = json_int(item, "line", 0);

		if (line)
			listing_printf(&t, "%lld", (long long)line);
		else
			listing_add(&t, NULL);
		listing_add(&t, json_text(item, "kind", NULL));
		listing_add(&t, json_text(item, "name", NULL));
		put_value(&t, item);
		listing_add(&t, json_text(item, "unit", ""));
		put_rest(&t, item);
	}
	if (i)
		listing_print(&t, out);
	listing_done(&t);
}

static void put_sure(const json_t *detected, struct buf *out)
{
	json_t *one;
	size_t i;

	json_array_foreach (detected, i, one)
		buf_printf(out, "%s%s (%lld of 100 sure)", i ? ", or " : "parsed as ",
			json_text(one, "parser", ""), (long long)json_int(one, "sure", 0));
	if (i)
		buf_putc(out, '\n');
}

/* ------------------------------------------------------------------------------------------------
 */

static int read_input(const char *file, struct buf *text, struct err *e)
{
	ssize_t n;

	if (strcmp(file, "-"))
		return fs_read(file, text, e);
	while ((n = buf_read(text, 0, 1 << 20)) > 0)
		;
	return n < 0 ? err_sys(e, BLAME_CONFIG, errno, "standard input") : 0;
}

static int show(struct finding *f, const struct args *a, const char *file, json_t *detected)
{
	struct sink sink = {f, on_at, on_suite, on_result, on_metric, on_env, on_warn};
	AUTOBUF out = BUF_INIT(BUF_CAP_BYTES);
	AUTOJSON *doc = NULL;
	struct err e = {0};
	int status;

	f->found = json_array();
	parser_run(f->parser, f->settings, f->text, &sink, &e);
	doc = json_pack("{s:s, s:o, s:s, s:O, s:o, s:o}", "schema", "hilab.parse/1", "file",
		clean(file), "parser", f->parser->d.name, "detected", detected, "found", f->found,
		"error",
		err_is(&e) ? json_pack("{s:s, s:o}", "blame", err_blame_name(e.blame), "message",
				     clean(e.msg))
			   : json_null());
	if (a->json) {
		status = cli_out_json(doc);
	} else {
		put_sure(detected, &out);
		put_table(f->found, &out);
		status = cli_out(&out) ? EXIT_INCOMPLETE : EXIT_PASS;
		if (err_is(&e))
			cli_fail(EXIT_FAIL, "parse: %s: %s", file, e.msg);
		else if (!f->n)
			cli_fail(EXIT_FAIL, "parse: %s: parser '%s' found nothing", file,
				f->parser->d.name);
	}
	return status ? status : f->n ? EXIT_PASS : EXIT_FAIL;
}

/* Shows it with the parser's settings. */
static int show_with(struct finding *f, const struct args *a, const char *file, json_t *detected)
{
	struct arena arena = {0};
	struct diag diag = {0};
	int status;

	if (parse_settings(&arena, f->parser, &a->set, &f->settings, &diag)) {
		cli_diag(&diag);
		status = EXIT_USAGE;
	} else {
		status = show(f, a, file, detected);
	}
	diag_done(&diag);
	arena_done(&arena);
	return status;
}

static int parse_file(const struct args *a, const char *file)
{
	struct metric_table metrics = {0};
	AUTOBUF text = BUF_INIT(PARSE_FILE_BYTES);
	AUTOJSON *detected = NULL;
	struct finding f = {.metrics = &metrics};
	struct err e = {0};
	const char *name;
	int status;

	if (a->as && !driver_get(parse_drivers(), "parser", a->as, &e))
		return cli_fail(EXIT_USAGE, "parse: %s", e.msg);
	if (read_input(file, &text, &e) || report_load_metrics(&metrics, &e))
		return cli_fail(EXIT_USAGE, "parse: %s", e.msg);
	f.text = str_make(buf_str(&text), text.len);
	detected = detect(f.text);
	name = a->as ? a->as : json_text(json_array_get(detected, 0), "parser", NULL);
	f.parser = name ? (const struct parser *)driver_get(parse_drivers(), "parser", name, &e)
			: NULL;
	if (a->as)
		json_array_clear(detected);
	if (f.parser)
		status = show_with(&f, a, file, detected);
	else
		status = cli_fail(EXIT_FAIL,
			"parse: %s: no parser knows this text (--as NAME; 'hilab bench parse' "
			"lists them)",
			file);
	metric_table_done(&metrics);
	return status;
}

static int run(int argc, char **argv)
{
	struct args a = {0};
	char **operands;
	int status;

	if (cli_parse(&parse_command, argc, argv, &a, &operands, &status) >= 0)
		status = parse_file(&a, operands[0]);
	free(a.set.p);
	return status;
}

const struct cli_command parse_command = {
	.name = "parse",
	.brief = "show what a parser finds in a tool's output",
	.usage = "FILE|-",
	.details =
		"Results, figures, settings and warnings, each with its line in the file. Nothing\n"
		"is stored.\n\n"
		"The exit status is 0 when a result or a figure was found, 1 when none was, 2 "
		"when\n"
		"the file cannot be read or there is no such parser.",
	.example =
		"  hilab parse console-main.log\n  fio --output-format=json job.fio | hilab parse "
		"--as fio -\n"
		"  hilab parse --as regex --set 'pattern=^(?P<name>\\w+): (?P<result>\\w+)$' "
		"--set 'fixup={OK: pass}' log",
	.opts = opts,
	.min_operands = 1,
	.max_operands = 1,
	.run = run,
};
