/* SPDX-License-Identifier: MIT */
/*
 * Where one series changes its level: runs by the detector, releases by a reader's rule. Invariant:
 * what is found depends on the points alone, not on what else is in the report.
 */
#include "trend.h"

#include "stats/changes.h"

#include <math.h>
#include <string.h>

#define DAY_MS          INT64_C(86400000)
#define RELEASES_MIN    4
#define RELEASE_GAP_MS  (3 * DAY_MS) /* half of the releases are further apart */
#define RELEASE_EFFECT  0.05
#define RELEASE_SPREADS 4.0
#define RELEASE_STEPS   2.0
#define DIGITS_MAX      6
#define NEWEST_TIMES    2.0 /* as much, where nothing confirms it */

static int by_size(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

double trend_median(double *v, size_t n)
{
	qsort(v, n, sizeof *v, by_size);
	return n % 2 ? v[n / 2] : (v[n / 2 - 1] + v[n / 2]) / 2;
}

static double median_of(const struct store_point *p, size_t from, size_t to)
{
	double v[TREND_RELEASES];

	for (size_t i = from; i < to; i++)
		v[i - from] = p[i].value;
	return trend_median(v, to - from);
}

bool trend_is_release(const struct store_point *p, size_t n)
{
	double gaps[TREND_RELEASES];

	if (n < 2 || n > TREND_RELEASES)
		return false;
	for (size_t i = 1; i < n; i++)
		gaps[i - 1] = (double)(p[i].at_ms - p[i - 1].at_ms);
	return trend_median(gaps, n - 1) >= RELEASE_GAP_MS;
}

/* What the series moves from one release to the next, as a deviation. */
static double spread(const struct store_point *p, size_t n)
{
	double moves[TREND_RELEASES];

	for (size_t i = 1; i < n; i++)
		moves[i - 1] = fabs(p[i].value - p[i - 1].value);
	return 1.4826 * trend_median(moves, n - 1) / M_SQRT2;
}

/* The last digit that is printed: 1, 0.1, 0.01 ... */
static double digit_of(const struct store_point *p, size_t n)
{
	double scale = 1;

	for (int k = 0; k < DIGITS_MAX; k++, scale *= 10) {
		size_t whole = 0;

		while (whole < n && fabs(p[whole].value * scale - rint(p[whole].value * scale)) <=
					    1e-9 * fabs(p[whole].value * scale))
			whole++;
		if (whole == n)
			return 1 / scale;
	}
	return 0;
}

/* The step of a clock or counter shows in values that come again, of which there are some. */
static double step_of(const struct store_point *p, size_t n, double resolution)
{
	double v[TREND_RELEASES], gap = INFINITY;
	size_t gaps = 0;

	for (size_t i = 0; i < n; i++)
		v[i] = p[i].value;
	qsort(v, n, sizeof *v, by_size);
	for (size_t i = 1; i < n; i++)
		if (v[i] != v[i - 1]) {
			gap = fmin(gap, v[i] - v[i - 1]);
			gaps++;
		}
	if (gaps < 2 || gaps + 1 == n)
		gap = 0;
	return fmax(fmax(resolution, gap), digit_of(p, n));
}

static bool all_beyond(const struct store_point *p, size_t from, size_t to, double middle, bool up)
{
	for (size_t i = from; i < to; i++)
		if (up ? p[i].value <= middle : p[i].value >= middle)
			return false;
	return true;
}

struct rule {
	double spread, step;
	size_t start; /* of the level */
};

/* Is point i the first of a new level? */
static bool release_changes(const struct store_point *p, size_t n, size_t i, const struct rule *r,
	struct trend_found *f)
{
	size_t from = i >= r->start + 3 ? i - 3 : r->start, to = i + 2 < n ? i + 2 : n;
	bool newest = to == i + 1;
	double before, after, times = newest ? NEWEST_TIMES : 1, limit;

	if (i < from + 2)
		return false;
	before = median_of(p, from, i);
	after = median_of(p, i, to);
	limit = fmax(RELEASE_EFFECT * fabs(before), RELEASE_SPREADS * r->spread);
	limit = fmax(times * limit, RELEASE_STEPS * r->step);
	if (fabs(after - before) < limit || after == before)
		return false;
	if (!all_beyond(p, i, to, (before + after) / 2, after > before) ||
		!all_beyond(p, i - 2, i, (before + after) / 2, after < before))
		return false;
	*f = (struct trend_found){i, to - i, before, after, r->spread, NAN, !newest};
	return true;
}

/* One figure as far off as a change would be, between two that agree. */
static bool is_odd(const struct store_point *p, size_t n, size_t i, const struct rule *r)
{
	double around, off;

	if (!i || i + 1 >= n)
		return false;
	around = (p[i - 1].value + p[i + 1].value) / 2;
	off = fabs(p[i].value - around);
	return off >= 2 * fmax(RELEASE_EFFECT * fabs(around), RELEASE_SPREADS * r->spread) &&
	       fabs(p[i - 1].value - p[i + 1].value) < off / 4;
}

/* What is told of a level is all of it, not what it began with; what that takes away was none. */
static size_t settle_levels(
	const struct store_point *p, size_t n, struct trend_found *found, size_t n_found)
{
	size_t kept = 0;

	for (size_t i = 0; i < n_found; i++) {
		size_t from = kept ? found[kept - 1].at : 0,
		       to = i + 1 < n_found ? found[i + 1].at : n;
		struct trend_found f = found[i];

		f.before = median_of(p, from, f.at);
		f.after = median_of(p, f.at, to);
		f.runs = to - f.at;
		if (fabs(f.after - f.before) >= RELEASE_EFFECT * fabs(f.before))
			found[kept++] = f;
	}
	return kept;
}

static size_t judge_releases(const struct store_point *p, size_t n, double resolution,
	struct trend_found *out, double *deviation, size_t *odd)
{
	struct rule r = {spread(p, n), step_of(p, n, resolution), 0};
	size_t found = 0;

	*deviation = r.spread;
	if (n < RELEASES_MIN)
		return 0;
	for (size_t i = 1; i < n && found < TREND_CHANGES; i++) {
		if (release_changes(p, n, i, &r, &out[found]))
			r.start = out[found++].at;
		else
			*odd += is_odd(p, n, i, &r);
	}
	return settle_levels(p, n, out, found);
}

/* A change that is still young may move or fade: it is confirmed once as many runs as the
 * detector needs to see a small one stand behind it. */
#define CONFIRM_RUNS 8

static double mean_of(const struct store_point *p, size_t from, size_t to)
{
	double v[NOISE_VALUES], mean, unused;

	for (size_t i = from; i < to; i++)
		v[i - from] = p[i].value;
	noise_level(v, to - from, &mean, &unused);
	return mean;
}

/* The levels on both sides as they are known by now, of what lies next to the change. */
static void settle_run(const struct store_point *p, size_t from, size_t to, struct trend_found *f)
{
	from = f->at > from + NOISE_VALUES ? f->at - NOISE_VALUES : from;
	to = to > f->at + NOISE_VALUES ? f->at + NOISE_VALUES : to;
	f->before = mean_of(p, from, f->at);
	f->after = mean_of(p, f->at, to);
}

/* What the detector has found, counted from p[0]: it may have begun behind it. */
static size_t tell_found(
	const struct store_point *p, size_t n, const struct changes *c, struct trend_found *out)
{
	size_t skipped = n - (size_t)c->added;

	for (size_t i = 0; i < c->n_found; i++) {
		const struct change *f = &c->found[i];
		size_t at = skipped + f->at, from = i ? skipped + c->found[i - 1].at : 0,
		       to = i + 1 < c->n_found ? skipped + c->found[i + 1].at : n;

		out[i] = (struct trend_found){.at = at,
			.runs = to - at,
			.deviation = f->deviation,
			.evidence = f->evidence,
			.confirmed = n - at >= CONFIRM_RUNS};
		settle_run(p, from, to, &out[i]);
	}
	return c->n_found;
}

static size_t judge_runs(const struct store_point *p, size_t n, double resolution,
	const struct changes *known, struct trend_found *out, double *deviation)
{
	struct changes c;
	double mean;
	size_t runs;

	*deviation = NAN;
	if (!known || known->added > n) {
		if (!trend_may_change(p, n))
			return 0;
		changes_init(&c, resolution);
		for (size_t i = 0; i < n; i++)
			changes_add(&c, p[i].value);
		known = &c;
	}
	changes_level(known, &mean, deviation, &runs);
	return tell_found(p, n, known, out);
}

size_t trend_judge(const struct store_point *p, size_t n, double resolution,
	const struct changes *known, struct trend_found out[TREND_CHANGES], double *deviation,
	size_t *odd)
{
	_Static_assert(TREND_CHANGES >= CHANGES_KEPT, "the newest of the detector fit");
	size_t off = 0, found;

	if (trend_is_release(p, n))
		found = judge_releases(p, n, resolution, out, deviation, &off);
	else
		found = judge_runs(p, n, resolution, known, out, deviation);
	if (odd)
		*odd = off;
	return found;
}
