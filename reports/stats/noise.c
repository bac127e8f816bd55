/* SPDX-License-Identifier: MIT */
/*
 * The noise of a series. Invariant: no function divides by a spread that is 0, and none is moved
 * far by a single value.
 */
#include "noise.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MAD_DEVIATIONS   1.4826 /* of a normal distribution in median absolute deviations */
#define CLIPPED_SHARE    0.999  /* of its variance that is left within NOISE_CLIP */
#define STEPS            3
#define MEMORY_CLIP      3.0
#define MEMORY_SMALL     0.21 /* may be chance */
#define MEMORY_FEW       60   /* values: of fewer that are a little alike, more are left alone */
#define MEMORY_SMALL_FEW 0.15
#define MEMORY_TYPICAL   0.5 /* where there is any: counts as much as MEMORY_WEIGHT values */
#define MEMORY_WEIGHT    150.0
#define MEMORY_MAX       0.9
#define NORMAL_QUANTILE  2.8 /* 1 of 400 */
#define NORMAL_MIN       12

double noise_quantile(double p)
{
	double q = p - 0.5, r, x;

	if (fabs(q) <= 0.425) {
		r = 0.180625 - q * q;
		return q *
		       (((59.10937472 * r + 159.29113202) * r + 50.434271938) * r + 3.3871327179) /
		       (((67.1875636 * r + 78.757757664) * r + 17.895169469) * r + 1);
	}
	r = sqrt(-log(q < 0 ? p : 1 - p));
	if (r <= 5) {
		r -= 1.6;
		x = (((0.17023821103 * r + 1.3067284816) * r + 2.75681539) * r + 1.4234372777) /
		    ((0.12021132975 * r + 0.7370016425) * r + 1);
	} else {
		r -= 5;
		x = (((0.017337203997 * r + 0.42868294337) * r + 3.081226386) * r + 6.657905115) /
		    ((0.012258202635 * r + 0.24197894225) * r + 1);
	}
	return q < 0 ? -x : x;
}

/* As qsort() does, for the few values that there are: the detector sorts most of its time. */
static void sort(double *v, size_t n)
{
	static const size_t gaps[] = {57, 23, 10, 4, 1}; /* Ciura */

	for (size_t g = 0; g < sizeof gaps / sizeof *gaps; g++)
		for (size_t i = gaps[g]; i < n; i++) {
			double value = v[i];
			size_t k = i;

			for (; k >= gaps[g] && v[k - gaps[g]] > value; k -= gaps[g])
				v[k] = v[k - gaps[g]];
			v[k] = value;
		}
}

