/* SPDX-License-Identifier: MIT */
/*
 * Variables of the run and their use in text. Invariant: every value is heap memory owned by the
 * map; expansion is one pass, so a value that looks like a variable is never expanded again.
 */
#include "agents/bench/bench.h"

#include "base/mem.h"

#include <stdio.h>

void bench_var_set(struct bench *b, const char *name, const char *value)
{
	/* value may be the old one itself. */
	char *copy = mem_strdup(value ? value : "");

	free(map_find(&b->vars, name));
	map_set(&b->vars, name, copy);
}

const char *bench_var_find(const struct bench *b, const char *name)
{
	return map_find(&b->vars, name);
}

static int unknown(const struct bench *b, const char *name, struct err *e)
{
	AUTOFREE const char **names = mem_array(b->vars.n + 1, sizeof *names);
	const char *near;
	size_t n = 0;

	map_each (&b->vars, v)
		names[n++] = v->key;
	near = str_nearest(name, names, n);
	if (near)
		return err_set(
			e, BLAME_JOB, "no variable '${%s}', did you mean '${%s}'?", name, near);
	return err_set(
		e, BLAME_JOB, "no variable '${%s}'; write '$${%s}' for that very text", name, name);
}

static int expand(const struct bench *b, const char *text, struct buf *out, struct err *e)
{
	for (const char *p = text, *dollar;;) {
		AUTOFREE char *name = NULL;
		const char *end, *value;

		dollar = strstr(p, "${");
		if (!dollar)
			return buf_puts(out, p) ? err_set(e, BLAME_JOB, "too long") : 0;
		if (dollar > p && dollar[-1] == '$') {
			buf_add(out, p, (size_t)(dollar - p) - 1);
			buf_puts(out, "${");
			p = dollar + 2;
			continue;
		}
		buf_add(out, p, (size_t)(dollar - p));
		end = strchr(dollar, '}');
		if (!end)
			return err_set(e, BLAME_JOB, "no '}' after '%.40s'", dollar);
		name = mem_strndup(dollar + 2, (size_t)(end - dollar) - 2);
		value = bench_var_find(b, name);
		if (!value)
			return unknown(b, name, e);
		buf_puts(out, value);
		p = end + 1;
	}
}

int bench_expand(const struct bench *b, const char *text, struct buf *out, struct err *e)
{
	AUTOBUF got = BUF_INIT(out->cap);

	if (expand(b, text, &got, e))
		return -1;
	if (got.overflow || buf_add(out, buf_str(&got), got.len))
		return err_set(
			e, BLAME_JOB, "text of more than %zu bytes after its variables", out->cap);
	return 0;
}
