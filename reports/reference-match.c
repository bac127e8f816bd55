/* SPDX-License-Identifier: MIT */
/*
 * Which published figure a run's metric is compared with. Invariant: a figure is never matched
 * against a label that says otherwise, and never one of two that fit alike.
 */
#include "reference.h"

#include <string.h>
#include <strings.h>

/* How it was counted, not what was measured. */
static const char *const counting[] = {"cycles", "test", "samples", NULL};

struct fit {
	size_t agree, exact;
};

static bool is_counting(const char *name)
{
	for (const char *const *c = counting; *c; c++)
		if (!strcmp(*c, name))
			return true;
	return false;
}

/* "4k", "4096", "4KiB", "0x1000", "1.0": as one number; false: it is none. */
static bool number_of(const char *text, double *out)
{
	static const char units[] = "kmg";
	struct str s = str_of(text);
	int64_t hex;
	double value, scale = 1;

	if (str_starts(s, "0x") && !str_i64(s, &hex)) {
		*out = (double)hex;
		return true;
	}
	for (const char *tail = "bi"; *tail; tail++) /* "KiB", "KB", "K" */
		if (s.n > 1 && (s.p[s.n - 1] | 0x20) == *tail)
			s.n--;
	if (s.n > 1)
		for (const char *u = units; *u && scale == 1; u++)
			if ((s.p[s.n - 1] | 0x20) == *u) {
				for (const char *k = units; k <= u; k++)
					scale *= 1024;
				s.n--;
			}
	if (str_double(s, &value))
		return false;
	*out = value * scale;
	return true;
}

static bool same(const char *a, const char *b)
{
	double x, y;

	return !strcasecmp(a, b) || (number_of(a, &x) && number_of(b, &y) && x == y);
}

static const char *label_of(const struct sink_label *labels, size_t n, const char *name)
{
	for (size_t i = 0; i < n; i++)
		if (!strcmp(labels[i].name, name))
			return labels[i].value;
	return NULL;
}

/* Does any figure of the metric have that param? */
static bool is_keyed(const struct reference *r, const char *metric, const char *name)
{
	for (size_t i = 0; i < r->n; i++)
		if (!strcmp(r->figures[i].def->name, metric) &&
			node_find(r->figures[i].params, name))
			return true;
	return false;
}

static bool fits(const struct reference *r, const struct reference_figure *f,
	const struct sink_label *labels, size_t n, struct fit *out)
{
	struct fit fit = {0, 0};

	node_each (f->params, p) {
		const char *value = label_of(labels, n, p->key);

		if (!value && is_counting(p->key))
			continue;
		if (!value || !same(value, p->text))
			return false;
		fit.agree++;
		fit.exact += !strcmp(value, p->text);
	}
	for (size_t i = 0; i < n; i++)
		if (!node_find(f->params, labels[i].name) &&
			is_keyed(r, f->def->name, labels[i].name))
			return false;
	*out = fit;
	return true;
}

enum reference_fit reference_match(const struct reference *r, const char *metric,
	const struct sink_label *labels, size_t n, const struct reference_figure **figure)
{
	const struct reference_figure *best = NULL;
	struct fit top = {0, 0}, fit;
	bool alike = false;

	*figure = NULL;
	for (size_t i = 0; r && i < r->n; i++) {
		const struct reference_figure *f = &r->figures[i];
		bool better;

		if (strcmp(f->def->name, metric) || !fits(r, f, labels, n, &fit))
			continue;
		better = !best || fit.agree > top.agree ||
			 (fit.agree == top.agree && fit.exact > top.exact);
		alike = better ? false
			       : alike || (fit.agree == top.agree && fit.exact == top.exact);
		if (better) {
			best = f;
			top = fit;
		}
	}
	if (best && !alike)
		*figure = best;
	return !best ? REFERENCE_NONE : alike ? REFERENCE_UNSURE : REFERENCE_FITS;
}
