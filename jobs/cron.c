/* SPDX-License-Identifier: MIT */
/*
 * Times of a schedule, as crontab(5) writes them. Invariant: cron_next returns a minute that fits,
 * later than the one it was given.
 */
#include "jobs/nightly.h"

#include "base/str.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <time.h>

#define YEARS_AHEAD 5

static const char *const month_names[] = {
	"jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec", NULL};
static const char *const day_names[] = {"sun", "mon", "tue", "wed", "thu", "fri", "sat", NULL};

struct field {
	const char *name;
	int min, max;
	const char *const *names; /* of min, min + 1, ...; NULL: none */
};
static const struct field fields[] = {
	{"minute", 0, 59, NULL},
	{"hour", 0, 23, NULL},
	{"day of month", 1, 31, NULL},
	{"month", 1, 12, month_names},
	{"day of week", 0, 7, day_names},
};

/* A number or a name; -1. */
static int value_of(const struct field *f, struct str text)
{
	int64_t n;

	for (int i = 0; f->names && f->names[i]; i++)
		if (text.n == strlen(f->names[i]) && !strncasecmp(text.p, f->names[i], text.n))
			return f->min + i;
	if (!text.n || text.n > 2 || str_i64(text, &n) || n < f->min || n > f->max)
		return -1;
	return (int)n;
}

/* "*", "3", "1-5", "*\/15", "8-18/2"; sets bits. */
static int take_range(const struct field *f, struct str text, uint64_t *bits)
{
	ptrdiff_t slash = str_find(text, STR_LIT("/")), dash;
	int first, last;
	int64_t step = 1;
	struct str range = text;

	if (slash >= 0) {
		range.n = (size_t)slash;
		if (str_i64(str_make(text.p + slash + 1, text.n - (size_t)slash - 1), &step) ||
			step < 1 || step > f->max)
			return -1;
	}
	dash = str_find(range, STR_LIT("-"));
	if (str_is(range, "*")) {
		first = f->min;
		last = f->max;
	} else if (dash > 0) {
		first = value_of(f, str_make(range.p, (size_t)dash));
		last = value_of(f, str_make(range.p + dash + 1, range.n - (size_t)dash - 1));
	} else {
		first = value_of(f, range);
		last = slash >= 0 ? f->max : first;
	}
	if (first < 0 || last < first)
		return -1;
	for (int i = first; i <= last; i += (int)step)
		*bits |= (uint64_t)1 << i;
	return 0;
}

static int take_field(const struct field *f, struct str text, uint64_t *bits, struct err *e)
{
	struct str rest = text;

	*bits = 0;
	while (rest.n) {
		ptrdiff_t comma = str_find(rest, STR_LIT(","));
		struct str one = {rest.p, comma < 0 ? rest.n : (size_t)comma};

		if (take_range(f, one, bits))
			return err_set(e, BLAME_CONFIG, "%s: '%.*s' is not between %d and %d",
				f->name, STR_ARG(one), f->min, f->max);
		rest = comma < 0 ? (struct str){0}
				 : str_make(rest.p + comma + 1, rest.n - (size_t)comma - 1);
		if (comma >= 0 && !rest.n)
			return err_set(e, BLAME_CONFIG, "%s: '%.*s' ends with a comma", f->name,
				STR_ARG(text));
	}
	return 0;
}

int cron_parse(struct cron *c, const char *text, struct err *e)
{
	struct str rest = str_of(text), word;
	uint64_t bits[ARRAY_LEN(fields)];
	bool any[ARRAY_LEN(fields)];

	for (size_t i = 0; i < ARRAY_LEN(fields); i++) {
		if (!str_word(&rest, &word))
			return err_set(e, BLAME_CONFIG,
				"'%s' has %zu fields, five are needed: minute hour day month "
				"weekday",
				text, i);
		any[i] = word.p[0] == '*';
		if (take_field(&fields[i], word, &bits[i], e))
			return err_wrap(e, "'%s'", text);
	}
	if (str_word(&rest, &word))
		return err_set(e, BLAME_CONFIG, "'%s' has more than five fields", text);
	if (bits[4] & 1 << 7) /* Sunday is 0 or 7 */
		bits[4] |= 1;
	*c = (struct cron){.minutes = bits[0],
		.hours = (uint32_t)bits[1],
		.days = (uint32_t)bits[2],
		.months = (uint32_t)bits[3],
		.weekdays = (uint32_t)bits[4],
		.any_day = any[2],
		.any_weekday = any[4]};
	return 0;
}

static bool day_fits(const struct cron *c, const struct tm *tm)
{
	bool day = c->days >> tm->tm_mday & 1, weekday = c->weekdays >> tm->tm_wday & 1;

	if (!(c->months >> (tm->tm_mon + 1) & 1))
		return false;
	/* Both restricted: either will do. */
	return c->any_day || c->any_weekday ? day && weekday : day || weekday;
}

/*
 * A minute of a day. mktime moves one that the clock leaps over behind the leap; of one that comes
 * twice this is the first, which is the one of summer time.
 */
static time_t minute_of(const struct tm *day, int minute)
{
	struct tm at = *day, summer;
	time_t t, first;

	at.tm_hour = minute / 60;
	at.tm_min = minute % 60;
	at.tm_isdst = -1;
	summer = at;
	summer.tm_isdst = 1;
	t = mktime(&at);
	first = mktime(&summer);
	return summer.tm_isdst > 0 && summer.tm_hour == minute / 60 && first < t ? first : t;
}

/* The first minute of a day that fits and is later than after; -1. */
static time_t in_day(const struct cron *c, const struct tm *day, time_t after)
{
	time_t first = -1;

	for (int minute = 0; minute < 24 * 60; minute++) {
		time_t t;

		if (!(c->hours >> minute / 60 & 1) || !(c->minutes >> minute % 60 & 1))
			continue;
		t = minute_of(day, minute);
		if (t > after && t / 60 > after / 60 && (first < 0 || t < first))
			first = t;
	}
	return first;
}

int64_t cron_next(const struct cron *c, int64_t wall_ms)
{
	time_t after = wall_ms / 1000;
	struct tm day;

	if (!localtime_r(&after, &day))
		return -1;
	for (int i = 0; i < YEARS_AHEAD * 366; i++) {
		struct tm noon = {.tm_year = day.tm_year,
			.tm_mon = day.tm_mon,
			.tm_mday = day.tm_mday + i,
			.tm_hour = 12,
			.tm_isdst = -1};
		time_t t;

		if (mktime(&noon) < 0 || !day_fits(c, &noon))
			continue;
		t = in_day(c, &noon, after);
		if (t >= 0)
			return (int64_t)t * 1000;
	}
	return -1;
}
