/* SPDX-License-Identifier: MIT */
/* Nightly plans: what comes of right ones (jobs/t/nightly/good), what is said of wrong ones
 * (jobs/t/nightly/bad), the page, and the bound. */
#include "jobs/nightly.h"
#include "jobs/t/tables.h"

#include "base/t/golden.h"
#include "io/t/page.h"
#include "io/yaml.h"

#include <unistd.h>

static struct types types;

static void put(struct buf *out, const char *key, const char *value)
{
	if (value)
		buf_printf(out, " %s=%s", key, value);
}

static void expansion(const struct nightly *n, struct buf *out)
{
	buf_printf(out, "%s, %s, %s, deadline %lld ms, priority %lld\n", n->name,
		n->description ? n->description : "no description",
		n->schedule ? n->schedule : "no schedule", (long long)n->deadline_ms,
		(long long)n->priority);
	for (size_t i = 0; i < n->n; i++) {
		const struct nightly_entry *e = &n->entries[i];

		buf_printf(out, "%u: %s (%s)", e->at.line, e->job, e->file);
		put(out, "type", e->match.type);
		put(out, "board", e->match.board);
		put(out, "soc", e->match.soc);
		for (size_t k = 0; k < e->match.tags.n; k++)
			put(out, "tag", e->match.tags.p[k]);
		put(out, "build", e->build);
		for (size_t k = 0; k < e->n_params; k++)
			buf_printf(out, " %s:%s", e->params[k].name, e->params[k].value);
		buf_putc(out, '\n');
	}
}

static void good(const char *name, struct str text, struct buf *out)
{
	struct arena a = {0};
	struct diag diag = {0};
	struct nightly n = {0};
	const struct node *doc = yaml_parse(&a, name, text, &diag);
	bool taken = doc && !nightly_read(&n, doc, &types, &tables, &diag);

	arena_done(&a); /* a nightly does not need its document */
	ok(taken, "%s is right", name);
	diag_print(&diag, out);
	if (taken)
		expansion(&n, out);
	nightly_done(&n);
	diag_done(&diag);
}

static void bad(const char *name, struct str text, struct buf *out)
{
	struct arena a = {0};
	struct diag diag = {0};
	struct nightly n = {.n = 7};
	const struct node *doc = yaml_parse(&a, name, text, &diag);

	if (doc)
		is_int(nightly_read(&n, doc, &types, &tables, &diag), -1, "%s is refused", name);
	is_int((long)n.n, 7, "%s: nothing is handed out", name);
	ok(diag.total > 0, "%s: and it is said why", name);
	diag_print(&diag, out);
	diag_done(&diag);
	arena_done(&a);
}

/* 101 jobs on 100 boards are one hundred too many. */
static void bound(void)
{
	struct arena a = {0};
	struct diag diag = {0};
	struct nightly n;
	const struct node *doc;
	AUTOBUF text = BUF_INIT(BUF_CAP_BYTES);

	buf_puts(&text, "nightly: x\njobs:\n");
	for (int i = 0; i < 101; i++)
		buf_puts(&text, "- ../jobs/pins.yaml\n");
	buf_puts(&text, "boards:\n");
	for (int i = 0; i < 100; i++)
		buf_printf(&text, "- b%d\n", i);
	doc = yaml_parse(&a, "x.yaml", str_make(buf_str(&text), text.len), &diag);
	is_int(nightly_read(&n, doc, &types, &tables, &diag), -1, "too many jobs");
	is_int((long)diag.total, 1, "are told once");
	is_int(diag.entries.p[0].at.line, 103, "where it becomes too much");
	ok(strstr(diag.entries.p[0].text, "10000") != NULL, "with the bound: %s",
		diag.entries.p[0].text);
	diag_done(&diag);
	arena_done(&a);
}

static void file(void)
{
	struct diag diag = {0};
	struct nightly n = {0};

	ok(!nightly_load(&n, "matrix.yaml", &types, &tables, &diag), "a file");
	ok(n.n > 0 && !strcmp(n.entries[0].at.file, "matrix.yaml"), "which its entries name");
	nightly_done(&n);
	is_int(nightly_load(&n, "../jobs/smoke.yaml", &types, &tables, &diag), -1, "a job is none");
	ok(diag.total == 1 && strstr(diag.entries.p[0].text, "not a nightly"), "and it is said");
	ok(!nightly_load(&n, "minimal.yaml", NULL, NULL, &diag), "without types and tables");
	nightly_done(&n);
	diag_done(&diag);
}

static void rows(void)
{
	static const char page[] = "jobs/doc/hilab-nightly.5";

	page_has_rows(page, nightly_params, "a nightly");
	page_has_rows(page, nightly_job_params, "an entry of 'jobs'");
	page_has_rows(page, nightly_exclude_params, "an entry of 'exclude'");
	page_has_rows(page, nightly_include_params, "an entry of 'include'");
	page_has_rows(page, nightly_confirm_params, "confirm");
}

int main(void)
{
	AUTOFREE char *types_dir = fs_data_path("jobs/t/nightly/types");
	AUTOFREE char *good_dir = fs_data_path("jobs/t/nightly/good");
	const char *const dirs[] = {types_dir, NULL};
	struct diag diag = {0};

	setenv("XDG_CONFIG_HOME", "/nonexistent", 1);
	ok(!types_load(&types, dirs, &diag), "the types load");
	rows();
	/* Diagnostics and expansions name files as they are seen from the plan's folder. */
	ok(!chdir(good_dir), "into the folder of the cases");
	ok(golden_walk("jobs/t/nightly/good", good) >= 4, "all right cases are there");
	ok(golden_walk("jobs/t/nightly/bad", bad) >= 8, "all wrong cases are there");
	bound();
	file();
	types_done(&types);
	diag_done(&diag);
	return tap_done();
}
