/* SPDX-License-Identifier: MIT */
/*
 * Every case (.in) of t/data/PARSER against its .want: what the parser emitted, one line each, and
 * how it ended. HILAB_BLESS=1 rewrites the .want files.
 */
#include "base/fs.h"
#include "base/t/tap.h"
#include "reports/parse/parse.h"

#include <dirent.h>
#include <stdlib.h>

static void on_result(void *arg, const char *name, enum status s, const char *why)
{
	buf_printf(
		arg, "result %s %s%s%s\n", name, status_name(s), why ? ": " : "", why ? why : "");
}

static void on_metric(void *arg, const char *name, double value, const char *unit,
	const struct sink_label *labels, size_t n)
{
	buf_printf(arg, "metric %s %.10g %s", name, value, unit);
	for (size_t i = 0; i < n; i++)
		buf_printf(arg, " %s=%s", labels[i].name, labels[i].value);
	buf_putc(arg, '\n');
}

static void on_env(void *arg, const char *name, const char *value)
{
	buf_printf(arg, "env %s %s\n", name, value);
}

static void on_warn(void *arg, const char *text)
{
	buf_printf(arg, "warn %s\n", text);
}

static void run_case(const struct parser *p, const char *in_path, const char *name)
{
	AUTOBUF text = BUF_INIT(BUF_CAP_BYTES);
	AUTOBUF got = BUF_INIT(BUF_CAP_BYTES);
	AUTOBUF want = BUF_INIT(BUF_CAP_BYTES);
	struct sink sink = {&got, on_result, on_metric, on_env, on_warn};
	AUTOFREE char *want_path = mem_printf("%.*s.want", (int)strlen(in_path) - 3, in_path);
	struct err e = {0};
	/* An exact copy on the heap, so that a sanitizer sees a read past the end. */
	AUTOFREE char *copy = NULL;

	if (!ok(!fs_read(in_path, &text, &e), "%s: case is read", name))
		return;
	copy = mem_dup(buf_str(&text), text.len + !text.len);
	if (p->parse(str_make(copy, text.len), &sink, &e))
		buf_printf(&got, "error %s: %s\n", err_blame_name(e.blame), e.msg);
	if (getenv("HILAB_BLESS"))
		ok(!fs_write(want_path, buf_str(&got), got.len, 0644, &e), "%s: blessed", name);
	if (!ok(!fs_read(want_path, &want, &e), "%s: has its .want", name))
		return;
	is_str(buf_str(&got), buf_str(&want), "%s %s", p->d.name, name);
	p->parse(str_make(copy, text.len), &(struct sink){0}, NULL);
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

	ok(n >= 8, "%s: has at least 8 cases", p->d.name);
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
