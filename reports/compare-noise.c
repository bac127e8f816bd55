/* SPDX-License-Identifier: MIT */
/*
 * Of two single runs nothing shows how noisy a figure is; what its series did before them does.
 * Invariant: the two runs themselves, and runs after them, tell nothing about the noise.
 */
#include "compare.h"
#include "history.h"

#include <math.h>
#include <string.h>

#define NOISE_RUNS_MIN 5 /* fewer tell nothing */

static bool is_series(const struct store_series *s, const struct compare_metric *m)
{
	return !strcmp(s->metric, m->name) && !strcmp(s->suite, m->suite) &&
	       !strcmp(s->labels, m->labels) && !strcmp(s->unit, m->unit) &&
	       (!*m->test || !strcmp(s->test, m->test));
}

static void take_points(
	const struct compare *c, const struct history_series *h, struct compare_metric *m)
{
	double v[NOISE_VALUES], mean;
	size_t n = 0, end = h->n;

	while (end && h->points[end - 1].run != c->sides[0].runs[0] &&
		h->points[end - 1].run != c->sides[1].runs[0])
		end--;
	for (size_t i = end; i > 0 && n < NOISE_VALUES; i--) {
		const struct store_point *p = &h->points[i - 1];

		if (p->run != c->sides[0].runs[0] && p->run != c->sides[1].runs[0] &&
			isfinite(p->value))
			v[n++] = p->value;
	}
	if (n < NOISE_RUNS_MIN)
		return;
	noise_level(v, n, &mean, &m->noise);
	m->noise_runs = n;
}

int compare_noise(const struct compare *c, struct store *s, struct compare_metric *metrics,
	size_t n, struct err *e)
{
	const struct store_series_filter filter = {.run = c->sides[0].runs[0]};
	struct history h = {0};

	if (c->sides[0].n != 1 || c->sides[1].n != 1)
		return 0;
	if (history_gather(&h, s, &filter, e))
		return -1;
	for (size_t i = 0; i < h.n; i++)
		for (size_t k = 0; k < n; k++)
			if (is_series(&h.series[i].s, &metrics[k])) {
				take_points(c, &h.series[i], &metrics[k]);
				break;
			}
	history_done(&h);
	return 0;
}
