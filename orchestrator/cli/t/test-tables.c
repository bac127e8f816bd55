/* SPDX-License-Identifier: MIT */
/*
 * Walks every table that users extend: bench drivers, parsers, commands. A missing name, help
 * text or page, an unsorted table, an offset outside its struct or a page that does not name a
 * setting fails with the family and the row.
 */
#include "base/fs.h"
#include "base/t/tap.h"
#include "cli/commands.h"
#include "cli/families.h"

#include <stdlib.h>

static size_t row_bytes(const struct param *row)
{
	switch (row->type) {
	case PARAM_INT:
	case PARAM_DURATION:
	case PARAM_SIZE:
		return sizeof(int64_t);
	case PARAM_NUMBER:
		return sizeof(double);
	case PARAM_BOOL:
		return sizeof(bool);
	case PARAM_CHOICE:
		return sizeof(int);
	case PARAM_STRINGS:
		return sizeof(struct param_strings);
	case PARAM_SECTION:
		return 1;
	default:
		return sizeof(void *);
	}
}

static void check_row(
	const char *where, const struct driver *d, const struct param *row, const char *page)
{
	bool fits = row->offset + row_bytes(row) <= d->size;

	ok(fits, "%s/%s: '%s' lies within its struct", where, d->name, row->name);
	ok(row->help && *row->help, "%s/%s: '%s' has help", where, d->name, row->name);
	ok(page && strstr(page, row->name), "%s/%s: the page names '%s'", where, d->name,
		row->name);
	if (row->type == PARAM_CHOICE)
		ok(row->choices && row->choices[0], "%s/%s: '%s' has choices", where, d->name,
			row->name);
}

static void check_driver(const struct family *f, const struct driver *d)
{
	AUTOFREE char *relative = mem_printf("%s/doc/%s.md", f->folder, d->name);
	AUTOFREE char *path = fs_data_path(relative);
	AUTOBUF page = BUF_INIT(BUF_CAP_BYTES);
	struct err e = {0};

	ok(d->name && *d->name && d->brief && *d->brief, "%s/%s: has a name and a brief", f->name,
		d->name);
	ok(d->proven && *d->proven, "%s/%s: says how it was proven", f->name, d->name);
	ok(!fs_read(path, &page, &e), "%s/%s: has a page %s", f->name, d->name, relative);
	for (const struct param *row = d->params; row && row->name; row++)
		check_row(f->name, d, row, buf_str(&page));
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
	for (const struct family *f = families; f->name; f++) {
		const struct driver *const *table = f->drivers(), *before = NULL;

		ok(table && table[0], "%s: has drivers", f->name);
		for (; *table; before = *table++) {
			if (before)
				ok(strcmp(before->name, (*table)->name) < 0,
					"%s: '%s' stands in order", f->name, (*table)->name);
			check_driver(f, *table);
		}
	}
	for (const struct cli_command *const *c = cli_commands; *c; c++)
		check_cli_command(*c);
	return tap_done();
}
