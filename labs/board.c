/* SPDX-License-Identifier: MIT */
/* board.json. Invariant: nothing that a worker needs is looked up again: types and lab files may
 * change while it runs. */
#include "labs/lab.h"

static void add_text(json_t *j, const char *key, const char *text)
{
	json_object_set_new(j, key, text ? json_string(text) : json_null());
}

static void add_node(json_t *j, const char *key, const struct node *n)
{
	json_object_set_new(j, key, n ? node_to_json(n) : json_null());
}

json_t *board_to_json(const struct lab *lab, const struct board *b)
{
	const struct type *type = b->type;
	json_t *j = json_object();

	add_text(j, "name", b->name);
	add_text(j, "type", b->type_name);
	add_text(j, "soc", type ? type->soc : NULL);
	json_object_set_new(j, "twin", json_boolean(type && type->twin));
	add_text(j, "arch", type ? type->arch : NULL);
	add_text(j, "lab", lab->name);
	add_text(j, "revision", b->revision);
	add_node(j, "power", b->power);
	add_node(j, "consoles", b->consoles);
	add_node(j, "deploy", b->deploy);
	add_node(j, "network", b->network);
	add_node(j, "boot", b->boot);
	add_node(j, "login", b->login);
	add_node(j, "bootmode", b->bootmode);
	add_node(j, "stages", type ? type->stages : NULL);
	add_node(j, "vars", b->vars);
	return j;
}
