/* SPDX-License-Identifier: MIT */
/*
 * Any YAML against rows of every type: filling and checking say the same, what is filled is in
 * range, and -1 goes with words.
 */
#include "io/schema.h"
#include "io/yaml.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

static const char *const choices[] = {"a", "bb", "ccc", NULL};

struct inner {
	const char *text;
	int64_t number;
};
struct conf {
	const char *s, *f, *p, *w;
	int c;
	int64_t i, d, z;
	double n;
	bool b;
	struct param_strings l, m;
	const struct node *map, *list, *any;
	struct inner inner;
};

static const struct param inner_rows[] = {
	{"text", PARAM_STRING, offsetof(struct inner, text), .required = true},
	{"number", PARAM_INT, offsetof(struct inner, number), .preset = "7"}, {0}};

#define AT(f) offsetof(struct conf, f)
static const struct param rows[] = {{"s", PARAM_STRING, AT(s), .required = true},
	{"f", PARAM_PATH, AT(f), .preset = "x"}, {"p", PARAM_PATTERN, AT(p), .preset = "y"},
	{"w", PARAM_STRING, AT(w), .choices = choices, .preset = "bb"},
	{"c", PARAM_CHOICE, AT(c), .choices = choices, .preset = "ccc"},
	{"i", PARAM_INT, AT(i), .preset = "5", .min = -9, .max = 9},
	{"d", PARAM_DURATION, AT(d), .preset = "1s", .min = 1, .max = 5000},
	{"z", PARAM_SIZE, AT(z), .preset = "1KiB", .min = 1},
	{"n", PARAM_NUMBER, AT(n), .preset = "0.5", .min = 0, .max = 1}, {"b", PARAM_BOOL, AT(b)},
	{"l", PARAM_STRINGS, AT(l)}, {"m", PARAM_STRINGS, AT(m), .choices = choices},
	{"map", PARAM_MAP, AT(map)}, {"list", PARAM_LIST, AT(list)}, {"any", PARAM_ANY, AT(any)},
	{"inner", PARAM_SECTION, AT(inner), .rows = inner_rows}, {0}};

static void must(bool good, const char *what)
{
	if (good)
		return;
	fprintf(stderr, "fuzz-schema: %s\n", what);
	abort();
}

static void check(const struct conf *c)
{
	must(c->s != NULL, "a required text is NULL");
	must(c->f && *c->f && c->p && c->w, "a text with a preset is NULL");
	must(c->c >= 0 && c->c < 3, "no choice");
	must(c->i >= -9 && c->i <= 9, "an integer out of range");
	must(c->d >= 1 && c->d <= 5000, "a duration out of range");
	must(c->z >= 1, "a size out of range");
	must(c->n >= 0 && c->n <= 1, "a number out of range");
	for (size_t i = 0; i < c->l.n; i++)
		must(c->l.p[i] != NULL, "a NULL in a list");
	for (size_t i = 0; i < c->m.n; i++)
		must(c->m.p[i] != NULL, "a NULL in a list of choices");
	must(!c->map || c->map->type == NODE_MAP, "no mapping");
	must(!c->list || c->list->type == NODE_LIST, "no list");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	struct arena a = {0};
	struct diag d = {0};
	AUTOBUF out = BUF_INIT(BUF_CAP_BYTES);
	struct conf c = {0};
	struct node *doc = yaml_parse(&a, "dir/f", str_make((const char *)data, n), NULL);
	int filled, checked;

	if (doc) {
		filled = schema_fill(&a, rows, "thing", doc, &c, &d);
		checked = schema_check(rows, "thing", doc, NULL);
		must(filled == checked, "filling and checking differ");
		must((filled != 0) == (d.total > 0),
			"an error without words, or words without one");
		if (!filled)
			check(&c);
		diag_print(&d, &out);
	}
	diag_done(&d);
	arena_done(&a);
	return 0;
}
