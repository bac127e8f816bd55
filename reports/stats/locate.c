/* SPDX-License-Identifier: MIT */
/*
 * Bisection over builds with noisy measurements. Invariant: the probabilities of all suspects add
 * up to 1, and none ever becomes 0.
 */
#include "locate.h"

#include <math.h>
#include <string.h>

double evidence_rate(size_t hits, size_t runs)
{
	return ((double)hits + 1) / ((double)runs + 2);
}

/* ln of Student's t density of 4 degrees, without its constant. */
static double log_t4(double z)
{
	return -2.5 * log1p(z * z / 4);
}

double evidence_weight(const struct evidence *ev, double value)
{
	double weight;

	if (!isfinite(value))
		return 0;
	if (ev->test)
		return value != 0 ? log((1 - ev->escape) / ev->flake)
				  : log(ev->escape / (1 - ev->flake));
	if (!(ev->deviation > 0))
		return 0;
	weight = log_t4((value - ev->bad) / ev->deviation) -
		 log_t4((value - ev->good) / ev->deviation);
	return isfinite(weight) ? weight : 0;
}

enum confirm_answer confirm_answer(double weight)
{
	const double limit = log(LOCATE_SURE / (1 - LOCATE_SURE));

	return weight >= limit ? CONFIRM_YES : weight <= -limit ? CONFIRM_NO : CONFIRM_MORE;
}

void locate_init(struct locate *l, size_t n, const struct evidence *ev)
{
	memset(l, 0, sizeof *l);
	l->n = n > LOCATE_BUILDS ? LOCATE_BUILDS : n ? n : 1;
	l->ev = *ev;
}

void locate_add(struct locate *l, size_t build, double value)
{
	double weight = evidence_weight(&l->ev, value);

	l->measures++;
	if (!build || build > l->n)
		return;
	l->measured[build - 1]++;
	/* The build is bad when the change came with it or before. */
	for (size_t i = 0; i < build; i++)
		l->log_p[i] += weight;
}

void locate_unusable(struct locate *l, size_t build)
{
	if (build && build <= l->n)
		l->unusable[build - 1] = true;
}

/* Every suspect's, adding up to 1. */
static void probabilities(const struct locate *l, double *p)
{
	double top = l->log_p[0], sum = 0;

	for (size_t i = 1; i < l->n; i++)
		top = fmax(top, l->log_p[i]);
	for (size_t i = 0; i < l->n; i++)
		sum += p[i] = exp(l->log_p[i] - top);
	for (size_t i = 0; i < l->n; i++)
		p[i] /= sum;
}

double locate_probability(const struct locate *l, size_t suspect)
{
	double p[LOCATE_BUILDS] = {0};

	if (!suspect || suspect > l->n)
		return 0;
	probabilities(l, p);
	return p[suspect - 1];
}

/* The usable build whose being bad is nearest to an even bet; 0: none is left to ask. */
static size_t halving(const struct locate *l, const double *p)
{
	double bad = 0, nearest = 1;
	size_t best = 0;

	/* Build n is bad whoever did it. */
	for (size_t i = 0; i + 1 < l->n; i++) {
		bad += p[i];
		if (!l->unusable[i] && fabs(bad - 0.5) < nearest) {
			nearest = fabs(bad - 0.5);
			best = i + 1;
		}
	}
	return best;
}

/* Suspects that no measurement can part: from the one after a usable build up to the next one. */
static void group_of(const struct locate *l, size_t suspect, size_t *first, size_t *last)
{
	*first = *last = suspect;
	while (*first > 1 && l->unusable[*first - 2])
		(*first)--;
	while (*last < l->n && l->unusable[*last - 1])
		(*last)++;
}

static double sum_of(const double *p, size_t first, size_t last)
{
	double sum = 0;

	for (size_t i = first; i <= last; i++)
		sum += p[i - 1];
	return sum;
}

bool locate_next(const struct locate *l, size_t *build, size_t *first, size_t *last)
{
	double p[LOCATE_BUILDS] = {0};
	size_t likeliest = 1;

	probabilities(l, p);
	for (size_t i = 1; i < l->n; i++)
		if (p[i] > p[likeliest - 1])
			likeliest = i + 1;
	group_of(l, likeliest, first, last);
	if (sum_of(p, *first, *last) >= LOCATE_SURE)
		return false;
	*build = l->measures < LOCATE_MEASURES ? halving(l, p) : 0;
	if (*build)
		return true;
	/* Nothing more can be asked: as many neighbours as make it sure. */
	while (sum_of(p, *first, *last) < LOCATE_SURE) {
		bool down = *last >= l->n || (*first > 1 && p[*first - 2] > p[*last]);

		if (down)
			(*first)--;
		else
			(*last)++;
	}
	return false;
}
