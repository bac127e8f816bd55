/* SPDX-License-Identifier: MIT */
/*
 * What kind of file it is that is imported, and what the parsers of tools find in one. Invariant: a
 * kind that was asked for by name is never guessed over; a text that nobody is sure of is an error.
 */
#include "base/fs.h"
#include "cli/import.h"
#include "reports/parse/parse.h"

#include <string.h>

#define SURE_ENOUGH 50 /* of 100 */

struct parsed {
	struct import_draft *d;
	struct import_run *run;
	struct str text;
	const char *suite; /* in the draft's arena */
	size_t offset, line;
	bool ours; /* TAP as `hilab report --format tap` writes it */
};

static void on_at(void *arg, size_t offset)
{
	struct parsed *p = arg;

	offset = offset > p->text.n ? p->text.n : offset;
	for (; p->offset < offset; p->offset++)
		p->line += p->text.p[p->offset] == '\n';
	for (; p->offset > offset; p->offset--)
		p->line -= p->text.p[p->offset - 1] == '\n';
}

static void on_suite(void *arg, const char *name)
{
	struct parsed *p = arg;

	p->suite = arena_strdup(&p->d->arena, name);
}

/*
 * TAP knows pass, fail and skip. A report of ours says the rest in the block behind each point, and
 * the suite in front of its name.
 */
static enum status told_status(const struct parsed *p, enum status s)
{
	struct str rest = str_make(p->text.p + p->offset, p->text.n - p->offset), line;
	int told = -1;

	if (!str_line(&rest, &line) || !str_line(&rest, &line) || !str_is(line, "  ---") ||
		!str_line(&rest, &line) || !str_starts(line, "  status: \""))
		return s;
	line = str_make(line.p + 11, line.n - 11);
	for (int i = 0; i < STATUS_COUNT; i++)
		if (str_starts(line, status_name((enum status)i)) &&
			line.n == strlen(status_name((enum status)i)) + 1)
			told = i;
	/* It cannot make a failure good. */
	return told < 0 || (s != STATUS_PASS && s != STATUS_SKIP && told == STATUS_PASS)
		       ? s
		       : (enum status)told;
}

static void on_result(void *arg, const char *name, enum status s, const char *why)
{
	struct parsed *p = arg;
	const char *colon = p->ours ? strstr(name, ": ") : NULL;

	if (colon)
		p->suite = arena_strndup(&p->d->arena, name, (size_t)(colon - name));
	import_result(p->d, p->run, p->suite, colon ? colon + 2 : name,
		p->ours ? told_status(p, s) : s, why, p->line);
}

static void on_metric(void *arg, const struct sink_metric *m)
{
	struct parsed *p = arg;

	import_figure(p->d, p->run, p->suite, NULL, m, p->line);
}

static void on_env(void *arg, const char *name, const char *value)
{
	struct parsed *p = arg;

	import_env(p->d, p->run, name, value);
}

static void on_warn(void *arg, const char *text)
{
	struct parsed *p = arg;

	import_warn(p->d, p->line, "%s", text);
}

int import_parsed(struct import_draft *d, const char *parser, struct str text, struct err *e)
{
	const struct parser *p =
		(const struct parser *)driver_get(parse_drivers(), "parser", parser, e);
	struct parsed parsed = {.d = d, .text = text, .line = 1};
	struct sink sink = {&parsed, on_at, on_suite, on_result, on_metric, on_env, on_warn};

	if (!p)
		return -1;
	d->format = p->d.name;
	parsed.ours =
		!strcmp(p->d.name, "tap") &&
		(str_starts(text, "TAP version 13\n1..") ||
			str_starts(text, "TAP version 14\n1..")) &&
		str_find(str_make(text.p, text.n < 200 ? text.n : 200), STR_LIT("\n# run ")) >= 0;
	parsed.run = import_run_of(d, import_id_of(d, (struct import_id){0}));
	return p->parse(text, &sink, e) ? err_wrap(e, "'%s'", d->file) : 0;
}

/* The parser that is the surest. NULL: none is sure enough. */
static const char *surest(struct str text)
{
	const char *name = NULL;
	int most = SURE_ENOUGH - 1;

	for (const struct driver *const *d = parse_drivers(); *d; d++) {
		const struct parser *p = (const struct parser *)*d;
		int sure = p->detect ? p->detect(text) : 0;

		if (sure > most) {
			most = sure;
			name = p->d.name;
		}
	}
	return name;
}

/* By the file's name; NULL: that says nothing. */
static const char *kind_of(const char *file)
{
	static const struct {
		const char *suffix, *kind;
	} kinds[] = {
		{".rst", "rst"},
		{".html", "html"},
		{".htm", "html"},
		{".csv", "csv"},
		{".json", "json"},
		{".yaml", "yaml"},
		{".yml", "yaml"},
		{".xml", "junit"},
	};

	for (size_t i = 0; i < ARRAY_LEN(kinds); i++)
		if (str_ends(str_of(file), kinds[i].suffix))
			return kinds[i].kind;
	return NULL;
}

int import_read(
	struct import_draft *d, const struct import_map *map, struct str text, struct err *e)
{
	const char *kind = d->args->as;

	if (!kind)
		kind = kind_of(d->file);
	/* A tool's JSON is the tool's. */
	if (!d->args->as && (!kind || !strcmp(kind, "json")) && surest(text))
		kind = surest(text);
	if (!kind)
		return err_set(e, BLAME_CONFIG,
			"'%s': no parser knows this text (--as NAME says what it is)", d->file);
	d->format = kind;
	if (!strcmp(kind, "json"))
		return import_json(d, text, e);
	if (!strcmp(kind, "yaml"))
		return import_yaml(d, text, e);
	if (!strcmp(kind, "csv"))
		return import_csv(d, map, text, e);
	if (!strcmp(kind, "rst") || !strcmp(kind, "html"))
		return import_guide(d, map, kind, text, e);
	return import_parsed(d, kind, text, e);
}
