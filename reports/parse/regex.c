/* SPDX-License-Identifier: MIT */
/*
 * A pattern of the job's own over a tool's lines: its named groups are a result, a figure or both.
 * Invariant: nothing is made up. A word that neither the settings nor the statuses know is a miss,
 * a figure without a unit is none, and a pattern that takes too long ends the reading with an
 * error: what it would have found is not silently lost.
 */
#include "io/pattern.h"
#include "lines.h"
#include "metric.h"
#include "parsers.h"

#include <stdio.h>
#include <strings.h>

#define REGEX_LABELS       16                       /* groups label_NAME of a pattern */
#define REGEX_GROUPS       64                       /* all groups of a pattern */
#define REGEX_STEPS        (UINT64_C(10) * 1000000) /* of matching, for a text of any length */
#define REGEX_STEPS_A_BYTE 32                       /* and beside them for each byte of it */
#define REGEX_TEXT_BYTES   512                      /* of a name, a label or a unit */

struct regex_set {
	const char *pattern, *suite, *name, *metric, *unit, *better;
	const struct node *fixup, *metrics;
	bool kernel;
};

static const struct param params[] = {
	{"pattern", PARAM_PATTERN, offsetof(struct regex_set, pattern), .required = true,
		.help = "searched in each line; its named groups say what is found: name (or "
			"test_case_id), result, value (or measurement), unit (or units), metric, "
			"label_NAME",
		.example = "'^(?P<name>[a-z_]+): (?P<result>PASS|FAIL)$'"},
	{"fixup", PARAM_MAP, offsetof(struct regex_set, fixup),
		.help = "what the tool writes for a result -> pass, fail, error, miss, skip or "
			"done; a word that is neither here nor one of those is a miss",
		.example = "{OK: pass, NOTOK: fail, TBROK: error}"},
	{"suite", PARAM_STRING, offsetof(struct regex_set, suite),
		.help = "suite of the results (preset: the step's)", .example = "ltp"},
	{"name", PARAM_STRING, offsetof(struct regex_set, name),
		.help = "name of a result where the pattern gives none", .example = "self-test"},
	{"metric", PARAM_STRING, offsetof(struct regex_set, metric),
		.help = "name of a figure (preset: what the groups metric or name say); what the "
			"group name says is then its label 'name'",
		.example = "net.bw"},
	{"unit", PARAM_STRING, offsetof(struct regex_set, unit),
		.help = "unit of a figure where the pattern gives none; there is no preset",
		.example = "MB/s"},
	{"better", PARAM_STRING, offsetof(struct regex_set, better), .choices = metric_better_names,
		.help = "which direction is an improvement, for a figure that the metric table "
			"does not know; without it such a figure is not stored",
		.example = "higher"},
	{"metrics", PARAM_MAP, offsetof(struct regex_set, metrics),
		.help = "name of a figure -> its own unit and better, in place of those above",
		.example = "{wakeups: {unit: count, better: lower}}"},
	{"kernel", PARAM_BOOL, offsetof(struct regex_set, kernel), .preset = "false",
		.help = "lines of the kernel are searched too, without their time stamps"},
	{0},
};

struct own_metric {
	const char *unit, *better;
};
static const struct param own_params[] = {
	{"unit", PARAM_STRING, offsetof(struct own_metric, unit), .help = "its unit",
		.example = "count"},
	{"better", PARAM_STRING, offsetof(struct own_metric, better),
		.choices = metric_better_names, .help = "which direction is an improvement",
		.example = "lower"},
	{0},
};

/* ---- the pattern's groups ---- */

enum group { GROUP_NAME, GROUP_RESULT, GROUP_VALUE, GROUP_UNIT, GROUP_METRIC, GROUP_COUNT };

static const struct {
	const char *name;
	enum group group;
} known[] = {
	{"name", GROUP_NAME},
	{"test_case_id", GROUP_NAME},
	{"result", GROUP_RESULT},
	{"value", GROUP_VALUE},
	{"measurement", GROUP_VALUE},
	{"unit", GROUP_UNIT},
	{"units", GROUP_UNIT},
	{"metric", GROUP_METRIC},
};

struct regex {
	const struct regex_set *set;
	const struct sink *sink;
	struct pattern *pattern;
	struct str groups[REGEX_GROUPS]; /* of the line in hand */
	uint64_t steps;
	size_t found;
	bool told_suite;
};

static int group_of(const char *name)
{
	for (size_t i = 0; i < ARRAY_LEN(known); i++)
		if (!strcmp(known[i].name, name))
			return (int)known[i].group;
	return -1;
}

/* NULL: it is none. */
static const char *label_of(const char *name)
{
	return !strncmp(name, "label_", 6) && name[6] ? name + 6 : NULL;
}

