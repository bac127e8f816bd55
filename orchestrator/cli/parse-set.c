/* SPDX-License-Identifier: MIT */
/* Settings of a parser from the command line. Invariant: what is handed out was checked. */
#include "cli/parse-set.h"

#include "io/yaml.h"

static const struct param *row_of(const struct parser *p, struct str name)
{
	for (const struct param *row = p->d.params; row && row->name; row++)
		if (str_is(name, row->name))
			return row;
	return NULL;
}

/* One KEY=VALUE into map. A mapping is written as in a job, {a: b}. */
static int add(struct arena *a, const struct parser *p, struct node *map, const char *text,
	struct diag *diag)
{
	const struct loc at = {"--set", 0, 0};
	const char *eq = strchr(text, '=');
	const struct param *row;
	struct node *value;

	if (!eq || eq == text)
		return diag_add(diag, at, "it needs KEY=VALUE, not '%s'", text);
	row = row_of(p, str_make(text, (size_t)(eq - text)));
	if (row && row->type == PARAM_MAP)
		value = yaml_parse(a, "--set", str_of(eq + 1), diag);
	else
		value = node_scalar(a, arena_strdup(a, eq + 1), at);
	if (!value)
		return -1;
	value->quoted = true;
	node_map_set(a, map, arena_strndup(a, text, (size_t)(eq - text)), value);
	return 0;
}

int parse_settings(struct arena *a, const struct parser *p, const struct cli_texts *given,
	const struct node **settings, struct diag *diag)
{
	struct node *map = node_new(a, NODE_MAP, (struct loc){"--set", 0, 0});
	int failed = 0;

	for (size_t i = 0; i < given->n; i++)
		failed |= add(a, p, map, given->p[i], diag);
	if (failed || parser_check(p, given->n ? map : NULL, map->at, diag))
		return -1;
	*settings = given->n ? map : NULL;
	return 0;
}
