/* SPDX-License-Identifier: MIT */
/*
 * What CI systems and result databases take. KCIDB: every golden report against the fields of its
 * I/O schema v5 as we use them (types, patterns, no null, nothing that it does not know). The
 * snippets of the page: YAML that parses and has what its system needs, Groovy whose brackets and
 * quotes are closed, and commands whose options hilab has.
 */
#include "base/fs.h"
#include "base/t/tap.h"
#include "io/json.h"
#include "io/yaml.h"
#include "reports/format/format.h"

#include <ctype.h>
#include <dirent.h>
#include <stdlib.h>

/* ---- KCIDB ---- */

struct field {
	const char *name;
	char type; /* s text, n number, o object, b whatever */
	bool required;
	bool (*good)(const char *text);
};

static bool is_origin(const char *s)
{
	return *s && !s[strspn(s, "abcdefghijklmnopqrstuvwxyz0123456789_")];
}

static bool is_id(const char *s)
{
	const char *colon = strchr(s, ':');
	char origin[64];

	snprintf(origin, sizeof origin, "%.*s", colon ? (int)(colon - s) : 0, s);
	return colon && is_origin(origin);
}

static bool is_path(const char *s)
{
	const char *p = s;

	for (; *p; p++)
		if (*p == '.' ? p == s || !p[1] || p[1] == '.'
			      : !isalnum((unsigned char)*p) && *p != '_' && *p != '-')
			return false;
	return true;
}

static bool is_time(const char *s)
{
	int y, m, d, h, min;
	double sec;
	char zone;

	return sscanf(s, "%4d-%2d-%2dT%2d:%2d:%lf%c", &y, &m, &d, &h, &min, &sec, &zone) == 7 &&
	       zone == 'Z';
}

static bool is_status(const char *s)
{
	static const char *const known[] = {"FAIL", "ERROR", "MISS", "PASS", "DONE", "SKIP"};

	for (size_t i = 0; i < ARRAY_LEN(known); i++)
		if (!strcmp(s, known[i]))
			return true;
	return false;
}

static bool is_excerpt(const char *s)
{
	return strlen(s) <= 16384;
}

static const struct field checkout_fields[] = {
	{"id", 's', true, is_id}, {"origin", 's', true, is_origin}, {0}};
static const struct field build_fields[] = {{"id", 's', true, is_id},
	{"checkout_id", 's', true, is_id}, {"origin", 's', true, is_origin}, {0}};
static const struct field test_fields[] = {{"id", 's', true, is_id}, {"build_id", 's', true, is_id},
	{"origin", 's', true, is_origin}, {"path", 's', false, is_path},
	{"status", 's', false, is_status}, {"start_time", 's', false, is_time},
	{"comment", 's', false, NULL}, {"log_excerpt", 's', false, is_excerpt},
	{"environment", 'o', false, NULL}, {"number", 'o', false, NULL}, {"misc", 'o', false, NULL},
	{0}};
static const struct field number_fields[] = {
	{"value", 'n', true, NULL}, {"unit", 's', false, NULL}, {0}};
static const struct field environment_fields[] = {
	{"comment", 's', false, NULL}, {"misc", 'o', false, NULL}, {0}};

static bool is_type(const json_t *j, char type)
{
	return type == 's'   ? json_is_string(j)
	       : type == 'n' ? json_is_number(j)
			     : json_is_object(j);
}

/* What is wrong with an object; NULL: nothing. */
static const char *wrong(json_t *j, const struct field *fields)
{
	const char *name;
	json_t *value;

	for (const struct field *f = fields; f->name; f++)
		if (f->required && !json_object_get(j, f->name))
			return f->name;
	json_object_foreach (j, name, value) {
		const struct field *f = fields;

		while (f->name && strcmp(f->name, name) != 0)
			f++;
		if (!f->name || !is_type(value, f->type) ||
			(f->good && !f->good(json_string_value(value))))
			return name;
	}
	return NULL;
}

static void check_list(const char *of, json_t *list, const struct field *fields)
{
	AUTOJSON *ids = json_object();
	size_t i;
	json_t *each;

	json_array_foreach (list, i, each) {
		const char *what = wrong(each, fields), *id = json_text(each, "id", "");
		json_t *number = json_object_get(each, "number");
		json_t *env = json_object_get(each, "environment");

		if (!what && number)
			what = wrong(number, number_fields);
		if (!what && env)
			what = wrong(env, environment_fields);
		if (!what && json_object_get(ids, id))
			what = "an id that is there";
		json_object_set_new(ids, id, json_true());
		if (what)
			break;
	}
	is_int((long long)i, (long long)json_array_size(list), "%s: all of %zu are valid", of,
		json_array_size(list));
}

static void check_kcidb(const char *dir)
{
	AUTOFREE char *path = mem_printf("%s/report.kcidb.json", dir);
	struct err e = {0};
	AUTOJSON *j = json_read(path, &e);
	json_t *version = json_object_get(j, "version");

	ok(j, "%s: is JSON %s", path, e.msg);
	is_int(json_int(version, "major", 0), 5, "of major version 5");
	is_int((long long)json_object_size(j), 4, "nothing but version, checkouts, builds, tests");
	check_list("checkouts", json_object_get(j, "checkouts"), checkout_fields);
	check_list("builds", json_object_get(j, "builds"), build_fields);
	check_list("tests", json_object_get(j, "tests"), test_fields);
}

