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

static const char *device_of(const struct board *b)
{
	const char *device = node_text(b->power, "device");

	return device ? device : node_text(b->power, "port");
}

const char *board_stagger(const struct lab *lab, const struct board *b, int64_t *ms)
{
	const char *device = device_of(b), *text = node_text(b->power, "stagger");

	if (!text)
		for (const struct param *row = board_power_params; row->name; row++)
			if (!strcmp(row->name, "stagger") && !(b->type && b->type->twin))
				text = row->preset;
	if (!device || !text || str_duration_ms(str_of(text), ms) || !*ms)
		return NULL;
	for (size_t i = 0; i < lab->n; i++) {
		const char *other = device_of(&lab->boards[i]);

		if (&lab->boards[i] != b && other && !strcmp(other, device))
			return device;
	}
	return NULL;
}

json_t *board_to_json(const struct lab *lab, const struct board *b)
{
	const struct type *type = b->type;
	json_t *j = json_object();
	int64_t stagger_ms = 0;
	const char *device = board_stagger(lab, b, &stagger_ms);

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
	add_node(j, "instruments", b->instruments);
	add_node(j, "stages", type ? type->stages : NULL);
	add_node(j, "loader-features", type ? type->loader_features : NULL);
	add_node(j, "crash", type ? type->crash : NULL);
	add_node(j, "vars", b->vars);
	if (device)
		json_object_set_new(j, "stagger",
			json_pack("{s:s, s:I}", "device", device, "ms", (json_int_t)stagger_ms));
	return j;
}
