/* SPDX-License-Identifier: MIT */
/*
 * Walks every table that users extend: bench drivers, parsers, commands. Each driver has a name, in
 * order, a brief and what it is proven against; each row has help, a place inside the settings
 * struct, a preset that the row itself accepts; each driver has a page that names every row. What
 * is missing fails with the family and the row.
 */
#include "agents/console/console.h"
#include "agents/measure/instrument.h"
#include "agents/power/power.h"
#include "base/fs.h"
#include "base/mem.h"
#include "base/t/tap.h"
#include "cli/commands.h"
#include "cli/families.h"
#include "cli/report.h"

static size_t row_bytes(const struct param *r)
{
	switch (r->type) {
	case PARAM_CHOICE:
		return sizeof(int);
	case PARAM_INT:
	case PARAM_DURATION:
	case PARAM_SIZE:
		return sizeof(int64_t);
	case PARAM_NUMBER:
		return sizeof(double);
	case PARAM_BOOL:
		return sizeof(bool);
	case PARAM_STRINGS:
		return sizeof(struct param_strings);
	case PARAM_SECTION:
		return 0;
	default:
		return sizeof(void *);
	}
}

static size_t row_align(const struct param *r)
{
	size_t n = row_bytes(r);

	return n > sizeof(void *) ? sizeof(void *) : n ? n : 1;
}

/* A line of help: there, lower or upper start as it likes, no full stop. */
static bool is_line(const char *s)
{
	return s && *s && s[strlen(s) - 1] != '.' && !strchr(s, '\n');
}

static bool takes_preset(const struct param *r)
{
	struct param one[2] = {*r, {0}};
	struct arena a = {0};
	struct node *map = node_new(&a, NODE_MAP, (struct loc){0});
	struct diag diag = {0};
	int rc;

	node_map_set(&a, map, r->name, node_scalar(&a, r->preset, (struct loc){0}));
	rc = schema_check(one, "preset", map, &diag);
	diag_done(&diag);
	arena_done(&a);
	return !rc;
}

static void check_rows(
	const char *who, const struct param *rows, size_t base, size_t size, const char *page)
{
	for (const struct param *r = rows; r && r->name; r++) {
		size_t at = base + r->offset;
		AUTOFREE char *code = mem_printf("`%s`", r->name);

		ok(is_line(r->help), "%s: '%s' has help", who, r->name);
		ok(at + row_bytes(r) <= size && at % row_align(r) == 0,
			"%s: '%s' lies inside the settings", who, r->name);
		ok(!(r->required && r->preset), "%s: '%s' is required or has a preset", who,
			r->name);
		if (r->type == PARAM_CHOICE)
			ok(r->choices && r->choices[0], "%s: '%s' has choices", who, r->name);
		if (r->preset)
			ok(takes_preset(r), "%s: preset of '%s'", who, r->name);
		ok(page && strstr(page, code), "%s: the page has '%s'", who, r->name);
		if (r->type == PARAM_SECTION)
			check_rows(who, r->rows, at, size, page);
	}
}

static void check_driver(const struct family *f, const struct driver *d)
{
	AUTOFREE char *who = mem_printf("%s '%s'", f->name, d->name);
	AUTOFREE char *relative = mem_printf("%s/doc/%s.md", f->folder, d->name);
	AUTOFREE char *path = fs_data_path(relative);
	AUTOBUF page = BUF_INIT(1 << 20);
	struct err e = {0};

	ok(is_line(d->brief), "%s has a brief", who);
	ok(is_line(d->proven), "%s says what it is proven against", who);
	ok(!d->params || d->size, "%s: size of its settings", who);
	ok(path && !fs_read(path, &page, &e), "%s has a page", who);
	ok(strstr(buf_str(&page), d->name), "%s is named in it", who);
	check_rows(who, d->params, 0, d->size, buf_str(&page));
	if (f->drivers == instrument_drivers) {
		const struct instrument_driver *in = (const struct instrument_driver *)d;

		check_rows(who, in->rail, 0, in->rail_size, buf_str(&page));
		check_rows(who, rail_params, 0, sizeof(struct rail_core), buf_str(&page));
		ok(in->open && in->ask, "%s opens and is asked", who);
	}
}

static void check_family(const struct family *f)
{
	const struct driver *const *table = f->drivers();

	ok(is_line(f->brief), "family '%s' has a brief", f->name);
	ok(table && table[0], "family '%s' has drivers", f->name);
	for (size_t i = 0; table && table[i]; i++) {
		if (!ok(table[i]->name && table[i]->name[0], "%s %zu has a name", f->name, i))
			return;
		if (i)
			ok(strcmp(table[i - 1]->name, table[i]->name) < 0, "%s '%s' is in order",
				f->name, table[i]->name);
		check_driver(f, table[i]);
	}
}

static void check_ops(void)
{
	for (const struct driver *const *d = power_drivers(); *d; d++) {
		const struct power_driver *p = (const struct power_driver *)*d;

		ok(p->on && p->off, "power '%s' can switch both ways", p->d.name);
	}
	for (const struct driver *const *d = console_drivers(); *d; d++)
		ok(((const struct console_driver *)*d)->open, "console '%s' opens", (*d)->name);
}

static void check_cli_command(const struct cli_command *c)
{
	ok(c->name && c->brief && c->usage && c->run,
		"command '%s': has a brief, a usage and a function", c->name);
	ok(c->brief[0] >= 'a' && c->brief[strlen(c->brief) - 1] != '.',
		"command '%s': its brief has no capital and no full stop", c->name);
	for (const struct cli_opt *o = c->opts; o && o->name; o++) {
		ok(o->help && *o->help, "command '%s': --%s has help", c->name, o->name);
		ok((o->type == CLI_FLAG) == !o->arg, "command '%s': --%s names its argument",
			c->name, o->name);
	}
}

int main(void)
{
	for (const struct family *f = families; f->name; f++)
		check_family(f);
	check_ops();
	for (const struct cli_command *const *c = cli_commands; *c; c++)
		check_cli_command(*c);
	for (const struct cli_command *const *c = report_verbs; *c; c++)
		check_cli_command(*c);
	return tap_done();
}
