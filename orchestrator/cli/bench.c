/* SPDX-License-Identifier: MIT */
/* `hilab bench`: the bench drivers, their models and settings, from the rows that parse them. */
#include "agents/boot/boot.h"
#include "agents/bootmode/bootmode.h"
#include "agents/console/console.h"
#include "agents/deploy/deploy.h"
#include "agents/measure/instrument.h"
#include "agents/measure/measure.h"
#include "agents/power/power.h"
#include "cli/commands.h"
#include "cli/families.h"
#include "io/json.h"
#include "reports/parse/parse.h"

#include <string.h>

const struct family families[] = {
	{"power", "switching a board's power", power_drivers, "agents/power"},
	{"console", "byte streams to a board", console_drivers, "agents/console"},
	{"deploy", "putting images where a board loads them", deploy_drivers, "agents/deploy"},
	{"boot", "from power on to the kernel's first line", boot_drivers, "agents/boot"},
	{"bootmode", "where a board boots from at the next power-on", bootmode_drivers,
		"agents/bootmode"},
	{"measure", "what measures a board from the lab host", measure_drivers, "agents/measure"},
	{"instrument", "what reads a board's power rails", instrument_drivers, "agents/measure"},
	{"parse", "tool output to results and figures", parse_drivers, "reports/parse"},
	{0},
};

struct args {
	bool json;
};

static const struct cli_opt opts[] = {
	{"json", 0, CLI_FLAG, offsetof(struct args, json), NULL, "as a JSON array"},
	{0},
};

static json_t *driver_json(const struct family *f, const struct driver *d)
{
	return json_pack("{s:s, s:s, s:s, s:s?, s:o}", "family", f->name, "name", d->name, "brief",
		d->brief, "proven", d->proven, "settings",
		d->params ? schema_json(d->params) : json_array());
}

static void print_one(const struct family *f, const struct driver *d, struct buf *out)
{
	buf_printf(out, "%s/%s: %s\n", f->name, d->name, d->brief);
	if (d->proven)
		buf_printf(out, "proven against: %s\n", d->proven);
	if (d->params) {
		buf_puts(out, "\nsettings:\n");
		schema_help(d->params, "  ", out);
	} else {
		buf_puts(out, "no settings\n");
	}
	buf_printf(out, "\npage: %s/doc/%s.md\n", f->folder, d->name);
}

/* want: "", "power" or "power/serial-relay". Returns how many matched. */
static size_t each_match(const char *want, bool json, json_t *list, struct buf *out)
{
	const char *slash = strchr(want, '/');
	size_t n = 0, family_n = slash ? (size_t)(slash - want) : strlen(want);

	for (const struct family *f = families; f->name; f++) {
		if (*want && (strlen(f->name) != family_n || strncmp(f->name, want, family_n)))
			continue;
		if (!slash && !json)
			buf_printf(out, "%s%s: %s\n", n ? "\n" : "", f->name, f->brief);
		for (const struct driver *const *d = f->drivers(); *d; d++) {
			if (slash && strcmp((*d)->name, slash + 1))
				continue;
			n++;
			if (json)
				json_array_append_new(list, driver_json(f, *d));
			else if (slash)
				print_one(f, *d, out);
			else
				buf_printf(out, "  %-14s %s\n", (*d)->name, (*d)->brief);
		}
	}
	return n;
}

static int run(int argc, char **argv)
{
	struct args a = {0};
	AUTOJSON *list = json_array();
	AUTOBUF out = BUF_INIT(BUF_CAP_BYTES);
	struct err e = {0};
	char **operands;
	int status, n = cli_parse(&bench_command, argc, argv, &a, &operands, &status);

	if (n < 0)
		return status;
	if (!each_match(n ? operands[0] : "", a.json, list, &out))
		return cli_fail(EXIT_USAGE, "bench: no family or driver '%s' (see 'hilab bench')",
			operands[0]);
	if (a.json && json_write(list, JSON_INDENT(2), &out, &e))
		return cli_fail(EXIT_INCOMPLETE, "bench: %s", e.msg);
	if (a.json)
		buf_putc(&out, '\n');
	return cli_out(&out) ? EXIT_INCOMPLETE : EXIT_PASS;
}

const struct cli_command bench_command = {
	.name = "bench",
	.brief = "list bench drivers, or print one driver's settings",
	.usage = "[FAMILY[/NAME]]",
	.example = "  hilab bench power/serial-relay",
	.opts = opts,
	.max_operands = 1,
	.run = run,
};
