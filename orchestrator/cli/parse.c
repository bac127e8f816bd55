/* SPDX-License-Identifier: MIT */
/*
 * `hilab parse`: what a parser finds in a file, or which parser knows it. Invariant: what is shown
 * is what a job would store; nothing is stored.
 */
#include "cli/parse.h"
#include "agents/worker/journal.h"
#include "base/mem.h"
#include "cli/commands.h"
#include "cli/parse-set.h"
#include "cli/report.h"
#include "io/json.h"

#include <stdlib.h>
#include <string.h>

#define PARSE_FILE_BYTES ((size_t)512 << 20)

struct args {
	const char *as;
	struct cli_texts set;
	bool all;
	bool json;
};

static const struct cli_opt opts[] = {
	{"as", 0, CLI_TEXT, offsetof(struct args, as), "NAME",
		"the parser; without it the one that is most sure"},
	{"set", 0, CLI_TEXTS, offsetof(struct args, set), "KEY=VALUE",
		"a setting of the parser ('hilab bench parse NAME'); may be repeated"},
	{"all", 0, CLI_FLAG, offsetof(struct args, all), NULL,
		"what every parser finds, for a log with many tools in it"},
	{"json", 0, CLI_FLAG, offsetof(struct args, json), NULL, "as JSON"},
	{0},
};

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

/* ---- what is shown
 * -------------------------------------------------------------------------------
 */

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

static json_t *text_or_null(const char *bytes)
{
	AUTOFREE char *text = journal_text(bytes);

	return json_string(text);
}

/* How it ends: what was not kept is told, it is not as if it were not there. */
static int status_of(const struct parse_finding *f, const char *file, int status)
{
	if (status)
		return status;
	if (f->more)
		return cli_fail(EXIT_INCOMPLETE,
			"parse: %s: it holds %zu findings more than the %d that are shown", file,
			f->more, PARSE_FINDINGS_MAX);
	return f->n ? EXIT_PASS : EXIT_FAIL;
}

static int show_one(struct parse_finding *f, const struct node *settings, bool json,
	const char *file, json_t *detected)
{
	struct sink sink = parse_finding_sink(f);
	AUTOBUF out = BUF_INIT(PARSE_FILE_BYTES);
	AUTOJSON *doc = NULL;
	struct err e = {0};
	int status;

	parser_run(f->parser, settings, f->text, &sink, &e);
	if (json) {
		doc = json_pack("{s:s, s:o, s:s, s:O, s:o, s:o}", "schema", "hilab.parse/1", "file",
			text_or_null(file), "parser", f->parser->d.name, "detected", detected,
			"found", parse_finding_json(f), "error",
			err_is(&e) ? json_pack("{s:s, s:o}", "blame", err_blame_name(e.blame),
					     "message", text_or_null(e.msg))
				   : json_null());
		status = cli_out_json(doc);
	} else {
		put_sure(detected, &out);
		parse_finding_table(f, &out);
		status = cli_out(&out) ? EXIT_INCOMPLETE : EXIT_PASS;
		if (err_is(&e))
			cli_fail(EXIT_FAIL, "parse: %s: %s", file, e.msg);
		else if (!f->n)
			cli_fail(EXIT_FAIL, "parse: %s: parser '%s' found nothing", file,
				f->parser->d.name);
	}
	return status_of(f, file, status);
}

static int show_all(struct parse_finding *f, bool json, const char *file)
{
	AUTOJSON *parsers = parse_all(f);
	AUTOBUF out = BUF_INIT(PARSE_FILE_BYTES);
	AUTOJSON *doc = NULL;
	int status;

	if (json) {
		doc = json_pack("{s:s, s:o, s:O, s:o}", "schema", "hilab.parse-all/1", "file",
			text_or_null(file), "parsers", parsers, "found", parse_finding_json(f));
		status = cli_out_json(doc);
	} else {
		parse_finding_table(f, &out);
		status = cli_out(&out) ? EXIT_INCOMPLETE : EXIT_PASS;
		if (!f->n)
			cli_fail(EXIT_FAIL, "parse: %s: no parser finds anything in it", file);
	}
	return status_of(f, file, status);
}

/* Shows it with the parser's settings. */
static int show_with(
	struct parse_finding *f, const struct args *a, const char *file, json_t *detected)
{
	struct arena arena = {0};
	struct diag diag = {0};
	const struct node *settings = NULL;
	int status;

	if (parse_settings(&arena, f->parser, &a->set, &settings, &diag)) {
		cli_diag(&diag);
		status = EXIT_USAGE;
	} else {
		status = show_one(f, settings, a->json, file, detected);
	}
	diag_done(&diag);
	arena_done(&arena);
	return status;
}

/* With the parser that was named, or the one that is most sure. */
static int run_one(struct parse_finding *f, const struct args *a, const char *file)
{
	AUTOJSON *detected = detect(f->text);
	const char *name = a->as ? a->as : json_text(json_array_get(detected, 0), "parser", NULL);
	struct err e = {0};

	f->parser = name ? (const struct parser *)driver_get(parse_drivers(), "parser", name, &e)
			 : NULL;
	if (a->as)
		json_array_clear(detected);
	if (f->parser)
		return show_with(f, a, file, detected);
	return cli_fail(EXIT_FAIL,
		"parse: %s: no parser knows this text (--as NAME; 'hilab bench parse' lists them)",
		file);
}

static int parse_file(const struct args *a, const char *file)
{
	struct metric_table metrics = {0};
	AUTOBUF text = BUF_INIT(PARSE_FILE_BYTES);
	struct parse_finding f = {.metrics = &metrics};
	struct err e = {0};
	int status;

	if (a->all && (a->as || a->set.n))
		return cli_fail(EXIT_USAGE, "parse: --all takes no --as and no --set");
	if (a->as && !driver_get(parse_drivers(), "parser", a->as, &e))
		return cli_fail(EXIT_USAGE, "parse: %s", e.msg);
	if (cli_read(file, &text, &e) || report_load_metrics(&metrics, &e))
		return cli_fail(EXIT_USAGE, "parse: %s", e.msg);
	f.text = str_make(buf_str(&text), text.len);
	status = a->all ? show_all(&f, a->json, file) : run_one(&f, a, file);
	parse_finding_done(&f);
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
		"With --all every parser reads what is its own in the text, as in the log of a\n"
		"whole night, and each line names its parser. Where two know the same lines, the\n"
		"surer one has them, and what the other found there becomes a warning.\n\n"
		"The exit status is 0 when a result or a figure was found, 1 when none was, 2 "
		"when\n"
		"the file cannot be read or there is no such parser, 3 when more was found than "
		"can\nbe shown.",
	.example = "  hilab parse console-main.log\n  hilab parse --all console-main.log\n"
		   "  fio --output-format=json job.fio | hilab parse --as fio -\n"
		   "  hilab parse --as regex --set 'pattern=^(?P<name>\\w+): (?P<result>\\w+)$' "
		   "--set 'fixup={OK: pass}' log",
	.opts = opts,
	.min_operands = 1,
	.max_operands = 1,
	.run = run,
};
