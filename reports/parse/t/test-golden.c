/* SPDX-License-Identifier: MIT */
/*
 * Every case (.in) of t/data/PARSER against its .want: what the parser emitted, one line each with
 * the line of the case that it is about (@N) where the parser told it, and how it ended.
 * HILAB_BLESS=1 rewrites the .want files. Each case is then given to every other parser too, which
 * may find what it likes within its contract.
 */
#include "base/fs.h"
#include "base/t/tap.h"
#include "contract.h"

#include <dirent.h>

#define CASES_MIN 4 /* three shapes that are real and a damaged one */

struct golden {
	struct buf *out;
	struct str text;
	size_t at;
	bool has_at;
};

static void on_at(void *arg, size_t offset)
{
	struct golden *g = arg;

	g->at = offset;
	g->has_at = true;
}

static void end_line(struct golden *g)
{
	size_t line = 1;

	for (size_t i = 0; i < g->at && i < g->text.n; i++)
		line += g->text.p[i] == '\n';
	if (g->has_at)
		buf_printf(g->out, " @%zu", line);
	buf_putc(g->out, '\n');
}

static void on_suite(void *arg, const char *name)
{
	struct golden *g = arg;

	buf_printf(g->out, "suite %s", name ? name : "-");
	end_line(g);
}

static void on_result(void *arg, const char *name, enum status s, const char *why)
{
	struct golden *g = arg;

	buf_printf(
		g->out, "result %s %s%s%s", name, status_name(s), why ? ": " : "", why ? why : "");
	end_line(g);
}

static void on_metric(void *arg, const struct sink_metric *m)
{
	struct golden *g = arg;

	buf_printf(g->out, "metric %s %.10g %s", m->name, m->value, m->unit);
	if (!isnan(m->min))
		buf_printf(g->out, " (min %.10g)", m->min);
	if (!isnan(m->max))
		buf_printf(g->out, " (max %.10g)", m->max);
	if (m->resolution > 0)
		buf_printf(g->out, " (resolution %.10g)", m->resolution);
	for (size_t i = 0; i < m->n; i++)
		buf_printf(g->out, " %s=%s", m->labels[i].name, m->labels[i].value);
	end_line(g);
}

static void on_env(void *arg, const char *name, const char *value)
{
	struct golden *g = arg;

	buf_printf(g->out, "env %s %s", name, value);
	end_line(g);
}

static void on_warn(void *arg, const char *text)
{
	struct golden *g = arg;

	buf_printf(g->out, "warn %s", text);
	end_line(g);
}

static void run_case(const struct parser *p, const char *in_path, const char *name)
{
	AUTOBUF text = BUF_INIT(BUF_CAP_BYTES);
	AUTOBUF got = BUF_INIT(BUF_CAP_BYTES);
	AUTOBUF want = BUF_INIT(BUF_CAP_BYTES);
	struct golden g = {.out = &got};
	struct sink sink = {&g, on_at, on_suite, on_result, on_metric, on_env, on_warn};
	AUTOFREE char *want_path = mem_printf("%.*s.want", (int)strlen(in_path) - 3, in_path);
	struct err e = {0};

	if (!ok(!fs_read(in_path, &text, &e), "%s: case is read", name))
		return;
	g.text = str_make(buf_str(&text), text.len);
	if (p->parse(g.text, &sink, &e))
		buf_printf(&got, "error %s: %s\n", err_blame_name(e.blame), e.msg);
	if (getenv("HILAB_BLESS"))
		ok(!fs_write(want_path, buf_str(&got), got.len, 0644, &e), "%s: blessed", name);
	if (ok(!fs_read(want_path, &want, &e), "%s: has its .want", name))
		is_str(buf_str(&got), buf_str(&want), "%s %s", p->d.name, name);
	for (const struct driver *const *d = parse_drivers(); *d; d++)
		contract_run((const struct parser *)*d, g.text);
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
