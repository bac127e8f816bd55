/* SPDX-License-Identifier: MIT */
/*
 * Telling a sink. Invariant: no figure that is not a number reaches one, whichever parser it came
 * from.
 */
#include "sink.h"

#include <stdarg.h>
#include <stdio.h>

void sink_at(const struct sink *s, size_t offset)
{
	if (s->at)
		s->at(s->arg, offset);
}

void sink_suite(const struct sink *s, const char *name)
{
	if (s->suite)
		s->suite(s->arg, name);
}

void sink_result(const struct sink *s, const char *name, enum status status, const char *why)
{
	if (s->result)
		s->result(s->arg, name, status, why);
}

void sink_metric(const struct sink *s, const struct sink_metric *m)
{
	struct sink_metric told = *m;

	if (!s->metric || !isfinite(m->value))
		return;
	if (!isfinite(m->min))
		told.min = NAN;
	if (!isfinite(m->max))
		told.max = NAN;
	if (!isfinite(m->resolution) || m->resolution < 0)
		told.resolution = 0;
	s->metric(s->arg, &told);
}

void sink_figure(const struct sink *s, const char *name, double value, const char *unit,
	const struct sink_label *labels, size_t n)
{
	struct sink_metric m = SINK_METRIC(name, value, unit);

	m.labels = labels;
	m.n = n;
	sink_metric(s, &m);
}

void sink_env(const struct sink *s, const char *name, const char *value)
{
	if (s->env)
		s->env(s->arg, name, value);
}

void sink_warn(const struct sink *s, const char *fmt, ...)
{
	char text[SINK_WARN_BYTES];
	va_list ap;

	if (!s->warn)
		return;
	va_start(ap, fmt);
	vsnprintf(text, sizeof text, fmt, ap);
	va_end(ap);
	s->warn(s->arg, text);
}
