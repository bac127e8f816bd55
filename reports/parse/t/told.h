/* SPDX-License-Identifier: MIT */
#ifndef REPORTS_PARSE_T_TOLD_H
#define REPORTS_PARSE_T_TOLD_H

/* What a parser tells, as lines of text. */

#include "base/buf.h"
#include "reports/parse/parse.h"

struct told {
	struct buf *out;
	struct str text;
	size_t at;
	bool has_at, bytes; /* bytes: offsets for line numbers, which cost a search each */
};

static inline void told_at(void *arg, size_t offset)
{
	struct told *t = arg;

	t->at = offset;
	t->has_at = true;
}

static inline void told_end(struct told *t)
{
	size_t line = t->bytes ? t->at : 1;

	for (size_t i = 0; !t->bytes && i < t->at && i < t->text.n; i++)
		line += t->text.p[i] == '\n';
	if (t->has_at)
		buf_printf(t->out, " @%zu", line);
	buf_putc(t->out, '\n');
}

static inline void told_suite(void *arg, const char *name)
{
	struct told *t = arg;

	buf_printf(t->out, "suite %s", name ? name : "-");
	told_end(t);
}

static inline void told_result(void *arg, const char *name, enum status s, const char *why)
{
	struct told *t = arg;

	buf_printf(
		t->out, "result %s %s%s%s", name, status_name(s), why ? ": " : "", why ? why : "");
	told_end(t);
}

static inline void told_metric(void *arg, const struct sink_metric *m)
{
	struct told *t = arg;

	buf_printf(t->out, "metric %s %.10g %s", m->name, m->value, m->unit);
	if (!isnan(m->min))
		buf_printf(t->out, " (min %.10g)", m->min);
	if (!isnan(m->max))
		buf_printf(t->out, " (max %.10g)", m->max);
	if (m->resolution > 0)
		buf_printf(t->out, " (resolution %.10g)", m->resolution);
	for (size_t i = 0; i < m->n; i++)
		buf_printf(t->out, " %s=%s", m->labels[i].name, m->labels[i].value);
	told_end(t);
}

static inline void told_env(void *arg, const char *name, const char *value)
{
	struct told *t = arg;

	buf_printf(t->out, "env %s %s", name, value);
	told_end(t);
}

static inline void told_warn(void *arg, const char *text)
{
	struct told *t = arg;

	buf_printf(t->out, "warn %s", text);
	told_end(t);
}

static inline struct sink told_sink(struct told *t)
{
	return (struct sink){t, told_at, told_suite, told_result, told_metric, told_env, told_warn};
}

#endif
