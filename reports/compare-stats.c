/* SPDX-License-Identifier: MIT */
/*
 * How likely chance alone is to tell two sides this far apart. Invariant: every result is within
 * 0 and 1, whatever the values.
 */
#include "compare.h"

#include <math.h>
#include <stdlib.h>

#define FRACTION_STEPS 300
#define TINY           1e-300

/* The continued fraction of the incomplete beta function (DLMF 8.17.22), by Lentz's method. */
static double fraction(double a, double b, double x)
{
	double c = 1, d = 1 - (a + b) * x / (a + 1), h;

	d = 1 / (fabs(d) < TINY ? TINY : d);
	h = d;
	for (int m = 1; m <= FRACTION_STEPS; m++) {
		double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
		double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));

		for (int k = 0; k < 2; k++) {
			double step = k ? odd : even;

			d = 1 + step * d;
			c = 1 + step / c;
			d = 1 / (fabs(d) < TINY ? TINY : d);
			c = fabs(c) < TINY ? TINY : c;
			h *= c * d;
		}
		if (fabs(c * d - 1) < 1e-12)
			break;
	}
	return h;
}

/* Regularised incomplete beta function. */
static double beta(double a, double b, double x)
{
	double front;

	if (x <= 0 || x >= 1)
		return x >= 1;
	front = exp(lgamma(a + b) - lgamma(a) - lgamma(b) + a * log(x) + b * log1p(-x));
	return x < (a + 1) / (a + b + 2) ? front * fraction(a, b, x) / a
					 : 1 - front * fraction(b, a, 1 - x) / b;
}

static double clamp(double p)
{
	return p < 0 ? 0 : p > 1 ? 1 : p;
}

double compare_welch(const struct compare_values *a, const struct compare_values *b, double floor)
{
	double s[2] = {
		a->n > 1 ? a->deviation : b->deviation, b->n > 1 ? b->deviation : a->deviation};
	size_t free_a = a->n > 1 ? a->n - 1 : 0, free_b = b->n > 1 ? b->n - 1 : 0;
	double va, vb, t2, freedom;

	for (int i = 0; i < 2; i++)
		s[i] = s[i] < floor ? floor : s[i];
	va = s[0] * s[0] / (double)a->n;
	vb = s[1] * s[1] / (double)b->n;
	if (va + vb <= 0)
		return a->mean == b->mean ? 1 : 0;
	t2 = (a->mean - b->mean) * (a->mean - b->mean) / (va + vb);
	if (!free_a || !free_b)
		freedom = (double)(free_a + free_b);
	else
		freedom = (va + vb) * (va + vb) /
			  (va * va / (double)free_a + vb * vb / (double)free_b);
	return clamp(beta(freedom / 2, 0.5, freedom / (freedom + t2)));
}

double compare_single(double difference, double deviation, size_t n)
{
	double freedom = (double)n - 1, t2;

	if (deviation <= 0 || n < 2)
		return difference == 0;
	t2 = difference * difference / (2 * deviation * deviation);
	return clamp(beta(freedom / 2, 0.5, freedom / (freedom + t2)));
}

static double log_choose(int n, int k)
{
	return lgamma(n + 1) - lgamma(k + 1) - lgamma(n - k + 1);
}

double compare_fisher(int a, int n, int b, int m)
{
	int fails = a + b;
	double seen, all = log_choose(n + m, fails), p = 0;

	seen = log_choose(n, a) + log_choose(m, b) - all;
	for (int k = fails > m ? fails - m : 0; k <= n && k <= fails; k++) {
		double at = log_choose(n, k) + log_choose(m, fails - k) - all;

		if (at <= seen + 1e-9)
			p += exp(at);
	}
	return clamp(p);
}

static int by_p(const void *a, const void *b)
{
	double x = **(double *const *)a, y = **(double *const *)b;

	return (x > y) - (x < y);
}

void compare_adjust(double *p, size_t n)
{
	AUTOFREE double **order = mem_alloc((n + 1) * sizeof *order);
	size_t m = 0;
	double least = 1;

	for (size_t i = 0; i < n; i++)
		if (!isnan(p[i]))
			order[m++] = &p[i];
	qsort(order, m, sizeof *order, by_p);
	for (size_t i = m; i > 0; i--) {
		double q = *order[i - 1] * (double)m / (double)i;

		least = q < least ? q : least;
		*order[i - 1] = least;
	}
}
