/* SPDX-License-Identifier: MIT */
/* `hilab boards`: the boards of a lab file. */
#include "cli/commands.h"
#include "cli/labfile.h"
#include "io/json.h"

#include <string.h>

struct args {
	const char *lab;
	bool json;
};

static const struct cli_opt opts[] = {
	{"lab", 'l', CLI_TEXT, offsetof(struct args, lab), "FILE",
		"lab file (else the user's or the system's)"},
	{"json", 0, CLI_FLAG, offsetof(struct args, json), NULL, "as a JSON array"},
	{0},
};

static void add_strings(json_t *into, const struct param_strings *s)
{
	for (size_t i = 0; i < s->n; i++)
		json_array_append_new(into, json_string(s->p[i]));
}

static json_t *board_json(const struct lab *lab, const struct board *b)
{
	json_t *peripherals = json_array(), *tags = json_array();

	add_strings(peripherals, &b->type->peripherals);
	add_strings(peripherals, &b->peripherals);
	add_strings(tags, &b->type->tags);
	add_strings(tags, &b->tags);
	return json_pack("{s:s, s:s, s:s, s:s, s:b, s:s?, s:o, s:o}", "name", b->name, "lab",
		lab->name, "type", b->type_name, "soc", b->type->soc, "twin", b->type->twin,
		"revision", b->revision, "peripherals", peripherals, "tags", tags);
}

static void print_boards(const struct lab *lab, struct buf *out)
{
	int name_w = 5, type_w = 4;

	for (size_t i = 0; i < lab->n; i++) {
		if ((int)strlen(lab->boards[i].name) > name_w)
			name_w = (int)strlen(lab->boards[i].name);
		if ((int)strlen(lab->boards[i].type_name) > type_w)
			type_w = (int)strlen(lab->boards[i].type_name);
	}
	buf_printf(out, "%-*s  %-*s  %-10s %-8s %s\n", name_w, "BOARD", type_w, "TYPE", "SOC",
		"KIND", "PERIPHERALS");
	for (size_t i = 0; i < lab->n; i++) {
		const struct board *b = &lab->boards[i];

		buf_printf(out, "%-*s  %-*s  %-10s %-8s", name_w, b->name, type_w, b->type_name,
			b->type->soc, b->type->twin ? "twin" : "real");
		for (size_t k = 0; k < b->type->peripherals.n; k++)
			if (board_has(b, b->type->peripherals.p[k]))
				buf_printf(out, " %s", b->type->peripherals.p[k]);
		for (size_t k = 0; k < b->peripherals.n; k++)
			if (b->peripherals.p[k][0] != '-')
				buf_printf(out, " %s", b->peripherals.p[k]);
		buf_putc(out, '\n');
	}
}

static int run(int argc, char **argv)
{
	struct args a = {0};
	AUTOBUF out = BUF_INIT(BUF_CAP_BYTES);
	AUTOJSON *list = json_array();
	struct labfile l;
	struct err e = {0};
	char **operands;
	int status;

	if (cli_parse(&boards_command, argc, argv, &a, &operands, &status) < 0)
		return status;
	if (labfile_load(&l, a.lab))
		return EXIT_USAGE;
	for (size_t i = 0; a.json && i < l.lab.n; i++)
		json_array_append_new(list, board_json(&l.lab, &l.lab.boards[i]));
	if (!a.json)
		print_boards(&l.lab, &out);
	else if (json_write(list, JSON_INDENT(2), &out, &e))
		status = cli_fail(EXIT_INCOMPLETE, "boards: %s", e.msg);
	else
		buf_putc(&out, '\n');
	if (!status && cli_out(&out))
		status = EXIT_INCOMPLETE;
	labfile_done(&l);
	return status;
}

const struct cli_command boards_command = {
	.name = "boards",
	.brief = "list the boards of a lab file",
	.usage = "",
	.example = "  hilab boards --lab desk.yaml --json",
	.opts = opts,
	.run = run,
};
