/* SPDX-License-Identifier: MIT */
/*
 * Mapping files. Invariant: a mapping that was loaded has only patterns that compile, names only
 * metrics of the metric table, and uses only groups that its patterns can give.
 */
#include "cli/import-map.h"

#include "base/fs.h"
#include "base/mem.h"
#include "io/yaml.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>

static const struct param run_rows[] = {
	{"type", PARAM_STRING, offsetof(struct map_run, type), .help = "board type",
		.example = "am62axx-sk"},
	{"board", PARAM_STRING, offsetof(struct map_run, board), .help = "board"},
	{"soc", PARAM_STRING, offsetof(struct map_run, soc), .help = "SoC, where no type tells it"},
	{"build", PARAM_STRING, offsetof(struct map_run, build), .help = "name of the build"},
	{"release", PARAM_STRING, offsetof(struct map_run, release), .help = "version of the build",
		.example = "\"{release}\""},
	{"date", PARAM_STRING, offsetof(struct map_run, date), .help = "when it was measured",
		.example = "\"{commit_date}\""},
	{"job", PARAM_STRING, offsetof(struct map_run, job), .preset = "import",
		.help = "name of the job that it is told as"},
	{"twin", PARAM_BOOL, offsetof(struct map_run, twin), .preset = "false",
		.help = "measured on a virtual board"},
	{0},
};

static const struct param csv_rows[] = {
	{"section", PARAM_STRING, offsetof(struct map_csv, section),
		.help = "column of the section"},
	{"table", PARAM_STRING, offsetof(struct map_csv, table), .help = "column of the table"},
	{"row", PARAM_STRING, offsetof(struct map_csv, row), .required = true,
		.help = "column of what a row is called"},
	{"column", PARAM_STRING, offsetof(struct map_csv, column),
		.help = "column of the heading that the figure stood under"},
	{"value", PARAM_STRING, offsetof(struct map_csv, value), .required = true,
		.help = "column of the figure"},
	{"min", PARAM_STRING, offsetof(struct map_csv, min), .help = "column of its least"},
	{"max", PARAM_STRING, offsetof(struct map_csv, max), .help = "column of its greatest"},
	{"unit", PARAM_STRING, offsetof(struct map_csv, unit), .help = "column of its unit"},
	{0},
};

#define TEXT(part) offsetof(struct map_rule, texts) + (part) * sizeof(const char *)

const struct param map_rule_params[] = {
	{"section", PARAM_PATTERN, TEXT(MAP_SECTION), .help = "the captions around the table"},
	{"table", PARAM_PATTERN, TEXT(MAP_TABLE), .help = "the table's caption"},
	{"above", PARAM_PATTERN, TEXT(MAP_ABOVE),
		.help = "the text between the last heading and the table, other tables left out",
		.example = "'.*Clock: (?<clock>\\w+).*'"},
	{"row", PARAM_PATTERN, TEXT(MAP_ROW), .help = "what the row is called",
		.example = "\"bw_mem-(?<op>\\\\w+)-(?<mb>\\\\d+)mb .*\""},
	{"column", PARAM_PATTERN, TEXT(MAP_COLUMN), .help = "the heading of the column",
		.example = "\"(?<board>.*): perf\""},
	{"names", PARAM_INT, offsetof(struct map_rule, names), .preset = "1", .min = 1, .max = 8,
		.help = "how many of the first columns name a row; their texts are put together "
			"with '; '"},
	{"metric", PARAM_STRING, offsetof(struct map_rule, metric),
		.help = "what the figure is, a name of the metric table"},
	{"labels", PARAM_MAP, offsetof(struct map_rule, labels),
		.help = "what it was measured with", .example = "{op: \"{op}\", size: \"{mb}m\"}"},
	{"from", PARAM_MAP, offsetof(struct map_rule, from),
		.help = "labels that stand in another column of the row, by its heading"},
	{"unit", PARAM_STRING, offsetof(struct map_rule, unit),
		.help = "the unit, where none that is known is printed"},
	{"units", PARAM_MAP, offsetof(struct map_rule, units),
		.help = "what a printed unit stands for", .example = "{mb/s: MB/s}"},
	{"skip", PARAM_STRING, offsetof(struct map_rule, skip),
		.help = "why such figures are left out"},
	{0},
};

struct head {
	struct map_run run;
	struct map_csv csv;
	const struct node *csv_node, *boards, *units, *rules;
};

const struct param map_params[] = {
	{"run", PARAM_SECTION, offsetof(struct head, run), .rows = run_rows,
		.help = "of which run the figures are"},
	{"csv", PARAM_MAP, offsetof(struct head, csv_node),
		.help = "which columns of a CSV file with one figure a line are what"},
	{"boards", PARAM_MAP, offsetof(struct head, boards),
		.help = "printed names of boards and their types"},
	{"units", PARAM_MAP, offsetof(struct head, units),
		.help = "what printed units stand for, in all rules"},
	{"rules", PARAM_LIST, offsetof(struct head, rules), .required = true,
		.help = "what the figures are; the first rule that matches counts"},
	{0},
};

/* The names of a pattern's groups: (?<NAME>...); other groups count and have none. */
static int group_names(struct arena *a, const char *text, struct map_pattern *p)
{
	int n = 1;

	for (const char *s = text; *s; s++) {
		if (*s == '\\' && s[1]) {
			s++;
		} else if (*s == '[') {
			s += s[1] == '^';
			for (s += s[1] != 0; s[1] && *s != ']'; s++)
				s += *s == '\\' && s[1];
		} else if (*s == '(' && s[1] != '?') {
			n++;
		} else if (!strncmp(s, "(?<", 3) && s[3] != '=' && s[3] != '!') {
			if (n < PATTERN_GROUPS)
				p->names[n] = arena_strndup(a, s + 3, strcspn(s + 3, ">"));
			n++;
		}
	}
	return n <= PATTERN_GROUPS ? 0 : -1;
}

