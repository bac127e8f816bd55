/* SPDX-License-Identifier: MIT */
#ifndef AGENTS_BENCH_T_TABLES_H
#define AGENTS_BENCH_T_TABLES_H

/*
 * Walks a family's table, for tests: `tables_check(&family)`. Each driver has a name, in order, a
 * brief and what it is proven against; each row has help, a place inside the settings struct, a
 * preset that the row itself accepts; each driver has a page that names every row.
 */

#include "base/fs.h"
#include "base/mem.h"
#include "base/t/tap.h"
#include "io/driver.h"

static size_t tables_bytes(const struct param *r)
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

static size_t tables_align(const struct param *r)
{
	size_t n = tables_bytes(r);

	return n > sizeof(void *) ? sizeof(void *) : n ? n : 1;
}

/* A line of help: there, lower or upper start as it likes, no full stop. */
static bool tables_line(const char *s)
{
	return s && *s && s[strlen(s) - 1] != '.' && !strchr(s, '\n');
}

static bool tables_preset(const struct param *rows, const struct param *r)
{
	struct param one[2] = {*r, {0}};
	struct arena a = {0};
	struct node *map = node_new(&a, NODE_MAP, (struct loc){0});
	struct diag diag = {0};
	int rc;

	(void)rows;
	node_map_set(&a, map, r->name, node_scalar(&a, r->preset, (struct loc){0}));
	rc = schema_check(one, "preset", map, &diag);
	diag_done(&diag);
	arena_done(&a);
	return !rc;
}

static void tables_rows(
	const char *who, const struct param *rows, size_t base, size_t size, const char *page)
{
	for (const struct param *r = rows; r && r->name; r++) {
		size_t at = base + r->offset;
		AUTOFREE char *code = mem_printf("`%s`", r->name);

		ok(tables_line(r->help), "%s: '%s' has help", who, r->name);
		ok(at + tables_bytes(r) <= size && at % tables_align(r) == 0,
			"%s: '%s' lies inside the settings", who, r->name);
		ok(!(r->required && r->preset), "%s: '%s' is required or has a preset", who,
			r->name);
		if (r->type == PARAM_CHOICE)
			ok(r->choices && r->choices[0], "%s: '%s' has choices", who, r->name);
		if (r->preset)
			ok(tables_preset(rows, r), "%s: preset of '%s'", who, r->name);
		ok(page && strstr(page, code), "%s: the page has '%s'", who, r->name);
		if (r->type == PARAM_SECTION)
			tables_rows(who, r->rows, at, size, page);
	}
}

static void tables_driver(const struct family *f, const struct driver *d)
{
	AUTOFREE char *who = mem_printf("%s '%s'", f->name, d->name);
	AUTOFREE char *relative = mem_printf("%s/doc/%s.md", f->folder, d->name);
	AUTOFREE char *path = fs_data_path(relative);
	AUTOBUF page = BUF_INIT(1 << 20);
	struct err e = {0};

	ok(tables_line(d->brief), "%s has a brief", who);
	ok(tables_line(d->proven), "%s says what it is proven against", who);
	ok(!d->params || d->size, "%s: size of its settings", who);
	ok(path && !fs_read(path, &page, &e), "%s has a page", who);
	ok(strstr(buf_str(&page), d->name), "%s is named in it", who);
	tables_rows(who, d->params, 0, d->size, buf_str(&page));
}

__attribute__((unused)) static void tables_check(const struct family *f)
{
	const struct driver *const *table = f->drivers();

	ok(tables_line(f->brief), "family '%s' has a brief", f->name);
	ok(table && table[0], "family '%s' has drivers", f->name);
	for (size_t i = 0; table && table[i]; i++) {
		if (!ok(table[i]->name && table[i]->name[0], "%s %zu has a name", f->name, i))
			return;
		if (i)
			ok(strcmp(table[i - 1]->name, table[i]->name) < 0, "%s '%s' is in order",
				f->name, table[i]->name);
		tables_driver(f, table[i]);
	}
}

#endif
