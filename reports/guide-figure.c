/* SPDX-License-Identifier: MIT */
/*
 * A measured value printed as a published one. Invariant: the published value itself comes out as
 * it was printed, digit by digit, and any other with no fewer digits.
 */
#include "guide.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define SIGNIFICANT  4
#define DECIMALS_MAX 9

int guide_decimals(const char *printed)
{
	const char *point = printed ? strchr(printed, '.') : NULL;

	return point ? (int)strspn(point + 1, "0123456789") : 0;
}

/* Decimals that SIGNIFICANT digits of a value need. */
static int wanted(double value)
{
	double size = fabs(value);
	int n;

	if (!isfinite(size) || size == 0)
		return 0;
	n = SIGNIFICANT - 1 - (int)floor(log10(size));
	return n < 0 ? 0 : n > DECIMALS_MAX ? DECIMALS_MAX : n;
}

char *guide_figure(const struct reference_figure *f, double value, int columns, char *out, size_t n)
{
	int least = guide_decimals(f->printed), most = columns;
	double factor = 1;
	char *end;

	metric_value(f->def, 1, f->unit, &factor, NULL);
	value /= factor;
	if (wanted(value) > most)
		most = wanted(value);
	if (least > most)
		most = least;
	snprintf(out, n, "%.*f", most, value);
	/* What is whole, or as short as the published one, is not stretched by its column. */
	for (end = out + strlen(out); most > least && end[-1] == '0'; most--)
		*--end = 0;
	if (end[-1] == '.')
		end[-1] = 0;
	return out;
}

enum guide_change guide_change(const struct reference_figure *f, const struct guide_value *now,
	const struct guide_value *before)
{
	double now_min = isnan(now->min) ? now->value : now->min;
	double now_max = isnan(now->max) ? now->value : now->max;
	double was_min = isnan(before->min) ? before->value : before->min;
	double was_max = isnan(before->max) ? before->value : before->max;

	if (!now->runs || !before->runs || now->value == before->value)
		return GUIDE_SAME;
	if (now_min <= was_max && was_min <= now_max)
		return GUIDE_SAME;
	if (f->def->better == BETTER_NEITHER)
		return GUIDE_OTHER;
	return (now->value > before->value) == (f->def->better == BETTER_HIGHER) ? GUIDE_BETTER
										 : GUIDE_WORSE;
}