static int ascending(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

struct ranked {
	double value;
	size_t at;
};

static int by_value(const void *a, const void *b)
{
	const struct ranked *x = a, *y = b;

	return ascending(&x->value, &y->value);
}

static double clip(double z, double limit)
{
	return z > limit ? limit : z < -limit ? -limit : z;
}

/* Distances from the median grow to both sides of it: the two are merged up to the middle. */
static double distance_at(const double *sorted, size_t n, double median, size_t at)
{
	size_t high = 0, low;
	double d = 0;

	while (high < n && sorted[high] < median)
		high++;
	for (low = high, at++; at > 0; at--)
		if (high == n ||
			(low > 0 && fabs(sorted[low - 1] - median) <= fabs(sorted[high] - median)))
			d = fabs(sorted[--low] - median);
		else
			d = fabs(sorted[high++] - median);
	return d;
}

static void median_and_mad(const double *sorted, size_t n, double *median, double *mad)
{
	double a, b;

	*median = (sorted[n / 2] + sorted[(n - 1) / 2]) / 2;
	a = distance_at(sorted, n, *median, n / 2);
	b = n % 2 ? a : distance_at(sorted, n, *median, (n - 1) / 2);
	*mad = (a + b) / 2;
}

/* More than half of the values are equal: all of them count in full. */
static void plain_level(const double *v, size_t n, double *mean, double *deviation)
{
	double sum = 0, squares = 0;

	for (size_t i = 0; i < n; i++)
		sum += v[i];
	*mean = sum / (double)n;
	for (size_t i = 0; i < n; i++)
		squares += (v[i] - *mean) * (v[i] - *mean);
	*deviation = sqrt(squares / (double)(n - 1));
}

void noise_level(const double *v, size_t n, double *mean, double *deviation)
{
	double sorted[NOISE_VALUES];

	memcpy(sorted, v, n * sizeof *v);
	sort(sorted, n);
	noise_level_sorted(v, sorted, n, mean, deviation);
}

void noise_level_sorted(
	const double *v, const double *sorted, size_t n, double *mean, double *deviation)
{
	double m, d;

	*mean = n ? v[0] : 0;
	*deviation = 0;
	if (n < 2)
		return;
	median_and_mad(sorted, n, &m, &d);
	d *= MAD_DEVIATIONS;
	if (d <= 0) {
		plain_level(v, n, mean, deviation);
		return;
	}
	for (int step = 0; step < STEPS; step++) {
		double sum = 0, squares = 0;

		for (size_t i = 0; i < n; i++) {
			double z = clip((v[i] - m) / d, NOISE_CLIP);

			sum += z;
			squares += z * z;
		}
		sum /= (double)n;
		squares = (squares - (double)n * sum * sum) / (double)(n - 1);
		m += d * sum;
		d *= sqrt(squares / CLIPPED_SHARE);
	}
	*mean = m;
	*deviation = d;
}

double noise_memory(const double *v, size_t n)
{
	double mean, deviation, products = 0, squares = 0, before = 0, r;

	noise_level(v, n, &mean, &deviation);
	if (n < NORMAL_MIN || deviation <= 0)
		return 0;
	for (size_t i = 0; i < n; i++) {
		double z = clip((v[i] - mean) / deviation, MEMORY_CLIP);

		squares += z * z;
		products += z * before;
		before = z;
	}
	if (squares <= 0)
		return 0;
	r = products / squares;
	r += (1 + 3 * r) / (double)n; /* the mean was taken from the same values */
	if (r < (n < MEMORY_FEW ? MEMORY_SMALL_FEW : MEMORY_SMALL))
		return 0;
	r = ((double)n * r + MEMORY_WEIGHT * MEMORY_TYPICAL) / ((double)n + MEMORY_WEIGHT);
	return r < MEMORY_MAX ? r : MEMORY_MAX;
}

void noise_order(const double *v, size_t n, unsigned char *order)
{
	struct ranked r[NOISE_VALUES];

	for (size_t i = 0; i < n; i++)
		r[i] = (struct ranked){v[i], i};
	qsort(r, n, sizeof *r, by_value);
	for (size_t i = 0; i < n; i++)
		order[i] = (unsigned char)r[i].at;
}

static double score(size_t rank, size_t n)
{
	return noise_quantile(((double)rank + 0.625) / ((double)n + 0.25)); /* Blom */
}

bool noise_is_normal(const double *v, size_t n)
{
	double sorted[NOISE_VALUES], sum = 0, xy = 0, xx = 0, yy = 0, logs, mean, deviation;

	if (n < NORMAL_MIN)
		return false;
	memcpy(sorted, v, n * sizeof *v);
	sort(sorted, n);
	for (size_t i = 0; i < n; i++)
		sum += sorted[i];
	for (size_t i = 0; i < n; i++) {
		double x = sorted[i] - sum / (double)n, y = score(i, n);

		xy += x * y;
		xx += x * x;
		yy += y * y;
	}
	if (xx <= 0)
		return false;
	logs = log(log((double)n)) - log((double)n);
	mean = -1.2725 + 1.0521 * logs;
	deviation = 1.0308 - 0.26758 * (log(log((double)n)) + 2 / log((double)n));
	return (log(1 - xy * xy / (xx * yy)) - mean) / deviation < NORMAL_QUANTILE;
}

void noise_scores(const double *v, size_t n, double *out)
{
	struct ranked r[NOISE_VALUES];

	for (size_t i = 0; i < n; i++)
		r[i] = (struct ranked){v[i], i};
	qsort(r, n, sizeof *r, by_value);
	for (size_t i = 0, end; i < n; i = end) {
		double sum = 0;

		for (end = i; end < n && r[end].value == r[i].value; end++)
			sum += score(end, n);
		for (size_t k = i; k < end; k++)
			out[r[k].at] = sum / (double)(end - i);
	}
}