/* What the line says for it: the group that took part. False: none did, or it is empty. */
static bool take(const struct regex *r, enum group group, char out[REGEX_TEXT_BYTES])
{
	unsigned number;
	const char *name;

	for (size_t i = 0; (name = pattern_group(r->pattern, i, &number)); i++) {
		struct str s;

		if (group_of(name) != (int)group || number >= REGEX_GROUPS)
			continue;
		s = str_trim(r->groups[number]);
		if (!s.n)
			continue;
		lines_copy(s, out, REGEX_TEXT_BYTES);
		return true;
	}
	return false;
}

/* ---- what a line says ---- */

static const char *first_of(const char *a, const char *b)
{
	return a ? a : b;
}

/* -1: nobody knows the word. */
static int status_of(const struct regex *r, const char *word)
{
	const char *fixed = node_text(r->set->fixup, word);

	if (fixed)
		return status_parse(fixed);
	for (int s = 0; s < STATUS_COUNT; s++)
		if (!strcasecmp(status_name((enum status)s), word))
			return s;
	return -1;
}

static void tell_result(struct regex *r, const char *name, const char *word)
{
	int status = status_of(r, word);
	char why[REGEX_TEXT_BYTES + 80], shown[120];

	if (!r->told_suite && r->set->suite)
		sink_suite(r->sink, r->set->suite);
	r->told_suite = true;
	r->found++;
	if (status >= 0) {
		sink_result(r->sink, name, (enum status)status, NULL);
		return;
	}
	snprintf(why, sizeof why, "it says '%s', which is no status and not in 'fixup'",
		str_printable(str_of(word), shown, sizeof shown));
	sink_warn(r->sink, "%s: %s", name, why);
	sink_result(r->sink, name, STATUS_MISS, why);
}

/* The labels of the line; texts are in out. */
static size_t take_labels(const struct regex *r, struct sink_label labels[REGEX_LABELS],
	char out[REGEX_LABELS][REGEX_TEXT_BYTES])
{
	size_t n = 0;
	unsigned number;
	const char *name;

	for (size_t i = 0; (name = pattern_group(r->pattern, i, &number)); i++) {
		const char *label = label_of(name);

		if (!label || number >= REGEX_GROUPS || !r->groups[number].n || n == REGEX_LABELS)
			continue;
		lines_copy(str_trim(r->groups[number]), out[n], REGEX_TEXT_BYTES);
		labels[n] = (struct sink_label){label, out[n]};
		n++;
	}
	return n;
}

static void tell_figure(struct regex *r, const char *name, const char *text)
{
	struct sink_label labels[REGEX_LABELS + 1];
	char texts[REGEX_LABELS][REGEX_TEXT_BYTES], own[REGEX_TEXT_BYTES], unit[REGEX_TEXT_BYTES];
	char shown[120];
	const struct regex_set *set = r->set;
	bool told = take(r, GROUP_METRIC, own);
	const char *metric = told ? own : first_of(set->metric, name);
	const struct node *more = metric ? node_find(set->metrics, metric) : NULL;
	struct sink_metric m = SINK_METRIC(metric, 0, NULL);

	if (!metric || str_double(str_of(text), &m.value)) {
		sink_warn(r->sink, "%s: '%s' is no number", metric ? metric : "a figure",
			str_printable(str_of(text), shown, sizeof shown));
		return;
	}
	m.unit = take(r, GROUP_UNIT, unit) ? unit : first_of(node_text(more, "unit"), set->unit);
	if (!m.unit) {
		sink_warn(r->sink, "%s: a figure without a unit: %s", metric, text);
		return;
	}
	m.better = first_of(node_text(more, "better"), set->better);
	m.n = take_labels(r, labels, texts);
	if (name && metric != name)
		labels[m.n++] = (struct sink_label){"name", name};
	m.labels = labels;
	r->found++;
	sink_metric(r->sink, &m);
}

static void tell_line(struct regex *r)
{
	char own[REGEX_TEXT_BYTES], word[REGEX_TEXT_BYTES], value[REGEX_TEXT_BYTES];
	const char *name = take(r, GROUP_NAME, own) ? own : NULL;

	if (take(r, GROUP_RESULT, word)) {
		if (name || r->set->name)
			tell_result(r, first_of(name, r->set->name), word);
		else
			sink_warn(r->sink, "a result without a name: '%s'", word);
	}
	if (take(r, GROUP_VALUE, value))
		tell_figure(r, first_of(name, r->set->metric ? NULL : r->set->name), value);
}

static int search_lines(struct regex *r, struct str text, struct err *e)
{
	struct lines lines;
	struct str line;
	int found;

	lines_init(&lines, text, r->sink);
	lines.kernel = r->set->kernel;
	lines.join = !r->set->kernel;
	while (lines_next(&lines, &line)) {
		char shown[80];

		found = pattern_search_named(
			r->pattern, line, &r->steps, r->groups, ARRAY_LEN(r->groups));
		if (found > 0)
			tell_line(r);
		if (found < 0)
			return err_set(e, BLAME_JOB,
				"regex: the pattern takes too many steps, given up at: %s",
				str_printable(line, shown, sizeof shown));
	}
	return 0;
}