static void check_squad(const char *dir)
{
	static const char *const files[] = {"tests", "metrics", "metadata"};

	for (size_t i = 0; i < ARRAY_LEN(files); i++) {
		AUTOFREE char *path = mem_printf("%s/report.%s.json", dir, files[i]);
		struct err e = {0};
		AUTOJSON *j = json_read(path, &e);
		const char *name;
		json_t *value;
		bool good = json_is_object(j);

		json_object_foreach (j, name, value)
			good &= i == 1 ? json_is_array(value) && json_array_size(value) > 0
				       : json_is_string(value);
		ok(good, "%s: an object of %s", path, i == 1 ? "lists of numbers" : "texts");
	}
}

static void test_goldens(void)
{
	AUTOFREE char *data = fs_data_path("reports/format/t/data");
	struct dirent **list;
	int n = scandir(data, &list, NULL, alphasort);

	ok(n > 2, "there are goldens");
	for (int i = 0; i < n; i++) {
		AUTOFREE char *dir = fs_join(data, list[i]->d_name);

		if (list[i]->d_name[0] != '.') {
			check_kcidb(dir);
			check_squad(dir);
		}
		free(list[i]);
	}
	free(list);
}

/* ---- the page ---- */

/* The nth block of that language, a copy; NULL: there is none. */
static char *block(const char *page, const char *language, int nth)
{
	AUTOFREE char *fence = mem_printf("```%s\n", language);

	for (const char *at = strstr(page, fence); at; at = strstr(at + 1, fence))
		if (!nth--) {
			const char *from = at + strlen(fence), *to = strstr(from, "\n```");

			return to ? mem_printf("%.*s\n", (int)(to - from), from) : NULL;
		}
	return NULL;
}

static struct node *parse(struct arena *a, const char *text)
{
	struct diag diag = {0};
	AUTOBUF why = BUF_INIT(1 << 16);
	struct node *n = yaml_parse(a, "snippet", str_of(text), &diag);

	diag_print(&diag, &why);
	ok(n, "parses %s", buf_str(&why));
	diag_done(&diag);
	return n;
}

static void test_yaml(const char *page)
{
	AUTOFREE char *gitlab = block(page, "yaml", 0), *github = block(page, "yaml", 1);
	AUTOFREE char *third = block(page, "yaml", 2);
	struct arena a = {0};
	const struct node *job, *steps;
	bool good = true;

	ok(gitlab && github && !third, "two snippets of YAML");
	job = node_find(parse(&a, gitlab), "board-test");
	ok(node_find(job, "script") && node_find(job, "script")->type == NODE_LIST,
		"GitLab: a job with a script");
	is_str(node_text(node_find(node_find(job, "artifacts"), "reports"), "junit"),
		"out/report*.xml", "GitLab: its JUnit");
	job = parse(&a, github);
	ok(node_find(job, "on") && node_find(job, "name"), "GitHub: a workflow");
	job = node_find(node_find(job, "jobs"), "board-test");
	ok(node_find(job, "runs-on"), "GitHub: a job that says where");
	steps = node_find(job, "steps");
	node_each (steps, step)
		good &= !node_find(step, "uses") != !node_find(step, "run");
	ok(steps && steps->n > 3 && good, "GitHub: steps that each use or run");
	arena_done(&a);
}

/* Brackets close in the order in which they opened, outside of quotes and comments. */
static bool is_balanced(const char *text)
{
	char open[64];
	size_t n = 0;

	for (const char *p = text; *p; p++) {
		const char *pair = strchr("{}()[]", *p);

		if (*p == '/' && p[1] == '/') {
			p = strchr(p, '\n');
			if (!p)
				return false;
		} else if (*p == '\'' || *p == '"') {
			p = strchr(p + 1, *p);
			if (!p)
				return false;
		} else if (pair && strchr("{([", *p)) {
			if (n == sizeof open)
				return false;
			open[n++] = pair[1];
		} else if (pair) {
			if (!n || open[--n] != *p)
				return false;
		}
	}
	return !n;
}

static void test_groovy(const char *page)
{
	AUTOFREE char *text = block(page, "groovy", 0);

	ok(text && is_balanced(text), "Jenkins: brackets and quotes are closed");
	ok(text && strstr(text, "pipeline {") && strstr(text, "stages {") && strstr(text, "post {"),
		"Jenkins: a declarative pipeline");
	ok(!is_balanced("a { ( } )") && !is_balanced("'a") && is_balanced("// }\n{'{'}"),
		"(and what is not closed is seen)");
}

/* Every format of the page is one; every one is on the page. */
static void test_formats(const char *page)
{
	for (const struct driver *const *d = report_formats(); *d; d++) {
		bool markdown = !strcmp((*d)->name, "markdown"), text = !strcmp((*d)->name, "text");
		AUTOFREE char *name =
			mem_printf("`%s`", markdown                            ? "md"
					   : !strncmp((*d)->name, "squad-", 6) ? "squad"
									       : (*d)->name);

		if (!text)
			has_str(page, name, "the page has %s", name);
	}
}

int main(void)
{
	AUTOFREE char *path = fs_data_path("reports/doc/ci.md");
	AUTOBUF page = BUF_INIT(1 << 20);
	struct err e = {0};

	test_goldens();
	ok(!fs_read(path, &page, &e), "the page is there %s", e.msg);
	test_yaml(buf_str(&page));
	test_groovy(buf_str(&page));
	test_formats(buf_str(&page));
	return tap_done();
}
