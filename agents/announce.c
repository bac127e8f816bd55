/* SPDX-License-Identifier: MIT */
/*
 * What the agent says of its lab. Invariant: names, types and properties only; how a board is wired
 * (addresses, ports, passwords, programs) does not leave this host.
 */
#include "agents/agent-inner.h"

#include "agents/worker/inbox.h"

/* The type's words and the board's, without those that the board takes away. */
static json_t *words(const struct param_strings *type, const struct param_strings *own)
{
	json_t *list = json_array();
	const struct param_strings *both[] = {type, own};

	for (size_t k = 0; k < ARRAY_LEN(both); k++)
		for (size_t i = 0; both[k] && i < both[k]->n; i++) {
			const char *word = both[k]->p[i];
			bool away = *word == '-';

			for (size_t m = 0; m < own->n && !away; m++)
				away = own->p[m][0] == '-' && !strcmp(own->p[m] + 1, word);
			for (size_t m = 0; m < json_array_size(list) && !away; m++)
				away = !strcmp(json_string_value(json_array_get(list, m)), word);
			if (!away)
				json_array_append_new(list, json_string(word));
		}
	return list;
}

static json_t *board_json(const struct board *b)
{
	const struct type *t = b->type;
	json_t *consoles = json_array();

	node_each (b->consoles, kid)
		json_array_append_new(consoles, json_string(kid->key));
	return json_pack("{s:s, s:s, s:s*, s:s*, s:b, s:o, s:o, s:s*, s:o}", "name", b->name,
		"type", b->type_name, "soc", t ? t->soc : NULL, "arch", t ? t->arch : NULL, "twin",
		t && t->twin, "peripherals", words(t ? &t->peripherals : NULL, &b->peripherals),
		"tags", words(t ? &t->tags : NULL, &b->tags), "revision", b->revision, "consoles",
		consoles);
}

json_t *agent_announce(const struct agent *a)
{
	json_t *boards = json_array(), *runs = json_array();

	for (size_t i = 0; i < a->lab.n; i++)
		json_array_append_new(boards, board_json(&a->lab.boards[i]));
	map_each (&a->runs, it) {
		const struct agent_run *r = it->value;

		json_array_append_new(runs,
			json_pack("{s:I, s:i, s:s, s:I}", "run", (json_int_t)r->run, "part",
				(int)r->part, "state", r->state >= RUN_ENDED ? "ended" : "running",
				"inbox", (json_int_t)inbox_last(r->dir)));
	}
	return json_pack("{s:s, s:s, s:s, s:i, s:I, s:o, s:o}", "agent", a->name, "lab",
		a->lab.name, "version", HILAB_VERSION, "protocol", AGENT_PROTOCOL, "max_jobs",
		(json_int_t)(a->opts->max_jobs ? a->opts->max_jobs : (int64_t)a->lab.n), "boards",
		boards, "runs", runs);
}
