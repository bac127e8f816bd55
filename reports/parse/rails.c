/* SPDX-License-Identifier: MIT */
/*
 * What a lab host's instruments read on power rails (agents/measure/sampler.h writes it): a line a
 * reading, and at the end how many there are. Invariant: a mean is one over time, of all readings;
 * of a text that lacks one of them, or its end, there are no figures.
 */
#include "parsers.h"
#include "rows.h"

#include "base/mem.h"

#include <stdio.h>
#include <stdlib.h>

#define RAILS_SERIES 768 /* rails times units */

enum rails_unit { RAILS_MW, RAILS_V, RAILS_MA, RAILS_UNITS };
static const struct {
	const char *unit, *metric;
} rails_units[RAILS_UNITS] = {
	[RAILS_MW] = {"mW", "power.rail"}, {"V", "power.voltage"}, {"mA", "power.current"}};

struct rails_series {
	char rail[ROWS_LABEL_BYTES];
	enum rails_unit unit;
	/* of (reading - first) over ms, so that what never changes has no rounding in it */
	double integral, first, last, min, max;
	uint64_t first_ms, last_ms, n;
};

struct rails_text {
	const struct sink *sink;
	struct rails_series *series;
	size_t n;
	bool begun, ended;
	uint64_t end_ms, readings, told;
};

static struct rails_series *rails_find(struct rails_text *t, const char *rail, enum rails_unit unit)
{
	for (size_t i = 0; i < t->n; i++)
		if (t->series[i].unit == unit && !strcmp(t->series[i].rail, rail))
			return &t->series[i];
	if (t->n == RAILS_SERIES)
		return NULL;
	snprintf(t->series[t->n].rail, ROWS_LABEL_BYTES, "%s", rail);
	t->series[t->n].unit = unit;
	return &t->series[t->n++];
}

static bool rails_add(struct rails_series *s, uint64_t ms, double value)
{
	if (!s || (s->n && ms < s->last_ms))
		return false;
	if (!s->n) {
		s->first = s->min = s->max = value;
		s->first_ms = ms;
	} else {
		s->integral +=
			((s->last - s->first) + (value - s->first)) / 2 * (double)(ms - s->last_ms);
	}
	s->last = value;
	s->last_ms = ms;
	s->min = value < s->min ? value : s->min;
	s->max = value > s->max ? value : s->max;
	s->n++;
	return true;
}

static double rails_mean(const struct rails_series *s)
{
	double ms = (double)(s->last_ms - s->first_ms);

	return ms > 0 ? s->first + s->integral / ms : s->last;
}

/* "120 vdd_core 18.75 mW" */
static bool rails_reading(struct rails_text *t, const struct str *words, size_t n)
{
	char rail[ROWS_LABEL_BYTES];
	double value;
	uint64_t ms;

	if (n != 4 || str_u64(words[0], &ms) || ms > UINT32_MAX || rows_label(words[1], rail) ||
		str_double(words[2], &value))
		return false;
	for (int u = 0; u < RAILS_UNITS; u++)
		if (str_is(words[3], rails_units[u].unit) &&
			rails_add(rails_find(t, rail, (enum rails_unit)u), ms, value)) {
			t->readings++;
			return true;
		}
	return false;
}

/* "instrument meter scpi RIGOL,DP832,..." */
static bool rails_instrument(struct rails_text *t, struct str line)
{
	char name[ROWS_LABEL_BYTES], env[ROWS_LABEL_BYTES + 16], what[256];
	struct str word;

	if (!str_word(&line, &word) || !str_word(&line, &word) || rows_label(word, name))
		return false;
	snprintf(env, sizeof env, "instrument.%s", name);
	sink_env(t->sink, env, lines_copy(str_trim(line), what, sizeof what));
	return true;
}

/* "late meter 12 of 100" */
static bool rails_late(struct rails_text *t, const struct str *words, size_t n)
{
	uint64_t late, all;

	if (n != 5 || !str_is(words[3], "of") || str_u64(words[2], &late) ||
		str_u64(words[4], &all))
		return false;
	sink_warn(t->sink,
		"instrument '%.*s' is slower than its interval: %llu of %llu readings "
		"are not there",
		STR_ARG(words[1]), (unsigned long long)late, (unsigned long long)all);
	return true;
}

static bool rails_line(struct rails_text *t, struct str line)
{
	struct str words[LINES_WORDS];
	size_t n = lines_words(line, words);

	if (!n || t->ended)
		return !n;
	if (str_is(words[0], "instrument"))
		return rails_instrument(t, line);
	if (str_is(words[0], "late"))
		return rails_late(t, words, n);
	if (!str_is(words[0], "end"))
		return rails_reading(t, words, n);
	t->ended = n == 3 && !str_u64(words[1], &t->end_ms) && t->end_ms <= UINT32_MAX &&
		   !str_u64(words[2], &t->told);
	return t->ended;
}

static void rails_tell(const struct rails_text *t, const struct rails_series *s)
{
	bool total = !strcmp(s->rail, "total");
	struct sink_label label = {"rail", s->rail};
	struct sink_metric m = SINK_METRIC(total ? "power.total" : rails_units[s->unit].metric,
		rails_mean(s), rails_units[s->unit].unit);

	if (total && s->unit != RAILS_MW)
		return;
	m.labels = total ? NULL : &label;
	m.n = !total;
	m.min = s->min;
	m.max = s->max;
	sink_metric(t->sink, &m);
	if (s->unit == RAILS_MW)
		sink_figure(t->sink, total ? "power.total_energy" : "power.energy",
			m.value * (double)t->end_ms / 1e3, "mJ", m.labels, m.n);
}

static int rails_parse(struct str text, const struct sink *sink, struct err *e)
{
	AUTOFREE struct rails_series *series = mem_alloc(RAILS_SERIES * sizeof *series);
	struct rails_text t = {.sink = sink, .series = series};
	struct lines lines;
	struct str line;

	lines_init(&lines, text, sink);
	while (rows_next(&lines, &line)) {
		if (!t.begun)
			t.begun = str_is(line, "rails 1");
		else if (!rails_line(&t, line))
			sink_warn(sink, "a line that is no reading, and is passed over");
	}
	if (!t.begun)
		return lines_nothing(text, "rails", "readings of power rails", e);
	if (!t.ended)
		return err_set(e, BLAME_TEST, "the readings have no end");
	if (t.readings != t.told)
		return err_set(e, BLAME_TEST, "%llu readings of %llu are there",
			(unsigned long long)t.readings, (unsigned long long)t.told);
	for (size_t i = 0; i < t.n; i++)
		rails_tell(&t, &t.series[i]);
	return 0;
}

static int rails_detect(struct str text)
{
	struct str line;

	while (str_line(&text, &line))
		if (str_is(str_trim(line), "rails 1"))
			return 95;
	return 0;
}

static const char *const rails_marks[] = {"rails 1", NULL};

const struct parser rails_parser = {
	.d = {.name = "rails",
		.brief = "readings of power rails by the lab's instruments",
		.proven = "golden cases, and what the sampler writes"},
	.detect = rails_detect,
	.parse = rails_parse,
	.marks = rails_marks,
	.whole = true,
};
