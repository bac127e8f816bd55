/* SPDX-License-Identifier: MIT */
/* Aggregates over cycles. Invariant: every sample with a cycle is in exactly one of them. */
#include "aggregate.h"

#include "base/map.h"
#include "base/vec.h"
#include "io/json.h"
#include "report.h"

#include <string.h>

/* The labels without their cycle; NULL where there is none. In a. */
static const char *without_cycle(struct arena *a, const char *labels)
{
	AUTOJSON *j = json_loads(labels ? labels : "{}", 0, NULL);
	AUTOBUF text = BUF_INIT(BUF_CAP_BYTES);

	if (!json_object_get(j, "cycle"))
		return NULL;
	json_object_del(j, "cycle");
	if (json_write(j, JSON_COMPACT | JSON_SORT_KEYS, &text, NULL))
		return NULL;
	return arena_strdup(a, buf_str(&text));
}

struct building {
	struct aggregate g;
	VEC(double) samples;
};

static void add(struct building *b, double value)
{
	struct aggregate *g = &b->g;

	if (!g->n || value < g->min)
		g->min = value;
	if (!g->n || value > g->max)
		g->max = value;
	g->n++;
	g->avg += (value - g->avg) / (double)g->n;
	vec_push(&b->samples, value);
}

size_t aggregate_all(
	struct arena *a, const struct report_metric *metrics, size_t n, struct aggregate **out)
{
	VEC(struct building) all = {0};
	struct map by_key = {0}; /* -> index + 1 */

	for (size_t i = 0; i < n; i++) {
		const struct store_metric *m = &metrics[i].m;
		const struct metric_def *def = metrics[i].def;
		const char *labels = without_cycle(a, m->labels);
		struct building new = {.g = {.suite = m->suite,
					       .name = m->name,
					       .unit = m->unit,
					       .labels = labels,
					       .how = def ? def->aggregate : METRIC_MEAN}};
		const char *key;
		uintptr_t at;

		if (!labels)
			continue;
		key = arena_printf(a, "%s\n%s\n%s\n%s", m->suite, m->name, m->unit, labels);
		at = (uintptr_t)map_find(&by_key, key);
		if (!at) {
			vec_push(&all, new);
			at = all.n;
			map_set(&by_key, key, (void *)at);
		}
		add(&all.p[at - 1], m->value);
	}
	n = all.n;
	*out = arena_alloc(a, n * sizeof **out + 1);
	for (size_t i = 0; i < n; i++) {
		all.p[i].g.value =
			metric_make(all.p[i].g.how, all.p[i].samples.p, all.p[i].samples.n);
		(*out)[i] = all.p[i].g;
		vec_done(&all.p[i].samples);
	}
	vec_done(&all);
	map_done(&by_key);
	return n;
}