static int compile(
	struct import_map *m, struct map_rule *r, const struct node *node, struct diag *diag)
{
	static const char *const keys[] = {"section", "table", "above", "row", "column"};
	int failed = 0;

	for (int i = 0; i < MAP_PARTS; i++) {
		AUTOFREE char *text = NULL;
		struct err e = {0};

		if (!r->texts[i])
			continue;
		text = mem_printf("^(?i:%s)$", r->texts[i]);
		r->patterns[i].p = pattern_new(text, &e);
		if (!r->patterns[i].p)
			failed = diag_add(diag, node_find(node, keys[i])->at, "%s", e.msg);
		else if (group_names(&m->arena, r->texts[i], &r->patterns[i]))
			failed = diag_add(diag, node_find(node, keys[i])->at,
				"it has more than %d groups", PATTERN_GROUPS - 1);
	}
	return failed;
}

static bool gives(const struct map_rule *r, struct str name)
{
	for (int i = 0; i < MAP_PARTS; i++)
		for (int g = 1; g < PATTERN_GROUPS; g++)
			if (r->patterns[i].names[g] && str_is(name, r->patterns[i].names[g]))
				return true;
	return false;
}

/* Each "{NAME}" must be a group; with a csv section it may be a column as well. */
static int check_template(
	const struct map_rule *r, const struct node *node, bool csv, struct diag *diag)
{
	int failed = 0;

	if (!node || node->type != NODE_SCALAR)
		return node ? diag_add(diag, node->at, "'%s' is not one text", node->key) : 0;
	for (const char *s = strchr(node->text, '{'); s; s = strchr(s + 1, '{')) {
		struct str name = str_make(s + 1, strcspn(s + 1, ":}"));

		if (!csv && !gives(r, name))
			failed = diag_add(
				diag, node->at, "no pattern has a group '%.*s'", STR_ARG(name));
	}
	return failed;
}

static int check_rule(const struct map_rule *r, const struct node *node, bool csv,
	const struct metric_table *metrics, struct diag *diag)
{
	int failed = 0;

	if (!r->metric == !r->skip)
		return diag_add(diag, node->at, "a rule has either a 'metric' or a 'skip'");
	if (r->metric && !strchr(r->metric, '{') && !metric_find(metrics, r->metric))
		failed = diag_add(diag, node_find(node, "metric")->at,
			"'%s' is not in the metric table", r->metric);
	if (r->unit && !metric_unit_known(r->unit))
		failed = diag_add(
			diag, node_find(node, "unit")->at, "unit '%s' is not known", r->unit);
	failed |= check_template(r, node_find(node, "metric"), csv, diag);
	node_each (r->labels, kid)
		failed |= check_template(r, kid, csv, diag);
	node_each (r->from, kid)
		failed |= check_template(r, kid, csv, diag);
	return failed;
}

static int add_rule(struct import_map *m, const struct node *node, bool csv,
	const struct metric_table *metrics, struct diag *diag)
{
	struct map_rule r = {.at = node->at};
	int failed;

	if (schema_fill(&m->arena, map_rule_params, "rule", node, &r, diag))
		return -1;
	failed = compile(m, &r, node, diag);
	if (!failed)
		failed = check_rule(&r, node, csv, metrics, diag);
	vec_push(&m->rules, r);
	return failed;
}

static int add_document(struct import_map *m, const struct node *doc, bool first,
	const struct metric_table *metrics, struct diag *diag)
{
	struct head head = {0};
	int failed = schema_fill(&m->arena, map_params, "mapping", doc, &head, diag);

	if (failed)
		return failed;
	if (head.csv_node)
		failed = schema_fill(&m->arena, csv_rows, "csv", head.csv_node, &head.csv, diag);
	node_each (head.rules, rule)
		failed |= add_rule(m, rule, head.csv_node != NULL, metrics, diag);
	if (head.boards)
		vec_push(&m->boards, head.boards);
	if (head.units)
		vec_push(&m->units, head.units);
	if (first) {
		m->run = head.run;
		m->csv = head.csv;
		m->has_csv = head.csv_node != NULL;
	}
	return failed;
}

int import_map_load(struct import_map *m, const char *path, const struct metric_table *metrics,
	struct diag *diag)
{
	const struct node *doc = yaml_load(&m->arena, path, diag);

	return doc ? add_document(m, doc, !m->rules.n, metrics, diag) : -1;
}

static int is_yaml(const struct dirent *d)
{
	return str_ends(str_of(d->d_name), ".yaml");
}

int import_map_load_own(struct import_map *m, const struct metric_table *metrics, struct diag *diag)
{
	AUTOFREE char *dir = fs_data_path("reports/guides");
	struct dirent **list = NULL;
	int n = scandir(dir, &list, is_yaml, alphasort), failed = 0;

	for (int i = 0; i < n; i++) {
		AUTOFREE char *path = fs_join(dir, list[i]->d_name);

		failed |= import_map_load(m, path, metrics, diag);
		free(list[i]);
	}
	free(list);
	return failed;
}

void import_map_done(struct import_map *m)
{
	vec_each (&m->rules, r)
		for (int i = 0; i < MAP_PARTS; i++)
			pattern_free(r->patterns[i].p);
	vec_done(&m->rules);
	vec_done(&m->boards);
	vec_done(&m->units);
	arena_done(&m->arena);
}