static int regex_parse_set(
	const void *conf, struct str text, const struct sink *sink, struct err *e)
{
	struct regex r = {.set = conf, .sink = sink};
	int failed;

	r.pattern = pattern_new_named(r.set->pattern, e);
	if (!r.pattern) {
		if (e)
			e->blame = BLAME_JOB;
		return -1;
	}
	r.steps = REGEX_STEPS + REGEX_STEPS_A_BYTE * (uint64_t)text.n;
	failed = search_lines(&r, text, e);
	if (!failed && !r.found)
		failed = lines_nothing(text, "regex", "line that the pattern matches", e);
	pattern_free(r.pattern);
	return failed;
}

static int regex_parse(struct str text, const struct sink *sink, struct err *e)
{
	(void)text;
	(void)sink;
	return err_set(e, BLAME_JOB, "regex: it needs settings: a 'pattern'");
}

/* ---- hilab check ---- */

static bool check_groups(
	const struct pattern *p, struct loc at, bool has[GROUP_COUNT], struct diag *diag)
{
	static const char *const names[] = {"label_NAME", "measurement", "metric", "name", "result",
		"test_case_id", "unit", "units", "value"};
	bool good = true;
	size_t labels = 0;
	unsigned number;
	const char *name;

	for (size_t i = 0; (name = pattern_group(p, i, &number)); i++) {
		int group = group_of(name);

		labels += label_of(name) != NULL;
		if (group >= 0)
			has[group] = true;
		else if (!label_of(name))
			good = !diag_unknown(diag, at, "group", name, names, ARRAY_LEN(names));
		if (number >= REGEX_GROUPS)
			good = !diag_add(diag, at, "group '%s' is past the first %d of the pattern",
				name, REGEX_GROUPS - 1);
	}
	if (labels > REGEX_LABELS)
		good = !diag_add(diag, at, "the pattern has more than %d labels", REGEX_LABELS);
	return good;
}

/* Is there all that a result or a figure needs? */
static bool check_needs(
	const bool has[GROUP_COUNT], const struct node *map, struct loc at, struct diag *diag)
{
	bool good = true;

	if (!has[GROUP_RESULT] && !has[GROUP_VALUE])
		return !diag_add(diag, at,
			"the pattern finds nothing: it needs a group 'result' or 'value'");
	if (has[GROUP_RESULT] && !has[GROUP_NAME] && !node_find(map, "name"))
		good = !diag_add(
			diag, at, "a result needs a name: a group 'name' or the setting 'name'");
	if (!has[GROUP_VALUE])
		return good;
	if (!has[GROUP_NAME] && !has[GROUP_METRIC] && !node_find(map, "metric") &&
		!node_find(map, "name"))
		good = !diag_add(diag, at,
			"a figure needs a name: a group 'metric' or 'name', or the setting "
			"'metric'");
	if (!has[GROUP_UNIT] && !node_find(map, "unit") && !node_find(map, "metrics"))
		good = !diag_add(
			diag, at, "a figure needs a unit: a group 'unit' or the setting 'unit'");
	return good;
}

static bool check_maps(const struct node *map, struct diag *diag)
{
	bool good = true;

	node_each (node_find(map, "fixup"), kid)
		if (kid->type != NODE_SCALAR || status_parse(kid->text) < 0)
			good = !diag_add(diag, kid->at,
				"'%s' must stand for pass, fail, error, miss, skip or done",
				kid->key);
	node_each (node_find(map, "metrics"), kid)
		if (kid->type != NODE_MAP)
			good = !diag_add(diag, kid->at,
				"metric '%s' needs a mapping with unit and better", kid->key);
		else if (schema_check(own_params, "metric", kid, diag))
			good = false;
	return good;
}

static int regex_check(const struct node *map, struct diag *diag)
{
	const struct node *text = node_find(map, "pattern");
	bool has[GROUP_COUNT] = {false}, good = check_maps(map, diag);
	struct pattern *p = pattern_new_named(text->text, NULL);

	if (!p)
		return diag_add(diag, text->at, "'pattern' cannot be counted");
	good = check_groups(p, text->at, has, diag) && check_needs(has, map, text->at, diag) &&
	       good;
	pattern_free(p);
	return good ? 0 : -1;
}

const struct parser regex_parser = {
	.d = {.name = "regex",
		.brief = "a pattern of your own, line by line",
		.params = params,
		.size = sizeof(struct regex_set),
		.proven = "golden cases"},
	.parse = regex_parse,
	.parse_set = regex_parse_set,
	.check = regex_check,
	.own_names = true,
};
