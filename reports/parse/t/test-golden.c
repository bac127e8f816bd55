/* SPDX-License-Identifier: MIT */
/*
 * Every case (.in) of t/data/PARSER against its .want: which tool and version prints so ("# ..."),
 * then what the parser emitted, one line each with the line of the case that it is about (@N) where
 * the parser told it, and how it ended. A parser that needs settings has them in .set,
 * one that may have some may, too.
 * HILAB_BLESS=1 rewrites the .want files. Each case is then given to every other parser too, which
 * may find what it likes within its contract.
 */
#include "base/fs.h"
#include "base/t/tap.h"
#include "contract.h"
#include "io/yaml.h"
#include "told.h"

#include <dirent.h>

#define CASES_MIN 4 /* three shapes that are real and a damaged one */

/* How many bytes of a .want name the tool. */
static size_t heading(struct str want)
{
	struct str rest = want, line;

	while (str_starts(rest, "# "))
		str_line(&rest, &line);
	return want.n - rest.n;
}

static void run_case(const struct parser *p, const char *in_path, const char *name)
{
	AUTOBUF text = BUF_INIT(BUF_CAP_BYTES);
	AUTOBUF got = BUF_INIT(BUF_CAP_BYTES);
	AUTOBUF want = BUF_INIT(BUF_CAP_BYTES);
	AUTOBUF blessed = BUF_INIT(BUF_CAP_BYTES);
	struct told t = {.out = &got};
	struct sink sink = told_sink(&t);
	AUTOFREE char *want_path = mem_printf("%.*s.want", (int)strlen(in_path) - 3, in_path);
	AUTOFREE char *set_path = mem_printf("%.*s.set", (int)strlen(in_path) - 3, in_path);
	const struct node *settings = NULL;
	struct arena a = {0};
	struct diag diag = {0};
	struct err e = {0};

	if (!ok(!fs_read(in_path, &text, &e), "%s: case is read", name))
		return;
	t.text = str_make(buf_str(&text), text.len);
	if (p->parse_set && (p->check || fs_exists(set_path))) {
		settings = yaml_load(&a, set_path, &diag);
		ok(settings && !parser_check(p, settings, settings->at, &diag),
			"%s %s: its settings are right", p->d.name, name);
	}
	if (parser_run(p, settings, t.text, &sink, &e))
		buf_printf(&got, "error %s: %s\n", err_blame_name(e.blame), e.msg);
	if (getenv("HILAB_BLESS")) {
		if (!fs_read(want_path, &want, NULL))
			buf_add(&blessed, buf_str(&want),
				heading(str_make(buf_str(&want), want.len)));
		buf_add(&blessed, buf_str(&got), got.len);
		ok(!fs_write(want_path, buf_str(&blessed), blessed.len, 0644, &e), "%s: blessed",
			name);
		buf_reset(&want);
	}
	if (ok(!fs_read(want_path, &want, &e), "%s: has its .want", name)) {
		size_t named = heading(str_make(buf_str(&want), want.len));

		ok(named > 0, "%s %s: its .want begins with the tool: \"# fio-3.33, json\"",
			p->d.name, name);
		is_str(buf_str(&got), buf_str(&want) + named, "%s %s", p->d.name, name);
	}
	for (const struct driver *const *d = parse_drivers(); *d; d++)
		contract_run((const struct parser *)*d, t.text);
	diag_done(&diag);
	arena_done(&a);
}

static int is_case(const struct dirent *d)
{
	return str_ends(str_of(d->d_name), ".in");
}

static void run_parser(const struct parser *p)
{
	const char *data = getenv("HILAB_DATA");
	AUTOFREE char *dir = mem_printf("%s/reports/parse/t/data/%s", data ? data : ".", p->d.name);
	struct dirent **list = NULL;
	int n = scandir(dir, &list, is_case, alphasort);

	ok(n >= CASES_MIN, "%s: has at least %d cases", p->d.name, CASES_MIN);
	for (int i = 0; i < n; i++) {
		AUTOFREE char *path = fs_join(dir, list[i]->d_name);

		run_case(p, path, list[i]->d_name);
		free(list[i]);
	}
	free(list);
}

int main(void)
{
	for (const struct driver *const *d = parse_drivers(); *d; d++)
		run_parser((const struct parser *)*d);
	return tap_done();
}
